"""How measures are named, written, printed and refused."""

from __future__ import annotations

import copy
import math
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank import MeasureError, parse_measure
from truerank.core.hits import Hits
from truerank.fusion import methods
from truerank.interop.trec_eval import Options, help_text
from truerank.interop.trec_eval.catalog import CATALOG
from truerank.measures import parse_measures
from truerank.measures.sums import PerQuery, geometric_mean, log2, logarithm, mean, powers, ratio, total

TREC_EVAL = {
    "map": "AP",
    "map_cut_10": "AP@10",
    "gm_map": "GMAP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "gm_bpref": "GMBpref",
    "recip_rank": "RR",
    "iprec_at_recall_0.00": "IPrec@0",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "iprec_at_recall_1.00": "IPrec@1",
    "P_5": "P@5",
    "recall_100": "R@100",
    "relative_P_10": "R(capped=True)@10",
    "success_5": "Success@5",
    "infAP": "infAP",
    "Rprec_mult_0.20": "RprecMult@0.2",
    "utility": "Utility",
    "11pt_avg": "AP11",
    "binG": "binG",
    "G": "G",
    "ndcg": "nDCG",
    "dcg": "DCG",
    "ideal_dcg": "IDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "Rndcg",
    "yaap": "YAAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_relative_P": "SetRelP",
    "set_map": "SetAP",
    "set_F": "SetF",
    "set_F_0.5": "SetF(beta_squared=0.5)",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
    "rbp": "RBP",
    "residual(p=0.5)": "RBPResidual(p=0.5)",
    "pairwise": "Accuracy",
    "rbp_resid": "RBPResidual",
    "unj_10": "Unjudged@10",
}

IR_MEASURES = {
    "AP(rel=2)": "AP(level=2)",
    "AP(rel=2)@100": "AP(level=2)@100",
    "AP@100(rel=2)": "AP(level=2)@100",
    "nDCG@10": "nDCG@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(gain='exp')@10",
    "nDCG(dcg='log2')@10": "nDCG@10",
    "nDCG(gains={1: 3, 0: 1})": "nDCG(gain={0: 1, 1: 3})",
    "SetF(beta=2)": "SetF(beta=2)",
    "RBP(rel=1,p=.8)": "RBP(level=1)",
    "RBP(p=0.5)@10": "RBP(p=0.5)@10",
    "NumRet(rel=1)": "NumRet(rel=1)",
    "IPrec@0.2": "IPrec@0.2",
    "ERR@20": "ERR@20",
    "Judged@10": "Judged@10",
    "P(rel=2, cutoff=5)": "P(level=2)@5",
    "Success@1": "Success@1",
}

EVERYDAY = {
    "recall@10": "R@10",
    "nsDCG@10": "nSessionDCG@10",
    "Recall@10": "R@10",
    "precision@5": "P@5",
    "p@5": "P@5",
    "hit@5": "Success@5",
    "hit_rate@5": "Success@5",
    "rank@1": "Success@1",
    "Rank@1": "Success@1",
    "cmc@1": "Success@1",
    "accuracy@5": "Success@5",
    "accuracy": "Accuracy",
    "mrr": "RR",
    "MRR@10": "RR@10",
    "mAP": "AP",
    "MAP@100": "AP@100",
    "NDCG@10": "nDCG@10",
    "ndcg_at_10": "nDCG@10",
    "recall_at_5": "R@5",
    "accuracy_5": "Success@5",
    "r-precision": "Rprec",
    "R-Precision": "Rprec",
    "R-prec": "Rprec",
    "f1": "SetF",
    "mINP": "mINP",
    "INP": "mINP",
    "  nDCG @ 10 ": "nDCG@10",
}


@pytest.fixture
def registered() -> Iterator[None]:
    """Whatever a test registers is forgotten after it."""
    before = set(tr.measures())
    yield
    for name in set(tr.measures()) - before:
        tr.unregister(name)


