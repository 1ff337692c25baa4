"""The table of queries in a browser: which value is the better one, and how numbers near nothing stand there."""

from __future__ import annotations

import pytest

import truerank as tr
from report_pages import PHONE, ready, rows_of, saved, world, written
from truerank.analysis.report import evaluated
from truerank.present.data import ReportData, Runs


def test_where_less_is_better_the_least_is_stressed_and_filtered_for(visit, tmp_path):
    qrels = {q: {"a": 1, "b": 0, "c": 0} for q in ("q1", "q2", "q3")}
    base = {"q1": ["a", "b"], "q2": ["b", "c"], "q3": ["a", "b"]}
    other = {"q1": ["a"], "q2": ["b", "c"], "q3": ["b", "c"]}
    found = Runs.of(evaluated(qrels, {"base": base, "other": other}, "FallOut(docs=11)@2 AP", baseline="base"))
    page = ready(visit(saved(tmp_path, ReportData(runs=found)).address))
    rows = {row.locator("th").inner_text(): row for row in page.locator("#queries-table tbody tr").all()}
    first = {query: row.locator("td").nth(0).get_attribute("class") for query, row in rows.items()}
    assert "best" in first["q3"]
    assert "best" not in first["q1"]
    assert not rows["q2"].locator("td.best").count()
    page.select_option("#which", "better")
    assert [query for query, _ in rows_of(page)] == ["q1"]
    page.select_option("#which", "worse")
    assert [query for query, _ in rows_of(page)] == ["q3"]


def test_a_number_that_rounds_to_nothing_has_no_minus(visit, tmp_path):
    qrels = {"q1": {"a": 1, **{f"n{i}": 0 for i in range(9)}}, "q2": {"a": 1}}
    run = {"q1": ["n1", "a"], "q2": ["a"]}
    found = Runs.of(evaluated(qrels, {"one": run}, ["Utility(a=0, b=-1e-05)"]))
    page = ready(visit(saved(tmp_path, ReportData(runs=found)).address))
    assert "-0.0000" not in page.inner_text("main")


def test_values_have_the_digits_that_other_formats_give_them(visit, tmp_path):
    qrels = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 1}}
    runs = {"one": {"q1": ["a", "b", "x", "c"], "q2": ["x", "a"]}, "two": {"q1": ["a"], "q2": ["a"]}}
    measures = "FirstRank@5 NumRet P@2"
    page = ready(visit(written(tmp_path, qrels, runs, measures=measures).address))
    for name in measures.split():
        page.select_option("#measure", name)
        texts = {
            row.locator("th").inner_text(): row.locator("td").all_inner_texts()[:2]
            for row in page.locator("#queries-table tbody tr").all()
        }
        tables = [tr.evaluate(qrels, run, name).to_markdown(per_query=True) for run in runs.values()]
        for query, shown in texts.items():
            assert [line.split("|")[2].strip() for t in tables for line in t.splitlines() if query in line] == shown


def test_steps_of_a_computation_have_whole_numbers_of_documents(visit, tmp_path):
    address = written(tmp_path, {"q": {"a": 1}}, {"one": {"q": ["a"]}}, measures="AP").address
    page = ready(visit(f"{address}#query=q", allowed=(address,)))
    page.locator("dialog details summary").first.click()
    steps = {
        row.locator("th").inner_text(): row.locator("td").last.inner_text() for row in page.locator(STEPS).all()
    }
    assert (steps["Σ"], steps["R"], steps["AP"]) == ("1.0000", "1", "1.0000")


STEPS = "dialog details table:not(:has(thead)) tr"


@pytest.mark.parametrize("screen", [{"viewport": {"width": 1000, "height": 800}}, PHONE])
def test_long_names_do_not_make_the_page_wider_than_the_window(visit, tmp_path, screen):
    qrels, runs = world(8, 3, 5)
    long = {f"{name}-{'x' * 150}": run for name, run in runs.items()}
    page = ready(visit(written(tmp_path, qrels, long).address, **screen))
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


