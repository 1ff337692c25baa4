"""What is right by a rule: qrels that know how far apart each pair is, and what a person should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from truerank.core.ids import starts_of
from truerank.core.kernel.scanning import as_text
from truerank.core.mappings import ids
from truerank.core.messages import plural
from truerank.core.qrels import Qrels
from truerank.formats.rows import text_column
from truerank.truth.coordinate_checks import coordinate_checks
from truerank.truth.items import Bools, Floats, Ints, Items
from truerank.truth.notes import TruthNote, examples, notes_without


@dataclass(frozen=True, eq=False)
class Pairs:
    """What a rule finds: one row per pair, in any order.

    Attributes:
        query, reference: (pairs,) rows of the items.
        metres: (pairs,) how far apart they are, NaN where that is not known.
        grade: (pairs,) how relevant; 1 if None. `IGNORED`: the pair leaves the query's list.
        tied: (queries,) whether the references' order decided; None: it never does.
        distance: how they were measured; None where they were not.
        notes: what a person should know.
    """

    query: Ints
    reference: Ints
    metres: Floats
    grade: Floats | None = None
    tied: Bools | None = None
    distance: str | None = None
    notes: tuple[TruthNote, ...] = ()


@dataclass(frozen=True, eq=False)
class Truth(Qrels):
    """Qrels that a rule made; they can be evaluated against as they are.

    Attributes:
        metres: (judgements,) how far each document is from its query, NaN where that is not known.
        rule: the rule with its parameters.
        distance: how it was measured: geodesic, haversine, xy, or None.
        tied: queries for which others were as near, and the references' order decided.
        without_relevant: queries for which nothing is right.
        notes: these and whatever is suspicious about the input.
    """

    metres: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    rule: str = ""
    distance: str | None = None
    tied: tuple[str, ...] = field(default=(), repr=False)
    without_relevant: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[TruthNote, ...] = field(default=(), repr=False)

    def pairs(self) -> Iterator[tuple[str, str, float, float]]:
        """(query, document, grade, metres) of each judgement."""
        for row, q in enumerate(self.query.tolist()):
            yield as_text(self.queries[q]), as_text(self.doc(row)), float(self.grades[row]), float(self.metres[row])

    def without_selves(self) -> Truth:
        """What is right but the document that has the query's own id."""
        kept = ~self.selves
        query = self.query[kept]
        without = lacking(self, kept)
        notes = (note for note in self.notes if note.kind != "without_relevant")
        return replace(
            self,
            start=starts_of(np.bincount(query, minlength=len(self.queries))),
            begin=self.begin[kept],
            end=self.end[kept],
            grades=self.grades[kept],
            metres=self.metres[kept],
            without_relevant=without,
            notes=(*notes, *notes_without(without, len(self.queries))),
        )


def lacking(qrels: Qrels, kept: Any = slice(None)) -> tuple[str, ...]:
    """The ids of the queries for which nothing is right, or nothing among some of the judgements."""
    right = np.bincount(qrels.query[kept][qrels.grades[kept] > 0], minlength=len(qrels))
    return tuple(as_text(name) for name, n in zip(qrels.queries, right.tolist(), strict=True) if not n)


def truth_of(rule: str, queries: Items, references: Items, pairs: Pairs) -> Truth:
    """The pairs as qrels sorted by query, each query's nearest document first."""
    names = ids(queries.ids, queries.name)
    by_name = sorted(range(len(names)), key=names.__getitem__)
    query = np.argsort(by_name)[pairs.query]
    order = np.lexsort((pairs.reference, pairs.metres, query))
    ends, text = text_column(ids(references.ids, references.name))
    refs = pairs.reference[order]
    grades = np.ones(len(query)) if pairs.grade is None else pairs.grade
    right = np.bincount(pairs.query[grades > 0], minlength=len(names))
    without_relevant = tuple(name for name, count in zip(queries.ids, right.tolist(), strict=True) if not count)
    tied = tuple(queries.ids[q] for q in np.flatnonzero(pairs.tied).tolist()) if pairs.tied is not None else ()
    return Truth(
        queries=tuple(names[i] for i in by_name),
        start=starts_of(np.bincount(query, minlength=len(names))),
        begin=ends[refs],
        end=ends[refs + 1],
        text=text,
        grades=grades[order],
        name=rule,
        metres=pairs.metres[order],
        rule=rule,
        distance=pairs.distance,
        tied=tied,
        without_relevant=without_relevant,
        notes=(
            *coordinate_checks(queries, references, pairs.distance),
            *pairs.notes,
            *_notes(tied, without_relevant, len(names)),
        ),
    )


def _notes(tied: Sequence[str], without_relevant: Sequence[str], queries: int) -> Iterator[TruthNote]:
    if tied:
        said = plural(
            "{n:,} query with references just as near as the right ones, "
            "which come first in the references' order: {names}.",
            "{n:,} queries with references just as near as the right ones, "
            "which come first in the references' order: {names}.",
            n=len(tied),
            names=examples(tied),
        )
        yield TruthNote("ties", said)
    yield from notes_without(without_relevant, queries)
