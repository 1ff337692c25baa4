"""200 submissions at once from 50 teams over loopback, while others look at the board.

Says how many were lost or counted twice (none may be), whether limits were exact, and how long the board page
took meanwhile. Then how long a large run takes to be answered, as a ratio to the time that only receiving it takes.

    python benchmarks/board.py [--teams 50] [--each 4] [--limit 3] [--rows 7000000] [--db URL]
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import itertools
import multiprocessing
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from sqlalchemy import select

from truerank.board.models import SCORED, Submission
from truerank.board.offline import add, opened, rescore
from truerank.board.settings import ServiceSettings, load

QUERIES, DOCS, DEPTH = 200, 1000, 20


def qrels() -> str:
    draw = np.random.default_rng(0)
    return "".join(f"q{q:04} 0 d{doc} 1\n" for q in range(QUERIES) for doc in draw.choice(DOCS, 10, replace=False))


def run(seed: int, truth: dict[str, list[str]]) -> str:
    """A run that finds more of what is right the better its seed."""
    draw = np.random.default_rng(seed)
    lines = []
    for query, right in truth.items():
        docs = [doc for doc in right if draw.random() < 0.2 + 0.01 * (seed % 50)]
        others = [f"d{doc}" for doc in draw.permutation(DOCS)[: 2 * DEPTH] if f"d{doc}" not in right]
        docs += others[: DEPTH - len(docs)]
        draw.shuffle(docs)
        lines += [f"{query} Q0 {doc} {rank} {DEPTH - rank} run{seed}" for rank, doc in enumerate(docs, 1)]
    return "\n".join(lines) + "\n"


@contextmanager
def server(folder: Path, database: str) -> Iterator[str]:
    """`truerank serve` on a free port."""
    log = folder / "server.log"
    with log.open("w") as file:
        options = ["--board", "board.toml", "--port", "0", "--db", database]
        process = subprocess.Popen([sys.executable, "-m", "truerank", "serve", *options], cwd=folder, stderr=file)
    try:
        yield _ready(process, log)
    finally:
        process.terminate()
        process.wait()


def _ready(process: subprocess.Popen[bytes], log: Path) -> str:
    while process.poll() is None:
        found = re.search(r"serving .* at (\S+)/", log.read_text())
        try:
            if found and httpx.get(f"{found[1]}/healthz").status_code == 200:
                return found[1]
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise SystemExit(log.read_text())


def look(url: str, until: Any, out: Any) -> None:
    """Load the board page again and again, from a process of its own, and say how long each time took."""
    seconds = []
    with httpx.Client() as client:
        while not until.is_set():
            began = time.perf_counter()
            answer = client.get(url)
            if answer.status_code != 200:
                print(f"the board page answered {answer.status_code}: {answer.text}", file=sys.stderr)
            seconds.append(time.perf_counter() - began)
            time.sleep(0.005)
    out.put(seconds)


async def send_all(url: str, jobs: list[tuple[str, str]]) -> list[httpx.Response]:
    limits = httpx.Limits(max_connections=len(jobs))
    async with httpx.AsyncClient(timeout=600, limits=limits) as client:

        async def send(token: str, text: str) -> httpx.Response:
            headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": secrets.token_hex(8)}
            return await client.post(f"{url}/api/boards/load/submissions", content=text, headers=headers)

        return await asyncio.gather(*(send(*job) for job in jobs))


def under_load(url: str, settings: ServiceSettings, args: argparse.Namespace) -> None:
    truth: dict[str, list[str]] = {}
    for line in (settings.path.parent / "truth.qrels").read_text().splitlines():
        truth.setdefault(line.split()[0], []).append(line.split()[2])
    with opened(settings) as database:
        tokens = [add(database, f"team {n}", "team", 0) for n in range(args.teams)]
    texts = [run(n, truth) for n in range(args.teams * args.each)]
    jobs = [(tokens[n % args.teams], text) for n, text in enumerate(texts)]
    context = multiprocessing.get_context("spawn")
    done, out = context.Event(), context.Queue()
    watcher = context.Process(target=look, args=(f"{url}/boards/load", done, out))
    watcher.start()
    time.sleep(1.5)
    began = time.perf_counter()
    answers = asyncio.run(send_all(url, jobs))
    took = time.perf_counter() - began
    done.set()
    seconds = np.sort(out.get())
    watcher.join()
    report(settings, answers, seconds, took, args)


def report(
    settings: ServiceSettings, answers: list[Any], seconds: Any, took: float, args: argparse.Namespace
) -> None:
    statuses = Counter(answer.status_code for answer in answers)
    with opened(settings) as database:
        with database.reading() as session:
            of_board = (Submission.state == SCORED, Submission.board == "load")
            scored = session.execute(select(Submission.id, Submission.account_id).where(*of_board)).all()
        told = Counter(answer.json()["id"] for answer in answers if answer.status_code == 201)
        by_team = Counter(account for _, account in scored)
        changed = rescore(settings, database, "load", write=False).changed
    most = min(args.limit, args.each)
    print(f"{len(answers)} submissions of {args.teams} teams at once: {took:.1f} s, answers {dict(statuses)}")
    there = {id for id, _ in scored}
    print(f"  lost: {len(told.keys() - there)}   unasked for: {len(there - told.keys())}")
    print(f"  counted twice: {sum(told.values()) - len(told)}   rescored differently: {len(changed)}")
    print(f"  limit of {args.limit} exact for {sum(n == most for n in by_team.values())} of {args.teams} teams")
    p50, p99, worst = (1000 * seconds[int(np.ceil(q * len(seconds))) - 1] for q in (0.5, 0.99, 1.0))
    print(f"  board page meanwhile: {len(seconds)} times, p50 {p50:.0f} ms, p99 {p99:.0f} ms, worst {worst:.0f} ms")


def large(url: str, settings: ServiceSettings, rows: int) -> None:
    """How much longer than to receive a large file it takes to receive, audit and score it."""
    depth = 1000
    with opened(settings) as database:
        token = add(database, "large", "team", 0)
    path = settings.path.parent / "large.run"
    with path.open("w") as file:
        for q in range(rows // depth):
            file.writelines(f"q{q:04} Q0 d{q * 7 + i} {i + 1} {depth - i}.5 large\n" for i in range(depth))
    headers = {"Authorization": f"Bearer {token}"}
    spent = {}
    for first, expected in ((b"no run\n", 422), (b"", 201)):
        began = time.perf_counter()
        with path.open("rb") as file, httpx.Client(timeout=600) as client:
            blocks = itertools.chain([first], iter(functools.partial(file.read, 1 << 18), b""))
            answer = client.post(f"{url}/api/boards/large/submissions", content=blocks, headers=headers)
        spent[expected] = time.perf_counter() - began
        assert answer.status_code == expected, answer.text
    size = path.stat().st_size
    print(f"{rows:,} rows, {size / 1e6:.0f} MB: answered in {spent[201]:.2f} s", end="")
    print(f", {spent[201] / spent[422]:.2f} times what it takes to upload and refuse at its first line")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=50)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--limit", type=int, default=3)
    parser.add_argument("--rows", type=int, default=7_000_000)
    parser.add_argument("--db")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "truth.qrels").write_text(qrels())
        queries = range(max(1, args.rows // 1000))
        (folder / "large.qrels").write_text("".join(f"q{q:04} 0 d{q * 7 + 3} 1\n" for q in queries))
        (folder / "board.toml").write_text(
            "patience = 600\nprocessor = 600\nteam_processor = 6000\n"
            f'[[boards]]\nname = "load"\ntruth = "truth.qrels"\nper_day = {args.limit}\n'
            '[[boards]]\nname = "large"\ntruth = "large.qrels"\nupload = "2 GB"\n'
        )
        settings = load(folder / "board.toml", args.db)
        with server(folder, settings.database) as url:
            under_load(url, settings, args)
            if args.rows:
                large(url, settings, args.rows)


if __name__ == "__main__":
    main()
