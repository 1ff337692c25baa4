"""Random judgements and runs, small and nasty: ties, pooled but unjudged documents, empty and short lists."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cached_property

from hypothesis import strategies as st

from truerank import Run

DOCS = tuple(f"d{number}" for number in range(14))

QUERIES = tuple(f"q{number}" for number in range(9))

SCORES = (0.0, 1.0, 1.0 + 1e-9, 2.0, -3.5, 1e30)
"""Few, so that they tie; two of them tie only as 32-bit numbers."""

ASPECTS = ("2", "10", "x")

Judgements = dict[str, dict[str, float]]
Answers = dict[str, dict[str, float]]


@dataclass(frozen=True)
class World:
    """Judgements, answers to them, a seed for what is shuffled, and aspects where they are not `with_aspects`."""

    qrels: Judgements
    run: Answers
    seed: int = 0
    aspects: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)

    @cached_property
    def judged(self) -> dict[str, dict[str, dict[str, float]]]:
        """The judgements by aspect: the best of each document is its grade."""
        return self.aspects or {query: with_aspects(grades) for query, grades in self.qrels.items()}

    def lines(self) -> Run:
        """The answers as the text of a run, its lines shuffled."""
        rows = [(query, doc, score) for query, docs in self.run.items() for doc, score in docs.items()]
        random.Random(self.seed).shuffle(rows)
        return run_of(rows)

    def relevant(self, query: str) -> set[str]:
        """The documents of a query that are judged relevant."""
        return {doc for doc, grade in self.qrels[query].items() if grade >= 1}

    def ranked(self, query: str) -> list[str]:
        """The documents of a query by score, ties by document descending."""
        docs = self.run.get(query, {})
        return sorted(sorted(docs, reverse=True), key=docs.__getitem__, reverse=True)


def run_of(rows: list[tuple[str, str, float]]) -> Run:
    """The text of a run with these rows: query, document and score."""
    text = "".join(f"{query} Q0 {doc} 1 {score!r} tag\n" for query, doc, score in rows).encode()
    return Run("lines", lambda: iter([text]))


def worlds(
    grades: st.SearchStrategy[float] = st.integers(-2, 4),  # noqa: B008
    scores: st.SearchStrategy[float] = st.sampled_from(SCORES),  # noqa: B008
    *,
    queries: int = 4,
    judged: int = 0,
    ties: bool = True,
) -> st.SearchStrategy[World]:
    """Up to this many queries, each with at least this many judged documents; without ties all scores differ."""
    doc = st.sampled_from(DOCS)
    judgements = st.dictionaries(doc, grades, min_size=judged, max_size=9)
    lists = st.lists(doc, unique=True, max_size=12)
    answers = st.dictionaries(doc, scores, max_size=12) if ties else lists.map(falling)
    both = st.tuples(judgements, answers)
    pairs = st.dictionaries(st.sampled_from(QUERIES), both, min_size=1, max_size=queries)
    return st.builds(_world, pairs, st.integers(0, 2**16))


def with_aspects(grades: dict[str, float]) -> dict[str, dict[str, float]]:
    """The same judgements, each of one to three aspects, as the name of the document has it."""
    return {doc: _answered(int(doc[1:]), grade) for doc, grade in grades.items()}


def _answered(number: int, grade: float) -> dict[str, float]:
    """Of each aspect in the binary digits of a number, this grade, or a lower one."""
    main = number % len(ASPECTS)
    others = [place for place in range(len(ASPECTS)) if place != main and number >> place & 1]
    return {ASPECTS[main]: grade, **{ASPECTS[place]: grade - number % 2 for place in others}}


def falling(docs: list[str]) -> dict[str, float]:
    """A score for each document of a list, best first."""
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


def _world(pairs: dict[str, tuple[dict[str, float], dict[str, float]]], seed: int) -> World:
    qrels = {query: judgements for query, (judgements, _) in pairs.items()}
    return World(qrels, {query: answers for query, (_, answers) in pairs.items()}, seed)
