"""Functions and coroutines of (query) or (query, k)."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Callable, Collection, Iterable
from contextlib import AsyncExitStack
from itertools import islice
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean
from truerank.core.schema import parameters_of
from truerank.live.adapters.answers import CUT, Call, Read, cutting
from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.libraries import OWN
from truerank.live.adapters.plain import are_lists, read_plain
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Retriever

CUTOFFS = ("k", "top_k", "topk", "n", "limit", "size", "n_results", "num_results", "max_results")

NAMELESS = "function"
"""What a lambda is called."""


def _sure(target: object) -> float:
    return 0.1 if callable(target) and not isinstance(target, type) else 0.0


@adapter("a function", _sure)
def function(target: Any, *, ids: IdReader, asynchronous: bool | None = None, k_as: str | None = None) -> Retriever:
    """A function or coroutine that returns ids, pairs, a dict, dicts, documents or (D, I) arrays.

    An agent that asks several times returns a list of such lists, one per call; its latency is that of all calls.

    Args:
        k_as: the parameter that takes k; by itself k, top_k, limit and the like are known, or a second one that
            must be given.
    """
    coroutine = _is_coroutine(target)
    if coroutine and asynchronous is False:
        raise InputError("{name} is a coroutine function: it cannot be called synchronously", name=name_of(target))
    is_async = coroutine or bool(asynchronous)
    k = _cutoff(target, k_as)
    is_whole = ids.way is not None  # of chunks nobody knows how many make k documents
    call, read = (_async if is_async else _sync)(target, k, lambda raw: read_plain(raw, ids), is_whole)
    return Retriever(
        name=name_of(target),
        call=call,
        read=read,
        is_async=is_async,
        describe={
            "kind": "coroutine" if is_async else "function",
            "k": CUT if k is None else f"its parameter {k}",
            "ids": ids.describe("as returned"),
            **({"async": OWN} if is_async else {}),
        },
        takes="both",
    )


def name_of(target: Any) -> str:
    """What a function is called: as where it was defined, or `NAMELESS`."""
    inner = getattr(target, "func", target)  # of functools.partial
    name: str = getattr(inner, "__qualname__", type(inner).__name__).rpartition("<locals>.")[2]
    return NAMELESS if name == "<lambda>" else name


def _is_coroutine(target: Any) -> bool:
    calls = (target, getattr(type(target), "__call__", None))  # noqa: B004
    return any(inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call) for call in calls)


def _cutoff(target: Any, asked: str | None) -> str | None:
    """The name of the parameter that takes k."""
    try:
        parameters = parameters_of(target)
    except (TypeError, ValueError):  # compiled functions may not tell
        return asked
    if asked is not None:
        if asked not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            raise InputError(
                "{name} has no parameter {asked!r}.{hint}",
                name=name_of(target),
                asked=asked,
                hint=did_you_mean(asked, parameters),
            )
        return asked
    known = [name for name in list(parameters)[1:] if name in CUTOFFS]
    needed = [p.name for p in _positional(parameters)[1:] if p.default is p.empty]
    return next(iter(known + needed), None)


def _positional(parameters: Any) -> list[inspect.Parameter]:
    return [p for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _passing(target: Any, k: str) -> Call:
    """The target with k where it takes it: by position if it stands second, which costs less, else by name."""
    try:
        second = [p.name for p in _positional(parameters_of(target))][1:2]
    except (TypeError, ValueError):
        second = []
    return target if second == [k] else lambda query, cutoff: target(query, **{k: cutoff})


def _sync(target: Callable[..., Any], k: str | None, read: Read, is_whole: bool) -> tuple[Call, Read]:
    if k is None:
        return lambda query, cutoff: (cutoff, _made(target(query), None if is_whole else cutoff)), cutting(read)
    passing = _passing(target, k)
    return lambda query, cutoff: _made(passing(query, cutoff), None if is_whole else cutoff), read


def _made(raw: Any, k: int | None) -> object:
    """The answer, a lazy one read out to its k-th result: that takes time, and must happen while the clock runs.
    What can be iterated over but is no collection is lazy: generators, cursors, queries of an object mapper. Only k
    results of it are read, as such an answer may rank everything there is.
    """
    if not isinstance(raw, Iterable) or isinstance(raw, Collection) or hasattr(raw, "__array__"):
        return raw
    made = list(islice(raw, k))
    return [*made, *raw] if are_lists(made) else made  # of several lists k is how many documents each has


def _async(target: Callable[..., Any], k: str | None, read: Read, is_whole: bool) -> tuple[Call, Read]:
    passing = None if k is None else _passing(target, k)

    async def asked(query: str, cutoff: int) -> object:
        raw, most = passing(query, cutoff) if passing else target(query), None if is_whole else cutoff
        if inspect.isawaitable(raw):
            raw = await raw
        elif not isinstance(raw, AsyncIterable):
            raise InputError(
                "{name} returned {kind}, which cannot be awaited", name=name_of(target), kind=type(raw).__name__
            )
        made = await _awaited(raw, most) if isinstance(raw, AsyncIterable) else _made(raw, most)
        return made if passing else (cutoff, made)

    return asked, read if passing else cutting(read)


async def _awaited(raw: AsyncIterable[Any], k: int | None) -> list[Any]:
    """`_made` for what is iterated over asynchronously; a generator is closed when enough of it has been read."""
    made: list[Any] = []
    async with AsyncExitStack() as closing:
        if hasattr(raw, "aclose"):
            closing.push_async_callback(raw.aclose)
        async for each in raw:
            made.append(each)
            if k is not None and len(made) >= k and not are_lists(made):
                break
    return made
