"""One team delays nobody else: work is bounded, accounted to teams, and everybody takes turns."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import json
import math
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import zstandard
from click.testing import CliRunner

from board_jobs import HELD, burn, held_audit, slow_audit, slow_score, wait_without
from board_worlds import QRELS, Build, World, building, run
from truerank.board import processing
from truerank.board.errors import ApiError
from truerank.board.rates import Rate
from truerank.board.settings import load
from truerank.board.turns import Turns
from truerank.board.upload import Receiver
from truerank.board.workers import OutOfTime, ProcessPool, WorkerLost
from truerank.cli import truerank
from truerank.formats.compression import CODECS, Members
from truerank.present.names import cells

SCIENCE = 'rules = "science-qa"'
TRUTH = json.dumps({str(q): [f"d{q}"] for q in range(3)})


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress], ids=["gz", "bz2", "zst"])
def test_unpacking_many_members_looks_at_each_byte_about_once(pack: Callable[[bytes], bytes]):
    """What follows a member is copied by the libraries: so much must not be handed to them at once."""
    given = 0

    class Counting:
        def __init__(self, unpacker: Any):
            self.unpacker = unpacker

        def decompress(self, data: Any, *most: int) -> Any:
            nonlocal given
            given += len(data)
            return self.unpacker.decompress(data, *most)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.unpacker, name)

    data = pack(b"q0 Q0 d 1 1 t\n") + pack(b"") * 4000
    codec = next(one for one in CODECS if one.name[0] == {gzip.compress: "g", bz2.compress: "b"}.get(pack, "z"))
    members = Members(codec._replace(unpacker=lambda start: Counting(codec.unpacker(start))))
    assert b"".join(members.feed(data)) == b"q0 Q0 d 1 1 t\n"
    members.finish()
    assert members.count == 4001
    assert given <= 300 * members.count + 2 * len(data)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress], ids=["gz", "bz2", "zst"])
def test_a_file_of_too_many_compressed_pieces_is_refused_as_it_arrives(pack: Any, tmp_path: Path):
    receiver = Receiver(tmp_path / "f", 1 << 30, 1 << 30, members=100)
    receiver.feed(pack(b"q0 Q0 d 1 1 t\n") + pack(b"") * 99)
    with pytest.raises(ApiError, match="more than 100 compressed pieces") as caught:
        receiver.feed(pack(b""))
    receiver.drop()
    assert caught.value.kind == "too-many-members"


def test_a_host_sets_how_many_members_a_file_may_have(build: Build, sqlite: str):
    world = build(sqlite, "members = 2")
    parts = [gzip.compress(part.encode()) for part in run().splitlines(keepends=True)]
    many = world.submit("A", b"".join(parts))
    assert (many.status_code, many.json()["error"]) == (413, "too-many-members")
    assert world.submit("A", gzip.compress(run().encode()) + gzip.compress(b"")).status_code == 201


@pytest.mark.parametrize(
    ("settings", "sent", "line"),
    [
        (SCIENCE, '{"eval_id": 0, "topk": []}\n{"eval_id": 1, "topk": ["a", "b", "c", "d"]}\n', 2),
        (SCIENCE, json.dumps({"1": ["a", "b", "c", "d"]}), None),
        ("", '{"query_id": "0", "docs": ["a"]}\n{"query_id": "1", "docs": ["a", "b", "c", "d"]}\n', 2),
        ("", json.dumps({"1": {"a": 4, "b": 3, "c": 2, "d": 1}}), None),
        ("", json.dumps({"1": ["a", "b", "c", "d"]}), None),
    ],
)
def test_a_line_with_more_ids_than_a_host_allows_is_refused(
    build: Build, sqlite: str, settings: str, sent: str, line: int | None
):
    world = build(sqlite, f"{settings}\nids = 3", qrels=TRUTH, truth="truth.json")
    said = world.client.post("/api/boards/main/audits", content=sent, headers=world.headers("A")).json()
    (finding,) = [finding for finding in said["findings"] if finding["refuses"]]
    assert finding["kind"] == "too-many-ids"
    assert "4 results in one list, and 3 are the most" in finding["message"]
    assert line is None or finding["lines"] == [line]
    fits = (
        sent.replace(', "d"]', "]")
        .replace(', "d": 1}', "}")
        .replace('"topk": []', '"topk": [], "by": "a, b, c, d"')
    )
    assert world.client.post("/api/boards/main/audits", content=fits, headers=world.headers("A")).json()["valid"]


def test_those_who_wait_take_turns():
    turns = Turns[int](at_once=1)
    for job in range(3):
        turns.put("a", job)
    turns.put("b", 10)
    assert turns.take() == ("a", 0)
    assert turns.take() == ("b", 10)
    turns.done("a")
    turns.put("c", 20)
    assert turns.take() == ("a", 1)
    assert turns.take() == ("c", 20)
    assert turns.close() == [2]
    assert turns.take() is None


def test_a_team_with_many_jobs_leaves_a_worker_to_others(tmp_path: Path):
    """However long the many take: another's job ends while they are held."""

    async def use() -> list[str]:
        pool, order, held = ProcessPool(2, seconds=60), [], tmp_path / "held"
        held.touch()
        try:
            pool.warm(len, "")
            await asyncio.gather(*(pool.do(len, "", who=n) for n in range(2)))

            async def one(who: str) -> None:
                await pool.do(wait_without, held, who=who)
                order.append(who)

            many = [asyncio.create_task(one("a")) for _ in range(3)]
            await asyncio.sleep(0.05)
            await asyncio.wait_for(pool.do(len, "", who="b"), 30)
            order.append("b")
            held.unlink()
            await asyncio.gather(*many)
            return order
        finally:
            held.unlink(missing_ok=True)
            pool.close()

    assert asyncio.run(use()) == ["b", "a", "a", "a"]