@pytest.mark.parametrize(("text", "printed"), TREC_EVAL.items())
def test_names_of_trec_eval_are_understood(text: str, printed: str) -> None:
    assert str(parse_measure(text)) == printed


@pytest.mark.parametrize(("text", "printed"), IR_MEASURES.items())
def test_spellings_of_ir_measures_are_understood(text: str, printed: str) -> None:
    assert str(parse_measure(text)) == printed


@pytest.mark.parametrize(("text", "printed"), EVERYDAY.items())
def test_everyday_names_are_understood_in_any_case(text: str, printed: str) -> None:
    assert str(parse_measure(text)) == printed


def test_a_word_as_a_value_needs_no_quotes() -> None:
    assert str(parse_measure("nDCG(gain=exp)@5")) == "nDCG(gain='exp')@5"
    assert str(parse_measure("R(capped=true)@5")) == "R(capped=True)@5"


def test_what_is_the_default_anyway_is_not_printed() -> None:
    assert str(parse_measure("AP(divisor='relevant', k=None)")) == "AP"
    assert parse_measure("RBP(p=0.80)") == parse_measure("RBP")


def test_equal_measures_print_the_same() -> None:
    one, two = parse_measure("AP(level=2.0)@5"), parse_measure("AP(level=2, k=5)")
    assert one == two
    assert str(one) == str(two) == "AP(level=2)@5"
    assert parse_measure("nDCG(gain={2: 3, 1.0: 1})") == parse_measure("nDCG(gain={1: 1, 2: 3.0})")
    assert str(parse_measure("AP11(recalls=[0.5, 1.0])")) == "AP11(recalls=(0.5, 1))"


def test_parameters_may_be_numbers_of_numpy() -> None:
    assert tr.nDCG(k=np.int64(5)) == parse_measure("nDCG@5")
    assert str(tr.RBP(p=np.float32(0.5))) == "RBP(p=0.5)"
    assert repr(tr.nDCG(gain={np.int64(1): np.float64(3)}, k=2)) == repr(parse_measure("nDCG(gain={1: 3})@2"))


def test_a_measure_parses_as_itself() -> None:
    measure = parse_measure("AP@5")
    assert parse_measure(measure) is measure
    assert copy.deepcopy(measure) == measure


def test_a_list_is_split_at_blanks_and_commas_outside_parentheses() -> None:
    text = "nDCG@10, AP(level=2, divisor='hits')@3\nnDCG(gain={1: 1, 2: 3}) RR map"
    expected = ["nDCG@10", "AP(level=2, divisor='hits')@3", "nDCG(gain={1: 1, 2: 3})", "RR", "AP"]
    assert [str(m).replace("k=3, ", "") for m in parse_measures(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P@1,5,10", ["P@1", "P@5", "P@10"]),
        ("P@1, 5 ,AP,RR@3 , 4", ["P@1", "P@5", "AP", "RR@3", "RR@4"]),
        ("ndcg_cut_5,10 P.5,10", ["nDCG@5", "nDCG@10", "P@5", "P@10"]),
        ("IPrec@0.1,0.25", ["IPrec@0.1", "IPrec@0.25"]),
        ("nDCG@5(gain='exp'),10", ["nDCG(gain='exp')@5", "nDCG(gain='exp')@10"]),
        ("AP(level=2)@3,4", ["AP(level=2)@3", "AP(level=2)@4"]),
    ],
)
def test_a_number_after_a_comma_is_another_cutoff_of_the_measure_before(text, expected) -> None:
    assert parse_measures(text) == [parse_measure(one) for one in expected]


def test_each_text_of_a_list_is_split_as_one_alone_is() -> None:
    assert parse_measures(["P.5,10", "nDCG@5 AP"]) == parse_measures("P@5,10 nDCG@5 AP")
    scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, {"map_cut.1,3"}, rules="trec_eval-9", as_written=True)
    assert list(scores.mean) == ["map_cut.1", "map_cut.3"]
    with pytest.raises(tr.MeasureError, match=r"'Mean Reciprocal Rank'. Did you mean RR"):
        parse_measures(["AP", "Mean Reciprocal Rank"])
    with pytest.raises(tr.MeasureError, match="cannot read the measure ''"):
        parse_measures(["AP", ""])


