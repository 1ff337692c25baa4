"""`truerank curve`: precision against recall, as numbers and as a picture."""

from __future__ import annotations

import click

from truerank.analysis.curve import precision_recall
from truerank.cli import id_overlap, inputs, options, tables
from truerank.cli.output import spoken
from truerank.core.rules import Rules
from truerank.formats import read_qrels
from truerank.present.curves import document, figure
from truerank.present.names import labels
from truerank.present.renderers import figures

DEFAULT = "recall_points=definition"
"""What is changed in the default rules: it makes `truerank.analysis.curve.BY_DEFINITION` of them."""


@click.command("curve")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.FILE)
@click.option("--query", metavar="ID", help="The curve of this query, raw too: a value after each result.")
@tables.plot("all runs in one picture: .svg, .png or .html")
@options.rules
@options.changes
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
@options.collapsed
def command(
    qrels: str,
    runs: tuple[str, ...],
    query: str | None,
    plot: str | None,
    rules: str | None,
    changes: tuple[str, ...],
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
) -> None:
    """Tell how precision falls as recall rises.

    Prints the interpolated precision at recall 0.0, 0.1 … 1.0, its mean and the area below the curve (AUPRC)
    in three ways: by steps, which is AP, by trapezoids, and below the interpolated curve. Without --query all of
    it is the mean over the queries.

    The rules' recall_points say what precision at recall r is; without --rules, and of no reading that was made
    under others than the default, it is the definition: the highest at any recall of at least r. Under the same
    rules these are the IPrec@r of `truerank eval`, and their mean is its AP11; for the default it needs --set
    recall_points=definition.

    --plot needs: pip install "truerank[plots]"

    \b
    Examples:
      truerank curve qrels.txt bm25.run
      truerank curve qrels.txt bm25.run dense.run --plot curves.svg
      truerank curve qrels.txt bm25.run --query 301 --format json
      truerank curve qrels.txt bm25.run --rules trec_eval-10
    """
    inputs.refuse(qrels, *runs, rules=rules, output=output, plot=plot)
    format = format or tables.by_ending(output)
    under = _ruled(rules, changes, runs)
    judged = read_qrels(qrels, qrels_format)
    with inputs.opened(runs, run_format, collapse=collapse) as sources:
        curves = [precision_recall(judged, run, query, rules=under) for run in sources]
    id_overlap.refuse_or_warn(judged, curves, labels([curve.run for curve in curves]))
    if plot:
        figures.draw(figure(curves), plot, spoken())
    tables.show(document(curves, digits), format, output)


def _ruled(rules: str | None, changes: tuple[str, ...], runs: tuple[str, ...]) -> Rules:
    """The rules that are asked for or were read under; where they are the default, recall points by definition."""
    asked = inputs.rules_asked(rules, (), runs)
    is_said = rules is not None or any(change.partition("=")[0].strip() == "recall_points" for change in changes)
    return options.changed(asked, changes if is_said or not asked.is_like(Rules()) else (DEFAULT, *changes))
