"""The counts of a run: its first k results, or those of a high enough score, against the judgements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank.analysis.confusion.scores import checked, returned, scored
from truerank.analysis.confusion.table import Confusion, counted
from truerank.core.errors import InputError, RulesError, TruerankError, truncated
from truerank.core.evaluate import opened_under, ranked, score
from truerank.core.hits import Hits
from truerank.core.kernel.scanning import as_text
from truerank.core.ledger import Ledger
from truerank.core.messages import alternatives, message
from truerank.core.presented import Presented
from truerank.core.qrels import Ints, QrelsLike
from truerank.core.reading import Reading
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import RunLike
from truerank.measures import parse_measure

UNITS = ("documents", "results")
"""What counts may be of."""


@dataclass(frozen=True, repr=False)
class Counts(Presented):
    """The counts of a run, query by query and together.

    Attributes:
        run: its name.
        queries: the counts of each query.
        micro: their sums over all queries.
        k, threshold: what makes a result retrieved; without both, that it was returned.
        of: what is counted: all documents, or each query's first k results, which are accepted or rejected.
        rules: under whose rules.
        ledger: what the sums hide.
    """

    built_by = "counts"

    run: str
    queries: Mapping[str, Confusion]
    micro: Confusion
    k: int | None
    threshold: float | None
    rules: Rules
    ledger: Ledger
    of: str = "documents"

    def _summary(self) -> str:
        c = self.micro
        tn = "unknown" if c.tn is None else f"{c.tn:,}"
        counts = f"TP {c.tp:,}, FP {c.fp:,}, FN {c.fn:,}, TN {tn}"
        return f"Counts({self.run!r}, rules {self.rules.name!r}, {len(self.queries):,} queries, {counts})"

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {
            "rules": self.rules.to_dict(),
            "run": self.run,
            "query_count": len(self.queries),
            "ledger": self.ledger.to_dict(),
            "of": self.of,
            "k": self.k,
            "threshold": self.threshold,
            **self.micro.to_dict(),
        }
        queries = {name: counts.to_dict() for name, counts in self.queries.items()}
        return {**plain, "queries": queries} if per_query else plain


def confusion(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None = None,
    *,
    k: int | None = None,
    threshold: float | None = None,
    of: str = "documents",
    documents: int | None = None,
    rules: RulesLike | None = None,
    threads: int | None = None,
) -> Counts:
    """The four counts of a run, for each query and over all of them.

    Args:
        qrels, run, rules, threads: as for `evaluate`.
        k: the first k results are retrieved.
        threshold: the results with at least this score are retrieved, of the first k if both are given.
        of: "documents", or "results": each query's first k results (the first, if k is not given) are accepted,
            with at least the threshold, or rejected, and right (relevant) or wrong; nothing else is counted.
        documents: how many documents there are to search; without it nobody knows the true negatives.

    >>> confusion({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, k=2, documents=10).micro
    Confusion(tp=1, fp=1, fn=1, tn=7)
    >>> answers = {"q": {"a": 0.9, "x": 0.1}, "r": {"y": 0.8}, "s": {"c": 0.2}, "t": {"z": 0.1}}
    >>> confusion({"q": ["a"], "r": ["b"], "s": ["c"], "t": ["d"]}, answers, of="results", threshold=0.5).micro
    Confusion(tp=1, fp=1, fn=1, tn=1)
    """
    k = checked_unit(of, k, documents)
    run, under = opened_under(qrels, run, rules)
    under = checked_rules(under)
    cut = cut_off(under, k)
    reading = scored(qrels, run, cut, threshold is not None, threads)
    measure = parse_measure("SetP" if k is None else f"P@{k}")
    ledger = score(replace(reading, rules=under.nameless), [measure]).ledger
    hits = ranked(reading)
    first, retrieved = hits, hits.returned
    if threshold is not None:
        lowest = checked(threshold)
        lists = returned(reading, hits)
        retrieved = np.array([len(scores) - np.searchsorted(scores, lowest) for scores in lists], np.int64)
        hits = hits.where(hits.score >= lowest)
    if of == "results":
        queries = _accepted(hits, retrieved, first, under.level)
    else:
        queries = _per_query(hits, retrieved, under.level, documents)
    micro = sum(queries.values(), Confusion(0, 0, 0, None if documents is None and of == "documents" else 0))
    return Counts(reading.name, queries, micro, k, threshold, under, ledger, of)


def checked_unit(of: str, k: int | None, documents: int | None) -> int | None:
    """How many results of each query may be retrieved; of results the first, where that is not said."""
    if of not in UNITS:
        raise TruerankError("counts are of {units}, not of {of!r}", units=alternatives(UNITS), of=of)
    if of == "results" and documents is not None:
        raise TruerankError(
            "counts of results are counts of what was returned: they do not depend on the "
            "number of documents; leave it out"
        )
    return 1 if of == "results" and k is None else k


def cut_off(rules: Rules, k: int | None) -> Rules:
    """The rules, of which only the first k results count."""
    return rules if k is None else rules.replace(depth=k if rules.depth is None else min(k, rules.depth))


def checked_rules(under: Rules) -> Rules:
    """The rules, if they are of judged queries."""
    under = under.by_query(message("counts are of judged queries"))
    if under.duplicates == "count":
        raise RulesError("counts are of sets, which hold a document once; duplicates = 'count' cannot be")
    if under.unjudged == "graded":
        raise RulesError(
            "nobody knows how many unjudged documents there are to find; unjudged = 'graded' cannot be"
        )
    return under


def enough(documents: int | None, known: int, query: str) -> None:
    """Refuse a number of documents that is less than those a query is known to have."""
    if documents is not None and documents < known:
        raise InputError(
            "query {query} alone has {known:,} relevant or retrieved documents: there are more than {documents:,} "
            "documents",
            query=truncated(query),
            known=known,
            documents=documents,
        )


def _accepted(hits: Hits, accepted: Ints, first: Hits, level: float) -> dict[str, Confusion]:
    """Each query's results: accepted or rejected, right or wrong.

    Args:
        hits, accepted: of the accepted results.
        first: hits of all.
    """
    right = first.relevant(level).count
    columns = (hits.relevant(level).count, accepted, right, first.returned)
    rows = zip(first.queries, *(column.tolist() for column in columns), strict=True)
    return {as_text(name): counted(tp, size, good, number) for name, tp, size, good, number in rows}


def _per_query(hits: Hits, retrieved: Ints, level: float, documents: int | None) -> dict[str, Confusion]:
    columns = (hits.relevant(level).count, retrieved, hits.relevant_total(level))
    by_query = {}
    for name, *row in zip(hits.queries, *(column.tolist() for column in columns), strict=True):
        query, (tp, size, relevant) = as_text(name), row
        enough(documents, relevant + size - tp, query)
        by_query[query] = counted(tp, size, relevant, documents)
    return by_query