MANY = {f"r{n:02}": 1 for n in range(40)}
UNJUDGED = [f"x{n}" for n in range(10)]


@pytest.mark.parametrize(
    ("qrels", "ranked", "rules", "expected"),
    [
        (
            MANY,
            [*UNJUDGED, *sorted(MANY, reverse=True)[5:]],
            {},
            [
                "45 results returned. 35 of 40 relevant documents returned, 0 of them among the first 10.",
                "Relevant, ranked lower: " + ", ".join(f"r{45 - rank:02} at rank {rank}" for rank in range(11, 46)),
                "Relevant, not returned: r35, r36, r37, r38, r39",
            ],
        ),
        (
            MANY,
            [*UNJUDGED, *sorted(MANY)[10:]],
            {},
            [
                "40 results returned. 30 of 40 relevant documents returned, 0 of them among the first 10.",
                "Relevant, ranked lower: "
                + ", ".join(f"r{rank - 1} at rank {rank}" for rank in range(11, 31))
                + ", and 10 more",
                "Relevant, not returned: " + ", ".join(f"r{n:02}" for n in range(10)),
            ],
        ),
        (
            {"a": 1, "b": 1, "c": 1},
            ["a", "a", "x", "b", "b"],
            {"duplicates": "count"},
            [
                "5 results returned. 2 of 3 relevant documents returned, 2 of them among the first 10.",
                "Relevant, not returned: c",
            ],
        ),
        (
            {"a": 1, "b": 1},
            ["x", "a", "y", "b"],
            {"depth": 2},
            [
                "Under these rules a list ends at rank 2; what ranks lower is taken as not returned.",
                "2 results returned. 1 of 2 relevant documents returned, 1 of them among the first 10.",
                "Relevant, not returned: b",
            ],
        ),
        (
            {"a": 1, "b": 1},
            ["x", "a", "y"],
            {"unjudged": "removed"},
            [
                "Under these rules unjudged documents are left out of the lists.",
                "1 result returned. 1 of 2 relevant documents returned, 1 of them among the first 10.",
                "Relevant, not returned: b",
            ],
        ),
    ],
)
def test_what_was_ranked_lower_and_what_was_not_returned_is_told_apart(
    visit, tmp_path, qrels, ranked, rules, expected
):
    found = Runs.of(evaluated({"q": qrels}, {"one": {"q": ranked}}, "AP", rules=tr.Rules(**rules)))
    address = saved(tmp_path, ReportData(runs=found)).address
    page = ready(visit(f"{address}#query=q", allowed=(address,)))
    said = page.locator("dialog > p, dialog section > p").all_inner_texts()
    assert [text.translate({0x2068: "", 0x2069: ""}) for text in said] == expected


