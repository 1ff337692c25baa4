"""Why a number is what it is: the list, the measure worked out to the very bit, the rules, and what moved."""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from test_laws import MEASURES
from truerank.analysis.explain import Explanation, diff, explain, explain_each
from truerank.analysis.explain.rows import only
from truerank.analysis.explain.worked import FORMS, Hit
from truerank.core.run import Ranked
from truerank.core.scan import scan
from truerank.formats import open_run
from truerank.measures.terms import Terms
from truerank.present import explanation as report
from truerank.present.renderers import FORMATS
from worlds import World, with_aspects, worlds

ROBUST = Path(__file__).parents[3] / "shared" / "data" / "robust03"

GRADES = st.sampled_from([-2, -1, 0, 0.5, 1, 2, 3, 3.25, 4])

RULES: dict[str, dict[str, Any]] = {
    "default": {},
    "level": {"level": 2},
    "ascending": {"ties": "doc-ascending", "depth": 4},
    "single": {"ties": "input", "score_precision": "single", "recall_points": "up"},
    "textbook": {"recall_points": "definition"},
    "removed": {"unjudged": "removed", "depth": 3},
    "skip": {"missing": "skip", "without_relevant": "skip"},
    "empty": {"without_relevant": "empty-is-right"},
    "returned": {"unreturned": "ignore"},
}

SUMS = (
    *("P@3", "R@3", "RR", "AP", "AP(divisor='hits')@3", "AP(divisor='capped')@3", "AP(area='trapezoid')"),
    *("nDCG", "nDCG@3", "nDCG(gain='exp')", "DCG@4", "RBP(p=0.5)", "RBP(gain='graded')", "ERR", "Bpref", "infAP"),
    *("Rprec", "RprecMult@0.5", "SetP", "SetR", "SetRelP", "binG", "G", "AUPRC(area='interpolated')", "Judged@3"),
    *("RBP(gain='graded', max_grade=2)", "RBP(gain='scaled')"),
    *("Hits@3", "NCRR", "PFound", "AUROC", "AP(divisor='k')@3", "nDCG(discount='jk')", "DCG(discount=(1, 0.5))"),
)
"""Measures whose value is what the documents add to it."""


def notes_of(why: Explanation) -> dict[str, str]:
    return {note.rule: note.text for note in why.notes}


def test_equal_scores_beyond_the_depth_are_not_counted():
    """A group of equal scores may reach further down than results count."""
    for name in ("AUROC", "AUPRC(area='interpolated')"):
        why = tr.explain({"q": {"b": 1, "a": 0}}, {"q": {"x": 2, "b": 1, "a": 1}}, "q", name, rules={"depth": 2})
        assert why.worked.lines[-1].value == why.value, name


@pytest.mark.parametrize("fields", RULES.values(), ids=RULES)
@settings(max_examples=8)
@given(world=worlds(GRADES, queries=3))
def test_what_is_worked_out_is_what_evaluate_gives_to_the_bit(fields: dict[str, Any], world: World) -> None:
    scores = tr.evaluate(world.judged, world.run, MEASURES, rules=fields)
    for query in world.qrels:
        for why in explain_each(world.judged, world.run, query, MEASURES, rules=fields):
            if why.is_counted:
                assert why.value.hex() == float(scores[why.measure][scores.queries.index(query)]).hex(), why.measure
            else:
                assert query not in scores.queries
            last = why.ruling or why.worked.lines[-1]
            assert float(last.value).hex() == why.value.hex(), (why.measure, why.worked)
            assert last.name == str(why.measure)


@pytest.mark.parametrize("rules", [{}, {"unjudged": "graded", "unjudged_grade": 1}], ids=["plain", "graded"])
def test_each_of_several_measures_is_worked_out_as_it_is_alone(rules: dict[str, Any]) -> None:
    """What they share is made once; a depth of one's own, or the unjudged with a grade, is not shared."""
    qrels, run = {"q": {"a": 2, "b": 1, "c": 1}}, {"q": {"x": 3, "a": 2, "b": 2, "y": 1, "c": 1}}
    names = ["nDCG@2", "P(depth=2)@3", "P@3", "RR(depth=1)@4", "RR@4", "ERR@5", "Judged@3"]
    for together, name in zip(explain_each(qrels, run, "q", names, rules=rules), names, strict=True):
        alone = explain(qrels, run, "q", name, rules=rules)
        assert (together.value, together.worked, together.notes) == (alone.value, alone.worked, alone.notes), name


def test_a_measure_is_worked_out_from_its_terms_or_by_its_form_and_others_show_what_goes_in() -> None:
    whys = explain_each({"q": with_aspects({"d1": 1, "d2": 2, "d3": 0})}, {"q": ["d1", "x", "d2"]}, "q", MEASURES)
    for why in whys:
        returns = get_type_hints(why.measure.definition.function)["return"]
        assert why.worked.is_derived == (returns is Terms or why.measure.name in FORMS), why.measure
    for why in whys:
        assert why.worked.lines
        assert all("{" not in line.text(4) for line in why.worked.lines)


def test_a_measure_of_ones_own_shows_its_inputs_and_its_value() -> None:
    @tr.measure("Last", unit=False)
    def last(hits: tr.Hits, *, level: float = 1) -> Any:
        """The rank of the last relevant document."""
        return hits.relevant(level).last_value(hits.relevant(level).rank)

    try:
        why = explain({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "b"]}, "q", "Last")
        assert [(line.name, line.value) for line in why.worked.lines] == [
            ("n", 3),
            ("R", 2),
            ("N", 2),
            ("level", 1),
            ("Last", 3.0),
        ]
        assert "at ranks 2, 3" in why.worked.lines[2].text()
    finally:
        tr.unregister("Last")


def test_a_measure_that_takes_a_name_of_ours_is_not_worked_out_as_ours() -> None:
    def half(hits: tr.Hits) -> Any:
        """A half, whatever was returned."""
        return hits.sum(hits.rank == 1) / 2

    theirs = tr.Measure(dataclasses.replace(tr.measures()["SetSuccess"], function=half), "SetSuccess")
    why = explain({"q": {"a": 1}}, {"q": ["a"]}, "q", theirs)
    assert (why.value, why.worked.value, why.worked.is_derived) == (0.5, 0.5, False)


