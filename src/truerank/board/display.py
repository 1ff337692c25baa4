"""What may be shown of a board to whom. Standings are computed once for every change, tie groups in a worker."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from truerank.board import schemas, submissions
from truerank.board.audit import from_json
from truerank.board.contests import PARTS, Contest
from truerank.board.errors import ApiError, not_found, unauthorized
from truerank.board.logs import tell
from truerank.board.models import SCORED, Account, Board, Submission, Values, moment
from truerank.board.scoring import describe, matrix_of, tie_groups
from truerank.board.service import Service, Team
from truerank.board.settings import BoardSettings
from truerank.board.standings import Standing, Standings, entry_values, part_of, rounded, standings
from truerank.core.errors import printable
from truerank.core.messages import message

PAUSE = 0.5
"""Seconds between two computations of tie groups, at least; also at least as long as the last one took."""

AGAIN = 30.0
"""Seconds after one that failed, at least; also at least ten times as long as that took."""


@dataclass(frozen=True)
class Moment:
    """What the standings depend on."""

    version: int
    part: str
    fingerprint: str
    is_closed: bool


class Display:
    """The standings of all boards, kept until something changes."""

    def __init__(self, service: Service):
        self.service = service
        self._kept: dict[str, tuple[Moment, Standings]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._groups: dict[str, asyncio.Task[None]] = {}

    async def standings(self, board: BoardSettings) -> Standings:
        """Who stands where now."""
        moment = await self._moment(board)
        async with self._locks.setdefault(board.name, asyncio.Lock()):
            kept = self._kept.get(board.name)
            if kept is None or kept[0] != moment:
                computed = await self.service.database.read(lambda session: self._computed(session, board, moment))
                kept = self._kept[board.name] = moment, computed
        if kept[1].is_pending and board.name not in self._groups:
            task = asyncio.create_task(self._group(board))
            self._groups[board.name] = task
            task.add_done_callback(lambda _: self._groups.pop(board.name, None))
        return kept[1]

    async def first(self, board: BoardSettings) -> dict[str, Any]:
        """How many teams a board has, and who is first; unknown while its scores must be made anew."""
        try:
            rows = (await self.standings(board)).rows
        except ApiError:
            return {"teams": None, "first": [], "best": None}
        first = [row.team for row in rows if row.rank == 1]
        return {"teams": len(rows), "first": first, "best": rows[0].score if rows else None}

    async def _moment(self, board: BoardSettings) -> Moment:
        now = self.service.now

        def look(session: Session) -> Moment:
            row = session.get(Board, board.name)
            assert row is not None
            is_closed = submissions.is_closed(session, board, now)
            return Moment(row.version, part_of(board, is_closed), row.fingerprint, is_closed)

        return await self.service.database.read(look)

    def _computed(self, session: Session, board: BoardSettings, moment: Moment) -> Standings:
        if not moment.fingerprint:
            return Standings(moment.version, moment.part, (), moment.is_closed)
        contest = self.service.contest(session, board.name)
        return standings(session, contest, moment.version, moment.part, moment.is_closed)

    async def _group(self, board: BoardSettings) -> None:
        """Compute the tie groups of what is kept now, and rest a little: not for every change in a rush.

        What fails stays pending, and is tried again later: perhaps memory was short, or the database away.
        """
        moment, standings = self._kept[board.name]
        began, least, times = time.monotonic(), PAUSE, 1

        def values(session: Session) -> Any:
            return entry_values(session, standings, self.service.contest(session, board.name))

        try:
            rows = await self.service.database.read(values)
            groups = await self.service.pool.do(tie_groups, rows)
        except Exception as error:
            tell("no groups", logging.ERROR, error=error, board=board.name)
            least, times = AGAIN, 10
        else:
            if self._kept[board.name][0] == moment:
                self._kept[board.name] = moment, standings.with_groups(groups)
        await asyncio.sleep(max(least, times * (time.monotonic() - began)))

    async def stop(self) -> None:
        """Give up what is under way."""
        for task in list(self._groups.values()):
            task.cancel()


def state_of(standings: Standings) -> str:
    """What changes whenever the standings do."""
    end = "-closed" if standings.is_closed else ""
    return f"{standings.version}-{standings.part}{end}-{'pending' if standings.is_pending else 'whole'}"


def check_visible(board: BoardSettings, team: Team | None) -> None:
    """Refuse who may not see the board; one for hosts looks to others as if it did not exist."""
    if board.visible == "everyone" or (team and team.is_host):
        return
    if board.visible == "hosts":
        raise not_found(message("board"))
    if team is None:
        raise unauthorized()


def summary(service: Service, session: Session, board: BoardSettings) -> dict[str, Any]:
    """A board without its standings."""
    now = service.now
    row = session.get(Board, board.name)
    by_hand = moment(row.closed_at) if row and row.closed_at is not None else None
    return {
        "name": board.name,
        "title": board.title or board.name,
        "about": board.about,
        "is_open": service.is_open(session, board, now),
        "is_closed": submissions.is_closed(session, board, now),
        "opens": board.opens,
        "closes": min(filter(None, (board.closes, by_hand)), default=None),
    }


def offers_queries(service: Service, board: BoardSettings) -> bool:
    """Whether the queries may be downloaded now: where the host offers them, and not before the contest opens."""
    return board.download is not None and not (board.opens and service.clock() < board.opens.timestamp())


def board_state(
    about: dict[str, Any],
    contest: Contest | None,
    board: BoardSettings,
    standings: Standings,
    team: Team | None,
    **more: Any,
) -> schemas.BoardState:
    """A board as this viewer may see it."""
    return schemas.BoardState(
        **about,
        rules=contest.rules.name if contest else board.rules,
        measures=list(map(str, contest.measures)) if contest else list(board.measures),
        rank_by=str(contest.rank_by) if contest else board.rank_by,
        ranks=board.score,  # type: ignore[arg-type]
        part=standings.part,  # type: ignore[arg-type]
        public_share=contest.public_share if contest else board.public,
        ladder=board.ladder,
        digits=board.digits,
        per_day=board.per_day,
        total=board.total,
        upload=board.upload,
        queries=len(contest.published) if contest else 0,
        state=state_of(standings),
        pending=standings.is_pending,
        finals=board.finals,
        standings=[_standing(row, team) for row in standings.rows],
        **more,
    )


def _standing(row: Standing, team: Team | None) -> schemas.StandingState:
    is_own = team is not None and team.id == row.team_id
    mine = is_own or (team is not None and team.is_host)
    same = ("rank", "team", "score", "low", "high", "public", "entries", "groups")
    return schemas.StandingState(
        **{name: getattr(row, name) for name in same},
        last=moment(row.last),
        is_own=is_own,
        submission=row.submission if mine else None,
    )


def submission_state(
    service: Service, session: Session, submission: Submission, team: Team, *, with_queries: bool = True
) -> schemas.SubmissionState:
    """A submission as its team or a host may see it; in lists without its queries' values.

    Raises:
        ApiError: it is another team's.
    """
    if submission.account_id != team.id and not team.is_host:
        raise not_found(message("submission"))
    board = service.board(submission.board)
    account = session.get(Account, submission.account_id)
    assert account is not None
    same = ("id", "board", "state", "label", "size", "sha256", "version", "processor", "mark", "reason")
    return schemas.SubmissionState(
        **{name: getattr(submission, name) for name in same},
        team=account.name,
        ranks=board.score,  # type: ignore[arg-type]
        received_at=moment(submission.received_at),
        is_final=submission.chosen_at is not None,
        rules=json.loads(submission.rules)["name"] if submission.rules else None,
        audit=schemas.AuditState(**from_json(submission.audit)),
        **_results(service, session, submission, board, team, with_queries),
    )


def _results(
    service: Service, session: Session, submission: Submission, board: BoardSettings, team: Team, with_queries: bool
) -> dict[str, Any]:
    """The scores that this viewer may see now."""
    is_over = submissions.is_closed(session, board, service.now)
    part, sees_all = part_of(board, is_over), team.is_host or is_over
    out: dict[str, Any] = {"part": part, **dict.fromkeys(("score", "public", "shown", "interval"))}
    out |= {"official": {}, "strict": {}, "queries": {}}
    if submission.state != SCORED:
        return out
    if board.hides:
        out["shown"] = rounded(submission.shown or 0.0, board)
    if board.hides and not sees_all:
        return out
    results = json.loads(submission.results or "{}")
    scores = {"score": _own_score(service, session, submission, results, part), "public": submission.score or 0.0}
    out |= _rounded(scores, board, team.is_host)
    if board.reveal == "score" and not sees_all:
        return out
    parts = PARTS if sees_all else ("public",)
    for kind in ("official", "strict"):
        means = {part: results[kind][part] for part in parts if part in results[kind]}
        out[kind] = {part: _rounded(values, board, team.is_host) for part, values in means.items()}
    ends = dict(enumerate(results["intervals"].get(part, [0.0, 1.0])))
    out["interval"] = list(_rounded(ends, board, team.is_host).values())
    if with_queries and (team.is_host or (board.reveal == "queries" and board.digits is None)):
        out["queries"] = _queries(session, submission, service.contest(session, board.name), sees_all)
    return out


def _own_score(
    service: Service, session: Session, submission: Submission, results: dict[str, Any], part: str
) -> float:
    """What it scores on the queries that rank now."""
    if part == "public":
        return submission.score or 0.0
    return describe(results, service.contest(session, submission.board), part)


def _rounded(values: dict[Any, float], board: BoardSettings, is_host: bool) -> dict[Any, float]:
    return values if is_host else {name: rounded(value, board) for name, value in values.items()}


def _queries(
    session: Session, submission: Submission, contest: Contest, everything: bool
) -> dict[str, dict[str, float]]:
    values = session.get(Values, submission.id)
    if values is None:
        return {}
    matrix = matrix_of(values.matrix, len(contest.measures))
    mask = contest.masks(contest.evaluated)["all" if everything else "public"]
    names = list(map(str, contest.measures))
    return {
        printable(query): dict(zip(names, matrix[:, q].tolist(), strict=True))
        for q, query in enumerate(contest.evaluated)
        if mask[q]
    }
