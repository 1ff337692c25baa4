"""`truerank board`: what hosts do on the command line."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truerank.cli import options
from truerank.cli.output import write
from truerank.cli.serve import BOARD, needs_board

if TYPE_CHECKING:
    from truerank.board.settings import Settings

settings_file = click.option(
    "--board", "path", default="board.toml", show_default=True, type=BOARD, help="The boards' settings."
)
database = click.option("--db", metavar="URL", help="The database, where the service was started with one.")
NAME = click.argument("name")


@click.group("board")
def command() -> None:
    """Look after leaderboards: accounts, exports, rescoring, backups.

    All of this may be done while `truerank serve` runs.

    \b
    Examples:
      truerank board init --name science --rules science-qa --truth truth.json
      truerank board add-team "Team 7"
      truerank board export science -o science.jsonl
      truerank board rescore science --check
    """
    needs_board("truerank board")


def _settings(path: Path, db: str | None) -> Settings:
    from truerank.board.settings import load

    return load(path, db)


def _now() -> int:
    return int(time.time() * 1000)


@command.command("init")
@click.option("--board", "path", default="board.toml", show_default=True, type=BOARD, help="The file to write.")
@click.option("--name", default="contest", show_default=True, help="The board's name in addresses.")
@click.option("--rules", default="truerank", show_default=True, help="A preset of rules or a rules file.")
@click.option("--truth", default="qrels.txt", show_default=True, help="The hidden truth, beside the file.")
def init(path: Path, name: str, rules: str, truth: str) -> None:
    """Write a board.toml to begin with."""
    from truerank.board.offline import write_settings

    write_settings(path, name, rules, truth)
    click.echo(f"truerank: wrote {path}; next: truerank board add-team NAME, truerank serve", err=True)


def _add(path: Path, db: str | None, name: str, role: str) -> None:
    from truerank.board.offline import add, opened

    with opened(_settings(path, db)) as found:
        write(add(found, name, role, _now()) + "\n")
    click.echo("truerank: this token is shown only once", err=True)


@command.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def demo(folder: Path) -> None:
    """Write boards with a real contest into FOLDER, with teams, submissions and tokens to sign in with.

    \b
    Example:
      truerank board demo demo && truerank serve --board demo/board.toml
    """
    from truerank.board.sample import write as write_sample
    from truerank.demo import PACKAGES, need

    need(*PACKAGES)
    kept = folder / "tokens.txt"
    if not kept.exists():
        given = write_sample(folder, lambda what: click.echo(f"truerank: {what}", err=True))
        kept.touch(mode=0o600)
        kept.write_text("".join(f"{name}\t{token}\n" for name, token in given.items()), "utf-8")
    write(kept.read_text("utf-8"))
    click.echo(f"truerank: next: truerank serve --board {folder / 'board.toml'}; sign in by a token", err=True)


@command.command("add-team")
@NAME
@settings_file
@database
def add_team(name: str, path: Path, db: str | None) -> None:
    """Let a team in; prints its token."""
    _add(path, db, name, "team")


@command.command("add-host")
@NAME
@settings_file
@database
def add_host(name: str, path: Path, db: str | None) -> None:
    """Let a host in, who sees and may change everything; prints the token."""
    _add(path, db, name, "host")


@command.command("token")
@NAME
@settings_file
@database
def token(name: str, path: Path, db: str | None) -> None:
    """Print another token for an account."""
    from truerank.board.offline import opened, renew

    with opened(_settings(path, db)) as found:
        write(renew(found, name, _now()) + "\n")


@command.command("revoke")
@NAME
@settings_file
@database
def revoke(name: str, path: Path, db: str | None) -> None:
    """End all tokens of an account."""
    from truerank.board.offline import opened
    from truerank.board.offline import revoke as end

    with opened(_settings(path, db)) as found:
        count = end(found, name, _now())
    click.echo(f"truerank: revoked {count} token{'' if count == 1 else 's'} of {name}", err=True)


@command.command("export")
@click.argument("board")
@click.option("-o", "--output", metavar="FILE", default="-", type=options.FILE, help="Write there.")
@settings_file
@database
def export(board: str, output: str, path: Path, db: str | None) -> None:
    """Everything that is known of a board's submissions, a JSON object a line."""
    from truerank.board.export import export_lines
    from truerank.board.offline import opened
    from truerank.board.refusals import BoardError

    settings = _settings(path, db)
    if settings.board(board) is None:
        raise BoardError(f"there is no board called {board!r} in {path}")
    with opened(settings) as found, found.reading() as session:
        write("".join(export_lines(session, board)), output)


@command.command("rescore")
@click.argument("board")
@click.option("--check", is_flag=True, help="Change nothing; exit status 1 when something would change.")
@settings_file
@database
def rescore(board: str, check: bool, path: Path, db: str | None) -> None:
    """Score every submission of a board anew, under its rules and truth as they are now."""
    from truerank.board.offline import opened
    from truerank.board.offline import rescore as again

    settings = _settings(path, db)
    with opened(settings) as found:
        done = again(settings, found, board, write=not check)
    what = "would change" if check else "changed"
    click.echo(f"truerank: scored {done.scored} anew, {len(done.changed)} {what}", err=True)
    write("".join(f"{id}\n" for id in done.changed))
    if check and done.changed:
        raise click.exceptions.Exit(1)


@command.command("backup")
@click.argument("folder", type=click.Path(path_type=Path))
@settings_file
@database
def backup(folder: Path, path: Path, db: str | None) -> None:
    """Copy everything into a new directory, from which `truerank serve` can go on."""
    from truerank.board.backup import back_up
    from truerank.board.offline import opened

    settings = _settings(path, db)
    with opened(settings) as found:
        files = back_up(settings, found, folder)
    click.echo(f"truerank: backed up the database and {files} files", err=True)


@command.command("restore")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@settings_file
@database
def restore(folder: Path, path: Path, db: str | None) -> None:
    """Fill an empty database from the tables of a PostgreSQL backup; files are in FOLDER/data."""
    from truerank.board.backup import restore as fill
    from truerank.board.offline import opened

    with opened(_settings(path, db)) as found:
        rows = fill(found, folder / "tables.jsonl")
    click.echo(f"truerank: restored {rows} rows", err=True)
