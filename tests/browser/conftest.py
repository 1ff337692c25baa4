"""Debian's Chromium, driven by Playwright: pages that may ask for nothing that they were not allowed to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

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

    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=root)
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
        context = chromium.new_context(**options)
        page, watch = context.new_page(), Watch((url, *allowed))
        watch.attach(page)
        opened.append((context, watch))
        page.goto(url)
        return page

    yield open_page
    for context, _ in opened:
        context.close()
    assert [fault for _, watch in opened for fault in watch.faults] == []


@pytest.fixture
def serious() -> Callable[[Any], list[str]]:
    """What axe-core finds on a page that is serious or critical, a line each."""
    from axe_playwright_python.sync_playwright import Axe

    def found(page: Any) -> list[str]:
        violations = Axe().run(page).response["violations"]
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in violations
            if one["impact"] in ("serious", "critical")
        ]

    return found
