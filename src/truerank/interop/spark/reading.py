"""Reading a run on Spark: each task reads its rows, and the driver makes one reading of the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from truerank.core.errors import RulesError, TruerankError, truncated
from truerank.core.merge import merge
from truerank.core.merge.counts import RankCounts
from truerank.core.merge.scattered import Scattered, read_together, scattered
from truerank.core.qrels import Ints, Qrels
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.scan import Scan, refuse_extra
from truerank.interop.spark import tasks
from truerank.interop.spark.files import Stretch
from truerank.interop.spark.parts import Part, split_queries, whole
from truerank.interop.spark.plans import Way
from truerank.interop.spark.tasks import Answer, Interleaved, Question

if TYPE_CHECKING:
    from pyspark import RDD, Broadcast
    from pyspark.sql import DataFrame, SparkSession

Shared = TypeVar("Shared")
Kind = TypeVar("Kind")

FEW = 100
"""This many queries are named in a condition; of more, all rows are looked at."""


@dataclass(frozen=True, eq=False)
class Work:
    """A run to be read, and the question for each part of it.

    Attributes:
        stretches: the stretches of the run's files; none where it is a frame.
        frame: columns query, doc and score; None where the run is files.
        judged: such a frame of the judgements, where these are joined with the rows and not in the question.
        distinct: whether it is known that no document is returned for a query in two parts.
    """

    session: SparkSession
    question: Question
    stretches: Sequence[Stretch] = ()
    frame: DataFrame | None = None
    judged: DataFrame | None = None
    distinct: bool = False

    def read(self, way: Way) -> Reading:
        """The reading of the run.

        Raises:
            TruerankError: wrong input, or Spark gives up.
        """
        ways = {
            "paths": self._by_paths,
            "partitions": self._by_partitions,
            "passes": self._by_passes,
            "shuffle": self._by_shuffle,
        }
        with raised_here():
            return checked(self._reading(ways[way]()) if self.judged is None else self._by_query())

    def _by_paths(self) -> Scan:
        """Tasks read the files: rows never pass the JVM."""
        with self._shared(self.question) as shared:
            asked = self._rdd(self.stretches).mapPartitions(lambda some: tasks.of_stretches(some, shared.value))
            answers = asked.collect()
        return self._whole(expected(answers, Part))

    def _by_partitions(self) -> Scan:
        """Tasks read the partitions as they are; if a query's rows are not consecutive, `_by_passes` takes over."""
        assert self.frame is not None
        answers = self._asked(self.frame)
        if any(isinstance(answer, Interleaved) for answer in answers):
            return self._by_passes()
        return self._whole(expected(answers, Part))

    def _by_passes(self) -> Scan:
        """Tasks read the partitions as they are, however scattered rows are, then count ranks in the rows kept."""
        from pyspark import StorageLevel
        from pyspark.sql import functions as f

        assert self.frame is not None
        with self._shared(self.question) as shared:
            kept = self.frame.mapInArrow(lambda rows: tasks.keeping(rows, shared.value), tasks.KEPT)
            kept = kept.persist(StorageLevel.DISK_ONLY)
            try:
                answers = kept.where(f.col("answer").isNotNull()).select("answer").collect()
                parts = expected(map(tasks.unpacked, answers), Part)
                return self._whole(parts, kept.where(f.col("rows").isNotNull()).select("rows"))
            finally:
                kept.unpersist()

    def _by_shuffle(self) -> Scan:
        """The rows are shuffled by query."""
        assert self.frame is not None
        answers = self._asked(self.frame.repartition("query"), interleaved=True)
        return whole(expected(answers, Part), self.question.qrels)

    def _by_query(self) -> Reading:
        """Each task has the judgements of its own queries."""
        question = self.question
        asked = self.together().mapInArrow(lambda rows: tasks.of_both(rows, question), tasks.SCHEMA)
        return merge(expected(map(tasks.unpacked, asked.collect()), Reading), name=question.name)

    def together(self, by: DataFrame | None = None) -> DataFrame:
        """The rows and the judgements, shuffled by query, with judgements first.

        Args:
            by: columns query and value; judgements have the value of their query.
        """
        from pyspark.sql import functions as f

        assert self.judged is not None
        judged = self.judged if by is None else self.judged.join(by, "query", "left")
        rows = self._rows().withColumn("judged", f.lit(False))
        both = (
            judged.withColumn("judged", f.lit(True))
            .unionByName(rows, allowMissingColumns=True)
            .repartition("query")
        )
        return both.sortWithinPartitions(f.desc("judged"), "query")

    def _asked(self, frame: DataFrame, interleaved: bool = False) -> list[Answer]:
        """The answer of each partition of a frame."""
        with self._shared(self.question) as shared:
            asked = frame.mapInArrow(lambda rows: tasks.of_partition(rows, shared.value, interleaved), tasks.SCHEMA)
            return list(map(tasks.unpacked, asked.collect()))

    def _whole(self, parts: Sequence[Part], kept: DataFrame | None = None) -> Scan:
        """The scan of all parts; for queries that are in several, ranks are counted in each part.

        Args:
            kept: the rows as the tasks kept them; without it a frame is read again.
        """
        qrels = self.question.qrels
        split = split_queries(parts, len(qrels))
        if not len(split):
            return whole(parts, qrels)
        some = qrels.select(np.isin(np.arange(len(qrels)), split))
        readings = [self._reading(part.among(split, qrels, some), some) for part in parts]
        again = self._again(scattered(readings), split, parts, kept)
        rest = [part.without(split) for part in parts]
        scan = whole([*rest, Part.of_some(merge(readings, again), split, qrels)], qrels)
        return scan._replace(interleaved=bool(self.stretches))  # rows of a frame have no order

    def _again(
        self, scattered: Scattered, split: Ints, parts: Sequence[Part], kept: DataFrame | None
    ) -> Reading | RankCounts:
        """The reading, or the rank counts, of the queries that are in several files or partitions."""
        format, distinct = self.question.format, self.distinct
        if self.frame is None:
            given = zip(self.stretches, parts, strict=True)
            some = [stretch for stretch, part in given if np.isin(split, part.answered).any()]
            if ordered(self.question.rules):
                return read_together(scattered, [stretch.run(format) for stretch in some])
            with self._shared(scattered) as shared:
                count = partial(tasks.counts_of_stretches, format=format, distinct=distinct)
                return _added(self._rdd(some).mapPartitions(lambda each: count(each, shared.value)))
        frame, rows_of = (self.frame, iter) if kept is None else (kept, tasks.kept_rows)
        if kept is None and len(split) <= FEW:
            frame = frame.where(frame["query"].isin(list(map(bytearray, scattered.found.rows.queries))))
        with self._shared(scattered) as shared:
            asked = frame.mapInArrow(
                lambda rows: tasks.counts_of_partition(rows_of(rows), shared.value, distinct), tasks.SCHEMA
            )
            return _added(asked.rdd.map(tasks.unpacked))

    def _rows(self) -> DataFrame:
        """The rows of the run as a frame."""
        if self.frame is not None:
            return self.frame
        stretches, question = self.stretches, self.question
        numbers = self.session.range(0, len(stretches), 1, len(stretches))
        return numbers.mapInArrow(lambda rows: tasks.rows_of_stretches(rows, stretches, question), tasks.ROWS)

    def _rdd(self, stretches: Sequence[Stretch]) -> RDD[Stretch]:
        return self.session.sparkContext.parallelize(stretches, len(stretches))

    @contextmanager
    def _shared(self, value: Shared) -> Iterator[Broadcast[Shared]]:
        shared = self.session.sparkContext.broadcast(value)
        try:
            yield shared
        finally:
            shared.unpersist()

    def _reading(self, scan: Scan, qrels: Qrels | None = None) -> Reading:
        """The reading of a scan."""
        asked = self.question
        judged = asked.qrels if qrels is None else qrels
        return Reading.scanned(judged, scan, asked.rules, asked.name, asked.kept)


