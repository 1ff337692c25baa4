"""What runs on the executors: rows of a run in, what was found of the judged documents out.

A task does not raise errors that a user can fix, since Spark would retry it and then show a traceback: it answers
with the error, which the driver raises.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.core.errors import InputError, Refused, TruerankError, truncated
from truerank.core.faults import refused_row, repeated_document
from truerank.core.found import as_ruled, ranks_read
from truerank.core.kernel.scanning import Scanner
from truerank.core.merge import merge
from truerank.core.merge.counts import RankCounts, count_ranks
from truerank.core.merge.scattered import Scattered
from truerank.core.messages import Message, message
from truerank.core.qrels import Qrels
from truerank.core.rankings import are_ranks, rankings
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.run import Columns, Run
from truerank.core.scan import Look, Scan, one_list, push, scan
from truerank.formats import frames
from truerank.formats.names import Layout
from truerank.formats.rows import qrels_of
from truerank.interop.spark.files import Stretch
from truerank.interop.spark.parts import Part

if TYPE_CHECKING:
    import pyarrow

Answer = Part | Reading | RankCounts | dict[Any, Any] | TruerankError
"""What a task says of its rows."""

DRAINED = 100
"""Batches that are read though nothing is asked of them: of a worker that leaves rows Spark starts another."""

SCHEMA = "answer binary"
"""The column in which answers come out of a frame."""

KEPT = "answer binary, rows binary"
"""The columns in which an answer comes, and the rows that it is about."""

ROWS = "query binary, doc binary, score double, are_ranks boolean"
"""The columns of rows: last, whether their scores are negated ranks."""


class Interleaved(TruerankError):
    """The rows of a query are not consecutive."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of every part of a run.

    Attributes:
        qrels: the judgements, as the rules have them.
        kept: the rank up to which unjudged documents become rows.
        name: the name of the run.
        format: the format of its files; None for the one that each looks like.
    """

    qrels: Qrels
    rules: Rules
    kept: int
    name: str
    format: str | None = None

    @property
    def ranks_read(self) -> int:
        """The rank up to which they are rows before ignored documents leave the lists."""
        return ranks_read(self.qrels, self.kept)

    def of_stretch(self, stretch: Stretch) -> Part:
        """What was found in a file or a piece of one; errors in a piece name the line in the file."""
        try:
            return Part.of(self._scan(stretch))
        except InputError:
            if stretch.batches is not None:
                self._scan(Stretch(stretch.path))
            raise

    def _scan(self, stretch: Stretch) -> Scan:
        return scan(stretch.run(self.format), self.qrels.judged, self.rules, 1, self.ranks_read)

    def of_rows(self, rows: Iterable[Columns], interleaved: bool = False) -> Scan:
        """What was found in rows.

        Args:
            interleaved: whether rows of a query may be scattered; then all rows are in memory at once.

        Raises:
            Interleaved: rows are scattered, and may not be.
        """
        *_, scan = self.feed(rows, interleaved)
        assert scan is not None
        return scan

    def feed(self, rows: Iterable[Columns], interleaved: bool) -> Iterator[Scan | None]:
        """`of_rows` step by step: yield None after each batch, and at last what was found."""
        scanner = Look(self.qrels.judged, self.rules, self.ranks_read, False, interleaved).scanner()
        try:
            for part in rows:
                push(scanner, part)
                yield None
            found = scanner.finish()
        except Refused as refused:
            raise self._fault(refused, scanner) from None
        yield Scan.of(scanner, found)

    def _fault(self, refused: Refused, scanner: Scanner) -> TruerankError:
        """What is wrong with a row; rows of a frame have no numbers."""
        query, doc = scanner.here
        if refused.kind == "interleaved":
            return Interleaved(truncated(query))
        if refused.kind == "duplicate":
            return repeated_document(query, doc, None, self.name, None, ordered=False)
        return refused_row(refused, query, self.name, None)


def of_stretches(stretches: Iterable[Stretch], question: Question) -> Iterator[Answer]:
    """What was found in each file or piece."""
    return (answer(partial(question.of_stretch, stretch)) for stretch in stretches)


def counts_of_stretches(
    stretches: Iterable[Stretch], scattered: Scattered, format: str | None, distinct: bool
) -> Iterator[Answer]:
    """How many rows of each file or piece stand before those that were found."""
    runs = (stretch.run(format) for stretch in stretches)
    return (answer(partial(count_ranks, scattered, run, distinct=distinct)) for run in runs)


def of_partition(
    batches: Iterable[pyarrow.RecordBatch], question: Question, interleaved: bool
) -> Iterator[pyarrow.RecordBatch]:
    """What was found in the rows of a partition."""
    rows = iter(batches)
    yield packed(answer(lambda: Part.of(question.of_rows(columns(rows, question.name), interleaved))))
    drain(rows)


def keeping(batches: Iterable[pyarrow.RecordBatch], question: Question) -> Iterator[pyarrow.RecordBatch]:
    """What was found in the rows of a partition, preceded by these rows, which `kept_rows` reads again.

    Getting rows out of the Java virtual machine takes longer than everything done with them here; rows packed into
    a few cells come out much faster.
    """
    rows, passed = iter(batches), deque[Any]()
    said: Answer | None = None
    try:
        for scan in question.feed(columns(map(partial(_noted, passed), rows), question.name), True):
            said = None if scan is None else Part.of(scan)
            while passed:
                yield _cells(None, _written(passed.popleft()))
    except TruerankError as error:
        said = error
    yield _cells(pickle.dumps(said), None)
    drain(rows)


def _noted(passed: deque[Any], batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """A batch that will be kept."""
    passed.append(batch)
    return batch


def _written(batch: pyarrow.RecordBatch) -> bytes:
    import pyarrow

    out = BytesIO()
    with pyarrow.ipc.new_stream(out, batch.schema) as stream:
        stream.write_batch(batch)
    return out.getvalue()


def _cells(answer: bytes | None, rows: bytes | None) -> pyarrow.RecordBatch:
    """One row with the columns `KEPT`."""
    import pyarrow

    cells = [pyarrow.array([cell], pyarrow.binary()) for cell in (answer, rows)]
    return pyarrow.record_batch(cells, names=["answer", "rows"])


def kept_rows(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows that `keeping` wrote into a column."""
    import pyarrow

    for cell in chain.from_iterable(batch.column(0) for batch in batches):
        yield from pyarrow.ipc.open_stream(cell.as_buffer())


