"""`truerank convert`: the same run or qrels in another format."""

from __future__ import annotations

import click

from truerank import formats
from truerank.cli import inputs, options
from truerank.cli.output import say_left_out
from truerank.cli.progress import ReadingBar
from truerank.core.rules import CHOICES


@click.command("convert")
@click.argument("source", type=options.FILE)
@click.argument("target", type=options.FILE)
@options.format("--to", help="The format to write [default: by TARGET's ending].")
@options.format("--from", "format", help="The format of SOURCE [default: the one it looks like].")
@click.option(
    "--as",
    "what",
    type=click.Choice(["run", "qrels"]),
    help="What SOURCE holds [default: what it looks like].",
)
@click.option(
    "--iteration",
    type=click.Choice(CHOICES["iteration"]),
    default="ignore",
    show_default=True,
    help="What the second column of TREC qrels is: aspect takes it for the aspects of queries.",
)
@click.option(
    "--aspect-weights",
    "weights",
    type=options.FILE,
    help="The weights of aspects, such as probabilities of intents: {query: {aspect: weight}}, or a CSV with the "
    "columns query_id, aspect and weight, or as qrels.",
)
@options.collapse
def command(
    source: str,
    target: str,
    to: str | None,
    format: str | None,
    what: str | None,
    how: str | None,
    chunk_ids: str | None,
    iteration: str,
    weights: str | None,
) -> None:
    """Write a run or qrels in another format.

    TARGET appears when it is complete. It is compressed if its name ends in .gz, .bz2, .xz or .zst.

    \b
    Examples:
      truerank convert bm25.run bm25.parquet
      truerank convert qrels.tsv qrels.txt --as qrels
      truerank convert run.json - --to trec | head
      truerank convert chunks.run docs.run --collapse max
      truerank convert diversity.qrels intents.jsonl --iteration aspect --aspect-weights probabilities.json
    """
    inputs.refuse(source, weights, target=target)
    collapse = options.collapsing(how, chunk_ids) if how or chunk_ids else None
    with ReadingBar() as reading:
        left = formats.convert(
            source,
            target,
            what=what,
            to=to,
            format=format,
            progress=reading.reach,
            iteration=iteration,
            weights=weights,
            collapse=collapse,
        )
    say_left_out(left)
