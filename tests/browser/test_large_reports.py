"""Reports of very many queries in a real browser."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from report_pages import ready, rows_of, status, written
from truerank.analysis import report


def large_world(queries: int, systems: int, depth: int) -> tuple[Any, dict[str, Any]]:
    """As `world`, drawn many at a time."""
    rng = np.random.default_rng(7)
    docs = [f"doc{number:06}" for number in range(50_000)]
    names = [f"q{q:05}" for q in range(queries)]
    judged = rng.integers(len(docs), size=(queries, 8)).tolist()
    grades = rng.choice([0, 0, 1, 1, 2], size=(queries, 8))
    qrels = {
        q: dict(zip([docs[one] for one in found], graded, strict=True))
        for q, found, graded in zip(names, judged, grades.tolist(), strict=True)
    }
    runs: dict[str, Any] = {}
    for s in range(systems):
        found = rng.integers(len(docs), size=(queries, depth)).tolist()
        scores = rng.normal(0, 1, (queries, depth)).round(4).tolist()
        better = (0.5 + 0.3 * s + grades + rng.normal(0, 1, grades.shape)).round(4).tolist()
        seen = (rng.random(grades.shape) < 0.75).tolist()
        runs[f"system{s}.run"] = {
            q: dict(zip([docs[one] for one in found[n]], scores[n], strict=True))
            | {docs[d]: score for d, score, is_seen in zip(judged[n], better[n], seen[n], strict=True) if is_seen}
            for n, q in enumerate(names)
        }
    return qrels, runs


@pytest.mark.slow
def test_seven_thousand_queries_of_six_systems_fit_in_five_megabytes(visit, tmp_path):
    qrels, runs = large_world(7_000, 6, 20)
    address = written(tmp_path, qrels, runs, measures="nDCG@10 RR").address
    assert (tmp_path / "report.html").stat().st_size < 5_000_000
    page = ready(visit(address))
    assert status(page) == "1–50 of 7,000"
    assert page.evaluate("document.querySelectorAll('*').length") < 20_000
    page.fill("#filter", "q06999")
    page.locator("#queries-table tbody button").first.click()
    assert page.locator("dialog section").count() == 6


@pytest.mark.slow
def test_a_hundred_thousand_queries_are_paged(visit, tmp_path, monkeypatch):
    qrels = {f"q{n:06}": {"a": 1} for n in range(100_000)}
    runs = {
        "one": {q: ["a" if n % 3 else "b", "c"] for n, q in enumerate(qrels)},
        "two": {q: ["c", "a"] for q in qrels},
    }
    monkeypatch.setattr(report, "compare", partial(report.compare, samples=100))  # intervals are not looked at
    address = written(tmp_path, qrels, runs, measures="RR").address
    page = ready(visit(address))
    assert status(page) == "1–50 of 100,000"
    page.fill("#filter", "q099999")
    assert [query for query, _ in rows_of(page)] == ["q099999"]
