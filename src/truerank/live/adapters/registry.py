"""What adapters there are. An adapter says how sure it is that a target is its own, and makes a Retriever of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Any, TypeVar, get_type_hints

from truerank.core import plugins
from truerank.core.errors import InputError, quoted
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import NOTHING, TEXT, TRUTH, Kind, is_real, is_whole, keywords_of, kind_of
from truerank.live.retriever import Retriever

Build = TypeVar("Build", bound=Callable[..., Retriever])


@dataclass(frozen=True)
class Adapter:
    """A way to call one kind of retriever.

    Attributes:
        name: what errors call the kind.
        sure: from the target, without importing its library, how sure: 0 (no) to 1 (certain).
        build: (target, ids=Ids, asynchronous=…, and its own options) → Retriever.
    """

    name: str
    sure: Callable[[object], float]
    build: Callable[..., Retriever]

    @property
    def options(self) -> tuple[str, ...]:
        """What `build` takes of its own: the keyword-only parameters."""
        return tuple(name for name in keywords_of(self.build) if name not in ("ids", "asynchronous"))

    def check(self, options: dict[str, Any]) -> None:
        """Refuse options that this kind of retriever does not have."""
        for option in options:
            if option not in self.options:
                raise InputError(
                    "{name} has no option {option!r}.{near} Its options: {known}",
                    name=self.name,
                    option=option,
                    near=did_you_mean(option, self.options),
                    known=", ".join(self.options) or message("none"),
                )
        wanted = _types(self.build)
        for option, value in options.items():
            kind = kind_of(wanted.get(option, Any), KINDS)  # without a hint anything fits
            kind.checked(option, value, InputError)


KINDS: dict[Any, Kind] = {
    str: TEXT,
    float: Kind(message("a number"), is_real),
    int: Kind(message("a whole number"), is_whole),
    bool: TRUTH,
    NoneType: NOTHING,
}
"""What options of plain types may be; what is more than that is left to the adapter."""


def _types(build: Callable[..., Retriever]) -> dict[str, Any]:
    """The types of the options, as far as they are told; an adapter of somebody else's may tell none."""
    try:
        return get_type_hints(build)
    except NameError:
        return {}


_adapters: dict[str, Adapter] = {}


def adapter(name: str, sure: Callable[[object], float]) -> Callable[[Build], Build]:
    """Register a function as the maker of retrievers of one kind; its keyword-only signature is the schema."""

    def register(build: Build) -> Build:
        _adapters[name] = Adapter(name, sure, build)
        return build

    return register


def adapters() -> dict[str, Adapter]:
    """All adapters by name, those of other installed packages too."""
    plugins.load("adapters")
    return dict(_adapters)


def chosen(target: object) -> Adapter:
    """The adapter that is surest of the target.

    Raises:
        InputError: none is; the message names what can be benchmarked.
    """
    best = max(_adapters.values(), key=lambda a: a.sure(target))
    if best.sure(target) <= 0 and plugins.load("adapters"):
        best = max(_adapters.values(), key=lambda a: a.sure(target))
    if best.sure(target) > 0:
        return best
    if isinstance(target, type):
        raise InputError("{target} is a class: give an instance of it", target=target.__name__)
    raise InputError(
        "{target} cannot be benchmarked. Give a function of (query, k), a retriever of LangChain, "
        "LlamaIndex or Haystack, 'package.module:object', a URL with {{query}}, or 'cmd: COMMAND'",
        target=quoted(target),
    )
