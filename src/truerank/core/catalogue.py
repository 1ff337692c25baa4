"""A catalogue: what is known of the documents that could be listed, and which of them a reading's documents are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Column = TypeVar("Column")


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue:
    """The documents that could be listed, each once.

    Attributes:
        ids: their names.
        name: where they came from.
        popularity: (items,) how many have used each; None: not given.
        groups: (items,) the groups of each.
        vectors: (items, dimensions) features; a row of NaN: none.
        others: the names of columns that were not read, for messages.
    """

    ids: Sequence[bytes]
    name: str = "items"
    popularity: Floats | None = None
    groups: Sequence[Sequence[str]] | None = None
    vectors: Floats | None = None
    others: Sequence[str] = ()

    def __len__(self) -> int:
        """The number of items."""
        return len(self.ids)

    @cached_property
    def rows(self) -> dict[bytes, int]:
        """The row of each id."""
        return {name: row for row, name in enumerate(self.ids)}

    def needed(self, column: str) -> Any:
        """A column that a measure needs.

        Raises:
            InputError: it was not given.
        """
        values = getattr(self, column)
        if values is None:
            raise InputError(
                "the table of items has no {column}, which a measure needs; there is {known}",
                self.name,
                column=column,
                known=", ".join(
                    ["id", *(name for name in COLUMNS if getattr(self, name) is not None), *self.others]
                ),
            )
        return values

    @cached_property
    def group_names(self) -> tuple[str, ...]:
        """The groups that some item has, in order."""
        return tuple(sorted({name for own in self.needed("groups") for name in own}))

    @cached_property
    def members(self) -> Floats:
        """(items, groups) 1 where an item is of a group; an item may be of several."""
        column = {name: place for place, name in enumerate(self.group_names)}
        members = np.zeros((len(self), len(column)))
        for row, own in enumerate(self.needed("groups")):
            members[row, [column[name] for name in own]] = 1.0
        return members


COLUMNS = ("popularity", "groups", "vectors")


@dataclass(frozen=True, eq=False, repr=False)
class Located:
    """Which items the documents of a reading are.

    Attributes:
        catalogue: the items; None: only what was returned and judged is known.
        place: (documents,) the row of each, by the number that hits have for it; documents that are no items have
            numbers after the items, one for each id.
        queries: the query ids of the judgements.
        start: (queries + 1,) where the judgements of each begin.
        grades: (judgements,) the grades of the judged documents, which have the first numbers.
    """

    catalogue: Catalogue | None
    place: Ints
    queries: Sequence[bytes]
    start: Ints
    grades: Floats

    @classmethod
    def of(
        cls,
        catalogue: Catalogue | None,
        docs: Iterable[bytes],
        numbers: Ints | None,
        queries: Sequence[bytes],
        start: Ints,
        grades: Floats,
    ) -> Located:
        """Locate documents.

        Args:
            docs: in the order of their numbers.
            numbers: those that they have, where not all are given; no others are asked for.
        """
        known = {} if catalogue is None else dict(catalogue.rows)
        place = np.array([known.setdefault(name, len(known)) for name in docs], np.int64)
        if numbers is not None:
            given, place = place, np.full(int(numbers.max(initial=-1)) + 1, -1, np.int64)
            place[numbers] = given
        return cls(catalogue, place, queries, start, grades)

    def needed(self, measure: str) -> Catalogue:
        """The items, where a measure needs them.

        Raises:
            InputError: there are none.
        """
        if self.catalogue is None:
            raise InputError(
                "{measure} needs a table of the documents: items=…, or --items FILE of a command", measure=measure
            )
        return self.catalogue

    def relevant(self, queries: Sequence[bytes], level: float) -> tuple[Ints, Ints]:
        """The relevant documents of queries, found or not: the query's place in `queries`, and the item's place."""
        at = {name: row for row, name in enumerate(self.queries)}
        rows = [np.arange(self.start[at[name]], self.start[at[name] + 1]) for name in queries]
        of = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
        judged = np.concatenate([*rows, np.empty(0, np.int64)]).astype(np.int64)
        kept = self.grades[judged] >= level
        return of[kept], self.place[judged[kept]]
