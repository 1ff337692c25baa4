"""What systems answered to each query, as far as it fits on a page: lists, relevant documents, the arithmetic."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from truerank.analysis.explain.query import lenient
from truerank.analysis.explain.worked import Case, Hit, Worked, work_out
from truerank.analysis.explain.worked.form import whole
from truerank.analysis.report import SystemAnswers
from truerank.core.errors import printable
from truerank.core.evaluate import in_mean, is_ruled
from truerank.core.hits import Hits
from truerank.core.judgements import grades_of
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.messages import Message, message
from truerank.core.qrels import Qrels
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.terms import once_each

PLACES = 4
"""Digits after the point of the numbers in a computation."""

MOST = 20
"""Relevant documents that are named: of a query, and of those a system returned lower, or did not return."""


@dataclass(frozen=True)
class ListedRun:
    """The beginning of one list.

    Attributes:
        docs: the documents, from rank 1 on.
        scores: the system's scores; negated ranks where its run has none.
        calls: which call returned each document; empty where a query has one list.
    """

    docs: tuple[bytes, ...]
    scores: tuple[float, ...]
    calls: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class ShownAnswers:
    """What the page shows of each query when it is opened; columns whose rows are the queries.

    Attributes:
        depth: the most results that a list here has.
        docs: the names of documents; all other fields refer to documents by their places here.
        lists: [system][query] documents, scores, the number of documents returned, and the call that returned
            each; None where there is no list.
        judged: [query] documents and their grades: those in the lists, the first relevant ones, and the first
            relevant ones that each system did not return.
        relevant: [query] how many relevant documents there are.
        found: [system][query] how many of them were returned.
        below: [system][query] relevant documents that were returned below the list, and their ranks: the first
            ones, and those in `judged`.
        worked: {measure: [system][query] terms and lines; None where it is not worked out}.
        level: the lowest grade that is relevant.
        is_scored: [system] whether its run has scores, and not only an order.
        left_out: what the rules leave out of the lists, in sentences.
        ids: the ids of the documents as files have them.
        texts: the beginnings of their texts, as many as there is room for; empty where there are none.
    """

    depth: int
    docs: tuple[str, ...]
    lists: Sequence[Sequence[Any]]
    judged: Sequence[Any]
    relevant: Sequence[int]
    found: Sequence[Sequence[int]]
    below: Sequence[Sequence[Any]]
    worked: Mapping[str, Sequence[Sequence[Any]]]
    level: float
    is_scored: Sequence[bool]
    left_out: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        left_out = ("ids",) if self.texts else ("ids", "texts")
        names = (field.name for field in dataclasses.fields(self))
        return {name: getattr(self, name) for name in names if name not in left_out}

    def shown_first(self) -> list[int]:
        """The places of all documents, those near the top of a list first."""
        rows = [one[0] for lists in self.lists for one in lists if one]
        high = (row[rank] for rank in range(self.depth) for row in rows if rank < len(row))
        return list(dict.fromkeys([*high, *range(len(self.docs))]))


@dataclass(frozen=True)
class Wanted:
    """What the page is to show of the queries.

    Attributes:
        depth: how many results of a list.
        listed: queries whose lists are shown.
        worked: queries for which measures are worked out.
    """

    depth: int
    listed: frozenset[str]
    worked: frozenset[str]


def answers(
    qrels: Qrels,
    systems: Sequence[SystemAnswers],
    values: Mapping[str, Any],
    queries: Sequence[str],
    measures: Mapping[str, Measure],
    rules: Rules,
    wanted: Wanted,
) -> ShownAnswers:
    """What to show of these queries.

    Args:
        qrels: the judgements, as the rules have them.
        values: {measure: (queries, systems)} as they were computed.
        measures: by the names that they are shown under.
    """
    return _Page(qrels, systems, values, queries, measures, rules, wanted).made()


@dataclass(eq=False)
class _Page:
    """Builds `ShownAnswers`; a document gets its place when it is first named."""

    qrels: Qrels
    systems: Sequence[SystemAnswers]
    values: Mapping[str, Any]
    queries: Sequence[str]
    measures: Mapping[str, Measure]
    rules: Rules
    wanted: Wanted
    places: dict[bytes, int] = field(default_factory=dict)

    def made(self) -> ShownAnswers:
        keys = list(map(as_bytes, self.queries))
        asked = frozenset(key for key, query in zip(keys, self.queries, strict=True) if query in self.wanted.listed)
        lists = [beginnings(s.reading, self.wanted.depth, asked) for s in self.systems]
        own = [{query: place for place, query in enumerate(s.hits.queries)} for s in self.systems]
        rows = {query: place for place, query in enumerate(self.qrels.queries)}
        found = [once_each(system.hits.relevant(self.rules.level)) for system in self.systems]
        right = [[_docs(self.qrels, hits, p.get(key)) for hits, p in zip(found, own, strict=True)] for key in keys]
        judged = [
            self._judged(rows.get(key), [by_query.get(key) for by_query in lists], each)
            for key, each in zip(keys, right, strict=True)
        ]
        return ShownAnswers(
            depth=self.wanted.depth,
            lists=[
                [self._list(system, places.get(key), by_query.get(key)) for key in keys]
                for system, places, by_query in zip(self.systems, own, lists, strict=True)
            ],
            judged=[[list(map(self._place, named)), list(named.values())] for named in judged],
            relevant=[self._relevant(rows.get(key)) for key in keys],
            found=[[len(each[s]) for each in right] for s in range(len(self.systems))],
            below=[
                [
                    self._below(hits, places.get(key), each[s], named)
                    for key, each, named in zip(keys, right, judged, strict=True)
                ]
                for s, (hits, places) in enumerate(zip(found, own, strict=True))
            ],
            worked=self._worked(keys, own, rows),
            level=self.rules.level,
            is_scored=[not system.reading.scoring.are_ranks for system in self.systems],
            left_out=tuple(_left_out(self.rules)),
            docs=tuple(map(printable, self.places)),
            ids=tuple(map(as_text, self.places)),
        )

    def _place(self, doc: bytes) -> int:
        return self.places.setdefault(doc, len(self.places))

    def _list(self, system: SystemAnswers, place: int | None, listed_run: ListedRun | None) -> Any:
        if listed_run is None:
            return None
        returned = len(listed_run.docs) if place is None else int(system.hits.returned[place])
        return [list(map(self._place, listed_run.docs)), list(listed_run.scores), returned, list(listed_run.calls)]

    def _grades(self, row: int | None) -> dict[bytes, float]:
        """The judgements of a query, without documents that leave its lists."""
        grades = {} if row is None else grades_of(self.qrels, row)
        return {doc: grade for doc, grade in grades.items() if grade == grade}

    def _rows(self, row: int) -> slice:
        """The judgements of a query."""
        return slice(int(self.qrels.start[row]), int(self.qrels.start[row + 1]))

    def _judged(
        self, row: int | None, lists: Sequence[ListedRun | None], returned: Sequence[Collection[bytes]]
    ) -> dict[bytes, float]:
        """The grades of the documents to name.

        Args:
            returned: the relevant documents that each system returned.
        """
        grades = self._grades(row)
        right = sorted((d for d, g in grades.items() if g >= self.rules.level), key=lambda d: (-grades[d], d))
        named = right[:MOST]
        for docs in map(set, returned if len(right) > MOST else ()):
            named += [doc for doc in right if doc not in docs][:MOST]
        seen = (doc for ranking in lists if ranking for doc in ranking.docs if doc in grades)
        return {doc: whole(grades[doc]) for doc in [*named, *seen]}

    def _relevant(self, row: int | None) -> int:
        return 0 if row is None else int(np.count_nonzero(self.qrels.grades[self._rows(row)] >= self.rules.level))

    def _below(self, found: Hits, place: int | None, docs: Sequence[bytes], judged: Collection[bytes]) -> Any:
        ranks = [] if place is None else found.rank[rows_of(found, place)].tolist()
        deep = [(doc, rank) for doc, rank in zip(docs, ranks, strict=True) if rank > self.wanted.depth]
        kept = [(self._place(doc), rank) for i, (doc, rank) in enumerate(deep) if i < MOST or doc in judged]
        return [[doc for doc, _ in kept], [rank for _, rank in kept]]

    def _worked(self, keys: Sequence[bytes], own: Sequence[Any], rows: Mapping[bytes, int]) -> dict[str, Any]:
        worked: dict[str, list[list[Any]]] = {name: [[] for _ in self.systems] for name in self.measures}
        is_set = [{name: self._is_set(m, each) for name, m in self.measures.items()} for each in self.systems]
        for q, (query, key) in enumerate(zip(self.queries, keys, strict=True)):
            for s, system in enumerate(self.systems):
                place = own[s].get(key) if query in self.wanted.worked else None
                if place is None:
                    for lists in worked.values():
                        lists[s].append(None)
                    continue
                case = cache(partial(self._case, system, place, rows[key]))
                for name, measure in self.measures.items():
                    value = float(self.values[name][q, s])
                    seen = None if is_set[s][name][place] else case(measure.depth, measure.definition.sees_aspects)
                    worked[name][s].append(None if seen is None else self._steps(measure, seen, value))
        return worked

    def _case(self, system: SystemAnswers, place: int, row: int, depth: int | None, by_aspect: bool) -> Case:
        """A query as measures with this cutoff see it, measures of aspects or others."""
        hits = system.hits.cut(depth)
        known = [Hit(0, printable(doc), whole(grade)) for doc, grade in self._grades(row).items()]
        if self.rules.unreturned == "ignore":
            known = [hit._replace(rank=0) for hit in self._named(self._uncut[system.name], place)]
        known.sort(key=lambda hit: -hit.grade)
        return Case(
            measure="",
            returned=int(hits.returned[place]),
            hits=self._named(hits, place),
            judged=tuple(known),
            max_grade=whole(hits.max_grade),
            depth=hits.depth,
            beyond=() if hits.beyond is None else self._named(hits.beyond, place),
            calls=None if hits.calls is None else hits.calls.within(place, place + 1),
            read=_alone(hits, place, self._rows(row)) if by_aspect else None,
            numbered=self._numbered(row) if by_aspect else {},
        )

    def _numbered(self, row: int) -> dict[int, Hit]:
        """Every judged document of a query by its number among them."""
        named = enumerate(grades_of(self.qrels, row).items())
        return {i: Hit(0, printable(doc), whole(grade)) for i, (doc, grade) in named}

    @cached_property
    def _uncut(self) -> dict[str, Hits]:
        """{system: hits of its whole lists, before the rules for depth and unjudged documents}."""
        readings = {system.name: system.reading for system in self.systems}
        return {name: in_mean(one.hits, one.rules, one.name) for name, one in readings.items()}

    def _named(self, hits: Hits, place: int) -> tuple[Hit, ...]:
        """The rows of a query, with the names of their documents."""
        rows = rows_of(hits, place)
        columns = (getattr(hits, name)[rows].tolist() for name in ("rank", "grade", "first", "last"))
        return tuple(
            Hit(rank, printable(doc), whole(grade), first, last)
            for doc, rank, grade, first, last in zip(self.qrels.docs(hits.doc[rows]), *columns, strict=True)
        )

    def _is_set(self, measure: Measure, system: SystemAnswers) -> Sequence[bool]:
        """(queries,) whether a rule sets the value because there is nothing to find."""
        finds: list[bool] = measure.finds(system.hits, self.rules.level).tolist()
        return [is_ruled(measure, self.rules) and not each for each in finds]

    def _steps(self, measure: Measure, case: Case, value: float) -> Any:
        """Terms as [rank, document, how, value] and lines as [name, how, value, digits]; None if not known.

        The digits are those after the point: 0 for a number of documents.
        """
        if value != value or measure.definition.sees_lists or self.rules.unjudged == "graded":
            return None  # it needs documents without rows here
        worked = work_out(measure, replace(case, measure=str(measure)), self.rules, value)
        return [
            _terms(worked),
            [[line.name, line.text(PLACES), line.value, _places(line.value)] for line in worked.lines],
        ]


def _places(value: Any) -> int:
    return PLACES if isinstance(value, float) else 0


def _terms(worked: Worked) -> list[list[Any]]:
    terms = worked.sums[0].terms if worked.sums else ()
    return [[term.rank, term.doc, term.text(PLACES), term.value] for term in terms if term.rank is not None][:MOST]


def _left_out(rules: Rules) -> Iterator[Message]:
    """Sentences on documents that were returned, but are shown and counted as if they had not been."""
    if rules.unjudged == "removed":
        yield message("Under these rules unjudged documents are left out of the lists.")
    if rules.depth is not None:
        yield message(
            "Under these rules a list ends at rank {n:,}; what ranks lower is taken as not returned.", n=rules.depth
        )


def _docs(qrels: Qrels, hits: Hits, place: int | None) -> list[bytes]:
    """The documents of a query's hits; none where the query has no place."""
    return [] if place is None else qrels.docs(hits.doc[rows_of(hits, place)])


