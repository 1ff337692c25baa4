"""What the parameters of a measure may be: each kind of value with its words and its check."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from truerank.core.messages import message
from truerank.core.schema import NOTHING, Kind, plain

WHOLE = 2**53
"""Whole numbers below it are the same as decimals and as integers."""

LARGEST = 1e100  # products of larger numbers could overflow, and a measure is never infinite


class FrozenMap(dict[Any, Any]):
    """A mapping that can be part of a measure's value."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _share(value: Any) -> bool:
    return _number(value) and 0 <= value <= 1


def _points(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(map(_share, value))


def _amount(value: Any) -> bool:
    return _number(value) and value >= 0


def _by_grade(value: Any, allows: Callable[[Any], bool]) -> bool:
    return isinstance(value, Mapping) and all(map(_amount, value)) and all(map(allows, value.values()))


def _gain(value: Any) -> bool:
    return _by_grade(value, _amount) or value in ("linear", "exp", "binary")


def _positive(value: Any) -> bool:
    return _number(value) and 1e-15 <= value <= 1e15


def _cost(value: Any) -> bool:
    return _positive(value) or (_by_grade(value, _positive) and bool(value))


def _discount(value: Any) -> bool:
    if not isinstance(value, tuple):
        return value in ("log2", "jk", "reciprocal", "none")
    if not value or not all(map(_number, value)):
        return False
    return value[0] > 0 and value[-1] >= 0 and all(later <= one for one, later in itertools.pairwise(value))


def _chances(value: Any) -> bool:
    return _by_grade(value, _share)


def _shares(value: Any) -> bool:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        return False
    return all(map(_amount, value.values())) and any(value.values())


Share = Annotated[float, Kind(message("a number from 0 to 1"), _share)]

Amount = Annotated[float, Kind(message("a number from 0 up"), _amount)]

Positive = Annotated[float, Kind(message("a number above 0 and up to 1e15"), _positive)]
"""A target, a budget, a cost: so far from 0 and from infinity that what is made of it is neither."""

Target = Annotated[
    float, Kind(message("a number from 0.5 up to 1e15"), lambda value: _positive(value) and value >= 0.5)
]
"""Of INST: below it, finding more could make the reader go on."""

Short = Annotated[
    int,
    Kind(message("a whole number from 1 to 1,000,000"), lambda value: type(value) is int and 0 < value <= 10**6),
]
"""A rank of which every one above it is counted."""


Shares = Annotated[
    Mapping[str, float], Kind(message("a mapping {group: share} of numbers from 0 up, not all 0"), _shares)
]
"""How much of something each group should have; in proportion, whatever the sum."""

Base = Annotated[float, Kind(message("a number above 1"), lambda value: _number(value) and value > 1)]
"""The base of a logarithm."""

Points = Annotated[tuple[float, ...], Kind(message("a list of numbers from 0 to 1"), _points)]

Gain = Annotated[
    str | Mapping[float, float],
    Kind(message("'linear', 'exp', 'binary' or a mapping {grade: gain} of numbers from 0 up"), _gain),
]
"""'linear': the grade; 'exp': 2^grade - 1; 'binary': 1 above 0; or a mapping, where others keep their value."""

Worth = Literal["linear", "exp", "binary"]
"""What a grade gains, where documents have several: itself, 2^grade - 1, or 1 above 0."""

Discount = Annotated[
    str | tuple[float, ...],
    Kind(
        message("'log2', 'jk', 'reciprocal', 'none' or a list of weights, one per rank, none above the one before"),
        _discount,
    ),
]
"""'log2': 1 / log_b(rank + 1); 'jk': 1 / log_b(rank), 1 up to b; 'reciprocal': 1 / rank; 'none': 1; or a table."""

Cost = Annotated[
    float | Mapping[float, float],
    Kind(
        message("a number above 0 and up to 1e15, or a mapping {grade: cost} of grades from 0 up and such numbers"),
        _cost,
    ),
]
"""What it takes to read a document: the same for all, or by its grade, from each that is named on, and 1 below."""

Chances = Annotated[
    Mapping[float, float],
    Kind(message("a mapping {grade: chance} of grades from 0 up and chances from 0 to 1"), _chances),
]
"""How likely a document of this grade or a better one satisfies the reader, up to the next grade."""

KINDS: dict[Any, Kind] = {
    int: Kind(message("a positive whole number"), lambda value: type(value) is int and 0 < value < WHOLE),
    float: Kind(message("a number"), _number),
    bool: Kind(message("True or False"), lambda value: isinstance(value, bool)),
    str: Kind(message("a word"), lambda value: isinstance(value, str)),
    types.NoneType: NOTHING,
}


def resolved(annotation: Any, names: dict[str, Any]) -> Any:
    """The type that an annotation names; None where it names one that only type checkers import."""
    try:
        return eval(annotation, names) if isinstance(annotation, str) else annotation
    except (NameError, AttributeError):
        return None


def canonical(value: Any) -> Any:
    """The value as it prints: 2.0 as 2, a list as a tuple, a mapping in order; equal ones print the same."""
    value = plain(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE:
        return int(value)
    if isinstance(value, Mapping):
        return FrozenMap(sorted((canonical(key), canonical(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(canonical(item) for item in value)
    return value
