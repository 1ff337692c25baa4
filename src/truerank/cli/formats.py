"""`truerank formats`: what can be read and written."""

from __future__ import annotations

import click

from truerank.cli.output import show
from truerank.core.messages import joined, message
from truerank.formats import formats
from truerank.present.table import Table

COLUMNS = (message("format"), message("run"), message("qrels"), message("endings"), message("meaning"))


@click.command("formats")
def command() -> None:
    """List the file formats.

    A format is recognised by a file's first bytes; --run-format and --qrels-format of `truerank eval`, and
    --from of `truerank convert`, name it instead.

    \b
    Example:
      truerank formats
    """
    show(table())


def table() -> Table:
    """What each format is, and whether it can be read and written."""
    rows = [
        (f.name, _can(f.read_run, f.write_run), _can(f.read_qrels, f.write_qrels), " ".join(f.suffixes), f.meaning)
        for f in formats().values()
    ]
    return Table(COLUMNS, tuple(rows))


def _can(read: object, write: object) -> str:
    """What can be done with it."""
    return joined(" ", [*([message("read")] if read else []), *([message("write")] if write else [])]) or "-"