@pytest.mark.parametrize("text", ["P@1 5", "AP,5", "5", "P@1,5 10"])
def test_a_number_that_continues_no_cutoff_is_no_measure(text) -> None:
    with pytest.raises(tr.MeasureError, match=r"unknown measure '(5|10)'"):
        parse_measures(text)


def test_repeats_are_dropped_and_the_order_is_kept() -> None:
    measures = parse_measures(["RR", "map", "mrr", parse_measure("AP"), "P@1"])
    assert [str(m) for m in measures] == ["RR", "AP", "P@1"]


def test_scores_are_found_by_any_spelling() -> None:
    scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP(level=1.0)@5 ndcg_cut_5")
    assert scores["map_cut_5(rel=1)"].tolist() == scores["NDCG@5"].tolist() == [1.0]


REFUSED = {
    "relstring_10": "relstring_10 is text, not a number; `truerank trec_eval -m relstring` prints it",
    "official": "official is trec_eval's name for several measures; `truerank trec_eval -m official` prints these",
    "mrt": "mrt is a time, which tr.experiment and tr.bench take of each retriever without being told",
    "PRCurve": "PRCurve is a curve, not a number; `truerank curve` draws it",
    "NDGC@10": "unknown measure 'NDGC'. Did you mean nDCG?",
    "cosine_ndcg@10": "unknown measure 'cosine_ndcg'. Did you mean nDCG?",
    "top_5_accuracy": "unknown measure 'top_5_accuracy'. Did you mean Success@5 (top accuracy)?",
    "acc1": "unknown measure 'acc1'. Did you mean Success@1 (acc)?",
    "eval_cos_sim-MRR@10": "unknown measure 'eval_cos_sim-MRR'. Did you mean mrr?",
    "": "cannot read the measure ''",
    "@10": "cannot read the measure '@10'",
    "AP(": "cannot read the measure 'AP('",
    "P": "P needs k: write P@10",
    "IPrec": "IPrec needs recall: write IPrec@0.5",
    "P@0": "P: k is a positive whole number, not 0",
    "P@-5": "P: k is a positive whole number, not -5",
    "P@2.5": "P: k is a positive whole number, not 2.5",
    "P@1e400": "P: k is a positive whole number, not inf",
    "P@99999999999999999999": "P: k is a positive whole number, not 99999999999999999999",
    "P@1-1": "'P@1-1': '1-1' is no cutoff",
    "Bpref@10": "Bpref takes no cutoff; rules with depth = 10 (--set depth=10) cut every list there",
    "NumQ@x": "cannot read the measure 'NumQ@x'",
    "NumQ@0.5": "NumQ takes no cutoff; it takes no parameters",
    "SetF@5": "SetF takes no cutoff; F@5 is the measure of the first 5; it takes level, "
    "beta, alpha, beta_squared (`truerank measures SetF` explains)",
    "set_recall@5": "set_recall (SetR) takes no cutoff; R@5 is the measure of the first 5",
    "RR(levle=2)": "RR has no parameter 'levle'; it takes k, level. Did you mean level?",
    "RR(judged_only=True)": "RR has no parameter 'judged_only'; use rules with unjudged = 'removed'",
    "AP(2)": "'AP(2)': parameters have names, and a cutoff follows @, as in AP@10; it takes k, level, divisor",
    "NumQ(2)": "'NumQ(2)': parameters have names; it takes no parameters",
    "AP(**{})": "parameters have names",
    "AP(level=)": "cannot read the parameters of 'AP(level=)'",
    "AP(level=1), AP(k=2)": "cannot read the parameters of",
    "AP(level=1)(k=2)": "it has two sets of parameters",
    "AP(level=2)@5(level=2)": "it has two sets of parameters",
    "AP(level=__import__('os'))": "a parameter is a number, a word, or a mapping of numbers",
    "AP(level=1, level=2)": "'AP(level=1, level=2)' says a parameter twice; it takes k",
    "AP(rel=1, level=1)": "says a parameter twice",
    "P(k=5)@10": "'P(k=5)@10' says k twice: 10 and 5",
    "relative_P(capped=False)@5": "says capped twice",
    "AP(level='high')": "AP: level is a number, not 'high'",
    "AP(level=True)": "AP: level is a number, not True",
    "AP(divisor='found')": "AP: divisor is one of 'relevant', 'capped', 'returned', 'hits', 'k', not 'found'",
    "AP(divisor=[])": "AP: divisor is one of 'relevant', 'capped', 'returned', 'hits', 'k', not ()",
    "IPrec(rounding=down)@0.5": "IPrec: rounding is one of 'round', 'up', 'definition', not 'down'",
    "IPrec@10": "IPrec: recall is a number from 0 to 1, not 10",
    "RBP(p=1.2)": "RBP: p is a number from 0 to 1, not 1.2",
    "SetF(beta=-1)": "SetF: beta is a number from 0 up, not -1",
    "DCG(log_base=1)": "DCG: log_base is a number above 1, not 1",
    "R(capped=1)@5": "R: capped is True or False, not 1",
    "AP11(recalls=())": "AP11: recalls is a list of numbers from 0 to 1, not ()",
    "nDCG(gain=cubic)": "gain is 'linear', 'exp', 'binary' or a mapping {grade: gain} of numbers from",
    "nDCG(gain={-1: 2})": "nDCG: gain is 'linear'",
    "nDCG(gain={1: 'x'})": "nDCG: gain is 'linear'",
    "nDCG(gain={'x': 1, 2: 3})": "a parameter is a number, a word, or a mapping of numbers",
    "AP(level=1e999)": "AP: level is a number, not inf",
    "AP(level=" + "(" * 500 + ")" * 500 + ")": "cannot read the parameters of",
    "P@" + "9" * 5000: "is no cutoff",
    "AP(x\0=1)": "cannot read",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:30])
