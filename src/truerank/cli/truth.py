"""`truerank truth`: qrels out of coordinates, bounds, identities or lists."""

from __future__ import annotations

import click

from truerank import formats, truth
from truerank.cli import inputs, options
from truerank.cli.items import KEY, files_in, read
from truerank.cli.output import say_left_out, write
from truerank.cli.tables import tell
from truerank.core.messages import message
from truerank.present.renderers import csv
from truerank.present.table import Table
from truerank.truth import DISTANCES, Truth


@click.command("truth")
@click.argument("rule", metavar="RULE")
@click.argument("queries", type=options.FILE)
@click.argument("references", required=False, type=options.FILE)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=options.FILE,
    help="Write the qrels there [default: standard output].",
)
@options.format("--to", help="The format of the qrels [default: by FILE's ending].")
@click.option(
    "--distance",
    type=click.Choice(list(DISTANCES)),
    help="How to measure, for rules of places [default: geodesic].",
)
@click.option(
    "--distances", metavar="FILE", type=options.FILE, help="Write every pair with its metres there, as CSV."
)
@KEY
def command(
    rule: str,
    queries: str,
    references: str | None,
    output: str,
    to: str | None,
    distance: str | None,
    distances: str | None,
    keys: tuple[str, ...],
) -> None:
    """Write qrels that a rule makes of queries and references.

    QUERIES and REFERENCES are JSON, GeoJSON, JSON lines, CSV, Parquet, lists of file names, or folders of
    files whose names say where they are (@easting@northing@…). For overlaps, QUERIES is the evidence (query_id,
    doc_id, start, end) and REFERENCES the chunks (chunk_id, doc_id, start, end), or a run whose ids say it.
    For coec, QUERIES is a log of clicks, as for `truerank ips`, and there are no REFERENCES; for neighbours it is
    the exact neighbours (HDF5, .ivecs, .ibin, .npy, .npz), and there are none either.

    \b
    Rules:
      nearest(n=1)                     the n nearest references are right
      within(metres=25)                all that are at most so far away are right
      contains                         the tiles whose bounds hold the query's place are right
      identity(ignore_same='camera')   the same label is right
      listed('pairs.csv')              what a list says is right
      coec(smoothing=1, impressions=10)  clicks over the clicks that are expected at its ranks
      neighbours(k=10, epsilon=0)      the k exact nearest neighbours, and what is as near, are right
      overlaps(characters=1, share=0)  chunks that have so much of a query's evidence are right

    \b
    Examples:
      truerank truth nearest flight.json references.json -o truth.qrels
      truerank truth "within(metres=50)" queries.csv database.csv --distances pairs.csv -o qrels.tsv
      truerank truth "neighbours(k=10, tie=1e-6)" exact.hdf5 -o exact.qrels
      truerank truth overlaps evidence.jsonl chunks.jsonl -o truth.jsonl
      truerank truth "coec(impressions=50)" clicks.jsonl -o clicks.qrels
      truerank truth overlaps evidence.csv bm25.run --key references.pattern="(.+):(\\d+)-(\\d+)" -o truth.jsonl
    """
    inputs.refuse(queries, references, *files_in(rule), output=output, distances=distances)
    chosen, params = truth.parse(rule)
    if chosen.is_alone is bool(references):
        lacking, idle = (
            message("{rule} needs REFERENCES.", rule=rule),
            message("{rule} has no REFERENCES.", rule=rule),
        )
        raise click.UsageError(idle if references else lacking)
    if distance and ("distance" in params or "distance" not in chosen.parameters):
        twice, idle = (
            message("{rule} says its distance itself: leave out --distance.", rule=rule),
            message("--distance is not for {rule}, which does not measure.", rule=rule),
        )
        raise click.UsageError(twice if "distance" in params else idle)
    asked = read(queries, keys, "queries", chosen.read)
    there = read(references, keys, "references", chosen.read) if references else None
    right = truth.build(rule, asked, there, **({"distance": distance} if distance else {}))
    left = formats.convert(right, output, what="qrels", to=to)
    if distances:
        write(csv.draw(_pairs(right)), distances)
    tell(note.message for note in right.notes)
    say_left_out(left)


def _pairs(right: Truth) -> Table:
    """One row per pair, with all digits."""
    return Table(("query_id", "doc_id", "relevance", "metres"), tuple(right.pairs()), digits=None)
