"""The service: settings, database, files and workers, and the way of a submission through them."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from starlette.requests import Request

from truerank.board import submissions
from truerank.board.audit import SubmissionAudit
from truerank.board.contests import Contest, Spec, load, spec_of
from truerank.board.database import Database
from truerank.board.errors import ApiError, not_found
from truerank.board.following import Follower
from truerank.board.jobs import audit_in_worker, load_all
from truerank.board.keys import secret
from truerank.board.logs import tell
from truerank.board.models import Board, Submission
from truerank.board.processing import Processing
from truerank.board.rates import Rate
from truerank.board.sessions import Signer
from truerank.board.settings import BoardSettings, ServiceSettings
from truerank.board.storage import Storage
from truerank.board.upload import Feed, arrived
from truerank.board.workers import OutOfTime
from truerank.core.messages import message

LANES = 4
"""Files that one team sends at once; more wait, without delaying other teams."""


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

    def __init__(self, settings: ServiceSettings, clock: Callable[[], float] = time.time):
        self.settings = settings
        self.clock = clock
        self.storage = Storage(settings.data)
        self.database = Database(settings.database)
        self.processing = Processing(
            settings, self.database, self.storage, self.contest, lambda: self.now, time.monotonic
        )
        self.pool, self.metrics = self.processing.pool, self.processing.metrics
        self.requests = Rate(120, 20, clock=time.monotonic)
        self.failures = Rate(20, 0.2, clock=time.monotonic)
        self.registrations = Rate(5, 1 / 600, clock=time.monotonic)
        self.sendings = Rate(40, 0.5, clock=time.monotonic)
        self.uploads = asyncio.Semaphore(settings.uploads)
        self.lanes: defaultdict[int, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(LANES))
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
            ApiError: there is none of this name.
        """
        board_settings = self.settings.board(name)
        if board_settings is None:
            raise not_found(message("board"))
        return board_settings

    def spec(self, session: Session, name: str) -> Spec | None:
        """What is needed to load a board's contest; None while it has no truth."""
        return spec_of(session, self.board(name), self.storage)

    def contest(self, session: Session, name: str) -> Contest:
        """A board's contest.

        Raises:
            ApiError: it has no truth yet, or another one than its scores were made with.
        """
        contest = self._loaded(session, name)
        if contest is None:
            raise ApiError(409, "no-truth", message("this board has no truth yet; a host uploads it"))
        row = session.get(Board, name)
        if row is None or row.fingerprint != contest.fingerprint:
            why = message("the rules or the truth of this board changed; its host scores everything anew")
            raise ApiError(503, "changed", why, after=600)
        return contest

    def ranked_by(self, session: Session, name: str) -> str:
        """The measure that ranks on a board, also while its host scores everything anew."""
        contest = self._loaded(session, name)
        return str(contest.rank_by) if contest else self.board(name).rank_by

    def _loaded(self, session: Session, name: str) -> Contest | None:
        spec = self.spec(session, name)
        return load(spec) if spec else None

    def _prepare_boards(self, session: Session) -> None:
        """Load every contest, so that what is wrong with one is reported now and not to the first team."""
        for board in self.settings.boards:
            secret(session, f"split:{board.name}")
            if session.get(Board, board.name) is None:
                session.add(Board(name=board.name, version=0, scored=0, fingerprint=""))
                session.flush()
            if contest := self._loaded(session, board.name):
                submissions.note_fingerprint(session, contest)

    def _specs(self, session: Session) -> list[Spec]:
        specs = (self.spec(session, board.name) for board in self.settings.boards)
        return [spec for spec in specs if spec]

    def is_open(self, session: Session, board: BoardSettings, now: int) -> bool:
        """Whether submissions are taken now; never without a truth to judge them by."""
        row = session.get(Board, board.name)
        begun = board.opens is None or now >= board.opens.timestamp() * 1000
        return (
            begun and row is not None and bool(row.fingerprint) and not submissions.is_closed(session, board, now)
        )

    def check_open(self, session: Session, board: BoardSettings, now: int) -> None:
        """Refuse unless submissions are taken now."""
        if not self.is_open(session, board, now):
            closed = message("this board is closed; nothing is taken")
            early = message("this board is not yet open; nothing is taken")
            raise ApiError(409, "not-open", closed if submissions.is_closed(session, board, now) else early)

    async def submit(
        self, name: str, team: Team, feed: Feed, *, key: str | None, label: str
    ) -> tuple[Submission, bool]:
        """A file from a team, received, audited and scored; and whether it is a new one.

        What was received is finished even when the client has gone away; after the service's patience it is
        returned as it is then.
        """
        board = self.board(name)
        self.sendings.check(team.token)
        await self.database.read(lambda session: self._check_before(session, board, team, key))
        async with self.lanes[team.id], self.uploads:
            submission, is_new = await self._receive(board, team, feed, key, label)
        if is_new:
            self.metrics.received.inc(submission.size)
            tell("received", submission=submission.id, board=name, team=team.name, bytes=submission.size)
        return await self.processing.finished(submission, self.settings.patience), is_new

    def _check_before(self, session: Session, board: BoardSettings, team: Team, key: str | None) -> None:
        """Refuse before the upload what would be refused after it; what may be a repetition gets its answer."""
        self.contest(session, board.name)
        if not submissions.may_repeat(session, board.name, team.id, key):
            self.check_new(session, board, team)

    def check_new(self, session: Session, board: BoardSettings, team: Team) -> None:
        """Refuse unless a new submission of a team is taken now."""
        self.check_open(session, board, self.now)
        used = submissions.attempts(session, board, team.id, self.now)
        if not used.left:
            raise used.refusal
        self.processing.check_time(team.id)
        self.processing.check_waiting(team.id)

    async def _receive(
        self, board: BoardSettings, team: Team, feed: Feed, key: str | None, label: str
    ) -> tuple[Submission, bool]:
        meter = self.processing.meter(team.id)
        follower = Follower(self.pool, await self._followed(board, team), meter.left, meter.charge)
        try:
            async with arrived(self.storage, board, feed, follower.watch) as file:
                follower.whole()

                def keep(session: Session) -> tuple[Submission, bool]:
                    return submissions.receive(
                        session,
                        self.storage,
                        board.name,
                        team.id,
                        file,
                        key=key,
                        label=label,
                        now=self.now,
                        check=lambda: self.check_new(session, board, team),
                    )

                submission, is_new = await self.database.write(keep)
                if is_new and (early := follower.take()):
                    self.processing.early[submission.id] = early, meter
                return submission, is_new
        except IntegrityError:
            why = message("this Idempotency-Key is being used for another file")
            raise ApiError(409, "key-used", why) from None
        finally:
            await asyncio.to_thread(follower.give_up)

    async def check(self, name: str, team: Team, feed: Feed) -> SubmissionAudit:
        """The audit of a file that is not submitted; it costs no attempt, as it tells nothing of the truth."""
        board, processing = self.board(name), self.processing
        self.sendings.check(team.token)
        processing.check_time(team.id)
        spec = await processing.spec(name)  # refuses before the upload what would be refused after it
        meter = processing.meter(team.id)
        async with self.lanes[team.id], self.uploads, arrived(self.storage, board, feed) as file:
            try:
                return await processing.in_worker(meter, audit_in_worker, file.path, spec, file.unpacked)
            except OutOfTime:
                return SubmissionAudit((meter.fault,))

    async def _followed(self, board: BoardSettings, team: Team) -> Spec | None:
        """What an audit needs that follows a file; None where lines are read, or nothing new is taken."""

        def look(session: Session) -> Spec | None:
            contest = self.contest(session, board.name)
            try:
                self.check_new(session, board, team)
            except ApiError:
                return None
            return None if contest.by_lines else contest.spec

        return await self.database.read(look)

    async def start(self) -> None:
        """Take up what a crash left half done."""
        self.storage.tidy()
        self.pool.warm(load_all, await self.database.read(self._specs))
        for submission in await self.database.read(submissions.pending):
            tell("taken up", submission=submission.id, state=submission.state)
            self.processing.begin(submission)

    async def stop(self) -> None:
        """Finish what is under way; what is left stays for the next start."""
        self.processing.stop_trying()
        if tasks := list(self.processing.tasks.values()):
            await asyncio.wait(tasks, timeout=20)
        self.processing.stop_trying()
        await asyncio.to_thread(self.pool.close)
        self.database.close()


def service_of(request: Request) -> Service:
    """The service that answers a request."""
    service: Service = request.app.state.service
    return service
