"""Precision against recall: by its definition, for one query and for many, in numbers and in pictures."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import truerank as tr
from truerank.analysis.curve import BY_DEFINITION, Curve, precision_recall
from truerank.measures.curves import ELEVEN, interpolated
from truerank.present import charts, few
from truerank.present import curves as report
from truerank.present.renderers import figures
from worlds import World, worlds

TENTHS = [Fraction(tenth, 10) for tenth in range(11)]


def points(relevant: set[str], listed: list[str]) -> list[tuple[Fraction, Fraction]]:
    """Recall and precision after each result."""
    found = [sum(doc in relevant for doc in listed[:rank]) for rank in range(1, len(listed) + 1)]
    return [(Fraction(n, len(relevant)), Fraction(n, rank)) for rank, n in enumerate(found, 1) if relevant]


def height(recall: Fraction, relevant: set[str], listed: list[str]) -> float:
    """The highest precision at this recall or any higher one."""
    return float(max((p for r, p in points(relevant, listed) if r >= recall), default=0))


@given(worlds())
def test_the_mean_curve_is_that_of_the_definition_to_the_bit(world: World) -> None:
    curve = precision_recall(world.qrels, world.lines())
    expected = []
    for recall in TENTHS:
        total = 0.0
        for query in sorted(world.qrels):
            total += height(recall, world.relevant(query), world.ranked(query))
        expected.append(total / len(world.qrels))
    assert list(curve.precision) == expected
    assert (curve.query, curve.queries, curve.recalls) == (None, len(world.qrels), ELEVEN)


@given(worlds())
def test_the_raw_curve_has_recall_and_precision_after_each_result(world: World) -> None:
    for query in world.qrels:
        listed, relevant = world.ranked(query), world.relevant(query)
        raw = precision_recall(world.qrels, world.lines(), query).sawtooth
        assert raw is not None
        assert len(raw.recall) == len(raw.precision) == len(raw.interpolated) == len(raw.relevant) == len(listed)
        if relevant:
            exact = points(relevant, listed)
            assert list(zip(raw.recall, raw.precision, strict=True)) == [(float(r), float(p)) for r, p in exact]
            assert list(raw.interpolated) == [height(recall, relevant, listed) for recall, _ in exact]
            assert list(raw.relevant) == [doc in relevant for doc in listed]
        else:
            assert set(raw.recall + raw.precision + raw.interpolated) <= {0.0}


@given(worlds())
def test_points_mean_and_areas_are_those_of_the_measures_under_the_same_rules(world: World) -> None:
    for reading in ("round", "up", "definition"):
        rules = {"recall_points": reading, "without_relevant": "empty-is-right"}
        curve = precision_recall(world.qrels, world.lines(), rules=rules)
        assert curve.points == reading
        names = [f"IPrec@{recall}" for recall in ELEVEN]
        mean = tr.evaluate(world.qrels, world.lines(), [*names, "AP11", "AP", "AUPRC"], rules=rules).mean
        assert [*curve.precision, curve.mean, curve.areas["step"]] == list(mean.values())[:-1]
        assert mean["AUPRC"] == mean["AP"]
        for area in ("trapezoid", "interpolated"):
            scores = tr.evaluate(world.qrels, world.lines(), [f"AUPRC(area='{area}')"], rules=rules)
            assert [curve.areas[area]] == list(scores.mean.values())


@given(worlds())
def test_a_query_alone_has_the_curve_that_it_has_among_others(world: World) -> None:
    query = min(world.qrels)
    alone = precision_recall({query: world.qrels[query]}, world.lines())
    among = precision_recall(world.qrels, world.lines(), query)
    assert (among.precision, among.mean, among.areas) == (alone.precision, alone.mean, alone.areas)
    assert (among.query, among.queries) == (query, 1)


def test_recalls_are_chosen_and_put_in_order() -> None:
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a", "x", "b", "y", "z", "c"]}
    curve = precision_recall(qrels, run, recalls=[1, 0.5, 1 / 3])
    assert curve.recalls == (1 / 3, 0.5, 1.0)
    assert curve.precision == (1.0, 2 / 3, 1 / 2)
    assert curve.mean == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)


def test_the_definition_and_the_roundings_differ_where_a_recall_falls_between_hits() -> None:
    qrels, run = {"q": dict.fromkeys("abcd", 1)}, {"q": ["a", "b", "x", "c", *map(str, range(10)), "d"]}
    readings = ("definition", "round", "up")
    at = {name: precision_recall(qrels, run, rules={"recall_points": name}).precision for name in readings}
    assert at["definition"] == at["up"] == (1, 1, 1, 1, 1, 1, 3 / 4, 3 / 4, 4 / 15, 4 / 15, 4 / 15)
    assert at["round"] == (1, 1, 1, 1, 1, 1, 1, 3 / 4, 3 / 4, 4 / 15, 4 / 15)


def test_the_definition_is_exact_where_rounding_up_is_not() -> None:
    # 0.7 × 3 is a little less than 2.1 in floating point, so 2.1 + 0.9 a little less than 3.
    qrels, run = {"q": dict.fromkeys("abc", 1)}, {"q": ["a", "b", *"12345", "c"]}
    assert precision_recall(qrels, run).precision[7] == 3 / 8
    assert precision_recall(qrels, run, rules={"recall_points": "up"}).precision[7] == 1.0


@pytest.mark.parametrize("step", [10, 100, 7])
def test_by_definition_the_first_rank_that_reaches_a_recall_is_told_exactly(step: int) -> None:
    """All at once: the n-th of R relevant documents alone is found, at rank n, for recalls of x / step."""
    for total in (3, 7, 10, 99, 100, 700):
        qrels, run = {"q": [f"d{n}" for n in range(total)]}, {"q": [f"d{n}" for n in range(total)]}
        hits = tr.rank(qrels, run)
        needed = [max(1, -(-x * total // step)) for x in range(step + 1)]
        spread = replace(hits, rank=hits.rank**2)  # precision n / n² = 1 / n tells which one was taken
        found = interpolated(spread, [x / step for x in range(step + 1)], rounding="definition")
        assert found[:, 0].tolist() == [n / n**2 for n in needed]


def test_without_rules_a_curve_is_by_definition_and_its_rules_say_so() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a"]}
    assert precision_recall(qrels, run).rules == BY_DEFINITION
    assert BY_DEFINITION.name == "truerank with recall_points=definition"
    assert BY_DEFINITION.is_like(tr.Rules(recall_points="definition"))
    assert precision_recall(qrels, run, rules="truerank").points == "round"


def test_rules_decide_what_is_relevant() -> None:
    curve = precision_recall({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, rules={"level": 2})
    assert curve.precision == (0.5,) * 11
    assert curve.rules.level == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": "qq"}, "there is no query qq among those that are judged. Did you mean q?"),
        ({"recalls": [0.5, 1.5]}, "recalls are numbers from 0 to 1"),
        ({"recalls": []}, "recalls are numbers from 0 to 1"),
        ({"rules": {"recall_points": "nearest"}}, "recall_points is one of round, up, definition"),
        ({"rules": "science-qa"}, "the mean is over submitted lines"),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(tr.TruerankError, match=re.escape(message)):
        precision_recall({"q": {"a": 1}}, {"q": ["a"]}, **arguments)


def test_a_curve_is_frozen_and_becomes_plain_values() -> None:
    curve = precision_recall({"q": {"a": 1}}, {"q": ["x", "a"]}, "q")
    with pytest.raises(dataclasses.FrozenInstanceError):
        curve.mean = 1.0  # type: ignore[misc]
    plain = json.loads(json.dumps(curve.to_dict()))
    assert plain["precision"] == [0.5] * 11
    assert plain["auprc"] == {"step": 0.5, "trapezoid": 0.25, "interpolated": 0.5}
    assert plain["raw"] == {
        "relevant": [False, True],
        "recall": [0, 1],
        "precision": [0, 0.5],
        "interpolated": [0.5, 0.5],
    }
    assert "raw" not in precision_recall({"q": {"a": 1}}, {"q": ["x", "a"]}).to_dict()


@pytest.mark.parametrize(
    ("queries", "begins"),
    [(1, "Warning: 1 query is"), (29, "Warning: 29 "), (30, "Remark: 30 "), (49, "Remark: 49 "), (50, None)],
)
def test_few_queries_are_warned_of_and_somewhat_few_remarked_on(queries: int, begins: str | None) -> None:
    assert [remark.startswith(str(begins)) for remark in few.remarks(queries)] == [True] * (begins is not None)


def test_a_curve_says_that_its_queries_are_few_unless_one_was_asked_for() -> None:
    qrels, run = {f"q{n}": {"a": 1} for n in range(40)}, {"q1": ["a"]}
    assert report.remarks(precision_recall(qrels, run)) == ["Remark: 40 queries; 50 or more are usual."]
    assert report.remarks(precision_recall(qrels, run, "q1")) == []


pytest.importorskip("vl_convert", reason="the extra plots is not installed")

LISTS = {"first": ["a", "x", "b", "y"], "second": ["x", "a", "y", "b"]}


def curves(query: str | None = None, names: tuple[str, ...] = ("first", "second")) -> list[Curve]:
    qrels = {"q": {"a": 1, "b": 1}, "r": {"a": 1}}
    lists = [LISTS.get(name, ["x", "a"]) for name in names]
    return [
        precision_recall(qrels, tr.open_run({"q": listed, "r": ["a"]}, name=name), query)
        for name, listed in zip(names, lists, strict=True)
    ]


def rows(spec: Any, *keys: str) -> list[tuple[Any, ...]]:
    """The data of a specification, wherever it stands, that has these keys."""
    if isinstance(spec, dict):
        own = [tuple(spec[key] for key in keys)] if set(keys) <= spec.keys() else []
        return own + [row for value in spec.values() for row in rows(value, *keys)]
    return [row for value in spec for row in rows(value, *keys)] if isinstance(spec, list) else []


def test_one_picture_holds_the_points_of_all_runs() -> None:
    drawn_as = report.figure(curves())
    assert drawn_as.subtitle == "the mean of 2 queries; rules truerank with recall_points=definition"
    drawn = rows(drawn_as.specification, "who", "recall", "precision")
    expected = {(c.run, r, p) for c in curves() for r, p in zip(c.recalls, c.precision, strict=True)}
    assert set(drawn) == expected


def test_the_picture_of_a_query_holds_the_raw_curve_and_the_corners_of_the_interpolated_one() -> None:
    drawn = report.figure(curves("q", ("first",)))
    spec, rules = drawn.specification, "rules truerank with recall_points=definition"
    assert drawn.subtitle == f"first; query q: the raw curve dashed, the interpolated one solid; {rules}"
    raw = rows(spec, "rank", "recall", "precision")
    steps = rows(spec, "place", "recall", "precision")
    assert raw == [(1, 0.5, 1.0), (2, 0.5, 0.5), (3, 1.0, 2 / 3), (4, 1.0, 0.5)]
    assert steps == [(0, 0.0, 1.0), (1, 0.5, 1.0), (2, 1.0, 2 / 3), (3, 1.0, 2 / 3)]


def test_a_query_with_what_cannot_be_drawn_in_its_name_is_written_in_ascii() -> None:
    curve = precision_recall({"q\x07": {"a": 1}}, {"q\x07": ["a"]}, "q\x07")
    assert r"query q\x07: the raw curve" in report.figure([curve]).subtitle
    assert r"Query q\x07. " in " ".join(report.notes([curve]))


def test_what_is_not_reached_is_drawn_at_0() -> None:
    def corners(listed: list[str]) -> list[tuple[Any, ...]]:
        curve = precision_recall({"q": {"a": 1, "b": 1}}, {"q": listed}, "q")
        return rows(report.figure([curve]).specification, "place", "recall", "precision")

    assert corners(["a"]) == [(0, 0.0, 1.0), (1, 0.5, 1.0), (2, 1.0, 0.0)]
    assert corners(["x"]) == corners([]) == [(0, 0.0, 0.0), (1, 1.0, 0.0)]


@pytest.mark.parametrize("query", [None, "q"])
def test_svg_is_a_picture_that_names_the_runs(query: str | None, tmp_path: Path) -> None:
    figures.draw(report.figure(curves(query)), str(tmp_path / "out.svg"))
    root = ET.parse(tmp_path / "out.svg").getroot()
    texts = [text for node in root.iter() for text in [node.text] if text]
    assert root.tag.endswith("svg")
    assert {"first", "second", "Recall", "Precision"} <= set(texts)


def test_a_picture_says_each_recall_in_full() -> None:
    found = precision_recall({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, recalls=(0, 0.05, 0.25, 1))
    svg = figures.svg(report.figure([found]))
    assert [float(text) for text in re.findall(r"; Recall: ([^;]+);", svg)] == [0, 0.05, 0.25, 1]


def test_png_is_a_picture(tmp_path: Path) -> None:
    figures.draw(report.figure(curves()), str(tmp_path / "out.png"))
    data = (tmp_path / "out.png").read_bytes()
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert width > figures.WIDTH
    assert height > charts.HEIGHT


def test_html_holds_all_that_it_needs_and_no_name_ends_its_script(tmp_path: Path) -> None:
    found = precision_recall({"</script>": {"a": 1}}, tr.open_run({}, name="<!--<script>"), "</script>")
    figures.draw(report.figure([found]), str(tmp_path / "out.html"))
    page = (tmp_path / "out.html").read_text("utf-8")
    around = re.sub("<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "//" not in around
    assert "<script" not in around
    assert page.count("</script") == 2
    spec = json.loads(re.search(r'vegaEmbed\("#plot", (.*), \{"mode"', page)[1])  # type: ignore[index]
    assert {run for run, _ in rows(spec, "who", "recall")} == {"<!--<script>"}
    assert "<p>&lt;!--&lt;script&gt;; query &lt;/script&gt;:" in page


def test_a_plot_is_told_by_its_ending(tmp_path: Path) -> None:
    with pytest.raises(tr.InputError, match=re.escape("out.jpg: a plot is a file that ends in .svg, .png, .html")):
        figures.draw(report.figure(curves()), str(tmp_path / "out.jpg"))
    assert list(tmp_path.iterdir()) == []


def test_more_runs_than_colours_can_be_drawn(tmp_path: Path) -> None:
    names = tuple(f"run{n}" for n in range(12))
    figures.draw(report.figure(curves(names=names)), str(tmp_path / "out.svg"))
    assert all(name in (tmp_path / "out.svg").read_text() for name in names)


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(tr.MissingPackage, match=re.escape('pip install "truerank[plots]"')):
        figures.draw(report.figure(curves()), "out.svg")
