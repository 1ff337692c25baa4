"""What happens to a submission, each step one transaction: received, then accepted or refused, then scored.

An attempt is counted in the transaction that accepts, while the team's row is locked, so a limit is exact however
many submissions arrive at once. Each step looks at the state first: done twice, it changes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone

from sqlalchemy import ColumnElement, func, or_, select, text
from sqlalchemy.orm import Session

from truerank.board import ladder
from truerank.board.audit import SubmissionAudit
from truerank.board.contests import Contest
from truerank.board.errors import ApiError, of_board
from truerank.board.models import (
    ACCEPTED,
    COUNTED,
    FAILED,
    OVER,
    RECEIVED,
    REFUSED,
    SCORED,
    UNDER_WAY,
    Account,
    Board,
    Submission,
    Values,
    moment,
)
from truerank.board.scoring import Result, part_values, watched
from truerank.board.settings import BoardSettings
from truerank.board.storage import Storage
from truerank.board.upload import Received
from truerank.core.messages import message

KEPT = (RECEIVED, *COUNTED, FAILED)
"""The states in which a submission's file is there."""


@dataclass(frozen=True)
class Attempts:
    """How many submissions a team has used and may still send; a day begins at midnight in the board's zone.

    Attributes:
        resets: when the next day begins.
        now: the time of these numbers.
    """

    today: int
    total: int
    per_day: int
    most: int
    resets: datetime
    now: datetime

    @property
    def left(self) -> int:
        """How many valid ones are taken now."""
        return max(0, min(self.per_day - self.today, self.most - self.total))

    @property
    def refusal(self) -> ApiError:
        """Why no more are taken."""
        if self.total >= self.most:
            why = message("all {n} submissions of this team are used", n=self.most)
            return ApiError(429, "no-attempts", why)
        why = message(
            "all {n} submissions of today are used; the next day begins at {time} UTC",
            n=self.per_day,
            time=f"{self.resets:%Y-%m-%d %H:%M}",
        )
        return ApiError(429, "no-attempts", why, after=(self.resets - self.now).total_seconds())


def attempts(session: Session, board: BoardSettings, account: int, now: int) -> Attempts:
    """How many submissions a team has used. Submissions under way, that may turn out invalid, are not counted."""
    mine = select(func.count()).where(
        Submission.board == board.name, Submission.account_id == account, Submission.state.in_(COUNTED)
    )
    begins, ends = day(board, now)
    first, after = (int(at.timestamp() * 1000) for at in (begins, ends))
    today = session.scalar(mine.where(Submission.accepted_at >= first, Submission.accepted_at < after)) or 0
    return Attempts(today, session.scalar(mine) or 0, board.per_day, board.total, ends, moment(now))


def day(board: BoardSettings, now: int) -> tuple[datetime, datetime]:
    """When this day began where the board is, and when the next one does, as UTC; not every day has 24 hours."""
    today = datetime.fromtimestamp(now / 1000, board.clock).date()
    midnights = (datetime.combine(date, time(), board.clock) for date in (today, today + timedelta(days=1)))
    begins, ends = (at.astimezone(timezone.utc) for at in midnights)
    return begins, ends


def is_closed(session: Session, board: BoardSettings, now: int) -> bool:
    """Whether a contest is over, by the clock or by a host."""
    row = session.get(Board, board.name)
    over = board.closes is not None and now >= board.closes.timestamp() * 1000
    return over or (row is not None and row.closed_at is not None)


def receive(
    session: Session,
    storage: Storage,
    board: str,
    account: int,
    file: Received,
    *,
    key: str | None,
    label: str,
    now: int,
    check: Callable[[], None],
) -> tuple[Submission, bool]:
    """A file that has arrived becomes a submission; and whether it is a new one.

    The same key, or the same bytes in a submission that counts, mean the same submission, whenever they come.

    Args:
        check: refuses a new one where none is taken now.

    Raises:
        ApiError: the key was used for another file; or a new one is not taken.
    """
    _lock_file(session, file.sha256)
    if before := _before(session, board, account, file.sha256, key):
        if before.sha256 != file.sha256:
            raise ApiError(
                409, "key-used", message("this Idempotency-Key was used for another file; take a new one")
            )
        return before, False
    check()
    submission = Submission(
        id=secrets.token_hex(11),  # no command takes it for an option, as it could what begins with a dash
        board=board,
        account_id=account,
        state=RECEIVED,
        key=key,
        sha256=file.sha256,
        size=file.size,
        unpacked=file.unpacked,
        label=label,
        received_at=now,
        audit="{}",
    )
    session.add(submission)
    session.flush()
    storage.keep(file.path, file.sha256)
    return submission, True


def _before(session: Session, board: str, account: int, sha256: str, key: str | None) -> Submission | None:
    mine = select(Submission).where(Submission.board == board, Submission.account_id == account)
    if key and (earlier := session.scalar(mine.where(Submission.key == key))):
        return earlier
    alive = Submission.state.in_((RECEIVED, *COUNTED))
    return session.scalar(mine.where(Submission.sha256 == sha256, alive).limit(1))


def may_repeat(session: Session, board: str, account: int, key: str | None) -> bool:
    """Whether a file that a team sends may be a submission that is there: only its bytes, or its key, can tell."""
    mine = select(Submission.id).where(Submission.board == board, Submission.account_id == account)
    known = Submission.state.in_((RECEIVED, *COUNTED))
    return session.scalar(mine.where(or_(known, Submission.key == key) if key else known).limit(1)) is not None


