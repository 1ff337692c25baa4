"""pytrec_eval's surface: its numbers to the bit, its names and its errors, with the package itself as the judge."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truerank.interop import pytrec_eval as ours

theirs = pytest.importorskip("pytrec_eval", reason="needs pytrec_eval-terrier")

DOCS = [f"d{i}" for i in range(12)]
QUERIES = ["q1", "q2", "q3"]
GRADES = st.integers(-2, 4)
SCORES = st.sampled_from([0.0, -1.0, 1, 2.5, 1.0000000001, 1e-40, 3e38, float("inf"), float("-inf")])
PARAMETERS = {"P.3,7", "ndcg_cut_2", "map_cut.1,20", "iprec_at_recall_0.25", "set_F.0.5", "success.2", "recall_4"}


def worlds() -> st.SearchStrategy[tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]]:
    query, doc = st.sampled_from(QUERIES), st.sampled_from(DOCS)
    judged = st.dictionaries(doc, GRADES, max_size=9).filter(lambda grades: max(grades.values(), default=0) >= 0)
    qrels = st.dictionaries(query, judged, max_size=3)
    answers = st.dictionaries(doc, SCORES, max_size=12)
    return st.tuples(qrels, st.dictionaries(query, answers, max_size=3))


def is_defined(judged: dict[str, int], docs: dict[str, float], judged_only: bool) -> bool:
    """Whether a document is left: without one the package reads memory that nobody set."""
    return any(judged.get(doc, -1) >= 0 for doc in docs) if judged_only else bool(docs)


@settings(max_examples=400)
@given(worlds(), st.integers(1, 3), st.booleans())
@example(({"q1": {"d1": 1}}, {"q1": {"d0": 1.0, "d1": 1.00000001}}), 1, False)
def test_every_value_of_every_measure_is_pytrec_evals_to_the_bit(world: Any, level: int, judged_only: bool) -> None:
    qrels, run = world
    run = {query: docs for query, docs in run.items() if is_defined(qrels.get(query, {}), docs, judged_only)}
    for measures in (theirs.supported_measures, PARAMETERS, {"all_trec", "set"}):
        asked = (qrels, measures, level, judged_only)
        expected = theirs.RelevanceEvaluator(*asked).evaluate(run)
        found = ours.RelevanceEvaluator(*asked).evaluate(run)
        assert found == expected
        assert list(found) == list(expected)
        assert [list(row) for row in found.values()] == [list(row) for row in expected.values()]


def test_a_recall_above_1_is_reached_by_nothing_as_there() -> None:
    for measures in ({"iprec_at_recall.2"}, {"iprec_at_recall_1,2"}, {"11pt_avg.0.5,2"}):
        found, expected = (
            each.RelevanceEvaluator({"q": {"a": 1, "b": 1}}, measures).evaluate({"q": {"a": 2.0, "b": 1.0}})
            for each in (ours, theirs)
        )
        assert found == expected


def test_a_string_of_numpy_is_an_id_and_its_whole_numbers_are_levels() -> None:
    for each in (ours, theirs):
        evaluator = each.RelevanceEvaluator({"q": {"a": 1}}, {"map"}, np.int64(1))
        assert evaluator.evaluate({"q": {np.str_("a"): 1.0}}) == {"q": {"map": 1.0}}


@pytest.mark.parametrize(
    "names",
    [
        ("q", "docid"),
        ("query_id", "doc_id"),
        ("relevant_docs", "queries"),
        ("response", "mteb_model_meta"),
        ("ids", "hits"),
    ],
)
def test_queries_and_documents_may_be_called_as_columns_elsewhere(names: tuple[str, str]) -> None:
    qrels = {name: {names[1]: 1, names[0]: 0} for name in names}
    run = {name: {names[0]: 2.0, names[1]: 1.0} for name in names}
    values = [package.RelevanceEvaluator(qrels, {"map"}).evaluate(run) for package in (ours, theirs)]
    assert values[0] == values[1] == {name: {"map": 0.5} for name in names}


def test_names_and_nicknames_are_pytrec_evals() -> None:
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert set(theirs.__all__) <= set(ours.__all__)


def test_one_evaluator_evaluates_many_runs() -> None:
    evaluator = ours.RelevanceEvaluator({"q": {"a": 1}}, ["map"])
    assert [evaluator.evaluate({"q": {doc: 1.0}})["q"]["map"] for doc in "aba"] == [1, 0, 1]
    assert evaluator.evaluate({}) == {}
    assert ours.RelevanceEvaluator({}, ["map"]).evaluate({"q": {"a": 1.0}}) == {}


def test_numbers_of_version_10_are_given_on_request() -> None:
    qrels, run = {"q": {"d1": 1}}, {"q": {"d1": 1.00000001, "d2": 1.0}}
    both = [ours.RelevanceEvaluator(qrels, {"recip_rank"}, compat=compat).evaluate(run) for compat in (9, 10)]
    assert both == [{"q": {"recip_rank": 0.5}}, {"q": {"recip_rank": 1.0}}]
    assert "rbp" in ours.RelevanceEvaluator(qrels, {"rbp"}, compat=10).evaluate(run)["q"]


BAD_QRELS: list[Any] = [
    *([("q", {"a": 1})], {1: {"a": 1}}, {"q": {1: 1}}, {"q": {"a": 1.0}}, {"q": ["a"]}, {"q": None}),
]
BAD_RUNS: list[Any] = [
    *([1], {1: {"a": 1.0}}, {"q": {"a": "1"}}, {"q": [("a", 1.0)]}, {"x": {"a": None}}),
    *({"q": {doc: 1.0}} for doc in (1, 1.5, None, ("a",), b"a")),
    *({"q": {"a": 1.0, None: 1.0}}, {"x": {2: 1.0}}),
]


@pytest.mark.parametrize("qrels", BAD_QRELS)
def test_what_is_no_judgement_raises_as_there(qrels: Any) -> None:
    with pytest.raises((TypeError, AttributeError)) as expected:
        theirs.RelevanceEvaluator(qrels, {"map"})
    with pytest.raises(expected.type, match=str(expected.value)):
        ours.RelevanceEvaluator(qrels, {"map"})


@pytest.mark.parametrize("nothing", [{}, [], ()])
def test_a_query_whose_judgements_are_empty_is_left_out_as_there(nothing: Any) -> None:
    qrels, run = {"r": nothing, 1: nothing, "q": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    expected = theirs.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate(run) == expected == {"q": {"map": 1.0}}


@pytest.mark.parametrize("run", BAD_RUNS)
def test_what_is_no_run_raises_as_there(run: Any) -> None:
    with pytest.raises(TypeError) as expected:
        theirs.RelevanceEvaluator({"q": {"a": 1}}, {"map"}).evaluate(run)
    with pytest.raises(TypeError, match=str(expected.value)):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"map"}).evaluate(run)


@pytest.mark.parametrize("name", ["nope", "prefs", "m.5"])
def test_an_unknown_measure_raises_as_there(name: str) -> None:
    for each in (theirs, ours):
        with pytest.raises(ValueError, match="unsupported measure"):
            each.RelevanceEvaluator({"q": {"a": 1}}, {name})


def test_an_answer_without_documents_scores_0_and_counts_its_judgements() -> None:
    found = ours.RelevanceEvaluator({"q": {"a": 1, "b": -1}}, theirs.supported_measures).evaluate({"q": {}})["q"]
    kept = {name: value for name, value in found.items() if value and not name.startswith("gm_")}
    assert kept == {"num_q": 1.0, "num_rel": 1.0}


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(ValueError, match="Did you mean ndcg_cut"):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"ndgc_cut"})


def test_a_cutoff_that_no_list_reaches_is_refused_as_values_are() -> None:
    with pytest.raises(ValueError, match="99999999999999999999"):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"P_99999999999999999999"})


@pytest.mark.parametrize("level", [0, -1, 1.5])
def test_a_level_that_is_no_positive_whole_number_is_refused(level: Any) -> None:
    with pytest.raises(TypeError, match="relevance_level should be a positive whole number"):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"map"}, level)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_infinite_scores_of_numpy_are_the_highest_and_the_lowest(kind: type) -> None:
    run = {"q": {"a": kind("-inf"), "b": kind(-1), "c": kind("inf"), "d": kind(2)}}
    ranks = {doc: {"q": {"recip_rank": 1 / rank}} for rank, doc in enumerate("cdba", 1)}
    assert {doc: ours.RelevanceEvaluator({"q": {doc: 1}}, {"recip_rank"}).evaluate(run) for doc in "cdba"} == ranks


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="query q: the score of document a is not a number"):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"map"}).evaluate({"q": {"a": float("nan")}})


def test_parsing_and_aggregation_are_pytrec_evals() -> None:
    run, qrel = ["q Q0 a 1 2.5 t", "q Q0 b 2 1 t"], ["q 0 a 1", "p 0 b -1"]
    assert ours.parse_run(run) == theirs.parse_run(run)
    assert ours.parse_qrel(qrel) == theirs.parse_qrel(qrel)
    packed = [line.encode() for line in run], [line.encode() for line in qrel]  # as gzip.open gives them
    assert ours.parse_run(packed[0]) == theirs.parse_run(packed[0])
    assert ours.parse_qrel(packed[1]) == theirs.parse_qrel(packed[1])
    for each in (theirs, ours):
        with pytest.raises(AssertionError):
            each.parse_run([*run, run[0]])
        with pytest.raises(AssertionError):
            each.parse_qrel([*qrel, qrel[0]])
        with pytest.raises(ValueError, match="not enough values"):
            each.parse_qrel(["q 0 a"])
    values = [0.25, 1.0, 3.0]
    for name in ("map", "num_ret", "gm_map"):
        assert ours.compute_aggregated_measure(name, values) == theirs.compute_aggregated_measure(name, values)


def test_there_are_two_versions_of_trec_eval() -> None:
    for ask in (lambda: ours.RelevanceEvaluator({}, {"map"}, compat=8), lambda: ours.install(compat=11)):
        with pytest.raises(ValueError, match="compat is 9 or 10, not"):
            ask()


INSTALLED = """
from truerank.interop.pytrec_eval import install
install({})
import pytrec_eval, sys
evaluator = pytrec_eval.RelevanceEvaluator({{"q": {{"a": 1}}}}, {{"recip_rank"}})
print(evaluator.evaluate({{"q": {{"a": 1.00000001, "b": 1.0}}}}))
print("pytrec_eval_ext" in sys.modules)
"""


@pytest.mark.parametrize(("compat", "value"), [("", 0.5), ("compat=10", 1.0)])
def test_installed_it_stands_in_for_the_package(compat: str, value: float) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INSTALLED.format(compat)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{{'q': {{'recip_rank': {value}}}}}\nFalse\n"


def test_whoever_has_the_package_already_keeps_it_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours.RelevanceEvaluator, "compat", 9)
    monkeypatch.setitem(sys.modules, "pytrec_eval", theirs)
    with pytest.warns(UserWarning, match="was imported before install") as warned:
        ours.install(compat=10)
    assert warned[0].filename == __file__
    assert sys.modules["pytrec_eval"] is ours
    ours.install()  # again, without a warning
