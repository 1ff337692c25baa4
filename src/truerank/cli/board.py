"""`truerank board`: what hosts do on the command line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec

import click

from truerank.cli import inputs, options, tables
from truerank.cli.output import say, write
from truerank.cli.serve import BOARD, needs_board, settings_file
from truerank.core.messages import message, plural

if TYPE_CHECKING:
    from truerank.board.database import Database
    from truerank.board.settings import ServiceSettings

Given = ParamSpec("Given")

database = click.option(
    "--db", metavar="URL", help="The database, as of `truerank serve` [default: what --board says, or else SQLite]."
)
NAME = click.argument("name")


@click.group("board")
def command() -> None:
    """Look after leaderboards: accounts, standings, exports, rescoring, backups.

    All of this may be done while `truerank serve` runs.

    \b
    Examples:
      truerank board init --name science --rules science-qa --truth truth.json
      truerank board add-team "Team 7"
      truerank board standings science -o standings.tex
      truerank board export science -o science.jsonl
      truerank board rescore science --check
    """
    needs_board("truerank board")


def _opening(command: Callable[Concatenate[ServiceSettings, Database, Given], None]) -> Callable[..., None]:
    """Options that tell where the boards are, and the command with their settings and their open database."""

    @settings_file
    @database
    @wraps(command)
    def opened_first(path: Path, db: str | None, *args: Given.args, **given: Given.kwargs) -> None:
        from truerank.board.offline import opened
        from truerank.board.settings import load

        settings = load(path, db)
        with opened(settings) as opened_database:
            command(settings, opened_database, *args, **given)

    return opened_first


def _refuse(settings: ServiceSettings, output: str) -> None:
    """Raise where the settings, the database or a file of a board would be written over."""
    files = [file for board in settings.boards for file in (board.truth, board.queries, board.download) if file]
    database = settings.database.removeprefix("sqlite:///")
    inputs.refuse(database, *map(os.fspath, (settings.path, *files)), output=output)


def _now() -> int:
    return int(time.time() * 1000)


@command.command("init")
@click.option("--board", "path", default="board.toml", show_default=True, type=BOARD, help="The file to write.")
@click.option("--name", default="contest", show_default=True, help="The board's name in addresses.")
@click.option(
    "--rules",
    default="truerank",
    show_default=True,
    help="A preset of rules or a rules file.",
    shell_complete=options.presets_or_files,
)
@click.option(
    "--truth",
    default="qrels.txt",
    show_default=True,
    help="The hidden truth, beside the file.",
    shell_complete=options.files,
)
def init(path: Path, name: str, rules: str, truth: str) -> None:
    """Write a board.toml to begin with."""
    from truerank.board.offline import write_settings

    write_settings(path, name, rules, truth)
    say(message("wrote {path}; next: truerank board add-team NAME, truerank serve", path=path))


@command.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def demo(folder: Path) -> None:
    """Write boards with a real contest into FOLDER, with teams, submissions and tokens to sign in with.

    \b
    Example:
      truerank board demo demo && truerank serve --board demo/board.toml
    """
    from truerank.cli.demo.board import write as write_sample
    from truerank.cli.demo.packages import PACKAGES, need

    need(*PACKAGES)
    kept = folder / "tokens.txt"
    if not kept.exists():
        given = write_sample(folder, say)
        kept.touch(mode=0o600)
        kept.write_text("".join(f"{name}\t{token}\n" for name, token in given.items()), "utf-8")
    write(kept.read_text("utf-8"))
    served = f"truerank serve --board {folder / 'board.toml'}"
    say(message("sign in by one of these tokens where `{command}` serves", command=served))


@command.command("add-team")
@NAME
@_opening
def add_team(settings: ServiceSettings, database: Database, name: str) -> None:
    """Let a team in; prints its token."""
    _add(database, name, "team")


@command.command("add-host")
@NAME
@_opening
def add_host(settings: ServiceSettings, database: Database, name: str) -> None:
    """Let a host in, who sees and may change everything; prints the token."""
    _add(database, name, "host")


def _add(database: Database, name: str, role: str) -> None:
    from truerank.board.offline import add

    write(add(database, name, role, _now()) + "\n")
    say(message("this token is shown only once"))


@command.command("token")
@NAME
@_opening
def token(settings: ServiceSettings, database: Database, name: str) -> None:
    """Print another token for an account."""
    from truerank.board.offline import renew

    write(renew(database, name, _now()) + "\n")


@command.command("revoke")
@NAME
@_opening
def revoke(settings: ServiceSettings, database: Database, name: str) -> None:
    """End all tokens of an account."""
    from truerank.board.offline import revoke as end

    count = end(database, name, _now())
    say(plural("revoked {n} token of {name}", "revoked {n} tokens of {name}", n=count, name=name))


@command.command("approve")
@NAME
@_opening
def approve(settings: ServiceSettings, database: Database, name: str) -> None:
    """Let in a team that asked to take part."""
    from truerank.board.offline import approve as let_in

    let_in(database, name)
    say(message("{name} takes part", name=name))


ENTRY = click.argument("entry")
REASON = click.option("--reason", required=True, help="Why; everybody who sees the board may read it.")


@command.command("withdraw")
@ENTRY
@REASON
@_opening
def withdraw(settings: ServiceSettings, database: Database, entry: str, reason: str) -> None:
    """Take a submission, named by its id, out of the standings as withdrawn."""
    _mark(settings, database, entry, "withdrawn", reason)


@command.command("disqualify")
@ENTRY
@REASON
@_opening
def disqualify(settings: ServiceSettings, database: Database, entry: str, reason: str) -> None:
    """Take a submission, named by its id, out of the standings as disqualified."""
    _mark(settings, database, entry, "disqualified", reason)


@command.command("reinstate")
@ENTRY
@_opening
def reinstate(settings: ServiceSettings, database: Database, entry: str) -> None:
    """Rank again a submission that was taken out."""
    _mark(settings, database, entry, None, "")


def _mark(settings: ServiceSettings, database: Database, entry: str, word: str | None, reason: str) -> None:
    from truerank.board.offline import mark

    mark(settings, database, entry, word, reason, _now())
    if word is None:
        say(message("{entry} is ranked again", entry=entry))
    elif word == "withdrawn":
        say(message("{entry} is withdrawn", entry=entry))
    else:
        say(message("{entry} is disqualified", entry=entry))


@command.command("export")
@click.argument("board")
@click.option(
    "-o", "--output", metavar="FILE", default="-", type=options.FILE, help="Write there [default: standard output]."
)
@_opening
def export(settings: ServiceSettings, database: Database, board: str, output: str) -> None:
    """Everything that is known of a board's submissions, one JSON object per line."""
    from truerank.board.export import export_lines
    from truerank.board.offline import board_named

    _refuse(settings, output)
    board_named(settings, board)
    with database.reading() as session:
        write("".join(export_lines(session, board)), output)