def test_what_cannot_be_meant_is_refused_with_what_can(text: str) -> None:
    with pytest.raises(MeasureError, match=re.escape(REFUSED[text])):
        parse_measure(text)


def test_only_text_is_read() -> None:
    with pytest.raises(MeasureError, match="cannot read the measure 10"):
        parse_measure(10)  # type: ignore[arg-type]


def test_the_price_of_what_is_rightly_left_out_needs_the_size_of_the_collection() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x"]}
    assert tr.evaluate(qrels, run, "Utility(d=0.5, docs=10)").mean == {"Utility(d=0.5, docs=10)": 3.5}
    with pytest.raises(MeasureError, match=r"needs the size of the collection: Utility\(d=0\.5, docs=10000\)"):
        tr.evaluate(qrels, run, "Utility(d=0.5)")


def test_a_grade_that_a_mapping_of_gains_lacks_gains_itself() -> None:
    found = tr.evaluate({"q": {"a": 1, "b": 2, "c": 0.5}}, {"q": ["a", "b", "c"]}, "DCG(gain={1: 5})")
    assert found.mean["DCG(gain={1: 5})"] == pytest.approx(5 + 2 / 1.5849625 + 0.5 / 2)


def test_the_three_names_of_the_weight_of_f_are_not_mixed() -> None:
    with pytest.raises(MeasureError, match="one of beta, alpha and beta_squared"):
        tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "SetF(beta=2, alpha=0.5)")


