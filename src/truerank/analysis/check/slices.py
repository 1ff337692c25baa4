"""Gates on slices of the queries: each is judged by the values of its own queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from truerank.analysis.check.figures import Figures
from truerank.analysis.check.gates import FIGURES, Gates
from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean

if TYPE_CHECKING:
    from truerank.analysis.compare.slices import Attribute


@dataclass(frozen=True)
class Part:
    """A slice: the values of its queries, and its gates.

    Attributes:
        value: of the attribute.
        figures, baseline: on its queries alone.
        gates: those of all queries, with its own.
    """

    value: str
    figures: Figures
    baseline: Figures | None
    gates: Gates


def sliced(
    figures: Figures | None,
    baseline: Figures | None,
    by: Attribute | None,
    by_name: str,
    gates: Gates,
    single: Mapping[str, Gates],
    *,
    is_watched: bool,
) -> Iterator[Part]:
    """The slices, none without an attribute.

    Raises:
        InputError: gates of a slice that there is not; no values of queries; no query with a value; gates that are
            watched, or asked of estimates.
    """
    if by is None:
        if single:
            raise InputError("gates of slices need the attribute that they are slices of: --by FILE:COLUMN")
        return
    if is_watched or any(one and one.predicted for one in (figures, baseline)):
        raise InputError("slices are of plain scores, neither watched nor estimated: check these by themselves")
    for one in (figures, baseline) if baseline else (figures,):
        if one is None or not one.values:
            raise InputError(
                "{name} has no values of queries, which slices need: measures of the whole run have none, those of "
                "others are saved with --per-query",
                name=one.name if one else "what is checked",
            )
    from truerank.analysis.compare.slices import cut  # rarely needed

    assert figures is not None
    slices = cut(figures.queries, by)
    _refuse_unknown(single, slices, by_name)
    there = {} if baseline is None else cut(baseline.queries, by)
    for value, places in slices.items():
        part, asked = figures.at(places), single.get(value, gates)
        yield Part(
            value,
            part,
            None if baseline is None else baseline.at(there.get(value, [])),
            replace(asked, min=_kept(asked.min, figures), max=_kept(asked.max, figures)),
        )


def _kept(limits: Mapping[str, Any], figures: Figures) -> dict[str, Any]:
    """The limits on measures with values of queries; latencies and measures of the whole run have no slices."""
    return {n: limit for n, limit in limits.items() if n not in FIGURES and figures.resolve(n) in figures.values}


def _refuse_unknown(single: Mapping[str, Gates], slices: Mapping[str, Any], by_name: str) -> None:
    for value in single:
        if value not in slices:
            raise InputError(
                "no query has the {name} {value!r}, which has gates.{hint} There is {known}",
                name=by_name,
                value=value,
                hint=did_you_mean(value, slices),
                known=", ".join(map(repr, slices)),
            )
