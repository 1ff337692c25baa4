"""How a report looks where there is much to show and little room: many systems, on paper and on a phone."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from report_pages import PHONE, Report, texts_of, world, written

PAPER = {"viewport": {"width": 718, "height": 1000}}  # A4 between its margins


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Report:
    qrels, runs = world(120, 24, 4)
    return written(tmp_path_factory.mktemp("many"), qrels, runs, measures="RR AP")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Report:
    qrels, runs = world(12, 1, 4)
    return written(tmp_path_factory.mktemp("alone"), qrels, runs, measures="AP")


def test_on_paper_no_column_of_many_systems_is_cut_off_and_numbers_stand_below_their_names(shown, many):
    page = shown(many.address, **PAPER)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    places = "cells => cells.map(cell => cell.getBoundingClientRect().right)"
    table = page.locator("#queries-table table")
    names = table.locator("thead th").evaluate_all(places)
    assert len(names) == 26
    assert table.locator("tbody tr").first.locator("th, td").evaluate_all(places) == pytest.approx(names, abs=1)


def test_numbers_at_an_axis_keep_apart_on_a_phone(shown, many):
    page = shown(many.address, **PHONE)
    seen = "texts.filter(text => getComputedStyle(text).opacity > 0)"
    boxes = f"texts => {seen}.map(text => text.getBoundingClientRect()).map(box => [box.left, box.right])"
    labels = page.locator("[data-figure=differences] .role-axis-label").first.locator("text")
    drawn = labels.evaluate_all(boxes)
    assert len(drawn) > 2
    assert min(right[0] - left[1] for left, right in pairwise(drawn)) > 3


def test_measures_of_many_systems_stand_two_lines_apart_in_the_picture_of_means(shown, many):
    page = shown(many.address)
    middle = "marks => marks.map(mark => mark.getBoundingClientRect()).map(box => (box.top + box.bottom) / 2)"
    places = sorted(page.locator("[data-figure=intervals] .mark-symbol.role-mark path").evaluate_all(middle))
    assert len(places) == 48
    steps = [after - before for before, after in pairwise(places)]
    assert max(steps) == pytest.approx(3 * min(steps), rel=0.2)


def test_how_to_zoom_stands_below_a_plot_that_zooms(shown, many):
    page = shown(many.address)
    hint = page.locator("figure", has=page.locator(".hint:visible"))
    assert hint.count() == 1
    assert re.search(r"wheel.*legend", hint.inner_text(), re.DOTALL)
    name = hint.locator("[data-figure]").get_attribute("data-figure")
    whole = sorted(texts_of(page, name))
    place = hint.locator("svg.marks")
    place.scroll_into_view_if_needed()
    place.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -700)
    page.keyboard.up("Control")
    page.wait_for_timeout(500)
    assert sorted(texts_of(page, name)) != whole
    place.dblclick()
    page.wait_for_timeout(500)
    assert sorted(texts_of(page, name)) == whole


def test_where_there_is_no_legend_no_click_on_one_is_asked_for(shown: Any, alone: Report) -> None:
    page = shown(alone.address)
    assert "wheel" in page.locator(".hint:visible").inner_text()
    assert "legend" not in page.locator(".hint").all_text_contents()[0]


def test_row_numbers_stand_below_their_heading(shown, alone):
    page = shown(alone.address)
    table = page.locator("figure:has([data-figure=cmc]) table")
    assert table.locator("thead th").first.evaluate("cell => getComputedStyle(cell).textAlign") == "end"
    assert table.locator("tbody th").first.evaluate("cell => getComputedStyle(cell).textAlign") == "end"
