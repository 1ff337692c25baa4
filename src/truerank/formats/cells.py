"""The cells of lines of CSV and TSV, and the names of the columns in the first line.

Quotation marks around a cell quote it, also in TSV, as pandas writes them. Other quotation marks stand for
themselves in TSV, where texts have them anywhere: a reader of CSV would take everything up to the next one, lines
and tabs included, for one cell.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from truerank.formats import names
from truerank.formats.records import LONGEST, list_places

DELIMITERS = "\t,;|"
_QUOTED = re.compile('"((?:[^"]|"")*)"')


@contextmanager
def any_length() -> Iterator[None]:
    """Allow cells as long as a line may be: the csv module has one limit for the whole process."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


class Header(NamedTuple):
    """The first line: what stands between columns, and their names."""

    delimiter: str
    names: list[str]

    @property
    def is_known(self) -> bool:
        """Whether there are columns for a query's and a document's id."""
        return all(names.find(self.names, group) is not None for group in (names.QUERY, names.DOC))

    @property
    def is_listed(self) -> bool:
        """Whether a row is a whole query, with its documents in a cell."""
        is_named = len(self.names) <= names.WIDEST and names.find(self.names, names.QUERY) is not None
        return is_named and any(list_places(self.names, what) for what in ("run", "qrels"))


def header(head: bytes) -> Header:
    """The header that a file begins with; None for a comment line of a TREC file."""
    if head.startswith(b"#"):
        return Header(",", [])
    line = head.split(b"\n", 1)[0].decode("utf-8", "surrogateescape").rstrip("\r")
    delimiter = next((d for d in DELIMITERS if d in line), ",")
    return Header(delimiter, [cell.strip() for row in rows_of([line], delimiter) for cell in row])


class _TabRows:
    """The cells of lines between tabs, as `csv.reader` gives them.

    A cell in quotation marks may have line ends, and no tabs.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = iter(lines)
        self.ahead: list[str] = []
        self.line_num = 0

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        line = self._next()
        if '"' not in line:
            return line.split("\t") if line else []
        cells = line.split("\t")
        while not self.ahead and (rest := self._rest(cells[-1])):
            cells[-1:] = rest
        return [match[1].replace('""', '"') if (match := _QUOTED.fullmatch(cell)) else cell for cell in cells]

    def _next(self) -> str:
        line = self.ahead.pop(0) if self.ahead else next(self.lines)
        self.line_num += 1
        return line.removesuffix("\n").removesuffix("\r")

    def _rest(self, cell: str) -> list[str]:
        """The cell up to its closing mark in a later line, and the cells after it; nothing if there is none."""
        if not cell.startswith('"') or _QUOTED.fullmatch(cell):
            return []
        parts, read = [cell], list[str]()
        for line in self.lines:
            read.append(line)
            first, tab, others = line.removesuffix("\n").removesuffix("\r").partition("\t")
            parts.append(first)
            if '"' in first and _QUOTED.fullmatch(whole := "\n".join(parts)):
                self.line_num += len(read)
                return [whole, *(others.split("\t") if tab else [])]
            if tab or '"' in first.replace('""', ""):
                break
        self.ahead = read
        return []


def cells_of(lines: Iterable[str], delimiter: str) -> Any:
    """The cells of each row of lines with their ends, and as `line_num` how many lines were read.

    >>> list(cells_of(['q1\\t"a\\n', 'q2\\tb"\\n', 'q3\\t"two\\n', 'lines"\\n'], "\\t"))
    [['q1', '"a'], ['q2', 'b"'], ['q3', 'two\\nlines']]
    """
    return _TabRows(lines) if delimiter == "\t" else csv.reader(lines, delimiter=delimiter)


def rows_of(lines: list[str], delimiter: str) -> list[list[str]]:
    """The cells of some lines; none where they are not CSV, which the reader reports later."""
    try:
        return list(cells_of(lines, delimiter))
    except csv.Error:
        return []
