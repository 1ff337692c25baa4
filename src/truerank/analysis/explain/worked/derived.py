"""The working out of a measure that returns its terms: nothing is written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from truerank.analysis.explain.worked.case import Case, Hit
from truerank.analysis.explain.worked.form import Line, Step, Sum, Worked, added, divided
from truerank.core.hits import Hits, Judgements
from truerank.measures.terms import Quantity, Terms, Words


def hits_of(case: Case) -> Hits:
    """The query as a measure reads it."""
    if case.read is not None:
        return case.read
    beyond = _table(case, case.beyond) if case.beyond else None
    return _table(case, case.hits, beyond)


def _table(case: Case, rows: tuple[Hit, ...], beyond: Hits | None = None) -> Hits:
    rank, grade, first, last = (np.array([hit[i] for hit in rows]) for i in (0, 2, 3, 4))
    judged = np.array([hit.grade for hit in case.judged], np.float64)
    place = {hit.doc: number for number, hit in reversed(list(enumerate(rows)))}  # of a repeated document the first
    return Hits(
        queries=(b"",),
        returned=np.array([case.returned]),
        judgements=Judgements(np.zeros(len(judged), np.int64), judged),
        max_grade=case.max_grade,
        query=np.zeros(len(rows), np.int64),
        rank=rank.astype(np.int64),
        grade=grade.astype(np.float64),
        score=-first.astype(np.float64),
        doc=np.array([place[hit.doc] for hit in rows], np.int64),
        first=first.astype(np.int64),
        last=last.astype(np.int64),
        depth=case.depth,
        beyond=beyond,
        calls=case.calls,
    )


def derive(case: Case, terms: Terms) -> Worked:
    """The sums and the lines of one query."""
    divisor, words = terms.divisor, terms.read
    if divisor is None:
        steps = (*map(_line, words.given), _sum_line(terms, words, case.measure))
        total = _sum(case, terms, words, words.name or case.measure)
        return Worked((total if words.is_ideal else total.over(1),), steps)  # an ideal list adds nothing by itself
    if isinstance(divisor, Terms):
        below, sums = _below(case, divisor, divisor.read)
    else:
        below, sums = _divisor_lines(words.divisor, {quantity.name for quantity in words.given}), []
    total, denominator = _one(terms.sums), _one(terms.denominators)
    name = words.name or "Σ"
    above = _sum_line(terms, words, name)
    lines = (*map(_line, words.given), above, *below, divided(case.measure, total, denominator))
    return Worked((_sum(case, terms, words, name).over(denominator), *sums), lines)


def _below(case: Case, divisor: Terms, words: Words) -> tuple[list[Line], list[Sum]]:
    """The line and the sum of a divisor that is a sum."""
    return [_sum_line(divisor, words, words.name)], [_sum(case, divisor, words, words.name)]


def _sum(case: Case, terms: Terms, words: Words, name: str) -> Sum:
    rows, lost = list(_rows(case, terms, words)), list[Hit]()
    if words.lost_from is not None:
        there = {hit.doc for hit in rows}
        lost = [hit for hit in case.judged if hit.grade >= words.lost_from and hit.doc not in there]
    return added(name, words.of, _steps(rows, terms, words), lost)


def _steps(rows: list[Hit], terms: Terms, words: Words) -> Iterator[Step]:
    listed = terms.values if words.listed is None else words.listed
    for row, hit in enumerate(rows):
        if listed is None or listed[row]:
            value = 1.0 if terms.values is None else float(terms.values[row])
            how, numbers = words.how(row) if words.how else ("{}", (value,))
            yield Step(hit, how, tuple(map(_one, numbers)), value)


def _rows(case: Case, terms: Terms, words: Words) -> Iterator[Hit]:
    """The document of each row: by its rank, or, of the ideal ranking, by its place among the judged."""
    by_rank = {hit.rank: hit for hit in (*case.hits, *case.beyond)}
    judged = case.numbered or case.judged
    for rank, doc in zip(terms.hits.rank.tolist(), terms.hits.doc.tolist(), strict=True):
        yield judged[doc]._replace(rank=rank) if words.is_ideal else by_rank[rank]


def _divisor_lines(divisor: Quantity | None, known: set[str]) -> list[Line]:
    """The lines of a divisor and of what it is made of; a number as it is given has none."""
    if divisor is None or divisor.name in known:
        return []
    return [*(line for part in divisor.parts for line in _divisor_lines(part, known)), _line(divisor)]


def _line(quantity: Quantity) -> Line:
    return Line(quantity.name, quantity.words, _one(quantity.values), tuple(map(_one, quantity.numbers)))


def _sum_line(terms: Terms, words: Words, name: str) -> Line:
    return Line(name, words.words, _one(terms.sums), tuple(map(_one, words.numbers)))


def _one(values: Any) -> Any:
    """The number of the one query, as Python's own."""
    return np.asarray(values).ravel()[0].item()
