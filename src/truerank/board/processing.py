"""The way of a submission from its arrival to its score, within what it may take of the processor."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from truerank.board import submissions
from truerank.board.audit import AuditFinding, SubmissionAudit
from truerank.board.contests import Contest, Spec
from truerank.board.database import Database
from truerank.board.errors import ApiError, BoardError
from truerank.board.following import Assessment, result_of
from truerank.board.jobs import audit_in_worker, score_in_worker
from truerank.board.logs import tell
from truerank.board.metrics import Metrics
from truerank.board.models import ACCEPTED, RECEIVED, UNDER_WAY, Submission
from truerank.board.rates import Rate
from truerank.board.scoring import Result
from truerank.board.settings import ServiceSettings
from truerank.board.storage import Storage
from truerank.board.workers import Followed, OutOfTime, ProcessPool, WorkerLost
from truerank.core.messages import message, plural

Found = TypeVar("Found", SubmissionAudit, tuple[Result, str])

HOUR = 3600

LATER = 30.0
"""Seconds after which what a board cannot judge now is tried again."""


@dataclass
class Meter:
    """The processor time that the jobs of one submission, or of one check, take.

    Attributes:
        team: the account that is charged.
        most: seconds that all jobs together may take.
        spent: seconds so far.
    """

    team: int
    most: float
    rate: Rate
    spent: float = 0.0

    @property
    def left(self) -> float:
        """Seconds of processor time that the next job may take."""
        return max(1.0, self.most - self.spent)

    def charge(self, seconds: float) -> None:
        """Add seconds that were taken."""
        self.spent += seconds
        self.rate.charge(self.team, seconds)

    @property
    def fault(self) -> AuditFinding:
        """The finding that a submission has used up all of its processor time."""
        why = message(
            "it was stopped after {seconds:g} seconds of processor time, the most that auditing and scoring "
            "may take here; send fewer results, compressed as one piece",
            seconds=self.most,
        )
        return AuditFinding("processor-time", True, why)


class Processing:
    """Audits and scores what was received, whether or not a request waits for it.

    Args:
        contest: what a board's submissions are judged by.
        now: milliseconds since 1970.
        clock: seconds, rising.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        database: Database,
        storage: Storage,
        contest: Callable[[Session, str], Contest],
        now: Callable[[], int],
        clock: Callable[[], float],
    ):
        self.settings, self.database, self.storage = settings, database, storage
        self.contest, self.now = contest, now
        self.pool = ProcessPool(settings.workers, settings.memory, settings.seconds)
        self.metrics = Metrics(lambda: self.pool.waiting)
        self.rate = Rate(settings.team_processor, settings.team_processor / HOUR, clock)
        self.tasks: dict[str, asyncio.Task[Submission]] = {}
        self.waiting: Counter[int] = Counter()
        self.early: dict[str, tuple[Followed[Assessment], Meter]] = {}
        self.later: dict[str, asyncio.TimerHandle] = {}

    def meter(self, team: int) -> Meter:
        """A meter for a team's next submission or check."""
        return Meter(team, self.settings.processor, self.rate)

    def check_time(self, team: int) -> None:
        """Refuse a team that has used up its processor time for now."""
        if after := self.rate.wait(team, 0):
            why = plural(
                "this team has used its {most:g} seconds of processor time an hour; try again in {n} second",
                "this team has used its {most:g} seconds of processor time an hour; try again in {n} seconds",
                n=after,
                most=self.settings.team_processor,
            )
            raise ApiError(429, "processor-time", why, after=after)

    def check_waiting(self, team: int) -> None:
        """Refuse a team of which many submissions wait already."""
        if self.waiting[team] >= self.settings.waiting:
            why = plural(
                "{n} submission of this team waits to be scored; send more when it is done",
                "{n} submissions of this team wait to be scored; send more when they are done",
                n=self.waiting[team],
            )
            raise ApiError(429, "too-many-waiting", why, after=10)

    async def finished(self, submission: Submission, patience: float) -> Submission:
        """The submission when nothing more will happen to it, or as it is when patience ends."""
        if submission.state not in UNDER_WAY:
            return submission
        task = self.begin(submission)
        try:
            return await asyncio.wait_for(asyncio.shield(task), patience)
        except asyncio.TimeoutError:
            return await self.database.read(lambda session: session.get_one(Submission, submission.id))

    def begin(self, submission: Submission) -> asyncio.Task[Submission]:
        """Let it be audited and scored, unless that was begun already."""
        if (begun := self.tasks.get(submission.id)) is not None:
            return begun
        if waits := self.later.pop(submission.id, None):
            waits.cancel()
        task = asyncio.create_task(self._process(submission))
        self.tasks[submission.id] = task
        self.waiting[submission.account_id] += 1

        def over(task: asyncio.Task[Submission]) -> None:
            self.tasks.pop(submission.id, None)
            self.waiting[submission.account_id] -= 1
            if not task.cancelled():
                task.exception()  # logged already; perhaps no request waits

        task.add_done_callback(over)
        return task

    def stop_trying(self) -> None:
        """Leave to the next start what a board cannot judge now."""
        while self.later:
            self.later.popitem()[1].cancel()

    async def _process(self, submission: Submission) -> Submission:
        followed, meter = self.early.pop(submission.id, (None, self.meter(submission.account_id)))
        try:
            submission = await self._judged(submission, followed, meter)
        except OutOfTime:
            submission = await self._refused(submission, SubmissionAudit((meter.fault,)), meter)
        except (ApiError, BoardError) as error:  # the board's fault: perhaps its host scores everything anew
            tell("left", logging.WARNING, error=error, submission=submission.id)
            submission = await self.database.read(lambda session: session.get_one(Submission, submission.id))
            loop = asyncio.get_running_loop()
            self.later[submission.id] = loop.call_later(LATER, self.begin, submission)
            return submission
        except SQLAlchemyError as error:  # the database's fault: it stays as it is until it is asked for again
            tell("left", logging.ERROR, error=error, submission=submission.id)
            raise
        except Exception as error:
            tell("failed", logging.ERROR, error=error, submission=submission.id)
            submission = await self.database.write(lambda session: submissions.fail(session, submission.id))
        board = self.settings.board(submission.board)
        shown = submission.board if board and board.visible == "everyone" else "hidden"
        self.metrics.submissions.labels(shown, submission.state).inc()
        self.metrics.processor.labels(shown).inc(meter.spent)
        spent = round(meter.spent, 3)
        tell(submission.state, submission=submission.id, board=submission.board, processor=spent)
        return submission

    async def _judged(
        self, submission: Submission, followed: Followed[Assessment] | None, meter: Meter
    ) -> Submission:
        judged = None
        if followed:
            try:
                judged = await asyncio.to_thread(result_of, followed)
            finally:
                meter.charge(followed.spent)
        if submission.state == RECEIVED:
            submission = await self._audit(submission, judged, meter)
        if submission.state == ACCEPTED:
            submission = await self._score(submission, judged, meter)
        return submission

    async def _audit(self, submission: Submission, judged: Assessment | None, meter: Meter) -> Submission:
        spec, path = await self.spec(submission.board), self.storage.path(submission.sha256)
        try:
            job = (path, spec, submission.unpacked)
            audit = judged.audit if judged else await self.in_worker(meter, audit_in_worker, *job)
        except OutOfTime:
            raise
        except (MemoryError, WorkerLost):
            why = message("the file cannot be read within this board's limits of memory and time")
            audit = SubmissionAudit((AuditFinding("unreadable", True, why),))
        if not audit.is_valid:
            return await self._refused(submission, audit, meter)

        def step(session: Session) -> Submission:
            return submissions.accept(session, self.storage, submission.id, audit, spec.settings)

        return await self.database.write(step)

    async def _refused(self, submission: Submission, audit: SubmissionAudit, meter: Meter) -> Submission:
        def step(session: Session) -> Submission:
            refused = submissions.refuse(session, self.storage, submission.id, audit)
            refused.processor = meter.spent
            return refused

        return await self.database.write(step)

    async def _score(self, submission: Submission, judged: Assessment | None, meter: Meter) -> Submission:
        format = json.loads(submission.audit)["format"]
        path = self.storage.path(submission.sha256)
        found = (judged.result, judged.fingerprint) if judged and judged.result else None
        while found is None or (done := await self._finish(submission, *found, meter)) is None:
            found = await self.in_worker(meter, score_in_worker, path, format, await self.spec(submission.board))
        return done

    async def _finish(self, submission: Submission, result: Result, by: str, meter: Meter) -> Submission | None:
        """Keep a result; None where what it was computed by has changed meanwhile."""

        def step(session: Session) -> Submission | None:
            submissions.locked_board(session, submission.board)
            contest = self.contest(session, submission.board)
            if by != contest.fingerprint:
                return None
            done = submissions.finish(session, submission.id, result, contest, self.now())
            done.processor = meter.spent
            return done

        return await self.database.write(step)

    async def spec(self, board: str) -> Spec:
        """What a worker needs to judge a board's submissions."""
        return await self.database.read(lambda session: self.contest(session, board).spec)

    async def in_worker(self, meter: Meter, work: Callable[..., Found], *args: object) -> Found:
        """What a job of a team returns, when it is the team's turn."""

        async def once() -> Found:
            return await self.pool.do(work, *args, who=meter.team, processor=meter.left, charge=meter.charge)

        try:
            return await once()
        except OutOfTime:
            raise
        except WorkerLost:  # perhaps another's fault: memory was short
            return await once()
