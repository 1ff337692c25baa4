"""`truerank read`: a run, or a part of one, read once against its qrels and kept."""

from __future__ import annotations

import click

from truerank.cli import inputs, options, readings, tables
from truerank.core.errors import InputError
from truerank.core.merge import merge
from truerank.core.merge.scattered import read_together, scattered
from truerank.core.messages import message
from truerank.core.reading import Keep, read
from truerank.formats import read_qrels


def _keep(ctx: click.Context, param: click.Parameter, value: str) -> Keep:
    if value in ("judged", "all"):
        return value  # type: ignore[return-value]
    if number := inputs.positive(value):
        return number
    raise InputError("--keep is judged, all or a number of ranks, not {value!r}", value=value)


@click.command("read")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.FILE)
@options.rules
@options.changes
@click.option(
    "--keep",
    callback=_keep,
    default="judged",
    show_default=True,
    metavar="judged|all|N",
    help="Rows beside those of judged documents: all, which bounds, explain and agreement need, or the N first of "
    "each query.",
)
@readings.name
@tables.output
@options.qrels_format
@options.run_format
@options.collapsed
@options.threads
def command(
    qrels: str,
    runs: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    keep: Keep,
    name: str | None,
    output: str,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
    threads: int | None,
) -> None:
    """Read a run, or a part of one, once, and keep what every measure needs of it.

    What is written is small: the ranks of the judged documents, and the judgements. `eval`, `compare`, `check`,
    `bounds`, `curve`, `confusion`, `explain`, `power`, `agreement`, `lint` and `report` take it in place of the
    run, under its rules unless others are said; one of a contest's submitted lines only `compare`, `check` and
    `power` take. `truerank merge` makes one of the parts of a run that were read apart, on whatever machines.
    Several RUNs are parts of one run.

    Needs: pip install "truerank[parquet]"

    \b
    Examples:
      truerank read qrels.txt bm25.run -o bm25.arrow
      truerank read qrels.txt part-0001.parquet -o part-0001.arrow --rules trec_eval-10
      truerank read qrels.txt part-*.parquet --name bm25 -o bm25.arrow
      truerank read qrels.txt chunks.run --collapse max -o docs.arrow
      truerank eval qrels.txt bm25.arrow -m "nDCG@10 AP"
    """
    inputs.refuse(qrels, *runs, rules=rules, output=output)
    readings.refuse_unwritable(output)
    if collapse is not options.uncollapsed and len(runs) > 1:
        raise click.UsageError(message("--collapse takes one RUN: parts may have chunks of one document."))
    under = options.changed(rules, changes)
    judged = read_qrels(qrels, qrels_format)
    with inputs.opened(runs, run_format, again=len(runs) > 1, collapse=collapse) as sources:
        parts = [read(judged, source, rules=under, keep=keep, threads=threads) for source in sources]
        split = scattered(parts)
        again = read_together(split, sources, threads=threads) if split else None
    readings.write(merge(parts, again, name=name), output)
