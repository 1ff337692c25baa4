"""The provider for ir_measures: what it takes and gives back. Its numbers are compared in tests/peers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.interop.ir_measures import install, provider, their_measure

theirs = pytest.importorskip("ir_measures", reason="needs ir_measures")

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"b": 1}, "q3": {"a": 1}}
RUN = {"q2": {"x": 2.0, "b": 1.0}, "q1": {"c": 3.0, "b": 2.0, "a": 1.0}, "never judged": {"a": 1.0}}
AP, RR = theirs.AP, theirs.RR
VALUES = {"q1": (1 + 2 / 3) / 2, "q2": 0.5, "q3": 0.0}


def read(name: str) -> Any:
    """Their measure of this name, which is an expression; their own reader needs an `ast` of before Python 3.14."""
    return eval(name, vars(theirs))


def dicts() -> tuple[Any, Any]:
    return QRELS, RUN


def tuples() -> tuple[list[Any], list[Any]]:
    judged = [theirs.Qrel(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
    run = [theirs.ScoredDoc(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
    return judged, run


def frames() -> tuple[Any, Any]:
    pandas = pytest.importorskip("pandas")
    judged, run = tuples()
    return pandas.DataFrame(judged), pandas.DataFrame(run)


def iterators() -> tuple[Any, Any]:
    judged, run = tuples()
    return iter(judged), iter(run)


class Gone:
    """What can be gone through, any number of times, and no more, as adapters to other packages are."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)


def adapters() -> tuple[Any, Any]:
    judged, run = tuples()
    return Gone(judged), Gone(run)


@pytest.mark.parametrize("given", [dicts, tuples, iterators, adapters, frames])
def test_it_takes_what_ir_measures_takes(given: Any) -> None:
    found = provider().calc([AP, RR @ 10], *given())
    assert {row.query_id: row.value for row in found.per_query if row.measure == AP} == VALUES
    assert found.aggregated == {AP: sum(VALUES.values()) / 3, RR @ 10: 0.5}


def test_rows_go_query_by_query_as_the_qrels_do_and_those_without_an_answer_have_the_default() -> None:
    rows = list(provider().iter_calc([theirs.NumQ, theirs.NumRel], QRELS, RUN))
    assert [(row.query_id, row.value) for row in rows] == [
        ("q1", 1.0), ("q1", 2.0), ("q2", 1.0), ("q2", 1.0), ("q3", 0.0), ("q3", 0.0)
    ]  # fmt: skip
    qrels, run = {f"q{n}": {"a": 1} for n in (2, 10, 9)}, {f"q{n}": {"a": 1.0} for n in (9, 10)}
    assert [(row.query_id, row.value) for row in provider().iter_calc([AP], qrels, run)] == [
        ("q2", 0.0), ("q10", 1.0), ("q9", 1.0)
    ]  # fmt: skip


def test_means_are_of_the_values_in_the_order_of_the_qrels_as_theirs_are_to_the_last_bit() -> None:
    qrels = {f"q{n}": {f"d{place}": 1 + n * place % 3 for place in range(0, n % 7 + 1, 2)} for n in range(12)}
    run = {query: {f"d{place}": 1.0 / (place + 1) for place in range(1, 9)} for query in qrels}
    measures = [theirs.nDCG @ 10, AP, theirs.R @ 3, theirs.nDCG(gains={1: 3, 2: 0}) @ 10, theirs.P(rel=2) @ 3]
    measures += [theirs.nDCG(judged_only=True) @ 10, AP(judged_only=True), theirs.P(judged_only=True, rel=2) @ 3]
    expected = theirs.pytrec_eval.calc_aggregate(measures, qrels, run)
    assert provider().calc_aggregate(measures, qrels, run) == expected


