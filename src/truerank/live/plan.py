"""What will be asked, in which order, and when: all of it decided before the first call."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truerank.core.errors import InputError
from truerank.core.messages import alternatives, message, plural
from truerank.core.schema import Kind, is_number, optional, plain, whole
from truerank.live.clock import NANO
from truerank.live.samples import Ints

ARRIVALS = ("constant", "poisson")

SHUFFLES = 16
"""This many orders of the queries are drawn; a run that asks them more often begins with the first again."""

MOST = 10_000_000
"""Calls that a run may have: their times take half a gigabyte."""

LONGEST = 1_000_000
"""Seconds that anything may take: more than eleven days."""

CROWD = 10_000
"""Calls that may be under way."""

GRACE = 5.0
"""Seconds that starts of an open loop may wait beyond its end, where there is no time-out to say so."""

Job = tuple[Callable[[Any, int], object], Any]
"""What to call, and with which query: a text or a vector."""


def _from(least: int) -> Kind:
    return whole(message("a whole number of {least} or more", least=least), least)


_ABOVE_0 = Kind(message("a number above 0"), lambda value: is_number(value) and value > 0, plain)

KINDS = {
    **{name: _from(least) for name, least in (("k", 1), ("warmup", 0), ("concurrency", 1), ("seed", 0))},
    "repeats": optional(_from(1)),
    **{name: optional(_ABOVE_0) for name in ("rate", "duration", "timeout")},
}
"""What of a load is a number."""


@dataclass(frozen=True)
class Load:
    """How hard, how often and how long to ask.

    Attributes:
        k: how many documents each query asks for.
        warmup: calls of each worker before the measuring; the very first is the cold one.
        concurrency: how many calls may be under way.
        rate: starts a second of an open loop; None for a closed one, in which an end brings the next start.
        arrivals: of an open loop: "constant" or "poisson".
        duration: seconds in which calls may start.
        repeats: how often each query is asked; None for once, or as often as the duration allows.
        timeout: seconds that a call may take.
        seed: of the orders of the queries and of Poisson arrivals.
        plain: as a plain loop in a program does: queries come in the order in which they were given, the first
            `warmup` of them before the measuring, the others once each.
    """

    k: int = 10
    warmup: int = 2
    concurrency: int = 1
    rate: float | None = None
    arrivals: str = "constant"
    duration: float | None = None
    repeats: int | None = None
    timeout: float | None = None
    seed: int = 0
    plain: bool = False

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            object.__setattr__(self, name, kind.checked(name, getattr(self, name), InputError))
        for name in ("duration", "timeout"):
            value = getattr(self, name)
            if value is not None and value > LONGEST:
                raise InputError(
                    "{name} is at most {most:,} seconds, not {value:g}", name=name, most=LONGEST, value=value
                )
        if self.rate is not None and self.rate > NANO:
            raise InputError("rate is at most one start per nanosecond, not {rate:g} a second", rate=self.rate)
        if self.concurrency > CROWD:
            raise InputError("concurrency is at most {most:,}, not {value:,}", most=CROWD, value=self.concurrency)
        if self.arrivals not in ARRIVALS:
            raise InputError(
                "arrivals are {known}, not {value!r}", known=alternatives(ARRIVALS), value=self.arrivals
            )
        if self.arrivals != "constant" and self.rate is None:
            raise InputError("{value} arrivals are those of an open loop: give its rate", value=self.arrivals)
        if self.plain and (self.concurrency > 1 or self.rate or self.duration or self.repeats):
            raise InputError(
                "a plain loop asks each query once, one after another: no concurrency, rate, duration or repeats"
            )

    @property
    def is_open(self) -> bool:
        """Whether starts follow a schedule."""
        return self.rate is not None

    @property
    def patience(self) -> int:
        """Nanoseconds that a start of an open loop may wait for its turn once its schedule has ended."""
        return round((self.timeout or GRACE) * NANO)


ALONE = 5
"""Calls one after another, where several at a time are measured."""


@dataclass(frozen=True)
class Plan:
    """The calls of one run. Those before the measuring come first; all are numbered through.

    Attributes:
        load: how hard, how often and how long.
        jobs: what may be called; a call's job is an index into them.
        retrievers: how many take turns.
        before: the jobs of the calls before the measuring.
        order: the jobs of the measured ones, begun again at its end.
        total: how many are measured at most.
        due: when each is to begin, in nanoseconds from the first; of a closed loop none.
    """

    load: Load
    jobs: Sequence[Job] = field(repr=False)
    retrievers: int
    before: Sequence[int] = field(repr=False)
    order: Sequence[int] = field(repr=False)
    total: int
    due: Sequence[int] | None = field(default=None, repr=False)

    @property
    def cold(self) -> range:
        """The very first call of each retriever."""
        return range(self.retrievers if self.before else 0)

    @property
    def alone(self) -> range:
        """Calls one after another."""
        count = ALONE * self.retrievers if self.before and self.load.concurrency > 1 else 0
        return range(len(self.cold), len(self.cold) + count)

    @property
    def warmup(self) -> range:
        """Calls as many at a time as are measured."""
        return range(self.alone.stop, len(self.before))

    @property
    def kept(self) -> int:
        """The first call whose answer is kept: a plain loop asks no query again after the warm-up."""
        return 0 if self.load.plain else len(self.before)

    @property
    def measured(self) -> range:
        """The calls that the figures are made of."""
        return range(len(self.before), len(self.before) + self.total)

    def job(self, call: int) -> int:
        """The job of a call."""
        first = len(self.before)
        return self.before[call] if call < first else self.order[(call - first) % len(self.order)]


def plan(load: Load, jobs: Sequence[Job], queries: int) -> Plan:
    """The plan of a run over this many queries.

    Args:
        jobs: the queries' for the first retriever, then for the second, …: all of a query follow each other.
    """
    rng = np.random.default_rng(load.seed)
    retrievers = len(jobs) // queries
    if load.plain:
        return _plain(load, jobs, queries, _turns(rng, np.arange(queries), retrievers))
    due = _schedule(load, queries * retrievers, rng)
    total = _count(load, queries * retrievers) if due is None else len(due)
    passes = min(SHUFFLES, math.ceil(total / (queries * retrievers)))
    order = [job for _ in range(passes) for job in _turns(rng, rng.permutation(queries), retrievers)]
    return Plan(load, jobs, retrievers, _before(load, order, retrievers), order, total, due)


def _plain(load: Load, jobs: Sequence[Job], queries: int, order: Sequence[int]) -> Plan:
    """Each query once, in the given order; the first ones warm up."""
    if load.warmup >= queries:
        raise InputError(
            plural(
                "a plain loop that warms up with {warmup} of {n} query has none left to measure",
                "a plain loop that warms up with {warmup} of {n} queries has none left to measure",
                n=queries,
                warmup=load.warmup,
            )
        )
    retrievers = len(jobs) // queries
    first = load.warmup * retrievers
    return Plan(load, jobs, retrievers, order[:first], order[first:], len(order) - first)


def _turns(rng: np.random.Generator, order: Ints, retrievers: int) -> list[int]:
    """The jobs of the queries in this order, and for each of them of all retrievers, in random order."""
    queries = len(order)
    who = np.tile(np.arange(retrievers), (queries, 1))
    if retrievers > 1:
        who = rng.permuted(who, axis=1)
    return [int(job) for job in (who * queries + order[:, None]).ravel()]


def _before(load: Load, order: Sequence[int], retrievers: int) -> list[int]:
    """Jobs for warming up: the queries that are measured last, so that no cache has the first ones."""
    if not load.warmup:
        return []
    alone = ALONE if load.concurrency > 1 else 0
    count = _bounded((load.warmup * load.concurrency + alone) * retrievers)
    return list(itertools.islice(itertools.cycle(reversed(order)), count))


def _count(load: Load, jobs: int) -> int:
    """How many calls a closed loop makes at most."""
    if load.repeats is None:
        return jobs if load.duration is None else MOST
    return _bounded(load.repeats * jobs)


def _bounded(count: int) -> int:
    if count > MOST:
        raise InputError(
            "too many calls; {most:,} are the most: fewer repeats, less warm-up, a shorter duration", most=MOST
        )
    return count


def _schedule(load: Load, jobs: int, rng: np.random.Generator) -> list[int] | None:
    """When the calls of an open loop are due."""
    if load.rate is None:
        return None
    wanted = jobs * (load.repeats or 1)
    if load.duration is not None:
        fitting = max(1, math.ceil(round(load.duration * load.rate, 9)))  # 100 a second in 1.1 s are 110, not 111
        wanted = fitting if load.repeats is None else min(wanted, fitting)
    if _bounded(wanted) > LONGEST * load.rate:
        raise InputError(
            "at {rate:g} a second {calls:,} calls take more than {seconds:,} seconds",
            rate=load.rate,
            calls=wanted,
            seconds=LONGEST,
        )
    if load.arrivals == "constant":
        return [round(i * NANO / load.rate) for i in range(wanted)]
    return list(_poisson(load, wanted, rng))


def _poisson(load: Load, wanted: int, rng: np.random.Generator) -> Iterator[int]:
    """Independent arrivals: this many, or, with a duration, as many as fall into it."""
    assert load.rate is not None
    most = wanted if load.duration is None else min(MOST, wanted + 10 * math.isqrt(wanted) + 10)
    moments = np.cumsum(rng.exponential(1 / load.rate, most))
    moments -= moments[0]
    if load.duration is not None:
        moments = moments[moments < load.duration]
    limit = None if load.repeats is None else wanted
    return (round(moment * NANO) for moment in moments[:limit].tolist())
