"""Remarks on whether there are enough queries for a mean to say something."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator

from truerank.core.errors import printable
from truerank.core.messages import Message, joined, listed, message, plural, warned
from truerank.stats import Interval
from truerank.stats.predicted import POWERED

Named = tuple[str, Interval | None]
"""What an interval is of, and the interval, where there is one."""

Shown = Collection[tuple[str, Interval]]
"""What intervals are of, and the intervals: only what has one."""

ENOUGH = 30
USUAL = 50
"""Fewer queries than these are warned of, and remarked on."""

FIRST = 5
"""Systems or slices that a sentence names."""

RESAMPLES = 10_000
"""How many are usual, and advised where fewer would do."""


def remarks(queries: int) -> list[str]:
    """Remarks on this many queries.

    >>> remarks(42), remarks(50)
    (['Remark: 42 queries; 50 or more are usual.'], [])
    """
    if queries < ENOUGH:
        return [
            warned(
                plural(
                    "{n} query is too few to rely on; take at least {enough}, better {usual}.",
                    "{n} queries are too few to rely on; take at least {enough}, better {usual}.",
                    n=queries,
                    enough=ENOUGH,
                    usual=USUAL,
                )
            )
        ]
    return (
        [message("Remark: {n} queries; {usual} or more are usual.", n=queries, usual=USUAL)]
        if queries < USUAL
        else []
    )


def doubts(named: Iterable[Named]) -> list[str]:
    """Remarks on intervals that tell less than they seem to."""
    known = list(named)
    return [*equal(known), *scarce(known)]


def of_systems(named: Iterable[tuple[str, Shown]]) -> list[str]:
    """The same remarks on measures, each with the intervals of systems and of their differences, by name.

    >>> means = {"x": Interval(0.5, 0.5, 0.5, 0.95, "constant"), "y": Interval(0.5, 0.4, 0.6, 0.95, "bca")}
    >>> of_systems([("AP", means.items())])[0].partition(",")[0]
    'AP of x: all values are equal'
    """
    known = list(named)
    return [*equal(_of_such(known, is_flat)), *scarce(_of_such(known, is_scarce))]


def _of_such(named: Iterable[tuple[str, Shown]], is_such: Callable[[Interval], bool]) -> Iterator[Named]:
    for name, intervals in (such(*each, is_such) for each in named):
        yield from ((name, interval) for interval in intervals)


def such(measure: str, shown: Shown, is_such: Callable[[Interval], bool]) -> tuple[str, list[Interval]]:
    """The intervals for which `is_such` holds, and a name for them: only the measure's if it holds for all."""
    found = [(printable(name), interval) for name, interval in shown if is_such(interval)]
    names, intervals = [name for name, _ in found], [interval for _, interval in found]
    if len(found) == len(shown):
        return measure, intervals
    return message("{measure} of {systems}", measure=measure, systems=listed(names, FIRST)), intervals


def is_flat(interval: Interval) -> bool:
    """Whether it has no width, as all values are equal."""
    return interval.method == "constant"


def is_scarce(interval: Interval) -> bool:
    """Whether a handful of queries decides it."""
    return interval.differing is not None


def equal(named: Iterable[Named]) -> list[str]:
    """Remarks on intervals without width, by what they are of.

    >>> equal([("AP", Interval(0.5, 0.5, 0.5, 0.95, "constant"))])
    ['AP: all values are equal, so that the interval has no width; it says nothing about other queries.']
    """
    names = list(dict.fromkeys(name for name, interval in named if interval and is_flat(interval)))
    if not names:
        return []
    said = message(
        "{names}: all values are equal, so that the interval has no width; it says nothing about other queries.",
        names=joined(", ", names),
    )
    return [said]


def scarce(named: Iterable[Named]) -> list[str]:
    """Remarks on bootstrap intervals that a handful of queries decides, by what they are of.

    >>> scarce([("AP", Interval(0.1, 0.0, 0.2, 0.95, "bca", 7))])
    ['Warning: AP: only 7 queries differ from all the others; the interval may be too short.']
    """
    fewest: dict[str, tuple[int, bool]] = {}
    for name, interval in named:
        if interval and interval.differing is not None:
            differing = interval.differing, interval.method == POWERED
            fewest[name] = min(differing, fewest.get(name, differing))
    return [warned(_scarce(name, n, is_predicted=is_predicted)) for name, (n, is_predicted) in fewest.items()]


def _scarce(name: str, n: int, *, is_predicted: bool) -> Message:
    if is_predicted and not n:
        return message(
            "{name}: people's score, or the model's error, is the same on all judged queries, as where people and "
            "model agree on all of them; the interval may be too short.",
            name=name,
        )
    if is_predicted:
        return message(
            "{name}: people's score, or the model's error, is the same on all judged queries but {n}; the interval "
            "may be too short.",
            name=name,
            n=n,
        )
    return plural(
        "{name}: only {n} query differs from all the others; the interval may be too short.",
        "{name}: only {n} queries differ from all the others; the interval may be too short.",
        name=name,
        n=n,
    )


def unsliced(n: int, field: str) -> str:
    """Remarks on queries that are in no slice, as they have no value in the field."""
    return plural(
        "{n:,} query has no {field}: in no slice.",
        "{n:,} queries have no {field}: in no slice.",
        n=n,
        field=printable(field),
    )


def least(confidence: float) -> int:
    """The fewest resamples of which one lies in each tail of an interval.

    >>> least(0.95), least(0.99)
    (39, 199)
    """
    return math.ceil(round(2 / (1 - confidence), 6)) - 1


def resampled(samples: int, confidence: float) -> list[str]:
    """Remarks on this many resamples; none where they are enough for intervals.

    >>> resampled(39, 0.95), resampled(10_000, 0.9999)[0]
    ([], 'Warning: 10,000 resamples are too few for intervals of 99.99 %; take 19,999 or more.')
    """
    enough = least(confidence)
    values = {"confidence": confidence * 100, "least": enough}
    if samples >= enough:
        return []
    if enough >= RESAMPLES:
        said = plural(
            "{n:,} resample is too few for intervals of {confidence:g} %; take {least:,} or more.",
            "{n:,} resamples are too few for intervals of {confidence:g} %; take {least:,} or more.",
            n=samples,
            **values,
        )
    else:
        said = plural(
            "{n:,} resample is too few for intervals of {confidence:g} %; take {least:,} or more, better 10,000.",
            "{n:,} resamples are too few for intervals of {confidence:g} %; take {least:,} or more, better 10,000.",
            n=samples,
            **values,
        )
    return [warned(said)]
