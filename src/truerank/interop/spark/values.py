"""What runs on the executors if a driver cannot hold all queries' values: these stay, and totals are sent."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.evaluate import score
from truerank.core.kernel.scanning import as_bytes
from truerank.core.ledger import Ledger, added
from truerank.core.reading import Reading
from truerank.core.scan import NO_LISTS, Scoring, refuse_extra
from truerank.core.scores import Scores, averaged
from truerank.core.swapped import Signs
from truerank.interop.spark import tasks
from truerank.interop.spark.tasks import Answer, Question
from truerank.measures import Measure
from truerank.measures.sums import PerQuery, exact_total
from truerank.stats.poisson import Drawn
from truerank.stats.values import Floats

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 14
"""Queries whose values leave a task at once."""


@dataclass(frozen=True)
class Total:
    """The exact sum behind a mean; totals of parts add up without rounding.

    Attributes:
        n: how many queries have a value.
        sum: the sum of what is averaged, by `exact_total`.
        largest: the largest absolute value of what is averaged.
    """

    n: int
    sum: int
    largest: float

    @classmethod
    def of(cls, measure: Measure, values: PerQuery) -> Total:
        """The total of some queries; NaN is no value.

        Raises:
            MeasureError: a value is not finite.
        """
        known = averaged(measure, values[~np.isnan(values)])
        try:
            return cls(len(known), exact_total(known), float(np.abs(known).max(initial=0)))
        except OverflowError:
            raise MeasureError("a value of {measure} is not finite", measure=measure) from None

    def __add__(self, other: Total) -> Total:
        return Total(self.n + other.n, self.sum + other.sum, max(self.largest, other.largest))


@dataclass(frozen=True)
class Summary:
    """The ledger and totals of some queries.

    Attributes:
        signs, scoring: by which it is decided for the whole whether qrels and run are swapped, or scores rise.
        totals: the total of each measure.
    """

    ledger: Ledger
    signs: Signs
    scoring: Scoring
    totals: tuple[Total, ...]

    @classmethod
    def of(cls, scores: Scores, reading: Reading) -> Summary:
        """The summary of the queries of a reading."""
        totals = tuple(Total.of(measure, scores.columns[str(measure)]) for measure in scores.measures)
        return cls(scores.ledger, Signs.of(reading.hits), reading.scoring, totals)


Summaries = Mapping[str | None, Summary]
"""Those of the queries of each value in `by`; without it one, under None."""


def merged(parts: Sequence[Summaries]) -> dict[str | None, Summary]:
    """The summaries of all queries, from the summaries of parts in any order."""
    by_value: dict[str | None, list[Summary]] = {}
    for part in parts:
        for value, summary in part.items():
            by_value.setdefault(value, []).append(summary)
    return {value: _merged(each) for value, each in by_value.items()}


def _merged(parts: Sequence[Summary]) -> Summary:
    signs = sum((part.signs for part in parts), Signs())
    scoring = sum((part.scoring for part in parts), NO_LISTS)
    ledger = replace(added([part.ledger for part in parts]), swapped=signs.are_swapped, rising=scoring.rises)
    totals = (sum(each[1:], each[0]) for each in zip(*(part.totals for part in parts), strict=True))
    return Summary(ledger, signs, scoring, tuple(totals))


def grouped(reading: Reading, by: Mapping[Any, Any]) -> dict[Any, Reading]:
    """{value: the reading of its queries}, in the order of the values as text."""
    values = {as_bytes(query): value for query, value in by.items() if value is not None}
    of = [values.get(query) for query in reading.rows.queries]
    return {
        value: reading.select(np.array([each == value for each in of], bool))
        for value in sorted({each for each in of if each is not None}, key=str)
    }


def of_both(
    batches: Iterable[pyarrow.RecordBatch],
    question: Question,
    measures: list[Measure],
    max_grade: float,
    is_grouped: bool,
) -> Iterator[pyarrow.RecordBatch]:
    """The values of a partition's queries, whose judgements are in it too; then its summaries, or an error.

    Args:
        max_grade: the highest grade of the whole collection.
        is_grouped: whether judgements carry the value of their query in `by`.
    """
    rows, scored = iter(batches), dict[str | None, Scores]()

    def evaluated() -> Answer:
        by: dict[bytes, str] = {}
        reading = tasks.reading_of_both(rows, question, by if is_grouped else None)
        reading = replace(reading, rows=replace(reading.rows, max_grade=max_grade))
        refuse_extra(reading.extra, reading.rules, reading.name)
        parts: dict[str | None, Reading] = grouped(reading, by) if is_grouped else {None: reading}
        scored.update((value, score(part, measures)) for value, part in parts.items())
        return {value: Summary.of(scores, parts[value]) for value, scores in scored.items()}

    said = tasks.answer(evaluated)
    for value, scores in scored.items():
        yield from _rows(value, scores)
    yield _row({"answer": [pickle.dumps(said)]}, measures)
    tasks.drain(rows)


def _rows(value: str | None, scores: Scores) -> Iterator[pyarrow.RecordBatch]:
    """The values of queries, in batches."""
    for start in range(0, len(scores.queries), ROWS):
        some = slice(start, start + ROWS)
        queries = list(map(as_bytes, scores.queries[some]))
        columns = {name: column[some] for name, column in scores.columns.items()}
        yield _row({"query": queries, "value": [value] * len(queries), **columns}, scores.measures)


def _row(columns: Mapping[str, Any], measures: Iterable[Measure]) -> pyarrow.RecordBatch:
    """A batch with all columns of the schema; those that are not given are empty."""
    import pyarrow as pa

    schema = pa.schema([("answer", pa.binary()), ("value", pa.string()), ("query", pa.binary())])
    for measure in measures:
        schema = schema.append(pa.field(str(measure), pa.float64()))
    nothing = [None] * len(next(iter(columns.values())))
    arrays = [pa.array(columns.get(field.name, nothing), field.type) for field in schema]
    return pa.record_batch(arrays, schema=schema)


def drawn(
    batches: Iterable[pyarrow.RecordBatch], measures: Sequence[Measure], largest: Floats, samples: int, seed: int
) -> Iterator[pyarrow.RecordBatch]:
    """The sums of resamples of a partition's queries, from their values."""
    key, nothing = str(seed).encode(), np.zeros((samples, len(measures)), np.int64)
    total = Drawn(nothing, nothing)
    for batch in batches:
        ids = (hashlib.blake2b(query, digest_size=8, key=key).digest() for query in batch.column(0).to_pylist())
        columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns[1:]]
        values = np.column_stack([averaged(*pair) for pair in zip(measures, columns, strict=True)])
        total += Drawn.of(np.frombuffer(b"".join(ids), "<u8"), values, largest, samples)
    yield tasks.packed(total)