@pytest.mark.parametrize("name", ["ERR", "nERR", "iRBU"])
def test_no_grade_outside_of_a_mapping_satisfies_for_certain(name: str) -> None:
    judged, run = {"q": {"a": 2, "b": 3}}, {"q": ["a", "b"]}
    with pytest.raises(tr.MeasureError, match="grade 2 is not in the mapping of gains and gains itself"):
        tr.evaluate(judged, run, f"{name}(gain={{3: 1}})")
    assert tr.evaluate(judged, run, "ERR(gain={2: 1, 3: 1})@1").mean == {"ERR(gain={2: 1, 3: 1})@1": 0.5}


def test_a_lower_grade_that_gains_most_satisfies_by_the_highest_gain_and_comes_first_in_the_ideal_list() -> None:
    most, judged = "gain={1: 3, 2: 5}", {"q": {"a": 2, "b": 10}}
    scores = tr.evaluate(judged, {"q": ["a", "b"]}, f"ERR(max_grade=3, {most})@1 nERR(max_grade=3, {most})")
    assert list(scores.mean.values()) == [pytest.approx(5 / 6), 1]
    assert tr.evaluate({"q": {"a": 2, "b": 3}}, {"q": ["b"]}, f"ERR({most})").mean[f"ERR({most})"] == pytest.approx(
        3 / 6
    )


def test_a_grade_too_high_for_exponential_gain_is_named() -> None:
    with pytest.raises(MeasureError, match="cannot weigh a grade of 2000"):
        tr.evaluate({"q": {"a": 2000}}, {"q": ["a"]}, "nDCG(gain='exp')")


def test_huge_grades_do_not_disturb_the_other_measures() -> None:
    scores = tr.evaluate({"q": {"a": 1e9, "b": 1}}, {"q": ["a", "b"]}, "nDCG ERR RBP(gain='graded') G")
    assert all(np.isfinite(value) for value in scores.mean.values())
    assert scores.mean["nDCG"] == 1


@pytest.mark.usefixtures("registered")
def test_a_function_becomes_a_measure_with_its_signature_as_schema() -> None:
    @tr.measure("Share", "portion", unit=True, formula="N / 10")
    def share(hits: Hits, *, level: float = 1, of: int = 10) -> PerQuery:
        """The share of ten."""
        return hits.relevant(level).count / of

    scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "portion Share(of=4)")
    assert scores.mean == {"Share": 0.1, "Share(of=4)": 0.25}
    assert tr.measures()["Share"].meaning == "The share of ten."
    with pytest.raises(MeasureError, match="Share: of is a positive whole number, not 0"):
        parse_measure("Share(of=0)")


@pytest.mark.usefixtures("registered")
def test_a_type_that_only_type_checkers_know_may_be_anything() -> None:
    def odd(hits: Hits, *, k: int | None = None, how: Unknown = None) -> PerQuery:  # type: ignore[name-defined] # noqa: F821
        """Nothing."""
        return np.zeros(len(hits.queries))

    tr.measure("Odd")(odd)
    assert str(parse_measure("Odd(how=(1, 2))@3")) == "Odd(how=(1, 2))@3"
    with pytest.raises(MeasureError, match="k is a positive whole number, not 0"):
        parse_measure("Odd@0")


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated where the function is defined")
@pytest.mark.usefixtures("registered")
def test_such_a_type_may_stand_in_a_module_that_leaves_annotations_to_python() -> None:
    names: dict[str, Any] = {}
    source = "def odd(hits: Hits, *, k: int | None = None, how: Unknown = None):\n    return hits.relevant().count"
    exec(compile(source, "odd.py", "exec", dont_inherit=True), names)
    tr.measure("Odd")(names["odd"])
    assert str(parse_measure("Odd(how=(1, 2))@3")) == "Odd(how=(1, 2))@3"
    with pytest.raises(MeasureError, match="k is a positive whole number, not 0"):
        parse_measure("Odd@0")


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda hits: np.zeros(3), "Wrong gives 3 values for 2 queries"),
        (lambda hits: hits.rank, "Wrong gives 3 values for 2 queries; .* hits.sum"),
        (lambda hits: 0.5, "Wrong gives a float of shape .* for 2 queries"),
        (lambda hits: np.zeros((2, 1)), "Wrong gives a ndarray of shape .2, 1. for 2 queries"),
        (lambda hits: "high", "Wrong gives a str, not one number per query"),
        (lambda hits: np.array([0.5, np.nan]), "Wrong gives nan for query q2"),
        (lambda hits: np.ma.masked_array([1, 0], [False, True]), "Wrong gives nan for query q2"),
        (lambda hits: np.ma.masked_array([1.0, 2.0]) / [0, 1], "Wrong gives nan for query q1"),
        (lambda hits: np.array([np.inf, 1]), "Wrong gives inf for query q1"),
    ],
)
@pytest.mark.usefixtures("registered")
def test_a_measure_that_gives_something_else_than_a_finite_number_a_query_is_refused(function, message):
    tr.measure("Wrong")(function)
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    with pytest.raises(tr.MeasureError, match=message):
        tr.evaluate(qrels, {"q1": ["a", "b"], "q2": ["a"]}, "Wrong")


