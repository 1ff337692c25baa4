"""What the parameters of a measure may be: each kind of value with its words and its check."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union

LARGEST = 1e100  # products of larger numbers could overflow, and a measure is never infinite


@dataclass(frozen=True)
class Kind:
    """A kind of value: what to call it, and whether a value is one."""

    words: str
    allows: Callable[[Any], bool]


class FrozenMap(dict[Any, Any]):
    """A mapping that can be part of a measure's value."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _share(value: Any) -> bool:
    return _number(value) and 0 <= value <= 1


def _shares(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(map(_share, value))


def _gain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_number(grade) and grade >= 0 and _number(gain) for grade, gain in value.items())
    return value in ("linear", "exp", "binary")


Share = Annotated[float, Kind("a number from 0 to 1", _share)]

Amount = Annotated[float, Kind("a number from 0 up", lambda value: _number(value) and value >= 0)]

Base = Annotated[float, Kind("a number above 1", lambda value: _number(value) and value > 1)]
"""The base of a logarithm."""

Points = Annotated[tuple[float, ...], Kind("a list of numbers from 0 to 1", _shares)]

Gain = Annotated[
    str | Mapping[float, float],
    Kind("'linear', 'exp', 'binary' or a mapping {grade: gain} of grades from 0 up", _gain),
]
"""'linear': the grade; 'exp': 2^grade - 1; 'binary': 1 above 0; or a mapping, where others keep their value."""

KINDS: dict[Any, Kind] = {
    int: Kind("a positive whole number", lambda value: type(value) is int and 0 < value < 2**53),
    float: Kind("a number", _number),
    bool: Kind("True or False", lambda value: isinstance(value, bool)),
    str: Kind("a word", lambda value: isinstance(value, str)),
    types.NoneType: Kind("", lambda value: value is None),
}

ANYTHING = Kind("anything", lambda value: True)


def resolved(annotation: Any, names: dict[str, Any]) -> Any:
    """The type that an annotation names; None where it names one that only type checkers import."""
    try:
        return eval(annotation, names) if isinstance(annotation, str) else annotation
    except (NameError, AttributeError):
        return None


def kind_of(hint: Any) -> Kind:
    """What a parameter with this type may be."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return next((part for part in parts if isinstance(part, Kind)), ANYTHING)
    if origin is Literal:
        return Kind("one of " + ", ".join(map(repr, parts)), lambda value: value in parts)
    if origin in (Union, types.UnionType):
        either = [kind_of(part) for part in parts]
        words = " or ".join(kind.words for kind in either if kind.words)
        return Kind(words, lambda value: any(kind.allows(value) for kind in either))
    return KINDS.get(hint, ANYTHING)


def canonical(value: Any) -> Any:
    """The value as it prints: 2.0 as 2, a list as a tuple, a mapping in order; equal ones print the same."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return FrozenMap(sorted((canonical(key), canonical(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(canonical(item) for item in value)
    return value
