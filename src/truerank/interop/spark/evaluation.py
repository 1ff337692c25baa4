"""`tr.read`, `tr.evaluate` and `tr.compare` for runs of any size, on Spark: the same numbers, to the bit."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast, overload

from truerank.core.errors import InputError, TruerankError, first_line, needs, quoted
from truerank.core.evaluate import evaluate as evaluate_reading
from truerank.core.evaluate import seen_rows
from truerank.core.found import as_ruled
from truerank.core.messages import message, plural
from truerank.core.qrels import NO_QRELS, Qrels, QrelsLike
from truerank.core.reading import Keep, Reading, ranks_kept
from truerank.core.rules import Rules, RulesLike
from truerank.core.scores import Scores
from truerank.core.vocabulary import asked_for, checked
from truerank.formats import frames, read_qrels
from truerank.formats.names import layout
from truerank.interop.spark import large
from truerank.interop.spark.columns import is_frame, labelled, typed
from truerank.interop.spark.files import files, stretches
from truerank.interop.spark.large import LargeScores
from truerank.interop.spark.plans import Plan, Way, estimated, forced
from truerank.interop.spark.reading import Work, refuse_order
from truerank.interop.spark.tasks import Question
from truerank.interop.spark.values import grouped
from truerank.measures import MeasuresLike

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from truerank.analysis.compare import Comparison

SparkRun = Any
"""Paths of files, or a DataFrame of Spark with columns for the query, the document and the score."""

HELD = 10_000_000
"""The values of this many queries are held by the driver."""

MASTERS = ("local", "spark://", "k8s://", "yarn")
"""How masters begin."""

SHARED = 5_000_000
"""This many judgements of a frame go to every executor; of more, each task has those of its own queries."""


def read(
    qrels: QrelsLike | DataFrame,
    run: SparkRun,
    *,
    rules: RulesLike | None = None,
    keep: Keep = "judged",
    plan: str | None = None,
    distinct: bool = False,
    name: str | None = None,
    format: str | None = None,
) -> Reading:
    """Read a run on Spark: the same reading, to the bit, as that of `tr.read`.

    Args:
        qrels: as for `tr.read`, or a DataFrame of Spark with columns for the query, the document and the grade.
        run: files that every executor can open (a path, a folder, a pattern, URLs, or several), or a DataFrame with
            columns for the query, the document and the score.
        rules, keep: as for `tr.read`.
        plan: how to read, instead of as `explain` shows: "paths", "partitions", "passes" or "shuffle".
        distinct: state that no document is returned for a query in two parts; then no rows are moved where those
            of a query are scattered.
        name: what to call the run, instead of its path.
        format: the name of the files' format, instead of the one that each looks like.

    Raises:
        TruerankError: wrong input, or rules that ask for an order which the rows do not have.
    """
    options: dict[str, Any] = {"plan": plan, "distinct": distinct, "name": name, "format": format}
    work, chosen = planned(qrels, run, rules=rules, keep=keep, **options)
    return work.read(chosen.way)


def explain(
    qrels: QrelsLike | DataFrame,
    run: SparkRun,
    *,
    rules: RulesLike | None = None,
    plan: str | None = None,
    distinct: bool = False,
    format: str | None = None,
) -> Plan:
    """How `read` and `evaluate` would read the run, and why. Arguments as for `read`."""
    return planned(qrels, run, rules=rules, plan=plan, distinct=distinct, format=format)[1]


@overload
def evaluate(
    qrels: QrelsLike | DataFrame,
    run: SparkRun,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = None,
    by: None = None,
    plan: str | None = None,
    distinct: bool = False,
    name: str | None = None,
    format: str | None = None,
    held: int = HELD,
) -> Scores | LargeScores: ...


@overload
def evaluate(
    qrels: QrelsLike | DataFrame,
    run: SparkRun,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = None,
    by: Mapping[Any, Any] | DataFrame,
    plan: str | None = None,
    distinct: bool = False,
    name: str | None = None,
    format: str | None = None,
    held: int = HELD,
) -> dict[Any, Scores] | dict[Any, LargeScores]: ...


def evaluate(
    qrels: QrelsLike | DataFrame,
    run: SparkRun,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = None,
    by: Mapping[Any, Any] | DataFrame | None = None,
    plan: str | None = None,
    distinct: bool = False,
    name: str | None = None,
    format: str | None = None,
    held: int = HELD,
) -> Scores | LargeScores | dict[Any, Scores] | dict[Any, LargeScores]:
    """How well a run of any size answers the queries of the qrels: the same numbers, to the bit, as `tr.evaluate`.

    Args:
        qrels, run, rules, plan, distinct, name, format: as for `read`.
        measures: as for `tr.evaluate`.
        by: {query: value}, for {value: the scores of its queries}; or a DataFrame of Spark with a column of queries
            and one of values, which are text then. The run is read once for all of them.
        held: this many queries are held by the driver; where a DataFrame judges more, their values stay on Spark.
    """
    options: dict[str, Any] = {"plan": plan, "distinct": distinct, "name": name, "format": format}
    under = checked(Rules.of(rules))
    if is_frame(qrels) and _has_more(qrels, held):
        return _large(cast("DataFrame", qrels), run, measures, under, by, **options)
    reading = read(qrels, run, rules=under, keep=seen_rows(asked_for(measures, under).values()), **options)
    if by is None:
        return evaluate_reading(reading, measures=measures)
    if is_frame(by):
        by = {bytes(row.query): row.value for row in labelled(by, cast("Any", by).sparkSession)[0].collect()}
    parts = grouped(reading, cast("Mapping[Any, Any]", by))
    return {value: evaluate_reading(part, measures=measures) for value, part in parts.items()}


def compare(
    qrels: QrelsLike | DataFrame,
    runs: Mapping[str, SparkRun],
    measures: MeasuresLike | None = None,
    baseline: str | int | None = None,
    *,
    rules: RulesLike | None = None,
    plan: str | None = None,
    distinct: bool = False,
    format: str | None = None,
    **options: Any,
) -> Comparison:
    """Which of some runs is better, as `tr.compare` says it; each run is read on Spark, once.

    Args:
        qrels, rules, plan, distinct, format: as for `read`.
        runs: {name: run}, each as for `read`.
        measures, baseline, options: as for `tr.compare`: test, correction, seed, by, and others.
    """
    from truerank.analysis.compare import compare as compare_readings  # executors need not load it

    judged = _collected(qrels) if is_frame(qrels) and not _is_large(qrels) else qrels
    under = checked(Rules.of(rules))
    how: dict[str, Any] = {"rules": under, "plan": plan, "distinct": distinct, "format": format}
    how["keep"] = seen_rows(asked_for(measures, under).values())
    readings = {name: read(judged, run, name=name, **how) for name, run in runs.items()}
    return compare_readings(None, readings, measures, baseline, **options)


def _large(
    qrels: DataFrame, run: SparkRun, measures: MeasuresLike | None, rules: Rules, by: Any, **options: Any
) -> LargeScores | dict[Any, LargeScores]:
    """The scores of more queries than the driver can hold."""
    asked = asked_for(measures, rules)
    chosen = list(dict.fromkeys(asked.values()))
    work, _ = planned(qrels, run, rules=rules, keep=seen_rows(chosen), shared=0, **options)
    frame, values = (None, {}) if by is None else labelled(by, work.session)
    scored = large.evaluated(work, frame, chosen, {word: str(measure) for word, measure in asked.items()})
    if by is None:
        return scored[None]
    by_value = {values.get(text, text): scores for text, scores in scored.items()}
    return dict(sorted(by_value.items(), key=lambda pair: str(pair[0])))


def planned(
    qrels: QrelsLike | DataFrame,
    run: SparkRun,
    *,
    rules: RulesLike | None = None,
    keep: Keep = "judged",
    plan: str | None = None,
    distinct: bool = False,
    name: str | None = None,
    format: str | None = None,
    shared: int | None = None,
) -> tuple[Work, Plan]:
    """What `read` has to do, and the way it is done; `shared` replaces `SHARED`."""
    under = Rules.of(rules).by_query(message("on Spark a run is read query by query"))
    way = None if plan is None else forced(plan, is_frame(run))
    if is_frame(run):
        refuse_order(under)
        question, judged = _question(qrels, under, keep, name or "run", format, shared)
        work = Work(run.sparkSession, question, (), typed(run, "run", question.name), judged, distinct)
    else:
        found = files(run)
        called = name or (os.fspath(run) if isinstance(run, str | os.PathLike) else found[0])
        question, judged = _question(qrels, under, keep, called, format, shared)
        spark = session()
        size = cast("Any", spark)._jsparkSession.sessionState().conf().filesMaxPartitionBytes()
        parts = [stretch for file in found for stretch in stretches(file, format, size)]
        work = Work(spark, question, parts, None, judged, distinct)
    return work, _chosen(work, run, way)


def _chosen(work: Work, run: SparkRun, way: Way | None) -> Plan:
    """The plan for the way asked for, or for the one that looks fastest."""
    n = len(work.question.qrels.grades)
    shared = plural("{n:,} judgement goes to every executor", "{n:,} judgements go to every executor", n=n)
    if work.judged is not None:
        refuse_order(work.question.rules)
        moved = message("judgements go to the rows of their queries, as they are more than {n:,}", n=SHARED)
        return Plan("shuffle", message("there are too many judgements for every executor"), moved)
    if way is not None:
        return Plan(way, message("it was asked for"), shared)
    if work.frame is None:
        n, pieces = len({stretch.path for stretch in work.stretches}), len(work.stretches)
        files = plural("the run is {n:,} file", "the run is {n:,} files", n=n)
        if pieces > n:
            files = message("{files}, cut into {pieces:,} pieces where queries begin", files=files, pieces=pieces)
        return Plan("paths", files, shared)
    query = run.columns[layout(run.columns, "run", work.question.name).query]
    return Plan(*estimated(run, query, work.frame, work.distinct), shared)


def _question(
    qrels: QrelsLike | DataFrame, rules: Rules, keep: Keep, name: str, format: str | None, shared: int | None
) -> tuple[Question, DataFrame | None]:
    """The question for every part, and the judgements where they are joined with the rows."""
    if is_frame(qrels) and _is_large(qrels, shared):
        judgements = typed(cast("Any", qrels), "qrels", "qrels")
        if "aspect" in judgements.columns:
            raise InputError(
                "judgements of aspects go to every executor, and there are too many of these: give a file, or "
                "collect them (toPandas)",
                "qrels",
            )
        return Question(NO_QRELS, rules, ranks_kept(keep), name, format), judgements
    judged = as_ruled(_collected(qrels) if is_frame(qrels) else read_qrels(cast("QrelsLike", qrels)), rules)
    if not len(judged):
        raise InputError("there are no judgements in it", judged.name)
    return Question(judged, rules, ranks_kept(keep), name, format), None


def _is_large(qrels: Any, shared: int | None = None) -> bool:
    return bool(qrels.count() > (SHARED if shared is None else shared))


def _has_more(qrels: Any, held: int) -> bool:
    """Whether qrels judge more queries than `held`; cheap if there are not even that many judgements."""
    return _is_large(qrels, held) and typed(qrels, "qrels", "qrels").select("query").distinct().count() > held


def _collected(qrels: Any) -> Qrels:
    table = typed(qrels, "qrels", "qrels").toArrow()
    return frames.qrels_from_frame(
        table.rename_columns(["query_id", "doc_id", "relevance", *table.column_names[3:]])
    )


def session(master: str | None = None) -> SparkSession:
    """The active session, or a new one by Spark's own configuration; tasks on this machine run this Python.

    Raises:
        MissingPackage: PySpark is not installed.
        InputError: the master is not a valid one.
        TruerankError: Spark does not start.
    """
    if master is not None and not master.startswith(MASTERS):
        raise InputError(
            "a master is local[2], spark://HOST:PORT, k8s://URL or yarn, not {master}", master=quoted(master)
        )
    with needs("truerank.spark", "spark"):
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    if found := SparkSession.getActiveSession():
        return found
    builder = SparkSession.builder.appName("truerank").config("spark.log.level", "ERROR")
    try:
        new = (builder if master is None else builder.master(master)).getOrCreate()
    except PySparkException as error:
        why = first_line(error)
        mend = message("it needs Java 17 or later (apt-get install openjdk-17-jre-headless)")
        raise TruerankError("Spark does not start: {why}; {mend}", why=why, mend=mend) from error
    except Py4JJavaError as error:
        why = first_line(error.java_exception.toString())
        mend = message("is there such a master, and does it answer?")
        raise TruerankError("Spark does not start: {why}; {mend}", why=why, mend=mend) from error
    if new.sparkContext.master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        new.sparkContext.pythonExec = sys.executable  # not the first Python in PATH, which may have other packages
    return new
