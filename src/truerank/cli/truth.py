"""`truerank truth`: qrels out of coordinates, bounds, identities or lists."""

from __future__ import annotations

import os

import click

from truerank import formats, truth
from truerank.cli import options
from truerank.cli.items import KEY, files_in, read
from truerank.cli.output import write
from truerank.errors import InputError
from truerank.report import csv
from truerank.report.table import Table
from truerank.truth import DISTANCES, Truth


@click.command("truth")
@click.argument("rule", metavar="RULE")
@click.argument("queries", type=options.FILE)
@click.argument("references", type=options.FILE)
@click.option("-o", "--output", metavar="FILE", default="-", type=options.FILE, help="Write the qrels there.")
@options.format("--to", help="The format of the qrels [default: by FILE's ending].")
@click.option("--distance", type=click.Choice(list(DISTANCES)), default="geodesic", help="How to measure.")
@click.option(
    "--distances", metavar="FILE", type=options.FILE, help="Write every pair with its metres there, as CSV."
)
@KEY
def command(
    rule: str,
    queries: str,
    references: str,
    output: str,
    to: str | None,
    distance: str,
    distances: str | None,
    keys: tuple[str, ...],
) -> None:
    """Write qrels that a rule makes of queries and references.

    QUERIES and REFERENCES are JSON, GeoJSON, JSON lines, CSV, Parquet, lists of file names, or folders of
    files whose names say where they are (@easting@northing@…).

    \b
    Rules:
      nearest(n=1)                     the n nearest references are right
      within(metres=25)                all that are at most so far away are right
      contains                         the tiles whose bounds hold the query's place are right
      identity(ignore_same='camera')   the same label is right
      listed('pairs.csv')              what a list says is right

    \b
    Examples:
      truerank truth nearest flight.json references.json -o truth.qrels
      truerank truth "within(metres=50)" queries.csv database.csv --distances pairs.csv -o qrels.tsv
    """
    options.refuse_two_standard_inputs(queries, references)
    for written in (output, distances):
        options.refuse_to_overwrite(written or "", queries, references, *files_in(rule))
    if distances and _is_one_file(output, distances):
        raise click.UsageError("--output and --distances would be written to one file.")
    asked, there = read(queries, keys, "queries"), read(references, keys, "references")
    right = truth.build(rule, asked, there, distance=distance)
    _refuse_ignored(right)
    formats.convert(right, output, what="qrels", to=to)
    if distances:
        write(csv.render(_pairs(right)), distances)
    for note in right.notes:
        click.echo(note.message, err=True)


def _pairs(right: Truth) -> Table:
    """A row a pair, with all digits."""
    return Table(("query_id", "doc_id", "relevance", "metres"), tuple(right.pairs()), digits=None)


def _is_one_file(first: str, second: str) -> bool:
    """Whether what is written to the second would take the place of what was written to the first."""
    is_file = "-" not in (first, second) and (os.path.isfile(first) or not os.path.exists(first))
    return is_file and os.path.realpath(first) == os.path.realpath(second)


def _refuse_ignored(right: Truth) -> None:
    ignored = sum(grade != grade for _, _, grade, _ in right.pairs())
    if ignored:
        pairs = f"{ignored:,} pairs are ignored, which no format of qrels can say"
        raise InputError(
            f"{pairs}; use truth.identity from Python, or identity(ignore_same=None, ignore_label=None)"
        )
