"""Which documents to judge next, to tell one run from another."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank.analysis.bounds.pool import Pool, best_first, refuse_lines, refuse_uncovered, refuse_undefined
from truerank.analysis.bounds.unjudged import grades_to_give, sees_judgements
from truerank.analysis.bounds.ways import ROWS, Repeated, values_of
from truerank.core.equal import are_equal, as_one, difference
from truerank.core.errors import InputError
from truerank.core.evaluate import opened, rules_of
from truerank.core.hits import Bools, Hits, merged
from truerank.core.ids import chunks
from truerank.core.kernel.scanning import as_text
from truerank.core.presented import Presented
from truerank.core.qrels import QrelsLike
from truerank.core.reading import Reading, loaded, refuse_others, run_reading
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Progress, RunLike, unreported
from truerank.core.schema import is_whole
from truerank.core.vocabulary import resolve
from truerank.formats import read_qrels
from truerank.measures import Measure
from truerank.measures.sums import Floats, Ints, PerQuery


@dataclass(frozen=True)
class Candidate:
    """An unjudged document, and what its judgement could do to the difference of two runs.

    Attributes:
        query, doc: the query and the document.
        rank_a, rank_b: its rank in each run; None where it was not returned.
        low, high: the least and the most that the difference of the means could be once it is judged.
        swing: high − low.
    """

    query: str
    doc: str
    rank_a: int | None
    rank_b: int | None
    low: float
    high: float

    @property
    def swing(self) -> float:
        """How far the judgement could move the difference."""
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**vars(self), "swing": self.swing}


@dataclass(frozen=True, repr=False)
class ToJudge(Presented):
    """The documents to judge next, starting with the one that could move the difference most.

    Attributes:
        run_a, run_b: the names of the runs.
        measure: what they are compared by.
        difference: the mean of the first less that of the second, as it is.
        candidates: what to judge; those that cannot move anything are left out.
        open: how many unjudged documents there are in either run.
        rules: under whose rules.
    """

    built_by = "bounds"

    run_a: str
    run_b: str
    measure: Measure
    difference: float
    candidates: tuple[Candidate, ...]
    open: int
    rules: Rules

    def _summary(self) -> str:
        first = ", ".join(f"{c.query} {c.doc}" for c in self.candidates[:3])
        which = f": {first}{', …' if len(self.candidates) > 3 else ''}" if first else ""
        return f"ToJudge({self.run_a!r}, {self.run_b!r}, {self.measure}; {len(self.candidates):,} documents{which})"

    @property
    def turning(self) -> int:
        """The fewest of these judgements that could reverse the order of the two runs; 0 if not even all could.

        The effects of single judgements are added up. For documents of different queries that is their joint
        effect; for documents of one query that may be smaller.
        """
        now, ahead = self.difference, self.difference >= 0
        moves = sorted(c.low - now if ahead else now - c.high for c in self.candidates)
        together = difference(list(itertools.accumulate(moves)), -abs(now))
        return next((n for n, left in enumerate(together.tolist(), 1) if left <= 0), 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rules": self.rules.to_dict(),
            "run_a": self.run_a,
            "run_b": self.run_b,
            "measure": str(self.measure),
            "difference": self.difference,
            "open": self.open,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }


def judge_next(
    qrels: QrelsLike | None,
    run_a: RunLike | Reading,
    run_b: RunLike | Reading,
    measure: str | Measure = "AP",
    n: int = 10,
    *,
    rules: RulesLike | None = None,
    threads: int | None = None,
    progress: Progress = unreported,
) -> ToJudge:
    """Which unjudged documents to judge next, to decide which of two runs is better.

    Each is given every grade of the collection in turn, all others staying as they are; those whose judgement
    could move the difference of the means farthest come first (after Carterette, Allan and Sitaraman, "Minimal
    test collections for retrieval evaluation", SIGIR 2006). It counts as relevant for both runs, found or not.
    Those that could move it as far as each other stand by query, then by rank in the first run, then in the second.

    Args:
        qrels, run_a, run_b, rules, threads: as for `evaluate`; each run may be a `Reading` of all rows, as
            itself or in a file, and the qrels are None where both are.
        n: how many at most.
        progress: called with how many grades were tried, and of how many.

    Raises:
        TruerankError: wrong input; a measure whose mean is geometric.

    >>> import truerank as tr
    >>> found = tr.judge_next({"q": {"a": 1}}, {"q": ["x", "a"]}, {"q": ["a", "y"]}, "RR")
    >>> [(c.doc, c.rank_a, c.rank_b, c.low, c.high) for c in found.candidates]
    [('x', 1, None, -0.5, 0.0)]
    """
    if not is_whole(n) or n < 1:
        raise InputError("how many to judge is 1 or more")
    runs = [loaded(opened(run)) if qrels is None else opened(run) for run in (run_a, run_b)]
    under = rules_of(rules, *runs)
    chosen = resolve(measure, under).measure
    if chosen.definition.average == "geometric":
        raise InputError(
            "the mean of {measure} is geometric; take the measure that it is made of, e.g. AP", measure=chosen
        )
    refuse_uncovered([chosen])
    judged = None if qrels is None else read_qrels(qrels)
    refuse_lines(under)
    refuse_undefined(under)
    refuse_others(judged, runs)
    one, other = (run_reading(judged, run, under, keep="all", threads=threads) for run in runs)
    documents = _Documents.of(one, other)
    pools = zip((one, other), documents.numbers, strict=True)
    a, b = (replace(Pool.of(each, [chosen]), numbers=own, documents=len(documents.query)) for each, own in pools)
    if a.hits.queries != b.hits.queries:
        raise InputError("the two runs are scored on different queries; missing = zero scores both on all of them")
    pair = _Pair(a, b, documents, chosen, under, progress)
    return pair.to_judge(n)


@dataclass(frozen=True, eq=False)
class _Documents:
    """The documents of two runs, numbered by query, the judged ones first.

    Attributes:
        query: (documents,) the place of each one's query in the qrels.
        ids: (documents,) their ids.
        numbers: for each reading the number of each of its documents.
    """

    query: Ints
    ids: list[bytes]
    numbers: tuple[Ints, Ints]

    @classmethod
    def of(cls, a: Reading, b: Reading) -> _Documents:
        """The documents of two readings under the same judgements."""
        judged = len(a.qrels.grades)
        known: dict[tuple[int, bytes], int] = {}
        own = []
        for reading in (a, b):
            query = np.zeros(len(reading.unjudged), np.int64)
            rows = reading.rows.where(reading.rows.doc >= judged)
            query[rows.doc - judged] = rows.query
            pairs = zip(query.tolist(), reading.unjudged, strict=True)
            own.append([judged + known.setdefault(pair, len(known)) for pair in pairs])
        query = np.concatenate([a.qrels.query, np.array([q for q, _ in known], np.int64)])
        order = np.argsort(query, kind="stable")
        place = np.argsort(order)
        ids = [*a.qrels.docs(), *(doc for _, doc in known)]
        one, other = (place[np.array([*range(judged), *each], np.int64)] for each in own)
        return cls(query[order], [ids[number] for number in order.tolist()], (one, other))


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two runs over the same documents."""

    a: Pool
    b: Pool
    documents: _Documents
    measure: Measure
    rules: Rules
    progress: Progress

    def to_judge(self, n: int) -> ToJudge:
        rows = np.union1d(self.a.doc[self.a.open], self.b.doc[self.b.open])
        now = self._now(self.a) - self._now(self.b)
        low, high = self._extremes(rows, now)
        moving = np.flatnonzero(~are_equal(low, high))
        mean = self.measure.mean(now)
        low, high = mean + low, mean + high
        best = moving[np.argsort(as_one((low - high)[moving]), kind="stable")][:n]
        candidates = (self._candidate(int(rows[i]), low[i], high[i]) for i in best)
        return ToJudge(self.a.name, self.b.name, self.measure, mean, tuple(candidates), len(rows), self.rules)

    def _now(self, pool: Pool) -> PerQuery:
        return values_of((self.measure,), pool.as_is(), self.rules)[str(self.measure)]

    def _extremes(self, rows: Ints, now: PerQuery) -> tuple[Floats, Floats]:
        """(rows,) how far each document could make the difference of the means fall and rise."""
        low, high = np.zeros(len(rows)), np.zeros(len(rows))
        query = self._query_of(rows)
        grades = self._grades() if len(rows) else ()
        for number, grade in enumerate(grades, 1):
            a, b = (_Asked(pool, self.measure, grade).values(rows, query) for pool in (self.a, self.b))
            np.minimum(low, a - b - now[query], out=low)
            np.maximum(high, a - b - now[query], out=high)
            self.progress(number, len(grades))
        scale = 1.0 if self.measure.definition.average == "sum" else 1.0 / max(len(now), 1)
        return low * scale, high * scale

    def _grades(self) -> tuple[float, ...]:
        """The grades that could change something."""
        grades = grades_to_give(self.a)
        return grades if sees_judgements(self.measure, self.rules) else grades[1:]

    def _query_of(self, rows: Ints) -> Ints:
        """(rows,) the query of each document, numbered as in the hits."""
        place = {query: number for number, query in enumerate(self.a.hits.queries)}
        names = self.a.qrels.queries
        return np.array([place[names[q]] for q in self.documents.query[rows].tolist()], np.int64)

    def _candidate(self, row: int, low: float, high: float) -> Candidate:
        query, doc = self.a.qrels.queries[self.documents.query[row]], self.documents.ids[row]
        return Candidate(
            as_text(query), as_text(doc), self.a.rank_of(row), self.b.rank_of(row), float(low), float(high)
        )


@dataclass(frozen=True, eq=False)
class _Asked:
    """One run, if one more document were judged, with this grade."""

    pool: Pool
    measure: Measure
    grade: float

    @property
    def is_seeing(self) -> bool:
        return sees_judgements(self.measure, self.pool.rules)

    def values(self, rows: Ints, query: Ints) -> PerQuery:
        """(rows,) what the query of each document scores if only that document is judged.

        Args:
            rows: documents, ordered by query.
            query: (rows,) whose they are.
        """
        times = np.bincount(query, minlength=len(self.pool.hits.queries))
        ends = np.cumsum(times)
        values = []
        for part in chunks(times * (1 + self.pool.hits.where(self.pool.known(self.is_seeing)).count), ROWS):
            chosen = np.zeros(len(times), bool)
            chosen[part] = times[part] > 0
            if chosen.any():
                asked = rows[ends[part][0] - times[part][0] : ends[part][-1]]
                values.append(self._part(chosen, times[chosen], asked))
        return np.concatenate(values)

    def _part(self, chosen: Bools, times: Ints, rows: Ints) -> PerQuery:
        judged = self.pool.known(self.is_seeing)
        known = replace(self.pool.hits.where(judged), judgements=self.pool.judgements[self.is_seeing])
        copies = Repeated.of(known.select(chosen), times)
        doc = self.pool.doc[judged & chosen[self.pool.hits.query]][copies.row]
        others = copies.hits.where(doc != rows[copies.hits.query])
        return values_of((self.measure,), self._with(others, rows), self.pool.rules)[str(self.measure)]

    def _with(self, hits: Hits, rows: Ints) -> Hits:
        """The hits, with the document asked for in each query added, where it was returned."""
        at = self.pool.row_of(rows)
        back = np.flatnonzero(at >= 0)
        asked = replace(self.pool.hits.where(at[back]), query=back, grade=np.full(len(back), self.grade))
        query = np.concatenate([hits.judgements.query, np.arange(len(rows))])
        grades = np.concatenate([hits.judgements.grade, np.full(len(rows), self.grade)])
        known = replace(hits, judgements=best_first(query, grades), max_grade=max(hits.max_grade, self.grade))
        return merged(known, asked)
