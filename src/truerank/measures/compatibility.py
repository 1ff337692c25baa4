"""Measures of likeness to an ideal list."""

from __future__ import annotations

import math

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.gains import ideal_ranking
from truerank.measures.parameters import Share
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, powers
from truerank.measures.terms import PerRow, Quantity, Terms, Words

PREFERRED = math.ulp(0.0)
"""The lowest grade that is above 0: the documents that the ideal list has."""

OF = message("Σ p^(d − 1) / d of the depths d with both")


@measure(
    "Compat",
    "compatibility",
    formula="Σ_{d≤D} p^(d−1) X_d / d by that of the ideal list with itself, or by Σ p^(d−1); D = max(n, R)",
    source="Clarke, Vtyurina and Smucker, Assessing top-k preferences, TOIS 2021; ir_measures Compat",
    meanings={
        "normalize=False": "How much the list overlaps with the ideal one, the top counting most.",
    },
    divides_by="gain",
    monotone="ordered",
    sees_judged=False,
)
def compatibility(hits: Hits, *, p: Share = 0.95, normalize: bool = True) -> Terms:
    """How much the list overlaps with the ideal one, the top counting most, by the most that there could be.

    Rank-biased overlap, X_d in common at depth d. The ideal list has all documents above grade 0, higher grades
    first; which of equal ones comes first is free, so it is the list most like this one. Grades are preferences.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 2, "b": 1, "c": 1}}, {"q": ["c", "a"]}, "Compat(p=0.5) Compat(p=0)").mean
    {'Compat(p=0.5)': 0.38095238095238093, 'Compat(p=0)': 0.0}
    """
    ideal = ideal_ranking(hits, "linear")
    found = hits.where(hits.grade > 0)
    rank = _ideal_ranks(found, ideal)
    met, deepest = np.maximum(found.rank, rank), np.maximum(hits.returned, ideal.count)
    below = _running(p, deepest, by_depth=True)
    values = np.where(rank > 0, below[deepest[found.query]] - below[met - 1], 0.0)
    over: Terms | Floats = _running(p, deepest, by_depth=False)[deepest]
    if normalize:
        best = below[deepest[ideal.query]] - below[ideal.rank - 1]
        over = Terms(ideal, best, words=lambda: _words_of_ideal(ideal))

    def words() -> Words:
        def how(row: int) -> tuple[str, tuple[float, ...]]:
            return message("rank {a}; {b} in the ideal list"), (found.rank[row], rank[row])

        length = Quantity("D", message("the larger of {a} and {b}"), deepest, (hits.returned, ideal.count))
        given = (Quantity("p", message("the chance that the reader goes on"), p), length)
        weight = None if isinstance(over, Terms) else Quantity("W", message("Σ p^(d − 1) of d from 1 to D"), over)
        return Words(OF, how, weight, "Σ", given=given, lost_from=PREFERRED, listed=rank.astype(np.float64))

    return Terms(found, values, over, words)


def _words_of_ideal(ideal: Hits) -> Words:
    how: PerRow = lambda row: (message("from depth {a} on"), (ideal.rank[row],))  # noqa: E731
    return Words(OF, how, name="best", words=message("the same of the ideal list with itself"), is_ideal=True)


def _ideal_ranks(found: Hits, ideal: Hits) -> Ints:
    """(hits,) the rank of each in the ideal list that has equal grades as they were returned.

    Of documents that count twice there are more than the ideal list has: 0 for what is beyond it.
    """
    grades = np.unique(ideal.grade)
    there, asked = (
        (len(grades) + 1) * each.query + len(grades) - np.searchsorted(grades, each.grade)
        for each in (ideal, found)
    )
    order = np.argsort(asked, kind="stable")
    ordinal = np.empty(len(order), np.int64)
    ordinal[order] = np.arange(len(order)) - np.searchsorted(asked[order], asked[order])
    first, end = (np.searchsorted(there, asked, side=side) for side in ("left", "right"))
    before = (np.cumsum(ideal.count) - ideal.count)[found.query]
    ranks: Ints = np.where(first + ordinal < end, first + ordinal - before + 1, 0)
    return ranks


def _running(p: float, deepest: Ints, *, by_depth: bool) -> Floats:
    """The sum of p^(d − 1), each by its depth d if that is asked, down to each depth from 0 on."""
    depth = np.arange(1, int(deepest.max(initial=0)) + 1)
    weight = powers(p, depth - 1)
    sums: Floats = np.add.accumulate(np.concatenate([[0.0], weight / depth if by_depth else weight]))
    return sums
