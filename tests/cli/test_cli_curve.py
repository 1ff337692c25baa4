"""`truerank curve` and `truerank confusion`, and the textbook's seven examples through them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import truerank as tr
from truerank.analysis.confusion import Confusion, confusion, sweep
from truerank.analysis.curve import BY_DEFINITION, precision_recall
from truerank.present import counts as report
from truerank.present.counts import Weight

CURVE = ("curve", "qrels.txt", "first.run")
COUNTED = ("confusion", "qrels.txt", "first.run")


def answer(result: Any) -> Any:
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def write(name: str, value: Any) -> str:
    Path(name).write_text(json.dumps(value))
    return name


def judged(count: int) -> dict[str, dict[str, int]]:
    return {"q": {f"rel{n}": 1 for n in range(count)}}


def with_hits_at(length: int, *ranks: int) -> dict[str, list[str]]:
    """A list of this many documents, relevant ones at these ranks."""
    listed = [f"x{n}" for n in range(length)]
    for number, rank in enumerate(ranks):
        listed[rank - 1] = f"rel{number}"
    return {"q": listed}


def files(qrels: Any, run: Any) -> tuple[str, str]:
    return write("qrels.json", qrels), write("run.json", run)


def test_example_1_six_of_200_documents_retrieved_four_of_them_among_the_five_relevant(invoke):
    asked = (*files(judged(5), with_hits_at(6, 1, 2, 4, 6)), "--documents", 200, "-f", "json")
    found = answer(invoke("confusion", *asked))
    assert (found["tp"], found["fp"], found["fn"], found["tn"]) == (4, 2, 1, 193)
    assert (found["precision"], found["recall"], found["accuracy"]) == (4 / 6, 4 / 5, 197 / 200)


def test_example_2_counts_do_not_see_the_order_and_the_curve_does(invoke):
    late, early = (files(judged(10), with_hits_at(5, rank)) and with_hits_at(5, rank) for rank in (5, 1))
    counts, areas = [], []
    for listed in (late, early):
        counts.append(answer(invoke("confusion", *files(judged(10), listed), "-k", 5, "-f", "json")))
        areas.append(answer(invoke("curve", *files(judged(10), listed), "-f", "json"))["auprc"]["step"])
    assert counts[0] == counts[1]
    assert (counts[0]["precision"], counts[0]["recall"]) == (1 / 5, 1 / 10)
    assert areas == [(1 / 5) / 10, (1 / 1) / 10]


def test_example_3_recall_and_precision_after_each_result(invoke):
    found = answer(invoke("curve", *files(judged(5), with_hits_at(8, 1, 3)), "--query", "q", "-f", "json"))
    raw = list(zip(found["raw"]["recall"], found["raw"]["precision"], strict=True))
    assert raw[:4] == [(1 / 5, 1 / 1), (1 / 5, 1 / 2), (2 / 5, 2 / 3), (2 / 5, 2 / 4)]
    assert len(raw) == 8


def test_example_4_eleven_points_by_the_definition(invoke):
    # The example prints 1 up to 0.7 and .75 at 0.8 and 0.9; by its own definition it is what stands here.
    found = answer(invoke("curve", *files(judged(4), with_hits_at(15, 1, 2, 4, 15)), "-f", "json"))
    assert found["precision"] == [1, 1, 1, 1, 1, 1, 0.75, 0.75, 4 / 15, 4 / 15, 4 / 15]
    assert found["recall"] == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    assert found["points"] == "definition"


@pytest.mark.parametrize("example", ["4", "7"])
def test_examples_4_and_7_have_the_same_points_by_curve_and_by_eval(invoke, example):
    folder = Path(__file__).parents[2] / "examples" / "textbook"
    asked = (folder / f"{example}.qrels.json", folder / f"{example}.json")
    curve = answer(invoke("curve", *asked, "-f", "json"))
    measures = ["AP11", *(f"IPrec@{n / 10}" for n in range(11))]
    options = ("--set", "recall_points=definition", "-m", " ".join(measures), "-f", "json")
    scores = answer(invoke("eval", *asked, *options))
    assert [curve["mean"], *curve["precision"]] == list(scores["mean"].values())
    assert curve["rules"] | {"name": ""} == scores["rules"] | {"name": ""}
    assert curve["rules"]["name"] == "truerank with recall_points=definition"


def test_example_5_a_table_of_counts(invoke):
    found = answer(invoke("confusion", "--counts", "7,13,58,922", "-f", "json"))
    p, r = 7 / 20, 7 / 65
    assert (found["precision"], found["recall"], found["accuracy"]) == (p, r, 929 / 1000)
    assert found["f1"] == pytest.approx(2 * p * r / (p + r), rel=1e-15)


def test_example_6_fourteen_relevant_twenty_retrieved_five_of_them_relevant(invoke):
    found = answer(invoke("confusion", "--counts", "5,15,9", "-f", "json"))
    p, r = 5 / 20, 5 / 14
    assert (found["precision"], found["recall"], found["tn"], found["accuracy"]) == (p, r, None, None)
    assert found["f1"] == pytest.approx(2 * p * r / (p + r), rel=1e-15)


def test_example_7_graded_judgements_of_which_one_was_not_found(invoke):
    listed = ["381", "800", "456", "451", "761", "690", "295"]
    asked = files({"q": {"800": 1, "690": 3, "700": 3, "500": 2}}, {"q": listed})
    counted = answer(invoke("confusion", *asked, "-f", "json"))
    assert (counted["precision"], counted["recall"]) == (2 / 7, 2 / 4)  # 2/3 in one place of the example
    found = answer(invoke("curve", *asked, "-f", "json"))
    assert found["precision"] == [1 / 2] * 3 + [1 / 3] * 3 + [0] * 5


def test_the_table_has_the_points_of_all_runs_and_says_what_they_are(invoke):
    lines = invoke("curve", "qrels.txt", "first.run", "second.run").stdout.splitlines()
    assert lines[0].split() == ["recall", "first.run", "second.run"]
    assert [line.split()[0] for line in lines[1:13]] == [*(f"{n / 10}" for n in range(11)), "mean"]
    first = precision_recall("qrels.txt", "first.run")
    assert lines[1].split()[1] == f"{first.precision[0]:.4f}"
    assert "Rules: truerank with recall_points=definition." in lines
    assert "first.run: 3 queries judged, 2 answered." in lines
    assert lines[-2].startswith("The mean of 3 queries. Precision at a recall is the highest at")
    assert lines[-1] == "Warning: 3 queries are too few to rely on; take at least 30, better 50."


def test_runs_that_answer_other_numbers_of_queries_are_not_said_to_be_means_of_the_same(invoke):
    lines = invoke("curve", "qrels.txt", "second.run", "first.run", "--rules", "trec_eval-9").stdout.splitlines()
    assert lines[-2].startswith("The mean of 2 to 3 queries.")
    assert lines[-1].startswith("Warning: 2 queries are too few")


def test_json_is_the_curve_and_an_array_of_several(invoke):
    first, second = (precision_recall("qrels.txt", name).to_dict() for name in ("first.run", "second.run"))
    warning = {"remarks": ["Warning: 3 queries are too few to rely on; take at least 30, better 50."]}
    assert answer(invoke(*CURVE, "-f", "json")) == {**first, **warning}
    both = answer(invoke("curve", "qrels.txt", "first.run", "second.run", "-f", "json"))
    assert both == [{**first, **warning}, {**second, **warning}]


def test_one_query_has_its_raw_curve_before_the_points(invoke):
    lines = invoke(*CURVE, "--query", "q1").stdout.splitlines()
    assert lines[0].split() == ["rank", "relevant", "recall", "precision", "interpolated"]
    assert lines[2].split() == ["2", "yes", "0.5000", "0.5000", "0.6667"]
    assert "Query q1." in lines[-1]
    assert answer(invoke(*CURVE, "--query", "q1", "-f", "json"))["raw"]["recall"] == [0, 0.5, 1]


def test_one_query_of_several_runs_names_the_run_in_each_row(invoke):
    lines = invoke("curve", "qrels.txt", "first.run", "second.run", "--query", "q2").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["first.run", "1"], ["second.run", "1"]]


def test_csv_is_a_row_a_run_or_a_row_a_result(invoke):
    result = invoke("curve", "qrels.txt", "first.run", "second.run", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    curve = precision_recall("qrels.txt", "first.run")
    assert [row["run"] for row in rows] == ["first.run", "second.run"]
    assert [float(rows[0][f"{recall}"]) for recall in curve.recalls] == list(curve.precision)
    assert float(rows[0]["AUPRC, interpolated"]) == curve.areas["interpolated"]
    *remarks, last = result.stderr.splitlines()
    assert last == "Warning: 3 queries are too few to rely on; take at least 30, better 50."
    assert "first.run: 1 missing (scored 0): q3." in remarks
    raw = list(csv.DictReader(io.StringIO(invoke(*CURVE, "--query", "q1", "-f", "csv").stdout)))
    assert [(row["run"], row["rank"], row["recall"]) for row in raw][1] == ("first.run", "2", "0.5")


@pytest.mark.parametrize(
    ("arguments", "points"),
    [
        ((), "definition"),
        (("--set", "level=1"), "definition"),
        (("--rules", "trec_eval-9"), "up"),
        (("--rules", "trec_eval-10"), "round"),
        (("--set", "recall_points=up"), "up"),
        (("--set", " recall_points = round"), "round"),
        (("--rules", "truerank"), "round"),
        (("--rules", "trec_eval-9", "--set", "recall_points=definition"), "definition"),
    ],
)
def test_the_reading_is_the_textbooks_unless_rules_are_asked_for(invoke, arguments, points):
    found = answer(invoke("curve", "qrels.txt", "second.run", *arguments, "-f", "json", "--set", "missing=zero"))
    assert (found["points"], found["rules"]["recall_points"]) == (points, points)


def test_without_rules_the_command_runs_under_those_of_the_library(invoke):
    found = answer(invoke(*CURVE, "-f", "json"))
    assert found["rules"] == BY_DEFINITION.to_dict()
    changed = answer(invoke(*CURVE, "-f", "json", "--set", "level=2"))["rules"]
    assert changed["name"] == "truerank with recall_points=definition, level=2"


@pytest.mark.parametrize("rules", ["trec_eval-9", "trec_eval-10"])
def test_under_the_references_rules_the_points_are_the_references(invoke, rules):
    found = answer(invoke("curve", "qrels.txt", "second.run", "--rules", rules, "-f", "json"))
    scores = tr.evaluate("qrels.txt", "second.run", [f"IPrec@{n / 10}" for n in range(11)], rules=rules)
    assert found["precision"] == list(scores.mean.values())


@pytest.mark.parametrize(
    ("name", "start"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.html", b"<!DOCTYPE html>")]
)
def test_a_plot_is_written_beside_the_numbers(invoke, here, name, start):
    pytest.importorskip("vl_convert", reason="the extra plots is not installed")
    result = invoke("curve", "qrels.txt", "first.run", "second.run", "--plot", name)
    assert (here / name).read_bytes().startswith(start)
    assert result.stdout == invoke("curve", "qrels.txt", "first.run", "second.run").stdout


@pytest.mark.parametrize("name", ["a.svg", "a.html"])
def test_a_plot_is_in_the_language_of_the_numbers(invoke, here, name, monkeypatch):
    pytest.importorskip("vl_convert", reason="the extra plots is not installed")
    monkeypatch.setenv("TRUERANK_LANG", "ko")
    invoke(*CURVE, "--plot", name)
    drawn = (here / name).read_text()
    assert "재현율에 따른 정밀도" in drawn
    assert "Precision against recall" not in drawn
    assert name == "a.svg" or '<html lang="ko">' in drawn


def test_output_goes_to_a_file_whose_ending_chooses_the_format(invoke, here):
    assert invoke(*CURVE, "-o", "curve.json").stdout == ""
    assert json.loads((here / "curve.json").read_text())["run"] == "first.run"


def test_digits_are_chosen(invoke):
    assert " 0.53\n" in invoke(*CURVE, "--digits", 2).stdout
    assert "0.5277777777777778" in invoke(*CURVE, "-f", "csv").stdout


BOTH = [
    ((*CURVE,), "AP11 AUPRC AUPRC(area='trapezoid') AUPRC(area='interpolated')"),
    ((*CURVE, "--query", "q1"), "AP11 AUPRC AUPRC(area='trapezoid') AUPRC(area='interpolated')"),
    ((*COUNTED, "-k", "2"), "P@2"),
    ((*COUNTED, "--threshold", "2"), "SetP"),
    ((*COUNTED, "--per-query"), "SetP"),
    ((*COUNTED, "--sweep"), "SetP"),
]


@pytest.mark.parametrize(("arguments", "measures"), BOTH)
def test_the_ledger_is_that_of_eval_in_json_and_in_sentences(invoke, arguments, measures):
    evaluated = ("eval", "qrels.txt", "first.run", "-m", measures)
    ledger = answer(invoke(*evaluated, "-f", "json"))["ledger"]
    assert answer(invoke(*arguments, "-f", "json"))["ledger"] == ledger
    sentences = [line for line in invoke(*evaluated).stdout.splitlines() if line.startswith("  ")]
    assert len(sentences) == 3 + (ledger["tied"] > 0)
    assert set(sentences) <= set(invoke(*arguments).stdout.splitlines())
    told = invoke(*arguments, "-f", "csv").stderr.splitlines()
    assert {f"first.run: {sentence.strip()}" for sentence in sentences} <= set(told)


@pytest.mark.parametrize("arguments", [arguments for arguments, _ in BOTH])
@pytest.mark.parametrize("run", ["Q1 Q0 a 1 2.0 t\n", "q1 Q0 A 1 2.0 t\n"])
def test_a_run_of_strangers_is_refused_or_warned_of_as_eval_does(invoke, here, arguments, run):
    (here / "first.run").write_text(run)
    result, evaluated = invoke(*arguments), invoke("eval", "qrels.txt", "first.run")
    assert evaluated.stderr
    assert (result.exit_code, result.stderr) == (evaluated.exit_code, evaluated.stderr)


def test_how_large_numbers_can_be_is_told_where_one_is_larger_and_not_in_the_help(invoke):
    assert str(2**63 - 1) not in invoke("confusion", "--help").stdout
    for option, said in (("-k", f"depth is {2**63 - 1} at most"), ("--documents", "tn is a count")):
        refused = invoke(*COUNTED, option, 10**40)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert said in refused.stderr


def test_counts_that_were_typed_have_no_ledger(invoke):
    assert "ledger" not in answer(invoke("confusion", "--counts", "5,15,9", "-f", "json"))


def test_the_table_shows_the_counts_the_figures_and_what_is_not_known(invoke):
    result = invoke(*COUNTED, "-k", 2)
    assert result.stdout == (
        "               relevant  not relevant\n"
        "retrieved             2             1\n"
        "not retrieved         1\n"
        "\n"
        "measure     value\n"
        "precision  0.6667\n"
        "recall     0.6667\n"
        "f1         0.6667\n"
        "\n"
        "Rules: truerank. 3 queries judged, 2 answered.\n"
        "  1 missing (scored 0): q3.\n"
        "  1 answered but not judged (left out): q9.\n"
        "  1 without a relevant document (scored 0): q3.\n"
        "Counts summed over 3 queries (micro); retrieved: the first 2 results.\n"
        "TN, accuracy and specificity need the number of documents: --documents N.\n"
        "Warning: 3 queries are too few to rely on; take at least 30, better 50.\n"
    )


def test_json_has_lower_case_names_and_all_that_is_known(invoke):
    found = answer(invoke(*COUNTED, "--threshold", "2", "--documents", 9, "-f", "json"))
    table = confusion("qrels.txt", "first.run", threshold=2, documents=9).micro
    assert {key: found[key] for key in table.to_dict()} == table.to_dict()
    assert (found["run"], found["query_count"], found["k"], found["threshold"]) == ("first.run", 3, None, 2.0)
    assert found["rules"]["name"] == "truerank"
    assert found["remarks"] == ["Warning: 3 queries are too few to rely on; take at least 30, better 50."]


def test_every_querys_counts_come_when_asked(invoke):
    found = answer(invoke(*COUNTED, "--per-query", "-f", "json"))
    tables = confusion("qrels.txt", "first.run").queries
    assert found["queries"] == {query: table.to_dict() for query, table in tables.items()}
    lines = invoke(*COUNTED, "--per-query").stdout.splitlines()
    assert [line.split()[0] for line in lines[:5]] == ["query", "q1", "q2", "q3", "all"]
    rows = list(csv.DictReader(io.StringIO(invoke(*COUNTED, "--per-query", "-f", "csv").stdout)))
    assert [(row["query"], row["tp"]) for row in rows] == [("q1", "2"), ("q2", "1"), ("q3", "0"), ("all", "3")]


@pytest.mark.parametrize("weight", [("--beta", "2"), ("--alpha", "0.2")])
def test_the_weighted_f_is_given_by_beta_or_by_alpha(invoke, weight):
    found = answer(invoke("confusion", "--counts", "5,15,9", *weight, "-f", "json"))
    p, r = 5 / 20, 5 / 14
    assert found["f_beta"] == pytest.approx(1 / (0.2 / p + 0.8 / r), rel=1e-14)
    assert (found["alpha"], found["beta"]) == (0.2, 2.0)
    assert f"f ({weight[0][2:]}={weight[1]})" in invoke("confusion", "--counts", "5,15,9", *weight).stdout


def test_without_a_weight_there_is_no_other_f(invoke):
    assert "f_beta" not in answer(invoke("confusion", "--counts", "5,15,9", "-f", "json"))


def test_accepted_and_rejected_results_are_counted_by_score_and_by_distance(invoke):
    found = answer(invoke(*COUNTED, "--of", "results", "--threshold", "90", "-f", "json"))
    table = confusion("qrels.txt", "first.run", threshold=90, of="results").micro
    assert (found["of"], found["k"], [found[name] for name in ("tp", "fp", "fn", "tn")]) == (
        "results", 1, [table.tp, table.fp, table.fn, table.tn],
    )  # fmt: skip
    by_distance = answer(invoke(*COUNTED, "--of", "results", "--max-distance", "-90", "-f", "json"))
    assert by_distance == found
    lines = invoke(*COUNTED, "--of", "results", "-k", "2", "--sweep").stdout.splitlines()
    assert any(
        "of the first 2 results of each query; accepted: what scores at least that" in line for line in lines
    )


def test_a_sweep_shows_each_threshold_and_marks_the_best(invoke):
    swept = sweep("qrels.txt", "first.run")
    lines = invoke(*COUNTED, "--sweep").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == [repr(step.threshold) for step in swept.steps]
    assert [line.split()[1] == "*" for line in lines[1:3]] == [step == swept.best for step in swept.steps]
    found = answer(invoke(*COUNTED, "--sweep", "-f", "json"))
    assert found["sweep"] == [{"threshold": step.threshold, **step.counts.to_dict()} for step in swept.steps]
    assert found["best"] == {"threshold": swept.best.threshold, **swept.best.counts.to_dict()}


def test_a_sweep_has_as_many_steps_as_wanted(invoke, here):
    rows = "".join(f"q1 Q0 d{n} {n + 1} {99 - n} t\n" for n in range(60))
    (here / "long.run").write_text(rows)
    (here / "long.txt").write_text("".join(f"q1 0 d{n} 1\n" for n in range(60)))
    assert len(answer(invoke("confusion", "long.txt", "long.run", "--sweep", "-f", "json"))["sweep"]) == 20
    few = answer(invoke("confusion", "long.txt", "long.run", "--sweep", "--steps", 4, "-f", "json"))["sweep"]
    assert [step["threshold"] for step in few][:: len(few) - 1] == [99, 40]
    for words in (("long.txt", "long.run"), ("--counts", "1,2,3")):
        result = invoke("confusion", *words, "--steps", 4)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "--steps needs --sweep" in result.stderr


def test_counts_are_completed_by_the_number_of_documents(invoke):
    found = answer(invoke("confusion", "--counts", "4,2,1", "--documents", 200, "-f", "json"))
    assert found["tn"] == 193


def test_accuracy_is_warned_of_where_little_is_relevant(invoke):
    said = "Accuracy misleads where little is relevant: retrieving nothing at all would reach 0.9500."
    assert invoke("confusion", "--counts", "0,0,5,95").stdout.splitlines()[-1] == said
    assert report.remarks(Confusion(30, 5, 5, 60)) == report.remarks(Confusion(0, 0, 0, 0)) == []


def test_markdown_and_latex_hold_both_tables(invoke):
    assert invoke("confusion", "--counts", "7,13,58,922", "-f", "markdown").stdout.count("|:--|") == 2
    assert invoke("confusion", "--counts", "7,13,58,922", "-f", "latex").stdout.count("\\toprule") == 2


def test_csv_is_one_row(invoke):
    rows = list(csv.DictReader(io.StringIO(invoke(*COUNTED, "-k", 2, "--documents", 10, "-f", "csv").stdout)))
    table = confusion("qrels.txt", "first.run", k=2, documents=10).micro
    assert rows == [{"run": "first.run", "rules": "truerank", **{k: str(v) for k, v in table.to_dict().items()}}]


def test_the_weight_has_a_name_and_a_beta_unless_precision_does_not_count():
    assert (Weight().name, Weight().asked) == ("f1", False)
    assert (Weight(given_alpha=0.0).name, Weight(given_alpha=0.0).beta) == ("f (alpha=0)", None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*CURVE, "--query", "q7"), "truerank: first.run: there is no query q7 among those that are judged."),
        ((*CURVE, "--plot", "a.jpg"), "truerank: a.jpg: a plot is a file that ends in .svg, .png, .html"),
        ((*CURVE, "--plot", "no/such/a.svg"), "truerank: no/such/a.svg: cannot be written"),
        ((*CURVE, "--rules", "science-qa"), "truerank: a curve is of judged queries"),
        ((*COUNTED, "--documents", "2"), "truerank: query q1 alone has 3 relevant or retrieved documents"),
        ((*COUNTED, "--threshold", "nan"), "truerank: a threshold is a finite number"),
        ((*COUNTED, "--alpha", "2"), "truerank: alpha is the weight on precision"),
        ((*COUNTED, "--alpha", "0.5", "--beta", "1"), "truerank: the weight is given by beta or by alpha"),
        (("confusion", "--counts", "1,2"), "truerank: --counts takes TP,FP,FN,TN"),
        (("confusion", "--counts", "1,2,x,4"), "truerank: --counts takes TP,FP,FN,TN"),
        (("confusion", "--counts", "1,2,3,4", "--documents", "10"), "truerank: --counts takes TP,FP,FN,TN"),
        (("confusion", "--counts", "1,2,3,-4"), "truerank: tn is a count"),
        (
            ("confusion", "--counts", "4,2,1", "--documents", "3"),
            "truerank: 7 are relevant or retrieved: there are more than 3 documents",
        ),
        (("confusion", "--counts", "-4,2,1", "--documents", "3"), "truerank: tp is a count"),
        (("confusion", "none.txt", "first.run"), "truerank: none.txt: there is no such file"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_status_2(invoke, arguments, message):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("curve", "qrels.txt"),
        (*CURVE, "--points", "nearest"),
        ("confusion",),
        ("confusion", "qrels.txt"),
        (*COUNTED, "-k", "0"),
        (*COUNTED, "--max-distance", "1", "--threshold", "2"),
        (*COUNTED, "--sweep", "--threshold", "2"),
        (*COUNTED, "--of", "results", "--documents", "9"),
        ("confusion", "--counts", "1,2,3,4", "--of", "results"),
        (*COUNTED, "--sweep", "--per-query"),
        (*COUNTED, "--counts", "1,2,3,4"),
        ("confusion", "--counts", "1,2,3,4", "-k", "1"),
        ("confusion", "--counts", "1,2,3,4", "--set", "level=2"),
        ("power", "-n", "50", "--rules", "trec_eval-9"),
    ],
)
def test_what_is_asked_wrongly_is_status_2_too(invoke, arguments):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("truerank: ")
    assert " --help)\n" in result.stderr