@command.command("standings")
@click.argument("board")
@tables.format
@tables.output
@tables.digits
@_opening
def standings(
    settings: ServiceSettings, database: Database, board: str, format: str | None, output: str, digits: int | None
) -> None:
    """Who stands where, and who cannot be told apart from whom: a table, also for a paper.

    Each team's best entry; after closing the private scores rank. The measures that do not rank stand beside.

    \b
    Examples:
      truerank board standings science
      truerank board standings science -o standings.csv
      truerank board standings science --format latex
    """
    from truerank.board.offline import ranked
    from truerank.board.ranking import document_of

    _refuse(settings, output)
    format = format or tables.by_ending(output)
    tables.show(document_of(*ranked(settings, database, board, _now()), digits), format, output)


@command.command("rescore")
@click.argument("board")
@click.option("--check", is_flag=True, help="Change nothing; exit status 1 when something would change.")
@_opening
def rescore(settings: ServiceSettings, database: Database, board: str, check: bool) -> None:
    """Score every submission of a board anew, under its rules and truth as they are now."""
    from truerank.board.offline import rescore as again

    done = again(settings, database, board, write=not check)
    n, scored = len(done.changed), done.scored
    changed = message("scored {scored} anew, {n} changed", scored=scored, n=n)
    say(message("scored {scored} anew, {n} would change", scored=scored, n=n) if check else changed)
    write("".join(f"{id}\n" for id in done.changed))
    if check and done.changed:
        raise click.exceptions.Exit(1)


@command.command("backup")
@click.argument("folder", type=click.Path(path_type=Path))
@_opening
def backup(settings: ServiceSettings, database: Database, folder: Path) -> None:
    """Copy everything into a new directory, from which `truerank serve` can go on."""
    from truerank.board.backup import back_up

    files = back_up(settings, database, folder)
    say(plural("backed up the database and {n} file", "backed up the database and {n} files", n=files))


@command.command("restore")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@_opening
def restore(settings: ServiceSettings, database: Database, folder: Path) -> None:
    """Fill an empty database from the tables of a PostgreSQL backup; files are in FOLDER/data.

    A backup of SQLite needs none: `truerank serve` in FOLDER goes on from it.
    """
    from truerank.board.backup import restore as fill

    rows = fill(database, folder / "tables.jsonl")
    say(message("restored {n} rows", n=rows))
