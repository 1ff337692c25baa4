"""A document as PDF: the page, printed by a headless browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.present.document import Document
from truerank.present.renderers import html

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PATIENCE = 120
"""Seconds for the browser."""

DATES = re.compile(rb"\(D:\d{14}")
"""When it was printed, which would make the same report differ."""


def render(document: Document) -> bytes:
    """The PDF that the browser prints.

    Raises:
        InputError: there is no such browser, or it failed.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise InputError("a PDF is printed by Chromium, which is not installed; write .html, and print that")
    with tempfile.TemporaryDirectory(prefix="truerank-") as directory:
        page, paper = Path(directory, "report.html"), Path(directory, "report.pdf")
        page.write_bytes(html.render(document).encode("utf-8", "backslashreplace"))
        said = _run([browser, *_switches(directory), f"--print-to-pdf={paper}", page.as_uri()])
        if not paper.exists():
            raise InputError("{browser} made no PDF: {said}", browser=os.path.basename(browser), said=said)
        return DATES.sub(b"(D:20000101000000", paper.read_bytes())


def _run(command: list[str]) -> str:
    """The last thing that the browser said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return message("nothing came in {seconds} s", seconds=PATIENCE)
    return (done.stderr.strip().splitlines() or [message("no message")])[-1]


def _switches(directory: str) -> list[str]:
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [
        "--headless",
        "--disable-gpu",
        "--no-pdf-header-footer",
        f"--user-data-dir={directory}/profile",
        "--virtual-time-budget=20000",
        *root,
    ]
