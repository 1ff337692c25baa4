"""Many at once, and the plug pulled in the middle: nothing is lost, nothing counted twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, text

from board_worlds import QRELS, Build, run
from truerank.board import submissions
from truerank.board.database import Database
from truerank.board.models import ACCEPTED, RECEIVED, SCORED, Account, Board, Submission
from truerank.board.offline import add, opened, rescore
from truerank.board.settings import load
from truerank.board.workers import ProcessPool, WorkerLost
from truerank.cli import truerank as command


def test_a_limit_is_exact_when_all_come_at_once(build: Build, address: str):
    world = build(address, "per_day = 5\ntotal = 5")
    world.add("A")
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda n: world.submit("A", run(good=n % 20, tag=f"t{n}")), range(24)))
    assert Counter(answer.status_code for answer in answers) == {201: 5, 429: 19}
    with world.service.database.reading() as session:
        states = Counter(session.scalars(select(Submission.state)))
        places = sorted(session.scalars(select(Submission.place).where(Submission.place.is_not(None))))
    assert states[SCORED] == 5
    assert places == [1, 2, 3, 4, 5]
    assert len(list((world.folder / "data/files").glob("*/*"))) == 5


def test_one_key_sent_many_times_at_once_is_one_submission(build: Build, address: str):
    world = build(address)
    world.add("A")
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: world.submit("A", run(), **{"Idempotency-Key": "k"}), range(16)))
    assert {answer.status_code for answer in answers} == {200, 201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sum(answer.json()["is_new"] for answer in answers) == 1


def test_the_same_file_from_two_teams_stays_when_one_is_refused(build: Build, address: str):
    """Files are kept by content: refusing one submission leaves the other's file alone."""
    world = build(address, "per_day = 1")
    for team in ("A", "B"):
        assert world.submit(team, run(good=9)).status_code == 201
    world.submit("A", run(good=8))
    with world.service.database.reading() as session:
        hashes = submissions.kept_files(session)
    assert {path.name for path in (world.folder / "data/files").glob("*/*")} == hashes


def test_a_team_at_its_limit_may_send_the_same_file_to_another_board_meanwhile(postgresql: Callable[..., str]):
    """What goes over the limit drops its file while the same one arrives elsewhere: neither waits for the other."""
    database = Database(postgresql(with_tables=True))
    common: dict[str, Any] = {"account_id": 1, "state": RECEIVED, "sha256": "f" * 64, "size": 1, "unpacked": 1}
    with database.writing() as session:
        session.add_all(Board(name=name, version=0, scored=0, fingerprint="") for name in ("one", "other"))
        session.add(Account(name="A", role="team", created_at=0))
        session.flush()
        session.add(Submission(id="first", board="one", received_at=0, **common))
    holds_team, holds_file = threading.Event(), threading.Event()

    def drop() -> None:
        with database.writing() as session:
            submissions.locked_with_team(session, "first")
            holds_team.set()
            holds_file.wait()
            time.sleep(0.2)
            submissions._lock_file(session, "f" * 64)

    def arrive() -> None:
        with database.writing() as session:
            submissions._lock_file(session, "f" * 64)
            holds_team.wait()
            holds_file.set()
            session.add(Submission(id="second", board="other", received_at=0, **common))

    with ThreadPoolExecutor(2) as both:
        for done in [both.submit(drop), both.submit(arrive)]:
            done.result()
    database.close()


def test_files_arrive_while_a_board_is_scored_anew(postgresql: Callable[..., str]):
    """One that waits holds a thread that the files of other boards need."""
    database = Database(postgresql(with_tables=True))
    sent: dict[str, Any] = {"board": "one", "account_id": 1, "state": RECEIVED, "size": 1, "unpacked": 1}
    with database.writing() as session:
        session.add(Board(name="one", version=0, scored=0, fingerprint=""))
        session.add(Account(name="A", role="team", created_at=0))
    with database.writing() as rescoring:
        submissions.locked_board(rescoring, "one")
        with database.writing() as session:
            session.execute(text("SET LOCAL lock_timeout = '2s'"))
            session.add(Submission(id="first", sha256="f" * 64, received_at=0, **sent))
    with database.reading() as session:
        assert session.scalars(select(Submission.id)).all() == ["first"]
    database.close()


