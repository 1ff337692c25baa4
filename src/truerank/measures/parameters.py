"""What the parameters of a measure may be: each kind with its words and its check."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Share = float
"""A number from 0 to 1."""

Base = float
"""The base of a logarithm."""

Points = tuple[float, ...]
"""Shares, written as a list."""

Gain = str | Mapping[float, float]
"""'linear': the grade; 'exp': 2^grade - 1; or a mapping {grade: gain}, in which other grades keep their own value."""

LARGEST = 1e100  # a sum of products of larger numbers could overflow, and a measure is never infinite


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


def _gain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_number(grade) and grade >= 0 and _number(gain) for grade, gain in value.items())
    return value in ("linear", "exp")


KINDS: dict[str, Kind] = {
    "int": Kind("a positive whole number", lambda value: type(value) is int and 0 < value < 2**53),
    "float": Kind("a number", _number),
    "bool": Kind("True or False", lambda value: isinstance(value, bool)),
    "str": Kind("a word", lambda value: isinstance(value, str)),
    "None": Kind("nothing", lambda value: value is None),
    "Share": Kind("a number from 0 to 1", _share),
    "Base": Kind("a number above 1", lambda value: _number(value) and value > 1),
    "Points": Kind("a list of numbers from 0 to 1", lambda value: isinstance(value, tuple) and bool(value) and all(map(_share, value))),
    "Gain": Kind("'linear', 'exp' or a mapping {grade: gain} of grades from 0 up", _gain),
}


def kinds(parameter: inspect.Parameter) -> list[Kind]:
    """What a parameter may be, from its annotation; nothing is known of other types than the above."""
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    if text.startswith("Literal["):
        choices = ast.literal_eval(text[7:])
        return [Kind("one of " + ", ".join(map(repr, choices)), lambda value: value in choices)]
    parts = [part.strip() for part in text.split("|")]
    return [KINDS[part] for part in parts] if all(part in KINDS for part in parts) else []


def words(parameter: inspect.Parameter) -> str:
    """What a parameter may be, said to people."""
    return " or ".join(kind.words for kind in kinds(parameter) if kind is not KINDS["None"]) or "anything"


def allows(parameter: inspect.Parameter, value: Any) -> bool:
    """Whether a parameter may have this value."""
    allowed = kinds(parameter)
    return not allowed or any(kind.allows(value) for kind in allowed)


def canonical(value: Any) -> Any:
    """The value as it prints: 2.0 as 2, lists as tuples, mappings in order; equal values print the same."""
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return int(value)
    if isinstance(value, Mapping):
        return FrozenMap(sorted((canonical(key), canonical(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(canonical(item) for item in value)
    return value
