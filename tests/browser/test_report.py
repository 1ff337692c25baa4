"""The report in a real browser: no network, by keyboard, light and dark, large and small, with nasty names."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from report_pages import NASTY, PHONE, Report, ready, rows_of, saved, status, texts_of, world, written
from truerank.analysis.report import evaluated
from truerank.present.data import Readable, ReportData, Runs
from truerank.present.renderers import html

CURVE = "[data-figure=precision-recall] svg.marks"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    qrels, runs = world(120, 3, 30)
    del runs["system0.run"]["q00005"]
    return written(tmp_path_factory.mktemp("report"), qrels, runs)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Report:
    qrels, runs = world(20, 4, 8, NASTY)
    return written(tmp_path_factory.mktemp("nasty"), qrels, runs, lang="ko")


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Report:
    qrels, runs = world(30, 9, 12)
    called = {f"rerank-top100-batch=32-fold={n}-bm25-k1=0.9.run": run for n, run in enumerate(runs.values())}
    return written(tmp_path_factory.mktemp("long"), qrels, called, lang="ko")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Report:
    qrels, runs = world(30, 1, 12)
    return written(tmp_path_factory.mktemp("alone"), qrels, runs, measures="AP")


def test_every_figure_is_drawn_when_the_page_has_loaded(visit: Any, report: Report) -> None:
    page = visit(report.address)
    assert page.locator("[data-figure] svg.marks").count() == page.locator("[data-figure]").count() > 3


def test_it_opens_without_any_request_or_message_and_draws_every_figure(shown, report):
    page = shown(report.address)
    names = [one["name"] for one in report.plain["blocks"] if one["kind"] == "figure"]
    widths = page.eval_on_selector_all("[data-figure] svg.marks", "found => found.map(one => one.getBBox().width)")
    assert len(widths) == len(names)
    assert min(widths) > 400


def test_the_numbers_that_are_drawn_are_those_of_the_json(shown, report):
    page = shown(report.address)
    queries = report.block("queries")
    columns = queries["values"]["nDCG@10"]
    for query, values in rows_of(page):
        place = queries["queries"].index(query)
        assert values[:-1] == [column[place] for column in columns]
    read = "cells => cells.map(cell => [cell.dataset.value, cell.textContent.trim()])"
    for value, text in page.eval_on_selector_all("td[data-value]", read):
        assert text in (f"{float(value):.4f}", str(value)), value


def test_halves_are_rounded_as_python_does(shown, report):
    page = shown(report.address)
    source = re.search(r"function fixed\(.*?\n}\n", html._file("page.js"), re.DOTALL)
    numbers = [
        0.03125,
        0.09375,
        -0.03125,
        0.00005,
        1.00005,
        2.5,
        0.12345,
        -0.0001,
        *np.random.default_rng(0).random(300).tolist(),
    ]
    numbers += [n / 2**k for k in range(4, 12) for n in (1, 3, 5, 7)]
    texts = page.evaluate(
        f"(numbers) => {{ const PLACES = 4; {source[0]} return numbers.map(n => fixed(n)); }}", numbers
    )
    assert texts == [f"{number:.4f}" for number in numbers]


def test_it_sorts_by_any_column_and_says_so(shown, report):
    page = shown(report.address)
    head = page.locator("#queries-table thead th")
    assert head.nth(4).get_attribute("aria-sort") == "descending"
    spreads = [values[-1] for _, values in rows_of(page)]
    assert spreads == sorted(spreads, reverse=True)
    head.nth(1).get_by_role("button").click()
    first = [values[0] for _, values in rows_of(page)]
    assert first == sorted(first)
    assert head.nth(1).get_attribute("aria-sort") == "ascending"
    assert head.nth(4).get_attribute("aria-sort") is None
    head.nth(1).get_by_role("button").press("Enter")
    assert rows_of(page)[0][1][0] >= first[-1]
    head.nth(0).get_by_role("button").click()
    ids = [query for query, _ in rows_of(page)]
    assert ids == sorted(ids)


def test_it_filters_by_id_and_by_who_is_better(shown, report):
    page = shown(report.address)
    page.fill("#filter", "Q0001")
    assert {query for query, _ in rows_of(page)} == {f"q0001{n}" for n in range(10)}
    assert status(page) == "1–10 of 10"
    page.fill("#filter", "nothing like it")
    assert status(page) == "no such query"
    page.fill("#filter", "")
    queries = report.block("queries")
    base = queries["reference"]
    columns = queries["values"]["nDCG@10"]
    others = [column for place, column in enumerate(columns) if place != base]
    page.select_option("#which", "better")
    better = sum(any(column[q] > columns[base][q] for column in others) for q in range(len(columns[0])))
    assert status(page).endswith(f" of {better}")
    page.select_option("#which", "zero")
    assert status(page).endswith(f" of {sum(any(c[q] == 0 for c in columns) for q in range(len(columns[0])))}")


def test_it_shows_another_measure(shown, report):
    page = shown(report.address)
    page.select_option("#measure", "AP")
    queries = report.block("queries")
    query, values = rows_of(page)[0]
    assert values[:-1] == [column[queries["queries"].index(query)] for column in queries["values"]["AP"]]
    assert page.inner_text("#queries-table caption") == "All queries, AP"


def test_it_turns_pages(shown, report):
    page = shown(report.address)
    assert status(page) == "1–50 of 120"
    seen = {query for query, _ in rows_of(page)}
    for expected in ("51–100 of 120", "101–120 of 120"):
        page.get_by_role("button", name="Next").click()
        assert status(page) == expected
        seen |= {query for query, _ in rows_of(page)}
    assert len(seen) == 120
    assert page.get_by_role("button", name="Next").is_disabled()


def test_a_query_opens_by_keyboard_with_its_lists_and_closes_where_it_was(shown, report):
    page = shown(report.address)
    link = page.locator("#queries-table tbody button").nth(3)
    query = link.inner_text()
    link.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog[open]")
    assert dialog.locator("h2").inner_text() == f"query {query}"
    queries = report.block("queries")
    place, found = queries["queries"].index(query), queries["answers"]
    for system, name in enumerate(queries["systems"]):
        section = dialog.locator("section").nth(system)
        assert section.locator("h3").inner_text() == name
        listed = section.locator("table").first.locator("tbody th").all_inner_texts()
        assert listed == [found["docs"][doc] for doc in found["lists"][system][place][0]]
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.evaluate("document.activeElement.innerText") == query


def test_an_opened_query_says_what_was_right_and_how_the_score_comes_about(shown, report):
    page = shown(report.address)
    page.locator("#queries-table tbody button").first.click()
    queries = report.block("queries")
    place = queries["queries"].index(page.locator("dialog h2 bdi").inner_text())
    section = page.locator("dialog section").last
    section.locator("details summary").first.click()
    assert section.locator("details").first.get_attribute("open") == ""
    value = queries["values"]["nDCG@10"][-1][place]
    last = section.locator("details").first.locator("tbody tr").last.locator("td").last
    assert float(last.get_attribute("data-value")) == value
    answers = queries["answers"]
    right = {d for d, g in zip(*answers["judged"][place], strict=True) if g >= answers["level"]}
    marked = section.locator("tr.relevant").count()
    assert marked == len(right & set(answers["lists"][-1][place][0]))


def test_a_query_that_a_run_does_not_answer_says_so(shown, report):
    page = shown(report.address)
    page.fill("#filter", "q00005")
    page.locator("#queries-table tbody button").first.click()
    assert "does not answer this query" in page.locator("dialog section").first.inner_text()


def test_the_address_of_an_open_query_opens_it_again(visit, shown, nasty):
    address = nasty.address
    page = shown(address)
    page.fill("#filter", NASTY[0])
    page.locator("#queries-table tbody button").first.click()
    sent = page.url
    again = ready(visit(sent, allowed=(address,)))
    assert again.locator("dialog[open] h2 bdi").inner_text() == NASTY[0]


def test_names_that_look_like_markup_stay_names(shown, nasty):
    page = shown(nasty.address)
    assert page.locator("img").count() == 0
    text = page.inner_text("body")
    for name in NASTY:
        assert name in text
        assert name in nasty.block("queries")["queries"]
        page.fill("#filter", name)
        page.locator("#queries-table tbody button").first.click()
        assert page.locator("dialog h2 bdi").inner_text() == name
        page.keyboard.press("Escape")
    assert page.locator("img").count() == 0


def test_texts_stand_beside_ids_folded_and_harmless(visit, serious, tmp_path):
    texts = {"d1": f"{NASTY[0]} " * 20, "d2": "short", "d3": NASTY[2] * 20, "gone": "\u202enever \x1b[31m"}
    qrels, run = {"q1": {"d1": 1, "gone": 1}, "q2": {"d2": 1}}, {"q1": ["d1", "d2", "d3"], "q2": ["d3"]}
    found = Runs.of(evaluated(qrels, {"one": run, "other": {"q2": ["d2"]}}, "AP"))
    readable = Readable({"q1": f"find {NASTY[0]}", "q2": "plain"}, texts)
    page = ready(visit(saved(tmp_path, ReportData(runs=found, readable=readable)).address))
    page.fill("#filter", "onerror")
    assert [query.split("\n")[0] for query, _ in rows_of(page)] == ["q1"]
    page.locator("#queries-table tbody button").first.click()
    section = page.locator("dialog section").first
    folded = section.locator("details.said").first
    assert folded.get_attribute("open") is None
    folded.locator("summary").click()
    assert folded.locator("p").inner_text().startswith(NASTY[0])
    assert section.locator("tbody").first.locator("div.said").inner_text() == "short"
    assert "\\u202enever \\x1b[31m" in section.locator(".named").inner_text()
    assert page.locator("img").count() == 0
    assert serious(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious(shown, report, serious, scheme, device):
    page = shown(report.address, color_scheme=scheme, **device)
    assert serious(page) == []
    page.locator("#queries-table tbody button").first.click()
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert serious(page) == []


def test_it_is_dark_for_those_who_like_it_dark_and_the_button_turns_it(shown, report):
    page = shown(report.address, color_scheme="dark")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(paper) == "rgb(20, 24, 29)"
    page.get_by_role("button", name="Light").click()
    ready(page)
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    assert page.locator("#theme").inner_text() == "Dark"
    assert page.locator("[data-figure] svg.marks").count() == page.locator("[data-figure]").count()


def test_on_a_phone_nothing_is_wider_than_the_screen(shown, report):
    page = shown(report.address, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#queries-table tbody button").first.click()
    assert page.evaluate("document.querySelector('dialog').scrollWidth") <= 390


def test_on_paper_it_is_light_and_the_controls_are_gone(shown, report):
    page = shown(report.address, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    for hidden in ("#theme", "#filter", "nav"):
        assert not page.locator(hidden).is_visible()
    assert page.locator("h1").is_visible()


def test_without_scripts_the_tables_are_there(visit, report):
    page = visit(report.address, java_script_enabled=False)
    assert "need JavaScript" in page.inner_text("main")
    assert page.locator("#queries-table tbody tr").count() == 20
    assert page.locator("table").count() > 5


def test_pointing_at_a_mark_tells_its_number(shown, report):
    page = shown(report.address)
    page.locator("[data-figure=precision-recall] svg.marks").scroll_into_view_if_needed()
    page.locator("[data-figure=precision-recall] .mark-symbol path").nth(4).hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert re.search(r"precision\s*0\.\d{4}", page.inner_text("#vg-tooltip-element"))


def swiped(page: Any, figure: str) -> int:
    """How far the page scrolls when a finger moves 200 points up a plot."""
    place = page.locator(figure)
    place.scroll_into_view_if_needed()
    box, before = place.bounding_box(), page.evaluate("scrollY")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    hand = page.context.new_cdp_session(page)
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(10, 210, 10):
        hand.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - step}]})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(f"() => scrollY > {before + 100}")
    return int(page.evaluate("scrollY") - before)


def test_a_finger_on_a_plot_scrolls_the_page_and_leaves_the_plot_as_it_is(shown, report):
    page = shown(report.address, **PHONE)
    before = texts_of(page, "precision-recall")
    assert swiped(page, CURVE) > 100
    assert texts_of(page, "precision-recall") == before


def test_a_tap_near_a_mark_tells_its_number_and_the_hint_speaks_of_fingers(shown, report):
    page = shown(report.address, **PHONE)
    page.locator(CURVE).scroll_into_view_if_needed()
    box = page.locator("[data-figure=precision-recall] .mark-symbol path").nth(4).bounding_box()
    page.touchscreen.tap(box["x"] + 10, box["y"] + 8)
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert re.search(r"precision\s*0\.\d{4}", page.inner_text("#vg-tooltip-element"))
    assert page.locator("#vg-tooltip-element").bounding_box()["x"] >= 0
    hint = " ".join(page.locator(".hint:visible").all_inner_texts())
    assert "Tap" in hint
    assert "Ctrl" not in hint


def test_with_a_mouse_a_plot_moves_and_zooms_but_never_away_from_what_it_shows(shown, report):
    page = shown(report.address)
    place = page.locator(CURVE)
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    whole = sorted(texts_of(page, "precision-recall"))

    def turn(wheel: int) -> None:
        page.mouse.move(x, y)
        page.keyboard.down("Control")
        page.mouse.wheel(0, wheel)
        page.keyboard.up("Control")

    def drag(dx: int, dy: int) -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + dx, y + dy, steps=4)
        page.mouse.up()

    drag(300, -90)
    assert sorted(texts_of(page, "precision-recall")) == whole
    turn(-700)
    page.wait_for_function(f"() => !document.querySelector('{CURVE}').textContent.includes('1.0')")
    drag(-2000, 0)
    page.wait_for_function(f"() => document.querySelector('{CURVE}').textContent.includes('1.0')")
    assert {text for text in texts_of(page, "precision-recall") if text > "1.0" and text[0].isdigit()} == set()
    turn(9000)
    page.wait_for_function(f"() => document.querySelectorAll('{CURVE} text').length == {len(whole)}")
    assert sorted(texts_of(page, "precision-recall")) == whole


OUTSIDE = """figures => figures.flatMap(figure => {
  const around = figure.querySelector('svg.marks').getBoundingClientRect();
  return [...figure.querySelectorAll('svg.marks text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.width && (box.top < around.top - 1 || box.bottom > around.bottom + 1
      || box.left < around.left - 1 || box.right > around.right + 1);
  }).map(text => `${figure.dataset.figure}: ${text.textContent}`);
})"""


@pytest.mark.parametrize("width", [360, 390, 1280])
@pytest.mark.parametrize("which", ["report", "long", "nasty"])
def test_no_text_lies_outside_of_its_plot(shown, request, which, width):
    page = shown(request.getfixturevalue(which).address, viewport={"width": width, "height": 844})
    assert page.eval_on_selector_all("[data-figure]", OUTSIDE) == []


def test_long_names_that_begin_alike_differ_in_every_legend_and_are_whole_in_tooltips(shown, long):
    page = shown(long.address, **PHONE)
    figures = page.locator("[data-figure]").all()
    found = [names for one in figures if (names := one.locator(".role-legend-label text").all_text_contents())]
    assert len(found) > 4
    everyone = [f"…fold={n}" for n in range(9)]
    for names in found:
        assert len(names) in (8, 9)
        assert set(names) <= set(everyone)
        assert len(set(names)) == len(names)


def test_the_name_that_is_chosen_in_a_legend_is_the_one_that_is_written_there(shown, long):
    page = shown(long.address)
    figure = page.locator("[data-figure=differences]")
    label = figure.locator(".role-legend-label text").nth(5)
    label.click()
    bright = figure.locator(".mark-line path[opacity='1']")
    bright.nth(1).wait_for(state="detached")
    drawn = figure.locator(".role-legend-symbol path").nth(5)
    for look in ("stroke", "stroke-dasharray"):
        assert bright.get_attribute(look) == drawn.get_attribute(look)


def test_on_paper_what_is_folded_is_open_and_nothing_is_cut_or_asks_for_a_click(shown, report):
    page = shown(report.address)
    count = "document.querySelectorAll('main details[open]').length"
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.opened = {count}; }})")
    folded = page.locator("main figure > details").count()
    page.pdf()
    assert page.evaluate("window.opened") == folded > 1
    assert page.evaluate(count) == 0
    page.emulate_media(media="print")
    assert not page.get_by_text("Click a query").is_visible()
    assert not page.locator(".hint:visible").count()


def test_the_command_is_never_cut(visit, tmp_path):
    found = Runs.of(evaluated({"q": {"a": 1}}, {"one": {"q": ["a"]}}, "AP"))
    command = "truerank report " + " ".join(f"a-run-with-a-long-name-{n}.run" for n in range(30))
    address = saved(tmp_path, ReportData(runs=found, command=command)).address
    for device in ({}, PHONE):
        page = ready(visit(address, **device))
        assert page.eval_on_selector("pre", "pre => pre.scrollWidth <= pre.clientWidth")


def test_the_names_stay_in_sight_while_a_wide_table_scrolls_sideways(shown, report):
    page = shown(report.address, **PHONE)
    wide = page.locator("#queries-table .scroll")
    assert wide.evaluate("place => place.scrollWidth > place.clientWidth")
    wide.evaluate("place => { place.scrollLeft = 90; }")
    left = wide.bounding_box()["x"]
    for name in (wide.locator("tbody th").first, wide.locator("thead th").first):
        assert name.bounding_box()["x"] == pytest.approx(left, abs=1)
        assert name.evaluate("cell => getComputedStyle(cell).backgroundColor") == "rgb(255, 255, 255)"
    assert "local" in wide.evaluate("place => getComputedStyle(place).backgroundAttachment")


def test_korean_sentences_in_a_table_have_room_on_a_phone(shown, long):
    page = shown(long.address, **PHONE)
    rules = page.locator("table", has_text="without_relevant")
    assert max(rules.locator("tbody tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")) < 130
    assert rules.evaluate("table => table.parentNode.scrollWidth <= table.parentNode.clientWidth")
    assert page.evaluate("getComputedStyle(document.body).wordBreak") == "keep-all"


def test_a_plot_is_as_high_as_what_is_drawn_in_it(shown, alone):
    page = shown(alone.address)
    room = "place => place.offsetHeight - place.querySelector('svg.marks').getBoundingClientRect().height"
    assert all(one < 12 for one in page.locator("[data-figure]").evaluate_all(f"places => places.map({room})"))
    assert page.locator("[data-figure=intervals]").bounding_box()["height"] < 110
