"""One query as a measure sees it, with the documents' names: what a worked form reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from truerank.core.calls import Calls
from truerank.core.hits import Hits


class Hit(NamedTuple):
    """A document: its rank in the list (0: it is not there), id and grade, and the ranks of its ties."""

    rank: int
    doc: str
    grade: float
    first: int = 0
    last: int = 0


def once_each(hits: list[Hit]) -> list[Hit]:
    """Each document where it comes first."""
    firsts: dict[str, Hit] = {}
    for hit in hits:
        firsts.setdefault(hit.doc, hit)
    return list(firsts.values())


@dataclass(frozen=True)
class Case:
    """One query.

    Attributes:
        measure: what is worked out, as it prints.
        returned: how many documents were returned.
        hits: the judged ones of them, by rank; for a measure of whole lists all of them.
        judged: all judged documents, best grade first.
        max_grade: the highest grade of the whole collection, or 0.
        depth: the last rank that counts; None: all.
        beyond: the judged documents below it that are tied with one above it.
        calls: where each of several lists ends; None for one list.
        read: what a measure of aspects or of whole lists reads; None for others, to which a document is its grade.
        numbered: the judged documents by their numbers in that.
    """

    measure: str
    returned: int
    hits: tuple[Hit, ...]
    judged: tuple[Hit, ...]
    max_grade: float
    depth: int | None = None
    beyond: tuple[Hit, ...] = ()
    calls: Calls | None = None
    read: Hits | None = None
    numbered: Mapping[int, Hit] = field(default_factory=dict)

    def looked_at(self, k: int | None) -> int:
        """How many results there are among the first k; all for None."""
        return self.returned if k is None else min(self.returned, k)

    def top(self, k: int | None) -> list[Hit]:
        """The hits among the first k results; all for None."""
        return [hit for hit in self.hits if k is None or hit.rank <= k]

    def relevant(self, level: float, k: int | None = None) -> list[Hit]:
        """The relevant hits among the first k results."""
        return [hit for hit in self.top(k) if hit.grade >= level]

    def total(self, level: float) -> int:
        """How many relevant documents there are, found or not."""
        return sum(hit.grade >= level for hit in self.judged)

    def lost(self, level: float, k: int | None = None) -> list[Hit]:
        """The relevant documents that are not among the first k results."""
        found = {hit.doc for hit in self.relevant(level, k)}
        return [hit for hit in self.judged if hit.grade >= level and hit.doc not in found]