@pytest.mark.usefixtures("registered")
def test_a_measure_may_give_a_list_or_whole_numbers():
    tr.measure("Plain")(lambda hits: [1] * len(hits.queries))
    assert tr.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, "Plain").mean == {"Plain": 1.0}


def test_a_name_that_is_taken_is_refused_even_in_another_case() -> None:
    for name in ("ap", "mrr", "AP"):
        with pytest.raises(MeasureError, match="is taken by"):
            tr.measure(name)(lambda hits: np.zeros(len(hits.queries)))
    assert tr.measures()["AP"].function.__name__ == "average_precision"


@pytest.mark.usefixtures("registered")
def test_a_cell_that_runs_again_replaces_its_measure() -> None:
    def cell(value: float) -> None:
        @tr.measure("Constant")
        def constant(hits: Hits) -> PerQuery:
            return np.full(len(hits.queries), value)

    cell(1.0)
    cell(0.5)
    assert tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "Constant").mean == {"Constant": 0.5}


def test_an_unknown_average_is_refused() -> None:
    with pytest.raises(MeasureError, match="average is one of mean, sum, geometric, run, not 'median'"):
        tr.measure("Median", average="median")(lambda hits: np.zeros(len(hits.queries)))


def test_parameters_that_measures_and_rules_could_not_give_are_refused() -> None:
    def by_place(hits: Hits, level: float = 1) -> PerQuery:
        return hits.relevant(level).count / 1

    for function, taken in ((by_place, "hits, level"), (lambda: np.zeros(1), "nothing")):
        with pytest.raises(MeasureError, match=f"the function of Own takes {taken} by position"):
            tr.measure("Own")(function)
    assert "Own" not in tr.measures()


@pytest.mark.usefixtures("registered")
def test_a_function_that_hides_what_it_takes_can_be_a_measure() -> None:
    tr.measure("Constant")(lambda *taken: np.ones(len(taken[0].queries)))
    assert tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "Constant").mean == {"Constant": 1.0}


@pytest.mark.parametrize("names", [("my measure",), ("Own@1",), ("Own", "eigen maß")])
def test_a_name_that_nobody_could_write_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(MeasureError, match=f"nobody could ask for a measure called '{names[-1]}'"):
        tr.measure(*names)(lambda hits: np.zeros(len(hits.queries)))


def test_forgetting_what_is_not_registered_is_an_error() -> None:
    with pytest.raises(MeasureError, match=r"no measure is registered as 'nDGC'. Did you mean nDCG\?"):
        tr.unregister("nDGC")


def test_a_definition_says_what_its_parameters_may_be() -> None:
    takes = tr.measures()["RBP"].takes
    assert takes["p"] == "a number from 0 to 1; 0.8 if not given"
    assert takes["gain"] == "one of 'binary', 'graded', 'scaled'; 'binary' if not given"
    assert takes["k"] == "a positive whole number"
    assert tr.measures()["P"].takes["k"] == "a positive whole number; must be given"


