"""Hits by aspect: what is a query to a measure is here one aspect of it, so that every measure reads it too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truerank.core.aspects import Aspects, Bools, Floats, Ints

if TYPE_CHECKING:
    from truerank.core.hits import Hits


@dataclass(frozen=True, eq=False)
class ByAspect:
    """Hits, a row an aspect that a document answers.

    Attributes:
        hits: whose `queries` are the aspects, one query's after another's.
        query: (aspects,) the query of each.
        weight: (aspects,) of each.
        row: (rows,) which row of the hits of whole queries each is.
        size: how many queries there are.
    """

    hits: Hits
    query: Ints
    weight: Floats
    row: Ints
    size: int

    def sum(self, values: Floats | Ints | Bools) -> Floats:
        """(queries,) the sum of a value an aspect, left to right."""
        weights = np.asarray(values, np.float64)
        sums: Floats = np.bincount(self.query, weights, self.size)  # type: ignore[assignment]
        return sums

    def mean(self, values: Floats, level: float) -> Floats:
        """(queries,) the mean of a value an aspect by their weights, over those that have a relevant document."""
        return self.over(values, self.hits.relevant_total(level) > 0)

    def over(self, values: Floats, is_asked: Bools) -> Floats:
        """(queries,) the mean of a value an aspect by their weights, over some of them."""
        weight = np.where(is_asked, self.weight, 0.0)
        whole = self.sum(weight)
        return np.divide(self.sum(values * weight), whole, out=np.zeros(self.size), where=whole > 0)


def by_aspect(hits: Hits) -> ByAspect:
    """The hits by aspect; without aspects there are none."""
    aspects = Aspects.none(len(hits.queries)) if hits.aspects is None else hits.aspects
    sizes = aspects.end - aspects.begin
    query = np.repeat(np.arange(len(sizes)), sizes)
    number = np.arange(len(query)) + (aspects.begin - (np.cumsum(sizes) - sizes))[query]
    unit = np.full(
        len(aspects.names), -1
    )  # where each aspect of all judgements stands among those of these queries
    unit[number] = np.arange(len(number))
    row, place = _answered(hits, aspects)
    owner = unit[aspects.aspect[place]]
    small = owner.astype(np.uint16) if len(number) < 1 << 16 else owner  # which NumPy sorts by counting
    order = np.argsort(small, kind="stable")
    row, place, owner = row[order], place[order], owner[order]
    judged = unit[aspects.aspect]
    graded = np.lexsort((-aspects.grade, judged))
    graded = graded[np.searchsorted(judged[graded], 0) :]
    units = replace(
        hits.where(row),
        query=owner,
        grade=aspects.grade[place],
        queries=[aspects.names[each] for each in number.tolist()],
        returned=hits.returned[query],
        judgements=replace(hits.judgements, query=judged[graded], grade=aspects.grade[graded]),
        max_grade=max(0.0, float(aspects.grade.max(initial=0))),
        beyond=None,
        aspects=None,
    )
    return ByAspect(units, query, aspects.weight[number], row, len(sizes))


def _answered(hits: Hits, aspects: Aspects) -> tuple[Ints, Ints]:
    """Of each aspect that a hit answers, the row of the hit and that of the aspects."""
    known = len(aspects.start) - 1
    doc = np.where(hits.is_judged, hits.doc, known)
    start = np.append(aspects.start, aspects.start[-1])
    counts = start[doc + 1] - start[doc]
    row = np.repeat(np.arange(len(doc)), counts)
    return row, np.arange(len(row)) + (start[doc] - (np.cumsum(counts) - counts))[row]