@contextmanager
def raised_here() -> Iterator[None]:
    """Turn an error of Spark inside into one of truerank's.

    Raises:
        TruerankError: Spark gave up.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise stopped(str(error)) from error


def stopped(said: str) -> TruerankError:
    """The error for where Spark gives up; errors that a user can fix are answers of tasks instead."""
    if "No module named 'truerank'" in said:
        return TruerankError(
            "truerank is not installed where Spark's executors are: install the same version there"
        )
    lines = said.strip().splitlines()
    if own := next(filter(None, map(re.compile(r"truerank\.core\.errors\.\w+: (.+)").match, lines)), None):
        return TruerankError("Spark gave up: {why}", why=own[1])
    why = next(filter(re.compile(r"[\w.]*(Error|Exception): ").match, lines), lines[0])
    return TruerankError("Spark gave up: {why}", why=truncated(why))


def _added(counts: RDD[Answer]) -> RankCounts:
    """The rank counts of all parts, added up by the executors."""
    return expected([counts.treeReduce(tasks.added)], RankCounts)[0]


def expected(answers: Iterable[Answer], kind: type[Kind]) -> list[Kind]:
    """The answers of tasks that are of this kind.

    Raises:
        TruerankError: an answer is an error.
    """
    given = list(answers)
    for answer in given:
        if isinstance(answer, TruerankError):
            raise answer
    return [answer for answer in given if isinstance(answer, kind)]


def checked(reading: Reading) -> Reading:
    """The reading; raise where the rules refuse an unjudged query that it answers."""
    refuse_extra(reading.extra, reading.rules, reading.name)
    return reading


ORDERED = {"ties": ("input",), "duplicates": ("first", "last")}
"""Rules that ask in which order rows came."""


def ordered(rules: Rules) -> list[str]:
    """The settings of the rules that depend on the order of rows."""
    return [field for field, values in ORDERED.items() if getattr(rules, field) in values]


def refuse_order(rules: Rules) -> None:
    """Raise where the rules depend on the order of rows, which a frame does not have.

    Raises:
        RulesError: they do.
    """
    if asked := ordered(rules):
        raise RulesError(
            "{rule} asks for the order of rows, and those of a DataFrame have none: give paths of files, whose "
            "rows have one, or choose another rule",
            rule=f"{asked[0]} = {getattr(rules, asked[0])}",
        )
