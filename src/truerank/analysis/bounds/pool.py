"""All documents that a run returned, judged or not, and which of them could get another judgement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from truerank.core.errors import InputError, MeasureError, RulesError, printable
from truerank.core.evaluate import as_one_list, in_mean
from truerank.core.hits import UNJUDGED, Bools, Hits, Judgements
from truerank.core.ids import is_later
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints

ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Pool:
    """All documents that a run returned.

    Attributes:
        qrels: the judgements, as the rules have them.
        hits: of all returned documents, with the grade `UNJUDGED` for those without one, before any rule.
        name: of the run.
        rules: under which it is evaluated.
        numbers: (documents,) the number of each document of the hits among those of several runs.
        documents: how many there are in these runs.
    """

    qrels: Qrels
    hits: Hits
    name: str
    rules: Rules
    numbers: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    documents: int = 0

    @classmethod
    def of(cls, reading: Reading, measures: Iterable[Measure]) -> Pool:
        """The pool of a run that was read with all its rows, for these measures.

        Raises:
            InputError: a document counts twice.
            RulesError: unjudged documents would decide which queries are in the mean.
            MeasureError: the run has several lists per query, and the rules or a measure do not make one of them.
        """
        rows = _one_list(reading, measures)
        if reading.repeated and (later := is_later(rows.doc)).any():
            if reading.rules.duplicates != "once":
                raise InputError(
                    "a document is returned twice, and could not be judged twice; count each document where it "
                    "came first: --set duplicates=once",
                    reading.name,
                )
            rows = rows.where(~later)
        _refuse_deciding(rows, reading.rules)
        hits = in_mean(rows, reading.rules, reading.name)
        return cls(reading.qrels, hits, reading.name, reading.rules)

    def as_is(self) -> Hits:
        """The hits as the engine has them, only of judged documents."""
        return self.hits.where(self.hits.grade > UNJUDGED)

    @cached_property
    def open(self) -> Bools:
        """(hits,) whether each is unjudged: without a grade, or only pooled."""
        return is_open(self.hits, self.rules)

    @cached_property
    def doc(self) -> Ints:
        """(hits,) the number of each document among those of several runs."""
        return self.numbers[self.hits.doc]

    @cached_property
    def _rows(self) -> Ints:
        rows = np.full(self.documents, -1)
        rows[self.doc] = np.arange(len(self.doc))
        return rows

    def row_of(self, docs: Ints) -> Ints:
        """(docs,) the hit of each document; -1 where it was not returned."""
        return self._rows[docs]

    def rank_of(self, doc: int) -> int | None:
        """The rank of a document; None where it was not returned."""
        row = int(self._rows[doc])
        return None if row < 0 else int(self.hits.rank[row])

    def known(self, is_seeing: bool, rows: slice = ALL) -> Bools:
        """(hits,) whether each is judged; with judged-wrong ones left out unless `is_seeing`."""
        return self.hits.grade[rows] > (UNJUDGED if is_seeing else 0.0)

    @cached_property
    def judgements(self) -> tuple[Judgements, Judgements]:
        """The judgements of documents that are not open: without those judged wrong, and with them."""
        return self._judgements(0.0), self._judgements(UNJUDGED)

    def _judgements(self, least: float) -> Judgements:
        """The judgements above `least` of documents that are not open, numbered like the queries of the hits."""
        place = {query: number for number, query in enumerate(self.hits.queries)}
        new = np.array([place.get(query, -1) for query in self.qrels.queries], np.int64)
        query, grade = new[self.qrels.query], self.qrels.grades
        kept = (query >= 0) & ~np.isnan(grade) & (grade > least)
        kept[self.hits.doc[self.open & (self.hits.grade > UNJUDGED)]] = False
        own = [(place[name], grade) for name, grade in self.qrels.apart.items() if name in place and grade > least]
        query = np.concatenate([query[kept], np.array([q for q, _ in own], np.int64)])
        grade = np.concatenate([grade[kept], np.array([g for _, g in own], np.float64)])
        return best_first(query, grade)


def best_first(query: Ints, grade: Floats) -> Judgements:
    """Judgements from queries and grades in any order."""
    order = np.lexsort((-grade, query))
    return Judgements(query[order], grade[order])


def _one_list(reading: Reading, measures: Iterable[Measure]) -> Hits:
    """All rows of a run, of one list per query."""
    needing = next((measure for measure in measures if measure.definition.needs == "calls"), None)
    if needing is not None:
        raise MeasureError(
            "what unjudged documents could change is not covered for {measure}, which is about several lists "
            "per query: ask for ties alone (of='ties'; for a command: --of ties)",
            measure=needing,
        )
    return as_one_list(reading.rows, reading.rules, message("what unjudged documents could change"))


def is_open(hits: Hits, rules: Rules) -> Bools:
    """(hits,) whether each is unjudged, and counts as returned."""
    is_of_these = rules.unjudged != "removed" or rules.depth_of == "returned"
    deepest = hits.rank.max(initial=0) if rules.depth is None or not is_of_these else rules.depth
    return (hits.grade < min(0.0, rules.level)) & (hits.rank <= deepest)


def refuse_lines(rules: Rules) -> None:
    """Raise for rules that count submitted lines."""
    rules.by_query(message("bounds are of judged queries"))


def refuse_uncovered(measures: Iterable[Measure]) -> None:
    """Raise for measures of aspects: a grade does not tell which aspects an unjudged document would answer."""
    for measure in measures:
        if measure.definition.sees_aspects:
            raise MeasureError(
                "bounds do not cover {measure}: documents of one grade differ in the aspects that they answer, or "
                "in their strata",
                measure=measure,
            )


def _refuse_deciding(rows: Hits, rules: Rules) -> None:
    """Raise where a query is skipped that would not be if one of its unjudged documents were relevant."""
    if rules.without_relevant != "skip":
        return
    open_of = np.bincount(rows.query[is_open(rows, rules)], minlength=len(rows.queries))
    decided = (open_of > 0) & (rows.judged_under(rules).relevant_total(rules.level) == 0)
    if decided.any():
        raise RulesError(
            "under without_relevant = 'skip' unjudged documents decide whether query {query} is in the mean: there "
            "are no bounds of it; without_relevant = 'zero' has some",
            query=printable(rows.queries[int(np.argmax(decided))]),
        )


def refuse_undefined(rules: Rules) -> None:
    """Raise for rules under which judgements decide which queries are in a mean."""
    if rules.without_relevant == "undefined":
        raise RulesError(
            "under without_relevant = 'undefined' unjudged documents decide which queries have a value: there are "
            "no bounds of its mean; without_relevant = 'zero' has some"
        )
