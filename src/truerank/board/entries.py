"""Entries after they are scored: a host takes one out of the standings, a team chooses which count at the end."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from truerank.board import submissions
from truerank.board.contests import Contest
from truerank.board.errors import ApiError
from truerank.board.models import SCORED, Account, Submission, Values, moment
from truerank.board.scoring import describe
from truerank.board.settings import BoardSettings
from truerank.core.equal import difference
from truerank.core.messages import message, plural


def mark(session: Session, id: str, word: str | None, reason: str, contest: Contest, now: int) -> Submission:
    """Take an entry out of the standings, for a reason that everybody may read; or, without a word, put it back.

    It is kept, and its attempt stays counted. What a Ladder showed of the team is climbed anew without it. What was
    chosen to count at the end is so again when it is put back, unless the team has chosen as many others since.

    Raises:
        ApiError: it is no scored submission, or no reason is given.
    """
    if word and not reason.strip():
        why = message("say why, in a sentence that its team and everybody else may read")
        raise ApiError(422, "no-reason", why)
    board = submissions.locked_board(session, contest.settings.name)
    submission = submissions.locked_with_team(session, id)
    if submission.state != SCORED:
        why = message("only a scored submission can be taken out of the standings")
        raise ApiError(409, "not-scored", why)
    if submission.mark and not word and _chosen(session, submission) >= (contest.settings.finals or 0):
        submission.chosen_at = None
    submission.mark, submission.reason = word, reason if word else None
    submission.marked_at = now if word else None
    board.version += 1
    if contest.settings.ladder is not None:
        _climb_again(session, submission.account_id, contest)
    return submission


def _climb_again(session: Session, account: int, contest: Contest) -> None:
    mine = select(Submission).where(Submission.board == contest.settings.name, Submission.account_id == account)
    session.flush()
    for entry in session.scalars(mine.where(Submission.state == SCORED).order_by(Submission.place)).all():
        blob = session.get_one(Values, entry.id).matrix
        entry.shown = submissions.climbed(session, entry, blob, contest)
        session.flush()


def choose(session: Session, board: BoardSettings, id: str, is_final: bool, now: int) -> Submission:
    """Let a team's entry count at the end, or not.

    Raises:
        ApiError: teams do not choose here, it is no entry, or as many are chosen as may be.
    """
    if board.finals is None:
        why = message("teams do not choose here: the best public entry of each counts")
        raise ApiError(409, "no-finals", why)
    submission = submissions.locked_with_team(session, id)
    if submission.state != SCORED or (is_final and submission.mark):
        why = message("only a scored submission that is ranked can be chosen")
        raise ApiError(409, "not-scored", why)
    if not is_final:
        submission.chosen_at = None
    elif submission.chosen_at is None:
        if _chosen(session, submission) >= board.finals:
            why = plural(
                "{n} entry is chosen already; give it up first",
                "{n} entries are chosen already; give one up first",
                n=board.finals,
            )
            raise ApiError(409, "finals-full", why)
        submission.chosen_at = now
    return submission


def _chosen(session: Session, submission: Submission) -> int:
    """How many of its team's ranked entries are chosen to count at the end."""
    chosen = select(func.count()).where(*submissions.standing(submission.board), Submission.chosen_at.is_not(None))
    return session.scalar(chosen.where(Submission.account_id == submission.account_id)) or 0


def final_entries(session: Session, contest: Contest, part: str) -> dict[int, Submission]:
    """{team: of the entries that it chose, the one with the highest score on the part that ranks}."""
    chosen = select(Submission).where(
        *submissions.standing(contest.settings.name), Submission.chosen_at.is_not(None)
    )
    best: dict[int, Submission] = {}
    for entry in session.scalars(chosen.order_by(Submission.place)):
        before = best.get(entry.account_id)
        if before is None or difference(final_score(entry, contest, part), final_score(before, contest, part)) > 0:
            best[entry.account_id] = entry
    return best


def final_score(entry: Submission, contest: Contest, part: str) -> float:
    """What an entry itself scores on a part; a Ladder plays no part at the end."""
    return (entry.score or 0.0) if part == "public" else describe(json.loads(entry.results or "{}"), contest, part)


def unranked(session: Session, board: str) -> list[dict[str, Any]]:
    """The entries that hosts took out, the last first."""
    rows = session.execute(
        select(Account.name, Submission.mark, Submission.reason, Submission.marked_at)
        .join(Account, Account.id == Submission.account_id)
        .where(Submission.board == board, Submission.state == SCORED, Submission.mark.is_not(None))
        .order_by(Submission.marked_at.desc(), Submission.id)
        .limit(100)
    )
    return [
        {"team": team, "mark": word, "reason": reason or "", "at": moment(at or 0)}
        for team, word, reason, at in rows
    ]
