"""Debian's Chromium, driven by Playwright: pages that may ask for nothing that they were not allowed to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from report_pages import ready

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser; where there is none the tests are skipped, but under CI that is a failure."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no chromium, which the tests in a browser need")
        pytest.skip("there is no chromium")
    from playwright.sync_api import sync_playwright

    options = ["--disable-gpu"]  # there is none: what does its work in software takes longer than drawing without
    options += ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@dataclass
class Watch:
    """What a page did that it must not do.

    Attributes:
        allowed: beginnings of addresses that it may ask for.
        faults: requests for others, messages on the console, errors of scripts.
    """

    allowed: tuple[str, ...]
    faults: list[str] = field(default_factory=list)

    def attach(self, page: Any) -> None:
        page.route("**/*", self._route)
        page.on("console", lambda said: said.type != "log" and self.faults.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def _route(self, route: Any) -> None:
        if route.request.url.startswith(self.allowed):
            route.continue_()
        else:
            self.faults.append(f"request: {route.request.url[:200]}")
            route.abort()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Visit]:
    """visit(url, allowed=(), **context): a page in a context of its own; at the end it must have done no wrong.

    Only the page itself and what begins with one of `allowed` may be asked for.
    """
    opened: list[tuple[Any, Watch]] = []

    def open_page(url: str, allowed: tuple[str, ...] = (), **options: Any) -> Any:
        opened.append(opened_page(chromium, url, allowed, **options))
        return opened[-1][0]

    yield open_page
    for page, _ in opened:
        page.context.close()
    assert [fault for _, watch in opened for fault in watch.faults] == []


def opened_page(chromium: Any, url: str, allowed: tuple[str, ...] = (), **options: Any) -> tuple[Any, Watch]:
    page, watch = chromium.new_context(**options).new_page(), Watch((url, *allowed))
    watch.attach(page)
    page.goto(url)
    return page, watch


DESK = {"viewport": {"width": 1280, "height": 844}, "color_scheme": "light"}

KEEP = "() => { window.asLoaded = document.querySelector('main').innerHTML; }"

RESTORE = """() => {
  const put = (id, value, kind) => {
    const control = document.getElementById(id);
    control.value = value ?? control.options[0].value;
    control.dispatchEvent(new Event(kind));
  };
  for (const dialog of document.querySelectorAll('dialog')) {
    if (dialog.open) dialog.close();
    dialog.replaceChildren();
  }
  for (const one of document.querySelectorAll('details[open]')) one.open = false;
  for (const one of document.querySelectorAll('.scroll')) one.scrollLeft = 0;
  put('filter', '', 'input');
  put('which', null, 'change');
  put('measure', null, 'change');
  const spread = document.querySelector('#queries-table thead th:last-child');
  if (spread.ariaSort !== 'descending') spread.querySelector('button').click();
  document.activeElement?.blur();
  scrollTo(0, 0);
  return document.querySelector('main').innerHTML === window.asLoaded;
}"""
"""What brings a report back to how it was when it had been loaded; whether it did."""


@pytest.fixture(scope="module")
def kept(chromium: Any) -> Iterator[dict[str, tuple[Any, Watch]]]:
    """The pages of `shown`."""
    pages: dict[str, tuple[Any, Watch]] = {}
    yield pages
    for page, _ in pages.values():
        page.context.close()


@pytest.fixture
def shown(chromium: Any, kept: dict[str, tuple[Any, Watch]]) -> Iterator[Visit]:
    """shown(url, **context): a report as it is when it has been loaded; at the end it must have done no wrong.

    Tests that look at the same report in the same way share a page. One that cannot be brought back to exactly what
    was loaded is loaded again.
    """
    used: list[Watch] = []

    def as_loaded(url: str, **options: Any) -> Any:
        options = {**DESK, **options}
        key = repr((url, sorted(options.items())))
        is_new = key not in kept
        if is_new:
            kept[key] = opened_page(chromium, url, **options)
        page, watch = kept[key]
        used.append(watch)
        if is_new or not restored(page):
            ready(page).evaluate(KEEP)
        return page

    yield as_loaded
    faults = [fault for watch in used for fault in watch.faults]
    for watch in used:
        watch.faults.clear()
    assert faults == []


def restored(page: Any) -> bool:
    """Bring a page back to how it was when it had been loaded; False where it had to be loaded again."""
    page.emulate_media(media="null")
    page.mouse.move(0, 0)
    if page.evaluate(RESTORE):
        return True
    page.reload()
    return False


@pytest.fixture
def serious() -> Callable[[Any], list[str]]:
    """What axe-core finds on a page that is serious or critical, a line each."""
    from axe_playwright_python.base import AXE_SCRIPT
    from axe_playwright_python.sync_playwright import Axe

    def found(page: Any) -> list[str]:
        axe = Axe("" if page.evaluate("'axe' in window") else AXE_SCRIPT)
        violations = axe.run(page).response["violations"]
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in violations
            if one["impact"] in ("serious", "critical")
        ]

    return found
