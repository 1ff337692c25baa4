"""The whole ranked list of one query, judged or not, in the engine's own order: what counts, and what does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from truerank.analysis.explain.worked.form import whole
from truerank.core.hits import Hits
from truerank.core.kernel.scanning import as_text
from truerank.core.reading import Reading
from truerank.core.rules import Rules

Place = Literal["ranked", "repeated", "ignored", "removed", "below depth", "missing"]
"""ranked: it counts; repeated: it has a rank, but counted where it came first. The others have no rank: the qrels
ignore it, it left the list as it is unjudged, it stands below the depth, it was not returned."""

Kind = Literal["relevant", "not relevant", "pooled", "unjudged"]
"""pooled: a grade below 0, in the pool but not judged."""


class Raw(NamedTuple):
    """A document that was returned, before any leaves the list."""

    doc: bytes
    score: float


@dataclass(frozen=True)
class Listed:
    """A document of the query: one that was returned, or a relevant one that was not.

    Attributes:
        doc: its id.
        rank: the rank that counts, 1-based; None where it has none.
        score: the system's; None where it was not returned, or the run has no scores.
        grade: None: it is not in the qrels.
        kind: what the grade says.
        place: whether it counts, and if not why.
        tied: the first and last rank of its group of equal scores, where it has company.
        call: which call returned it, where the query has several lists and it has a rank.
    """

    doc: str
    rank: int | None
    score: float | None
    grade: float | None
    kind: Kind
    place: Place
    tied: tuple[int, int] | None = None
    call: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the call only where there is one."""
        plain = {**vars(self), "tied": list(self.tied) if self.tied else None}
        return {name: value for name, value in plain.items() if name != "call" or value is not None}


def unscored(documents: Sequence[Listed]) -> tuple[Listed, ...]:
    """The same documents without scores."""
    return tuple(replace(listed, score=None) for listed in documents)


def kind_of(grade: float | None, level: float) -> Kind:
    """What a grade says of a document, None being no grade."""
    if grade is None or math.isnan(grade):
        return "unjudged"
    if grade >= level:
        return "relevant"
    return "pooled" if grade < 0 else "not relevant"


def listing(judged: dict[bytes, float], raw: Sequence[Raw], reading: Reading, level: float) -> tuple[Listed, ...]:
    """Every document of a query: those that were returned, in order, then the relevant ones that were not.

    Args:
        judged: the query's judgements, NaN for those that leave its list.
        raw: what was returned.
        reading: of this query alone, with all rows.
        level: the lowest grade that is relevant.
    """
    rules, rows = reading.rules, reading.rows
    if rules.duplicates == "once" and rules.unjudged == "removed":  # otherwise repeats take up ranks
        first = {each.doc: each for each in reversed(raw)}
        raw, rows = [each for each in raw if first[each.doc] is each], reading.hits
    counted = _ranks(rows.under(rules))
    returned = [_row(*each, judged.get(each.doc), counted, rules, level) for each in raw]
    if rules.duplicates == "once":
        returned = list(_credited(returned))
    found = {each.doc for each in raw}
    grades = {**judged, **{doc: grade for doc, grade in reading.qrels.apart.items() if doc in judged}}
    lost = [(-grade, doc) for doc, grade in grades.items() if doc not in found and grade >= level]
    missing = [_listed(doc, None, -grade, level, "missing") for grade, doc in sorted(lost)]
    return (*returned, *missing)


def _credited(documents: Iterable[Listed]) -> Iterator[Listed]:
    """The documents, those that came before already marked as repeated."""
    seen = set()
    for listed in documents:
        yield replace(listed, place="repeated") if listed.rank and listed.doc in seen else listed
        seen.add(listed.doc)


Ranks = tuple[int | None, int, int, int | None]
"""The rank that counts, the first and last of its group, and the call where there are several."""


def _ranks(hits: Hits) -> Iterator[Ranks]:
    """The ranks of each document that has one."""
    calls = [None] * len(hits) if hits.calls is None else hits.call.tolist()
    return zip(*(column.tolist() for column in (hits.rank, hits.first, hits.last)), calls, strict=True)


def _row(
    doc: bytes, score: float, grade: float | None, ranks: Iterator[Ranks], rules: Rules, level: float
) -> Listed:
    """A document that was returned; it takes the next rank, if it counts and one is left within the depth."""
    if grade is not None and math.isnan(grade):
        return _listed(doc, score, grade, level, "ignored")
    if rules.unjudged == "removed" and (grade is None or grade < 0):
        return _listed(doc, score, grade, level, "removed")
    rank, first, last, call = next(ranks, (None, 0, 0, None))
    if rank is None:
        return _listed(doc, score, grade, level, "below depth")
    return _listed(doc, score, grade, level, "ranked", rank, (first, last) if first < last else None, call)


def _listed(
    doc: bytes,
    score: float | None,
    grade: float | None,
    level: float,
    place: Place,
    rank: int | None = None,
    tied: tuple[int, int] | None = None,
    call: int | None = None,
) -> Listed:
    known = None if grade is None or math.isnan(grade) else whole(grade)
    return Listed(as_text(doc), rank, score, known, kind_of(grade, level), place, tied, call)