def counts_of_partition(
    batches: Iterable[pyarrow.RecordBatch], scattered: Scattered, distinct: bool
) -> Iterator[pyarrow.RecordBatch]:
    """How many rows of a partition stand before those that were found."""
    name = scattered.found.name
    yield packed(
        answer(lambda: count_ranks(scattered, Run(name, lambda: columns(batches, name)), distinct=distinct))
    )


def of_both(batches: Iterable[pyarrow.RecordBatch], question: Question) -> Iterator[pyarrow.RecordBatch]:
    """What was found in a partition whose judgements come before its rows; a last column is True for judgements."""
    rows = iter(batches)
    yield packed(answer(lambda: reading_of_both(rows, question)))
    drain(rows)


def drain(rows: Iterator[pyarrow.RecordBatch]) -> None:
    """Read up to `DRAINED` more batches and drop them."""
    deque(islice(rows, DRAINED), 0)


def reading_of_both(
    batches: Iterator[pyarrow.RecordBatch], question: Question, by: dict[bytes, Any] | None = None
) -> Reading:
    """The reading of a partition's rows against its own judgements.

    Args:
        by: is filled with the value of each query, which stands beside its judgements.
    """
    judgements: list[Columns] = []
    first = []
    for batch in batches:
        judged = batch.filter(batch.column("judged"))
        judgements += columns([judged], question.qrels.name)
        if by is not None:
            by.update(zip(judged.column(0).to_pylist(), judged.column("value").to_pylist(), strict=True))
        if judged.num_rows < batch.num_rows:
            first.append(batch.slice(judged.num_rows))
            break
    qrels = qrels_of(judgements, question.qrels.name) if judgements else question.qrels
    mine = replace(question, qrels=as_ruled(qrels, question.rules))
    scan = mine.of_rows(columns(chain(first, batches), mine.name))
    return Reading.scanned(mine.qrels, scan, mine.rules, mine.name, mine.kept)