def test_of_a_query_whose_lists_are_not_on_the_page_nothing_is_called_not_returned(visit, tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.present.sections.queries.LISTED", 50)
    qrels, runs = {q: {"a": 1, "b": 1} for q in ("q1", "q2")}, {"one": {"q1": ["x"], "q2": ["b", "a"]}}
    page = ready(visit(written(tmp_path, qrels, {**runs, "two": {"q1": ["b"], "q2": ["x", "b"]}}).address))
    shown = {}
    for link in page.locator("#queries-table tbody button").all():
        link.click()
        shown[link.inner_text()] = page.locator("dialog section > p").all_inner_texts()
        page.keyboard.press("Escape")
    bare = [said for said in shown.values() if "This page has no list for this query." in said]
    assert bare
    assert all(said == ["This page has no list for this query."] * 2 for said in bare)


def test_a_list_names_the_call_of_each_document_and_equal_scores_of_two_calls_are_no_ties(visit, tmp_path):
    run = {"q": [[("x", 2.0), ("y", 2.0)], [("a", 2.0)]]}
    address = written(tmp_path, {"q": {"a": 1}}, {"one": run}, measures="CallRecall@2").address
    page = ready(visit(f"{address}#query=q", allowed=(address,)))
    table = page.locator("dialog .columns table").first
    assert table.locator("thead th").all_inner_texts()[:4] == ["rank", "call", "document", "score"]
    rows = [
        [text.strip() for text in row.locator("td").all_inner_texts()] for row in table.locator("tbody tr").all()
    ]
    assert [row[:3] for row in rows] == [["1", "1", "2 tied"], ["2", "1", "2 tied"], ["3", "2", "2"]]


def test_an_address_that_names_another_query_opens_it_without_loading_the_page_again(visit, tmp_path):
    qrels = {"a/b": {"d": 1}, "100%": {"d": 1}}
    report = written(tmp_path, qrels, {"one": {query: ["d"] for query in qrels}}, measures="AP")
    page = ready(visit(report.address, allowed=(report.address,)))
    for written_as, query in (("a%2Fb", "a/b"), ("100%", "100%"), ("a/b", "a/b"), ("%E4", "a/b")):
        page.evaluate("hash => { location.hash = hash; }", f"#query={written_as}")
        page.wait_for_function(
            "text => document.querySelector('dialog[open] h2')?.textContent === text", arg=f"query {query}"
        )
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def test_what_can_be_opened_is_told_where_something_can_be(visit, tmp_path):
    lists = ("Click a query", "first 10 results")
    page = ready(visit(written(tmp_path, *world(3, 2, 4)).address))
    assert all(page.get_by_text(text).is_visible() for text in lists)
    page.emulate_media(media="print")
    assert not any(page.get_by_text(text).is_visible() for text in lists)
    heading = page.locator("#queries-table thead th").last
    assert heading.evaluate("cell => getComputedStyle(cell.firstChild).overflowWrap") == "normal"
    runs = Runs.of(evaluated({1: ["a"]}, {"one": [{"eval_id": 1, "topk": ["a"]}]}, rules="science-qa"))
    page = ready(visit(saved(tmp_path, ReportData(runs=runs)).address))
    assert page.get_by_text("result lists are not shown").is_visible()
    assert not page.get_by_text("Click a query").count()


def test_a_query_that_is_open_is_what_is_printed_and_whole(visit, tmp_path):
    page = ready(visit(written(tmp_path, *world(3, 4, 20)).address))
    page.locator("#queries-table tbody button").first.click()
    page.emulate_media(media="print")
    dialog = page.locator("dialog")
    assert page.locator("main h2:visible").all_inner_texts() == dialog.locator("h2").all_inner_texts()
    assert not dialog.get_by_role("button", name="Close").is_visible()
    assert dialog.evaluate("it => it.scrollHeight <= it.clientHeight")
    assert dialog.locator("section").last.is_visible()
    page.keyboard.press("Escape")
    assert page.locator("main h2:visible").count() > 4


def test_escape_closes_the_menu_of_a_picture_and_leaves_the_focus_on_its_button(visit, tmp_path):
    page = ready(visit(written(tmp_path, {"q": {"a": 1}}, {"one": {"q": ["a"]}}, measures="AP").address))
    button = page.locator("[data-figure] summary").first
    button.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Save as SVG"
    page.keyboard.press("Escape")
    assert not page.locator("[data-figure] details[open]").count()
    assert button.evaluate("button => button === document.activeElement")


def test_long_names_leave_the_button_that_closes_whole_and_columns_in_sight(visit, tmp_path):
    query, names = "Q" * 200, ["a" * 180, "b" * 180]
    address = written(tmp_path, {query: {"a": 1}}, {name: {query: ["a"]} for name in names}).address
    page = ready(visit(address, allowed=(address,), **PHONE))
    page.locator("#queries-table tbody button").click()
    assert page.locator("dialog .top button").bounding_box()["height"] < 50
    desk = ready(visit(address))
    for data in desk.locator("figure > details").all():
        data.locator("summary").click()
    wide = "cells => Math.max(...cells.map(cell => cell.offsetWidth))"
    assert desk.locator("th, td").evaluate_all(wide) < 750
