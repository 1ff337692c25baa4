"""Every result shows itself, with what its ledger says: as a line, in a notebook, as text, in a frame."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import truerank as tr
from truerank import geo
from truerank.analysis.confusion import Confusion, confusion, sweep
from truerank.analysis.curve import precision_recall
from truerank.analysis.explain.tools import under_rules
from truerank.analysis.lint import lint
from truerank.contest import audit, judge
from truerank.core.means import Means
from truerank.core.presented import Presented
from truerank.live.paired import BenchComparison
from truerank.present.comparison import SideBySide
from truerank.present.document import Document
from truerank.present.renderers import FORMATS, figures, to_bytes
from truerank.present.renderers.json import dumps
from truerank.vectors import evaluate_vectors

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"b": 1}, "q3": {"c": 1}}
RUN = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q2": {"b": 1.0}}
OTHER = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"y": 2.0, "b": 1.0}}
QUERIES = {query: query for query in QRELS}
SENT = [{"eval_id": 1, "topk": ["a", "a"]}, {"eval_id": 3, "topk": []}]
TRUTH = {1: ["a"], 2: ["b"], 3: []}
CLICKS = [{"query": "q1", "docs": ["x", "a"], "systems": ["A", "B"], "clicks": [doc]} for doc in "xa"]


def benched() -> tr.Bench:
    def search(query: str, k: int) -> list[str]:
        if query == "q3":
            raise ValueError("no")
        return list(RUN[query])[:k]

    return tr.bench(search, QUERIES, qrels=QRELS, warmup=0)


def places() -> Any:
    queries = [{"id": "q", "lat": 0.0, "lon": 0.0}, {"id": "far", "lat": 50.0, "lon": 0.0}]
    references = [{"id": "r", "lat": 0.0, "lon": 0.00001}, {"id": "s", "lat": 1.0, "lon": 0.0}]
    return geo.evaluate(queries, references, {"q": ["r", "s"], "far": []}, k=[1], truth="within(metres=25)")


RESULTS: dict[str, tuple[Any, str]] = {
    "Scores": (lambda: tr.evaluate(QRELS, RUN, "RR AP"), "1 missing (scored 0): q3."),
    "AuditedScores": (lambda: judge(TRUTH, SENT), "official 1.0, strict 0.66"),
    "Audit": (lambda: audit(TRUTH, SENT), "1 judged id missing"),
    "StrictScores": (lambda: audit(TRUTH, SENT).strict_scores, "1 without a relevant document"),
    "Comparison": (lambda: tr.compare(QRELS, {"a": RUN, "b": OTHER}, "RR AP"), "1 missing (scored 0): q3."),
    "Collections": (
        lambda: tr.collections({"web": (QRELS, {"a": RUN, "b": OTHER}), "law": (QRELS, {"a": RUN})}, "RR AP"),
        "b has no run on law",
    ),
    "Agreement": (lambda: tr.agreement(RUN, {"q1": ["a", "x"]}), "only in the first run, and in no mean: q2"),
    "Predicted": (
        lambda: tr.predicted({"q1": {"a": 1}}, QRELS, RUN, "RR", sample="random"),
        "below 20 nothing is promised",
    ),
    "Experiment": (
        lambda: tr.experiment({"a": RUN, "b": lambda query, k: RUN.get(query, [])}, QUERIES, QRELS, "RR AP"),
        "1 missing (scored 0): q3.",
    ),
    "Interleaving": (lambda: tr.interleaving(CLICKS), "2 impressions with clicks are too few to rely on"),
    "Ips": (lambda: tr.ips(CLICKS, {"a": RUN, "b": OTHER}, eta=1), "fewer than 100 effective clicks"),
    "TunedFusion": (
        lambda: tr.tune_fusion(QRELS, [RUN, OTHER], "wsum", "RR", folds=3, step=0.5),
        "a fold was tuned on 2 queries",
    ),
    "Power": (lambda: tr.power(queries=30, difference=0.05), ""),
    "TableAudit": (
        lambda: tr.audit_table({"a": {"nDCG@10": 0.412}, "b": {"nDCG@10": 0.431}}, queries=50),
        "no pair can be called different in nDCG@10",
    ),
    "Judges": (
        lambda: tr.judges([QRELS, {**QRELS, "q1": {"a": 2, "z": 0}}], {"a": RUN, "b": OTHER}, "RR", samples=9),
        "3 queries are too few",
    ),
    "Agreements": (
        lambda: tr.agreements({"a": RUN, "b": OTHER, "c": {"q1": ["a", "x"]}}),
        "Each pair is over the queries that both answer: 1 to 2",
    ),
    "Bounds": (lambda: tr.bounds(QRELS, RUN, "RR"), "unjudged"),
    "ToJudge": (lambda: tr.judge_next(QRELS, RUN, OTHER), "of these judgements could turn"),
    "Explanation": (lambda: tr.explain(QRELS, RUN, "q1", "AP"), "1 unjudged document"),
    "Diff": (
        lambda: tr.diff(QRELS, RUN, {"q1": ["a"]}, rules={"missing": "skip"}),
        "1 query is in the mean of only one of the runs",
    ),
    "ToolComparison": (lambda: under_rules(QRELS, RUN, "AP", ["truerank", "trec_eval-10"]), ""),
    "Bench": (benched, "1 failed"),
    "BenchComparison": (lambda: BenchComparison(benched(), benched(), alternated=False), "ran at different times"),
    "Check": (lambda: tr.check(tr.evaluate(QRELS, RUN, "RR"), min={"RR": 0.3}), "3 queries are too few"),
    "Curve": (lambda: precision_recall(QRELS, RUN), "1 missing (scored 0): q3."),
    "Counts": (lambda: confusion(QRELS, RUN), "1 missing (scored 0): q3."),
    "Sweep": (lambda: sweep(QRELS, RUN), "1 missing (scored 0): q3."),
    "Hits": (lambda: tr.rank(QRELS, RUN), "Nothing was returned for 1 query."),
    "Confusion": (lambda: Confusion(7, 13, 58), ""),
    "Places": (places, "1 without a relevant document"),
    "View": (lambda: places()["geo"], "1 without a relevant document"),
    "Findings": (lambda: lint(QRELS, RUN), "1 of 3 judged queries not answered"),
    "vectors": (
        lambda: evaluate_vectors(np.eye(3), np.eye(3), query_labels=[1, 2, 9], gallery_labels=[1, 2, 3]),
        "1 without a relevant document",
    ),
}


@pytest.fixture(scope="module", params=RESULTS, name="result")
def fixture_result(request: pytest.FixtureRequest) -> tuple[Any, str]:
    """Each kind of result, and what a reader must be told of it."""
    make, remark = RESULTS[request.param]
    return make(), remark


def test_a_result_says_in_its_repr_what_its_ledger_says(result: tuple[Any, str]) -> None:
    found, remark = result
    assert isinstance(found, Presented)
    assert remark in repr(found)
    lines = repr(found).splitlines()
    assert len(lines) <= 5
    assert max(map(len, lines[1:]), default=0) <= 82


def test_a_notebook_shows_a_table_with_the_same_remark(result: tuple[Any, str]) -> None:
    found, remark = result
    html = found._repr_html_()
    assert html.startswith("<table>")
    assert html.isascii()
    assert remark.split("(")[0] in html
    assert html == found.to_html()


def test_a_result_prints_as_text_and_becomes_markdown_and_latex(result: tuple[Any, str]) -> None:
    found, _ = result
    assert str(found) == found.to_text().rstrip("\n")
    assert "\n|:--" in found.to_markdown() or "\n|--:" in found.to_markdown()
    assert r"\toprule" in found.to_latex()


def test_a_result_becomes_a_frame_of_any_kind(result: tuple[Any, str]) -> None:
    found, _ = result
    frames = found.to_pandas(), found.to_polars(), found.to_arrow()
    assert [type(frame) for frame in frames] == [pandas.DataFrame, polars.DataFrame, pyarrow.Table]
    assert len({len(frames[0]), frames[1].height, frames[2].num_rows}) == 1


def test_a_result_becomes_plain_values(result: tuple[Any, str]) -> None:
    found, _ = result
    assert dumps(found.to_dict())


@pytest.mark.parametrize("format", FORMATS)
def test_every_renderer_prints_the_document_of_a_result(result: tuple[Any, str], format: str) -> None:
    found, _ = result
    document = found._laid()
    assert isinstance(document, Document)
    assert document.render(format).endswith("\n")
    assert "<img" not in document.render(format)
    assert to_bytes(document, format) == document.render(format).encode()
    if format == "json":
        assert json.loads(document.render(format)) == json.loads(dumps(document.results))
    if format == "csv":
        assert document.render(format).count("\n") > len(document.flat.rows)


DRAWN = ("Bench", "BenchComparison", "Curve", "Sweep", "Places", "View")


@pytest.mark.parametrize("kind", DRAWN)
def test_a_notebook_shows_the_picture_of_a_result_where_it_can_be_drawn(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("vl_convert", reason="the extra plots is not installed")
    found = RESULTS[kind][0]()
    drawn = found._repr_html_()
    (figure,) = found._laid().figures
    assert drawn.count("<img") == 1
    assert f'<p><img alt="{figure.title}. ' in drawn
    monkeypatch.setattr(figures, "is_drawing", lambda: False)
    assert found._repr_html_() == drawn.partition("\n<p><img")[0]


def test_a_notebook_shows_the_intervals_of_a_comparison() -> None:
    pytest.importorskip("vl_convert", reason="the extra plots is not installed")
    qrels = {f"q{n}": {"a": 1} for n in range(12)}
    runs = {
        name: {f"q{n}": ["a", "b"][:: 1 if n % k else -1] for n in range(12)} for name, k in (("x", 2), ("y", 3))
    }
    html = tr.compare(qrels, runs, "RR")._repr_html_()
    assert html.count("<img") == 1
    assert "Means with 95 % intervals" in html


def test_every_result_of_the_library_is_among_those_that_are_tested_here() -> None:
    def below(kind: type) -> set[type]:
        return {kind, *(each for one in kind.__subclasses__() for each in below(one))}

    tested = {type(make()) for make, _ in RESULTS.values()}
    results = below(Presented) - {Presented, Means}
    ours = {kind for kind in results if kind.__module__.startswith("truerank.")}
    of_spark = {
        kind for kind in ours if kind.__module__.startswith("truerank.interop.spark.")
    }  # tested where it runs
    assert ours - of_spark <= tested


def test_an_explanation_prints_its_derivation() -> None:
    text = str(tr.explain(QRELS, RUN, "q1", "AP"))
    assert re.search(r"precision at its rank", text)
    assert re.search(r"^AP +1.1667 / 2 +0.5833$", text, re.MULTILINE)


def test_means_that_differ_by_rounding_alone_have_no_minus_before_nothing() -> None:
    found = {1: {"a": 1.0}, 3: {"b": 3.0, "c": 2.0, "a": 1.0}}
    before, after = (
        {f"q{n}": found[rank] for n, rank in enumerate(ranks)} for ranks in ([1, 1, 1, 3], [1, 3, 1, 1])
    )
    moves = tr.diff({f"q{n}": {"a": 1} for n in range(4)}, before, after, "RR")
    assert moves.means[0] > moves.means[1]
    assert "0.8333 → 0.8333 (+0.0000)" in str(moves)


def test_given_counts_keep_their_short_line() -> None:
    counts = Confusion(7, 13, 58)
    assert repr(counts) == "Confusion(tp=7, fp=13, fn=58, tn=None)"
    assert "need the number of documents" in counts._repr_html_()


def test_scores_are_a_mapping_over_measures() -> None:
    scores = tr.evaluate(QRELS, RUN, "RR nDCG@10")
    assert list(scores) == list(scores.keys()) == ["RR", "nDCG@10"]
    assert (len(scores), "mrr" in scores, "ndcg@10" in scores, "AP" in scores, "nonsense" in scores) == (
        2,
        True,
        True,
        False,
        False,
    )
    assert {name: values.tolist() for name, values in scores.items()}["RR"] == [0.5, 1.0, 0.0]
    assert next(iter(scores.values())).tolist() == scores["RR"].tolist()
    assert scores.get("AP") is None
    assert dict(scores).keys() == scores.mean.keys()
    assert scores == scores
    assert scores != tr.evaluate(QRELS, RUN, "RR nDCG@10")
    assert len({scores, scores}) == 1


def test_a_comparison_is_a_mapping_over_measures() -> None:
    found = tr.compare(QRELS, {"a": RUN, "b": OTHER}, "RR AP")
    assert list(found) == ["RR", "AP"]
    assert "mrr" in found
    assert [outcome.measure for outcome in found.values()] == [outcome.measure for outcome in found.outcomes]


@pytest.mark.parametrize("place", ["run", "qrels"])
def test_a_result_is_no_run_and_no_qrels_though_it_is_a_mapping(place: str) -> None:
    scores = tr.evaluate(QRELS, RUN, "RR")
    given: dict[str, Any] = {"qrels": QRELS, "run": RUN, place: scores}
    with pytest.raises(tr.InputError, match="not Scores, which was made of"):
        tr.evaluate(given["qrels"], given["run"], "RR")


def test_ids_that_html_would_take_for_its_own_are_escaped() -> None:
    scores = tr.evaluate({"<b>": {"a": 1}, "질의": {"a": 1}}, {"z": ["a"]}, "RR", rules={"extra": "skip"})
    html = scores._repr_html_()
    assert "<b>" not in html.replace("<b>1", "")
    assert "&lt;b&gt;" in html
    assert "&#51656;&#51032;" in html


@pytest.mark.parametrize(
    ("p", "confidence", "shown"),
    [
        (0.05003, 0.95, "0.05003"),
        (0.04999, 0.95, "0.04999"),
        (0.05, 0.95, "0.0500"),
        (0.05003, 0.99, "0.0500"),
        (1e-9, 0.95, "<.0001"),
    ],
)
def test_a_p_near_the_level_is_told_apart_from_it(p, confidence, shown):
    compared = tr.compare(QRELS, {"run": RUN, "other": OTHER}, "AP", "run", confidence=confidence)
    (outcome,) = compared.outcomes
    pair = replace(outcome.pairs[0], adjusted=p)
    table = SideBySide(compared, replace(outcome, pairs=(pair,)), 4).table()
    assert shown in [cell for row in table.texts for cell in row]
