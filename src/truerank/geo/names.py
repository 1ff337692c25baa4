"""Which item a name means: by its id, another of its names, a file's name without its folders, or its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truerank.core.messages import message
from truerank.truth import Items

UNKNOWN = -1

TELLING = 100
"""So many items tell whether their names may be numbers."""

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")


@dataclass(frozen=True)
class NameForm:
    """One way to read names.

    Attributes:
        label: what it is called in notes.
        keys: what this way calls each item.
        folded: a name as this way reads it; None: as it is.
    """

    label: str
    keys: tuple[str, ...]
    folded: Callable[[str], str] | None = None

    @cached_property
    def table(self) -> dict[str, int]:
        """The row of each item; empty where two items have the same name."""
        table = {name: row for row, name in enumerate(self.keys)}
        return table if len(table) == len(self.keys) else {}

    def read(self, names: list[Any]) -> list[Any]:
        """Names as this way reads them; whole numbers may stay."""
        return [self.folded(str(name)) for name in names] if self.folded else names

    def rows(self, names: Iterable[Any]) -> list[int]:
        """The row of each name's item, `UNKNOWN` where there is none."""
        find = self.table.get
        return [find(name, UNKNOWN) for name in map(str, self.read(list(names)))]

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


def number(name: str) -> str:
    """A stem without the zeros before its number.

    >>> number("a/000120.jpg"), number("0000")
    ('120', '0')
    """
    bare = stem(name)
    return str(int(bare)) if bare.isascii() and bare.isdecimal() else bare


FOLDED = {
    message("name without folders"): without_folders,
    message("name without ending"): stem,
    message("number"): number,
}


class Names:
    """The ways to read a name as one of these items, each worked out when the surer ones do not do."""

    def __init__(self, items: Items):
        self.items = items
        self._known: list[NameForm] = []
        self._more = self._forms()

    def __iter__(self) -> Iterator[NameForm]:
        """The ways, the surest first."""
        yield from self._known
        for form in self._more:
            self._known.append(form)
            yield form

    def _forms(self) -> Iterator[NameForm]:
        columns = {"id": self.items.ids, **self.items.aliases}
        for label, names in columns.items():
            yield NameForm(label, tuple(name or "" for name in names))
        for label, fold in FOLDED.items():
            for names in columns.values():
                yield NameForm(label, tuple(fold(name or "") for name in names), fold)
        yield self.places

    @cached_property
    def places(self) -> NameForm:
        """The way to name items by their place in the list, from 0."""
        return NameForm(message("place in the list, from 0"), tuple(map(str, range(len(self.items)))))

    def best(self, names: Sequence[Any]) -> NameForm:
        """The way that knows most of these names; of equals the surest."""
        best, most = next(iter(self)), -1.0
        for form in self:
            share = form.share(names)
            if share > most:
                best, most = form, share
            if share == 1:
                break
        return best

    def other(self, form: NameForm, names: Sequence[Any]) -> NameForm | None:
        """Another way to read names that are all numbers, by which they are all known, and are other items."""
        if not self._may_be_numbers or not all(str(name).isdecimal() for name in names):
            return None
        rows = form.rows(names)
        others = (one for one in self if one is not form and self.places in (one, form))
        return next((one for one in others if UNKNOWN not in (read := one.rows(names)) and read != rows), None)

    @property
    def _may_be_numbers(self) -> bool:
        """Whether some of the first items have a name that is a number, but for folders and ending."""
        columns = (self.items.ids, *self.items.aliases.values())
        return any(number(name or "").isdecimal() for column in columns for name in column[:TELLING])

    def share(self, names: Sequence[Any]) -> float:
        """The greatest share of the names that one way knows."""
        return self.best(names).share(names)

    def inside(self, text: str) -> str | None:
        """The longest of the items' names, without ending, that stands in a text as a word of its own."""
        for length in self._lengths:
            for start in range(len(text) - length + 1):
                part = text[start : start + length]
                if part in self._stems and not _is_cut(text, start, start + length):
                    return part
        return None

    @cached_property
    def _stems(self) -> set[str]:
        return set(map(stem, self.items.ids))

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(name) for name in self._stems}, reverse=True)


def _is_cut(text: str, start: int, end: int) -> bool:
    """Whether a word or a number goes on before or behind this part."""
    return (start > 0 and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum())
