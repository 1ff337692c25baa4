"""Boards to test: with SQLite and, where it is installed, with PostgreSQL; in-process, nothing mocked."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from board_worlds import Build, building
from truerank.board.database import Database


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Makes databases on a server of our own, which nobody else can reach."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(found[-1]) if found else None)
    if initdb is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed")
    import psycopg

    bin = Path(initdb).resolve().parent
    folder = Path("/tmp") / f"truerank-pg-{secrets.token_hex(4)}"  # a socket's path must be short
    folder.mkdir(mode=0o700)
    as_other: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        as_other = ["runuser", "-u", "postgres", "--"]
    name = "postgres"
    quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
    subprocess.run(
        [
            *as_other,
            bin / "initdb",
            "-D",
            folder / "data",
            "-U",
            name,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ],
        **quiet,
    )
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c max_connections=200"
    control = [*as_other, bin / "pg_ctl", "-D", folder / "data", "-w"]
    subprocess.run([*control, "-l", folder / "log", "-o", options, "start"], **quiet)

    def make(*, with_tables: bool = False) -> str:
        made = f"t{secrets.token_hex(6)}"
        like = f" TEMPLATE {tables()}" if with_tables else ""
        with psycopg.connect(host=str(folder), user=name, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {made}{like}")
        return f"postgresql+psycopg://{name}@/{made}?host={folder}"

    @cache
    def tables() -> str:
        """A database to be copied: to make the tables of each anew takes longer than most tests."""
        address = make()
        Database(address).close()
        return make_url(address).database or ""

    yield make
    subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def sqlite_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "board.sqlite"
    Database(f"sqlite:///{path}").close()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> str:
    """An empty database of each kind; for worlds that are built, one that has its tables already."""
    if request.param == "sqlite":
        found: str = request.getfixturevalue("sqlite")
        return found
    make: Callable[..., str] = request.getfixturevalue("postgresql")
    return make(with_tables="build" in request.fixturenames)


@pytest.fixture
def sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty SQLite database, for what has nothing to do with databases; with tables, as above."""
    if "build" in request.fixturenames:
        shutil.copy(request.getfixturevalue("sqlite_with_tables"), tmp_path / "board.sqlite")
    return f"sqlite:///{tmp_path / 'board.sqlite'}"


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """Builds worlds: build(address, 'settings of the board "main"', qrels=…)."""
    with building(tmp_path) as make:
        yield make