def test_what_a_crash_left_is_finished_at_the_next_start(build: Build, address: str):
    """A submission that was only received, and one that was only accepted, are scored, once."""
    world = build(address)
    for good in (3, 6):
        world.submit("A", run(good=good))
    with world.service.database.writing() as session:
        one, two = session.scalars(select(Submission).order_by(Submission.place))
        before = (one.score, two.score)
        session.query(submissions.Values).delete()
        for submission, state in ((one, RECEIVED), (two, ACCEPTED)):
            submission.state = state
            submission.score = submission.place = submission.results = submission.scored_at = None
        one.accepted_at = None
    (world.folder / "data/incoming/half").write_text("q0 Q0")
    world.client.__exit__(None, None, None)
    again = build(address)
    again.accounts.update(world.accounts)
    until = time.monotonic() + 60
    while any(
        one["state"] != SCORED
        for one in again.client.get("/api/boards/main/submissions", headers=again.headers("A")).json()
    ):
        assert time.monotonic() < until
        time.sleep(0.01)
    with again.service.database.reading() as session:
        found = session.scalars(select(Submission).order_by(Submission.score)).all()
    assert tuple(submission.score for submission in found) == before
    assert len({submission.place for submission in found}) == 2
    assert not (world.folder / "data/incoming/half").exists()


def test_what_was_received_waits_for_a_board_that_is_not_in_the_settings_now(build: Build, sqlite: str):
    other = '[[boards]]\nname = "other"\ntruth = "truth.qrels"'
    world = build(sqlite, other)
    world.submit("A", run(), "other")
    with world.service.database.writing() as session:
        submission = session.scalars(select(Submission)).one()
        session.query(submissions.Values).delete()
        submission.state, submission.score, submission.place, submission.results = RECEIVED, None, None, None
    world.client.__exit__(None, None, None)
    without, until = build(sqlite), time.monotonic() + 60
    while not without.service.processing.later:
        assert time.monotonic() < until
        time.sleep(0.01)
    without.client.__exit__(None, None, None)
    again = build(sqlite, other)
    again.accounts.update(world.accounts)
    while not again.board("other")["standings"]:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_what_cannot_be_scored_costs_nothing_and_stays_for_the_host(build: Build, address: str):
    """An accepted file that the disk lost: its team keeps the attempt, the board shows nothing of it."""
    world = build(address)
    world.submit("A", run(good=3), **{"Idempotency-Key": "k"})
    with world.service.database.writing() as session:
        (submission,) = session.scalars(select(Submission))
        session.query(submissions.Values).delete()
        submission.state, submission.score, submission.place, submission.results = ACCEPTED, None, None, None
        world.service.storage.path(submission.sha256).unlink()
    world.client.__exit__(None, None, None)
    again = build(address)
    again.accounts.update(world.accounts)
    path, until = "/api/boards/main/submissions", time.monotonic() + 60
    while (seen := again.client.get(path, headers=again.headers("A")).json())[0]["state"] == ACCEPTED:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert seen[0]["state"] == "failed"
    assert again.client.get("/api/boards/main/attempts", headers=again.headers("A")).json()["total"] == 0
    assert again.board()["standings"] == []
    assert again.submit("A", run(good=3), **{"Idempotency-Key": "k"}).status_code == 201, "sent again, it is scored"


def test_a_worker_that_dies_or_hangs_is_replaced():
    import asyncio

    async def use() -> None:
        pool = ProcessPool(1, memory=2 << 30, seconds=20)
        try:
            with pytest.raises(WorkerLost):
                await pool.do(os.abort)
            assert await pool.do(len, "abc") == 3
            with pytest.raises(MemoryError):
                await pool.do(bytearray, 8 << 30)
            with pytest.raises(ValueError, match="no'"):
                await pool.do(int, "no")
            for worker in pool._all:
                worker.seconds = 0.2
            with pytest.raises(WorkerLost, match="seconds"):
                await pool.do(time.sleep, 60)
        finally:
            pool.close()

    asyncio.run(use())


