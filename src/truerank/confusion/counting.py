"""The counts of a run: its first k results, or those of a high enough score, against the judgements."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._kernel import as_text
from truerank.confusion.scores import checked, returned
from truerank.confusion.table import Confusion, counted
from truerank.errors import InputError, RulesError, TruerankError, brief
from truerank.evaluate import look_up, ranked, score
from truerank.hits import Hits
from truerank.measures import parse_measure
from truerank.qrels import Ints
from truerank.rules import Rules
from truerank.scores import Ledger


@dataclass(frozen=True)
class Counts:
    """The counts of a run, query by query and together.

    Attributes:
        run: its name.
        queries: the counts of each query.
        micro: their sums over all queries.
        k, threshold: what makes a result retrieved; without both, that it came back.
        rules: under whose rules.
        ledger: what the sums hide.
    """

    run: str
    queries: Mapping[str, Confusion]
    micro: Confusion
    k: int | None
    threshold: float | None
    rules: Rules
    ledger: Ledger


def confusion(
    qrels: Any,
    run: Any,
    *,
    k: int | None = None,
    threshold: float | None = None,
    documents: int | None = None,
    rules: Rules | str | os.PathLike[str] | dict[str, Any] | None = None,
    threads: int | None = None,
) -> Counts:
    """The four counts of a run, for each query and over all of them.

    Args:
        qrels, run, rules, threads: as for `evaluate`.
        k: the first k results are retrieved.
        threshold: the results with at least this score are retrieved.
        documents: how many documents there are to search; without it nobody knows the true negatives.

    >>> confusion({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, k=2, documents=10).micro
    Confusion(tp=1, fp=1, fn=1, tn=7)
    """
    if k is not None and threshold is not None:
        raise TruerankError("what is retrieved is said by k or by a threshold, not by both")
    under = ruled(rules)
    judged, source, scan = look_up(qrels, run, under, threads)
    measure = parse_measure("SetP" if k is None else f"P@{k}")
    ledger = score(judged, scan, [measure], under, source.name).ledger
    cut = under if k is None else under.replace(depth=k if under.depth is None else min(k, under.depth))
    hits = ranked(judged, scan, cut, source.name)
    retrieved = hits.returned
    if threshold is not None:
        lowest = checked(threshold)
        lists = returned(judged, source, hits, under)
        retrieved = np.array([len(scores) - np.searchsorted(scores, lowest) for scores in lists], np.int64)
        hits = hits.where(hits.score >= lowest)
    queries = _per_query(hits, retrieved, under.level, documents)
    micro = sum(queries.values(), Confusion(0, 0, 0, None if documents is None else 0))
    return Counts(source.name, queries, micro, k, threshold, under, ledger)


def ruled(rules: Any) -> Rules:
    """The rules, if they are of judged queries."""
    under = Rules.of(rules)
    if under.missing == "lines":
        raise RulesError("counts are of judged queries; under these rules the mean is over submitted lines")
    if under.duplicates == "count":
        raise RulesError("counts are of sets, which hold a document once; duplicates = 'count' cannot be")
    return under


def enough(documents: int | None, known: int, query: str) -> None:
    """Refuse a number of documents that is less than those a query is known to have."""
    if documents is not None and documents < known:
        found = f"query {brief(query)} alone has {known:,} relevant or retrieved documents"
        raise InputError(f"{found}: there are more than {documents:,} documents")


def _per_query(hits: Hits, retrieved: Ints, level: float, documents: int | None) -> dict[str, Confusion]:
    columns = (hits.relevant(level).count, retrieved, hits.relevant_total(level))
    found = {}
    for name, *row in zip(hits.queries, *(column.tolist() for column in columns), strict=True):
        query, (tp, size, relevant) = as_text(name), row
        enough(documents, relevant + size - tp, query)
        found[query] = counted(tp, size, relevant, documents)
    return found
