"""What the table of docs/tools.md says of other tools' names is what becomes of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import truerank as tr
from truerank.measures import parse_measures

PAGE = (Path(__file__).parent.parent.parent / "docs" / "tools.md").read_text("utf-8")

SECTION = PAGE.partition("## Other tools' names\n")[2].partition("\n## ")[0]

ROWS = [
    (tool.strip(), name, here.strip())
    for tool, names, here in re.findall(r"^\| ([\w-]+) \| (`.*?) \| (.*) \|$", SECTION, re.MULTILINE)
    for name in re.findall(r"`([^`]+)`", names)
]

OTHER = ("no", "accepted, but")
"""How the table begins what it says of a name that means something else here, or nothing."""

KNOWN = [(tool, name, re.findall(r"`([^`]+)`", here)) for tool, name, here in ROWS if not here.startswith(OTHER)]

REFUSED = [(tool, name, here) for tool, name, here in ROWS if here.startswith(OTHER)]

TAKEN = {name for _, name, here in REFUSED if here.startswith("accepted")}
"""Names that are read, as what they mean here: another number than theirs, as the table says."""


def test_every_tool_is_in_the_table() -> None:
    searchers = {"gdeval", "ir_measures", "ranx", "RAGAS", "DeepEval", "Elasticsearch", "AutoRAG", "MTEB"}
    learners = {"torchmetrics", "scikit-learn", "XGBoost", "pytorch-metric-learning"}
    recommenders = {"recommenders", "RecTools", "RePlay", "RecBole", "Spark", "Elliot"}
    recommenders |= {"LightFM", "Cornac", "recmetrics"}
    assert {tool for tool, _, _ in ROWS} == searchers | learners | recommenders | {"cwl-eval"}
    assert len(KNOWN) > 70


@pytest.mark.parametrize(("tool", "name", "here"), KNOWN)
def test_a_name_becomes_what_the_table_says(tool: str, name: str, here: list[str]) -> None:
    assert str(tr.parse_measure(name)) in here


@pytest.mark.parametrize(("tool", "name", "here"), REFUSED)
def test_a_name_that_means_something_else_is_not_taken_for_it(tool: str, name: str, here: str) -> None:
    instead = [text for text in re.findall(r"`([^`]+)`", here) if re.match(r"[A-Z]", text) and "=N" not in text]
    for text in instead:
        assert str(tr.parse_measure(text)) == text
    if name in TAKEN:
        assert str(tr.parse_measure(name)) not in instead
    else:
        with pytest.raises(tr.MeasureError):
            tr.parse_measure(name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("r_precision_at_k(k=5)", "the mean of Rprec(depth=k) over queries with a hit alone"),
        ("RetrievalRecallAtFixedPrecision", "`truerank curve` draws it"),
        ("precision-l2", "precision needs k: write precision@10, or SetP of all results"),
        ("hit_rate", "hit_rate needs k: write hit_rate@10, or SetSuccess of all results"),
        ("rmse", "about predicted ratings"),
        ("label_ranking_loss", "1 minus AUROC where no scores are equal"),
        ("coverage_error", "the rank of the last relevant document"),
        ("contextual_recall", "contextual_recall is a share of statements, not of documents"),
        ("PAP(k=5)", "AUROC@10 cuts the list"),
        ("HitRate", "Success needs k: write Success@10"),
        ("recall_cap", "R(capped=True) needs k: write R(capped=True)@10"),
        ("RetrievalMAP(top=5)", "AP has no parameter 'top'"),
        ("RetrievalRPrecision(top_k=5)", "Rprec takes no cutoff"),
        ("RetrievalMAP(top_k=5)@10", "'RetrievalMAP(top_k=5)@10' says k twice: 10 and 5"),
    ],
)
def test_what_they_mean_that_is_no_measure_here_is_said(text: str, says: str) -> None:
    for read in (tr.parse_measure, parse_measures):
        with pytest.raises(tr.MeasureError, match=re.escape(says)):
            read(text)


def test_the_objects_of_ir_measures_are_read_as_it_computes_them() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    asked = {ir_measures.SetF(beta=2.0): "SetF(beta_squared=2)", ir_measures.SetRelP: "SetRelP"}
    for theirs, ours in asked.items():
        assert list(tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, theirs).mean) == [ours]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("α_nDCG@10", "alpha_nDCG@10"),
        ("α_DCG(α=0.3, rel=2)@5", "alpha_DCG(alpha=0.3, level=2)@5"),
        ("µAP", "microAP"),
        ("P@R", "Rprec"),
        ("recall@R", "Rprec"),
        ("MAP@R", "APatR"),
    ],
)
def test_greek_letters_and_the_cutoff_r_are_read_in_names(text: str, meant: str) -> None:
    assert tr.parse_measure(text) == tr.parse_measure(meant)


@pytest.mark.parametrize("group", ["a(b", "a)b", "a, b", "α", "µm", "x@R", "it's", "it's \"(\\"])
def test_names_of_groups_in_quotes_are_taken_as_they_are(group: str) -> None:
    measure = tr.AWRF(target={group: 0.5, "z": 0.5}) @ 10
    assert tr.parse_measure(str(measure)) == measure
    assert parse_measures(f"AP, {measure},20 P@5") == [tr.AP, measure, measure @ 20, tr.P @ 5]


@pytest.mark.parametrize("text", ["P@{}", "recall_{}", "rbp_{}", "nDCG@10-l{}", "map-l{}", "AP(level={})"])
def test_a_number_longer_than_python_s_is_refused(text: str) -> None:
    with pytest.raises(tr.MeasureError, match=r"9{40}"):
        tr.parse_measure(text.format("9" * 5000))
