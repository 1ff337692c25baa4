"""How long it takes to make documents searchable, before anything is asked."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass
from typing import Any

from truerank.core.errors import InputError
from truerank.live.clock import NANO, Clock
from truerank.live.latency import MILLION


@dataclass(frozen=True)
class Indexing:
    """One run of the indexing.

    Attributes:
        name: of what was called.
        documents: how many it indexed.
        nanoseconds: how long it took.

    >>> one = Indexing("build", 500, 2 * NANO)
    >>> one.seconds, one.per_second, one.per_document
    (2.0, 250.0, 4.0)
    """

    name: str
    documents: int
    nanoseconds: int

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.nanoseconds / NANO

    @property
    def per_second(self) -> float | None:
        """Documents per second; None where it took no time."""
        return self.documents / self.seconds if self.nanoseconds else None

    @property
    def per_document(self) -> float | None:
        """Milliseconds per document; None without documents."""
        return self.nanoseconds / MILLION / self.documents if self.documents else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        rates = {"per_second": self.per_second, "ms_per_document": self.per_document}
        return {**vars(self), "seconds": self.seconds, **rates}


def timed(index: Any, clock: Clock) -> Indexing:
    """Call what indexes, and time it.

    Args:
        index: a function or coroutine function without arguments, or its name as "package.module:function". It
            returns how many documents it indexed, or something as long as that: the documents, an index. What it
            yields one by one is counted, and belongs to the time.

    Raises:
        InputError: it cannot be called, raises, or does not say how many documents there are.

    >>> from truerank.live.clock import SimulatedClock
    >>> clock = SimulatedClock()
    >>> timed(lambda: clock.sleep(0.5) or ["d1", "d2"], clock).seconds
    0.5
    """
    from truerank.live.adapters.objects import load

    call = load(index) if isinstance(index, str) else index
    name = index if isinstance(index, str) else getattr(index, "__name__", type(index).__name__)
    if not callable(call):
        raise InputError("{name} cannot be called; the indexing is a function without arguments", name=name)
    begin = clock.now()
    try:
        documents = _counted(_result(call))
    except (Exception, SystemExit) as error:
        raise InputError("the indexing failed: {kind}: {error}", kind=type(error).__name__, error=error) from error
    end = clock.now()
    if documents is None:
        raise InputError("{name} should return how many documents it indexed, or the documents", name=name)
    return Indexing(name, documents, end - begin)


def _result(call: Callable[[], Any]) -> Any:
    result = call()
    return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result


async def _awaited(result: Any) -> Any:
    return await result


def _counted(result: Any) -> int | None:
    """How many documents something is; None where it does not say."""
    if isinstance(result, str | bytes | bool) or result is None:
        return None
    if hasattr(result, "__index__"):
        count = int(result)
        return count if count >= 0 else None
    if isinstance(result, Sized):
        return len(result)
    return sum(1 for _ in result) if isinstance(result, Iterable) else None
