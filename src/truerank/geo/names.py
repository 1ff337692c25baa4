"""Which item a name means: by its id, another of its names, a file's name without its folders, or its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truerank.truth import Items

UNKNOWN = -1

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")


@dataclass(frozen=True)
class Form:
    """One way to read names.

    Attributes:
        label: what it is called in notes.
        table: the items' names as this way reads them, and their rows.
        folded: a name as this way reads it; None: as it is.
        alias: the column of the items that it looks into, if not the ids.
    """

    label: str
    table: Mapping[Any, int]
    folded: Callable[[str], str] | None = None
    alias: str | None = None

    def rows(self, names: Sequence[Any]) -> list[int]:
        """The row of each name's item, `UNKNOWN` where there is none."""
        texts: Iterable[Any] = names
        if names and type(names[0]) is not str:
            texts = map(str, names)
        if self.folded:
            texts = map(self.folded, texts)
        find = self.table.get
        return [find(text, UNKNOWN) for text in texts]

    def share(self, names: Sequence[Any]) -> float:
        """The share of the names that are known."""
        return sum(row != UNKNOWN for row in self.rows(names)) / len(names) if names else 0.0


def without_folders(name: str) -> str:
    """A file's name alone.

    >>> without_folders("a/b.jpg"), without_folders("c:\\\\a\\\\b.jpg")
    ('b.jpg', 'b.jpg')
    """
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def stem(name: str) -> str:
    """A file's name without folders and ending.

    >>> stem("a/b.jpg"), stem("@548123.45@4180000.10")
    ('b', '@548123.45@4180000.10')
    """
    return _ENDING.sub("", without_folders(name))


class Names:
    """The ways to read a name as one of these items."""

    def __init__(self, items: Items):
        self.items = items

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """The ways, the surest first."""
        return tuple(form for form in self._forms() if form.table)

    def _forms(self) -> Iterator[Form]:
        columns: dict[str | None, Sequence[Any]] = {None: self.items.ids}
        columns.update(self.items.aliases)
        for alias, names in columns.items():
            yield Form(alias or "id", _table(names), None, alias)
        for label, fold in (("name without folders", without_folders), ("name without ending", stem)):
            for alias, names in columns.items():
                yield Form(label, _table(map(fold, names)), fold, alias)
        yield Form("place in the list, from 0", {str(row): row for row in range(len(self.items))})

    def best(self, names: Sequence[Any]) -> Form:
        """The way that knows most of these names; of equals the surest."""
        return max(self.forms, key=lambda form: form.share(names))

    def share(self, names: Sequence[Any]) -> float:
        """The greatest share of the names that one way knows."""
        return max(form.share(names) for form in self.forms)

    def inside(self, text: str) -> str | None:
        """The longest of the items' names, without ending, that stands in a text as a word of its own."""
        for length in self._lengths:
            for start in range(len(text) - length + 1):
                part = text[start : start + length]
                if part in self._stems and not _is_cut(text, start, start + length):
                    return part
        return None

    @cached_property
    def _stems(self) -> Mapping[str, int]:
        return _table(map(stem, self.items.ids))

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(name) for name in self._stems}, reverse=True)


def _table(names: Iterable[str]) -> dict[str, int]:
    """The row of each name; empty where two items have the same one."""
    listed = list(names)
    table = {name: row for row, name in enumerate(listed)}
    return table if len(table) == len(listed) else {}


def _is_cut(text: str, start: int, end: int) -> bool:
    """Whether a word or a number goes on before or behind this part."""
    return (start > 0 and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum())