def test_a_definition_says_how_it_is_written() -> None:
    spelled = {name: tr.measures()[name].spelling for name in ("P", "AP", "IPrec", "Bpref")}
    assert spelled == {"P": "P@k", "AP": "AP[@k]", "IPrec": "IPrec@recall", "Bpref": "Bpref"}


def test_counts_are_summed_and_geometric_means_floored() -> None:
    qrels = {"q": {"a": 1}, "r": {"b": 1}}
    scores = tr.evaluate(qrels, {"q": ["a"], "r": ["x"]}, "NumRel GMAP AP")
    assert scores.mean == {"NumRel": 2.0, "GMAP": pytest.approx(np.sqrt(1e-5)), "AP": 0.5}


def test_the_level_of_the_rules_holds_where_the_measure_names_none() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}
    scores = tr.evaluate(qrels, run, ["RR", "RR(level=1)", "RR(level=3)"], rules={"level": 2})
    assert scores.mean == {"RR": 0.5, "RR(level=1)": 1.0, "RR(level=3)": 0.0}


def test_the_rules_say_how_recall_points_are_rounded() -> None:
    qrels, run = {"q": dict.fromkeys("abcd", 1)}, {"q": ["a", "x", "b"]}
    measures = "IPrec@0.3 IPrec(rounding='up')@0.3"
    for points, value in (("up", 2 / 3), ("round", 1.0)):
        scores = tr.evaluate(qrels, run, measures, rules={"recall_points": points})
        assert list(scores.mean.values()) == [value, 2 / 3]


def test_a_quotient_by_0_is_0() -> None:
    assert ratio([1, 0, 3], [2, 0, 0]).tolist() == [0.5, 0.0, 0.0]


def test_sums_run_from_left_to_right() -> None:
    values = np.array([0.1] * 1000)
    left_to_right = 0.0
    for value in values.tolist():
        left_to_right += value
    assert total(values) == left_to_right
    assert total(values) != values.sum()  # which adds in pairs
    assert mean(values) == left_to_right / 1000


def test_means_of_nothing_are_0() -> None:
    assert (total(np.array([])), mean(np.array([])), geometric_mean(np.array([]))) == (0.0, 0.0, 0.0)


def test_logarithms_are_those_of_the_c_library() -> None:
    values = [1.0, 1.5, 3.0, 1e300, 3.0]
    assert logarithm(values).tolist() == [math.log(value) for value in values]
    assert log2(values).tolist() == [math.log2(value) for value in values]


def test_powers_are_products_one_after_another() -> None:
    expected = [1.0]
    for _ in range(9000):
        expected.append(expected[-1] * 0.9)
    exponents = np.array([0, 1, 2, 50, 9000, 10**12])
    assert powers(0.9, exponents).tolist()[:4] == [expected[e] for e in (0, 1, 2, 50)]
    assert powers(0.9, exponents)[4:].max() < 1e-300
    assert powers(0.0, np.array([0, 1, 2])).tolist() == [1.0, 0.0, 0.0]
    assert powers(1.0, np.array([0, 7])).tolist() == [1.0, 1.0]
    assert powers(0.5, np.array([], np.int64)).tolist() == []


PUBLISHED = {
    "RBP(rel=1, p=.8)": 0.328,
    "ERR(max_grade=4)@3": 0.12109,
    "nDCG(dcg='exp-log2')@3": 0.68853,
    "nDCG@3": 0.760188,
    "infAP": 0.833333,
    "Accuracy": 0.5,
    "Judged@3": 1.0,
}


