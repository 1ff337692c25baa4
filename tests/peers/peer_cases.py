"""Random qrels and runs to ask tools about: with ties, missing, empty, unjudged and extra queries."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

Qrels = dict[str, dict[str, float]]
Answers = dict[str, list[tuple[str, float]]]

DOCS = [f"d{number:02}" for number in range(30)]
QUERIES = [f"q{number}" for number in range(8)]

TIED = [1.0, 1.0 + 1e-9, 1.5, 2.0, 2.25]
"""Few scores, so that they tie; two of them only as 32-bit numbers."""


@dataclass(frozen=True)
class Case:
    """What is asked.

    Attributes:
        run: {query: [(doc, score), …] best first}.
        lists: whether the tool takes lists of documents instead of scores; only then can one come twice.
        more: what else the tool is told.
    """

    qrels: Qrels
    run: Answers
    lists: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"qrels": self.qrels, "run": self.run, **self.more}

    def given(self) -> dict[str, Any]:
        """The run as truerank takes it."""
        if self.lists:
            return {query: [doc for doc, _ in docs] for query, docs in self.run.items()}
        return {query: dict(docs) for query, docs in self.run.items()}


@dataclass(frozen=True)
class Kind:
    """What a tool can be asked. Each of these is a chance or a choice.

    Attributes:
        grades: what may be judged; 0 and up, fractions too, or below 0 for pooled and not judged.
        barren, missing, empty, extra: how many of the queries have no relevant document, no answer, an answer
            without documents, no judgement.
        tied: whether scores may be equal.
        lists, repeated: whether lists are asked about, and whether documents may come twice in them.
        longest: how many documents may be returned.
        all_returned: every judged document is returned.
        itself: how many queries find a document with their own id.
    """

    grades: tuple[float, ...] = (0, 1, 1, 2, 3)
    barren: float = 0.15
    missing: float = 0.15
    empty: float = 0.1
    extra: float = 0.2
    tied: bool = True
    lists: bool = False
    repeated: bool = False
    longest: int = 20
    all_returned: bool = False
    itself: float = 0.0
    more: dict[str, Any] = field(default_factory=dict)


def cases(kind: Kind, number: int = 40) -> list[Case]:
    """This many cases, the same ones each time."""
    drawn = _drawn(replace(kind, more=()), number)  # type: ignore[arg-type]  # a dict has no hash
    return [Case(qrels, run, kind.lists, kind.more) for qrels, run in drawn]


def together(every: list[Case]) -> Case:
    """One case with the queries of all, for tools that take long to begin."""
    name = "{}/{}".format
    return Case(
        {name(place, q): docs for place, case in enumerate(every) for q, docs in case.qrels.items()},
        {name(place, q): docs for place, case in enumerate(every) for q, docs in case.run.items()},
        every[0].lists,
        every[0].more,
    )


@lru_cache(8)
def _drawn(kind: Kind, number: int) -> list[tuple[Qrels, Answers]]:
    """The judgements and answers of cases, which several tools are asked about."""
    return [_case(random.Random(seed), kind) for seed in range(number)]


def _case(chance: random.Random, kind: Kind) -> tuple[Qrels, Answers]:
    qrels: Qrels = {}
    run: Answers = {}
    single = chance.random() < 0.25
    for query in QUERIES[: chance.randint(2, len(QUERIES))]:
        qrels[query] = _judged(chance, kind, single)
        if chance.random() >= kind.missing:
            run[query] = _answer(chance, kind, query, qrels[query])
    if not any(run.values()):
        run["q0"] = [("d00", 1.0)]
    if chance.random() < kind.extra:
        run["never judged"] = [("d01", 2.0)]
    return qrels, run


def _judged(chance: random.Random, kind: Kind, single: bool) -> dict[str, float]:
    if chance.random() < kind.barren:
        return dict.fromkeys(chance.sample(DOCS, chance.randint(1, 3)), 0)
    docs = chance.sample(DOCS, chance.randint(2, 12))
    grades: list[float] = [1, *([0] * (len(docs) - 1) if single else chance.choices(kind.grades, k=len(docs) - 1))]
    return dict(zip(docs, grades, strict=True))


def _answer(chance: random.Random, kind: Kind, query: str, judged: dict[str, float]) -> list[tuple[str, float]]:
    if chance.random() < kind.empty:
        return []
    docs = chance.sample(DOCS, chance.randint(1, kind.longest))
    if kind.all_returned:
        docs = list(dict.fromkeys([*docs, *judged, "d00", "d01"]))
    if chance.random() < kind.itself:
        docs.append(query)
    chance.shuffle(docs)
    if kind.repeated:
        docs = chance.choices(docs, k=len(docs))
    if kind.lists or not kind.tied:
        scores = [float(len(docs) - place) for place in range(len(docs))]
    else:
        scores = sorted(chance.choices(TIED, k=len(docs)), reverse=True)
    return list(zip(docs, scores, strict=True))


def by_id(case: Case) -> Case:
    """The same with the judgements of each query in the order of the ids, as ties are."""
    return Case({query: dict(sorted(docs.items())) for query, docs in case.qrels.items()}, case.run, more=case.more)
