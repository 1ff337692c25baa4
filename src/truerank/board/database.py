"""The database: SQLite in one file or PostgreSQL, brought up to date when it is opened.

Writing and reading have threads of their own, so that a page never waits for a queue of submissions. SQLite has
one writer at a time anyway: one thread writes, in the order of arrival, instead of many that try again.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from truerank.board.errors import BoardError
from truerank.board.storage import keep_private
from truerank.core.errors import MissingPackage

Result = TypeVar("Result")

READERS = 4
BUSY = 30_000
"""Milliseconds that SQLite waits for another process that writes."""


class Database:
    """A database that is up to date.

    Args:
        address: as SQLAlchemy spells it: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME.
    """

    def __init__(self, address: str):
        self.engine = engine_of(address)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        _migrate(self.engine)
        self._readers = ThreadPoolExecutor(READERS, "read")
        self._writers = ThreadPoolExecutor(1 if self.is_sqlite else READERS, "write")
        self._turn: AbstractContextManager[object] = threading.RLock() if self.is_sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one state of the database."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are all there when the block ends, and none after an error."""
        engine = self.engine.execution_options(writes=True)
        with self._turn, Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    async def read(self, work: Callable[[Session], Result]) -> Result:
        """What `work` finds, in a thread that reads."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._do, self.reading, work)

    async def write(self, work: Callable[[Session], Result]) -> Result:
        """What `work` returns, once its changes are committed, in a thread that writes."""
        return await asyncio.get_running_loop().run_in_executor(self._writers, self._do, self.writing, work)

    @staticmethod
    def _do(session: Callable[[], Any], work: Callable[[Session], Result]) -> Result:
        with session() as opened:
            return work(opened)

    def close(self) -> None:
        """Wait for what is under way, and let go."""
        self._writers.shutdown()
        self._readers.shutdown()
        self.engine.dispose()


def engine_of(address: str) -> Engine:
    """An engine for a database that may not be up to date.

    Raises:
        BoardError: this is no address that the board knows.
    """
    try:
        url = make_url(address)
        if url.get_backend_name() not in ("sqlite", "postgresql"):
            raise ArgumentError(url.get_backend_name())
        engine = create_engine(url, pool_size=2 * READERS, max_overflow=8, pool_pre_ping=True)
    except ModuleNotFoundError:
        raise MissingPackage("PostgreSQL", "postgresql") from None
    except ArgumentError:
        raise _no_address() from None
    if url.get_backend_name() == "sqlite":
        if file := file_of(address):
            _make_private(file)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _no_address() -> BoardError:
    return BoardError("--db is sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME")


def file_of(address: str) -> Path | None:
    """The file of a SQLite database, by one name whatever it is called; None of any other.

    >>> file_of("sqlite:///file:/a/b?uri=true"), file_of("sqlite://"), file_of("postgresql://host/name")
    (PosixPath('/a/b'), None, None)

    Raises:
        BoardError: this is no address that the board knows.
    """
    try:
        url = make_url(address)
        if url.get_backend_name() != "sqlite":
            return None
        (name,), options = url.get_dialect()().create_connect_args(url)
    except ArgumentError:
        raise _no_address() from None
    if name and options.get("uri") and name.startswith("file:"):
        parts = urlsplit(name)
        name = "" if "memory" in parse_qs(parts.query).get("mode", ()) else unquote(parts.path)
    return Path(name).resolve() if name and name != ":memory:" else None


def _make_private(file: Path) -> None:
    """Let nobody else read a database: its keys sign cookies. SQLite keeps what is beside it the same way."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(OSError):  # it is there, or SQLite will say why it cannot be
        file.touch(mode=0o600, exist_ok=False)
    for beside in ("", "-wal", "-shm"):
        keep_private(file.with_name(f"{file.name}{beside}"), 0o600)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # sqlite3 begins nothing by itself: `_begin_sqlite` does
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", f"busy_timeout = {BUSY}"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock at once where something will be written: a lock taken later could fail."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _migrate(engine: Engine) -> None:
    try:
        with engine.execution_options(writes=True).begin() as connection:
            if engine.dialect.name == "postgresql":  # two services that start at once take turns
                connection.execute(text("SELECT pg_advisory_xact_lock(7472616)"))
            upgrade(connection)
    except DBAPIError as error:
        engine.dispose()
        raise cannot_open(error) from None


def cannot_open(error: DBAPIError) -> BoardError:
    """A database that is not there, or does not let the service in."""
    return BoardError("the database cannot be opened: {why}", why=str(error.orig))


def upgrade(connection: Connection, to: str = "head") -> None:
    """Bring the tables up to date, inside the connection's transaction."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    with resources.as_file(resources.files("truerank.board") / "migrations") as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        script = ScriptDirectory.from_config(config)

        def steps(revision: Any, _context: Any) -> Any:
            return script._upgrade_revs(to, revision)

        with EnvironmentContext(config, script, fn=steps) as environment:
            environment.configure(connection=connection)
            environment.run_migrations()