@settings(max_examples=30)
@given(worlds(GRADES, queries=2))
def test_what_the_documents_add_comes_to_the_value(world: World) -> None:
    for query in world.qrels:
        for why in explain_each(world.qrels, world.run, query, " ".join(SUMS)):
            assert sum(why.shares.values()) == pytest.approx(why.value, abs=1e-12), why.measure


def test_average_precision_is_worked_out_as_in_a_textbook() -> None:
    why = explain({"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a", "x", "b"]}, "q", "AP")
    terms = [(term.rank, term.doc, term.text(), term.value, term.total) for term in why.worked.sums[0].terms]
    assert terms == [
        (1, "a", "1 / 1", 1.0, 1.0),
        (3, "b", "2 / 3", 2 / 3, 1 + 2 / 3),
        (None, "c", "not found", 0.0, 1 + 2 / 3),
    ]
    assert [(line.name, line.text(4), line.value) for line in why.worked.lines] == [
        ("Σ", "the sum", 1 + 2 / 3),
        ("R", "relevant documents, found or not", 3),
        ("AP", "1.6667 / 3", (1 + 2 / 3) / 3),
    ]


@pytest.mark.parametrize("measure", ["nDCG", "AP", "RR@2", "ERR", "IPrec@0.5", "P@3", "SetF", "Bpref", "infAP"])
def test_on_real_runs_too(measure: str) -> None:
    if not ROBUST.exists():
        pytest.skip("the Robust 2003 runs are not here")
    qrels, run = ROBUST / "qrels.txt.gz", ROBUST / "InexpC2.run.gz"
    scores = tr.evaluate(qrels, run, measure)
    for query in scores.queries[::30]:
        why = explain(qrels, run, query, measure)
        value = float(scores[measure][scores.queries.index(query)])
        assert (why.value.hex(), why.worked.value.hex()) == (value.hex(), value.hex())
        assert sum(doc.place == "ranked" for doc in why.documents) == 1000


@settings(max_examples=60)
@given(worlds())
def test_the_list_is_in_the_order_of_the_scores_and_ties_are_marked(world: World) -> None:
    for query, judged in world.qrels.items():
        documents = explain(world.qrels, world.lines(), query, "AP").documents
        ranked = [doc for doc in documents if doc.place == "ranked"]
        answer = world.run[query]
        assert [doc.doc for doc in ranked] == world.ranked(query)
        assert [doc.rank for doc in ranked] == list(range(1, len(ranked) + 1))
        for doc in ranked:
            better = sum(score > answer[doc.doc] for score in answer.values())
            equal = sum(score == answer[doc.doc] for score in answer.values())
            assert doc.tied == ((better + 1, better + equal) if equal > 1 else None)
            assert doc.grade == judged.get(doc.doc)
        lost = {doc.doc for doc in documents if doc.place == "missing"}
        assert lost == {doc for doc, grade in judged.items() if grade >= 1 and doc not in answer}


def test_a_document_says_what_it_is_and_whether_it_counts() -> None:
    qrels = {"q": {"a": 2, "b": 0, "c": -1, "e": 1, "q": 1}}
    rules = {"self_match": "remove", "depth": 3}
    why = explain(qrels, {"q": ["q", "a", "b", "c", "x"]}, "q", "AP", rules=rules)
    assert [(doc.rank, doc.doc, doc.kind, doc.place) for doc in why.documents] == [
        (None, "q", "unjudged", "ignored"),
        (1, "a", "relevant", "ranked"),
        (2, "b", "not relevant", "ranked"),
        (3, "c", "pooled", "ranked"),
        (None, "x", "unjudged", "below depth"),
        (None, "e", "relevant", "missing"),
    ]


def test_unjudged_documents_leave_the_list_where_the_rules_say_so() -> None:
    rules = {"unjudged": "removed"}
    why = explain({"q": {"a": 1}}, {"q": ["x", "a", "y"]}, "q", "RR", rules=rules)
    assert [(doc.rank, doc.doc, doc.place) for doc in why.documents] == [
        (None, "x", "removed"),
        (1, "a", "ranked"),
        (None, "y", "removed"),
    ]
    assert why.value == 1
    assert notes_of(why)["unjudged"] == "2 unjudged documents left the list before ranks were given."


@pytest.mark.parametrize(
    ("rule", "places", "value"),
    [
        ("first", ["ranked", "ranked"], 1.0),
        ("last", ["ranked", "ranked"], 0.5),
        ("count", ["ranked"] * 3, 1.0),
        ("once", ["ranked", "ranked", "repeated"], 1.0),
    ],
)
def test_a_repeated_document_counts_as_the_rules_say(rule: str, places: list[str], value: float) -> None:
    run = tr.Run("r", lambda: iter([b"q 0 a 1 3 t\nq 0 x 2 2 t\nq 0 a 3 1 t\n"]))
    why = explain({"q": {"a": 1}}, run, "q", "RR", rules={"duplicates": rule})
    assert ([doc.place for doc in why.documents], why.value) == (places, value)
    assert notes_of(why)["duplicates"].startswith("1 row repeats a document: ")


@pytest.mark.parametrize("rule", ["count", "once"])
@pytest.mark.parametrize("docs", ["ffffff", "fxffxg", "gfgfgfgf", "xxff"])
@pytest.mark.parametrize("more", [{}, {"unreturned": "ignore", "depth": 3}], ids=["all", "cut"])
def test_repeated_documents_add_at_each_of_their_ranks_what_comes_to_the_value(
    docs: str, rule: str, more: dict[str, Any]
) -> None:
    judged, run, rules = {"q": {"f": 1, "z": 2, "g": 0}}, {"q": list(docs)}, {"duplicates": rule, **more}
    measures = [measure for measure in MEASURES if not measure.definition.needs]
    for why in explain_each(judged, run, "q", measures, rules=rules):
        assert why.worked.lines[-1].value == why.value, why.measure
        if not why.shares:
            continue
        table = report.document([why], depth=None).flat
        adds = sum(row[table.columns.index("adds")] for row in table.rows)
        assert adds == pytest.approx(sum(why.shares.values()), abs=1e-12), why.measure


ROWS = [("q1", f"d{i}", float(i % 4)) for i in range(9)] + [("q11", "d1", 5.0), ("q2", "d3", 1.5)]


def _text(rows: list[tuple[str, str, float]]) -> bytes:
    return "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in rows).encode()


