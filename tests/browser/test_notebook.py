"""What a notebook is given, in a browser: pictures that are dark where the page is, whatever the system prefers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator

import truerank as tr

pytest.importorskip("vl_convert", reason="the extra plots is not installed")

PAGE = '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><body style="color-scheme: {scheme}">{html}'


@pytest.fixture(scope="module")
def html() -> str:
    qrels = {f"q{n}": {"a": 1} for n in range(12)}
    good, bad = ["a", "x"], ["x", "a"]
    runs = {name: {f"q{n}": good if n % step else bad for n in range(12)} for name, step in (("b", 2), ("c", 3))}
    return tr.compare(qrels, runs, "RR AP").to_html()


def picture(visit: Any, tmp_path: Path, html: str, scheme: str, system: str) -> Locator:
    path = tmp_path / f"{scheme}-{system}.html"
    path.write_text(PAGE.format(scheme=scheme, html=html))
    found = visit(path.as_uri(), color_scheme=system).locator("img")
    assert found.evaluate("image => image.complete && image.naturalWidth > 400")
    return found


def test_a_picture_follows_the_page_and_not_the_system(visit: Any, tmp_path: Path, html: str) -> None:
    shown = {
        (scheme, system): picture(visit, tmp_path, html, scheme, system).screenshot()
        for scheme in ("light", "dark")
        for system in ("light", "dark")
    }
    assert shown["light", "light"] == shown["light", "dark"] != shown["dark", "light"] == shown["dark", "dark"]


def test_a_picture_is_no_wider_than_the_cell(visit: Any, tmp_path: Path, html: str) -> None:
    narrow = f'<div style="width: 300px">{html}</div>'
    found = picture(visit, tmp_path, narrow, "light", "light")
    assert found.evaluate("image => image.getBoundingClientRect().width") <= 300


def test_a_picture_says_in_words_what_it_shows(visit: Any, tmp_path: Path, html: str) -> None:
    said = picture(visit, tmp_path, html, "light", "light").get_attribute("alt")
    assert said == (
        "Means with 95 % intervals. One dot per system and measure at its mean; the line spans its interval."
    )


def test_axe_finds_nothing_serious_on_a_picture_that_is_saved_as_a_page(
    visit: Any, serious: Any, tmp_path: Path
) -> None:
    path = tmp_path / "plot.html"
    tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP RR").plot().save(path)
    page = visit(path.as_uri())
    page.wait_for_selector("summary[aria-label]")
    assert serious(page) == []


def test_a_picture_that_is_saved_as_a_page_is_as_wide_as_its_window_whatever_its_title(
    visit: Any, tmp_path: Path
) -> None:
    path = tmp_path / "plot.html"
    reading = tr.read({"q": {"a": 1}}, {"q": ["a"]}, name="a" * 180)
    tr.evaluate(reading, measures="AP RR").plot().save(path)
    for width in (360, 1400):
        page = visit(path.as_uri(), viewport={"width": width, "height": 600})
        page.wait_for_selector("summary[aria-label]")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert width * 0.7 < page.evaluate("document.querySelector('svg.marks').getBBox().width") < width
        assert page.get_by_text("a" * 180).is_visible()
        page.locator("summary").press("Enter")
        page.keyboard.press("Escape")
        assert not page.locator("details[open]").count()
