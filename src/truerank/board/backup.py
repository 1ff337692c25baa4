"""A backup of a running service: the database at one moment, and every file that it or board.toml names."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Insert, select
from sqlalchemy.exc import CompileError, DataError, IntegrityError, InterfaceError, ProgrammingError

from truerank.board.database import Database, file_of
from truerank.board.errors import BoardError
from truerank.board.models import Base, Board, Submission
from truerank.board.portable import copy_settings
from truerank.board.settings import ServiceSettings
from truerank.board.storage import Storage, digest
from truerank.board.submissions import KEPT, kept_files
from truerank.core.messages import joined, message

SQLITE = "data/board.sqlite"
"""Where a backup has the database, if it is one of SQLite."""

UNFIT = (
    *(ValueError, KeyError, TypeError, AttributeError),
    *(CompileError, DataError, IntegrityError, InterfaceError, ProgrammingError),
)
"""How a line fails that is no row: read as JSON, as a row of a table, or by the database."""


def back_up(settings: ServiceSettings, database: Database, folder: Path) -> int:
    """Copy everything into a new directory while the service runs; how many files there are.

    SQLite is copied page by page as of one moment; of PostgreSQL every table is written as JSON lines in one
    transaction. Files never change once they are there, so those that the copy names are copied after it, but for
    what turns out to be invalid meanwhile.

    Raises:
        BoardError: the directory is there already.
    """
    try:
        folder.mkdir(parents=True, mode=0o700)
    except FileExistsError:
        said = message("{folder} is there already; name a new directory", folder=str(folder))
        raise BoardError(said) from None
    copied = Database(_copy_of_sqlite(settings, folder)) if database.is_sqlite else None
    try:
        hashes, truths = _named(copied or database) if copied else _dumped(database, folder)
    finally:
        if copied:
            copied.close()
    ours, theirs = Storage(settings.data), Storage(folder / "data")
    copied_files = 0
    for kind, names in (("files", hashes), ("truth", truths)):
        for name in sorted(names):
            copied_files += _is_copied(database, ours.path(name, kind), theirs.path(name, kind), name)
    return copied_files + copy_settings(settings, folder, database.is_sqlite)


def _copy_of_sqlite(settings: ServiceSettings, folder: Path) -> str:
    (folder / "data").mkdir(mode=0o700)
    target = folder / SQLITE
    with (
        closing(sqlite3.connect(str(file_of(settings.database)))) as here,
        closing(sqlite3.connect(target)) as there,
    ):
        here.backup(there)
    return f"sqlite:///{target}"


def _named(database: Database) -> tuple[set[str], set[str]]:
    """The hashes of the submissions and truths that a database names."""
    with database.reading() as session:
        truths = set(session.scalars(select(Board.truth).where(Board.truth.is_not(None))))
        return kept_files(session), {name for name in truths if name}


def _dumped(database: Database, folder: Path) -> tuple[set[str], set[str]]:
    """Every row of every table as JSON lines, as of one moment."""
    serial = database.engine.execution_options(isolation_level="REPEATABLE READ")
    hashes, truths = set(), set()
    with serial.connect() as connection, (folder / "tables.jsonl").open("x", encoding="utf-8") as file:
        for table in Base.metadata.sorted_tables:
            for row in connection.execution_options(yield_per=200).execute(select(table)).mappings():
                values = {key: _plain(value) for key, value in row.items()}
                file.write(json.dumps({"table": table.name, "row": values}, ensure_ascii=False) + "\n")
                if table.name == Submission.__tablename__ and row["state"] in KEPT:
                    hashes.add(row["sha256"])
                if table.name == Board.__tablename__ and row["truth"]:
                    truths.add(row["truth"])
    return hashes, truths


def _plain(value: Any) -> Any:
    return {"hex": bytes(value).hex()} if isinstance(value, bytes | memoryview) else value


def restore(database: Database, tables: Path) -> int:
    """Fill an empty database from the JSON lines of a backup; how many rows.

    Raises:
        BoardError: the database is not empty, or there are no such lines, as in a backup of SQLite; or one of
            them is damaged.
    """
    if not tables.is_file():
        raise _without_tables(tables)
    rows = 0
    with database.writing() as session, tables.open("rb") as file:
        if any(session.execute(select(table).limit(1)).first() for table in Base.metadata.sorted_tables):
            raise BoardError("the database is not empty; restore into a new one")
        try:
            for line in file:
                rows += 1
                session.execute(_inserting(line))
        except UNFIT:
            said = message(
                "line {line} is no row of these tables: the file is damaged, or of a later version; nothing was "
                "restored",
                line=rows,
            )
            raise BoardError(joined(": ", [str(tables), said])) from None
        _count_on(database, session)
    return rows


def _inserting(line: bytes) -> Insert:
    """What puts a row back that a line of a backup has."""
    said = json.loads(line)
    values = {key: bytes.fromhex(v["hex"]) if isinstance(v, dict) else v for key, v in said["row"].items()}
    if said["table"] == Board.__tablename__ and "split" not in values:  # as the migration does
        values["split"] = "drawn" if values["scored"] else "exact"
    return Base.metadata.tables[said["table"]].insert().values(**values)


def _without_tables(tables: Path) -> BoardError:
    if (tables.parent / SQLITE).is_file():
        said = message(
            "this is a backup of SQLite, whose database is a file of its own, {file}: there is nothing to restore; "
            "`truerank serve` goes on from there",
            file=SQLITE,
        )
    else:
        said = message("this is no backup of PostgreSQL: {file} is not there", file=tables.name)
    return BoardError(joined(": ", [str(tables.parent), said]))


def _count_on(database: Database, session: Any) -> None:
    """Let new accounts get numbers after the restored ones."""
    if not database.is_sqlite:
        from sqlalchemy import text

        last = "SELECT setval(pg_get_serial_sequence('accounts', 'id'), coalesce(max(id), 1)) FROM accounts"
        session.execute(text(last))


def _is_copied(database: Database, here: Path, there: Path, name: str) -> bool:
    """Copy a file; False if it was dropped meanwhile."""
    try:
        _copy(here, there, name)
    except FileNotFoundError:
        if name in set.union(*_named(database)):
            raise
        return False
    return True


def _copy(here: Path, there: Path, name: str) -> None:
    there.parent.mkdir(exist_ok=True, mode=0o700)
    shutil.copyfile(here, there)
    if digest(there) != name:
        said = message("the file is not what was submitted: its disk is damaged")
        raise BoardError(joined(": ", [str(here), said]))