class Server:
    """`truerank serve` in a process of its own, on a free port of the loopback."""

    def __init__(self, folder: Path, address: str):
        self.folder, self.address = folder, address
        self.start()

    def start(self) -> None:
        options = ["--board", "board.toml", "--port", "0", "--db", self.address]
        log = self.folder / "server.log"
        with log.open("w") as file:
            command = [sys.executable, "-m", "truerank", "serve", *options]
            self.process = subprocess.Popen(command, cwd=self.folder, stderr=file)
        until = time.monotonic() + 60
        while not (found := re.search(r"serving .* at (http://\S+:\d+)/", log.read_text())):
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.02)
        self.url = found[1]
        while time.monotonic() < until:
            with suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/healthz").status_code == 200:
                    return
            time.sleep(0.01)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(60)


@pytest.fixture
def serve(tmp_path: Path) -> Any:
    servers = []

    def make(address: str, settings: str = "", workers: int = 2) -> Server:
        (tmp_path / "truth.qrels").write_text(QRELS)
        board = f'[[boards]]\nname = "main"\ntruth = "truth.qrels"\n{settings}\n'
        above = f"workers = {workers}\npatience = 300"  # no answer depends on how busy the machine is
        (tmp_path / "board.toml").write_text(f"{above}\n{board}")
        servers.append(Server(tmp_path, address))
        return servers[-1]

    yield make
    for server in servers:
        if server.process.poll() is None:
            server.kill()


@pytest.mark.slow
def test_killed_in_the_middle_it_loses_nothing_and_counts_nothing_twice(
    serve: Callable[..., Server], address: str, tmp_path: Path
):
    """kill -9 under load, twice. Clients send again with the same key until they have an answer."""
    server = serve(address, "per_day = 8\ntotal = 8")
    settings = load(tmp_path / "board.toml", address)
    with opened(settings) as database:
        tokens = [add(database, f"team {n}", "team", 0) for n in range(6)]
    answers: dict[tuple[int, int], httpx.Response] = {}
    client = httpx.Client(timeout=60)

    def send(job: tuple[int, int]) -> None:
        team, n = job
        headers = {"Authorization": f"Bearer {tokens[team]}", "Idempotency-Key": f"k{n}"}
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                url = f"{server.url}/api/boards/main/submissions"
                answer = client.post(url, content=run(good=n, tag=f"t{team}"), headers=headers)
            except httpx.TransportError:
                time.sleep(0.05)
                continue
            if answer.status_code != 503:
                answers[job] = answer
                return

    jobs = [(team, n) for n in range(10) for team in range(6)]
    with ThreadPoolExecutor(12) as threads:
        work = [threads.submit(send, job) for job in jobs]
        for share in (0.2, 0.5):
            while len(answers) < share * len(jobs):
                time.sleep(0.005)
            server.kill()
            server.start()
        for one in work:
            one.result()
    client.close()
    statuses = Counter(answers[job].status_code for job in jobs)
    assert statuses[429] == 6 * 2, statuses
    assert statuses[200] + statuses[201] == 6 * 8, statuses
    assert server.stop() in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    with opened(settings) as database, database.reading() as session:
        found = session.scalars(select(Submission).where(Submission.state.in_((RECEIVED, ACCEPTED, SCORED)))).all()
        by_team = Counter(submission.account_id for submission in found)
        assert {submission.state for submission in found} == {SCORED}
        assert set(by_team.values()) == {8}
        assert sorted(submission.place for submission in found) == list(range(1, 49))
        told = {answer.json()["id"] for answer in answers.values() if answer.status_code < 300}
        assert told == {submission.id for submission in found}
    with opened(settings) as database:
        assert rescore(settings, database, "main", write=False).changed == ()


@pytest.mark.slow
def test_stopped_gracefully_it_answers_what_it_had_begun(serve: Callable[..., Server], sqlite: str, tmp_path: Path):
    server = serve(sqlite, workers=1)
    settings = load(tmp_path / "board.toml", sqlite)
    with opened(settings) as database:
        token = add(database, "A", "team", 0)
    begun = threading.Event()

    def slowly() -> Any:
        for line in run().encode().splitlines(keepends=True):
            yield line
            begun.set()
            time.sleep(0.01)

    headers = {"Authorization": f"Bearer {token}"}
    with ThreadPoolExecutor(1) as threads:
        url = f"{server.url}/api/boards/main/submissions"
        answer = threads.submit(lambda: httpx.post(url, content=slowly(), headers=headers, timeout=60))
        begun.wait(30)
        assert server.stop() in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
        assert answer.result().status_code == 201
    with pytest.raises(httpx.TransportError):
        httpx.get(server.url)


