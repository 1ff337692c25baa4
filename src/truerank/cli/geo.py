"""`truerank geo`: places recognised in pictures; recall by ground truth from coordinates, and metres."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from truerank import geo
from truerank.cli import options
from truerank.cli.items import KEY, files_in, read, split
from truerank.cli.output import is_styled, write
from truerank.cli.progress import Reading
from truerank.geo.evaluation import CUTS, METRICS, RULES, WITHIN
from truerank.report import csv, markdown, terminal
from truerank.report import geo as report
from truerank.report.json import dumps
from truerank.report.table import Table
from truerank.rules import Rules

FORMATS = ("table", "json", "csv", "markdown")


@click.command("geo")
@click.option("--queries", metavar="FILE", required=True, type=options.FILE, help="The queries with their places.")
@click.option("--references", metavar="FILE", required=True, type=options.FILE, help="What may be found, likewise.")
@click.option(
    "--results",
    metavar="FOLDER|FILE",
    required=True,
    type=options.FILE,
    help="A folder with a JSON file a query, or a run in any format.",
)
@click.option(
    "--metric",
    multiple=True,
    type=click.Choice(METRICS),
    help="How to measure; may be repeated [default: both: geodesic and, where there are x and y, xy].",
)
@click.option("-k", "cuts", multiple=True, metavar="K,K,…", help="The cutoffs [default: 1,5,10].")
@click.option(
    "--truth",
    metavar="RULE",
    default="nearest",
    show_default=True,
    help="What is right: nearest(n=3), within(metres=25), contains, listed('pairs.csv'), …",
)
@click.option("--within", multiple=True, metavar="T,T,…", help="R@k within so many metres; prints the table of it.")
@click.option("-m", "--measures", multiple=True, metavar="MEASURES", help="More of them, e.g. RR; may be repeated.")
@click.option("-r", "--rules", metavar="NAME|FILE", help="A preset or a rules file [default: geo, see above].")
@options.changes
@click.option(
    "--pattern", metavar="REGEX", help=r"Where a file's name has the query's id [default: _(\d{12}_\d{5})_]."
)
@click.option("--name", metavar="TEXT", help="What the query is then called [default: {}.jpg].")
@click.option(
    "--better",
    type=click.Choice(["lower", "higher", "order"]),
    help="Which value is better [default: by its name].",
)
@KEY
@options.run_format
@click.option(
    "-q", "--per-query", is_flag=True, help="Every query: truth, distance, rank, first result, its error."
)
@click.option("-f", "--format", type=click.Choice(FORMATS), default="table", help="How to write it.")
@click.option("-o", "--output", metavar="FILE", default="-", type=options.FILE, help="Write there; all or nothing.")
@click.option("--digits", type=click.IntRange(0, 17), help="Digits after the point [default: 4; all in csv, JSON].")
def command(
    queries: str,
    references: str,
    results: str,
    metric: tuple[str, ...],
    cuts: tuple[str, ...],
    truth: str,
    within: tuple[str, ...],
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    keys: tuple[str, ...],
    per_query: bool,
    format: str,
    output: str,
    digits: int | None,
    **reading: Any,
) -> None:
    """Tell how well places are recognised in pictures.

    The right references are found from coordinates: by default the one that is nearest to the query. Prints
    recall, precision and hits by latitude and longitude (geo) and by x and y (xy), how far off the first
    result is, and what is suspicious about the files.

    The rules called geo: lists keep their order where scores are equal, and queries without results are
    counted but not in the mean; `--set missing=zero` scores them 0.

    \b
    Examples:
      truerank geo --queries flight.json --references map.json --results faiss/
      truerank geo --queries flight.json --references map.json --results faiss/ -k 1,5,10 --format json
      truerank geo --queries flight.json --references map.json --results faiss/ --metric haversine -q
      truerank geo --queries q.csv --references db.csv --results vpr.run --truth "within(metres=25)"
    """
    options.refuse_two_standard_inputs(queries, references, results)
    read_too = [_namesake(results, output), rules or "", *files_in(truth)]
    options.refuse_to_overwrite(output, queries, references, results, *read_too)
    under = options.changed(Rules.of(rules) if rules else RULES, changes)
    asked, there = read(queries, keys, "queries"), read(references, keys, "references")
    with Reading(_size(results)) as bar:
        found = geo.read_results(results, asked, there, watch=bar.advance, **_named(reading))
    places = geo.evaluate(
        asked,
        there,
        found,
        metric=metric or "both",
        k=split(cuts, int, "-k") or CUTS,
        truth=truth,
        within=split(within, float, "--within") or WITHIN,
        measures=" ".join(measures),
        rules=under,
    )
    write(_rendered(places, format, per_query, bool(within), digits, is_styled(output)), output)


def _named(reading: dict[str, Any]) -> dict[str, Any]:
    return {"format" if name == "run_format" else name: value for name, value in reading.items()}


def _namesake(results: str, output: str) -> str:
    """The file of the results that would be written over if the output were in their folder."""
    return os.path.join(results, os.path.basename(output)) if output.endswith(".json") else results


def _size(results: str) -> int | None:
    """How many bytes there are to read, if that is known."""
    if not os.path.isdir(results):
        return None
    return sum(entry.stat().st_size for entry in os.scandir(results) if entry.name.endswith(".json"))


def _rendered(
    places: geo.Places, format: str, per_query: bool, surface: bool, digits: int | None, styled: bool
) -> str:
    if format == "json":
        return dumps(places.to_dict(per_query), indent=True)
    if format == "csv":
        click.echo("\n".join(report.notes(places)), err=True)
        return csv.render(report.queries(places, digits) if per_query else report.means(places, digits))
    draw: Callable[[Table], str] = (
        markdown.render if format == "markdown" else lambda t: terminal.render(t, styled=styled)
    )
    if per_query:
        return draw(report.queries(places, 2 if digits is None else digits))
    tables = [report.within(places, 4 if digits is None else digits)] if surface else []
    return "\n".join(map(draw, [*tables, report.means(places, 4 if digits is None else digits)]))