def test_a_job_that_takes_too_much_of_the_processor_is_stopped_and_charged():
    async def use() -> list[float]:
        pool, charged = ProcessPool(1, seconds=60), []
        try:
            with pytest.raises(OutOfTime, match="1 seconds of processor time"):
                await pool.do(burn, 30.0, processor=1.0, charge=charged.append)
            assert await pool.do(burn, 0.2, processor=5.0, charge=charged.append) == 0.2
            assert await pool.do(len, "abc") == 3
            followed = pool.follow(burn, 30.0, processor=1.0)
            assert followed is not None
            with pytest.raises(OutOfTime):
                followed.result()
            return [*charged, followed.spent]
        finally:
            pool.close()

    first, second, third = asyncio.run(use())
    assert (first, third) == (1.0, 1.0)
    assert 0.2 <= second < 1


def test_a_process_that_dies_is_no_process_out_of_time():
    import os

    async def use() -> None:
        pool = ProcessPool(1, seconds=60)
        try:
            with pytest.raises(WorkerLost) as caught:
                await pool.do(os.abort, processor=5.0)
            assert not isinstance(caught.value, OutOfTime)
        finally:
            pool.close()

    asyncio.run(use())


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def limited(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A submission may take one second of the processor; the worker takes long to start, so there is one world."""
    folder = tmp_path_factory.mktemp("limited")
    is_sqlite = request.param == "sqlite"
    address = f"sqlite:///{folder / 'board.sqlite'}" if is_sqlite else request.getfixturevalue("postgresql")()
    with building(folder) as build:
        yield build(address, more="patience = 300\nprocessor = 1\nteam_processor = 2", workers=1)


@pytest.mark.parametrize("step", ["audit", "score"])
def test_a_submission_out_of_time_is_stopped_told_why_and_costs_no_attempt(
    limited: World, step: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(processing, f"{step}_in_worker", {"audit": slow_audit, "score": slow_score}[step])
    said = limited.submit(step, run())
    assert said.status_code == 422, said.text
    (finding,) = [finding for finding in said.json()["findings"] if finding["refuses"]]
    assert finding["kind"] == "processor-time"
    assert "stopped after 1 seconds of processor time" in finding["message"]
    used = limited.client.get("/api/boards/main/attempts", headers=limited.headers(step)).json()
    assert used["total"] == 0
    assert list((limited.folder / "data/files").glob("*/*")) == []
    (one,) = limited.client.get("/api/boards/main/submissions", headers=limited.headers(step)).json()
    assert (one["state"], one["processor"] >= 1) == ("refused", True)


def test_checks_are_paid_with_processor_time_too(build: Build, sqlite: str):
    world = build(sqlite, more="team_processor = 1")
    world.service.processing.rate.clock = lambda: 0.0
    account = {"headers": world.headers("A"), "content": run()}
    assert world.client.post("/api/boards/main/audits", **account).status_code == 200
    with world.service.database.reading() as session:
        from truerank.board.tokens import find

        team = find(session, world.accounts["A"])[0].id  # type: ignore[index]
    world.service.processing.rate.charge(team, 5)
    for path in ("audits", "submissions"):
        answer = world.client.post(f"/api/boards/main/{path}", **account)
        assert (answer.status_code, answer.json()["error"]) == (429, "processor-time")
        assert int(answer.headers["retry-after"]) > 3600
    assert world.submit("B", run()).status_code == 201


def test_what_scoring_takes_is_written_down(build: Build, sqlite: str):
    world = build(sqlite)
    said = world.submit("A", run()).json()
    assert 0 < said["processor"] < 30
    exported = json.loads(world.client.get("/api/boards/main/export", headers=world.headers("host")).text)
    assert exported["processor"] == said["processor"]
    assert 'truerank_processor_seconds_total{board="main"}' in world.client.get("/metrics").text


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Audits wait until this is set."""
    event, audit = threading.Event(), processing.audit_in_worker

    def waiting(*args: Any) -> Any:
        assert event.wait(60)
        return audit(*args)

    monkeypatch.setattr(processing, "audit_in_worker", waiting)
    return event


def followed(world: World, path: str, name: str = "A") -> dict[str, Any]:
    until = time.monotonic() + 60
    look, under_way = (lambda: world.client.get(path, headers=world.headers(name))), ("received", "accepted")
    while (answer := look()).json()["state"] in under_way:
        assert answer.headers["retry-after"] == "1"
        assert time.monotonic() < until
        time.sleep(0.01)
    assert "retry-after" not in answer.headers
    found: dict[str, Any] = answer.json()
    return found


def test_a_submission_that_takes_long_is_answered_with_where_to_look(
    build: Build, address: str, held: threading.Event
):
    world = build(address, more="patience = 0.1")
    sent = world.submit("A", run(good=9))
    assert sent.status_code == 202, sent.text
    where = sent.headers["location"]
    assert (sent.json()["state"], where) == ("received", f"/api/submissions/{sent.json()['id']}")
    assert sent.headers["retry-after"] == "1"
    token = world.headers("A")["Authorization"].removeprefix("Bearer ")
    world.client.post("/login", data={"token": token})
    page = world.client.get(where.removeprefix("/api")).text
    assert '<meta http-equiv="refresh"' in page
    assert "being audited and scored" in page
    again = world.submit("A", run(good=9))
    assert (again.status_code, again.json()["id"], again.json()["is_new"]) == (202, sent.json()["id"], False)
    held.set()
    assert followed(world, where)["state"] == "scored"
    assert '<meta http-equiv="refresh"' not in world.client.get(where.removeprefix("/api")).text


def test_not_too_many_of_one_team_wait_at_once(build: Build, sqlite: str, held: threading.Event):
    world = build(sqlite, "per_day = 50", more="patience = 0\nwaiting = 3")
    answers = [world.submit("A", run(good=good)) for good in range(5)]
    assert [answer.status_code for answer in answers] == [202] * 3 + [429] * 2
    assert answers[-1].json()["error"] == "too-many-waiting"
    assert world.submit("B", run()).status_code == 202
    held.set()
    for answer in answers[:3]:
        assert followed(world, answer.headers["location"])["state"] == "scored"
    assert world.submit("A", run(good=11)).status_code == 202


def test_submit_follows_what_takes_long(
    build: Build, sqlite: str, held: threading.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The command, against the application, without a network between them."""
    world = build(sqlite, "digits = 2", more="patience = 0")
    world.add("A")

    def through(self: httpx.Client, method: str, url: Any, **more: Any) -> httpx.Response:
        if more.get("content") is not None:
            more["content"] = b"".join(more["content"])
        given = {key: more[key] for key in ("params", "headers", "content") if more.get(key)}
        return world.client.request(method, httpx.URL(url).raw_path.decode(), **given)

    monkeypatch.setattr(httpx.Client, "post", lambda self, url, **more: through(self, "POST", url, **more))
    monkeypatch.setattr(httpx.Client, "get", lambda self, url, **more: through(self, "GET", url, **more))
    (tmp_path / "mine.run").write_text(run(good=9))
    options = ["--board", "http://board/boards/main", "--token", world.accounts["A"]]
    threading.Timer(0.5, held.set).start()
    done = CliRunner().invoke(truerank, ["submit", str(tmp_path / "mine.run"), *options])
    assert done.exit_code == 0, done.output
    assert "truerank: received; it waits to be audited" in done.stderr
    score = world.board()["standings"][0]["score"]
    assert re.split("  +", done.stdout.splitlines()[0]) == ["strict score", f"{score:.2f}"]
    id = world.client.get("/api/boards/main/submissions", headers=world.headers("A")).json()[0]["id"]
    *_, ranks, submission, left = (re.split("  +", line) for line in done.stdout.splitlines())
    assert (ranks, submission) == (["ranked by", "nDCG@10"], ["submission", id])
    assert left == ["4 submissions left now"]
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    korean = {"TRUERANK_LANG": "ko"}
    again = CliRunner().invoke(truerank, ["submit", str(tmp_path / "mine.run"), *options], env=korean)
    lines = again.stdout.splitlines()
    assert not re.search("score|interval|queries|strict|official|ranked|submission", again.stdout)
    assert len({cells(line[: line.index(line.split("  ")[-1].strip())]) for line in lines[:2]}) == 1
    assert lines[-1] == "지금 남은 제출 0번"
    world.client.post("/api/boards/main/reopen", headers=world.headers("host"))
    (tmp_path / "bad.run").write_text("q0 Q0 d\n")
    bad = CliRunner().invoke(truerank, ["submit", str(tmp_path / "bad.run"), *options])
    assert bad.exit_code == 2
    assert "invalid: line 1: a run line has 6 columns" in bad.stderr
    assert "the submission is invalid and costs nothing" in " ".join(bad.stderr.split())


def test_a_team_that_stalls_delays_nobody(build: Build, sqlite: str, monkeypatch: pytest.MonkeyPatch):
    """Slow files of one team by the half dozen; another team has its score while none of them is audited."""
    world = build(sqlite, "per_day = 50", more="patience = 0", workers=2)
    until = time.monotonic() + 60
    while world.service.pool.waiting or not all(worker.process for worker in world.service.pool._all):
        assert time.monotonic() < until
        time.sleep(0.01)
    held = world.folder / HELD
    held.touch()
    monkeypatch.setattr(processing, "audit_in_worker", held_audit)
    with ThreadPoolExecutor(6) as threads:
        world.add("A")
        slow = list(threads.map(lambda good: world.submit("A", run(good=good)), range(6)))
    assert {answer.status_code for answer in slow} == {202}
    monkeypatch.undo()
    fast = followed(world, world.submit("B", run()).headers["location"], "B")
    assert fast["state"] == "scored"
    left = world.client.get("/api/boards/main/submissions", headers=world.headers("A")).json()
    assert [one["state"] for one in left] == ["received"] * 6
    held.unlink()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("processor = 0", "processor is a number of seconds from 1"),
        ('workers = "many"', "workers is a whole number"),
        ("patience = -1", "patience is a number from 0"),
        ("waiting = true", "waiting is a positive whole number"),
        ("registration = 1", "registration is true or false"),
        ('memory = "100 MB"', 'memory is at least 536,870,912 bytes; not "100 MB"'),
        ("public = 0.3", r"no setting 'public'\. It goes below \[\[boards\]\]"),
        ('[[boards]]\nname = "b"\nregistration = true', r"no setting 'registration'\. It goes above the boards"),
    ],
)
def test_a_setting_above_the_boards_that_is_wrong_is_named(tmp_path: Path, text: str, message: str):
    (tmp_path / "board.toml").write_text(f'{text}\n[[boards]]\nname = "a"')
    with pytest.raises(Exception, match=message):
        load(tmp_path / "board.toml")


def test_two_workers_judge_unless_a_host_says_otherwise(tmp_path: Path):
    (tmp_path / "truth.qrels").write_text(QRELS)
    (tmp_path / "board.toml").write_text('[[boards]]\nname = "a"')
    settings = load(tmp_path / "board.toml")
    assert settings.workers == 2
    assert math.isfinite(settings.processor)


def test_a_worker_loads_neither_the_database_nor_the_web() -> None:
    """What it does without takes no time at its start, and none of the memory that is left to files."""
    code = "import sys; from truerank.board import following, jobs, workers; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = set(done.stdout.split())
    assert "truerank.board.jobs" in loaded
    assert not {"sqlalchemy", "prometheus_client", "fastapi", "starlette", "jinja2"} & loaded


def test_a_bucket_fills_to_its_brim_is_charged_below_empty_and_only_the_last_askers_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    rate = Rate(4, 0.5, clock=lambda: now)
    assert rate.wait("d") == 0
    now += 1000
    assert [rate.wait("d") for _ in range(5)] == [0, 0, 0, 0, 2]
    assert [rate.wait("a", 3), rate.wait("a", 2), rate.wait("a"), rate.wait("a", 0)] == [0, 2, 0, 2]
    now += 2
    assert [rate.wait("a", 0), rate.wait("a", 0), rate.wait("a"), rate.wait("a")] == [0, 0, 0, 2]
    now += 100
    rate.charge("a", 7)
    rate.charge("b", 3)
    assert [rate.wait("a", 0), rate.wait("b"), rate.wait("b")] == [8, 0, 2]
    now += 4
    rate.charge("a", 0.5)
    assert rate.wait("a") == 5
    with pytest.raises(ApiError) as refused:
        rate.check("a")
    assert (refused.value.status, refused.value.after) == (429, 5)
    monkeypatch.setattr("truerank.board.rates.REMEMBERED", 2)
    assert [rate.wait(who) for who in ("c", "a", "c", "b", "a")] == [0, 5, 0, 0, 0]