@pytest.mark.slow
def test_the_command_line_serves_submits_and_exports(serve: Callable[..., Server], sqlite: str, tmp_path: Path):
    server = serve(sqlite, "per_day = 2", workers=1)
    options = ["--board", str(tmp_path / "board.toml"), "--db", sqlite]

    def truerank(*args: str, **more: str) -> Result:
        return CliRunner(env=more).invoke(command, args)

    token = truerank("board", "add-team", "A", *options).stdout.strip()
    (tmp_path / "mine.run").write_text(run(good=9))
    (tmp_path / "bad.run").write_text("q0 Q0 d\n")
    board = ["--board", f"{server.url}/boards/main"]
    checked = truerank("submit", str(tmp_path / "bad.run"), *board, "--check", TRUERANK_TOKEN=token)
    assert (checked.exit_code, checked.stdout) == (1, "invalid\n")
    options_json = ("--check", "--format", "json")
    asked = truerank("submit", str(tmp_path / "bad.run"), *board, *options_json, TRUERANK_TOKEN=token)
    assert (asked.exit_code, json.loads(asked.stdout)["valid"]) == (1, False)
    (tmp_path / "bad.run").write_text("q0 Q0 d\nq0 Q0 e 1 x t\n")
    bad = truerank("submit", str(tmp_path / "bad.run"), *board, TRUERANK_TOKEN=token)
    assert bad.exit_code == 2
    first, second, *rest = bad.stderr.splitlines()
    assert first.startswith("invalid: line 1: a run line has 6 columns")
    assert second == "invalid: line 2: the score x is no number"
    assert " ".join(" ".join(rest).split()) == "truerank: the submission is invalid and costs nothing"
    good = truerank("submit", str(tmp_path / "mine.run"), *board, "--format", "json", TRUERANK_TOKEN=token)
    scored = json.loads(good.stdout)
    assert scored["state"] == "scored"
    twice = truerank("submit", str(tmp_path / "mine.run"), *board, TRUERANK_TOKEN=token)
    assert f"these same bytes were already accepted as submission {scored['id']} of" in twice.stderr
    lines = twice.stdout.splitlines()
    assert re.split("  +", lines[0]) == ["strict score", f"{scored['score']:.4f}"]
    assert re.split("  +", lines[2]) == ["public queries", "official", "strict"]
    assert re.split("  +", lines[3]) == ["nDCG@10", *[f"{scored['score']:.4f}"] * 2]
    assert re.split("  +", lines[-2]) == ["submission", scored["id"]]
    assert lines[-1] == "1 submission left now"
    (tmp_path / "mine.run").write_text(run(good=8))
    last = truerank("submit", str(tmp_path / "mine.run"), *board, TRUERANK_TOKEN=token)
    left = last.stdout.splitlines()[-1]
    assert re.fullmatch(r"0 submissions left now; the next day begins at \d{4}-\d\d-\d\d 00:00 UTC", left)
    (tmp_path / "mine.run").write_text(run(good=7))
    over = truerank("submit", str(tmp_path / "mine.run"), *board, TRUERANK_TOKEN=token)
    assert "00:00 UTC" in over.stderr
    exported = [json.loads(line) for line in truerank("board", "export", "main", *options).stdout.splitlines()]
    assert [one["state"] for one in exported] == ["refused", "scored", "scored"]
    again = truerank("board", "rescore", "main", "--check", *options)
    assert (again.exit_code, again.stdout) == (0, "")
    assert "revoked 1 token" in truerank("board", "revoke", "A", *options).stderr
    assert truerank("submit", str(tmp_path / "mine.run"), *board, TRUERANK_TOKEN=token).exit_code == 2
    assert "no account called 'B'" in truerank("board", "revoke", "B", *options).stderr
