"""`truerank power`: what a set of queries can show."""

from __future__ import annotations

from typing import Any

import click

from truerank.analysis.claims import power
from truerank.cli import inputs, options, tables
from truerank.core.messages import message
from truerank.formats import read_qrels
from truerank.present.power import document_of


@click.command("power")
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=options.FILE)
@click.option(
    "-n",
    "--queries",
    type=int,
    help="How many queries there are [default: with --like and no --difference, as many as RUNS share].",
)
@click.option(
    "-d", "--difference", type=options.FRACTION, metavar="X", help="The real difference of means that matters."
)
@click.option(
    "--sd",
    type=options.FRACTION,
    metavar="X",
    help="The standard deviation of the differences from query to query [default: what is usual].",
)
@click.option(
    "--like",
    "qrels",
    metavar="QRELS",
    type=options.FILE,
    help="Take the standard deviations of RUNs on these judgements.",
)
@options.measures_of("What to plan for", f"with --like {options.NAMED}; without it nDCG@10 AP RR Success@1")
@options.rules
@options.changes
@click.option("--systems", type=int, default=2, show_default=True, help="How many are compared, every two.")
@click.option(
    "--alpha", type=options.FRACTION, default=0.05, show_default=True, help="The level of all tests together."
)
@click.option(
    "--power",
    "wanted",
    type=options.FRACTION,
    default=0.8,
    show_default=True,
    help="How often a real difference should be found.",
)
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
@options.collapsed
@options.items
def command(
    runs: tuple[str, ...],
    queries: int | None,
    difference: float | None,
    sd: float | None,
    qrels: str | None,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    systems: int,
    alpha: float,
    wanted: float,
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
    items: str | None,
) -> None:
    """Tell what a set of queries can show: power, the smallest difference, how many are needed.

    By the two-sided paired t-test; with several systems at the level divided by their pairs. How much differences
    vary is given (--sd), taken from runs (--like QRELS RUN...), or what was measured on other collections.

    \b
    Examples:
      truerank power --queries 50 --difference 0.02 --sd 0.2
      truerank power --like qrels.txt bm25.run dense.run -m nDCG@10
      truerank power --difference 0.02 --like qrels.txt bm25.run dense.run -m nDCG@10
      truerank power --difference 0.05 --like qrels.txt old.run new.run -m ILD@10 --items items.csv
      truerank power --queries 50 --systems 6 -m "nDCG@10 AP"
    """
    if bool(runs) != (qrels is not None):
        raise click.UsageError(message("Runs are judged by qrels: --like QRELS RUN RUN."))
    if not runs:
        inputs.refuse_of_runs()
    inputs.refuse(qrels, *runs, items, rules=rules, output=output)
    format = format or tables.by_ending(output)
    named = " ".join(measures) or None
    how: dict[str, Any] = {"systems": systems, "alpha": alpha, "power": wanted, "measures": named}
    if qrels is None:
        planned = power(queries, difference, sd=sd, **how)
    else:
        judged = read_qrels(qrels, qrels_format)
        with inputs.opened(runs, run_format, collapse=collapse) as opened:
            under = inputs.rules_asked(rules, changes, runs)
            planned = power(queries, difference, sd=sd, qrels=judged, runs=opened, rules=under, items=items, **how)
    tables.show(document_of(planned, digits), format, output)
