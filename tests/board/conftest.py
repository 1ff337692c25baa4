"""Boards to test: with SQLite and, where it is installed, with PostgreSQL; in-process, nothing mocked."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from starlette.testclient import TestClient

from board_worlds import QRELS, World
from truerank.board.app import create_app
from truerank.board.service import Service
from truerank.board.settings import load


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], str]]:
    """Makes empty databases on a server of our own, which nobody else can reach."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(found[-1]) if found else None)
    if initdb is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed")
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
        ],
        **quiet,
    )
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c max_connections=200"
    control = [*as_other, bin / "pg_ctl", "-D", folder / "data", "-w"]
    subprocess.run([*control, "-l", folder / "log", "-o", options, "start"], **quiet)

    def make() -> str:
        import psycopg

        database = f"t{secrets.token_hex(6)}"
        with psycopg.connect(host=str(folder), user=name, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database}")
        return f"postgresql+psycopg://{name}@/{database}?host={folder}"

    yield make
    subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
    shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'board.sqlite'}"
    make: Callable[[], str] = request.getfixturevalue("postgresql")
    return make()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """An empty SQLite database, for what has nothing to do with databases."""
    return f"sqlite:///{tmp_path / 'board.sqlite'}"


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Callable[..., World]]:
    """Builds worlds: build(address, 'settings of the board "main"', qrels=…)."""
    clients: list[TestClient] = []

    def make(
        address: str,
        settings: str = "",
        *,
        qrels: str = QRELS,
        truth: str = "truth.qrels",
        more: str = "",
        workers: int = 0,
        files: Mapping[str, str] = MappingProxyType({}),
    ) -> World:
        for name, content in files.items():
            (tmp_path / name).write_text(content)

        (tmp_path / truth).write_text(qrels)
        text = f'workers = {workers}\n{more}\n[[boards]]\nname = "main"\ntruth = "{truth}"\n{settings}\n'
        (tmp_path / "board.toml").write_text(text)
        clock = [1_900_000_000.0]
        service = Service(load(tmp_path / "board.toml", address), clock=lambda: clock[0])
        client = TestClient(create_app(service), base_url="http://board", raise_server_exceptions=False)
        client.__enter__()
        clients.append(client)
        return World(tmp_path, service, client, clock)

    yield make
    for client in clients:
        client.__exit__(None, None, None)