def refuse(session: Session, storage: Storage, id: str, audit: SubmissionAudit, state: str = REFUSED) -> Submission:
    """An invalid submission, or one that takes too long: what is wrong stays, the file goes, nothing is counted.

    One that is over the limit may be sent again with its key, when there are attempts again.
    """
    submission = locked(session, id)
    if submission.state in UNDER_WAY:
        submission.state, submission.audit = state, audit.to_json()
        submission.accepted_at = None
        submission.key = None if state == OVER else submission.key
        _drop_file(session, storage, submission)
    return submission


def accept(session: Session, storage: Storage, id: str, audit: SubmissionAudit, board: BoardSettings) -> Submission:
    """A valid submission takes one of the team's attempts; without any left it goes over the limit."""
    submission = locked_with_team(session, id)
    if submission.state != RECEIVED:
        return submission
    used = attempts(session, board, submission.account_id, submission.received_at)
    if not used.left:
        return refuse(session, storage, id, audit, OVER)
    submission.state, submission.audit = ACCEPTED, audit.to_json()
    submission.accepted_at = submission.received_at
    return submission


def finish(session: Session, id: str, result: Result, contest: Contest, now: int) -> Submission:
    """An accepted submission is scored, once."""
    board = locked_board(session, contest.settings.name)
    submission = locked(session, id)
    if submission.state != ACCEPTED:
        return submission
    board.version += 1
    board.scored += 1
    submission.state, submission.scored_at, submission.place = SCORED, now, board.scored
    record(session, submission, result, contest)
    return submission


def record(session: Session, submission: Submission, result: Result, contest: Contest) -> None:
    """Write down what a submission scores, and what the board shows after it."""
    ranking = result.strict if contest.settings.score == "strict" else result.official
    submission.score = ranking.get("public", {}).get(str(contest.rank_by), 0.0)
    mine = (Submission.board == submission.board, Submission.account_id == submission.account_id)
    before = select(func.count()).where(*mine, Submission.state == SCORED, Submission.place < submission.place)
    all_looks = watched(result, contest, 1 + (session.scalar(before) or 0))
    submission.results, submission.rules = result.to_json(watched=all_looks), result.rules
    submission.version, submission.fingerprint = result.version, contest.fingerprint
    submission.shown = climbed(session, submission, result.blob, contest)
    values = session.get(Values, submission.id)
    if values is None:
        session.add(Values(submission_id=submission.id, matrix=result.blob))
    else:
        values.matrix = result.blob


def climbed(session: Session, submission: Submission, matrix: bytes, contest: Contest) -> float | None:
    """What the board shows of a team after a submission with these values."""
    step, score = contest.settings.ladder, submission.score
    assert score is not None
    if step is None:
        return score
    best = on_rung(session, submission)
    before = best.shown if best else None
    if step > 0:
        return ladder.climbed(score, before, step)
    blob = session.get(Values, best.id) if best else None
    values = part_values(blob.matrix, contest, "public") if blob else None
    return ladder.climbed_freely(score, part_values(matrix, contest, "public"), values, before)


def standing(board: str) -> tuple[ColumnElement[bool], ...]:
    """The conditions for an entry to be ranked: it is scored, and no host took it out."""
    return Submission.board == board, Submission.state == SCORED, Submission.mark.is_(None)


def on_rung(session: Session, submission: Submission) -> Submission | None:
    """The team's earlier entry that set what a Ladder shows: the first of those with the highest score shown."""
    mine = (*standing(submission.board), Submission.account_id == submission.account_id)
    rungs = select(Submission).where(*mine, Submission.place < submission.place)
    return session.scalar(rungs.order_by(Submission.shown.desc(), Submission.place).limit(1))


def fail(session: Session, id: str) -> Submission:
    """A submission that could not be scored, by no fault of its own: it costs nothing, and stays for the host.

    Sent again, with its key too, it is another one.
    """
    submission = locked(session, id)
    if submission.state in UNDER_WAY:
        submission.state, submission.key = FAILED, None
    return submission


def pending(session: Session) -> list[Submission]:
    """What a crash left half done, in the order of arrival."""
    left = select(Submission).where(Submission.state.in_(UNDER_WAY))
    return list(session.scalars(left.order_by(Submission.received_at, Submission.id)))


def kept_files(session: Session) -> set[str]:
    """The hashes of the files that are there; only those of what is under way may still be dropped."""
    return set(session.scalars(select(Submission.sha256).where(Submission.state.in_(KEPT))))


def locked(session: Session, id: str) -> Submission:
    """A submission, locked against other changes."""
    row = select(Submission).where(Submission.id == id).with_for_update()
    return session.scalars(row.execution_options(populate_existing=True)).one()


def locked_with_team(session: Session, id: str) -> Submission:
    """A submission whose team changes nothing else meanwhile; its files may arrive, which wait for other locks."""
    account = session.scalar(select(Submission.account_id).where(Submission.id == id))
    session.execute(select(Account).where(Account.id == account).with_for_update(key_share=True))
    return locked(session, id)


def locked_board(session: Session, name: str) -> Board:
    """A board, locked against other changes, to be locked before any of its submissions; files may arrive."""
    return session.get_one(Board, name, with_for_update={"key_share": True}, populate_existing=True)


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
        said = message(
            "its rules, measures, truth or split changed since its submissions were scored; "
            "`truerank board rescore {board}` scores them anew",
            board=name,
        )
        raise of_board(name, said)
    row.fingerprint = contest.fingerprint


def _lock_file(session: Session, sha256: str) -> None:
    """Lock a file against being added or dropped elsewhere; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": int(sha256[:15], 16)})


def _drop_file(session: Session, storage: Storage, submission: Submission) -> None:
    _lock_file(session, submission.sha256)
    session.flush()
    gone = Submission.state.in_((REFUSED, OVER))
    others = select(func.count()).where(Submission.sha256 == submission.sha256, ~gone)
    if not session.scalar(others):
        storage.drop(submission.sha256)
