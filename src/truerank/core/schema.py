"""Kinds of values, with a name and a check each: for rules, gates, boards, adapters' options and measures.

The TOML files that hold such values are read here too.
"""

from __future__ import annotations

import ast
import inspect
import math
import numbers
import operator
import os
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, Union

from truerank.core.errors import InputError, TruerankError
from truerank.core.messages import alternatives, message


class Kind(NamedTuple):
    """A kind of value.

    Attributes:
        words: what to call it.
        allows: whether a value is one.
        kept: what a value is kept as.
        most: no value is above it.
    """

    words: str
    allows: Callable[[Any], bool]
    kept: Callable[[Any], Any] = lambda value: value
    most: float = math.inf

    def __or__(self, other: Kind) -> Kind:
        """A value of either kind, kept as it is."""
        return either([self, other])

    def checked(
        self,
        name: str,
        value: Any,
        error: Callable[[str], TruerankError],
        shown: Callable[[Any], str] = lambda value: repr(value),
    ) -> Any:
        """The value as it is kept, if it is allowed; `name` and `shown` say how the error names and prints it.

        >>> POSITIVE.checked("depth", 0, TruerankError)
        Traceback (most recent call last):
        truerank.core.errors.TruerankError: depth is a positive whole number, not 0
        """
        if not self.allows(value):
            raise error(
                message("{name} is {words}, not {value}", name=name, words=self.words, value=_short(value, shown))
            )
        if not self.is_in_bounds(value):
            raise error(
                message(
                    "{name} is {most} at most, not {value}", name=name, most=self.most, value=_short(value, shown)
                )
            )
        return self.kept(value)

    def is_in_bounds(self, value: Any) -> bool:
        """Whether a value of the kind is not above `most`."""
        return value is None or self.most == math.inf or bool(value <= self.most)


def either(kinds: Iterable[Kind]) -> Kind:
    """A value of one of these kinds."""
    known = tuple(kinds)
    words = alternatives([kind.words for kind in known if kind.words])
    return Kind(words, lambda value: any(kind.allows(value) for kind in known))


def optional(kind: Kind) -> Kind:
    """A value of a kind, or None."""
    return Kind(
        kind.words,
        lambda value: value is None or kind.allows(value),
        lambda value: None if value is None else kind.kept(value),
        kind.most,
    )


