"""A board service in this process, and who takes part in it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.testclient import TestClient

from truerank.board import tokens
from truerank.board.app import create_app
from truerank.board.service import Service
from truerank.board.settings import load

QRELS = "\n".join(f"q{q} 0 d{q}{d} {grade}" for q in range(20) for d, grade in enumerate((2, 1, 0)))


def run(*, good: int = 20, queries: int = 20, tag: str = "t") -> str:
    """A run that finds the best document first for the first `good` queries, and last for the others."""
    lines = []
    for q in range(queries):
        docs = [f"d{q}0", "x", "y", f"d{q}1"] if q < good else ["x", "y", f"d{q}1", f"d{q}0"]
        lines += [f"q{q} Q0 {doc} {rank} {9 - rank} {tag}" for rank, doc in enumerate(docs, 1)]
    return "\n".join(lines) + "\n"


@dataclass
class World:
    """A board service that runs in this process, and who takes part."""

    folder: Path
    service: Service
    client: TestClient
    clock: list[float]
    accounts: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, role: str = "team") -> str:
        with self.service.database.writing() as session:
            token = tokens.add_token(session, tokens.add_account(session, name, role, 0), 0)
        self.accounts[name] = token
        return token

    def headers(self, name: str, **more: str) -> dict[str, str]:
        token = self.accounts.get(name) or self.add(name, "host" if name == "host" else "team")
        return {"Authorization": f"Bearer {token}", **more}

    def sign_in(self, name: str) -> None:
        """Let the client's browser be this one's."""
        token = self.headers(name)["Authorization"].removeprefix("Bearer ")
        self.client.cookies.clear()
        answer = self.client.post("/login", data={"token": token}, follow_redirects=False)
        assert answer.status_code == 303, answer.text

    def form(self, path: str) -> str:
        """What the forms of a page carry, so that no other site can send them."""
        return re.search(r'name="form" value="([^"]+)"', self.client.get(path).text)[1]  # type: ignore[index]

    def submit(self, name: str, content: str | bytes, board: str = "main", **headers: str) -> Any:
        return self.client.post(
            f"/api/boards/{board}/submissions", content=content, headers=self.headers(name, **headers)
        )

    def board(self, board: str = "main", as_: str | None = None) -> dict[str, Any]:
        found = self.client.get(f"/api/boards/{board}", headers=self.headers(as_) if as_ else {})
        assert found.status_code == 200, found.text
        return found.json()

    def settled(self, board: str = "main") -> dict[str, Any]:
        """The board when its tie groups are there."""
        until = time.monotonic() + 60
        while (state := self.board(board))["state"].endswith("pending"):
            assert time.monotonic() < until
            time.sleep(0.01)
        return state


Build = Callable[..., World]


@contextmanager
def building(folder: Path) -> Iterator[Build]:
    """Builds worlds in a folder: build(address, 'settings of the board "main"', qrels=…)."""
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
            (folder / name).write_text(content)

        (folder / truth).write_text(qrels)
        text = f'workers = {workers}\n{more}\n[[boards]]\nname = "main"\ntruth = "{truth}"\n{settings}\n'
        (folder / "board.toml").write_text(text)
        clock = [1_900_000_000.0]
        service = Service(load(folder / "board.toml", address), clock=lambda: clock[0])
        client = TestClient(create_app(service), base_url="http://board", raise_server_exceptions=False)
        client.__enter__()
        clients.append(client)
        return World(folder, service, client, clock)

    yield make
    for client in clients:
        client.__exit__(None, None, None)
