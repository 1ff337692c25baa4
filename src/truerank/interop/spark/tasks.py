"""What runs on the executors: rows of a run in, what they say of the judged documents out.

A task raises nothing that a user could mend: Spark would try it again, and then show a traceback. It answers with the
error, which the driver raises.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.core._kernel import Scanner
from truerank.core.errors import InputError, Refused, TruerankError, truncated
from truerank.core.faults import repeated, run_fault
from truerank.core.ids import Ids
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import Rules
from truerank.core.run import Columns
from truerank.core.scan import Look, Scan, scan
from truerank.formats import frames, open_run
from truerank.formats.names import Layout
from truerank.interop.spark.parts import Part

if TYPE_CHECKING:
    import pyarrow

Answer = Part | TruerankError
"""What a task says of its rows."""

ROWS = "query binary, doc binary, score double"
"""The columns of a run."""

DRAINED = 100
"""Batches that are read though nothing is asked of them: Spark ends a worker that leaves rows, and starts another."""

SCHEMA = "answer binary"
"""The column in which answers come to the driver."""


class Scattered(TruerankError):
    """The rows of a query do not follow each other."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of every part of a run.

    Attributes:
        qrels: as the rules have them.
        kept: up to which rank unjudged documents become rows.
        name: of the run.
    """

    qrels: Qrels
    rules: Rules
    kept: int
    name: str

    def of_file(self, path: str) -> Part:
        """What a file says."""
        return Part.of(scan(open_run(path), self.qrels.judged, self.rules, 1, self.kept))

    def of_rows(self, rows: Iterable[Columns]) -> Part:
        """What rows say, in which those of a query follow each other.

        Raises:
            Scattered: they do not.
        """
        return Part.of(self.scanned(rows))

    def scanned(self, rows: Iterable[Columns]) -> Scan:
        """The same, of all judged queries."""
        scanner = Look(self.qrels.judged, self.rules, self.kept, False).scanner(False)
        try:
            for part in rows:
                scanner.columns(part.query_ends, part.query_text, part.doc_ends, part.doc_text, part.scores)
            table, returned = scanner.finish()
        except Refused as refused:
            raise self._fault(refused, scanner) from None
        extra, unjudged = tuple(scanner.extra_queries), Ids(*scanner.unjudged_ids)
        return Scan(table, returned, extra, scanner.rows, scanner.repeated, False, unjudged)

    def _fault(self, refused: Refused, scanner: Scanner) -> TruerankError:
        """What is wrong with a row; rows of a frame have no numbers."""
        query, doc = scanner.here
        if refused.kind == "interleaved":
            return Scattered(truncated(query))
        if refused.kind == "duplicate":
            return repeated(query, doc, None, self.name, None)
        said = message("query {query}: {fault}", query=truncated(query), fault=run_fault(refused))
        return InputError(said, self.name)


def of_files(paths: Iterable[str], question: Question) -> Iterator[Answer]:
    """What each of some files says."""
    return (answered(partial(question.of_file, path)) for path in paths)


def answered(work: Callable[[], Answer]) -> Answer:
    """What comes of the work, an error too."""
    try:
        return work()
    except TruerankError as error:
        return error


def of_partition(batches: Iterable[pyarrow.RecordBatch], question: Question) -> Iterator[pyarrow.RecordBatch]:
    """What the rows of a partition say: columns query, doc (binary) and score (double)."""
    rows = iter(batches)
    yield packed(answered(lambda: question.of_rows(columns(rows, question.name))))
    deque(islice(rows, DRAINED), 0)


def columns(batches: Iterable[pyarrow.RecordBatch], name: str) -> Iterator[Columns]:
    """The rows as the kernel takes them.

    Raises:
        InputError: a row lacks a value.
    """
    for batch in batches:
        for number, column in enumerate(batch.columns):
            if column.null_count:
                raise _lacking(batch, number, name)
        yield from frames.parts([batch], Layout(0, 1, 2), name)


def _lacking(batch: pyarrow.RecordBatch, number: int, name: str) -> InputError:
    """The error for a row without a value; rows of a frame have no numbers, but queries."""
    row = int(np.argmax(batch.column(number).is_null().to_numpy(zero_copy_only=False)))
    query = batch.column(0)[row].as_py()
    if query is None:
        return InputError(message("a row has no query"), name)
    what = message("document") if number == 1 else message("score")
    return InputError(message("query {query}: a row has no {what}", query=truncated(query), what=what), name)


def packed(answer: Answer) -> pyarrow.RecordBatch:
    """An answer as a row of a frame."""
    import pyarrow

    return pyarrow.record_batch([pyarrow.array([pickle.dumps(answer)], pyarrow.binary())], names=["answer"])


def unpacked(rows: Iterable[Any]) -> list[Answer]:
    """The answers in rows of a frame."""
    return [pickle.loads(row.answer) for row in rows]


def rows_of_files(
    numbers: Iterable[pyarrow.RecordBatch], files: Sequence[str], queries: Collection[bytes] | None, name: str
) -> Iterator[pyarrow.RecordBatch]:
    """The rows of files, by their numbers: of all queries, or of some."""
    import pyarrow

    schema = pyarrow.schema([("query", pyarrow.binary()), ("doc", pyarrow.binary()), ("score", pyarrow.float64())])
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            for ranked in rankings(open_run(files[number]).batches(), name):
                if queries is None or ranked.query in queries:
                    columns = [[ranked.query] * len(ranked.docs), ranked.docs, ranked.numbers()]
                    yield pyarrow.record_batch(columns, schema=schema)