def test_what_is_judged_below_0_is_judged() -> None:
    qrels, run = {"q": {"a": -1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    measures = [theirs.Judged @ 1, theirs.Judged @ 2, theirs.Judged @ 3]
    expected = theirs.judged.calc_aggregate(measures, qrels, run)
    assert provider().calc_aggregate(measures, qrels, run) == expected
    assert list(expected.values()) == [1.0, 0.5, 2 / 3]


def test_measures_in_a_set_as_ir_measures_hands_them_on_stand_in_one_order() -> None:
    some = {read(name) for name in ("RR", "AP", "P@5", "R@5", "nDCG@5", "Rprec")}
    assert list(map(str, provider().evaluator(some, QRELS).measures)) == [
        "AP",
        "P@5",
        "R@5",
        "RR",
        "Rprec",
        "nDCG@5",
    ]


@pytest.mark.parametrize("measures", [["AP"], "AP", [None]])
def test_what_is_no_measure_of_ir_measures_is_a_value_error_that_says_what_reads_text(measures: Any) -> None:
    with pytest.raises(ValueError, match=r"ir_measures\.parse_measure reads text"):
        provider().calc_aggregate(measures, QRELS, RUN)


def test_infinite_scores_are_the_highest_and_the_lowest() -> None:
    rows = [
        theirs.ScoredDoc("q", "a", 1.0),
        theirs.ScoredDoc("q", "b", float("inf")),
        theirs.ScoredDoc("q", "c", 2.0),
    ]
    found = provider().calc_aggregate([RR, RR @ 10], {"q": {"a": 1}}, rows)
    assert found == {RR: 1 / 3, RR @ 10: 1 / 3}
    assert provider().calc_aggregate([RR], {"q": {"a": 1}}, {"q": {"a": float("-inf"), "b": 0.0}}) == {RR: 0.5}
    lowest = {"q": {"a": np.float32("-inf"), "b": np.float32("-1e38")}}
    assert provider().calc_aggregate([RR], {"q": {"a": 1}}, lowest) == {RR: 0.5}
    with pytest.raises(ValueError, match="query q: the score of document a is not a number"):
        provider().calc_aggregate([RR], {"q": {"a": 1}}, {"q": {"b": 1.0, "a": float("nan")}})


def test_queries_may_be_called_as_columns_elsewhere() -> None:
    qrels, run = {"q": {"a": 1}, "docid": {"a": 1}}, {"q": {"a": 1.0}, "docid": {"b": 2.0, "a": 1.0}}
    rows = provider().iter_calc([AP], qrels, run)
    assert [(row.query_id, row.value) for row in rows] == [("q", 1.0), ("docid", 0.5)]


def test_one_evaluator_evaluates_many_runs() -> None:
    evaluator = provider().evaluator([AP], {"q": {"a": 1}})
    assert [evaluator.calc_aggregate({"q": {doc: 1.0}})[AP] for doc in "aba"] == [1, 0, 1]
    assert (evaluator.qrel_qids, evaluator.measures) == ({"q"}, [AP])


def test_without_rows_there_are_defaults_and_without_judgements_nothing() -> None:
    assert provider().calc_aggregate([AP], QRELS, []) == {AP: 0.0}
    assert list(provider().iter_calc([AP], [], tuples()[1])) == []
    one, bare = [AP, theirs.Judged @ 3], {**QRELS, "never answered": {}, "q2": {}}
    assert provider().calc_aggregate(one, bare, RUN) == theirs.calc_aggregate(one, bare, RUN)


@pytest.mark.parametrize(("qrels", "run"), [("nonsense", RUN), (QRELS, [1, 2]), (QRELS, {"q1": {"a": "high"}})])
def test_what_it_cannot_read_is_a_value_error(qrels: Any, run: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown qrels format|not 1|not str"):
        provider().calc_aggregate([AP], qrels, run)


@pytest.mark.parametrize("low", [-1, 0, 1, 2])
@pytest.mark.parametrize(
    "name", ["BPM{}@5", "SDCG{}@5", "NERR8{}@5", "NERR9{}@5", "NERR10{}", "NERR11{}", "INST{}", "INSQ{}"]
)
def test_grades_count_from_the_least_to_the_highest(name: str, low: int) -> None:
    """cwl-eval's provider makes those below 0 to 0 first, and takes (grade - min_rel) / (max_rel - min_rel)."""
    grades, run = (
        {"a": 3, "b": 0, "c": 1, "d": -2, "e": 6},
        {"q": {doc: float(-n) for n, doc in enumerate("cxaedb")}},
    )
    moved = {doc: min(max(grade, 0, low), low + 3) - low for doc, grade in grades.items()}
    asked, plain = (read(name.format(f"(min_rel={least}, max_rel={least + 3})")) for least in (low, 0))
    found = provider().calc_aggregate([asked], {"q": grades}, run)[asked]
    assert found == pytest.approx(provider().calc_aggregate([plain], {"q": moved}, run)[plain], 1e-12)
    assert found > 0


def test_a_reader_who_may_go_on_for_ever_stops_at_a_cutoff() -> None:
    judged, run = {"q": {"a": 1, "b": 1}}, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}
    found = provider().calc_aggregate([theirs.RBP(rel=1) @ 2, theirs.RBP(rel=1)], judged, run)
    assert list(found.values()) == pytest.approx([0.2 * 0.8, 0.2 * (0.8 + 0.8**2)], 1e-12)


def test_accuracy_is_of_the_queries_of_which_something_relevant_came_as_theirs_is() -> None:
    for measure in (theirs.Accuracy, theirs.Accuracy @ 2):
        rows = set(provider().iter_calc([measure], QRELS, RUN))
        assert rows == set(theirs.iter_calc([measure], QRELS, RUN))
        assert {row.query_id for row in rows} == {"q1", "q2"}


def test_it_has_all_measures_with_all_that_they_can_have() -> None:
    assert provider().supports(theirs.nDCG(judged_only=True, gains={1: 3}) @ 10)
    assert provider().supports(theirs.BPM(max_rel=3, min_rel=1) @ 10)
    assert not provider().supports(theirs.RBP)
    assert not provider().supports(theirs.P @ 0)
    assert not provider().supports(theirs.nDCG(dcg="exp-log2", gains={1: 3}))
    with pytest.raises(ValueError, match="unsupported measure RBP"):
        provider().calc_aggregate([theirs.RBP], QRELS, RUN)
    with pytest.raises(AssertionError, match="invalid param"):
        provider().supports(theirs.P)


def test_installed_it_is_asked_first_but_for_measures_that_users_define() -> None:
    before = list(theirs.DefaultPipeline.providers)
    try:
        install()
        install()
        assert theirs.DefaultPipeline.providers == [theirs.runtime, provider(), *before[1:]]
        assert theirs.providers.registry["truerank"] is provider()
        assert isinstance(provider(), theirs.Provider)
        assert isinstance(theirs.evaluator([AP], QRELS), theirs.Evaluator)
        assert AP.calc_aggregate(QRELS, RUN) == sum(VALUES.values()) / 3
    finally:
        theirs.DefaultPipeline.providers[:] = before
        theirs.providers.registry.pop("truerank")


def test_judgements_of_one_subtopic_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    provider().calc_aggregate([theirs.alpha_nDCG @ 10], QRELS, RUN)
    assert "all judgements are of one subtopic" in caplog.text
    caplog.clear()
    several = [theirs.Qrel("q1", doc, 1, aspect) for doc, aspect in (("a", "1"), ("b", "2"))]
    provider().calc_aggregate([theirs.alpha_nDCG @ 10], several, RUN)
    assert not caplog.text


@pytest.mark.parametrize("name", ["ERR_IA@1", "alpha_DCG@1", "alpha_DCG(rel=1,alpha=0.3)@1"])
def test_at_a_cutoff_of_1_nothing_divides_what_pyndeval_divides_further_down(name: str) -> None:
    judged = [theirs.Qrel("q", doc, 1, aspect) for doc, aspect in (("a", "1"), ("a", "2"), ("b", "3"))]
    assert provider().calc_aggregate([read(name)], judged, {"q": {"a": 1.0}}) == {read(name): 2.0}


def test_its_command_takes_its_arguments(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 a 1\n")
    run.write_text("q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\n")
    command = [sys.executable, "-m", "truerank.interop.ir_measures", str(qrels), str(run), "RR"]
    done = subprocess.run([*command, "--provider", "truerank"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("RR\t0.5000\n", "")


BACK = {
    "nDCG@10": "nDCG@10",
    "AP(level=2)@7": "AP(rel=2)@7",
    "NumRelRet": "NumRet(rel=1)",
    "SetF(beta=2)": "SetF(beta=4.0)",
    "SetRelP": "SetP(relative=True)",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')@10",
    "ERR(max_grade=4)@5": "ERR@5",
}


def test_scores_go_back_as_its_metrics() -> None:
    scores = tr.evaluate(QRELS, RUN, list(BACK))
    rows = scores.to_ir_measures()
    assert [str(row.measure) for row in rows[::3]] == list(BACK.values())
    assert [row.query_id for row in rows[:3]] == ["q1", "q2", "q3"]
    assert [row.value for row in rows] == [value for column in scores.columns.values() for value in column.tolist()]
    assert all(isinstance(row, theirs.Metric) for row in rows)


def test_a_query_on_which_a_measure_has_no_value_has_no_metric() -> None:
    rules = tr.Rules(without_relevant="undefined")
    scores = tr.evaluate({"q": {"a": 1}, "r": {"a": 0}}, {"q": ["a"], "r": ["a"]}, "R@1", rules=rules)
    assert [row.query_id for row in scores.to_ir_measures()] == ["q"]


@pytest.mark.parametrize("name", ["GMAP", "AP(divisor='hits')", "AP(depth=5)", "nDCG(gain='binary')"])
def test_what_ir_measures_lacks_is_not_given_back(name: str) -> None:
    with pytest.raises(tr.MeasureError, match="ir_measures has no measure"):
        their_measure(tr.parse_measure(name))


def test_what_ndeval_prints_goes_back_as_theirs() -> None:
    qrels, run = {"q": {"a": {"1": 1, "2": 1}, "b": {"3": 1}}}, {"q": {"a": 2.0, "b": 1.0}}
    scores = tr.evaluate(qrels, run, rules="ndeval")
    assert [str(row.measure) for row in scores.to_ir_measures()][:4] == [
        "ERR_IA@5",
        "ERR_IA@10",
        "ERR_IA@20",
        "nERR_IA@5",
    ]
    first = tr.evaluate(qrels, run, ["ERR_IA@1", "alpha_DCG@1"], rules="ndeval").to_ir_measures()
    assert [(str(row.measure), row.value) for row in first] == [("ERR_IA@1", 2.0), ("alpha_DCG@1", 2.0)]
    for name in ("ERR_IA@1", "alpha_DCG(alpha=0.3)@1"):
        with pytest.raises(tr.MeasureError, match="ir_measures has other values"):
            tr.evaluate(qrels, run, name).to_ir_measures()


@pytest.mark.parametrize("name", ["ERR@5", "ERR(max_grade=4)", "ERR(max_grade=3)@5"])
def test_an_err_of_another_highest_grade_is_not_given_back_as_theirs(name: str) -> None:
    with pytest.raises(tr.MeasureError, match="4 is the highest grade"):
        tr.evaluate(QRELS, RUN, name).to_ir_measures()


def test_their_err_means_4_for_the_highest_grade_under_any_rules() -> None:
    scores = tr.evaluate(QRELS, RUN, [theirs.ERR @ 5])
    assert list(scores) == ["ERR(max_grade=4)@5"]
    assert scores.mean == tr.evaluate(QRELS, RUN, "ERR@5", rules="ir_measures").mean


@pytest.mark.parametrize("name", ["NumQ", "NumRel", "Accuracy@5", "INST(max_rel=2)", "INSQ(max_rel=2)", "Compat"])
def test_what_their_provider_counts_otherwise_is_not_given_back(name: str) -> None:
    measure = tr.parse_measure(read(name))
    with pytest.raises(tr.MeasureError, match="other values of"):
        their_measure(measure)


def test_their_objects_find_what_was_evaluated() -> None:
    scores = tr.evaluate(QRELS, RUN, "AP SetF(beta_squared=2) ndcg_cut_5")
    assert scores[AP] is scores["AP"]
    assert scores[theirs.SetF(beta=2.0)] is scores["SetF(beta_squared=2)"]
    assert (AP in scores, RR in scores, None in scores, AP in scores.mean) == (True, False, False, True)
    assert scores.mean[theirs.nDCG @ 5] == scores.mean["nDCG@5"]
    found = tr.compare(QRELS, {"one": RUN, "other": RUN}, "AP")
    assert found[AP] is found["AP"]
    assert found.superscripts(AP) == found.superscripts("AP")
    for key in (None, 3):
        with pytest.raises(tr.MeasureError, match=f"cannot read the measure {key}"):
            scores[key]


@pytest.mark.parametrize("name", ["ERR@5", "BPM(T=2.0,max_rel=3)@10", "IPrec@0.1", "RBP(rel=1)", "NRBP(beta=0.3)"])
def test_a_measure_is_the_same_there_and_back(name: str) -> None:
    measure = read(name)
    assert their_measure(tr.parse_measure(measure)) == measure
