"""A board service with an address, as a browser needs one, and who takes part in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import uvicorn
from playwright.sync_api import Page

import board_worlds
from truerank.board import keys, tokens
from truerank.board.app import create_app
from truerank.board.server import listen
from truerank.board.service import Service
from truerank.board.settings import load

QUERIES = 40
HOSTILE = f"</script><img src=x onerror=alert(1)>{'W' * 43}"
TEAMS = ("Blue Whales", "한빛 검색팀", "nearest neighbours", HOSTILE, "latecomers")
SETTINGS = """
title = "Contests"
workers = 0
[[boards]]
name = "science"
title = "Science search"
about = "Find the paragraphs that answer a question."
truth = "truth.qrels"
measures = ["nDCG@10", "AP", "RR"]
public = 0.5
per_day = 3
upload = "1 MB"
closes = 2099-12-31T18:00:00+09:00
zone = "Asia/Seoul"
[[boards]]
name = "hosts-only"
title = "A secret board"
truth = "truth.qrels"
visible = "hosts"
"""


def run(good: int, queries: int = QUERIES) -> str:
    """A run that is right for the first `good` queries."""
    return board_worlds.run(good=good, queries=queries)


@dataclass
class Site:
    """A board service with an address of its own, and the tokens of who takes part."""

    address: str
    service: Service
    tokens: dict[str, str]


@contextmanager
def served(folder: Path) -> Iterator[Site]:
    """A new service on a free port, its public half always the same; four teams have submitted, the last not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "secrets", SimpleNamespace(token_bytes=lambda number: b"k" * number))
        service = prepared(folder)
        with answering(service) as address:
            found = Site(address, service, enrolled(service))
            for team, good in zip(TEAMS[:4], (36, 34, 30, 8), strict=True):
                post(found, team, run(good), label=f"secret of {team[:4]}")
            yield found


def prepared(folder: Path) -> Service:
    truth = [f"q{q} 0 d{q}{d} {grade}" for q in range(QUERIES) for d, grade in enumerate((2, 1, 0))]
    (folder / "truth.qrels").write_text("\n".join(truth))
    (folder / "board.toml").write_text(SETTINGS)
    return Service(load(folder / "board.toml"))


def enrolled(service: Service) -> dict[str, str]:
    """The tokens of all teams and of the host."""
    secrets = {}
    with service.database.writing() as session:
        for name in (*TEAMS, "the host"):
            account = tokens.add_account(session, name, "host" if name == "the host" else "team", service.now)
            secrets[name] = tokens.add_token(session, account, service.now)
    return secrets


@contextmanager
def answering(service: Service) -> Iterator[str]:
    """The address at which a service answers."""
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(service), log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def post(site: Site, team: str, content: str, label: str = "") -> None:
    """A submission by the API."""
    headers = {"Authorization": f"Bearer {site.tokens[team]}"}
    path = f"{site.address}/api/boards/science/submissions"
    assert httpx.post(path, params={"label": label}, content=content, headers=headers).status_code == 201


@dataclass
class Watched:
    """All that a browser asked for and complained about."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._heard: dict[str, Callable[[Any], Any]] = {
            "request": lambda request: self.requests.append(request.url),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "dialog": lambda dialog: self.complaints.append(f"dialog: {dialog.message}"),
            "console": lambda said: self.complaints.append(said.text),
        }

    def follow(self, page: Page) -> None:
        """Write down what this page does."""
        for event, hear in self._heard.items():
            page.on(event, hear)  # type: ignore[call-overload]

    def leave(self, page: Page) -> None:
        """Write down what it did until now and no more."""
        page.goto("about:blank")
        for event, hear in self._heard.items():
            page.remove_listener(event, hear)


def axe(page: Page) -> list[str]:
    """What axe-core finds wrong with a page."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ModuleNotFoundError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip("axe-playwright-python is not installed")
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
