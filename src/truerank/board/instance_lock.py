"""One process serves a database and a directory: sessions' limits and what is under way live in its memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import OperationalError

from truerank.board.database import cannot_open, engine_of, file_of
from truerank.board.errors import BoardError
from truerank.board.settings import ServiceSettings
from truerank.core.messages import joined, message

PATIENCE = 5.0
"""Seconds for which a predecessor that was killed may still seem to be there."""

NUMBER = 7472617
"""Names the lock among those of a PostgreSQL database."""


@contextmanager
def instance_lock(settings: ServiceSettings) -> Iterator[None]:
    """Be the only one who serves these settings' database and directory; the commands of hosts may run beside it.

    Raises:
        BoardError: another process does already.
    """
    file = file_of(settings.database)
    with ExitStack() as held:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        _take(lambda: _of_file(held, settings.data / "serving"), str(settings.data))
        if file:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _take(lambda: _of_file(held, file.with_name(f"{file.name}.serving")), str(file))
        elif (url := make_url(settings.database)).get_backend_name() == "postgresql":
            _take(
                lambda: _of_postgresql(held, settings.database), message("the database {name}", name=url.database)
            )
        yield


def _take(take: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not take():
        if time.monotonic() > until:
            said = message(
                "another `truerank serve` works with {what}; stop it first: a service is one process", what=what
            )
            raise BoardError(said)
        time.sleep(0.1)


def _of_file(held: ExitStack, path: Path) -> bool:
    """Lock a file; the system lets go of it when the process ends, however it ends."""
    import fcntl

    try:
        file: IO[str] = path.open("a")
    except OSError as error:
        said = message("cannot be written: {why}", why=error.strerror)
        raise BoardError(joined(": ", [str(path), said])) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    held.enter_context(file)
    return True


def _of_postgresql(held: ExitStack, address: str) -> bool:
    engine = engine_of(address)
    try:
        connection: Connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    except OperationalError as error:
        raise cannot_open(error) from None
    held.callback(engine.dispose)
    held.callback(connection.close)
    return bool(connection.scalar(text("SELECT pg_try_advisory_lock(:n)"), {"n": NUMBER}))
