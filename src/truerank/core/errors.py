"""What can go wrong, each with what, where and what now.

    TruerankError             every error that is about the user's input or request
    ├── InputError            a file, a line or a value that cannot be used (where: path, line)
    ├── MeasureError          no such measure, or a parameter that it does not take
    ├── RulesError            no such rules, or a value that a rule does not have
    └── MissingPackage        an optional package is not installed

`Refused` is the kernel's own word for a line that it cannot read; `InputError` says it to people.
"""

from __future__ import annotations

import os
from collections.abc import Iterable


class TruerankError(Exception):
    """Something about the input or the request is wrong; the message says what, where and what now."""

    where = ""

    @property
    def said(self) -> str:
        """What is wrong, without where; a message where it was raised with one."""
        return self.args[0] if self.args else ""


class InputError(TruerankError):
    """A file, a line or a value that cannot be used.

    Attributes:
        where: the file and the line, as the message begins.
        path: the file, or None for an object in memory.
        line: the line, 1-based, or None.
    """

    def __init__(self, message: str, path: str | os.PathLike[str] | None = None, line: int | None = None):
        self.where = "" if path is None else os.fspath(path) + (f":{line}" if line else "") + ": "
        super().__init__(self.where + message)
        self.message = message
        self.path = path
        self.line = line

    @property
    def said(self) -> str:
        """What is wrong, without where."""
        return self.message


class MeasureError(TruerankError):
    """No such measure, or a parameter that it does not take."""


class RulesError(TruerankError):
    """No such rules, or a value that a rule does not have."""


class MissingPackage(TruerankError):
    """An optional package is not installed; the message says which extra brings it."""

    def __init__(self, what: str, extra: str):
        super().__init__(f'{what} needs: pip install "truerank[{extra}]"')


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
    try:
        raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, out of JSON
        raw = str(name).encode("utf-8", "backslashreplace")
    text = raw.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


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
    text = printable(name)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def quoted(value: object) -> str:
    """A value as a message quotes it: as Python writes it, in one line, and cut where it is long.

    >>> quoted("high"), quoted([1, None]), len(quoted("x" * 10**6))
    ("'high'", '[1, None]', 80)
    """
    try:
        return truncated(repr(value)[: LONGEST + 1])
    except ValueError:  # Python writes no number of more than some thousand digits
        return "a number of thousands of digits"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean nDCG?' when a known word is near, else ''."""
    import difflib

    folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    return f" Did you mean {folded[near[0]]}?" if near else ""
