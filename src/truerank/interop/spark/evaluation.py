"""`tr.evaluate`, `tr.compare` and `tr.read` of runs of any size, on Spark: the same numbers, to the bit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from truerank.analysis.compare import Comparison
from truerank.analysis.compare import compare as compare_readings
from truerank.core.errors import InputError, MissingPackage, RulesError
from truerank.core.evaluate import evaluate as evaluate_reading
from truerank.core.messages import message
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.reading import Keep, Reading, as_ruled, kept_rows, of_scan
from truerank.core.rules import Rules, RulesLike
from truerank.core.scores import Scores
from truerank.formats import frames, read_qrels
from truerank.interop.spark.columns import is_frame, typed
from truerank.interop.spark.files import Paths, files
from truerank.interop.spark.reading import Work, refuse_order
from truerank.interop.spark.tasks import Question
from truerank.measures import MeasuresLike

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RunOnSpark = Paths | Any
"""Paths of files, or a DataFrame of Spark with columns for the query, the document and the score."""


def read(
    qrels: QrelsLike | DataFrame,
    run: RunOnSpark,
    *,
    rules: RulesLike | None = None,
    keep: Keep = "judged",
    plan: str | None = None,
    name: str | None = None,
) -> Reading:
    """Read a run on Spark, for whatever is asked of it: the same reading, to the bit, as `tr.read` has.

    Args:
        qrels: as for `tr.read`, or a DataFrame of Spark.
        run: files (a path, a folder, a pattern, URLs, or several) that every executor can open, or a DataFrame with
            columns for the query, the document and the score.
        rules, keep: as for `tr.read`.
        plan: how, instead of what an estimate chooses: "paths", "partitions" or "shuffle".
        name: what to call the run instead of its path.

    Raises:
        TruerankError: wrong input, or rules that ask for an order which the rows do not have.
    """
    work = _work(qrels, run, Rules.of(rules), keep, name)
    found = _WAYS[plan or ("paths" if work.files else "partitions")](work)
    asked = work.question
    return of_scan(asked.qrels, found, asked.rules, asked.name, asked.kept)


_WAYS = {"paths": Work.by_paths, "partitions": Work.by_partitions, "shuffle": Work.by_shuffle}


def evaluate(
    qrels: QrelsLike | DataFrame,
    run: RunOnSpark,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = None,
    plan: str | None = None,
    name: str | None = None,
) -> Scores:
    """How well a run of any size answers the queries of the qrels: the same numbers, to the bit, as `tr.evaluate`.

    Arguments as for `read`, and `measures` as for `tr.evaluate`.
    """
    return evaluate_reading(read(qrels, run, rules=rules, plan=plan, name=name), measures=measures)


def _work(
    qrels: QrelsLike | DataFrame, run: RunOnSpark, rules: Rules, keep: Keep, name: str | None
) -> Work:
    rules = rules.by_query(message("Spark reads by query"))
    if is_frame(run):
        called = name or "run"
        refuse_order(rules, called)
        frame = typed(run, "run", called)
        return Work(run.sparkSession, _question(qrels, rules, keep, called), frame=frame)
    found = files(run)
    called = name or (os.fspath(run) if isinstance(run, str | os.PathLike) else found[0])
    return Work(session(), _question(qrels, rules, keep, called), found)


def _question(qrels: QrelsLike | DataFrame, rules: Rules, keep: Keep, name: str) -> Question:
    judged = as_ruled(_collected(qrels) if is_frame(qrels) else read_qrels(cast("QrelsLike", qrels)), rules)
    return Question(judged, rules, kept_rows(keep, judged), name)


def _collected(qrels: Any) -> Qrels:
    table = typed(qrels, "qrels", "qrels").toArrow()
    return frames.qrels_from_frame(table.rename_columns(["query_id", "doc_id", "relevance"]))


def session() -> SparkSession:
    """The session that there is, or a new one, as Spark is configured here."""
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise MissingPackage("truerank.spark", "spark") from None
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
