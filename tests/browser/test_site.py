"""The documentation site: it builds without a warning, nothing in it leads nowhere, and options are found."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from report_pages import PHONE

pytest.importorskip("mkdocs")

HERE = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


class Silent(SimpleHTTPRequestHandler):
    """Says nothing of what is asked for."""

    def log_message(self, *parts: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is, as a browser asks for it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.slow
def test_the_site_builds_without_a_warning(site: Path) -> None:
    assert (site / "index.html").is_file()
    for page in ("tour", "tutorials/student", "api", "changes"):
        assert (site / page / "index.html").is_file()
    reference = (site / "api" / "index.html").read_text("utf-8")
    assert 'id="truerank.core.evaluate.evaluate"' in reference
    assert 'id="truerank.live.sweep.sweep"' in reference
    assert re.findall(r"<code>\w+(?:, \w+)+</code>\s*</td>", reference) == []
    for name in ("index.html", "404.html"):
        page = (site / name).read_text("utf-8")
        assert 'data-md-component="source"' not in page  # by which the theme's script asks api.github.com
        assert 'class="md-source"' in page


@pytest.mark.slow
@pytest.mark.parametrize("words", ["--per-query", "-m", "Fleiss", "tr.evaluate"])
def test_what_people_type_is_found(visit: Any, address: str, words: str) -> None:
    page = visit(f"{address}cli/", allowed=(address,))
    page.locator(".md-search__input").click()
    page.locator(".md-search__input[placeholder]").press_sequentially(words)
    page.locator(".md-search-result__item").first.wait_for()
    assert not page.get_by_text("No matching documents").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 1920])
def test_no_text_of_a_command_scrolls_sideways_where_the_window_is_wide(
    visit: Any, address: str, width: int
) -> None:
    for name in ("cli", "compare", "measures"):
        page = visit(f"{address}{name}/", allowed=(address,), viewport={"width": width, "height": 844})
        wide = "blocks => blocks.filter(one => one.scrollWidth > one.clientWidth).length"
        assert page.locator("pre > code").count() > 5
        assert page.locator("pre > code").evaluate_all(wide) == 0


@pytest.mark.slow
def test_what_a_parameter_means_has_the_width_of_a_phone(visit: Any, address: str) -> None:
    page = visit(f"{address}api/", allowed=(address,), **PHONE)
    tables = page.locator(".doc-contents table:has(th:nth-child(4))")
    assert tables.count() > 20
    wide = "tables => tables.filter(one => one.scrollWidth > one.clientWidth).length"
    assert tables.evaluate_all(wide) == 0
    widths = tables.first.locator("tbody td:nth-child(3)").evaluate_all(
        "cells => cells.map(one => one.clientWidth)"
    )
    assert min(widths) > 300
