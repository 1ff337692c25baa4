"""Where the first results of each query lie: their order under the rules, and how far from the query they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from truerank._kernel import as_bytes
from truerank.geo.results import Results
from truerank.rules import Rules
from truerank.truth.distances import Distance
from truerank.truth.items import Floats, Ints, Items

NOTHING = -1


def first_results(results: Results, references: Items, rules: Rules, k: int) -> Ints:
    """(queries of the results, k) the rows of the first k results, best first; `NOTHING` where there are fewer.

    The order is the kernel's under the same rules: by score, equal scores by the rule for ties. `rank` tells it for
    judged documents only; here it is needed for all.
    """
    names = np.array([*references.ids, *results.strangers], object)
    query = np.repeat(np.arange(len(results.queries)), np.diff(results.start))
    query, found, scores = _without_repeats(query, results, rules, len(names))
    order = _order(query, found, scores, names, rules)
    query, found = query[order], found[order]
    if rules.self_match == "remove":
        other = names[found] != np.array(results.queries, object)[query]
        query, found = query[other], found[other]
    counts = np.bincount(query, minlength=len(results.queries))
    place = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
    near = place < min(k, rules.depth or k)
    table = np.full((len(results.queries), k), NOTHING)
    table[query[near], place[near]] = found[near]
    return table


def _without_repeats(query: Ints, results: Results, rules: Rules, names: int) -> tuple[Ints, Ints, Floats]:
    """Query, reference and score of each result; a repeated one stands at its first place, with the ruled score."""
    found, scores = results.found, results.scores
    if scores is None:
        scores = -np.arange(len(found), dtype=np.float64)
    elif rules.score_precision == "single":
        scores = scores.astype(np.float32).astype(np.float64)
    if rules.duplicates in ("error", "count"):  # there are none, or all stay
        return query, found, scores
    pair = query * names + found
    first, which = np.unique(pair, return_index=True, return_inverse=True)[1:]
    if rules.duplicates == "last":
        scores = scores.copy()
        latest = np.zeros(len(first), np.int64)
        np.maximum.at(latest, which, np.arange(len(pair)))
        scores[first] = scores[latest]
    kept = np.sort(first)
    return query[kept], found[kept], scores[kept]


def _order(query: Ints, found: Ints, scores: Floats, names: Any, rules: Rules) -> Any:
    """Rows of the results, each query's best first."""
    if rules.ties == "input":
        rising = (np.diff(scores) > 0) & (np.diff(query) == 0)
        return np.lexsort((-scores, query)) if rising.any() else slice(None)
    place = np.empty(len(names), np.int64)
    place[sorted(range(len(names)), key=lambda row: as_bytes(names[row]))] = np.arange(len(names))
    return np.lexsort((place[found] * (-1 if rules.ties == "doc-descending" else 1), -scores, query))


def errors(distance: Distance, queries: Items, references: Items, rows: Ints, table: Ints) -> Floats:
    """(queries, k) metres from each query to its first k results; infinite where there is none, or it has no place.

    Args:
        rows: the row of each query in the items.
        table: what `first_results` gives.
    """
    asked, there = distance.places(queries), distance.places(references)
    known = (table >= 0) & (table < len(references))
    apart = np.full(table.shape, np.inf)
    of = np.repeat(rows, table.shape[1]).reshape(table.shape)
    apart[known] = distance.metres(asked[of[known]], there[table[known]])
    return apart
