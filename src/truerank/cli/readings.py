"""What the commands that write readings have in common."""

from __future__ import annotations

import sys

import click

from truerank.cli import tables
from truerank.core.errors import InputError, arrow
from truerank.core.messages import message
from truerank.core.reading import Reading

name = click.option("--name", help="What to call the run in tables [default: its file's name; of parts the first].")


def refuse_unwritable(output: str) -> None:
    """Raise where bytes would be written to a terminal, or the package that writes them is missing."""
    arrow(message("writing a reading"))
    if output == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise InputError("a reading is not text: name a file (-o run.arrow)")


def write(reading: Reading, output: str) -> None:
    """Write the reading, and say on standard error what is in it."""
    reading.save(output)
    returned = reading.rows.returned
    said = message(
        "{name}: {answered:,} of {judged:,} judged queries answered, {returned:,} documents returned, "
        "{found:,} of them judged; rules {rules}",
        name=reading.name,
        answered=int((returned >= 0).sum()),
        judged=len(reading),
        returned=int(returned.clip(0).sum()),
        found=len(reading.hits),
        rules=reading.rules.name,
    )
    tables.tell([said])
