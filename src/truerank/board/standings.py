"""Who stands where: each team's best entry, ranked, and later who cannot be told apart from whom."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from truerank.board import ladder
from truerank.board.contests import Contest
from truerank.board.entries import final_entries
from truerank.board.models import Account, Submission, Values
from truerank.board.scoring import describe, paired_values
from truerank.board.settings import BoardSettings
from truerank.board.submissions import standing
from truerank.core.equal import as_one, difference
from truerank.core.qrels import Floats


@dataclass(frozen=True)
class Standing:
    """One team's row.

    Attributes:
        score: what ranks: the public score, and after closing the private one.
        low, high: its 95 % interval.
        public: the public score, beside a private one.
        entries: how many scored submissions.
        last: when the last one was accepted, in milliseconds.
        groups: letters; two teams that share one cannot be told apart. Empty where nothing is tested, and None
            until that is computed.
        submission: the id of the entry that stands here; for its team and hosts only.
        means: that entry's by each measure, on the queries that rank; for hosts only.
    """

    rank: int
    team: str
    team_id: int
    score: float
    low: float
    high: float
    public: float
    entries: int
    last: int
    submission: str
    means: Mapping[str, float]
    groups: str | None = None


@dataclass(frozen=True)
class Standings:
    """A board at one moment.

    Attributes:
        version: the board's, which grows with every change.
        part: whose queries rank: public, or private after closing.
        is_closed: whether the contest is over.
    """

    version: int
    part: str
    rows: tuple[Standing, ...]
    is_closed: bool = False

    @property
    def is_pending(self) -> bool:
        """Whether the tie groups are still being computed."""
        return bool(self.rows) and self.rows[0].groups is None

    def with_groups(self, groups: Sequence[Sequence[int]]) -> Standings:
        """The standings with a letter for each group, a for the best."""
        letters = [""] * len(self.rows)
        for number, group in enumerate(groups):
            for row in group:
                letters[row] += _letter(number)
        rows = (replace(row, groups=mine) for row, mine in zip(self.rows, letters, strict=True))
        return replace(self, rows=tuple(rows))


def _letter(number: int) -> str:
    """a … z, then aʹ … zʹ and so on."""
    return chr(ord("a") + number % 26) + "ʹ" * (number // 26)


def part_of(board: BoardSettings, is_closed: bool) -> str:
    """The part of the queries whose scores rank now."""
    return "private" if is_closed and board.public < 1 else "public"


def standings(session: Session, contest: Contest, version: int, part: str, is_closed: bool = False) -> Standings:
    """Each team's best entry by what the board shows, ranked by its score on the part.

    Where teams choose, the best of those that a team chose takes its place once the contest is over.
    """
    settings = contest.settings
    finals = final_entries(session, contest, part) if is_closed and settings.finals else {}
    entries = _best_entries(session, settings.name)
    counts = _counts(session, settings.name)
    rows = []
    for best, team in entries:
        entry = finals.get(best.account_id, best)
        shown = entry.score if best.account_id in finals else entry.shown
        rows.append(_row(entry, shown or 0.0, team, contest, part, *counts[entry.account_id]))
    return Standings(version, part, tuple(_ranked(rows)), is_closed)


def _best_entries(session: Session, board: str) -> list[tuple[Submission, str]]:
    """Each team's submission with the highest shown score, the earliest of equals."""
    shown = select(Submission.account_id, Submission.id, Submission.shown).where(*standing(board))
    theirs: dict[int, dict[str, float]] = {}
    for account, id, score in session.execute(shown.order_by(Submission.place)):
        theirs.setdefault(account, {})[id] = score or 0.0
    ids = [list(scores)[int(as_one(list(scores.values())).argmax())] for scores in theirs.values()]
    best = select(Submission, Account.name).join(Account, Account.id == Submission.account_id)
    return [(entry, team) for entry, team in session.execute(best.where(Submission.id.in_(ids)))]


def _counts(session: Session, board: str) -> dict[int, tuple[int, int]]:
    """{team: (entries, when the last one was accepted)}."""
    rows = session.execute(
        select(Submission.account_id, func.count(), func.max(Submission.accepted_at))
        .where(*standing(board))
        .group_by(Submission.account_id)
    )
    return {account: (entries, last or 0) for account, entries, last in rows}


def _row(
    entry: Submission, shown: float, team: str, contest: Contest, part: str, entries: int, last: int
) -> Standing:
    results = json.loads(entry.results or "{}")
    settings = contest.settings
    public = rounded(shown, settings)
    score = public if part == "public" else rounded(describe(results, contest, part), settings)
    low, high = results["intervals"].get(part, [0.0, 1.0])
    low, high = (_hidden(end, contest) if part == "public" else rounded(end, settings) for end in (low, high))
    means = results[settings.score].get(part, {})
    return Standing(0, team, entry.account_id, score, low, high, public, entries, last, entry.id, means)


def rounded(score: float, settings: BoardSettings) -> float:
    """A score as the board shows it."""
    return score if settings.digits is None else round(score, settings.digits)


def _hidden(end: float, contest: Contest) -> float:
    """The end of an interval, with no more digits than the score."""
    step = contest.settings.ladder
    if step is None:
        return rounded(end, contest.settings)
    return ladder.on_step(end, step or 1 / max(1, int(contest.masks(contest.evaluated)["public"].sum())))


def _ranked(rows: list[Standing]) -> list[Standing]:
    """The rows, the best first, with their ranks; equal scores share one."""
    scores = as_one([row.score for row in rows]).tolist()
    order = sorted(range(len(rows)), key=lambda i: (-scores[i], rows[i].last, rows[i].team_id))
    ranks: list[int] = []
    for place, row in enumerate(order):
        is_shared = place > 0 and scores[order[place - 1]] == scores[row]
        ranks.append(ranks[-1] if is_shared else place + 1)
    return [replace(rows[row], rank=rank) for row, rank in zip(order, ranks, strict=True)]


def entry_values(session: Session, standings: Standings, contest: Contest) -> list[Floats | None]:
    """The per-query values of each row's entry on the part that ranks; None where its score is not their mean."""
    ids = [row.submission for row in standings.rows]
    entries = (
        select(Submission.id, Submission.results, Values.matrix)
        .join(Values, Values.submission_id == Submission.id)
        .where(Submission.id.in_(ids))
    )
    values = {
        id: paired_values(matrix, json.loads(results or "{}"), contest, standings.part)
        for id, results, matrix in session.execute(entries)
    }
    return [values[id] for id in ids]


def history(session: Session, contest: Contest) -> dict[str, list[dict[str, Any]]]:
    """{team: [{at, score, low, high}]}: what the board showed of each team and since when; for a plot.

    The intervals hold at all entries of a team together; None where there is none.
    """
    settings = contest.settings
    entries = session.execute(
        select(Account.name, Submission.accepted_at, Submission.shown, Submission.results)
        .join(Account, Account.id == Submission.account_id)
        .where(*standing(settings.name))
        .order_by(Submission.place)
    )
    points: dict[str, list[dict[str, Any]]] = {}
    for team, at, value, results in entries:
        line = points.setdefault(team, [])
        score = rounded(value or 0.0, settings)
        if not line or difference(score, line[-1]["score"]) > 0:
            ends = json.loads(results or "{}").get("watched") or [None, None]
            low, high = (end if end is None else _hidden(end, contest) for end in ends)
            line.append({"at": at, "score": score, "low": low, "high": high})
    return points
