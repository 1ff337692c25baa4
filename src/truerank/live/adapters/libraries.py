"""What can be told of a retriever's library without importing it: whose class, which release, what `async` is.

Many asynchronous calls that look concurrent run in few threads, or one by one on the event loop.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

from truerank.live.adapters.answers import Call, Read
from truerank.live.retriever import Retriever

OWN = "the retriever's own coroutine"
SERIAL = "none: its synchronous code runs on the event loop, one query at a time"


def inherits(target: object, package: str, *names: str) -> bool:
    """Whether a class of the target's line has one of these names and comes from the package; nothing is imported.

    >>> inherits({}, "builtins", "dict")
    True
    """
    return any(cls.__name__ in names and cls.__module__.split(".")[0] == package for cls in type(target).__mro__)


def pool() -> str:
    """The thread pool that asyncio gives to work which has no coroutine."""
    return f"thread pool of {min(32, (os.cpu_count() or 1) + 4)}"


def written_in(target: object, method: str) -> str:
    """The module where the method that the target would run is written; "" where it has none."""
    return getattr(getattr(type(target), method, None), "__module__", None) or ""


def release(package: str) -> str:
    """ "langchain-core 1.2.3", or the name alone where the version is not known."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package


def retriever(
    target: object,
    calls: tuple[Call, Read],
    *,
    kind: str,
    package: str,
    asynchrony: str,
    is_async: bool | None,
    name: str = "",
    **about: str,
) -> Retriever:
    """A library's object as a Retriever, named after its class, with what a reader of its numbers should know."""
    of = type(target)
    known = {"kind": kind, "library": release(package), "class": f"{of.__module__}.{of.__qualname__}"}
    return Retriever(name or of.__name__, *calls, bool(is_async), describe={**known, **about, "async": asynchrony})
