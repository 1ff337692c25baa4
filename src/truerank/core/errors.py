"""What can go wrong, each with what, where and what now.

    TruerankError             every error that is about the user's input or request
    ├── InputError            a file, a line or a value that cannot be used (where: path, line)
    │   └── SeveralCalls      a run with several lists per query, where one is needed
    ├── MeasureError          no such measure, or a parameter that it does not take
    ├── RulesError            no such rules, or a value that a rule does not have
    └── MissingPackage        an optional package is not installed

`Refused` is the kernel's own word for a line that it cannot read; `InputError` says it to people.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from truerank.core.messages import Message, did_you_mean, message


class TruerankError(Exception):
    """Something about the input or the request is wrong; the message says what, where and what now.

    Args:
        text: a message, or the text of one with the names of its values in braces; then it is a literal.

    Attributes:
        said: what is wrong, as a message.
        where: the place, with which the error's text begins.

    >>> raise TruerankError("query {query} is not judged", query="q7")
    Traceback (most recent call last):
    truerank.core.errors.TruerankError: query q7 is not judged
    """

    where = ""

    def __init__(self, text: str, /, **values: Any):
        self.said = text if isinstance(text, Message) else Message(text, "", values)
        super().__init__(self.where + self.said)


class InputError(TruerankError):
    """A file, a line or a value that cannot be used.

    Attributes:
        where: the file and the line, with which the message begins.
        path: the file, or None for an object in memory.
        line: the line, 1-based, or None.
    """

    def __init__(
        self,
        text: str,
        /,
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        **values: Any,
    ):
        self.where = "" if path is None else os.fspath(path) + (f":{line}" if line else "") + ": "
        super().__init__(text, **values)
        self.path = path
        self.line = line


class SeveralCalls(InputError):
    """A run has several lists per query, where one is needed."""


class MeasureError(TruerankError):
    """No such measure, or a parameter that it does not take."""


class RulesError(TruerankError):
    """No such rules, or a value that a rule does not have."""


class MissingPackage(TruerankError):
    """An optional package is not installed; the message says which extra brings it."""

    def __init__(self, what: str, extra: str):
        super().__init__(message('{what} needs: pip install "truerank[{extra}]"', what=what, extra=extra))


@contextmanager
def needs(what: str, extra: str, package: str | None = None) -> Iterator[None]:
    """Say which extra brings a package that is missing.

    Args:
        what: what needs it.
        package: the only package to catch; any by default.

    Raises:
        MissingPackage: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if package not in (None, missing.name):
            raise
        raise MissingPackage(what, extra) from None


def arrow(what: str, extra: str = "parquet") -> Any:
    """The package pyarrow, which `what` needs."""
    with needs(what, extra):
        import pyarrow
    return pyarrow


def first_line(error: Exception | str) -> str:
    """The first line of what another package's error says, or the error's type where it says nothing."""
    return str(error).partition("\n")[0] or type(error).__name__


class NoId(TypeError):
    """The kernel was given this in place of the id of a document."""


class Refused(Exception):
    """A row that the kernel cannot read.

    Attributes:
        kind: fields, control, number, not finite, long, duplicate or interleaved.
        line: the line (or row) that was read last, 1-based.
        columns: how many columns the line had, where that is the fault.
    """

    def __init__(self, kind: str, line: int, columns: int = 0):
        super().__init__(f"{kind} in line {line}")
        self.kind = kind
        self.line = line
        self.columns = columns


def printable(name: bytes | str) -> str:
    """An id as it can be printed: invalid UTF-8 and control characters escaped."""
    if isinstance(name, Message):  # its values are printable, and it may still be translated
        return name
    try:
        raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, out of JSON
        raw = str(name).encode("utf-8", "backslashreplace")
    text = raw.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def in_utf8(ids: Sequence[str]) -> list[str]:
    """Ids as text for DataFrames: bytes that are no UTF-8 are escaped, as where ids are printed."""
    known = list(ids)
    try:
        "".join(known).encode()
        return known
    except UnicodeEncodeError:
        return [printable(each) if any("\ud800" <= c <= "\udfff" for c in each) else each for each in known]


def no_such_query(query: bytes | str, judged: Iterable[bytes | str], name: str) -> InputError:
    """The error for a query that is not among those of the judgements, or of the run, of this name."""
    near = did_you_mean(printable(query), map(printable, judged))
    return InputError(
        "there is no query {query} among those that are judged.{near}", name, query=truncated(query), near=near
    )


def pluralize(number: int, what: str, many: str = "") -> str:
    """The number with its noun.

    >>> pluralize(1, "query", "queries"), pluralize(2000, "row")
    ('1 query', '2,000 rows')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"


LONGEST = 80
"""Characters of an id or a value that a message shows."""


def truncated(name: bytes | str) -> str:
    """An id as a message names it: as `printable`, and cut where it is long."""
    enough = 4 * (LONGEST + 1)  # no character takes more bytes
    text = printable(name if len(name) <= enough else name[:enough])
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def some(names: Sequence[str], most: int) -> str:
    """The first of these ids as a message names them, and how many more there are.

    >>> some(["a", "b", "c"], 2), some(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    first = ", ".join(map(truncated, names[:most]))
    more = len(names) - most
    return message("{names} and {n:,} more", names=first, n=more) if more > 0 else first


def quoted(value: object) -> str:
    """A value as a message quotes it: as Python writes it, in one line, and cut where it is long.

    >>> quoted("high"), quoted([1, None]), len(quoted("x" * 10**6))
    ("'high'", '[1, None]', 80)
    """
    try:
        return truncated(repr(value)[: LONGEST + 1])
    except ValueError:  # Python writes no number of more than some thousand digits
        return message("a number of thousands of digits")