def _alone(hits: Hits, place: int, judged: slice) -> Hits:
    """The hits of one query only, with documents numbered among its own judgements."""
    own, rows = hits.within(place, place + 1), np.arange(judged.start, judged.stop)
    none = np.zeros_like(rows)
    aspects = None if own.aspects is None else own.aspects.take(none[:1], rows, none)
    beyond = None if hits.beyond is None else _alone(hits.beyond, place, judged)
    return replace(own, doc=own.doc - judged.start, aspects=aspects, beyond=beyond)


def rows_of(hits: Hits, place: int) -> slice:
    """The rows of a query, by its place among the queries of the hits."""
    start = int(hits.query.searchsorted(place))
    return slice(start, start + int(hits.count[place]))


def beginnings(reading: Reading, k: int, wanted: Collection[bytes]) -> dict[bytes, ListedRun]:
    """The first k results of each wanted query in the engine's own order.

    Args:
        reading: with the unjudged documents of the first k ranks.
    """
    rules, answered = lenient(reading.rules), reading.rows.returned >= 0
    asked = np.array([query in wanted for query in reading.rows.queries], bool)
    is_left_out = rules.duplicates == "once" and rules.unjudged == "removed"  # else repeats take up ranks
    some = (reading.hits if is_left_out else reading.rows).select(answered & asked)
    top = in_mean(some, rules, reading.name).under(rules).top(k)
    docs, scores, ends = reading.docs(top.doc), top.score.tolist(), np.cumsum(top.count).tolist()
    calls = [] if top.calls is None else top.call.tolist()
    return {
        query: ListedRun(tuple(docs[begin:end]), tuple(scores[begin:end]), tuple(calls[begin:end]))
        for query, begin, end in zip(top.queries, [0, *ends], ends, strict=False)
    }
