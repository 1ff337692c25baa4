"""`truerank audit-table`: what a published table could ever have shown."""

from __future__ import annotations

import click

from truerank.analysis.claims import audit_table
from truerank.cli import inputs, options, tables
from truerank.present.audit_table import document_of


@click.command("audit-table")
@click.argument("file", type=options.FILE)
@click.option("-n", "--queries", type=int, required=True, help="How many queries the means are of.")
@click.option(
    "--sd",
    type=options.FRACTION,
    metavar="X",
    help="The standard deviation of the differences from query to query [default: what is usual of each measure].",
)
@click.option(
    "-m",
    "--measures",
    metavar="NAMES",
    help="The columns that matter, with commas between them [default: all that hold numbers].",
)
@click.option(
    "--binary", multiple=True, metavar="NAME", help="A column of values that are 0 or 1; may be repeated."
)
@click.option("--baseline", metavar="SYSTEM", help="Compare the others to this one [default: every two].")
@click.option(
    "--alpha", type=options.FRACTION, default=0.05, show_default=True, help="The level of all pairs of a measure."
)
@tables.format
@tables.output
@tables.digits
def command(
    file: str,
    queries: int,
    sd: float | None,
    measures: str | None,
    binary: tuple[str, ...],
    baseline: str | None,
    alpha: float,
    format: str | None,
    output: str,
    digits: int | None,
) -> None:
    """Tell which systems of a published table so many queries could have told apart.

    FILE is CSV, TSV, Markdown or LaTeX, or - for standard input: one row per system, one column per measure, means
    from 0 to 1 or in percent. Bold type, letters and ± behind means are left out.

    \b
    Examples:
      truerank audit-table table2.csv --queries 50
      truerank audit-table README.md --queries 6980 --measures "MRR@10" --baseline BM25
      pbpaste | truerank audit-table - --queries 100 --sd 0.2
    """
    inputs.refuse(file, output=output)
    format = format or tables.by_ending(output)
    names = [name.strip() for name in measures.split(",") if name.strip()] if measures is not None else None
    audit = audit_table(file, queries, sd=sd, measures=names, binary=binary, baseline=baseline, alpha=alpha)
    tables.show(document_of(audit, digits), format, output)
