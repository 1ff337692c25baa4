"""Reports to open in a browser: judgements and runs of any size, and the page that is made of them."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from truerank.analysis.report import evaluated
from truerank.formats.digests import inputs
from truerank.present import build
from truerank.present.data import ReportData, Runs
from truerank.present.document import Document
from truerank.present.renderers import html
from truerank.present.renderers import json as renderer

NASTY = ("</script><img onerror=alert(1) src=x>", "_%&|", "שלום مرحبا", "--><!-- {{7*7}}")

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@dataclass(frozen=True)
class Report:
    """A report that is written as a page.

    Attributes:
        address: of the page.
    """

    address: str
    document: Document

    @cached_property
    def plain(self) -> Any:
        """The JSON of the same report."""
        return json.loads(renderer.render(self.document))

    def block(self, kind: str) -> Any:
        return next(one for one in self.plain["blocks"] if one["kind"] == kind)


def world(queries: int, systems: int, depth: int, nasty: tuple[str, ...] = ()) -> tuple[Any, dict[str, Any]]:
    """Judgements and runs of which the later ones are better."""
    rng = random.Random(7)
    names = [*nasty, *(f"q{q:05}" for q in range(queries - len(nasty)))]
    qrels = {q: {f"doc{rng.randrange(50_000):06}": rng.choice([0, 0, 1, 1, 2]) for _ in range(8)} for q in names}
    called = [*nasty, *(f"system{s}.run" for s in range(systems))][:systems]
    runs: dict[str, Any] = {name: {} for name in called}
    for s, run in enumerate(runs.values()):
        for query, judged in qrels.items():
            scores = {f"doc{rng.randrange(50_000):06}": round(rng.gauss(0, 1), 4) for _ in range(depth)}
            scores |= {
                d: round(rng.gauss(0.5 + 0.3 * s + g, 1), 4) for d, g in judged.items() if rng.random() < 0.75
            }
            run[query] = scores
    return qrels, runs


def written(folder: Path, qrels: Any, runs: Any, lang: str = "en", measures: str = "nDCG@10 AP RR") -> Report:
    """The report on runs, as report.html in a folder."""
    found = Runs.of(evaluated(qrels, runs, measures))
    return saved(folder, ReportData(runs=found, inputs=inputs([__file__]), versions=build.versions()), lang)


def saved(folder: Path, data: ReportData, lang: str = "en") -> Report:
    document = build.make(data, lang=lang)
    path = folder / "report.html"
    path.write_text(html.render(document), "utf-8")
    return Report(path.as_uri(), document)


def ready(page: Any) -> Any:
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    return page


def rows_of(page: Any) -> list[tuple[str, list[float]]]:
    """The table of queries as it stands there: ids and whole numbers."""
    values = "[...row.querySelectorAll('td')].map(cell => +cell.dataset.value)"
    read = f"rows => rows.map(row => [row.querySelector('th').innerText, {values}])"
    return [tuple(row) for row in page.eval_on_selector_all("#queries-table tbody tr", read)]


def status(page: Any) -> str:
    return str(page.inner_text("#queries-table [role=status]"))


def texts_of(page: Any, figure: str) -> list[str]:
    """All that is written in a plot."""
    return list(page.locator(f"[data-figure={figure}] svg.marks text").all_text_contents())