def _pieces(text: bytes, size: int) -> tr.Run:
    parts = [text[i : i + size] for i in range(0, len(text), size)]
    return tr.Run("pieces", lambda: iter(parts))


def _gzipped(tmp: Path) -> Path:
    (tmp / "run.gz").write_bytes(gzip.compress(_text(ROWS)))
    return tmp / "run.gz"


def _nested() -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for query, doc, score in ROWS:
        out.setdefault(query, {})[doc] = score
    return out


def _polars(tmp: Path) -> Any:
    import polars

    return polars.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")


def _shuffled(tmp: Path) -> tr.Run:
    rows = random.Random(4).sample(ROWS, len(ROWS))
    return _pieces(b"\xef\xbb\xbf# a comment\n\n  " + _text(rows).rstrip(b"\n"), 7)


def _file(tmp: Path) -> Path:
    (tmp / "a.run").write_bytes(_text(ROWS[:9]) + _text(ROWS[9:]))
    return tmp / "a.run"


def _folder(tmp: Path) -> Path:
    for query in dict.fromkeys(row[0] for row in ROWS):
        (tmp / f"{query}.run").write_bytes(_text([row for row in ROWS if row[0] == query]))
    return tmp


def _cut(tmp: Path) -> tr.Run:
    """Lists that are scattered, and put together by what cuts them."""
    (tmp / "a.run").write_bytes(_text(ROWS[::2] + ROWS[1::2]))
    return open_run(tmp / "a.run").cut(100)


