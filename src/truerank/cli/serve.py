"""`truerank serve`: the leaderboard."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truerank.cli.output import say
from truerank.core.errors import MissingPackage, TruerankError
from truerank.core.messages import message

if TYPE_CHECKING:
    from truerank.board.settings import ServiceSettings

BOARD = click.Path(path_type=Path, dir_okay=False)

settings_file = click.option(
    "--board", "path", default="board.toml", show_default=True, type=BOARD, help="The boards' settings."
)

PACKAGES = (
    *("alembic", "fastapi", "httpx", "jinja2", "prometheus_client"),
    *("python_multipart", "scipy", "sqlalchemy", "uvicorn"),
)


def needs_board(what: str) -> None:
    """Say how to get what the board needs, where it is missing."""
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise MissingPackage(what, "board")


@click.command("serve")
@settings_file
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--db",
    metavar="URL",
    help="sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME [default: what --board says, or else SQLite].",
)
@click.option("--proxy", metavar="ADDRESS", help="A proxy in front, whose word for who asks is taken.")
def command(path: Path, port: int, host: str, db: str | None, proxy: str | None) -> None:
    """Serve leaderboards: teams submit runs, are scored and see where they stand.

    `truerank board init` writes a board.toml to begin with. It stops gracefully at SIGTERM or Ctrl-C: what was
    received is scored, now or at the next start.

    \b
    Examples:
      truerank board init
      truerank serve
      truerank serve --board contest/board.toml --port 80 --host 0.0.0.0
      truerank serve --db postgresql+psycopg://board@localhost/board
    """
    needs_board("truerank serve")
    if find_spec("fcntl") is None:
        raise TruerankError("truerank serve needs Linux or macOS: Windows cannot limit what a submission uses")
    from truerank.board.instance_lock import instance_lock
    from truerank.board.server import listen, serve
    from truerank.board.settings import load

    settings = load(path, db)
    with instance_lock(settings), listen(host, port) as listening:
        port = listening.getsockname()[1]
        serve(settings, listening, proxy, lambda: _greet(settings, host, port))


def _greet(settings: ServiceSettings, host: str, port: int) -> None:
    names = ", ".join(board.name for board in settings.boards)
    say(message("serving {boards} at {url} (Ctrl-C stops it)", boards=names, url=f"http://{host}:{port}/"))
    for board in settings.boards:
        if board.score == "official":
            say(message("{board} ranks by the official score, which may be gamed", board=board.name))
