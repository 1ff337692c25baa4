"""Gates: a measure, or a figure of a benchmark, and its limit."""

from __future__ import annotations

import math
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.core.errors import InputError, quoted
from truerank.core.messages import Message, did_you_mean, joined, message, plural

if TYPE_CHECKING:
    from truerank.live import Bench

LATENCIES = ("mean", "min", "max", "p50", "p90", "p95", "p99", "p99.9")
FIGURES = (*LATENCIES, "throughput", "errors")
"""Figures of a benchmark: latencies in ms, answers a second, and how many calls failed."""

MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1.0, "s": 1e3}
"""What a unit of time is in milliseconds."""

_PERCENTILE = re.compile(r"p[0-9.]+\Z")
_LIMIT = re.compile(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([a-zµμ]*)\s*\Z")


@dataclass(frozen=True)
class Limit:
    """The least, or the most, that a measure or a figure may be; times are in milliseconds."""

    name: str
    value: float
    is_upper: bool


@dataclass(frozen=True)
class Gates:
    """What is asked of all queries, or of a slice of them.

    Attributes:
        min, max: {measure or figure: limit}.
        margin: how much worse than the baseline is not worse: one for all measures, or {measure: margin}.
    """

    min: Mapping[str, Any]
    max: Mapping[str, Any]
    margin: float | Mapping[str, float]

    def __post_init__(self) -> None:
        """Refuse limits that are not a mapping; replace measures given as values by their names."""
        for side, limits in (("min", self.min), ("max", self.max)):
            if not isinstance(limits, Mapping):
                raise InputError("{side} is {{measure: limit}}, not {limits}", side=side, limits=quoted(limits))
            object.__setattr__(self, side, {str(name): limit for name, limit in limits.items()})

    @classmethod
    def of_slices(cls, slices: Mapping[Any, Any], everywhere: Gates) -> dict[str, Gates]:
        """{value: the gates of its slice}: those for all queries, with its own added or replacing them.

        Raises:
            InputError: not a mapping, or keys other than min, max and margin.
        """
        if not isinstance(slices, Mapping):
            raise InputError("slices are {{value: gates}}, not {slices}", slices=quoted(slices))
        return {str(value): cls._of_slice(str(value), own, everywhere) for value, own in slices.items()}

    @classmethod
    def _of_slice(cls, value: str, own: Any, everywhere: Gates) -> Gates:
        known = ("min", "max", "margin")
        wrong = next((key for key in own if key not in known), None) if isinstance(own, Mapping) else ""
        if wrong is not None or not all(isinstance(own.get(side, {}), Mapping) for side in ("min", "max")):
            raise InputError(
                "the gates of the slice {value!r} are min, max and margin, the first two tables of limits.{hint}",
                value=value,
                hint=did_you_mean(str(wrong), known) if wrong else "",
            )
        min, max = ({**getattr(everywhere, side), **own.get(side, {})} for side in ("min", "max"))
        return cls(min, max, own.get("margin", everywhere.margin))

    def with_all(self, others: Iterable[Gates]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The lower and the upper limits of these gates and of all others, by name."""
        every = [self, *others]
        sides = ([one.min for one in every], [one.max for one in every])
        lowest, highest = (dict(ChainMap(*map(dict, side))) for side in sides)
        return lowest, highest

    def limits(self) -> Iterator[Limit]:
        """All limits, lower ones first."""
        for is_upper, limits in ((False, self.min), (True, self.max)):
            yield from (limit_of(name, value, is_upper=is_upper) for name, value in limits.items())


def limit_of(name: str, value: Any, *, is_upper: bool = True) -> Limit:
    """A limit from its name and what people write: 0.4, "0.4", "200ms", "0.2 s".

    Raises:
        InputError: no number, or a unit that does not go with the name.

    >>> limit_of("p95", "0.2 s")
    Limit(name='p95', value=200.0, is_upper=True)
    """
    if _PERCENTILE.match(name) and name not in LATENCIES:
        raise InputError("there is no {name}; a benchmark has {figures}", name=name, figures=", ".join(FIGURES))
    match = _LIMIT.match(str(value)) if not isinstance(value, bool) else None
    try:
        number, unit = (float(match[1]), match[2]) if match else (math.nan, "")
    except ValueError:
        number, unit = math.nan, ""
    if not math.isfinite(number):
        example = "200ms" if name in LATENCIES else "0.40"
        raise InputError(
            "the limit of {name} is a number, e.g. {example}; not {value!r}",
            name=name,
            example=example,
            value=value,
        )
    if unit and (name not in LATENCIES or unit not in MILLISECONDS):
        known = (
            message("a time is in {units}", units=", ".join(MILLISECONDS))
            if name in LATENCIES
            else message("{name} has no unit", name=name)
        )
        raise InputError("the limit of {name} is {value!r}: {known}", name=name, value=value, known=known)
    if name in LATENCIES and not unit:
        raise InputError(
            "the limit of {name} needs a unit: {name}={number:g}ms or {name}={number:g}s", name=name, number=number
        )
    return Limit(name.strip(), number * MILLISECONDS.get(unit, 1.0), is_upper)


def written(text: str) -> tuple[str, str]:
    """The name and the limit of "nDCG@10=0.40"; parameters may have equals signs of their own.

    >>> written("nDCG(gain='exp')@10=0.40")
    ("nDCG(gain='exp')@10", '0.40')
    """
    name, equals, value = text.rpartition("=")
    if not (equals and name.strip() and value.strip()) or name.rstrip().endswith((">", "<", "=")):
        raise InputError("a gate is written like nDCG@10=0.40 or p95=200ms; not {text!r}", text=text)
    return name.strip(), value.strip()


def failures(bench: Bench, counted_as: Message) -> str:
    """How many calls had no answer, and what that means for the figure; empty if all had one."""
    failed, late, dropped = (bench.outcomes[key] for key in ("error", "timeout", "dropped"))
    notes = [
        *([message("{n:,} failed", n=failed)] if failed else []),
        *([message("{n:,} timed out", n=late)] if late else []),
        *([message("{n:,} never started", n=dropped)] if dropped else []),
    ]
    if not notes:
        return ""
    return plural(
        "of {n:,} call {failures}: {meaning}",
        "of {n:,} calls {failures}: {meaning}",
        n=len(bench.measured),
        failures=joined(", ", notes),
        meaning=counted_as,
    )
