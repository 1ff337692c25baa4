"""Reading a run on Spark: each task says what its rows are worth, and the driver has one scan of the whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truerank.core.errors import InputError, TruerankError, truncated
from truerank.core.messages import message
from truerank.core.rules import Rules
from truerank.core.scan import Scan
from truerank.interop.spark import tasks
from truerank.interop.spark.parts import Part, split_queries, whole
from truerank.interop.spark.tasks import Answer, Question, Scattered

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame, SparkSession


FEW = 100
"""So many queries are named in a condition; more are joined with."""


@dataclass(frozen=True, eq=False)
class Work:
    """A run to be read, and what is asked of it.

    Attributes:
        files: of the run; none where it is a frame.
        frame: columns query, doc and score; None where the run is files.
    """

    session: SparkSession
    question: Question
    files: Sequence[str] = ()
    frame: DataFrame | None = None

    def by_paths(self) -> Scan:
        """Tasks read the files: rows never pass the JVM, but those of queries that several files answer."""
        context, question = self.session.sparkContext, self.question
        with self._shared() as shared:
            rdd = context.parallelize(self.files, len(self.files))
            answers = rdd.mapPartitions(lambda paths: tasks.of_files(paths, shared.value)).collect()
        return self._whole(parts_of(answers))

    def by_partitions(self) -> Scan:
        """Tasks read the partitions as they are; the rows of queries that several have are read again together."""
        assert self.frame is not None
        answers = self._asked(self.frame)
        if any(isinstance(answer, Scattered) for answer in answers):
            answers = self._asked(self.frame.sortWithinPartitions("query"))
        return self._whole(parts_of(answers))

    def by_shuffle(self, queries: Collection[bytes] | None = None) -> Scan:
        """The rows are brought together by query, in bytes: of all queries, or of some."""
        frame = self._rows(queries).repartition("query").sortWithinPartitions("query")
        return whole(parts_of(self._asked(frame)), self.question.qrels)

    def _asked(self, frame: DataFrame) -> list[Answer]:
        """What each partition of a frame says."""
        with self._shared() as shared:
            asked = frame.mapInArrow(lambda rows: tasks.of_partition(rows, shared.value), tasks.SCHEMA)
            return tasks.unpacked(asked.collect())

    @contextmanager
    def _shared(self) -> Iterator[Broadcast[Question]]:
        shared = self.session.sparkContext.broadcast(self.question)
        try:
            yield shared
        finally:
            shared.unpersist()

    def _whole(self, parts: Sequence[Part]) -> Scan:
        """The parts put together; queries that are in several of them are read again, together."""
        qrels = self.question.qrels
        split = split_queries(parts, qrels)
        if not split:
            return whole(parts, qrels)
        refuse_order(self.question.rules, self.question.name, min(split))
        if any(part.found.repeated for part in parts):  # which of them are in these queries is not known
            return self.by_shuffle()
        rest = [part.without(split, qrels) for part in parts]
        return whole([*rest, Part.of(self.by_shuffle(split))], qrels)

    def _rows(self, queries: Collection[bytes] | None) -> DataFrame:
        """The rows of the run, or of some of its queries, as a frame."""
        if self.frame is None:
            return self._rows_of_files(queries)
        if queries is None:
            return self.frame
        if len(queries) <= FEW:
            return self.frame.where(self.frame["query"].isin([bytearray(query) for query in sorted(queries)]))
        import pyarrow
        from pyspark.sql import functions

        names = self.session.createDataFrame(pyarrow.table({"query": pyarrow.array(queries, pyarrow.binary())}))
        return self.frame.join(functions.broadcast(names), "query", "left_semi")

    def _rows_of_files(self, queries: Collection[bytes] | None) -> DataFrame:
        files, name = self.files, self.question.name
        numbers = self.session.range(0, len(files), 1, len(files))
        return numbers.mapInArrow(lambda rows: tasks.rows_of_files(rows, files, queries, name), tasks.ROWS)


def parts_of(answers: Sequence[Answer]) -> list[Part]:
    """The answers of tasks, which are parts.

    Raises:
        TruerankError: one is an error.
    """
    for answer in answers:
        if isinstance(answer, TruerankError):
            raise answer
    return [answer for answer in answers if isinstance(answer, Part)]


ORDERED = {"ties": ("input",), "duplicates": ("first", "last")}
"""Rules that ask in which order rows came."""


def refuse_order(rules: Rules, name: str, query: bytes | None = None) -> None:
    """Raise where the rules ask for the order of rows that have none: of a frame, or of a query in several files."""
    asked = next((field for field, values in ORDERED.items() if getattr(rules, field) in values), None)
    if asked is None:
        return
    rule = f"{asked} = {getattr(rules, asked)}"
    if query is None:
        said = message("{rule} asks for the order of rows, and those of a DataFrame have none: give files", rule=rule)
    else:
        said = message(
            "{rule} asks for the order of rows, and query {query} is in several files: keep it in one",
            rule=rule,
            query=truncated(query),
        )
    raise InputError(said, name)
