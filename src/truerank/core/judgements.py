"""The judgements of each query, and whether two qrels have the same ones."""

from __future__ import annotations

from typing import Any

from truerank.core.mappings import IGNORED
from truerank.core.qrels import Qrels

Judgement = tuple[bytes, float, tuple[tuple[bytes, float, float], ...] | None]
"""A document, its grade, and name, grade and weight of each aspect that it answers; None without aspects."""


def grades_of(qrels: Qrels, query: int) -> dict[bytes, float]:
    """{document: grade} of a query, in order; NaN for ignored documents."""
    judged = slice(int(qrels.start[query]), int(qrels.start[query + 1]))
    return dict(zip(qrels.docs(judged), qrels.grades[judged].tolist(), strict=True))


def judgements_of(qrels: Qrels, query: int) -> list[Judgement]:
    """The judgements of a query, in order; ignored ones as `IGNORED` itself, which lists compare equal."""
    answers: dict[bytes, list[tuple[bytes, float, float]]] = {}
    for doc, aspect, grade, weight in qrels.rows_of(query) if qrels.aspects is not None else ():
        answers.setdefault(doc, []).append((aspect or b"", grade, weight))
    return [
        (doc, IGNORED if grade != grade else grade, None if qrels.aspects is None else tuple(answers.get(doc, ())))
        for doc, grade in grades_of(qrels, query).items()
    ]


def are_same(one: Qrels, other: Qrels, in_all: bool) -> bool:
    """Whether two qrels have the same judgements, in any order, of all queries or of those that both judge.

    >>> one, other = {"q": {"a": 1, "b": 0}}, {"q": {"b": 0, "a": 1}, "r": {"a": 1}}
    >>> one, other = map(Qrels.from_dict, (one, other))
    >>> are_same(one, other, in_all=False), are_same(one, other, in_all=True)
    (True, False)
    """
    if one is other or one.digest == other.digest:
        return True
    mine, others = _in_no_order(one), _in_no_order(other)
    return mine == others if in_all else all(mine[query] == others[query] for query in mine.keys() & others.keys())


def _in_no_order(qrels: Qrels) -> dict[bytes, Any]:
    """{query: its judgements}, in a form that ignores the order of documents and of their aspects."""
    judged = {}
    for place, query in enumerate(qrels.queries):
        docs = {doc: (grade, answers and {*answers}) for doc, grade, answers in judgements_of(qrels, place)}
        judged[query] = docs, qrels.apart.get(query), qrels.weights_of(place)
    return judged