def rows_of_stretches(
    numbers: Iterable[pyarrow.RecordBatch], stretches: Sequence[Stretch], question: Question
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of files or pieces, given by number."""
    import pyarrow

    kinds = pyarrow.binary(), pyarrow.binary(), pyarrow.float64(), pyarrow.bool_()
    schema = pyarrow.schema(zip(("query", "doc", "score", "are_ranks"), kinds, strict=True))
    for stretch in (stretches[number] for batch in numbers for number in batch.column(0).to_pylist()):
        for part in rankings(map(one_list, stretch.run(question.format).batches()), stretch.path):
            n = len(part.docs)
            columns = [[part.query] * n, part.docs, part.numbers(), [are_ranks(part)] * n]
            yield pyarrow.record_batch(columns, schema=schema)


def answer(work: Callable[[], Answer]) -> Answer:
    """The result of the work, which may be an error."""
    try:
        return work()
    except TruerankError as error:
        return error


def added(one: Answer, other: Answer) -> Answer:
    """The sum of two parts' rank counts; an error stays an error."""
    for each in (one, other):
        if isinstance(each, TruerankError):
            return each
    assert isinstance(one, RankCounts)
    assert isinstance(other, RankCounts)
    return answer(lambda: merge([one, other]))


def columns(batches: Iterable[pyarrow.RecordBatch], name: str) -> Iterator[Columns]:
    """The rows (query, doc, score, and for a run whether scores are ranks) in the kernel's form.

    Raises:
        InputError: a row lacks a value.
    """
    for batch in batches:
        rows = batch.select(["query", "doc", "score"])
        for number, column in enumerate(rows.columns):
            if column.null_count:
                raise _lacking(rows, number, name)
        ranks = "are_ranks" in batch.schema.names and batch.column("are_ranks").true_count > 0
        try:
            for part in frames.parts([rows], Layout(0, 1, 2), name):
                yield _finite(part, name)._replace(are_ranks=ranks)
        except InputError as error:  # it counts the rows of the batch
            raise InputError(error.said, name) from None


def _finite(part: Columns, name: str) -> Columns:
    """The rows, if each score is a number."""
    bad = ~np.isfinite(part.scores)
    if bad.any():
        row = int(bad.argmax())
        query = bytes(part.query_text[part.query_ends[row] : part.query_ends[row + 1]])
        raise InputError(_said(query, message("the score is not a finite number")), name)
    return part


def _said(query: bytes, fault: Message) -> Message:
    """What is wrong with a row, named by its query, as rows of a frame have no numbers."""
    return message("query {query}: {fault}", query=truncated(query), fault=fault)


def _lacking(batch: pyarrow.RecordBatch, number: int, name: str) -> InputError:
    """The error for a row without a value."""
    row = int(np.argmax(batch.column(number).is_null().to_numpy(zero_copy_only=False)))
    query = batch.column(0)[row].as_py()
    if query is None:
        return InputError("a row has no query", name)
    fault = message("a row has no document") if number == 1 else message("a row has no score")
    return InputError(_said(query, fault), name)


def packed(answer: object) -> pyarrow.RecordBatch:
    """An answer as a row of a frame."""
    import pyarrow

    return pyarrow.record_batch([pyarrow.array([pickle.dumps(answer)], pyarrow.binary())], names=["answer"])


def unpacked(row: Any) -> Answer:
    """The answer in a row of a frame."""
    answer: Answer = pickle.loads(row.answer)
    return answer