def kind_of(hint: Any, kinds: Mapping[Any, Kind]) -> Kind:
    """The kind of a parameter with this type; `kinds` are those of plain types, and other types allow any value."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return next((part for part in parts if isinstance(part, Kind)), ANYTHING)
    if origin is Literal:
        return one_of(parts, repr)
    if origin in (Union, types.UnionType):
        return either(kind_of(part, kinds) for part in parts)
    return kinds.get(hint, ANYTHING)


def is_real(value: Any) -> bool:
    """Whether a value is a number, Python's or NumPy's; a bool is not, although Python counts it as one."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, Python's or NumPy's."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number that a decimal can hold."""
    return is_real(value) and bool(abs(plain(value)) <= sys.float_info.max)


def plain(value: Any) -> Any:
    """The value, a number of NumPy's as Python's own."""
    if type(value) in (int, float) or not is_real(value):
        return value
    return operator.index(value) if is_whole(value) else float(value)


def whole(words: str, least: int, most: float = math.inf) -> Kind:
    """Whole numbers."""
    return Kind(words, lambda value: is_whole(value) and value >= least, plain, most)


def number(words: str, least: float) -> Kind:
    """Finite numbers, from `least` on."""
    return Kind(words, lambda value: is_number(value) and value >= least, plain)


def one_of(choices: Iterable[Any], shown: Callable[[Any], str] = str) -> Kind:
    """One of these values."""
    known = tuple(choices)
    words = message("one of {known}", known=", ".join(map(shown, known)))
    return Kind(words, lambda value: any(isinstance(value, type(one)) and value == one for one in known))


def list_of(kind: Kind, words: str) -> Kind:
    """A list of values of a kind, kept as a tuple."""

    def allows(values: Any) -> bool:
        if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping | Iterator):
            return False
        return all(kind.allows(value) and kind.is_in_bounds(value) for value in values)

    return Kind(words, allows, lambda values: tuple(map(kind.kept, values)))


def several_of(values: Any) -> list[Any]:
    """The values of a list, or a single value as a list.

    >>> several_of(5), several_of((1, 5)), several_of("a b")
    ([5], [1, 5], ['a b'])
    """
    is_one = isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable)
    return [values] if is_one else list(values)


def is_missing(value: Any) -> bool:
    """Whether this is None, or NumPy's or pandas' stand-in for it: NaN, NaT or NA, which equal nothing.

    A list or an array of these is not missing.

    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing([float("nan")])
    (True, True, False, False)
    """
    if getattr(value, "shape", ()):
        return False
    try:
        return value is None or bool(value != value)
    except TypeError:  # comparing NA gives NA
        return True


def written_arguments(inside: str) -> list[tuple[str, Any]]:
    """(name, value) of each argument, from the text after a call's opening bracket; name is "" where there is none.

    Raises:
        ValueError: this is not the rest of a call, or a value is not a literal.

    >>> written_arguments("50, unit='km')")
    [('', 50), ('unit', 'km')]
    """
    try:
        call = ast.parse(f"call({inside}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError(inside)
        given = [("", value) for value in call.args] + [(word.arg or "**", word.value) for word in call.keywords]
        return [(name, ast.literal_eval(value)) for name, value in given]
    except (SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError(inside) from error


def named_arguments(inside: str) -> dict[str, Any]:
    """{name: value} of the arguments of a call, read as by `written_arguments`.

    Raises:
        ValueError: as there; or an argument has no name, or a name comes twice.
    """
    given = written_arguments(inside)
    named = dict(given)
    if "" in named or len(named) < len(given):
        raise ValueError(inside)
    return named


def _short(value: Any, shown: Callable[[Any], str]) -> str:
    try:
        text = shown(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        return message("one of thousands of digits")
    return text if len(text) < 60 else text[:57] + "…"


TEXT = Kind(message("text"), lambda value: isinstance(value, str))
NUMBER = Kind(message("a number"), is_number, plain)
POSITIVE = whole(message("a positive whole number"), 1)
TRUTH = Kind(message("true or false"), lambda value: isinstance(value, bool))
TABLE = Kind(message("a table"), lambda value: isinstance(value, Mapping))
LIST = Kind(message("a list"), lambda value: isinstance(value, list))
NOTHING = Kind("", lambda value: value is None)
ANYTHING = Kind(message("anything"), lambda value: True)


def parameters_of(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function by name, even if an annotation uses names that only type checkers import.

    Raises:
        TypeError, ValueError: the signature is not known, as of some compiled functions.
    """
    if sys.version_info >= (3, 14):  # annotations are evaluated when they are asked for
        from annotationlib import Format

        return inspect.signature(function, annotation_format=Format.FORWARDREF).parameters
    return inspect.signature(function).parameters


def keywords_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The keyword-only parameters of a function: for a registered one, what people may set.

    Raises:
        TypeError, ValueError: as `parameters_of`.
    """
    return {name: p for name, p in parameters_of(function).items() if p.kind is p.KEYWORD_ONLY}


def meaning_of(function: Callable[..., Any]) -> str:
    """The first line of a function's docstring: for a registered one, what it means to people."""
    return (inspect.getdoc(function) or "").partition("\n")[0]


def written_toml(value: Any) -> str:
    """A value as it is written in TOML.

    >>> written_toml([True, "a"]), written_toml({"b": 1.5})
    ('[true, "a"]', '{b = 1.5}')
    """
    import json

    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key} = {written_toml(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def parsed_toml(text: str, path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a TOML text says.

    Raises:
        InputError: it is not TOML; the message names the file.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for thousands of digits, or too many brackets
        raise InputError("this is no TOML: {error}", path, error=error) from None


def read_toml(path: str | os.PathLike[str], what: str, hint: str = "") -> dict[str, Any]:
    """What a TOML file says.

    Args:
        what: what it holds, for the message.
        hint: what to do where the file is not there.

    Raises:
        InputError: it cannot be read, or is no TOML.
    """
    return parsed_toml(text_of(path, what, hint), path)


def text_of(path: str | os.PathLike[str], what: str, hint: str = "") -> str:
    """The text of a file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, ValueError) as error:
        more = hint if isinstance(error, FileNotFoundError) else ""
        why = getattr(error, "strerror", None) or error
        raise InputError("cannot read {what}: {why}{more}", path, what=what, why=why, more=more) from None
