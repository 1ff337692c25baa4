"""Options of the commands that print tables, and the printing."""

from __future__ import annotations

import click

from truerank.cli import options
from truerank.cli.output import is_styled, write
from truerank.report.tables import FORMATS, Pages, by_ending

format = click.option(
    "-f",
    "--format",
    type=click.Choice(list(FORMATS)),
    help="How to write the numbers [default: table, or what FILE's ending says].",
)
output = click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=options.FILE,
    help="Write there instead of printing: all or nothing, and compressed if FILE ends in .gz.",
)
digits = click.option(
    "--digits",
    type=click.IntRange(0, 17),
    help="Digits after the point [default: 4; all of them in csv]. JSON always has all.",
)


def show(pages: Pages, format: str | None, output: str) -> None:
    """Write the pages; remarks go to standard error where the format has no place for them."""
    chosen = format or by_ending(output)
    if chosen == "csv":
        for remark in pages.remarks:
            click.echo(remark, err=True)
    write(pages.render(chosen, styled=is_styled(output)), output)
