"""What a run and its baseline can be compared on: the measures, and the queries that both have."""

from __future__ import annotations

import numpy as np

from truerank.analysis.check.figures import Figures
from truerank.analysis.saved_scores import measure_saved_as
from truerank.core.errors import InputError, MeasureError
from truerank.core.messages import message, plural
from truerank.core.scores import shared
from truerank.measures import Definition
from truerank.measures.sums import PerQuery


def compared(name: str) -> Definition:
    """The definition of a measure whose mean over queries is a plain mean."""
    definition = measure_saved_as(name).definition
    if definition.average != "mean":
        count = message("{name} is a count", name=name)
        geometric = message("{name} has a geometric mean", name=name)
        whole = message("{name} is one number of the whole run", name=name)
        raise MeasureError(
            "{why}; a baseline is compared by plain means of queries, such as AP",
            why={"sum": count, "geometric": geometric}.get(definition.average, whole),
        )
    return definition


def is_plain(name: str) -> bool:
    """Whether a measure's mean over queries is a plain mean."""
    return measure_saved_as(name).definition.average == "mean"


def comparable(figures: Figures, baseline: Figures) -> list[str]:
    """The measures that both have and that are plain means.

    Raises:
        MeasureError: there is none.
    """
    known = (name for name in figures.mean if figures.is_known(name))
    common = [name for name in known if name in baseline.mean and is_plain(name)]
    if not common:
        raise MeasureError(
            "{name} and {baseline} have no measure in common that can be compared",
            name=figures.name,
            baseline=baseline.name,
        )
    return common


def pairs(name: str, one: Figures, other: Figures) -> tuple[PerQuery, PerQuery, int, list[str]]:
    """The values of the queries that both have, how many only one has, and what was left out, in words."""
    here, there = shared(one.queries, other.queries)
    if not len(here):
        raise InputError(
            "{name} and {other} have no query in common; scores of the same queries are needed",
            name=one.name,
            other=other.name,
        )
    a, b = one.values[name][here], other.values[other.resolve(name)][there]
    finite = np.isfinite(a) & np.isfinite(b)
    dropped = len(one.queries) + len(other.queries) - 2 * len(here)
    notes: list[str] = []
    if dropped:
        notes.append(
            plural(
                "{n:,} query that only one of the two has was left out",
                "{n:,} queries that only one of the two has were left out",
                n=dropped,
            )
        )
    if not finite.all():
        lost = int((~finite).sum())
        notes.append(
            plural(
                "{n:,} query without a finite value left out",
                "{n:,} queries without a finite value left out",
                n=lost,
            )
        )
    return a[finite], b[finite], dropped, notes