@pytest.mark.parametrize(
    "door",
    [
        _gzipped,
        _file,
        _folder,
        _cut,
        _polars,
        _shuffled,
        lambda tmp: _nested(),
        lambda tmp: _pieces(_text(ROWS), 1),
        lambda tmp: _pieces(_text(ROWS).replace(b"\n", b"\r\n"), 5),
    ],
    ids=["gzip", "file", "folder", "cut", "frame", "shuffled", "dict", "bytes", "windows"],
)
def test_every_door_leads_to_the_same_explanation(
    door: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truerank.formats.trec.PIECE", 1)  # so that threads read pieces of a file
    qrels = {"q1": {"d1": 1, "d4": 2, "d8": 1, "no": 1}, "q2": {"d3": 4}}
    expected = explain(qrels, {"q1": dict(row[1:] for row in ROWS[:9])}, "q1", "ERR")
    found = explain(qrels, door(tmp_path), "q1", "ERR")
    assert (found.documents, found.worked, found.notes) == (expected.documents, expected.worked, expected.notes)
    assert found.value == tr.evaluate(qrels, door(tmp_path), "ERR")["ERR"][0]


def test_of_a_folder_no_other_query_is_in_the_list(tmp_path: Path) -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d3": 1}}  # a query of the highest grade is looked at too
    why = explain(qrels, _folder(tmp_path), "q2", "AP")
    whole = explain(qrels, {query: docs for query, docs in _nested().items() if query == "q2"}, "q2", "AP")
    assert (why.documents, why.worked) == (whole.documents, whole.worked)


def test_a_repeated_document_is_named_by_its_file_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q0 Q0 d 1 1 t\n")
    (tmp_path / "b.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")
    with pytest.raises(tr.InputError, match=r"b.run:2: document a is returned twice .* \(first in line 1\)"):
        explain({"q1": {"a": 1}}, tmp_path, "q1")


@settings(max_examples=50)
@given(worlds(), st.integers(1, 40))
def test_only_some_queries_are_kept_and_as_the_kernel_reads_them(world: World, size: int) -> None:
    text = b"".join(next(world.lines().batches()).splitlines(keepends=True))  # type: ignore[union-attr]
    run, asked = _pieces(text, size), {query.encode() for query in list(world.qrels)[:2]}
    qrels = tr.Qrels.from_dict(world.qrels)
    whole, part = (scan(one, qrels.judged, tr.Rules()) for one in (run, only(run, asked)))
    kept = [query in asked for query in qrels.queries]
    rows = [row for row in whole.table.tolist() if kept[row[0]]]
    assert sorted(part.table.tolist()) == sorted(rows)
    answered = [number if keep else -1 for number, keep in zip(whole.returned.tolist(), kept, strict=True)]
    assert [max(number, 0) for number in part.returned.tolist()] == [max(number, 0) for number in answered]


def test_a_line_that_is_refused_is_named_by_its_place_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q0 Q0 d 1 1 t\nq1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")
    with pytest.raises(tr.InputError, match=r"a.run:4: document a is returned twice .* \(first in line 2\)"):
        explain({"q1": {"a": 1}}, path, "q1")


def test_an_unknown_query_is_refused_with_a_near_one() -> None:
    with pytest.raises(tr.InputError, match=r"no query topic-2 among .* Did you mean topic-1\?"):
        explain({"topic-1": {"a": 1}}, {"topic-1": ["a"]}, "topic-2")


@pytest.mark.parametrize("measure", ["nDCG@10", tr.nDCG @ 10])
def test_a_measure_in_the_place_of_the_query_is_told_its_place(measure: Any) -> None:
    with pytest.raises(tr.InputError, match="nDCG@10 is a measure, and no judged query: the query comes first"):
        explain({"topic-1": {"a": 1}}, {"topic-1": ["a"]}, measure)


def test_a_query_that_is_answered_and_not_judged_is_refused_with_the_reason() -> None:
    with pytest.raises(tr.InputError, match="query r is answered, but it is unjudged"):
        explain({"q": {"a": 1}}, {"q": ["a"], "r": ["a"]}, "r")


@pytest.mark.parametrize(
    ("rules", "said", "counted"),
    [
        ({"missing": "zero"}, "so it scores 0, and counts", True),
        ({"missing": "skip"}, "left out of the mean", False),
        ({"missing": "error"}, "stops at it", False),
        ({"missing": "skip", "unit": "line"}, "left out of the mean", False),
    ],
)
def test_a_query_that_is_judged_and_not_answered_says_what_the_rules_make_of_it(
    rules: dict[str, str], said: str, counted: bool
) -> None:
    why = explain({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"]}, "r", "AP", rules=rules)
    assert (why.value, why.is_counted) == (0, counted)
    assert said in notes_of(why)["missing"]
    assert [(doc.doc, doc.place) for doc in why.documents] == [("b", "missing")]


def test_a_query_is_not_said_to_score_0_where_it_does_not() -> None:
    missing = explain({"q": {"a": 1}}, {}, "q", "FirstRank@5")
    nothing = explain({"q": {"a": 0}}, {"q": ["a"]}, "q", "FirstRank@5")
    assert (missing.value, nothing.value) == (6, 6)
    assert "so it scores as an empty list does, and counts" in notes_of(missing)["missing"]
    assert "FirstRank@5 has a value all the same" in notes_of(nothing)["without_relevant"]
    assert (
        "so it scores as an empty list does, and counts"
        in notes_of(explain({"q": {"a": 1}}, {}, "q", "IDCG"))["missing"]
    )
    assert (
        "NumQ has a value all the same"
        in notes_of(explain({"q": {"a": 0}}, {"q": ["a"]}, "q", "NumQ"))["without_relevant"]
    )


@pytest.mark.parametrize("run", [[], ["a"]])
@pytest.mark.parametrize("rule", ["empty-is-right", "one"])
def test_what_scores_1_where_nothing_is_relevant_scores_0_if_less_is_better(rule: str, run: list[str]) -> None:
    why = explain({"q": {"a": 0}}, {"q": run}, "q", "FallOut", rules={"without_relevant": rule})
    assert why.value == (rule == "empty-is-right" and bool(run))
    assert "Such a query scores 0, the best, " in notes_of(why)["without_relevant"]


@pytest.mark.parametrize("rule", ["skip", "undefined"])
def test_an_unanswered_query_that_is_left_out_for_another_reason_is_not_said_to_count(rule: str) -> None:
    why = explain({"q": {"a": 0}}, {}, "q", "AP", rules={"without_relevant": rule})
    assert not why.is_counted
    assert notes_of(why)["missing"] == "The run does not answer this query."


@pytest.mark.parametrize(
    ("rule", "run", "value", "counted"),
    [
        ("zero", ["a"], 0.0, True),
        ("skip", ["a"], 0.0, False),
        ("empty-is-right", ["a"], 0.0, True),
        ("empty-is-right", [], 1.0, True),
    ],
)
def test_a_query_without_a_relevant_document_says_what_the_rules_make_of_it(
    rule: str, run: list[str], value: float, counted: bool
) -> None:
    why = explain({"q": {"a": 0}}, {"q": run}, "q", "AP", rules={"without_relevant": rule})
    assert (why.value, why.is_counted) == (value, counted)
    assert notes_of(why)["without_relevant"].startswith("No document is relevant to this query.")
    assert (why.ruling is not None) == (rule == "empty-is-right")


def test_documents_that_count_as_not_judged_are_not_said_to_be_irrelevant() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": ["x"], "r": []}
    nothing, missing = (explain(qrels, run, query, "AP", rules="torchmetrics") for query in "qr")
    assert notes_of(nothing)["without_relevant"].startswith("No document that was returned is relevant to this")
    assert "left out of the mean" in notes_of(missing)["missing"]
    assert "without_relevant" not in notes_of(missing)


def test_nothing_is_divided_by_0() -> None:
    whys = explain({"q": {"a": 0}}, {"q": []}, "q", ["SetF", "mINP"])
    texts = [line.text() for why in whys for line in why.worked.lines]
    assert not [text for text in texts if text.endswith("/ 0")]


@pytest.mark.parametrize("rule", ["empty-is-right", "one"])
def test_a_measure_beyond_1_keeps_its_value_where_nothing_is_relevant(rule: str) -> None:
    why = explain({"q": {"a": 0}}, {"q": []}, "q", "DCG", rules={"without_relevant": rule})
    assert (why.value, why.ruling) == (0.0, None)
    assert notes_of(why)["without_relevant"].endswith("DCG has a value all the same.")


def test_where_the_mean_is_over_lines_the_first_line_of_the_query_is_explained() -> None:
    truth = {1: ["a", "b"], 2: ["c"]}
    lines = [(1, ["x", "a", "a"]), (2, ["c"]), (1, ["a"])]
    run = tr.Run("sent", lambda: iter([Ranked(query, docs) for query, docs in lines]))
    why = explain(truth, run, 1, "AP(divisor='hits')@3", rules="science-qa")
    assert why.value.hex() == float(tr.evaluate(truth, run, rules="science-qa").columns[str(why.measure)][0]).hex()
    assert notes_of(why)["missing"].startswith("2 lines of the run answer this query")
    assert [line.text(2) for line in why.worked.lines][-1] == "1.17 / 2"


def test_the_note_on_ties_names_the_values_that_other_orders_give() -> None:
    qrels, docs = {"q": {"a": 1, "b": 1}}, ["a", "b", "x", "y"]
    why = explain(qrels, {"q": dict.fromkeys(docs, 1.0)}, "q", "AP")
    values = [tr.evaluate(qrels, {"q": list(order)}, "AP")["AP"][0] for order in itertools.permutations(docs)]
    assert f"gives AP from {min(values):.4f} to {max(values):.4f}" in notes_of(why)["ties"]
    assert "Ranks 1 to 4 have the same score; they stand by document id, descending." in notes_of(why)["ties"]


@pytest.mark.parametrize(
    ("measure", "rules"),
    [("AP(divisor='hits')@3", {}), ("Accuracy", {"depth": 3}), ("AUROC", {"depth": 3}), ("G", {})],
)
def test_the_note_on_ties_names_the_extremes_of_measures_too_that_have_them_between(
    measure: str, rules: dict[str, Any]
) -> None:
    qrels, run = {"q": {"d1": 1, "d3": 3, "d0": 0}}, {"d0": 2.0, "d1": 1.0, "d2": 1.0, "d3": 1.0, "d4": 1.0}
    orders = [["d0", *order] for order in itertools.permutations(["d1", "d2", "d3", "d4"])]
    rows = [[("q", doc, run[doc]) for doc in order] for order in orders]
    values = [tr.evaluate(qrels, each, measure, rules={**rules, "ties": "input"}).mean[measure] for each in rows]
    note = notes_of(explain(qrels, {"q": run}, "q", measure, rules=rules))["ties"]
    assert note.endswith(f"gives {measure} from {min(values):.4f} to {max(values):.4f}.")


def test_the_note_on_ties_does_not_call_orders_all_of_which_only_some_were_tried() -> None:
    qrels = {"q": {"a": {"x": 1}, "b": {"y": 1}, "c": {"x": 1}}}
    why = explain(qrels, {"q": dict.fromkeys("abcd", 1.0)}, "q", ["StRecall@2", "StRecall@4"])
    assert "Other orders that were tried give StRecall@2 from" in notes_of(why[0])["ties"]
    assert notes_of(why[1])["ties"].endswith("No order that was tried gives another StRecall@4.")


def test_the_note_on_ties_has_as_many_digits_as_tell_its_values_apart() -> None:
    run = {"q": {**{f"x{rank}": 999.0 - rank for rank in range(300)}, "a": 1.0, "b": 1.0}}
    why = explain({"q": {"a": 1}}, run, "q", "RR")
    assert notes_of(why)["ties"].endswith("gives RR from 0.00331 to 0.00332.")


def test_the_note_on_ties_says_where_their_order_does_not_matter() -> None:
    why = explain({"q": {"a": 1}}, {"q": {"a": 1.0, "x": 1.0}}, "q", "P@2")
    assert notes_of(why)["ties"].endswith("Their order does not matter to P@2.")
    assert "ties" not in notes_of(explain({"q": {"a": 1}}, {"q": {"a": 2.0, "x": 1.0, "y": 1.0}}, "q", "P@2"))


@settings(max_examples=30)
@given(worlds(GRADES), worlds(GRADES))
def test_what_moved_is_the_difference_of_the_values_and_the_documents_make_it_up(one: World, two: World) -> None:
    before, after = (tr.evaluate(one.qrels, world.run, "AP") for world in (one, two))
    found = diff(one.qrels, one.run, two.run, "AP", most=100)
    changes = dict(zip(before.queries, (after["AP"] - before["AP"]).tolist(), strict=True))
    assert {move.query: move.change for move in found.queries} == {q: c for q, c in changes.items() if c}
    assert [abs(m.change) for m in found.queries] == sorted((abs(m.change) for m in found.queries), reverse=True)
    assert found.better == sum(change > 0 for change in changes.values())
    assert found.worse == sum(change < 0 for change in changes.values())
    assert found.same == len(changes) - found.better - found.worse
    assert found.means == (before.mean["AP"], after.mean["AP"])
    for move in found.queries:
        assert sum(shift.change or 0 for shift in move.documents) == pytest.approx(move.change, abs=1e-12)


def test_queries_that_moved_as_far_stand_in_the_order_of_their_ids_whatever_rounding_leaves() -> None:
    docs = [f"d{n}" for n in range(10)]
    before, after = ({"a": docs[: 2 + n], "b": docs[:n], "c": docs[: 8 + n]} for n in (0, 1))
    found = diff({query: dict.fromkeys(docs, 1) for query in "abc"}, before, after, "P@10")
    assert [move.query for move in found.queries] == ["a", "b", "c"]


def test_a_measure_that_is_no_sum_tells_which_relevant_documents_changed_rank() -> None:
    found = diff({"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["x", "a", "c"]}, {"q": ["b", "a", "x"]}, "Success@1")
    assert [vars(shift) for shift in found.queries[0].documents] == [
        {"doc": "b", "grade": 1, "kind": "relevant", "before": None, "after": 1, "change": None},
        {"doc": "c", "grade": 1, "kind": "relevant", "before": 3, "after": None, "change": None},
    ]


def test_what_is_said_to_have_moved_a_measure_adds_to_it() -> None:
    qrels, runs = {"q": {"a": 1, "b": 1}}, ({"q": ["a", "x", "b"]}, {"q": ["x", "b", "a"]})
    added, other = (diff(qrels, *runs, measure) for measure in ("AP", "Success@1"))
    assert "The documents that moved them" in str(added)
    assert "Relevant documents that changed their rank" in str(other)
    assert "moved them" not in str(other)


def test_counts_are_told_as_sums() -> None:
    found = diff({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"], "r": []}, {"q": ["a"], "r": ["b"]}, "NumRelRet")
    assert "Sum 1.0000 → 2.0000 (+1.0000); queries: 1 better" in str(found)


def test_queries_that_only_one_mean_includes_are_counted_and_not_compared() -> None:
    rules = {"missing": "skip"}
    found = diff({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"], "r": ["a"]}, {"q": ["x", "a"]}, "RR", rules=rules)
    assert ([move.query for move in found.queries], found.uncommon) == (["q"], 1)
    shown = "Diff('run' to 'run #2', RR: 1.0000 to 0.5000; 0 better, 1 worse, 0 the same; rules 'custom')"
    assert repr(found).splitlines()[0] == shown
    assert repr(found).splitlines()[1].startswith("  1 query is in the mean of only one of the runs")
    with pytest.raises(tr.InputError, match="query r is left out of the mean of a run"):
        diff({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"], "r": ["a"]}, {"q": ["a"]}, "RR", query="r", rules=rules)


def test_one_query_may_be_asked_for_though_it_did_not_move() -> None:
    found = diff({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"]}, {"q": ["a"], "r": ["b"]}, "RR", query="q")
    assert [(move.query, move.change, move.documents) for move in found.queries] == [("q", 0.0, ())]
    with pytest.raises(tr.InputError, match="no query s among"):
        diff({"q": {"a": 1}}, {"q": ["a"]}, {"q": ["a"]}, "RR", query="s")


def long_list(length: int = 300) -> Explanation:
    """Relevant documents at ranks 1, 50, 100 …, and two that are missing."""
    judged = {f"d{rank}": 1 for rank in (1, *range(50, length + 1, 50))} | {"no": 1, "nil": 1}
    return explain({"q": judged}, {"q": [f"d{rank}" for rank in range(1, length + 1)]}, "q", "AP")


def test_of_a_long_list_the_first_results_and_the_relevant_ones_below_are_shown() -> None:
    table = report.ranking_table(long_list(), 20, 4)
    listed = [row[0] for row in table.rows if row[0] is not None]
    assert listed == [*range(1, 21), 50, 100, 150, 200, 250, 300]
    assert [row[1] for row in table.rows if row[0] is None] == ["… 29 more", *["… 49 more"] * 5, "nil", "no"]
    assert len(report.ranking_table(long_list(), None, 4).rows) == 302


def test_of_many_relevant_documents_below_as_many_are_shown_as_results() -> None:
    docs = [f"d{rank}" for rank in range(1, 101)]
    why = explain({"q": docs}, {"q": docs}, "q", "AP")
    rows = report.ranking_table(why, 20, 4).rows
    assert [row[1] for row in rows] == [*docs[:40], "… 60 more"]
    terms = report.sum_table(why.worked.sums[0], why, 20, 4).rows
    assert [row[1] for row in terms] == [*docs[:19], "… 80 more", "d100"]


def test_scores_have_as_many_digits_as_tell_them_apart() -> None:
    near = explain({"q": {"a": 1}}, {"q": {"a": 0.123456789, "b": 0.123456788}}, "q", "AP")
    assert [row[2] for row in report.ranking_table(near, 20, 4).rows] == ["0.123456789", "0.123456788"]
    tiny = explain({"q": {"a": 1}}, {"q": {"a": 2e-30, "b": 1e-30}}, "q", "AP")
    assert [row[2] for row in report.ranking_table(tiny, 20, 4).rows] == ["2e-30", "1e-30"]


def test_the_tables_of_a_query_show_its_list_what_adds_up_and_the_steps() -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 0, "m1": 1, "m2": 1, "z": 1}}
    run = {"q": {"x": 9.0, "a": 8.0, "c": 8.0, "y": 7.0, "b": 6.5, "w": 1.0, "z": 0.5}}
    why = explain(qrels, run, "q", "nDCG")
    shown = report.document_of(why, depth=2)
    ranking, found, ideal, steps = shown.blocks
    assert ranking.columns == ("rank", "document", "score", "grade", "judged", "tied")
    assert ranking.rows == (
        (1, "x", " 9.00", None, "unjudged", ""),
        (2, "c", " 8.00", 0, "not relevant", "2–3"),
        (3, "a", " 8.00", 2, "relevant", "2–3"),
        (None, "… 1 more", "", None, "", ""),
        (5, "b", " 6.50", 1, "relevant", ""),
        (None, "… 2 more", "", None, "", ""),
        (None, "m1", "     ", 1, "relevant, missing", ""),
        (None, "m2", "     ", 1, "relevant, missing", ""),
    )
    assert {row for row, _ in ranking.best} == {2, 4, 6, 7}
    assert {column for row, column in ranking.best if row == 6} == {1, 3, 4}
    assert (found.title, ideal.title) == ("nDCG: the sum DCG", "nDCG: the sum IDCG")
    assert found.columns == ("rank", "document", "grade / log2(rank + 1)", "adds", "sum")
    assert found.rows[1] == (
        5,
        "b",
        "1 / log2(6)",
        pytest.approx(1 / math.log2(6)),
        pytest.approx(1 + 1 / math.log2(6)),
    )
    whole = 2 + sum(1 / math.log2(rank + 1) for rank in (2, 3, 4, 5))
    assert [row[:2] for row in ideal.rows] == [(1, "a"), (None, "… 3 more"), (5, "z")]
    assert ideal.rows[-1][-1] == pytest.approx(whole)
    value = (1 + 1 / math.log2(6) + 1 / 3) / whole
    assert [(step, number) for step, _, number in steps.rows] == [
        ("DCG", pytest.approx(value * whole)),
        ("IDCG", pytest.approx(whole)),
        ("nDCG", pytest.approx(value)),
    ]
    assert steps.best == {(2, 0), (2, 1), (2, 2)}
    best = (2 / math.log2(3) + 1 / math.log2(6) + 1 / 3) / whole
    assert f"Another order of equal scores gives nDCG from {value:.4f} to {best:.4f}." in steps.notes[1]
    assert shown.results == why.to_dict()
    assert shown.flat.columns == report.FLAT
    assert shown.flat.rows[2][3:] == (3, "a", 8.0, 2, "relevant", "ranked", 2, 3, pytest.approx(1 / whole))
    assert shown.flat.rows[0][-3:] == (None, None, 0.0)
    ranks = report.document_of(explain(qrels, {"q": ["x", "a"]}, "q", "P@2")).blocks[0]
    assert ranks.columns == ("rank", "document", "grade", "judged")


def test_the_tables_of_two_runs_show_what_moved_and_what_moved_it() -> None:
    qrels = {"q": {"a": 2, "b": 1}, "r": {"a": 1}, "s": {"a": 1}}
    first = {"q": ["b", "x", "a"], "r": ["x", "a"], "s": ["a"]}
    second = {"q": ["a", "b"], "s": ["a"]}
    moved = diff(qrels, first, second, "nDCG")
    shown = report.moves_document(moved, most=1)
    queries, docs = shown.blocks
    before, lost = 2 / (2 + 1 / math.log2(3)), 1 / math.log2(3)
    assert queries.columns == ("query", "A", "B", "change")
    assert queries.rows == (
        ("r", pytest.approx(lost), 0.0, pytest.approx(-lost)),
        ("q", pytest.approx(before), 1.0, pytest.approx(1 - before)),
    )
    assert docs.columns == ("query", "document", "grade", "rank in A", "rank in B", "change")
    rise, fall = before / 2, (lost - 1) / (2 + lost)
    assert docs.rows == (
        ("r", "a", 1, 2, None, pytest.approx(-lost)),
        ("q", "a", 2, 3, 1, pytest.approx(rise)),
        ("q", "… 1 more", None, None, None, pytest.approx(fall)),
    )
    a, b = (before + lost + 1) / 3, 2 / 3
    assert docs.notes == (
        "A: run. B: run #2. Rules: truerank.",
        f"Mean {a:.4f} → {b:.4f} ({b - a:+.4f}); queries: 1 better, 1 worse, 1 the same.",
        "Not answered by B: r.",
    )
    assert shown.remarks == ["Not answered by B: r."]
    assert [row[4:8] for row in shown.flat.rows] == [("a", 1, 2, None), ("a", 2, 3, 1), ("b", 1, 1, 2)]
    skipped = report.moves_document(diff(qrels, first, second, "nDCG", rules={"missing": "skip"})).blocks[-1]
    assert skipped.notes[-1].startswith("1 query is in the mean of only one of the runs;")


def test_measures_of_several_levels_have_a_list_each() -> None:
    whys = explain({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "q", "P(level=2)@2 P@2 nDCG@2")
    text = report.document(whys).render()
    lists = text[: text.index("P(level=2)@2: the sum")].split("Query q of run, relevant from grade ")[1:]
    assert [part.split(" on")[0] for part in lists] == ["2", "1"]
    assert ["not relevant" in part for part in lists] == [True, False]
    assert "Relevant is a grade of 2 or better." in text
    assert "(level = 1)" not in text
    assert "relevant from grade" not in report.document(whys[1:]).render()


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_holds_the_value(format: str) -> None:
    why = explain({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "y", "b"]}, "q", "AP")
    text = report.document([why], digits=4 if format != "json" else None).render(format)
    assert ("0.5000" if format != "json" else '"value": 0.5') in text or format == "csv"
    moves = diff({"q": {"a": 1}}, {"q": ["x", "a"]}, {"q": ["a"]}, "RR")
    assert "0.5" in report.moves_document(moves).render(format)


def test_every_measure_is_drawn_within_eighty_columns() -> None:
    grades, run = {"d1": 1, "d2": 2, "d3": 0, "d4": -1, "d5": 3}, {"q": ["d1", "x", "d3", "d4", "d2"]}
    qrels = {"q": with_aspects(grades)}
    plain = [measure for measure in MEASURES if len(str(measure)) <= 20]  # a longer name is what was asked for
    for why in explain_each(qrels, run, "q", plain):
        working = report.document([why]).render("table").split("\n\nRules")[0]
        assert [line for line in working.splitlines() if len(line) > 80] == [], why.measure


def test_an_explanation_is_plain_values_for_json() -> None:
    barren = explain({"q": {"a": 0}}, {"q": ["a"]}, "q", rules={"without_relevant": "empty-is-right"})
    for why in (long_list(), barren):
        plain = why.to_dict()
        assert json.loads(json.dumps(plain)) == plain
        assert plain["value"] == why.value
    found = diff({"q": {"a": 1}}, {"q": ["x", "a"]}, {"q": ["a"]}, "RR").to_dict()
    assert json.loads(json.dumps(found)) == found


def test_queries_that_a_run_does_not_answer_are_named_where_two_runs_are_compared() -> None:
    qrels = {"p": {"a": 1}, "q": {"a": 1}, "r": {"a": 1}}
    found = diff(qrels, {"p": ["a"], "q": ["a"], "r": ["b", "a"]}, {"p": [], "r": ["a"]}, "RR")
    assert {move.query: move.answered for move in found.queries} == {
        "p": (True, True),
        "q": (True, False),
        "r": (True, True),
    }
    assert str(found).endswith("\nNot answered by B: q.")


@pytest.mark.parametrize(("measure", "sign"), [("AP", 1), ("MeanRank@3", -1)])
def test_what_got_worse_or_better_is_told_alone(measure: str, sign: int) -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(6)}
    one = {f"q{n}": ["x", "a", "y"] for n in range(6)}
    two = {**one, "q0": ["a"], "q1": ["x", "y", "a"], "q2": ["x", "y", "a"], "q3": ["a", "x"]}
    both = tr.diff(qrels, one, two, measure)
    assert (both.better, both.worse, both.same) == (2, 2, 2)
    for which, queries in (("worse", ["q1", "q2"]), ("better", ["q0", "q3"])):
        found = tr.diff(qrels, one, two, measure, only=which)
        assert [move.query for move in found.queries] == queries
        assert all((move.change * sign > 0) == (which == "better") for move in found.queries)
        assert (found.better, found.worse, found.means) == (both.better, both.worse, both.means)
        assert len(tr.diff(qrels, one, two, measure, only=which, most=1).queries) == 1
    with pytest.raises(tr.InputError, match="only is worse or better, not 'losers'"):
        tr.diff(qrels, one, two, measure, only="losers")


def test_a_mean_that_no_query_has_a_value_of_is_unknown() -> None:
    found = tr.diff({"q": {"a": 0}}, {"q": ["a"]}, {"q": ["b"]}, "AP", rules={"without_relevant": "undefined"})
    assert "Mean unknown; queries: 0 better, 0 worse, 0 the same." in found.to_text()


@pytest.mark.parametrize(("measure", "rank"), [("AP", 0.5), ("MeanRank@9", 2.0)])
def test_a_query_that_a_run_has_no_value_of_is_neither_better_nor_worse_nor_the_same(
    measure: str, rank: float
) -> None:
    rules = {"without_relevant": "undefined", "unreturned": "ignore"}
    qrels = {"q": {"a": 1}, "r": {"b": 1}, "s": {"c": 0}}
    one, two = {"q": ["a"], "r": ["b"], "s": ["c"]}, {"q": ["x"], "r": ["x", "b"], "s": ["c"]}
    found = diff(qrels, one, two, measure, rules=rules)
    assert [move.query for move in found.queries] == ["r"]
    assert (found.means, found.uncommon) == ((1.0, rank), 1)
    assert (found.better, found.worse, found.same) == (0, 1, 0)
    (asked,) = diff(qrels, one, two, measure, query="q", rules=rules).to_dict()["queries"]
    assert (asked["before"], asked["after"], asked["change"]) == (1.0, None, None)
    assert [shift["change"] for shift in asked["documents"]] == [None]


def test_the_means_of_what_moved_are_over_the_queries_that_both_have() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 1}}
    one, two = {"q": ["a"], "r": ["x", "a"]}, {"q": ["x", "a"], "s": ["a"]}
    found = diff(qrels, one, two, "RR", rules={"missing": "skip"})
    pair = tr.compare(qrels, {"one": one, "two": two}, "RR", rules={"missing": "skip"})["RR"].pair("two", "one")
    assert found.means == (1.0, 0.5)
    assert pair is not None
    assert found.means[1] - found.means[0] == pair.difference.estimate
    assert "Mean over the 1 query that both have 1.0000 → 0.5000 (-0.5000)" in report.moves_document(found).render()
    apart = diff(qrels, {"q": ["a"]}, {"r": ["a"]}, "RR", rules={"missing": "skip"})
    assert "Mean over the 0 queries that both have unknown" in report.moves_document(apart).render()
    assert apart.to_dict()["means"] == [None, None]


def test_an_explanation_is_shown_in_a_line() -> None:
    shown = repr(explain({"q": {"a": 1}}, {"q": ["x", "a"]}, "q", "RR"))
    first, *remarks = shown.splitlines()
    assert first == "Explanation('run', query 'q', RR: 0.5000, 2 documents, rules 'truerank')"
    assert len(remarks) == 1
    assert "1 unjudged document" in remarks[0]


def test_a_repeated_document_that_counts_once_stands_where_it_came_first() -> None:
    rules = {"duplicates": "once", "unjudged": "removed"}
    why = tr.explain({"q": {"a": 1, "b": 2}}, {"q": ["a", "b", "a"]}, "q", "nDCG", rules=rules)
    assert [(listed.doc, listed.rank) for listed in why.documents] == [("a", 1), ("b", 2)]
    assert [(term.doc, term.rank) for term in why.worked.sums[0].terms] == [("a", 1), ("b", 2)]


def test_what_a_reader_reads_is_worked_out_with_what_unjudged_documents_leave_open() -> None:
    judged, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}
    depth, cost, rest = explain_each(
        judged, run, "q", ["ED(of='P@4')", "EC(of='P@4', cost={1: 3})", "ResEU(of='P@4')"]
    )
    assert [(term.doc, term.value) for term in depth.worked.sums[0].terms] == [("a", 1.0), ("b", 1.0)]
    assert [(line.name, line.value) for line in depth.worked.lines[:2]] == [("Σ", 2.0), ("U", 2.0)]
    assert [line.text() for line in cost.worked.lines[2:]] == [
        "6.0 + 2.0 × 1",
        "documents that the reader reads on average",
        "8.0 / 4.0",
    ]
    assert [(line.name, line.value) for line in rest.worked.lines[1:4]] == [("ETU", 2.0), ("ED", 4.0), ("EU", 0.5)]
    assert (rest.worked.lines[-1].text(), rest.value) == ("1.0 − 0.5", 0.5)


def test_a_document_that_two_calls_return_is_found_once() -> None:
    run, rules = {"s": [["u", "d2"], ["x", "d2"]]}, {"duplicates": "count"}
    explained = tr.explain({"s": {"d0": 1, "d2": 1}}, run, "s", "CallRecall@2", rules=rules)
    assert explained.value == 0.5
    assert sum(explained.shares.values()) == 0.5
    assert "1 / 2" in str(explained)


@pytest.mark.parametrize("second", [{}, {"r": []}, {"r": [[], []]}])
def test_a_query_that_no_call_answers_is_explained_as_it_is_evaluated(second: dict[str, list[list[str]]]) -> None:
    qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": [["a"], ["x"]], **second}
    for measure in ("CallRecall@2", "FirstComplete@3", "SessionDCG@2"):
        value = tr.evaluate(qrels, run, measure)[measure].tolist()[1]
        assert tr.explain(qrels, run, "r", measure).value == value
    with pytest.raises(tr.MeasureError, match="R@2 is about one list per query, and the run has several"):
        tr.explain(qrels, run, "r", "R@2")


def test_accuracy_without_a_pair_is_no_sum() -> None:
    qrels, alone, beside = {"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, {"q": ["x", "b", "y"]}
    why = tr.explain(qrels, alone, "q", "Accuracy")
    assert (why.value, why.shares) == (1.0, {})
    assert "adds" not in str(why)
    moved = tr.diff(qrels, alone, beside, "Accuracy").queries[0]
    assert (moved.before, moved.after) == (1.0, 0.5)
    assert [(shift.doc, shift.change) for shift in moved.documents] == [("a", None)]


@pytest.mark.parametrize("most", [-1, 0, 1.5, "3"])
def test_how_many_queries_to_tell_of_is_a_whole_number(most: Any) -> None:
    with pytest.raises(tr.InputError, match=r"most is a whole number of 1 or more, e\.g\. 10; not"):
        tr.diff({"q": {"a": 1}}, {"q": ["a"]}, {"q": ["x", "a"]}, "RR", most=most)


def test_the_query_s_own_document_is_missing_where_its_judgement_stays_and_it_did_not_come_back() -> None:
    judged = {"q": {"a": 1, "b": 1, "q": 2}}
    for rule, lost in (("remove-from-answers", [("q", 2), ("b", 1)]), ("remove", [("b", 1)])):
        why = tr.explain(judged, {"q": ["a"]}, "q", "R@5", rules={"self_match": rule})
        assert why.value == 1 / (1 + len(lost))
        assert [(doc.doc, doc.grade) for doc in why.documents if doc.place == "missing"] == lost
        assert sum(note.text.startswith(f"{len(lost)} relevant document") for note in why.notes) == 1


@pytest.mark.parametrize(
    ("rule", "measure", "said"),
    [
        ("zero", "AP", "Such a query scores 0, and counts."),
        ("one", "AP", "Such a query scores 1, whatever is returned."),
        ("empty-is-right", "AP", "Such a query scores 1 when nothing is returned, else 0."),
        ("one", "Unjudged@1", "Unjudged@1 has a value all the same."),
        ("undefined", "P@1", "P@1 has a value all the same."),
        ("undefined", "AP", "So AP has no value, and its mean leaves the query out."),
    ],
)
def test_what_becomes_of_a_query_without_relevant_documents_is_said(rule: str, measure: str, said: str) -> None:
    why = tr.explain({"q": {"a": 0}, "r": {"a": 1}}, {"q": ["a"]}, "q", measure, rules={"without_relevant": rule})
    assert [note.text for note in why.notes] == [f"No document is relevant to this query. {said}"]


def test_what_was_not_returned_is_said_of_an_answer_alone_and_as_the_rules_have_it() -> None:
    def texts(run: dict[str, list[str]], **rules: str) -> list[str]:
        return [note.text for note in tr.explain({"q": {"a": 1, "b": 1}}, run, "q", "AP", rules=rules).notes]

    assert texts({"q": ["a"]}) == ["1 relevant document was not returned."]
    assert texts({"q": []}) == ["2 relevant documents were not returned."]
    unjudged = ["1 relevant document was not returned; that counts as not judged."]
    assert texts({"q": ["a"]}, unreturned="ignore") == unjudged
    assert texts({}) == ["The run does not answer this query, so it scores 0, and counts."]


def test_of_a_reading_with_aspects_only_the_documents_of_the_query_are_looked_at(monkeypatch) -> None:
    qrels = {f"q{n}": {f"a{n}": {"x": 1}, f"b{n}": {"y": 2}} for n in range(9)}
    reading = tr.read(qrels, {query: [*docs][::-1] for query, docs in qrels.items()}, keep="all")
    made = []
    monkeypatch.setattr("truerank.analysis.explain.query.Hit", lambda *of: made.append(of[1]) or Hit(*of))
    why = tr.explain(reading, query="q5", measure="alpha_nDCG@2")
    assert {*made} == {"a5", "b5"} == {term.doc for term in why.worked.sums[1].terms}
