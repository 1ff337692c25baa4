"""Four counts: against sets, for every threshold, and what is made of them."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import truerank as tr
from truerank.analysis.confusion import Confusion, confusion, counted, sweep, weight_on_precision
from truerank.core.equal import is_equal
from truerank.present import counts, few
from worlds import SCORES, World, worlds

DOCUMENTS = 40

COUNTS = st.integers(0, 60)
TABLES = st.builds(Confusion, COUNTS, COUNTS, COUNTS, COUNTS)


def by_sets(retrieved: set[str], relevant: set[str]) -> Confusion:
    both = len(retrieved & relevant)
    rest = DOCUMENTS - len(retrieved | relevant)
    return Confusion(both, len(retrieved) - both, len(relevant) - both, rest)


def expected(world: World, retrieved: Any) -> dict[str, Confusion]:
    return {query: by_sets(set(retrieved(query)), world.relevant(query)) for query in sorted(world.qrels)}


def total(tables: dict[str, Confusion]) -> Confusion:
    return sum(tables.values(), Confusion(0, 0, 0, 0))


@given(worlds(), st.integers(1, 14))
def test_the_first_k_results_are_counted_as_sets_are(world: World, k: int) -> None:
    found = confusion(world.qrels, world.lines(), k=k, documents=DOCUMENTS)
    assert found.queries == expected(world, lambda query: world.ranked(query)[:k])
    assert found.micro == total(dict(found.queries))


@given(worlds(), st.sampled_from([*SCORES, 0.5, 1e31, -4.0]))
def test_the_results_of_at_least_a_score_are_counted_as_sets_are(world: World, threshold: float) -> None:
    def reaching(query: str) -> set[str]:
        return {doc for doc, score in world.run.get(query, {}).items() if score >= threshold}

    for run in (world.run, world.lines()):
        found = confusion(world.qrels, run, threshold=threshold, documents=DOCUMENTS)
        assert found.queries == expected(world, reaching)


@given(worlds(), st.integers(1, 14), st.sampled_from([*SCORES, 0.5, -4.0]))
def test_of_the_first_k_results_those_of_at_least_a_score_are_counted_as_sets_are(
    world: World, k: int, threshold: float
) -> None:
    def reaching(query: str) -> set[str]:
        return {doc for doc in world.ranked(query)[:k] if world.run[query][doc] >= threshold}

    found = confusion(world.qrels, world.lines(), k=k, threshold=threshold, documents=DOCUMENTS)
    assert found.queries == expected(world, reaching)
    swept = sweep(world.qrels, world.lines(), [threshold], k=k, documents=DOCUMENTS)
    assert swept.steps[0].counts == found.micro


@given(worlds(), st.integers(1, 3), st.sampled_from([*SCORES, 0.5, -4.0]))
def test_the_first_results_are_accepted_or_rejected_and_right_or_wrong(
    world: World, k: int, threshold: float
) -> None:
    found = confusion(world.qrels, world.lines(), k=k, threshold=threshold, of="results")
    for query, table in found.queries.items():
        cells = {(right, accepted): 0 for right in (True, False) for accepted in (True, False)}
        for doc in world.ranked(query)[:k] if query in world.run else []:
            cells[doc in world.relevant(query), world.run[query][doc] >= threshold] += 1
        wanted = cells[True, True], cells[False, True], cells[True, False], cells[False, False]
        assert (table.tp, table.fp, table.fn, table.tn) == wanted
    assert sweep(world.qrels, world.lines(), [threshold], k=k, of="results").steps[0].counts == found.micro


@given(worlds())
def test_without_either_all_that_came_back_is_retrieved(world: World) -> None:
    found = confusion(world.qrels, world.lines(), documents=DOCUMENTS)
    assert found.queries == expected(world, lambda query: world.run.get(query, {}))
    unknown = confusion(world.qrels, world.lines()).queries.values()
    assert [table.tn for table in unknown] == [None] * len(world.qrels)


@given(worlds())
def test_precision_recall_and_f_are_those_of_the_set_measures(world: World) -> None:
    scores = tr.evaluate(world.qrels, world.lines(), "SetP SetR SetF(alpha=0.2)")
    for query, table in confusion(world.qrels, world.lines()).queries.items():
        at = scores.queries.index(query)
        assert (table.precision, table.recall) == (scores["SetP"][at], scores["SetR"][at])
        assert table.f(alpha=0.2) == pytest.approx(scores["SetF(alpha=0.2)"][at], rel=1e-14)


@given(worlds(), st.sampled_from([{}, {"depth": 3}, {"unjudged": "removed"}, {"level": 2}, {"missing": "skip"}]))
def test_a_sweep_has_at_each_threshold_the_counts_that_it_has_alone(world: World, rules: dict[str, Any]) -> None:
    swept = sweep(world.qrels, world.lines(), SCORES, documents=DOCUMENTS, rules=rules)
    assert [step.threshold for step in swept.steps] == sorted(SCORES, reverse=True)
    for step in swept.steps:
        alone = confusion(world.qrels, world.lines(), threshold=step.threshold, documents=DOCUMENTS, rules=rules)
        assert step.counts == alone.micro
    assert swept.queries == len(alone.queries)


@pytest.mark.parametrize(
    ("duplicates", "tables"), [("first", [(0, 1), (1, 1), (1, 2)]), ("last", [(1, 0), (1, 1), (1, 2)])]
)
def test_a_repeated_document_has_the_score_that_the_rules_say(
    duplicates: str, tables: list[tuple[int, int]]
) -> None:
    text = b"q Q0 a 1 2 t\nq Q0 x 2 3 t\nq Q0 a 3 3 t\nq Q0 x 4 2 t\nq Q0 y 5 1 t\n"
    run, qrels, rules = tr.Run("r", lambda: iter([text])), {"q": {"a": 1}}, {"duplicates": duplicates}
    for step, (tp, fp) in zip(sweep(qrels, run, [3, 2, 1], rules=rules).steps, tables, strict=True):
        assert step.counts == confusion(qrels, run, threshold=step.threshold, rules=rules).micro
        assert step.counts == Confusion(tp, fp, 1 - tp)


def test_a_sweep_leaves_the_query_itself_out_where_the_rules_do() -> None:
    qrels, run = {"a": {"b": 1}}, {"a": {"a": 9.0, "x": 5.0, "b": 1.0}}
    swept = sweep(qrels, run, rules={"self_match": "remove"})
    assert [step.counts for step in swept.steps] == [Confusion(1, 1, 0)]
    assert confusion(qrels, run, threshold=1.0, rules={"self_match": "remove"}).micro == Confusion(1, 1, 0)


ROUNDED = {"a": (1, 1.0), "b": (1, 1.0), "c": (1, 0.0)} | {f"x{i}": (0, 0.0) for i in range(6)}
"""Grades and scores by which both thresholds have the F of 1/1.4, one of them with a last bit less."""


@given(worlds(), st.sampled_from([0.2, 0.5, 0.9]))
@example(
    World({"q": {d: g for d, (g, _) in ROUNDED.items()}}, {"q": {d: s for d, (_, s) in ROUNDED.items()}}, 0), 0.2
)
def test_no_threshold_has_a_higher_f_than_the_best_of_a_sweep(world: World, alpha: float) -> None:
    swept = sweep(world.qrels, world.lines(), alpha=alpha)
    every = sweep(world.qrels, world.lines(), SCORES, alpha=alpha)
    highest = max(step.counts.f(alpha=alpha) for step in every.steps)
    assert is_equal(swept.best.counts.f(alpha=alpha) if swept.best else 0.0, highest)


@pytest.mark.parametrize(("alpha", "at"), [(0.5, 76), (0.9, 36)])
def test_a_long_sweep_keeps_the_first_the_last_and_the_best(alpha: float, at: int) -> None:
    scores = {f"d{n}": float(100 - n) for n in range(100)}
    qrels = {"q": dict.fromkeys(list(scores)[:37] + list(scores)[60:], 1)}
    full, few = (sweep(qrels, {"q": scores}, steps=steps, alpha=alpha) for steps in (200, 5))
    assert (len(full.steps), len(few.steps)) == (77, 5)
    assert few.best == full.best == full.steps[at]
    assert {full.steps[0], full.steps[-1], full.best} <= set(few.steps) <= set(full.steps)
    thresholds = [step.threshold for step in few.steps]
    assert thresholds == sorted(thresholds, reverse=True)


def test_a_sweep_where_nothing_relevant_came_back_is_empty() -> None:
    swept = sweep({"q": {"a": 1}}, {"q": {"x": 1.0}})
    assert (swept.steps, swept.best) == ((), None)


def test_remarks_are_of_the_figures_that_there_are() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 2.0} | {f"x{i}": 1.0 for i in range(30)}}
    results = {"of": "results", "k": 20}
    for made in (confusion(qrels, run, threshold=1.5, **results), sweep(qrels, run, **results)):
        assert counts.document_of(made).results["remarks"] == counts.remarks_of(made) == few.remarks(1)
    empty = sweep(qrels, {"q": {"x": 1.0}}, documents=100)
    assert counts.document_of(empty).results["remarks"] == few.remarks(1)
    assert "there is no threshold to try." in str(counts.document_of(empty).render("table"))
    for made in (confusion(qrels, run, documents=100), sweep(qrels, run, documents=100)):
        (accuracy, _) = counts.remarks_of(made)
        assert accuracy.endswith("retrieving nothing at all would reach 0.9900.")


def test_a_document_and_its_picture_have_the_f_that_was_asked_for_and_each_query_on_request() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}, "r": {"a": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "r": {"a": 0.5}}
    for alpha, shown in ((0.5, "f1"), (0.7, "f (alpha=0.7)")):
        swept = sweep(qrels, run, alpha=alpha)
        laid = counts.document_of(swept)
        assert laid.flat.columns[-1] == shown
        rows = json.dumps(laid.blocks[-1].specification)
        assert rows.count('"threshold": ') == len(swept.steps) * len(("precision", "recall", shown))
    made = confusion(qrels, run)
    assert "queries" not in counts.document_of(made).results
    assert list(counts.document_of(made, per_query=True).results["queries"]) == ["q", "r"]


def test_of_equal_thresholds_the_highest_is_best() -> None:
    swept = sweep({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "y": 1.5, "b": 1.0}})
    assert [step.counts.f1 for step in swept.steps] == [2 / 3, 2 / 3]
    assert swept.best == swept.steps[0]
    swept = sweep({"q": dict.fromkeys("a12345e", 1)}, {"q": {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}}, alpha=0.7)
    assert [step.counts.f(alpha=0.7) for step in swept.steps] == pytest.approx([1 / 2.8, 2 / 5.6], abs=1e-15)
    assert swept.best == swept.steps[0]


def exact(numerator: int, denominator: int) -> float:
    return float(Fraction(numerator, denominator)) if denominator else 0.0


@given(TABLES)
def test_each_figure_is_its_ratio_of_counts(table: Confusion) -> None:
    tp, fp, fn, tn = table.tp, table.fp, table.fn, table.tn or 0
    assert table.precision == exact(tp, tp + fp)
    assert table.recall == exact(tp, tp + fn)
    assert table.specificity == exact(tn, tn + fp)
    assert table.accuracy == exact(tp + tn, tp + fp + fn + tn)
    assert table.f1 == exact(2 * tp, 2 * tp + fp + fn)
    assert table.documents == tp + fp + fn + tn


@given(TABLES, st.floats(0.01, 0.99))
def test_f_by_alpha_is_the_weighted_harmonic_mean_and_beta_says_the_same(table: Confusion, alpha: float) -> None:
    p, r = table.precision, table.recall
    harmonic = 1 / (alpha / p + (1 - alpha) / r) if table.tp else 0.0
    assert table.f(alpha=alpha) == pytest.approx(harmonic, rel=1e-12)
    assert table.f(((1 - alpha) / alpha) ** 0.5) == pytest.approx(harmonic, rel=1e-12)


def test_at_its_ends_the_weight_leaves_precision_or_recall_alone() -> None:
    table = Confusion(7, 13, 58)
    assert (table.f(alpha=1), table.f(alpha=0)) == (table.precision, table.recall)
    assert table.f(beta=0) == table.precision
    assert table.f() == table.f1 == table.f(beta=1) == table.f(alpha=0.5)


def test_without_true_negatives_what_needs_them_is_unknown() -> None:
    table = Confusion(1, 2, 3)
    assert (table.tn, table.documents, table.accuracy, table.specificity) == (None, None, None, None)
    assert (Confusion(1, 1, 1, 1) + table).tn is None


def test_nothing_at_all_is_0_everywhere() -> None:
    assert list(Confusion(0, 0, 0, 0).to_dict().values()) == [0] * 9


def test_a_table_becomes_plain_values_with_lower_case_names() -> None:
    plain = json.loads(json.dumps(Confusion(7, 13, 58, 922).to_dict()))
    assert list(plain) == ["tp", "fp", "fn", "tn", "accuracy", "precision", "recall", "specificity", "f1"]
    assert (plain["tn"], plain["accuracy"], plain["precision"]) == (922, 0.929, 0.35)
    assert Confusion(1, 1, 1).to_dict()["tn"] is None


def test_a_hundred_patients_all_called_healthy_are_judged_rightly_by_recall_only() -> None:
    nobody = counted(tp=0, returned=0, relevant=5, documents=100)
    assert (nobody.accuracy, nobody.recall, nobody.f1, nobody.specificity) == (0.95, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Confusion(-1, 0, 0), "tp is a count, a whole number from 0 to 10^30, not -1"),
        (lambda: Confusion(1, 0, 0, 2.5), "tn is a count"),
        (lambda: Confusion(1, 0, None), "fn is a count"),
        (lambda: weight_on_precision(alpha=1.5), "alpha is the weight on precision, from 0 to 1, not 1.5"),
        (lambda: weight_on_precision(beta=-1), "beta is a number from 0 on, not -1"),
        (lambda: Confusion(10**400, 1, 1), "tp is a count, a whole number from 0 to 10^30, not 1000000"),
        (lambda: confusion({"q": ["a"]}, {"q": ["a"]}, documents=10**400), "tn is a count"),
        (lambda: weight_on_precision(beta=10**400), "beta is a number from 0 on, not 1000000"),
        (lambda: weight_on_precision(alpha="x"), "alpha is the weight on precision, from 0 to 1, not 'x'"),
        (lambda: confusion({"q": ["a"]}, {"q": {"a": 1.0}}, threshold=10**400), "a threshold is a finite"),
        (lambda: weight_on_precision(1, 0.5), "by beta or by alpha, not by both"),
        (lambda: confusion({}, {}, of="pairs"), "counts are of documents or results, not of 'pairs'"),
        (lambda: confusion({}, {}, of="results", documents=9), "they do not depend on the number of documents"),
        (lambda: confusion({"q": ["a"]}, {"q": {"b": 1.0}}, documents=1), "query q alone has 2 relevant or"),
        (lambda: sweep({"q": ["a"]}, {"q": {"b": 1.0}}, documents=1), "query q alone has 2 relevant or"),
        (lambda: confusion({"q": ["a"]}, {"q": ["a"]}, threshold=1), "has no scores to compare with a threshold"),
        (lambda: sweep({"q": ["a"]}, {"q": ["a"]}), "has no scores to compare with a threshold"),
        (lambda: confusion({"q": ["a"]}, {"q": {"a": 1.0}}, threshold=float("nan")), "a threshold is a finite"),
        (lambda: sweep({"q": ["a"]}, {"q": {"a": 1.0}}, [float("inf")]), "a threshold is a finite"),
        (lambda: sweep({"q": ["a"]}, {"q": {"a": 1.0}}, steps=2), "a sweep has at least 3 steps"),
        (lambda: confusion({"q": ["a"]}, {"q": ["a"]}, rules={"duplicates": "count"}), "a document once"),
        (lambda: confusion({"q": ["a"]}, {"q": ["a"]}, rules="science-qa"), "the mean is over submitted lines"),
    ],
)
def test_what_is_wrong_is_said(call: Any, message: str) -> None:
    with pytest.raises(tr.TruerankError, match=re.escape(message)):
        call()


def test_lists_without_scores_are_refused_in_the_files_of_a_folder_too(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"query_id": "q", "docs": ["a", "b"]}\n')
    (tmp_path / "b.jsonl").write_text('{"query_id": "r", "docs": ["a"]}\n')
    with pytest.raises(tr.InputError, match="has no scores to compare with a threshold"):
        confusion({"q": ["a"], "r": ["a"]}, tmp_path, threshold=1)


@pytest.mark.parametrize("kind", ["arrays", "msmarco.tsv", "ranks.csv", "ranks.jsonl", "table"])
def test_ranks_are_no_scores_to_compare_with_a_threshold(kind: str, tmp_path: Path) -> None:
    rows = [("0", "2", 1), ("0", "0", 2), ("1", "1", 1)]
    run: Any = tmp_path / kind
    if kind == "arrays":
        run = (np.array([[2, 0], [1, -1]]), None)
    elif kind == "table":
        pyarrow = pytest.importorskip("pyarrow")
        run = pyarrow.table(dict(zip(("query_id", "doc_id", "rank"), zip(*rows, strict=True), strict=True)))
    elif kind == "ranks.jsonl":
        names = ("query_id", "doc_id", "rank")
        run.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    else:
        between = "\t" if kind == "msmarco.tsv" else ","
        head = "" if kind == "msmarco.tsv" else "query_id,doc_id,rank\n"
        run.write_text(head + "".join(between.join(map(str, row)) + "\n" for row in rows))
    qrels = {"0": ["2"], "1": ["1"]}
    assert tr.evaluate(qrels, run, "P@1").mean == {"P@1": 1.0}
    with pytest.raises(tr.InputError, match="has no scores to compare with a threshold"):
        confusion(qrels, run, threshold=-1.5)
    assert not tr.explain(qrels, run, "0", "RR").documents[0].score


def test_a_saved_reading_without_scores_is_refused_too(tmp_path: Path) -> None:
    tr.read({"q": ["a"]}, {"q": ["a"]}, keep="all").save(tmp_path / "ranks.arrow")
    for saved in (tr.read({"q": ["a"]}, {"q": ["a"]}, keep="all"), tr.Reading.load(tmp_path / "ranks.arrow")):
        with pytest.raises(tr.InputError, match="has no scores to compare with a threshold"):
            confusion(saved, threshold=1)
        assert confusion(saved, k=1).micro.tp == 1
