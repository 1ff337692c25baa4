"""A report says which side is better, who shares the best mean, and leaves out queries without a value."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.analysis.report import evaluated
from truerank.present import build
from truerank.present.data import ReportData, Runs
from truerank.present.document import Document, Figure, Prose, Queries
from truerank.present.renderers import fragment, html
from truerank.present.table import Table

QRELS = {f"q{n:02}": {"a": 1, "b": 0, "c": 0} for n in range(40)}
GOOD = {q: ["a", "b", "x"][: 1 + n % 3] for n, q in enumerate(QRELS)}
BAD = {q: ["b", "c", "a"] for q in QRELS}


def document(runs: dict[str, Any], measures: str, lang: str = "en", **how: Any) -> Document:
    found = Runs.of(evaluated(how.pop("qrels", QRELS), runs, measures, **how))
    return build.make(ReportData(runs=found, versions=build.versions()), lang=lang)


def figures(found: Document) -> dict[str, Figure]:
    return {figure.name: figure for figure in found.figures}


def first_sentences(found: Document) -> str:
    return next(block for block in found.blocks if isinstance(block, Prose)).paragraphs[0]


@pytest.mark.parametrize(
    ("measures", "differences", "distribution"),
    [
        ("P@3", "Above 0 is better.", "Higher is better."),
        ("FallOut@3 P@3", "Below 0 is better.", "Lower is better."),
        ("NumRet P@3", "largest loss.", "horizontal axis."),
    ],
)
def test_pictures_say_which_side_is_better(measures: str, differences: str, distribution: str) -> None:
    drawn = figures(document({"bad": BAD, "good": GOOD}, measures))
    assert drawn["differences"].alt.endswith(differences)
    assert drawn["distribution"].alt.endswith(distribution)


def test_the_largest_gain_stands_first_where_less_is_better() -> None:
    found = document({"bad": BAD, "good": GOOD}, "FallOut@3", baseline="bad")
    rows = figures(found)["differences"].specification["data"]["values"]
    told = [row["difference"] for row in rows]
    assert told == sorted(told)
    assert told[0] < 0


def test_of_one_system_the_queries_that_it_does_worst_on_stand_first() -> None:
    shown = next(b for b in document({"good": GOOD}, "FallOut@3").blocks if isinstance(b, Queries)).differing
    column = [row[1] for row in shown.rows]
    assert shown.title == "Queries where FallOut@3 is highest"
    assert column == sorted(column, reverse=True)
    assert set(column) == {tr.evaluate(QRELS, GOOD, "FallOut@3")["FallOut@3"].max()}


def test_the_table_of_queries_knows_the_direction_of_each_measure() -> None:
    page = html.render(document({"bad": BAD, "good": GOOD}, "FallOut@3 P@3 NumRet"))
    packed = re.search(r'id="queries-data">(.*?)</script>', page)
    assert packed
    plain = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    assert plain["directions"] == {"FallOut@3": -1, "P@3": 1, "NumRet": 0}


@pytest.mark.parametrize(
    ("lang", "shared", "beaten"),
    [
        (
            "en",
            "good and same share the best P@1: 1.0000 (40 queries).",
            "Each of them is significantly better than bad.",
        ),
        (
            "ko",
            "good, same이(가) 같은 값으로 가장 좋습니다: 1.0000 (질의 40개).",
            "이들 각각은 bad보다 유의하게 낫습니다.",
        ),
    ],
)
def test_systems_that_share_the_best_mean_are_named_together(lang: str, shared: str, beaten: str) -> None:
    found = document({"bad": BAD, "good": GOOD, "same": GOOD}, "P@1", lang)
    said = first_sentences(found)
    assert shared in said
    assert said.endswith(beaten)
    assert "chance" not in said
    alone = first_sentences(document({"one": BAD, "two": BAD}, "P@1"))
    assert alone == "one and two share the best P@1: 0.0000 (40 queries)."


def undefined() -> Document:
    """A quarter of the queries has nothing relevant, and so no AP."""
    qrels = {q: {"a": 0} if n % 4 == 0 else judged for n, (q, judged) in enumerate(QRELS.items())}
    return document({"bad": BAD, "good": GOOD}, "AP AP@3 P@3", qrels=qrels, rules={"without_relevant": "undefined"})


def test_queries_without_a_value_are_in_no_picture() -> None:
    drawn = figures(undefined())
    shares = drawn["distribution"].specification["data"]["values"]
    assert "of 30 queries" in drawn["distribution"].alt
    assert {row["who"]: min(r["share"] for r in shares if r["who"] == row["who"]) for row in shares}["good"] == 1.0
    assert len(drawn["differences"].specification["data"]["values"]) == 30
    for figure in (drawn["distribution"], drawn["differences"], drawn["measures"]):
        numbers = [v for row in figure.specification["data"]["values"] for v in row.values() if v != v]
        assert not numbers


@pytest.mark.parametrize("runs", [{"good": GOOD}, {"good": GOOD, "bad": BAD}])
def test_nobody_is_best_where_no_query_has_a_value(runs: dict[str, Any]) -> None:
    nothing = {query: {"a": 0} for query in QRELS}
    found = document(runs, "AP P@3", qrels=nothing, rules={"without_relevant": "undefined"})
    assert first_sentences(found) == "No query has a value of AP."


def test_no_picture_is_drawn_of_a_measure_without_values() -> None:
    nothing = {query: {"a": 0} for query in QRELS}
    found = document({"bad": BAD, "good": GOOD}, "AP P@3", qrels=nothing, rules={"without_relevant": "undefined"})
    assert figures(found).keys().isdisjoint({"precision-recall", "differences", "distribution", "measures"})
    assert not any("40 queries being too few" in text for block in found.blocks for text in _said(block))


def _said(block: Any) -> tuple[str, ...]:
    return block.paragraphs if isinstance(block, Prose) else ()


def test_curves_are_of_the_queries_that_all_systems_have() -> None:
    some = dict(list(GOOD.items())[:10])
    qrels = {q: {"a": 1, "b": int(n >= 10)} for n, q in enumerate(QRELS)}
    drawn = figures(document({"bad": BAD, "some": some}, "AP RR", qrels=qrels, rules="trec_eval-9"))
    assert "10 queries" in drawn["precision-recall"].alt
    assert "10 queries" in drawn["cmc"].alt
    shared = {q: qrels[q] for q in some}
    names = ["IPrec@0", "IPrec@1", "Success@1", "Success@3"]
    for name, run in {"bad": BAD, "some": some}.items():
        means = tr.evaluate(shared, run, names, rules=tr.Rules.named("trec_eval-9").replace(extra="skip")).mean
        at = {row["recall"]: row["precision"] for row in _rows(drawn["precision-recall"], name)}
        within = {row["k"]: row["share"] for row in _rows(drawn["cmc"], name)}
        assert [at[0.0], at[1.0], within[1], within[3]] == list(means.values())


@pytest.mark.parametrize("rules", [None, "truerank", {"recall_points": "definition"}])
def test_the_curve_of_a_report_is_under_the_report_s_rules(rules: Any) -> None:
    qrels, run = {"q": dict.fromkeys("abc", 1)}, {"q": ["x", "a", "b", "y", "z", "c"]}
    drawn = figures(document({"run": run}, "AP", qrels=qrels, rules=rules))
    at = {row["recall"]: row["precision"] for row in _rows(drawn["precision-recall"], "run")}
    names = [f"IPrec@{recall!r}" for recall in at]
    assert list(at.values()) == list(tr.evaluate(qrels, run, names, rules=rules).mean.values())


def test_where_unjudged_documents_have_a_grade_no_curve_is_drawn_of_a_recall_that_nobody_knows() -> None:
    rules = {"unjudged": "graded", "unjudged_grade": 0.5}
    drawn = figures(document({"good": GOOD, "bad": BAD}, "nDCG@2", rules=rules))
    assert "precision-recall" not in drawn
    assert "distribution" in drawn
    with pytest.raises(tr.MeasureError, match="cannot be had under unjudged = 'graded'"):
        document({"good": GOOD, "bad": BAD}, "AP", rules=rules)


def _rows(figure: Figure, name: str) -> list[dict[str, Any]]:
    return [row for row in figure.specification["data"]["values"] if row["who"] == name]


def test_counts_are_whole_numbers_in_the_table_of_queries() -> None:
    shown = next(b for b in document({"bad": BAD, "good": GOOD}, "NumRet").blocks if isinstance(b, Queries))
    assert shown.differing.texts[0] == ["q00", "3", "1", "2"]


def test_the_second_measure_of_the_picture_is_another_one_even_where_values_are_missing() -> None:
    assert figures(undefined())["measures"].title == "P@3 against AP"


def test_squares_count_the_queries_with_both_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truerank.present.sections.distribution.MARKS", 10)
    squares = figures(undefined())["measures"].specification["data"]["values"]
    assert sum(row["n"] for row in squares if row["who"] == "good") == 30
    assert all(np.isfinite([row["x"], row["y"]]).all() for row in squares)


def test_squares_stand_where_their_queries_do_even_where_all_have_one_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("truerank.present.sections.distribution.MARKS", 10)
    both = {"good": GOOD, "bad": BAD}
    drawn = figures(document(both, "AP P@3"))["measures"].specification
    scored = {name: tr.evaluate(QRELS, run, "AP P@3") for name, run in both.items()}
    reach = {m: np.ptp([one[m] for one in scored.values()]) / 40 + 1e-9 for m in ("AP", "P@3")}
    for row in drawn["data"]["values"]:
        within = [abs(scored[row["who"]][m] - row[at]) <= reach[m] for m, at in (("AP", "x"), ("P@3", "y"))]
        assert row["n"] == np.logical_and(*within).sum()
    assert drawn["layer"][0]["encoding"]["size"]["field"] == "n"


def test_a_mean_without_an_interval_is_a_dot_beside_those_that_have_one() -> None:
    few = list(QRELS)[:3]
    runs = {"good": {q: GOOD[q] for q in few}, "bad": {few[0]: ["a"], few[1]: ["x", "a"], few[2]: ["a"]}}
    found = document(runs, "RR", qrels={q: QRELS[q] for q in few})
    rows = {row["who"]: row for row in figures(found)["intervals"].specification["data"]["values"]}
    assert "low" in rows["good"]
    assert "low" not in rows["bad"]
    assert rows["bad"]["mean"] == pytest.approx(2.5 / 3)
    assert rows["bad"]["interval"] == "unknown"


def test_a_number_that_rounds_to_nothing_has_no_minus() -> None:
    assert Table(("", "x"), (("a", -0.00001), ("b", -0.00006))).texts == [["a", "0.0000"], ["b", "-0.0001"]]


def test_a_name_that_is_read_from_the_right_does_not_turn_its_sentence_around() -> None:
    runs = {"שלום עולם": GOOD, "bad": BAD}
    isolated = "<p>\u2068שלום עולם\u2069 has the best P@1"
    assert isolated in html.render(document(runs, "P@1"))
    comparison = tr.compare(QRELS, {"שלום": GOOD, "same": GOOD}, "P@3")
    remark = "\u2068שלום\u2069 and same score the same on every query.".encode(
        "ascii", "xmlcharrefreplace"
    ).decode()
    assert remark in fragment.render(build_of(comparison))


def build_of(comparison: tr.Comparison) -> Document:
    from truerank.present.comparison import document_of

    return document_of(comparison)


def test_legends_name_every_system_and_axes_of_counts_whole_numbers() -> None:
    runs = {f"run{n:02}": GOOD for n in range(40)}
    specs = figures(document(runs, "P@3"))
    assert '"symbolLimit": 40' in json.dumps(specs["intervals"].specification)
    assert "datum.value % 1" in json.dumps(specs["differences"].specification)


def test_calls_that_failed_keep_the_curve_of_latencies_below_one_and_are_endless_beside_others() -> None:
    def half(query: str) -> list[str]:
        if query.endswith("1"):
            raise ValueError("no")
        return ["a"]

    asked, judged = [f"{n}{n % 2}" for n in range(20)], {f"{n}{n % 2}": {"a": 1} for n in range(20)}
    benches = [tr.bench(each, asked, judged, measures="RR", warmup=0) for each in (half, lambda query: ["a"])]
    latency, quality = build.make(ReportData(benches=tuple(benches)), lang="en").figures
    rows = latency.specification["data"]["values"]
    ends = [max(row["share"] for row in rows if row["who"] == one.name) for one in benches]
    assert ends == [0.5, 1.0]
    assert quality.alt.endswith("For this, calls without an answer are endless.")
    assert max(row["share"] for row in benches[0].plot().figures[0].specification["data"]["values"]) == 0.5
    whole = build.make(ReportData(benches=(benches[1], benches[1])), lang="en").figures[1]
    assert "endless" not in whole.alt


def test_a_report_of_speed_says_what_is_unresolved_and_under_which_rules_its_means_are() -> None:
    asked, judged = {f"q{n}": "tea" for n in range(9)}, {f"q{n}": {"a": 1} for n in range(9)}
    found = tr.bench(lambda query: ["a"], asked, judged, measures="RR", warmup=0, rules="trec_eval-10")
    text = build.make(ReportData(benches=(found,)), lang="en").render("markdown")
    assert "p50 ms" in text
    assert "Unresolved with 9 queries; needed: p90 36, p95 72" in text
    assert "Rules: trec_eval-10. 9 queries judged, 9 answered." in text


CALLS = {"q1": [["x", "a"], ["b"]], "q2": [["c"], [], ["x", "b"]], "q3": [["x"]]}
OF_ASPECTS = "StRecall@2 Complete Chain@3 NuggetRecall alpha_nDCG@2 alpha_nDCG nERR_IA@2 NRBP D_nDCG@3 P_IA@2 AP"


@pytest.mark.parametrize(
    ("run", "rules", "measures"),
    [
        (CALLS, {}, "CallRecall@1 CallRecall@3 FirstComplete@3 SessionDCG@2 nSessionDCG@1 nSessionDCG"),
        (CALLS, {"calls": "concatenated", "depth": 2}, "CallRecall@1 FirstComplete@2 nSessionDCG AP R@2"),
        ({q: ["x", "b", "c", "a"] for q in CALLS}, {"iteration": "aspect"}, OF_ASPECTS),
        ({q: dict.fromkeys("abcx", 1.0) for q in CALLS}, {"iteration": "aspect", "depth": 2}, OF_ASPECTS),
    ],
    ids=["calls", "calls in one list", "aspects", "aspects, cut in ties"],
)
def test_measures_of_calls_and_of_aspects_are_worked_out_as_explain_does(run, rules, measures, tmp_path):
    rows = [("q1", 1, "a", 1), ("q1", 2, "b", 2), ("q2", 1, "c", 1), ("q2", 2, "c", 1), ("q2", 2, "b", 0)]
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join("{} {} {} {}\n".format(*row) for row in [*rows, ("q3", 3, "b", 1), ("q3", 3, "a", 1)]))
    judged: Any = qrels if "iteration" in rules else {q: {d: g for p, _, d, g in rows if p == q} for q in CALLS}
    shown = next(
        b for b in document({"one": run}, measures, qrels=judged, rules=rules).blocks if isinstance(b, Queries)
    )
    assert shown.answers is not None
    for name, values in shown.values.items():
        for q, query in enumerate(shown.queries):
            _, lines = shown.answers.worked[name][0][q]
            exact = tr.explain(judged, run, query, name, rules=rules)
            assert isinstance(exact, tr.Explanation)
            assert [line[:2] for line in lines] == [[line.name, line.text(4)] for line in exact.worked.lines]
            assert lines[-1][2] == values[q, 0], name
