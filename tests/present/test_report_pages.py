"""What there is to show, in the shapes that the formats need."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

import truerank as tr
from report_pages import world
from truerank import geo
from truerank.analysis.compare import compare
from truerank.analysis.report import evaluated
from truerank.present import build, comparison
from truerank.present import geo as places
from truerank.present.build import write_report
from truerank.present.data import Readable, ReportData, Runs
from truerank.present.renderers import FORMATS as TABLES
from truerank.present.renderers import csv, markdown, terminal
from truerank.present.renderers.json import dumps
from truerank.present.scores import FORMATS, Shape, score_table
from truerank.present.sections import queries
from truerank.present.table import Table

QRELS = {f"q{number}": {"a": 1, "b": 1} for number in range(12)}
RUN = {query: ["a", "x", "b"][int(query[1:]) % 2 :] for query in QRELS}


def located() -> geo.Places:
    queries = [{"id": f"q{n}", "lat": 37.5 + n / 1000, "lon": 127.0, "x": 9.0 * n, "y": 0.0} for n in range(6)]
    there = [{"id": f"r{n}", "lat": 37.5 + n / 1000, "lon": 127.0001, "x": 9.0 * n, "y": 1.0} for n in range(6)]
    return geo.evaluate(queries, there, {f"q{n}": [f"r{(n + 1) // 2}", f"r{n + 1}"] for n in range(5)})


def test_some_columns_of_a_table_keep_what_is_best_in_them():
    table = Table(("run", "AP", "P@5"), (("a", 0.5, 0.2), ("b", 0.4, 0.6)), best=frozenset({(0, 1), (1, 2)}))
    assert table.only((2, 0)) == Table(("P@5", "run"), ((0.2, "a"), (0.6, "b")), best=frozenset({(1, 0)}))
    assert table.only(range(3)) == table


def test_a_table_fits_where_no_line_is_longer_than_the_terminal():
    table = Table(("run", "AP"), (("질의 하나", 0.5),))  # nine cells, three between, six
    assert [terminal.fits(table, width) for width in (None, 18, 17)] == [True, True, False]


def test_names_in_hangul_count_double_where_a_comparison_is_cut_for_a_terminal():
    latin, hangul = ("abcdef", "ghijkl"), ("가나다라마바", "사아자차카타")
    other = {query: ["x", "a"] for query in QRELS}
    wide, wider = (
        compare(QRELS, dict(zip(names, (RUN, other), strict=True)), "AP", baseline=0) for names in (latin, hangul)
    )
    width = next(w for w in itertools.count(40) if len(comparison.document(wide, width=w).tables) == 1)
    assert len(comparison.document(wider, width=width + 5).tables) == 2
    assert len(comparison.document(wider, width=width + 6).tables) == 1


def test_scores_are_written_in_every_format_of_tables_and_in_two_of_their_own():
    assert {name: FORMATS[name] for name in TABLES} == TABLES
    assert set(FORMATS) - set(TABLES) == {"jsonl", "trec"}


def test_of_a_measure_where_less_is_better_the_lowest_is_marked():
    names = "Unjudged@2 AP NumRet"
    scores = [tr.evaluate(QRELS, run, names) for run in (RUN, {query: ["a", "b"] for query in QRELS})]
    assert score_table(scores, Shape()).best == {(1, 1), (1, 2)}


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("digits", [None, 3])
def test_places_are_shown_as_their_tables_are_drawn(per_query, digits):
    found = located()
    pages = places.document(found, digits, per_query=per_query)
    tables = [places.queries] if per_query else [places.means, places.metres]
    drawn = [table(found) if digits is None else table(found, digits) for table in tables]
    drawn = [replace(one, notes=()) for one in drawn[:-1]] + drawn[-1:]
    assert pages.render() == "\n".join(map(terminal.draw, drawn))
    assert pages.render("markdown") == "\n".join(map(markdown.draw, drawn))
    lines = [csv.draw(replace(one, digits=digits)).splitlines() for one in drawn]
    rows = zip(*lines, strict=True)
    beside = [",".join([row, *(other.split(",", 1)[1] for other in others)]) for row, *others in rows]
    assert pages.render("csv").splitlines() == beside
    assert pages.render("json") == dumps(found.to_dict(per_query), indent=True)
    assert list(pages.remarks) == places.notes(found)


def test_recall_within_metres_stands_above_the_means():
    found = located()
    means = replace(places.means(found), notes=())
    assert places.document(found, surface=True).tables == [places.within(found), means, places.metres(found)]


def test_no_report_detects_a_difference_beyond_the_range_of_a_measure(tmp_path):
    qrels = {query: {"a": 1, "b": 1} for query in ("q1", "q2", "q3")}
    good = {"q1": ["a", "b"], "q2": ["x", "a"], "q3": ["a"]}
    poor = {"q1": ["x", "a"], "q2": ["x", "y", "a"], "q3": ["a", "b"]}
    write_report(qrels, {"good": good, "poor": poor}, tmp_path / "r.txt", "AP", lang="en")
    text = (tmp_path / "r.txt").read_text("utf-8").partition("What these queries can show")[2]
    assert "more than is possible" in text.splitlines()[3]


def test_the_measure_that_stands_upright_is_set_against_the_one_across():
    found = evaluated(QRELS, {"run": RUN}, "RR AP")
    (figure,) = [one for one in build.make(ReportData(runs=Runs.of(found))).figures if one.name == "measures"]
    upright, across = (figure.specification["encoding"][side]["axis"]["title"] for side in ("y", "x"))
    assert str(figure.title) == f"{upright} against {across}" == "AP against RR"


def test_what_queries_can_show_is_told_with_zeros_at_the_end_too():
    qrels = {f"q{number}": {"a": 1, "b": 1} for number in range(27)}
    runs = {str(n): {query: ["x"] * (int(query[1:]) < n) + ["a"] for query in qrels} for n in (1, 4, 7)}
    blocks = build.make(ReportData(runs=Runs.of(evaluated(qrels, runs, "RR")))).blocks
    (table,) = [one for one in blocks if isinstance(one, Table) and one.columns[1] == "sd of differences"]
    assert table.rows[0][1:3] == ("0.160 to 0.212", "0.106 to 0.140")


def test_lists_have_as_many_letters_as_there_is_room_for_however_long_scores_are(monkeypatch):
    room = 20_000
    monkeypatch.setattr(queries, "LISTED", room)
    qrels, runs = world(200, 2, 12)
    fine = {name: {q: {d: s + 1 / 3 for d, s in run[q].items()} for q in run} for name, run in runs.items()}
    for each in (runs, fine):
        found = Runs.of(evaluated(qrels, each, "AP"))
        answers = queries.made(found, 10).answers
        assert answers is not None
        results = [one for lists in answers.lists for one in lists if one]
        letters = sum(len(repr(score)) + len("doc012345") + 2 for _, scores, *_ in results for score in scores)
        assert 0.9 * room < letters < 1.05 * room


def test_it_is_known_which_runs_have_an_order_and_no_scores():
    qrels, runs = world(3, 2, 4)
    first, second = runs.values()
    found = Runs.of(evaluated(qrels, {"scored": first, "listed": {q: list(second[q]) for q in second}}, "AP"))
    answers = queries.made(found, 10).answers
    assert answers is not None
    assert answers.is_scored == [True, False]


def test_texts_take_the_room_of_lists(monkeypatch):
    monkeypatch.setattr(queries, "LISTED", 700_000)
    qrels, runs = world(400, 6, 12)
    found = Runs.of(evaluated(qrels, runs, "AP"))
    counts = []
    for texts in (Readable(), Readable(docs={"doc000001": "text"})):
        answers = queries.made(found, 10, texts).answers
        assert answers is not None
        counts.append(sum(len(one[0]) for lists in answers.lists for one in lists if one))
    assert counts[0] == 400 * 6 * 10
    assert counts[1] < counts[0]
