"""What a report shows of a query that is opened, in a real browser."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from report_pages import ready, written

QRELS = {"q1": {"a": 1, "b": 0, "p": -1}}


@pytest.fixture
def opened(visit: Any, tmp_path: Any) -> Any:
    """The page with the query q1 opened."""

    def made(runs: dict[str, Any]) -> Any:
        address = written(tmp_path, QRELS, runs).address
        return ready(visit(f"{address}#query=q1", allowed=(address,)))

    return made


def test_a_query_tells_what_is_not_in_the_qrels_from_what_is_pooled_and_not_judged(opened):
    page = opened({"one": {"q1": ["a", "b", "p", "x"]}})
    marks = page.locator("dialog td.mark").all_inner_texts()
    assert marks == ["✓ relevant", "not relevant", "pooled, unjudged", "unjudged"]


def test_of_an_order_alone_no_scores_are_shown_and_equal_ranks_are_called_tied(opened):
    ranked = pd.DataFrame({"query": ["q1"] * 3, "doc": ["a", "b", "x"], "rank": [1, 2, 2]})
    page = opened({"scored": {"q1": {"a": 2.0, "b": 1.5}}, "listed": {"q1": ["b", "a"]}, "ranked": ranked})
    lists = [page.locator("dialog section").nth(place).locator("table").first for place in range(3)]
    heads = [each.locator("th[scope=col]").all_inner_texts() for each in lists]
    assert heads == [["rank", "document", *score, "judged", "grade"] for score in (["score"], [], [])]
    cells = [[row.split("\t") for row in each.locator("tbody tr").all_inner_texts()] for each in lists]
    assert cells[0] == [["1", "a", "2", "✓ relevant", "1"], ["2", "b", "1.5", "not relevant", "0"]]
    assert cells[1] == [["1", "b", "not relevant", "0"], ["2", "a", "✓ relevant", "1"]]
    assert [row[0] for row in cells[2]] == ["1", "2 tied", "3 tied"]