@pytest.mark.parametrize(("text", "value"), PUBLISHED.items())
def test_the_numbers_of_ir_measures_come_out(text: str, value: float) -> None:
    scores = tr.evaluate({"q": {"a": 1, "b": 0, "c": 2}}, {"q": ["a", "b", "c"]}, [text])
    assert list(scores.mean.values()) == [pytest.approx(value, abs=6e-6)]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hit rate", "Success@10"),
        ("hit rate@5", "Success@5"),
        ("mean reciprocal rank", "RR"),
        ("reciprocal rank", "RR"),
        ("average precision", "AP"),
        ("precission@5", "P@5"),
        ("prec@5", "P@5"),
        ("sensitivity@5", "R@5"),
        ("normalized discounted cumulative gain", "nDCG@10"),
        ("NDGC@10", "nDCG"),
        ("NCDG@10", "nDCG"),
        ("MRR10", "MRR@10"),
        ("P5", "P@5"),
        ("Rank1", "Rank@1"),
        ("Recall20", "Recall@20"),
        ("Rprec5", "Rprec"),
        ("acc@1", "Success@1"),
        ("PA", "AP"),
    ],
)
def test_what_is_suggested_is_near_in_meaning(typed, meant):
    evaluated = lambda text: tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, text)  # noqa: E731
    for read in (tr.parse_measure, parse_measures, evaluated):
        with pytest.raises(tr.MeasureError, match=rf"Did you mean {meant}[ ?]"):
            read(typed)


def test_no_measure_is_suggested_for_a_word_that_means_none():
    with pytest.raises(tr.MeasureError) as refused:
        tr.parse_measure("zebra")
    assert "Did you mean" not in str(refused.value)


def test_measures_are_values_that_take_a_cutoff_and_parameters() -> None:
    assert str(tr.nDCG @ 10) == "nDCG@10"
    assert tr.AP(level=2) == parse_measure("AP(level=2)")
    assert tr.P(level=2) @ 5 == (tr.P @ 5)(level=2) == tr.P(k=5, level=2) == parse_measure("P(level=2)@5")
    assert tr.RprecMult @ 0.5 == parse_measure("RprecMult@0.5")
    assert (tr.AP(divisor="relevant") @ 5).said == (("divisor", "relevant"),)
    scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, [tr.nDCG @ 10, "AP", tr.P @ 2])
    assert scores[tr.P @ 2].tolist() == scores["P@2"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, tr.P), "P needs k: write P@10"),
        (lambda: tr.SetP @ 3, "SetP takes no cutoff"),
        (lambda: tr.AP(levl=2), "AP has no parameter 'levl'"),
        (lambda: tr.nDCG @ 0, "k is a positive whole number"),
        (lambda: tr.nDCG @ "10", "k is a positive whole number"),
        (lambda: tr.nDCG(10), r"'nDCG\(10\)': parameters have names, and a cutoff follows @, as in nDCG@10"),
    ],
)
def test_a_value_that_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(tr.MeasureError, match=message):
        make()


def test_what_is_no_measure_is_no_attribute() -> None:
    near = {"NDGC": "nDCG", "ndcg": "nDCG", "recall": "R", "evalute": "evaluate"}
    for name, meant in near.items():
        with pytest.raises(AttributeError, match=f"no attribute '{name}'. Did you mean {meant}?"):
            getattr(tr, name)
    assert not hasattr(tr, "no.module")
    assert tr.Hits is not None
    assert isinstance(tr.Hits, type)


def test_the_sentence_of_a_measure_or_method_is_understood_alone() -> None:
    sentences = [s for each in tr.measures().values() for s in (each.meaning, *each.meanings.values())]
    sentences += [each.meaning for each in methods().values()]
    sentences += [help_text(Options(measures=(name,))).split("\n")[1].strip() for name in CATALOG]
    elsewhere = r"^The same|^\w+ for an?\b|; \w+ for\b|as above|of them are|such a\b|(is|are) (as in|those of)\b"
    sent_elsewhere = re.compile(elsewhere)
    assert [sentence for sentence in sentences if sent_elsewhere.search(sentence)] == []
