"""`truerank curve`: precision against recall, as numbers and as a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import click

from truerank.cli import options, tables
from truerank.cli.progress import Reading
from truerank.curve import Points, precision_recall
from truerank.formats import open_run, read_qrels
from truerank.report.curves import pages
from truerank.rules import Rules


@click.command("curve")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.FILE)
@click.option("--query", metavar="ID", help="The curve of this query, raw too: a value after each result.")
@click.option(
    "--plot", metavar="FILE", type=click.Path(), help="Draw all runs in one picture: .svg, .png or .html."
)
@click.option(
    "--points",
    type=click.Choice(get_args(Points)),
    help="What precision at recall r is: by definition the highest at any recall of at least r, or by a "
    "rounding of the rules [default: definition; with --rules, what they say].",
)
@options.rules
@options.changes
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
def command(
    qrels: str,
    runs: tuple[str, ...],
    query: str | None,
    plot: str | None,
    points: Points | None,
    rules: str | None,
    changes: tuple[str, ...],
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Tell how precision falls as recall rises.

    Prints the interpolated precision at recall 0.0, 0.1 … 1.0, its mean (of eleven points: AP11) and the area
    below the curve (AUPRC) in three ways: by steps, which is AP, by trapezoids, and below the interpolated
    curve. Without --query all of it is the mean over the queries.

    --plot needs: pip install "truerank[plots]"

    \b
    Examples:
      truerank curve qrels.txt bm25.run
      truerank curve qrels.txt bm25.run dense.run --plot curves.svg
      truerank curve qrels.txt bm25.run --query 301 --format json
    """
    options.refuse_two_standard_inputs(qrels, *runs)
    for written in (output, plot):
        options.refuse_to_overwrite(written or "", qrels, *runs, rules or "")
    under = options.changed(Rules.of(rules), changes)
    if plot:
        from truerank.report import plots

        plots.drawer(plot)  # a wrong ending is told before anything is read
    judged = read_qrels(qrels, qrels_format)
    read = points or _points(rules, changes, under)
    with Reading() as reading:
        sources = [replace(open_run(run, run_format), watch=reading.advance) for run in runs]
        curves = [precision_recall(judged, run, query, points=read, rules=under) for run in sources]
    if plot:
        plots.save(plots.precision_recall(curves), plot)
    tables.show(pages(curves, digits), format, output)


def _points(rules: str | None, changes: tuple[str, ...], under: Rules) -> Points:
    """The textbook's reading, unless rules were asked for."""
    if rules is None and not any(change.strip().startswith("recall_points") for change in changes):
        return "definition"
    return "up" if under.recall_points == "up" else "round"
