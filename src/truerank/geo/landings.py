"""Where the first results of each query lie: their order under the rules, and how far from the query they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from operator import ge
from typing import Any

import numpy as np

from truerank.core.kernel.scanning import as_bytes
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Ranked
from truerank.geo.results import Results
from truerank.truth.distances import Distance
from truerank.truth.items import Bools, Floats, Ints, Items

NOTHING = -1
STRANGER = -2
"""Rows of no reference: nothing was returned at this rank, or a name that no reference has."""


OfQuery = Callable[[bytes], Set[bytes]]
"""Documents of each query."""


@dataclass(frozen=True)
class Leaving:
    """What judgements take out of lists before there are ranks.

    Attributes:
        ignored: documents that leave the list of a query, as pairs of one camera.
        judged: the only documents that stay in it; None: all others do.
    """

    ignored: OfQuery
    judged: OfQuery | None = None


def leaving(right: Qrels, rules: Rules) -> Leaving | None:
    """What leaves lists by these judgements under these rules; None for nothing."""
    ignored, is_removed = np.isnan(right.grades), rules.unjudged == "removed"
    if not ignored.any() and not is_removed:
        return None
    return Leaving(_of_queries(right, ignored), _of_queries(right, right.grades >= 0) if is_removed else None)


def _of_queries(right: Qrels, chosen: Bools) -> OfQuery:
    """The documents of these rows."""
    rows = np.flatnonzero(chosen)
    start = np.searchsorted(rows, right.start)
    part = {name: slice(*ends) for name, *ends in zip(right.queries, start, start[1:], strict=False)}

    def of(query: bytes) -> Set[bytes]:
        return {right.doc(row) for row in rows[part[query]].tolist()} if query in part else frozenset()

    return of


def first_results(results: Results, rules: Rules, k: int, without: Leaving | None) -> Ints:
    """(queries of the results, ranks) the rows of the first results, best first, else `NOTHING` or `STRANGER`.

    There are k ranks, or as many as the longest list has, but one at least.
    The order is the kernel's under the same rules. `rank` tells it for judged documents only; here it is needed for
    whatever came first.
    """
    ranks = max(1, min(k, results.longest))
    table = np.full((len(results.queries), ranks), NOTHING)
    find = results.references.rows.get
    for q, ranked in enumerate(results.ranked()):
        names = first(ranked, rules, k, without)
        table[q, : len(names)] = [NOTHING if name is None else find(str(name), STRANGER) for name in names]
    return table


def first(ranked: Ranked, rules: Rules, k: int, without: Leaving | None) -> Sequence[Any]:
    """The first k documents of a ranking under the rules; None where a repeat takes a rank and does not count."""
    docs, scores = _single(ranked.docs, ranked.scores, rules)
    if scores is not None and (rules.ties != "input" or not all(map(ge, scores, scores[1:]))):
        order = sorted(range(len(docs)), key=_by_score(docs, scores, rules.ties))
        docs = [docs[i] for i in order]
    query = as_bytes(ranked.query)
    left = without.ignored(query) if without else ()
    if gone := {*left, *(() if rules.self_match == "keep" else (query,))}:
        docs = [doc for doc in docs if as_bytes(doc) not in gone]
    if rules.duplicates == "once":
        before = dict(zip(reversed(docs), range(len(docs) - 1, -1, -1), strict=True))
        docs = [doc if before[doc] == place else None for place, doc in enumerate(docs)]
    if without and without.judged:
        known, reach = without.judged(query), rules.depth if rules.depth_of == "returned" else None
        docs = [doc for doc in docs[:reach] if doc is not None and as_bytes(doc) in known]
    return docs[: min(k, rules.depth or k)]


def _single(
    docs: Sequence[Any], scores: Sequence[float] | None, rules: Rules
) -> tuple[Sequence[Any], Sequence[float] | None]:
    """Documents and scores without repeats: the first place, and the score of the first or of the last."""
    if scores is not None and rules.score_precision == "single":
        scores = np.asarray(scores, np.float32).tolist()
    if rules.duplicates in ("error", "count", "once"):  # there are none, or all take a rank
        return docs, scores
    if scores is None:
        if rules.duplicates == "first":
            return list(dict.fromkeys(docs)), None
        scores = range(len(docs), 0, -1)
    kept: dict[Any, float] = {}
    for doc, score in zip(docs, scores, strict=True):
        if rules.duplicates == "last" or doc not in kept:
            kept[doc] = score
    return list(kept), list(kept.values())


def _by_score(docs: Sequence[Any], scores: Sequence[float], ties: str) -> Callable[[int], Any]:
    """Best first; equal scores by the rule."""
    if ties == "input":
        return lambda i: -scores[i]
    place = {name: rank for rank, name in enumerate(sorted(map(as_bytes, docs), reverse=ties == "doc-descending"))}
    return lambda i: (-scores[i], place[as_bytes(docs[i])])


def errors(distance: Distance, queries: Items, references: Items, rows: Ints, table: Ints) -> Floats:
    """(queries, ranks) metres to the first results of each query; infinite where there is none, or no place.

    Args:
        rows: the row of each query in the items.
        table: what `first_results` gives.
    """
    asked, there = distance.places(queries), distance.places(references)
    known = table >= 0
    apart = np.full(table.shape, np.inf)
    metres = distance.metres(asked[rows[known.nonzero()[0]]], there[table[known]])
    apart[known] = np.where(np.isnan(metres), np.inf, metres)
    return apart
