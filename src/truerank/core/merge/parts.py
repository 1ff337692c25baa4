"""Parts: readings of pieces of one run, their queries placed among those of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, RulesError, printable
from truerank.core.hits import Bools
from truerank.core.ids import starts_of
from truerank.core.judgements import Judgement, judgements_of
from truerank.core.kernel.scanning import HIT
from truerank.core.mappings import distinct_ids
from truerank.core.messages import message
from truerank.core.qrels import Ints, Qrels
from truerank.core.reading import Reading
from truerank.core.saved import FOUND

if TYPE_CHECKING:
    from truerank.core.aspects import Aspects


@dataclass(frozen=True, eq=False)
class Parts:
    """Readings of parts of a run.

    Attributes:
        readings: in any order.
        qrels: the judgements of all parts together.
        places: for each part, the place of each of its queries among the queries of `qrels`.
    """

    readings: Sequence[Reading]
    qrels: Qrels
    places: Sequence[Ints]

    @classmethod
    def of(cls, readings: Iterable[Reading]) -> Parts:
        """The parts, if they can be merged.

        Raises:
            InputError: there is no part, or two judge a query differently.
            RulesError: they were read under different rules, or the rules count submitted lines.
        """
        parts = list(readings)
        if not parts:
            raise InputError("there is no reading to merge")
        first = parts[0]
        for part in parts[1:]:
            if part.rules != first.rules or part.kept != first.kept:
                raise RulesError(
                    "{part} and {first} were read under different rules, or keep other rows",
                    part=part.name,
                    first=first.name,
                )
        if len(parts) > 1:
            first.rules.by_query(message("parts of a run are merged query by query; read all of its files as one"))
        qrels = _judgements(parts)
        distinct = {id(part.qrels): part.qrels.queries for part in parts}
        places = {each: _placed(queries, qrels.queries) for each, queries in distinct.items()}
        made = cls(parts, qrels, [places[id(part.qrels)] for part in parts])
        made._refuse_unjudged()
        return made

    def _refuse_unjudged(self) -> None:
        """Raise where a query is answered only by parts that were read without its judgements.

        Where a part that had its judgements answers it too, each part may have been read from the whole run with
        the judgements of its own queries.
        """
        parts = [part for part in self.readings if part.extra and part.qrels is not self.qrels]
        if not parts:
            return
        lost = {self.qrels.queries[number] for number in np.flatnonzero(self.times == 0).tolist()}
        for part in parts:
            if lacking := next((query for query in part.extra if query in lost), None):
                raise InputError(
                    "query {query} is answered here, but was not judged when this was read, as it was for another "
                    "part: read it again with the judgements of its queries",
                    part.name,
                    query=printable(lacking),
                )

    @property
    def name(self) -> str:
        """The name of the whole, whatever the order of the parts."""
        return min(part.name for part in self.readings)

    @cached_property
    def times(self) -> Ints:
        """(queries,) how many parts answer each query."""
        return self._sum([part.rows.returned >= 0 for part in self.readings])

    @cached_property
    def returned(self) -> Ints:
        """(queries,) how many documents were returned for each query in all parts; -1 where no part answers it."""
        total = self._sum([part.rows.returned.clip(0) for part in self.readings])
        return np.where(self.times > 0, total, -1)

    @cached_property
    def repeats(self) -> Ints:
        """(queries,) how many rows of each query repeat a document of the same part."""
        return self._sum([0 if part.repeats is None else part.repeats for part in self.readings])

    def _sum(self, values: Sequence[Bools | Ints | int]) -> Ints:
        total = np.zeros(len(self.qrels), np.int64)
        for place, each in zip(self.places, values, strict=True):
            total[place] += each
        return total

    def table(self, number: int, keep: Bools, before: int) -> NDArray[np.void]:
        """The rows of a part for some queries, with the numbers that queries and documents have in the whole.

        Args:
            keep: (queries,) which queries of the whole.
            before: how many unjudged documents the earlier parts have.
        """
        part, place = self.readings[number], self.places[number]
        rows, known = part.rows, len(part.qrels.grades)
        table = np.empty(len(rows), HIT)
        for name in FOUND:
            table[name] = getattr(rows, name)
        table["query"] = place[rows.query]
        shift = (self.qrels.start[place] - part.qrels.start[:-1])[rows.query]
        table["doc"] = rows.doc + np.where(rows.doc < known, shift, len(self.qrels.grades) + before - known)
        kept: NDArray[np.void] = table[keep[table["query"]]]
        return kept


def _placed(some: Sequence[bytes], queries: Sequence[bytes]) -> Ints:
    """(some,) the place of each of some queries among all queries; both are sorted."""
    if some == queries:
        return np.arange(len(queries))
    place = {query: number for number, query in enumerate(queries)}
    return np.array([place[query] for query in some], np.int64)


def _judgements(parts: Sequence[Reading]) -> Qrels:
    """The judgements of all parts."""
    distinct = list({id(part.qrels): part.qrels for part in parts}.values())
    if len(distinct) > 1:
        distinct = list(
            {qrels.digest: qrels for qrels in sorted(distinct, key=lambda qrels: qrels.highest)}.values()
        )
    if len(distinct) == 1:
        return distinct[0]
    owner: dict[bytes, tuple[Qrels, int]] = {}
    for qrels in distinct:
        for number, query in enumerate(qrels.queries):
            other, at = owner.setdefault(query, (qrels, number))
            if other is qrels:
                continue
            is_alike = judgements_of(other, at) == judgements_of(qrels, number)
            if not is_alike or other.apart.get(query) != qrels.apart.get(query):
                raise InputError(
                    "query {query} is judged differently, or in another order, than in other parts: read all of "
                    "them against the same qrels",
                    qrels.name,
                    query=printable(query),
                )
    names = sorted(owner)
    judged = [judgements_of(*owner[name]) for name in names]
    numbers = np.repeat(np.arange(len(names)), list(map(len, judged)))
    docs = [doc for each in judged for doc, *_ in each]
    grades = [grade for each in judged for _, grade, *_ in each]
    merged = Qrels.from_rows(names, numbers, docs, grades, name=min(qrels.name for qrels in distinct))
    apart = {query: grade for qrels in distinct for query, grade in qrels.apart.items()}
    most = {name: max(getattr(qrels, name) for qrels in distinct) for name in ("iterations", "highest")}
    aspects, rule = _aspects(judged), distinct[0].self_match
    if aspects is not None:
        is_named = any(qrels.aspects is not None and qrels.aspects.is_named for qrels in distinct)
        aspects = replace(aspects, is_named=is_named)
    return replace(merged, apart=apart, aspects=aspects, self_match=rule, **most)


def _aspects(judged: Sequence[list[Judgement]]) -> Aspects | None:
    """The aspects of judgements, given as one list per query; None where there are none."""
    docs = [(query, answers) for query, each in enumerate(judged) for *_, answers in each]
    if not any(answers is not None for _, answers in docs):
        return None
    from truerank.core.aspects import Aspects

    rows = [(query, doc, *answer) for doc, (query, answers) in enumerate(docs) for answer in answers or ()]
    query, doc, names, grades, weights = zip(*rows, strict=True) if rows else ((),) * 5
    known, name = distinct_ids(names)
    start = starts_of(list(map(len, judged)))
    numbers = np.array(doc, np.uint32), name.astype(np.uint32), np.array(grades, np.float64)
    aspects, *_ = Aspects.of_rows(start, *numbers, known)
    weight = {(q, n): w for q, n, w in zip(query, names, weights, strict=True)}
    given = [weight[pair] for pair in zip(aspects.query.tolist(), aspects.names, strict=True)]
    return replace(aspects, weight=np.array(given, np.float64))
