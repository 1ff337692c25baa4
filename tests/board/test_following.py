"""Large files are judged while they arrive; what is found is what is found in the whole file."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import zstandard

import truerank as tr
from board_worlds import QRELS, World, building
from truerank.board.audit import SMALL, audit
from truerank.board.contests import Contest, Spec, load
from truerank.board.following import ArrivingSource
from truerank.board.offline import rescore
from truerank.board.settings import BoardSettings

DEPTH = 18_000


@cache
def large() -> tuple[bytes, ...]:
    """The lines of a run that is followed, as it is more than the small ones have."""
    lines = [b"q%d Q0 d%d%d %d %d t" % (q, q, d, d, 2 * DEPTH - d) for q in range(20) for d in range(DEPTH)]
    assert sum(map(len, lines)) > SMALL
    return tuple(lines)


def text_of(lines: Sequence[bytes]) -> bytes:
    return b"\n".join(lines) + b"\n"


SETTINGS = 'public = 0.5\n[[boards]]\nname = "new"'


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """With a worker and a follower, which take long to start: so every test has teams of its own in one world."""
    folder = tmp_path_factory.mktemp("sqlite")
    with building(folder) as build:
        yield build(f"sqlite:///{folder / 'board.sqlite'}", SETTINGS, workers=1)


@pytest.fixture(scope="module")
def on_postgresql(postgresql: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The same."""
    with building(tmp_path_factory.mktemp("postgresql")) as build:
        yield build(postgresql(), SETTINGS, workers=1)


@pytest.fixture
def world(on_sqlite: World) -> World:
    """When its follower has got ready."""
    return ready(on_sqlite)


def watched(world: World, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The judgements that were reached before the whole file was looked at again."""
    follow, found = world.service.pool.follow, []

    def watch(*args: Any, **how: Any) -> Any:
        followed = follow(*args, **how)
        found.append(followed is not None)
        return followed

    monkeypatch.setattr(world.service.pool, "follow", watch)
    return found


def ready(world: World) -> World:
    """Wait until the follower has got ready."""
    with world.service.pool._following:
        assert world.service.pool._follower is not None
    return world


PACKS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": lambda data: gzip.compress(data, 1),
    "zst": zstandard.compress,
}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_followed_submission_scores_as_the_engine_scores_it(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, kind: str
):
    world: World = ready(request.getfixturevalue(f"on_{kind}"))
    began = watched(world, monkeypatch)
    contest = contest_of(world.folder)
    for number, (name, pack) in enumerate(PACKS.items(), 1):
        data = pack(text_of(large()))
        said = world.submit(name, data)
        assert said.status_code == 201, said.text
        assert began == [True] * number
        (world.folder / "mine.run").write_bytes(data)
        mean = tr.evaluate(world.folder / "truth.qrels", world.folder / "mine.run").mean
        seen = world.client.get(f"/api/submissions/{said.json()['id']}", headers=world.headers("host")).json()
        assert seen["strict"]["all"] == mean, name
        assert seen["audit"] == audit(world.folder / "mine.run", contest, SMALL + 1).to_dict(), name
    assert rescore(world.service.settings, world.service.database, "main", write=False).changed == ()


def contest_of(folder: Path) -> Contest:
    return load(Spec.of(BoardSettings(name="main"), folder / "truth.qrels", b"key"))


def spoiled(kind: str) -> bytes:
    lines = list(large())
    {
        "twice": lambda: lines.append(lines[-9]),
        "unknown": lambda: lines.insert(len(lines) // 2, b"zz Q0 d 1 1 t"),
        "columns": lambda: lines.insert(len(lines) // 2, b"q0 Q0 d"),
        "columns-first": lambda: lines.insert(0, b"q0 Q0 d"),
        "scattered": lambda: lines.append(b"q0 Q0 d00 1 1 t"),
        "long": lambda: lines.append(b"a" * (2 << 20)),
    }[kind]()
    return text_of(lines)


@pytest.mark.parametrize("kind", ["twice", "unknown", "columns", "columns-first", "scattered", "long"])
def test_what_is_wrong_with_a_followed_file_is_what_is_wrong_with_the_whole(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str, tmp_path: Path
):
    began, data = watched(world, monkeypatch), spoiled(kind)
    (tmp_path / "sent").write_bytes(data)
    answer = world.submit(kind, data)
    assert answer.status_code == 422
    assert began == [True]
    whole = audit(tmp_path / "sent", contest_of(world.folder), SMALL + 1).to_dict()["findings"]
    assert whole
    assert answer.json()["findings"] == whole


def test_the_follower_is_free_again_after_what_was_given_up_or_sent_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    began = watched(world, monkeypatch)
    good = text_of(large())
    assert world.submit("twice", gzip.compress(good, 1)[:-9]).status_code == 422
    assert [world.submit("twice", good).status_code for _ in range(2)] == [201, 200]
    assert began == [True] * 3
    assert world.service.processing.early == {}
    assert not world.service.pool._following.locked()


def test_a_file_that_finds_the_follower_busy_is_judged_when_it_is_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    began = watched(world, monkeypatch)
    with world.service.pool._following:
        busy = world.submit("busy", text_of(large()))
    free = world.submit("free", text_of(large()))
    assert began == [False, True]
    assert busy.json()["strict"] == free.json()["strict"]
    assert busy.json()["audit"] == free.json()["audit"]


def test_a_follower_that_dies_costs_only_time(world: World, monkeypatch: pytest.MonkeyPatch):
    follow = world.service.pool.follow

    def kill(*args: Any, **how: Any) -> Any:
        followed = follow(*args, **how)
        world.service.pool._follower.process.kill()  # type: ignore[union-attr]
        return followed

    monkeypatch.setattr(world.service.pool, "follow", kill)
    assert world.submit("killed", text_of(large())).status_code == 201


def test_truth_that_changed_on_the_way_is_not_what_scores(world: World, monkeypatch: pytest.MonkeyPatch):
    """Somebody submits while a host hands in another truth: the score is of the one that is there at the end."""
    host = world.headers("host")
    world.client.put("/api/boards/new/truth", content=QRELS, headers=host)
    data, worse = text_of(large()), QRELS.replace(" 2", " 0")
    follow = world.service.pool.follow

    def change(*args: Any, **how: Any) -> Any:
        followed = follow(*args, **how)
        assert world.client.put("/api/boards/new/truth", content=worse, headers=host).status_code == 200
        return followed

    monkeypatch.setattr(world.service.pool, "follow", change)
    said = world.submit("late", data, "new").json()
    (world.folder / "mine.run").write_bytes(data)
    (world.folder / "worse.qrels").write_text(worse)
    assert said["strict"]["public"] == tr.evaluate(world.folder / "worse.qrels", world.folder / "mine.run").mean


def test_a_growing_file_is_read_to_where_it_ends_though_it_moves(tmp_path: Path):
    data, whole = text_of(large()), threading.Event()
    path, moved = tmp_path / "grows", tmp_path / "moved"
    path.write_bytes(data[:5])

    def write() -> None:
        with path.open("ab") as file:
            for at in range(5, len(data), 999_983):
                file.write(data[at : at + 999_983])
                file.flush()
        path.rename(moved)
        whole.set()

    with path.open("rb") as file:
        source = ArrivingSource(os.fspath(path), file.fileno(), lambda seconds: whole.wait(seconds))
        writer = threading.Thread(target=write)
        writer.start()
        assert source.read() == data
        writer.join()
        assert source.head == data[: len(source.head)]
        assert source.path is None
