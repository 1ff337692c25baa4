"""Where the driver would not hold the values of all queries they stay on Spark; means and intervals are exact."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import truerank as tr
from truerank import stats

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

MEASURES = "nDCG@10 nDCG AP RR P@5 R@100 ERR Bpref NumRet"
SCHEMA = "query string, doc string, score double"

QRELS = {f"q{i}": {f"d{7 * i * j % 60}": j % 5 - 1 for j in range(7)} for i in range(40)}
RUN = {f"q{i}": {f"d{j}": float(i * j % 15) for j in range(i % 30 + 1)} for i in range(3, 44)}
JUDGED = [(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
ROWS = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
ONE = tr.evaluate(QRELS, RUN, MEASURES)


@pytest.fixture(scope="module")
def qrels(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(JUDGED, "query_id string, doc_id string, relevance int").cache()


@pytest.fixture(scope="module")
def run(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA).cache()


def exact(measure: str, values: Any) -> float:
    return math.fsum(values) if measure == "NumRet" else math.fsum(values) / len(values)


def test_means_are_those_of_fsum_and_the_ledger_is_one_machines(
    spark: SparkSession, qrels: DataFrame, run: DataFrame, tmp_path: Path
) -> None:
    found = tr.spark.evaluate(qrels, run, MEASURES, held=10)
    assert isinstance(found, tr.spark.LargeScores)
    assert found.mean == {name: exact(name, values) for name, values in ONE.columns.items()}
    assert found.ledger == ONE.ledger
    rows = {row.query: row for row in found.table.collect()}
    assert sorted(rows) == sorted(ONE.queries)
    for name, values in ONE.columns.items():
        assert [rows[query][name] for query in ONE.queries] == values.tolist()
        assert sorted(found[name].columns) == sorted(["query", name])
    found.unpersist()
    for number, rows in enumerate((ROWS[:100], ROWS[100:])):
        text = "".join(f"{query} Q0 {doc} 1 {score} tag\n" for query, doc, score in rows)
        (tmp_path / f"{number}.run").write_text(text)
    of_files = tr.spark.evaluate(qrels, tmp_path, MEASURES, held=10)
    assert (of_files.mean, of_files.ledger) == (found.mean, found.ledger)


def test_scores_print_themselves(qrels: DataFrame, run: DataFrame) -> None:
    found = tr.spark.evaluate(qrels, run, "ndcg_cut_10 AP", held=10, name="bm25")
    assert isinstance(found, tr.spark.LargeScores)
    assert repr(found).startswith("LargeScores('bm25', rules 'truerank', 40 queries, nDCG@10: ")
    assert str(found).splitlines()[0].split() == ["run", "nDCG@10", "AP"]
    assert found._repr_html_().startswith("<table>")
    assert "| bm25" in found.to_markdown()
    assert [len(frame) for frame in (found.to_pandas(), found.to_arrow(), found.to_polars())] == [1, 1, 1]
    assert found.mean["ndcg_cut_10"] == found.to_dict()["mean"]["nDCG@10"]
    assert "ndcg@10" in found
    with pytest.raises(tr.InputError, match="more queries than the driver holds"):
        found.to_dict(per_query=True)
    with pytest.raises(tr.MeasureError, match="RR was not evaluated"):
        found["RR"]
    for wrong in ({"samples": 0}, {"seed": -1}, {"confidence": 95}):
        with pytest.raises(tr.InputError, match=r"samples is a positive|confidence is at least 0\.5"):
            found.intervals(**wrong)


def test_any_partitions_give_the_same_bits(
    spark: SparkSession, qrels: DataFrame, run: DataFrame, request: pytest.FixtureRequest
) -> None:
    setting = "spark.sql.shuffle.partitions"
    before = spark.conf.get(setting)
    request.addfinalizer(lambda: spark.conf.set(setting, before))
    found = []
    for partitions in ("1", "7", "32"):  # of the last nine are empty
        spark.conf.set(setting, partitions)
        scores = tr.spark.evaluate(qrels, run, MEASURES, held=0)
        assert isinstance(scores, tr.spark.LargeScores)
        found.append((scores.mean, scores.ledger, scores.intervals(samples=200, seed=3)))
        scores.unpersist()
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("kind", ["dict", "frame"])
def test_groups_are_those_of_one_machine(spark: SparkSession, qrels: DataFrame, run: DataFrame, kind: str) -> None:
    by: Any = {query: f"v{int(query[1:]) % 12}" for query in QRELS if query != "q9"}
    wanted = tr.spark.evaluate(QRELS, run, MEASURES, by=by)
    if kind == "frame":
        by = spark.createDataFrame(list(by.items()), "value string, qid string").toDF("qid", "value")
        assert tr.spark.evaluate(QRELS, run, MEASURES, by=by).keys() == wanted.keys()
    found = tr.spark.evaluate(qrels, run, MEASURES, by=by, held=10)
    assert list(found) == list(wanted)
    for value, scores in found.items():
        assert scores.mean == {name: exact(name, values) for name, values in wanted[value].columns.items()}
        assert scores.ledger == wanted[value].ledger
    one = found["v10"]
    assert isinstance(one, tr.spark.LargeScores)
    assert sorted(row.query for row in one.table.collect()) == ["q10", "q22", "q34"]
    assert one.intervals(samples=100)["AP"].estimate == one.mean["AP"]


@pytest.mark.parametrize("rules", [{"without_relevant": "undefined"}, {"missing": "skip", "level": 2}])
def test_rules_say_what_is_in_the_mean(qrels: DataFrame, run: DataFrame, rules: dict[str, Any]) -> None:
    found = tr.spark.evaluate(qrels, run, "nDCG@10 GMAP P@5", rules=rules, held=10)
    wanted = tr.evaluate(QRELS, RUN, "nDCG@10 GMAP P@5", rules=rules)
    assert found.mean == pytest.approx(wanted.mean, rel=1e-14)
    assert found.ledger == wanted.ledger


@pytest.mark.parametrize("self_match", ["keep", "remove", "remove-from-answers"])
def test_a_grade_that_one_query_alone_has_is_the_highest_of_all(
    spark: SparkSession, run: DataFrame, self_match: str
) -> None:
    judged, measures = {**QRELS, "q7": {"d1": 9.0, "q7": 12.0}}, "ERR@10 INSQ RBP(gain='graded')"
    rows = [(query, doc, float(grade)) for query, docs in judged.items() for doc, grade in docs.items()]
    qrels = spark.createDataFrame(rows, "query_id string, doc_id string, relevance double")
    found = tr.spark.evaluate(qrels, run, measures, rules={"self_match": self_match}, held=10)
    wanted = tr.evaluate(judged, RUN, measures, rules={"self_match": self_match})
    assert found.mean == {name: exact(name, values) for name, values in wanted.columns.items()}


def test_what_no_task_can_tell_is_refused(qrels: DataFrame, run: DataFrame) -> None:
    with pytest.raises(tr.MeasureError, match="one number of the whole run"):
        tr.spark.evaluate(qrels, run, "Coverage@5", held=10)
    with pytest.raises(tr.InputError, match="judged but not answered"):
        tr.spark.evaluate(qrels, run, "AP", rules={"missing": "error"}, held=10)


def test_a_poisson_bootstrap_agrees_with_the_usual_one(spark: SparkSession) -> None:
    depth = np.random.default_rng(5).geometric(0.3, 2000).tolist()
    rows = [(f"q{i}", f"d{j}", float(-j)) for i, last in enumerate(depth) for j in range(last)]
    judged = [(f"q{i}", f"d{last - 1}", 1) for i, last in enumerate(depth)]
    qrels = spark.createDataFrame(judged, "qid string, doc string, grade int")
    found = tr.spark.evaluate(qrels, spark.createDataFrame(rows, SCHEMA), "RR", held=10)
    assert isinstance(found, tr.spark.LargeScores)
    interval = found.intervals(samples=2000)["RR"]
    usual = stats.mean_interval([1 / last for last in depth], method="percentile", resamples=2000)
    assert interval.estimate == pytest.approx(usual.estimate, rel=1e-14)
    width = usual.high - usual.low
    assert interval.low == pytest.approx(usual.low, abs=0.05 * width)
    assert interval.high == pytest.approx(usual.high, abs=0.05 * width)
