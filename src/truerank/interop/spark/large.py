"""Scores of more queries than a driver holds: values stay on Spark, and means are summed without rounding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from truerank.analysis.drawing import checked_drawing
from truerank.core.errors import InputError, MeasureError
from truerank.core.ledger import Ledger
from truerank.core.means import Means
from truerank.core.rules import Rules
from truerank.core.scores import Scores, of_mean
from truerank.interop.spark import tasks, values
from truerank.interop.spark.columns import escaped
from truerank.interop.spark.reading import Work, expected, raised_here
from truerank.interop.spark.values import Summary, Total
from truerank.measures import Measure
from truerank.measures.of_run import OfRun
from truerank.measures.sums import rounded
from truerank.stats import percentile_interval
from truerank.stats.poisson import Drawn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from truerank.stats import Interval


@dataclass(frozen=True, eq=False, repr=False)
class LargeScores(Means["DataFrame"]):
    """`Scores` for more queries than a driver holds: a mapping {measure: a DataFrame (query, value)}.

    Sums are exact and rounded once, so that means are those of `math.fsum`, however queries are partitioned; those
    of `Scores`, which adds one query after another, may differ in the last digits.

    Attributes:
        measures, rules, ledger, run, asked: as in `Scores`.
        totals: the exact sums behind each mean.
        rows: the values of each query, with its id as bytes.
        kept: what the rows are taken from; it stays on the executors' disks until `unpersist`.
    """

    measures: tuple[Measure, ...]
    rules: Rules
    ledger: Ledger
    run: str
    totals: Mapping[str, Total]
    rows: DataFrame
    kept: DataFrame
    asked: Mapping[str, str] = field(default_factory=dict)
    as_written: bool = False
    of_run: Mapping[str, OfRun] = field(default_factory=dict)
    runs: tuple[Scores, ...] = ()

    @property
    def table(self) -> DataFrame:
        """One row per query: its id, then one column per measure, NaN where it has no value."""
        return self.rows.withColumn("query", self.rows["query"].cast("string"))

    @property
    def _columns(self) -> Iterable[str]:
        return self.totals

    @cached_property
    def _named(self) -> Mapping[str, DataFrame]:
        return {name: self.table.select("query", escaped(str(measure))) for name, measure in self.headings.items()}

    def number(self, measure: Measure) -> float:
        """The one number of a measure that was evaluated."""
        total = self.totals[str(measure)]
        try:
            total_value = rounded(total.sum)
        except OverflowError:
            raise MeasureError(
                "the values of {measure} are too large to be summed over {n} queries", measure=measure, n=total.n
            ) from None
        if measure.definition.average == "sum" or not total.n:
            return total_value
        mean = total_value / total.n
        return math.exp(mean) if measure.definition.average == "geometric" else mean

    def intervals(self, *, confidence: float = 0.95, samples: int = 1000, seed: int = 0) -> dict[str, Interval]:
        """Where the mean of each measure may lie, by a Poisson bootstrap in the tasks: the same for any partitions.

        Args:
            samples: how often the queries are resampled.
            seed: of the draws; how often a query is drawn depends on it and on the query's id.

        Raises:
            InputError: one of the three is not what `tr.compare` takes.
        """
        confidence, samples, seed = checked_drawing(confidence, samples, seed)
        measures, totals = self.measures, [self.totals[str(measure)] for measure in self.measures]
        largest = np.array([total.largest for total in totals])
        asked = self.rows.mapInArrow(
            lambda rows: values.drawn(rows, measures, largest, samples, seed), tasks.SCHEMA
        )
        with raised_here():
            resampled: Drawn = asked.rdd.map(tasks.unpacked).treeReduce(lambda one, other: one + other)
        means, limits = resampled.means(largest), {}
        for i, (measure, total) in enumerate(zip(measures, totals, strict=True)):
            plain = rounded(total.sum) / max(total.n, 1)
            interval = percentile_interval(plain, means[:, i], total.n, confidence=confidence)
            limits[str(measure)] = of_mean(measure, interval, self.number(measure), total.n)
        return self._by_heading((name, limits[str(measure)]) for name, measure in self.headings.items())

    def per_query(self) -> DataFrame:
        """`table`, as a method."""
        return self.table

    def unpersist(self) -> None:
        """Free the rows; if they are needed later, they are computed again from the run."""
        self.kept.unpersist()

    def _plain(self) -> NoReturn:
        raise InputError("there are more queries than the driver holds; `table` has their values", self.run)


def evaluated(
    work: Work, by: DataFrame | None, measures: list[Measure], asked: Mapping[str, str]
) -> dict[str | None, LargeScores]:
    """{value: the scores of its queries}; without `by`, the scores of all queries under None."""
    from pyspark import StorageLevel
    from pyspark.sql import functions as f
    from pyspark.sql.types import BinaryType, DoubleType, StringType, StructField, StructType

    for measure in measures:
        if measure.definition.is_of_run:
            raise MeasureError("{measure} is one number of the whole run, which no task has", measure=measure)
    columns = [StructField(str(measure), DoubleType()) for measure in measures]
    first = [("answer", BinaryType()), ("value", StringType()), ("query", BinaryType())]
    schema = StructType([*(StructField(*each) for each in first), *columns])
    question, is_grouped = work.question, by is not None
    with raised_here():
        highest = _highest_grade(work)
        kept = work.together(by).mapInArrow(
            lambda rows: values.of_both(rows, question, measures, highest, is_grouped), schema
        )
        kept = kept.persist(StorageLevel.DISK_ONLY)
        answers = kept.where(f.col("answer").isNotNull()).select("answer").collect()
    summaries = values.merged(expected(map(tasks.unpacked, answers), dict))
    table = kept.where(f.col("answer").isNull())

    def scores(value: str | None, summary: Summary) -> LargeScores:
        rows = table if value is None else table.where(f.col("value") == value)
        totals = dict(zip(map(str, measures), summary.totals, strict=True))
        rows, facts = rows.drop("answer", "value"), (question.rules, summary.ledger, question.name)
        return LargeScores(tuple(measures), *facts, totals, rows, kept, asked)

    return {value: scores(value, summary) for value, summary in summaries.items()}


def _highest_grade(work: Work) -> float:
    """The highest grade of the collection under the rules, or 0; no task has all judgements."""
    from pyspark.sql import functions as f

    judged = work.judged
    assert judged is not None
    if work.question.rules.self_match == "remove":
        judged = judged.where(judged["query"] != judged["doc"])
    (found,) = judged.agg(f.max("score")).collect()
    return max(0.0, found[0] or 0.0)
