"""The same queries under many settings: what quality costs in time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.core.equal import is_equal
from truerank.core.errors import InputError, TruerankError
from truerank.core.messages import did_you_mean, listed
from truerank.core.qrels import QrelsLike
from truerank.core.schema import several_of
from truerank.live.adapters import named
from truerank.live.adapters.functions import NAMELESS, name_of
from truerank.live.result import Bench
from truerank.live.retriever import FirstAnswers
from truerank.live.running import bench
from truerank.live.workers import INTERRUPTED

LOADS = ("k", "concurrency", "rate")
"""Settings of the load; every other one is a parameter of the retriever."""


def sweep(
    retriever: object,
    queries: Any,
    qrels: QrelsLike | None = None,
    *,
    over: Mapping[str, Any],
    watch: Callable[[Mapping[str, Any]], None] = lambda settings: None,
    **how: Any,
) -> tuple[Bench, ...]:
    """A benchmark for each combination of settings, one after another.

    What was measured is kept: a later setting that cannot be, and Ctrl-C at any time, leave a benchmark without
    calls that says why (`stopped`).

    Args:
        retriever: as for `bench`; where a parameter of it is swept, a function that takes the parameters by name
            and returns the retriever, or the name of one.
        over: {setting: values}, or one value. k, concurrency and rate are the load's, others the retriever's.
        watch: told what comes next.
        how: what else `bench` takes; an indexing is timed once, before the first setting.

    Raises:
        InputError: nothing is swept, a setting is given beside what it is swept over, or the retriever takes no
            parameters.

    >>> benches = sweep(lambda q, k: ["d1", "d2"][:k], ["tea"], {"1": {"d2": 1}}, over={"k": [1, 2]}, measures="RR")
    >>> [(one.settings, one.scores.mean) for one in benches]
    [({'k': 1}, {'RR': 0.0}), ({'k': 2}, {'RR': 0.5})]
    """
    swept = over.items() if isinstance(over, Mapping) else ()
    values = {name: [_plain(value) for value in several_of(several)] for name, several in swept}
    if not values or not all(values.values()):
        raise InputError("a sweep needs settings with values, such as k = 5, 10, 20")
    if both := [name for name in values if name in LOADS and how.get(name) is not None]:
        raise InputError("{name} is swept, and given too: give one of them", name=both[0])
    made = retriever if values.keys() <= set(LOADS) else named(retriever)
    return tuple(_each(made, queries, qrels, values, watch, how))


def _plain(value: Any) -> Any:
    """Python's number for NumPy's, so that it can be saved."""
    return value.item() if isinstance(value, np.generic) else value


def _each(
    retriever: object,
    queries: Any,
    qrels: QrelsLike | None,
    over: Mapping[str, Sequence[Any]],
    watch: Callable[[Mapping[str, Any]], None],
    how: Mapping[str, Any],
) -> Iterator[Bench]:
    last: Bench | None = None
    for values in itertools.product(*over.values()):
        settings = dict(zip(over, values, strict=True))
        watch(settings)
        load = {name: value for name, value in settings.items() if name in LOADS}
        parameters = {name: value for name, value in settings.items() if name not in LOADS}
        try:
            own = {**how, **load, "index": None if last else how.get("index")}
            measured = _called(retriever, bench(_made(retriever, parameters), queries, qrels, **own))
        except (TruerankError, KeyboardInterrupt) as error:
            if last is None:
                raise
            measured = _without_calls(last, load, str(error) if isinstance(error, TruerankError) else INTERRUPTED)
        last = replace(measured, settings=settings, indexing=last.indexing if last else measured.indexing)
        yield last
        if measured.stopped == INTERRUPTED:
            return


def _called(maker: object, measured: Bench) -> Bench:
    """The benchmark, of a lambda under the name of the function that made it."""
    if measured.name != NAMELESS:
        return measured
    name = name_of(maker)
    return replace(measured, name=name, scores=measured.scores and replace(measured.scores, run=name))


def _without_calls(other: Bench, load: Mapping[str, Any], why: str) -> Bench:
    """The benchmark of a setting that could not be measured: like the other one, with this load and no calls."""
    with suppress(InputError):  # the load itself may be what is wrong
        other = replace(other, load=replace(other.load, **load))
    nothing = other.samples[np.zeros(len(other.samples), bool)]
    return replace(other, samples=nothing, answers=FirstAnswers({}), faults={}, scores=None, pauses=(), stopped=why)


def _made(retriever: Any, parameters: Mapping[str, Any]) -> object:
    """The retriever with these parameters."""
    if not parameters:
        return retriever
    if not callable(retriever):
        raise InputError(
            "{retriever!r:.60} takes no parameters; give a function that returns the retriever", retriever=retriever
        )
    try:
        return retriever(**parameters)
    except TypeError as error:
        raise InputError(
            "the retriever cannot be made with {parameters}: {error}; a sweep needs a function of {names} that "
            "returns the retriever",
            parameters=dict(parameters),
            error=error,
            names=listed(list(parameters)),
        ) from error
    except (Exception, SystemExit) as error:
        raise InputError(
            "the retriever cannot be made with {parameters}: {kind}: {error}",
            parameters=dict(parameters),
            kind=type(error).__name__,
            error=error,
        ) from error


THROUGHPUT = "throughput"
"""What else quality may be plotted against, besides the figures of `Bench.latency`."""


def front(found: Sequence[Bench], measure: str, against: str = "p50") -> frozenset[int]:
    """The places of the benches that no other beats: none is as good and faster, or as fast and better (Pareto).

    Latencies are over all calls, those without an answer endless. One that ended early is in no comparison.

    Args:
        against: a figure of `Bench.latency`, or "throughput".

    Raises:
        InputError: there are no scores, or no such measure or figure.

    >>> one = bench(lambda q: ["d1"], ["tea"], {"1": {"d1": 1}}, measures="RR")
    >>> front([one], "RR")
    frozenset({0})
    """
    if not any(one.scores for one in found):
        raise InputError("without qrels there is no quality to set against latency")
    for one in found:
        _named(measure, one.scores.mean if one.scores else (measure,))
        _named(against, (*one.latency, THROUGHPUT))
    places = [_place(one, measure, against) for one in found]
    return frozenset(
        i
        for i, own in enumerate(places)
        if not np.isnan(own).any() and not any(_beats(each, own) for each in places)
    )


def _place(one: Bench, measure: str, against: str) -> tuple[float, float]:
    """How slow, and how good, which is NaN for what ended early: its mean is over other queries."""
    return _slowness(one, against), math.nan if one.stopped else _goodness(one, measure)


def _slowness(one: Bench, against: str) -> float:
    """What `speed` is, the less the better, over all calls: one without an answer is endless."""
    if against == THROUGHPUT:
        return -speed(one, against)
    return one.of_all_calls(None)[against].high if one.answered else math.nan


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether one is as good and faster, or as fast and better."""
    is_as_good = is_equal(one[1], other[1])
    return one[0] <= other[0] and (one[0] < other[0] if is_as_good else one[1] > other[1])


def _named(name: str, known: Collection[str]) -> None:
    """Raise for what was not measured."""
    if name not in known:
        hint = did_you_mean(str(name), known)
        raise InputError(
            "{name} was not measured.{hint} There is {known}", name=str(name), hint=hint, known=", ".join(known)
        )


def speed(one: Bench, against: str) -> float:
    """A figure of `Bench.latency` in milliseconds, or answers a second; NaN where nothing was answered."""
    if against != THROUGHPUT:
        return one.latency[against]
    return math.nan if one.throughput is None or not one.answered else one.throughput


def quality(one: Bench, measure: str) -> float:
    """The mean of a measure; NaN where nothing was asked that is judged."""
    return one.scores.mean[measure] if one.scores else math.nan


def _goodness(one: Bench, measure: str) -> float:
    """The quality with its sign turned where lower is better, so that more is always better."""
    value = quality(one, measure)
    if one.scores is None:
        return value
    is_less = one.scores.headings[one.scores.heading(measure)].definition.lower_is_better
    return -value if is_less else value
