"""A report from its data; and the whole way from judgements and runs to a file."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from truerank import __version__
from truerank.analysis.compare.naming import by_name
from truerank.analysis.report import evaluated
from truerank.core.errors import printable
from truerank.core.languages import in_language, language_asked, translated
from truerank.core.messages import message
from truerank.core.qrels import QrelsLike
from truerank.core.rules import RulesLike
from truerank.formats.digests import inputs, told_apart
from truerank.live.result import Bench
from truerank.measures import Measure
from truerank.present import renderers
from truerank.present.data import Readable, ReportData, Runs
from truerank.present.document import Document
from truerank.present.sections import SECTIONS

PACKAGES = ("numpy", "scipy", "vl-convert-python")
"""Packages whose versions may change a digit or a picture."""


def write_report(
    qrels: QrelsLike | None,
    runs: Iterable[Any],
    path: str | os.PathLike[str],
    measures: str | Iterable[str | Measure] | None = None,
    *,
    rules: RulesLike | None = None,
    baseline: str | int | None = None,
    benches: Iterable[Bench] = (),
    title: str | None = None,
    lang: str | None = None,
    figures: str | os.PathLike[str] | None = None,
    queries: Any = None,
    docs: Any = None,
    items: Any = None,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    as_written: bool = False,
    percent: bool = False,
) -> Document:
    """Evaluate and compare runs, and write a report to a file.

    Args:
        qrels, runs, measures, rules, items, baseline, confidence, samples, seed: as for `compare`.
        path: ends in .html, .md, .tex, .json, .txt or .pdf.
        benches: how fast retrievers are.
        lang: such as en or ko; by default that of the locale.
        figures: a folder for the pictures, as SVG and PNG.
        queries, docs: the texts to show beside ids: a file or {id: text}, see `formats.texts`.
        as_written: measures are called as they were asked for.
        percent: shares are shown as percentages; JSON keeps fractions.

    Raises:
        TruerankError: wrong input, another ending, or a package is missing.
    """
    format = renderers.of_report(path)
    named = by_name(runs, told_apart)
    how: dict[str, Any] = {"rules": rules, "items": items, "as_written": as_written}
    drawing: dict[str, Any] = {"confidence": confidence, "samples": samples, "seed": seed}
    found = evaluated(qrels, named, measures, baseline=baseline, **how, **drawing)
    shown = Runs.of(found, percent=percent)
    things = (qrels, *named.values(), items)
    paths = [thing for thing in things if isinstance(thing, str | os.PathLike)]
    readable = Readable(queries, docs)
    read = inputs([*paths, *readable.files])
    data = ReportData(shown, tuple(benches), inputs=read, versions=versions(), readable=readable)
    document = make(data, title, lang)
    write(document, path, format, figures)
    return document


def make(data: ReportData, title: str | None = None, lang: str | None = None) -> Document:
    """The document, section by section."""
    language = language_asked(lang)
    blocks = [in_language(block, language) for section in SECTIONS for block in section(data)]
    named = printable(title) if title else translated(message("Retrieval report"), language)
    return Document(blocks, results=results(data), title=named, language=language)


def results(data: ReportData) -> dict[str, Any]:
    """The results behind the document, as plain values."""
    runs, located = data.runs, data.located
    return {
        "comparison": runs.comparison.to_dict() if runs else None,
        "scores": [scores.to_dict() for scores in runs.scores] if runs else [],
        "curves": [curve.to_dict() for curve in runs.curves] if runs else [],
        "bench": list(map(_bench, data.benches)),
        "places": located.places.to_dict() if located else None,
        **({"judges": data.judges.to_dict()} if data.judges else {}),
        **({"predicted": data.predicted.to_dict()} if data.predicted else {}),
        "inputs": [vars(one) for one in data.inputs],
        "versions": dict(data.versions),
    }


def _bench(bench: Bench) -> dict[str, Any]:
    figures = {"name": bench.name, "latency_ms": bench.latency, "percentiles": bench.percentiles}
    indexing = {"indexing": bench.indexing.to_dict()} if bench.indexing else {}
    return {**figures, "throughput": bench.throughput, **indexing}


def write(
    document: Document,
    path: str | os.PathLike[str],
    format: str,
    figures: str | os.PathLike[str] | None = None,
) -> None:
    """The pictures, then the document, each all or nothing."""
    from truerank.formats.target import writing
    from truerank.present.renderers import figures as pictures

    folder = "" if figures is None else os.fspath(figures)
    if folder:
        pictures.save(document, folder)
        folder = os.path.relpath(folder, os.path.dirname(os.fspath(path)) or ".")  # for links in the document
    data = renderers.to_bytes(document, format, folder)
    with writing(path) as file:
        file.write(data)


def versions() -> dict[str, str]:
    """The versions of truerank, Python and the packages that may matter, as far as installed."""
    there = {package: version for package in PACKAGES if (version := _version(package))}
    return {"truerank": __version__, "Python": platform.python_version(), **there}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
