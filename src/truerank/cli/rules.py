"""`truerank rules`: under whose rules a number can be made."""

from __future__ import annotations

import click

from truerank.cli import options
from truerank.cli.output import show, write
from truerank.core.messages import message
from truerank.core.rules import Rules, purposes
from truerank.core.vocabulary import checked
from truerank.present.table import Table


@click.command("rules")
@click.argument("name", required=False, metavar="[NAME|FILE]", shell_complete=options.presets_or_files)
def command(name: str | None) -> None:
    """List the presets of rules, or print one as a rules file.

    A rules file says in TOML what differs from the default. What is printed is a complete one to start from;
    `extends = "trec_eval-10"` in a file starts from a preset.

    \b
    Examples:
      truerank rules
      truerank rules trec_eval-9
      truerank rules truerank > mine.toml
      truerank eval qrels.txt bm25.run --rules mine.toml
    """
    if name is None:
        show(table())
    else:
        write(checked(Rules.of(name)).to_toml())


def table() -> Table:
    """What each preset is for."""
    return Table((message("rules"), message("for")), tuple(purposes().items()))
