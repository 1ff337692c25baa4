"""A board with a real contest on it, to look around in: real collections, and real retrievers as teams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from truerank.board import tokens
from truerank.board.service import Service, Team
from truerank.board.settings import load
from truerank.board.upload import Receiver
from truerank.cli.demo.cities import cities
from truerank.cli.demo.collection import Collection, DemoRetriever
from truerank.cli.demo.lee import lee
from truerank.core.rankings import rankings
from truerank.core.run import Run
from truerank.formats.target import writing
from truerank.formats.trec import write_qrels, write_run
from truerank.fusion import fuse

BOARD = """\
[[boards]]
name = "{name}"
title = {title}
about = {about}
rules = "{name}.toml"
truth = "{name}.qrels"
public = 0.5
reveal = "queries"
"""


def write(folder: Path, say: Callable[[str], None] = lambda _: None) -> dict[str, str]:
    """Write boards, let teams and a host in, and submit what the teams found; {account: token}.

    Raises:
        MissingPackage: the demo's packages are not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    collections = [lee(), cities()]
    parts = ['title = "truerank demo"\nworkers = 0\n', *map(_settings, collections)]
    for collection in collections:
        with writing(folder / f"{collection.name}.qrels") as file:
            write_qrels(collection.qrels, file)
        (folder / f"{collection.name}.toml").write_text(collection.rules.to_toml(), "utf-8")
    (folder / "board.toml").write_text("\n".join(parts), "utf-8")
    given = asyncio.run(_fill(folder, collections, say))
    text = (folder / "board.toml").read_text("utf-8").replace("workers = 0\n", "")
    (folder / "board.toml").write_text(text, "utf-8")
    return given


def _settings(collection: Collection) -> str:
    about = " ".join(collection.about.split())
    return BOARD.format(name=collection.name, title=_quoted(collection.title), about=_quoted(about))


def _quoted(text: str) -> str:
    """The text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False)


async def _fill(folder: Path, collections: Iterable[Collection], say: Callable[[str], None]) -> dict[str, str]:
    service = Service(load(folder / "board.toml"))
    await service.start()
    given: dict[str, str] = {"host": await _let_in(service, "host", "host")}
    for collection in collections:
        for name, retriever in {**collection.retrievers, "fusion": _fusion(collection)}.items():
            say(f"{collection.name}: searching with {name}")
            run = folder / f"{collection.name}.{name}.run"
            with writing(run) as file:
                write_run(retriever.search(), file, name)
            if name not in given:
                given[name] = await _let_in(service, name, "team")
            await _submit(service, collection.name, given[name], run)
    await service.stop()
    return given


async def _let_in(service: Service, name: str, role: str) -> str:
    return (await service.database.write(lambda session: tokens.add(session, name, role, service.now))).token


async def _submit(service: Service, board: str, token: str, run: Path) -> None:
    match = await service.database.read(lambda session: tokens.find(session, token))
    assert match is not None
    account, kept = match

    async def feed(receiver: Receiver) -> None:
        receiver.feed(run.read_bytes())

    team = Team(account.id, account.name, account.role, kept.id)
    await service.submit(board, team, feed, key=None, label=run.name)


def _fusion(collection: Collection) -> DemoRetriever:
    """All retrievers together, by reciprocal rank fusion."""
    runs = [Run(name, retriever.search) for name, retriever in collection.retrievers.items()]
    fused = fuse(runs, rules={"ties": "input"})
    return DemoRetriever("reciprocal rank fusion of the others", lambda: rankings(fused.batches()))
