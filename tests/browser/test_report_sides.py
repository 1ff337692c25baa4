"""The table of queries in a browser: which value is the better one, and how numbers near nothing stand there."""

from __future__ import annotations

from report_pages import ready, rows_of, saved
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
