"""`truerank report`: everything there is to say of runs, as one page that people send around."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import click

from truerank import geo
from truerank.bench.storage import loaded
from truerank.cli import options
from truerank.cli.compare import Comparing
from truerank.cli.output import is_styled, write
from truerank.cli.progress import Reading
from truerank.errors import InputError
from truerank.formats import open_run, read_qrels
from truerank.measures import parse_measures
from truerank.report import making, renderers
from truerank.report.material import RESULTS, Input, Located, Material, Runs, evaluated, inputs
from truerank.report.renderers import terminal
from truerank.report.texts import LANGUAGES
from truerank.rules import Rules
from truerank.truth import read_items


@click.command("report")
@click.argument("qrels", required=False, type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, type=options.FILE)
@options.measures
@options.rules
@options.changes
@click.option(
    "--baseline",
    metavar="NAME|N",
    help="Compare the others to this run: its file's name, or its number, from 1 [default: compare every two].",
)
@click.option(
    "--bench",
    "benches",
    metavar="FILE",
    multiple=True,
    type=options.FILE,
    help="What `truerank bench` wrote as JSON; may be repeated.",
)
@click.option(
    "--geo",
    "places",
    metavar="QUERIES REFERENCES RESULTS",
    nargs=3,
    type=options.FILE,
    help="Places recognised in pictures: the files that `truerank geo` takes.",
)
@click.option("--title", metavar="TEXT", help="What stands above it.")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Of the texts [default: Korean in a Korean locale].")
@click.option(
    "--figures", metavar="FOLDER", type=click.Path(file_okay=False), help="Each figure as SVG and PNG too."
)
@click.option(
    "--results",
    type=click.IntRange(0),
    default=RESULTS,
    show_default=True,
    help="How many results of each list the page can show.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=options.FILE,
    help="Ends in .html, .md, .tex, .json, .txt or .pdf; without it the report is printed.",
)
@options.qrels_format
@options.run_format
def command(qrels: str | None, runs: tuple[str, ...], output: str, **asked: Any) -> None:
    """Write everything that there is to say of runs as one page that people can send around.

    Who is best and how sure that is, what the means hide, curves, every query with its lists, and what it takes
    to make the page again. The page needs no network and no server.

    Needs: pip install "truerank[report]"

    \b
    Examples:
      truerank report qrels.txt bm25.run dense.run -o report.html
      truerank report qrels.txt *.run --baseline bm25.run --lang ko -o report.html
      truerank report qrels.txt *.run -o paper.tex --figures figures
      truerank report --geo flight.json map.json faiss/ -o places.html
    """
    draw = None if output == "-" else renderers.by_ending(output)
    files = [path for path in (qrels, *runs, *asked["benches"], *(asked["places"] or ())) if path]
    if not files or (qrels and not runs):
        raise click.UsageError("A report needs QRELS and RUNs, or --geo, or --bench.")
    options.refuse_two_standard_inputs(*files)
    options.refuse_to_overwrite(output, *files)
    material = _material(qrels, runs, files, asked)
    with _working("making the report"):
        document = making.make(material, asked["title"], asked["lang"])
        if draw is not None:
            making.write(document, output, draw, asked["figures"])
    if draw is None:
        write(terminal.text(document, styled=is_styled(output)))


def _working(text: str) -> AbstractContextManager[object]:
    """Something that moves on a terminal's standard error."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


def _material(qrels: str | None, runs: tuple[str, ...], files: list[str], asked: dict[str, Any]) -> Material:
    located = _located(asked["places"]) if asked["places"] else None
    benches = tuple(one for path in asked["benches"] for one in loaded(path))
    return Material(
        runs=_runs(qrels, runs, asked) if qrels else _of_places(located),
        benches=benches,
        located=located,
        inputs=_inputs(files, asked["rules"]),
        command=_command(qrels, runs, asked),
        results=asked["results"],
        versions=making.versions(),
    )


def _runs(qrels: str, runs: tuple[str, ...], asked: dict[str, Any]) -> Runs:
    under = options.changed(Rules.of(asked["rules"]), asked["changes"])
    wanted = parse_measures(" ".join(asked["measures"])) if asked["measures"] else None
    judged = read_qrels(qrels, asked["qrels_format"])
    bar = Comparing()
    with Reading() as reading, bar:
        sources = [replace(open_run(run, asked["run_format"]), watch=reading.advance) for run in runs]
        baseline = _baseline(asked["baseline"], runs)
        return evaluated(judged, sources, wanted, rules=under, baseline=baseline, watch=bar.reach)


def _baseline(text: str | None, runs: tuple[str, ...]) -> str | int | None:
    """The run's place from 0 where it was given by its number, else its name."""
    if text is None or not text.isdecimal() or text in runs:
        return text
    if not 1 <= int(text) <= len(runs):
        raise InputError(f"--baseline {text}: there are {len(runs)} runs")
    return int(text) - 1


def _located(files: tuple[str, str, str]) -> Located:
    """The places as `truerank geo` evaluates them by default."""
    queries, references, results = files
    asked, there = read_items(queries), read_items(references)
    with Reading() as bar:
        found = geo.read_results(results, asked, there, watch=bar.advance)
    return Located(geo.evaluate(asked, there, found), asked)


def _of_places(located: Located | None) -> Runs | None:
    """What came back for the places, as a run like any other."""
    if located is None:
        return None
    view = next(iter(located.places.views.values()))
    return evaluated(view.qrels, [view.run], view.measures, rules=view.scores.rules)


def _inputs(files: list[str], rules: str | None) -> tuple[Input, ...]:
    """All that was read; a preset of rules is no file."""
    return inputs([*files, *([rules] if rules and os.path.isfile(rules) else [])])


def _command(qrels: str | None, runs: tuple[str, ...], asked: dict[str, Any]) -> str:
    """What makes it again in a folder that holds the files."""
    words = [os.path.basename(path) for path in (qrels, *runs) if path]
    words += [word for name, option in REPEATED.items() for value in asked[name] for word in (option, value)]
    words += [word for path in asked["benches"] for word in ("--bench", os.path.basename(path))]
    words += (
        ["--geo", *(os.path.basename(path.rstrip(os.sep)) for path in asked["places"])] if asked["places"] else []
    )
    if asked["rules"]:
        is_file = os.path.isfile(asked["rules"])
        words += ["--rules", os.path.basename(asked["rules"]) if is_file else asked["rules"]]
    said = {option: asked[name] for name, option in ONCE.items() if asked[name] not in (None, DEFAULTS.get(name))}
    words += [word for option, value in said.items() for word in (option, str(value))]
    return f"truerank report {shlex.join(words)} -o report.html"


REPEATED = {"measures": "-m", "changes": "--set"}
ONCE = {
    "baseline": "--baseline",
    "results": "--results",
    "qrels_format": "--qrels-format",
    "run_format": "--run-format",
    "lang": "--lang",
    "title": "--title",
}
DEFAULTS = {"results": RESULTS}
"""Options by the names of their values, as they are written again."""
