"""`truerank eval`: qrels and runs in, scores out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import click

from truerank.cli import options
from truerank.cli.output import is_styled, write
from truerank.cli.progress import Reading
from truerank.errors import InputError
from truerank.evaluate import evaluate
from truerank.formats import open_run, read_qrels
from truerank.formats.target import refuse_unwritten
from truerank.measures import parse_measures
from truerank.report import ledger
from truerank.report.scores import FORMATS, labels, render
from truerank.rules import Rules
from truerank.run import Run
from truerank.scores import Scores

PLAIN = (".run", ".out", ".log", ".res", ".results", ".scores")
"""Endings of plain text, in which a table is what people expect."""


@click.command("eval")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.FILE)
@options.measures
@options.rules
@options.changes
@click.option("-q", "--per-query", is_flag=True, help="Every query's values too.")
@click.option(
    "-f",
    "--format",
    type=click.Choice(list(FORMATS)),
    help="How to write the scores [default: table, or what FILE's ending says].",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=options.FILE,
    help="Write there instead of printing: all or nothing, and compressed if FILE ends in .gz.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    help="Digits after the point [default: 4; all of them in csv]. JSON always has all.",
)
@options.qrels_format
@options.run_format
@click.option(
    "--threads",
    type=click.IntRange(1),
    help="How many may read a large plain file [default: as many as there are processors].",
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    per_query: bool,
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    threads: int | None,
) -> None:
    """Tell how well runs answer the queries of the qrels.

    Prints the mean of each measure, and below what the mean hides: queries that are missing, that have
    nothing to find, or whose scores depend on ties. A file may be plain or compressed, a URL, or - for
    standard input.

    \b
    Examples:
      truerank eval qrels.txt bm25.run
      truerank eval qrels.txt bm25.run dense.run -m "nDCG@10 AP(level=2)"
      truerank eval qrels.txt bm25.run --rules trec_eval-10 --set level=2
      truerank eval qrels.txt bm25.run --per-query -o scores.csv
      zcat big.run.gz | truerank eval qrels.txt - --format json
    """
    options.refuse_two_standard_inputs(qrels, *runs)
    options.refuse_to_overwrite(output, qrels, *runs, rules or "")
    refuse_unwritten(output)
    format = format or _by_ending(output)
    under = options.changed(Rules.of(rules), changes)
    wanted = parse_measures(" ".join(measures)) if measures else None
    judged = read_qrels(qrels, qrels_format)
    with Reading() as reading:
        sources = [replace(open_run(run, run_format), watch=reading.advance) for run in runs]
        reading.total = _size(sources)
        scores: list[Scores]
        if under.missing == "lines":
            from truerank.contest import judge

            scores = [judge(judged, run, wanted, rules=under, format=run_format) for run in runs]
        else:
            scores = [evaluate(judged, run, wanted, rules=under, threads=threads) for run in sources]
    _warn_of_strangers(scores)
    if format in ("csv", "trec") or (format == "jsonl" and per_query):
        _say(scores)
    write(render(scores, format, per_query=per_query, digits=digits, styled=is_styled(output)), output)


def _warn_of_strangers(scores: Sequence[Scores]) -> None:
    """Say it loud where a run answers none of the judged queries: its ids are probably spelled otherwise."""
    for one, name in zip(scores, labels(scores), strict=True):
        if one.ledger.judged and not one.ledger.answered:
            hint = "`truerank lint` tells whether the ids are spelled otherwise"
            click.echo(f"truerank: {name} answers none of the judged queries; {hint}", err=True)


def _size(runs: Sequence[Run]) -> int | None:
    """How many bytes there are to read, if that is known."""
    paths = [run.path for run in runs]
    return sum(path.stat().st_size for path in paths if path) if all(paths) else None


def _by_ending(path: str) -> str:
    """The format that a file's name asks for; a table where its ending asks for none."""
    stem, ending = os.path.splitext(path.lower())
    if ending in (".gz", ".zst", ".bz2"):
        ending = os.path.splitext(stem)[1]
    found = next((name for name, endings in FORMATS.items() if ending in endings), None)
    if found or ending in PLAIN or not ending[1:2].isalpha():
        return found or "table"
    known = ", ".join(one for endings in FORMATS.values() for one in endings)
    raise InputError(f"no format of scores ends in {ending}: say which (--format), or end it in {known}", path)


def _say(scores: Sequence[Scores]) -> None:
    """What is remarkable, on standard error, where the format has no place for it."""
    for one, name in zip(scores, labels(scores), strict=True):
        for remark in ledger.remarks(one):
            click.echo(f"{name}: {remark}", err=True)
