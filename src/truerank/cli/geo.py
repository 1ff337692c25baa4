"""`truerank geo`: places recognised in pictures; recall by ground truth from coordinates, and metres."""

from __future__ import annotations

import os
from typing import Any

import click

from truerank.analysis.confusion import Counts, confusion
from truerank.cli import inputs, options, places, tables
from truerank.cli.items import files_in
from truerank.formats import convert
from truerank.geo import Places
from truerank.present import geo as report


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
@places.judging
@options.measures_as("More of them, e.g. RR; may be repeated.")
@options.imports
@options.rules_as("A preset or a rules file [default: geo, see above].")
@options.changes
@places.reading
@options.run_format
@click.option(
    "--accept",
    metavar="VALUE",
    type=float,
    help="Count first results that are accepted (a distance of at most VALUE, a score of at least VALUE) or "
    "rejected, and right or wrong: TP FP FN TN.",
)
@click.option(
    "--save-run",
    metavar="FILE",
    type=options.FILE,
    help="Write the results there as a run, references by their ids.",
)
@click.option(
    "-q", "--per-query", is_flag=True, help="Every query: truth, distance, rank, first result, its error."
)
@tables.format
@tables.output
@tables.digits
def command(
    queries: str,
    references: str,
    results: str,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    accept: float | None,
    save_run: str | None,
    per_query: bool,
    format: str | None,
    output: str,
    digits: int | None,
    run_format: str | None,
    **asked: Any,
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
      truerank geo --queries flight.json --references map.json --results faiss/ --earth-radius 6371000 --accept 0.7
    """
    read_too = [_namesake(results, output), *files_in(asked["truth"])]
    inputs.refuse(queries, references, results, *read_too, rules=rules, output=output, save_run=save_run)
    format = format or tables.by_ending(output)
    files = queries, references, results
    how: dict[str, Any] = {"measures": measures, "rules": rules, "changes": changes, "format": run_format}
    _, located = places.evaluated(files, asked, **how, keep="judged" if accept is None else 1)
    if save_run:
        convert(located.run(), save_run, what="run")
    decisions = {} if accept is None else _decided(located, accept)
    document = report.document(
        located, digits, per_query=per_query, surface=bool(asked["within"]), decisions=decisions
    )
    tables.show(document, format, output)


def _decided(places: Places, accept: float) -> dict[str, Counts]:
    """The first results of each query, accepted or rejected, by each distance right or wrong."""
    threshold = places.threshold(accept)
    return {name: confusion(view.reading, of="results", threshold=threshold) for name, view in places.views.items()}


def _namesake(results: str, output: str) -> str | None:
    """The file of the results that would be written over if the output were in their folder."""
    return os.path.join(results, os.path.basename(output)) if output.endswith(".json") else None
