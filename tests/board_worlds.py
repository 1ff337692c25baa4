"""A board service in this process, and who takes part in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from truerank.board import tokens
from truerank.board.service import Service

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
            time.sleep(0.05)
        return state


Build = Callable[..., World]


def burn(seconds: float) -> float:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds


def slow_audit(path: Path, spec: Any, unpacked: int) -> Any:
    burn(30.0)


def slow_score(path: Path, format: str, spec: Any) -> Any:
    burn(30.0)
