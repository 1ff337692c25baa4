"""`truerank merge`: readings of parts of a run as one."""

from __future__ import annotations

import click

from truerank.cli import inputs, options, readings, tables
from truerank.core.merge import merge
from truerank.core.merge.scattered import read_together, scattered
from truerank.core.reading import Reading


@click.command("merge")
@click.argument("parts", metavar="PART...", nargs=-1, required=True, type=options.FILE)
@click.option(
    "--again",
    metavar="RUN",
    multiple=True,
    type=options.FILE,
    help="What the parts were read from: queries whose rows are in several parts are read again from there, and "
    "no others; may be repeated.",
)
@readings.name
@tables.output
@options.run_format
def command(
    parts: tuple[str, ...], again: tuple[str, ...], name: str | None, output: str, run_format: str | None
) -> None:
    """Make one reading of those of the parts of a run: the same bits as if it had been read at once.

    A PART is what `truerank read` wrote. They are merged in any order, and were read under the same rules.

    Needs: pip install "truerank[parquet]"

    \b
    Examples:
      truerank merge part-*.arrow --name bm25 -o bm25.arrow
      truerank merge a.arrow b.arrow --again a.run.gz --again b.run.gz -o bm25.arrow
      truerank merge part-*.arrow | truerank eval qrels.txt -
    """
    inputs.refuse(*parts, *again, output=output)
    readings.refuse_unwritable(output)
    loaded = [Reading.load(part) for part in parts]
    split = scattered(loaded) if again else None
    with inputs.opened(again, run_format, again=True) as sources:
        rest = read_together(split, sources) if split else None
    readings.write(merge(loaded, rest, name=name), output)
