"""The cells of the tables of a comparison: means, intervals and pairs, and which systems come first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import itemgetter

from truerank.analysis.compare import Outcome, Pair
from truerank.analysis.compare.outcome import direction
from truerank.core.equal import as_one, is_equal
from truerank.core.messages import Message, message
from truerank.present.table import Cell, Table, fixed, is_whole, number, p_cell
from truerank.stats import Interval

Column = tuple[str, list[Cell]]
"""A heading and the cells below it."""


def percent(share: float) -> str:
    """A confidence in percent.

    >>> percent(0.95), percent(0.999), percent(0.99999)
    ('95', '99.9', '99.999')
    """
    short = f"{share * 100:.4g}"
    return short if short != "100" else f"{share * 100:.10g}"


def span(low: str, high: str) -> str:
    """A range between two numbers as shown; a single number where both look the same."""
    return low if low == high else message("{low} to {high}", low=low, high=high)


def ranked(outcome: Outcome) -> list[str]:
    """The systems, the best first; ones with equal means in the given order."""
    sign = direction(outcome.measure) or 1
    heights = as_one([sign * mean.estimate for mean in outcome.means.values()])
    return [name for _, name in sorted(zip(-heights, outcome.means, strict=True), key=itemgetter(0))]


def winners(outcome: Outcome) -> frozenset[str]:
    """The systems with the best mean, if some are worse; none for counts."""
    heights = [mean.estimate for mean in outcome.means.values()]
    if not direction(outcome.measure) or is_equal(min(heights), max(heights)):
        return frozenset()
    return frozenset(leaders(outcome))


def leaders(outcome: Outcome) -> list[str]:
    """The systems with the best mean: one, or several that share it."""
    order = ranked(outcome)
    best = outcome.means[order[0]].estimate
    return [name for name in order if is_equal(outcome.means[name].estimate, best)]


def interval_heading(confidence: float) -> Message:
    """The heading of intervals."""
    return message("{confidence} % interval", confidence=percent(confidence))


def _is_sum(outcome: Outcome) -> bool:
    return outcome.measure.definition.average == "sum"


def pair_headings(confidence: float) -> tuple[str, ...]:
    """The headings of `pair_cells`."""
    return message("difference"), interval_heading(confidence), message("effect"), "p", message("W/T/L")


def table_of(columns: Sequence[Column], digits: int) -> Table:
    """The columns side by side."""
    rows = zip(*(cells for _, cells in columns), strict=True)
    return Table(tuple(heading for heading, _ in columns), tuple(rows), digits=digits)


def mean_cell(outcome: Outcome, mean: Interval) -> Cell:
    """The mean as a cell; empty where it is not known; counts as whole numbers."""
    return number(mean.estimate, is_count=_is_sum(outcome))


def pair_cells(outcome: Outcome, pair: Pair | None, digits: int, alpha: float) -> tuple[str, str, str, str, str]:
    """The difference, its interval, the effect, p, and the wins, ties and losses, where queries have values.

    Args:
        alpha: the level that p is held against.
    """
    if pair is None:
        return "", "", "", "", ""
    apart = pair.difference.estimate
    return (
        fixed(apart, 0 if _is_sum(outcome) and is_whole(apart) else digits, "+"),
        ends(outcome, pair.difference, digits),
        message("unknown") if math.isnan(pair.effect) else fixed(pair.effect, 2, "+"),
        p_cell(pair.adjusted, alpha),
        f"{pair.wins}/{pair.ties}/{pair.losses}" if pair.is_counted else message("unknown"),
    )


def ends(outcome: Outcome, interval: Interval, digits: int) -> str:
    """The interval with one digit less than the mean, as it is less exact; counts as whole numbers."""
    return between(interval, 0 if _is_sum(outcome) else min(digits, max(digits - 1, 2)))


def limits(interval: Interval | None, digits: int) -> str:
    """Any other interval with one digit less than its estimate, or that it is unknown."""
    if interval is None:
        return message("unknown")
    return between(interval, min(digits, max(digits - 1, 2)))


def between(interval: Interval, digits: int) -> str:
    """The limits of an interval, where they are known."""
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return message("unknown")
    low, high = (fixed(end, digits) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"
