"""The service: settings, database, files and workers, and the way of a submission through them."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from truerank.board import submissions
from truerank.board.audit import Audit, Finding, audit
from truerank.board.contests import Contest, Spec, load, spec_of
from truerank.board.database import Database
from truerank.board.following import Follower, Judgement, result_of
from truerank.board.keys import secret
from truerank.board.logs import tell
from truerank.board.metrics import Metrics
from truerank.board.models import ACCEPTED, RECEIVED, SCORED, Board, Submission
from truerank.board.rates import Rate
from truerank.board.refusals import BoardError, Refusal, not_found
from truerank.board.scoring import Result, score
from truerank.board.sessions import Signer
from truerank.board.settings import BoardSettings, Settings
from truerank.board.storage import Storage
from truerank.board.upload import Feed, arrived
from truerank.board.workers import Followed, Pool, WorkerLost

LANES = 4
"""Files that one team sends at once; more wait, and keep nobody else waiting."""

Found = TypeVar("Found", Audit, Result)


def audit_in_worker(path: Path, spec: Spec, unpacked: int) -> Audit:
    """`audit`, where only the files are known."""
    return audit(path, load(spec), unpacked)


def score_in_worker(path: Path, format: str, spec: Spec) -> Result:
    """`score`, where only the files are known."""
    return score(path, format, load(spec))


def load_all(specs: list[Spec]) -> None:
    """Get ready for every board; what is wrong with one is told where it matters."""
    for spec in specs:
        with suppress(BoardError):
            load(spec)


@dataclass(frozen=True)
class Team:
    """Who asks.

    Attributes:
        token: the id of the token that was shown or signed in with.
    """

    id: int
    name: str
    role: str
    token: str

    @property
    def is_host(self) -> bool:
        """Whether it may see and change everything."""
        return self.role == "host"


class Service:
    """All that requests need. `start` before, `stop` after."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time):
        self.settings = settings
        self.clock = clock
        self.storage = Storage(settings.data)
        self.database = Database(settings.database)
        self.pool = Pool(settings.workers, settings.memory, settings.seconds)
        self.metrics = Metrics(lambda: self.pool.waiting)
        self.requests = Rate(120, 20, clock=time.monotonic)
        self.failures = Rate(20, 0.2, clock=time.monotonic)
        self.sendings = Rate(40, 0.5, clock=time.monotonic)
        self.uploads = asyncio.Semaphore(settings.uploads)
        self.lanes: defaultdict[int, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(LANES))
        self.tasks: dict[str, asyncio.Task[Submission]] = {}
        self.early: dict[str, Followed[Judgement]] = {}
        try:
            with self.database.writing() as session:
                self.signer = Signer(secret(session, "cookies"))
                self._prepare_boards(session)
        except BaseException:
            self.pool.close()
            self.database.close()
            raise

    @property
    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self.clock() * 1000)

    def board(self, name: str) -> BoardSettings:
        """The settings of a board.

        Raises:
            Refusal: there is none of this name.
        """
        found = self.settings.board(name)
        if found is None:
            raise not_found("board")
        return found

    def spec(self, session: Session, name: str) -> Spec | None:
        """What is needed to load a board's contest; None while it has no truth."""
        return spec_of(session, self.board(name), self.storage)

    def contest(self, session: Session, name: str) -> Contest:
        """A board's contest.

        Raises:
            Refusal: it has no truth yet, or another one than its scores were made with.
        """
        contest = self._loaded(session, name)
        if contest is None:
            raise Refusal(409, "no-truth", "this board has no truth yet; a host uploads it")
        row = session.get(Board, name)
        if row is None or row.fingerprint != contest.fingerprint:
            why = "the rules or the truth of this board changed; its host scores everything anew"
            raise Refusal(503, "changed", why, after=600)
        return contest

    def _loaded(self, session: Session, name: str) -> Contest | None:
        spec = self.spec(session, name)
        return load(spec) if spec else None

    def _prepare_boards(self, session: Session) -> None:
        """Load every contest, so that what is wrong with one is told now and not to the first team."""
        for board in self.settings.boards:
            secret(session, f"split:{board.name}")
            if session.get(Board, board.name) is None:
                session.add(Board(name=board.name, version=0, scored=0, fingerprint=""))
                session.flush()
            if contest := self._loaded(session, board.name):
                note_fingerprint(session, contest)

    def _specs(self, session: Session) -> list[Spec]:
        specs = (self.spec(session, board.name) for board in self.settings.boards)
        return [spec for spec in specs if spec]

    def is_open(self, session: Session, board: BoardSettings, now: int) -> bool:
        """Whether submissions are taken now; never without a truth to judge them by."""
        row = session.get(Board, board.name)
        begun = board.opens is None or now >= board.opens.timestamp() * 1000
        return begun and row is not None and bool(row.fingerprint) and not self.is_closed(session, board, now)

    def is_closed(self, session: Session, board: BoardSettings, now: int) -> bool:
        """Whether the contest is over, by the clock or by a host."""
        row = session.get(Board, board.name)
        over = board.closes is not None and now >= board.closes.timestamp() * 1000
        return over or (row is not None and row.closed_at is not None and now >= row.closed_at)

    def check_open(self, session: Session, board: BoardSettings, now: int) -> None:
        """Refuse unless submissions are taken now."""
        if not self.is_open(session, board, now):
            word = "closed" if self.is_closed(session, board, now) else "not yet open"
            raise Refusal(409, "not-open", f"this board is {word}; nothing is taken")

    async def submit(
        self, name: str, team: Team, feed: Feed, *, key: str | None, label: str
    ) -> tuple[Submission, bool]:
        """A file from a team, received, audited and scored; and whether it is a new one.

        What was received is finished even when nobody waits for it any more.
        """
        board = self.board(name)
        self.sendings.check(team.token)
        await self.database.read(lambda session: self._check_may_submit(session, board, team, key))
        async with self.lanes[team.id], self.uploads:
            submission, is_new = await self._receive(board, team, feed, key, label)
        if is_new:
            self.metrics.received.inc(submission.size)
            tell("received", submission=submission.id, board=name, team=team.name, bytes=submission.size)
        return await self.finished(submission), is_new

    def _check_may_submit(self, session: Session, board: BoardSettings, team: Team, key: str | None) -> None:
        """Refuse before the upload what would be refused after it; a repeated request gets its answer anyway."""
        self.contest(session, board.name)
        known = select(Submission.id).where(Submission.board == board.name, Submission.account_id == team.id)
        if key and session.scalar(known.where(Submission.key == key)):
            return
        self.check_open(session, board, self.now)
        used = submissions.attempts(session, board, team.id, self.now)
        if not used.left:
            raise used.refusal

    async def _receive(
        self, board: BoardSettings, team: Team, feed: Feed, key: str | None, label: str
    ) -> tuple[Submission, bool]:
        follower = Follower(self.pool, await self._followed(board))
        try:
            async with arrived(self.storage, board, feed, follower.watch) as file:
                follower.whole()

                def keep(session: Session) -> tuple[Submission, bool]:
                    now = self.now
                    known = submissions.receive(
                        session, self.storage, board.name, team.id, file, key=key, label=label, now=now
                    )
                    if known[1]:
                        self.check_open(session, board, now)
                    return known

                submission, is_new = await self.database.write(keep)
                if is_new and (early := follower.take()):
                    self.early[submission.id] = early
                return submission, is_new
        except IntegrityError:
            raise Refusal(409, "key-used", "this Idempotency-Key is being used for another file") from None
        finally:
            await asyncio.to_thread(follower.give_up)

    async def check(self, name: str, team: Team, feed: Feed) -> Audit:
        """The audit of a file that is not submitted; it costs nothing, as it tells nothing of the truth."""
        board = self.board(name)
        self.sendings.check(team.token)
        await self._spec(name)  # refuses before the upload what would be refused after it
        async with self.lanes[team.id], self.uploads, arrived(self.storage, board, feed) as file:
            return await self.pool.do(audit_in_worker, file.path, await self._spec(name), file.unpacked)

    async def finished(self, submission: Submission) -> Submission:
        """The submission when nothing more will happen to it."""
        if submission.state not in (RECEIVED, ACCEPTED):
            return submission
        if submission.id not in self.tasks:
            self._begin(submission)
        return await asyncio.shield(self.tasks[submission.id])

    def _begin(self, submission: Submission) -> None:
        """Let it be audited and scored, whether or not anybody waits."""
        task = asyncio.create_task(self._process(submission))
        self.tasks[submission.id] = task
        task.add_done_callback(lambda _: self.tasks.pop(submission.id, None))

    async def _process(self, submission: Submission) -> Submission:
        try:
            early = self.early.pop(submission.id, None)
            judged = await asyncio.to_thread(result_of, early) if early else None
            if submission.state == RECEIVED:
                submission = await self._audit(submission, judged)
            if submission.state == ACCEPTED:
                submission = await self._score(submission, judged)
        except SQLAlchemyError as error:  # the database's fault: it stays as it is until somebody asks again
            tell("left", logging.ERROR, error=error, submission=submission.id)
            raise
        except Exception as error:
            tell("failed", logging.ERROR, error=error, submission=submission.id)
            submission = await self.database.write(lambda session: submissions.fail(session, submission.id))
        told = submission.board if self.board(submission.board).visible == "everyone" else "hidden"
        self.metrics.submissions.labels(told, submission.state).inc()
        tell(submission.state, submission=submission.id, board=submission.board)
        return submission

    async def _audit(self, submission: Submission, judged: Judgement | None) -> Submission:
        board, path = self.board(submission.board), self.storage.path(submission.sha256)
        spec = await self._spec(submission.board)
        try:
            job = (path, spec, submission.unpacked)
            found = judged.audit if judged else await self._in_worker(audit_in_worker, *job)
        except (MemoryError, WorkerLost):
            words = "the file cannot be read within this board's limits of memory and time"
            found = Audit((Finding("unreadable", True, words),))

        def step(session: Session) -> Submission:
            if not found.is_valid:
                return submissions.refuse(session, self.storage, submission.id, found)
            return submissions.accept(session, self.storage, submission.id, found, board)

        return await self.database.write(step)

    async def _score(self, submission: Submission, judged: Judgement | None) -> Submission:
        format = json.loads(submission.audit)["format"]
        path = self.storage.path(submission.sha256)
        contest = await self.database.read(lambda session: self.contest(session, submission.board))
        result = judged.result if judged and judged.fingerprint == contest.fingerprint else None
        if result is None:
            result = await self._in_worker(score_in_worker, path, format, contest.spec)

        def step(session: Session) -> Submission:
            contest = self.contest(session, submission.board)
            return submissions.finish(session, submission.id, result, contest, self.now)

        return await self.database.write(step)

    async def _followed(self, board: BoardSettings) -> Spec | None:
        """What an audit needs that follows a file; None where submissions are read line by line."""

        def look(session: Session) -> Spec | None:
            contest = self.contest(session, board.name)
            return None if contest.by_lines else contest.spec

        return await self.database.read(look)

    async def _spec(self, name: str) -> Spec:
        return await self.database.read(lambda session: self.contest(session, name).spec)

    async def _in_worker(self, work: Callable[..., Found], *args: object) -> Found:
        try:
            return await self.pool.do(work, *args)
        except WorkerLost:  # perhaps another's fault: memory was short
            return await self.pool.do(work, *args)

    async def start(self) -> None:
        """Take up what a crash left half done."""
        self.storage.tidy()
        self.pool.warm(load_all, await self.database.read(self._specs))
        for submission in await self.database.read(submissions.pending):
            tell("taken up", submission=submission.id, state=submission.state)
            self._begin(submission)

    async def stop(self) -> None:
        """Finish what is under way; what is left stays for the next start."""
        if self.tasks:
            await asyncio.wait(list(self.tasks.values()), timeout=20)
        await asyncio.to_thread(self.pool.close)
        self.database.close()


def note_fingerprint(session: Session, contest: Contest) -> None:
    """Remember what scores are made with; refuse to mix scores of one thing with those of another.

    Raises:
        BoardError: there are scores that were made with something else.
    """
    name = contest.settings.name
    row = session.get(Board, name)
    assert row is not None
    if row.fingerprint == contest.fingerprint:
        return
    scored = select(Submission.id).where(Submission.board == name, Submission.state == SCORED).limit(1)
    if row.fingerprint and session.scalar(scored):
        why = "its rules, measures, truth or split changed since its submissions were scored"
        raise BoardError(f"board {name!r}: {why}; `truerank board rescore` scores them anew")
    row.fingerprint = contest.fingerprint
