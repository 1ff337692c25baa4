"""The plot of what the board showed over time, that a page may stretch from side to side.

Not Vega as in the report: an SVG by vl-convert takes 250 times as long as the template's 4 ms, with one theme and
one width, and drawing in the browser needs 0.9 MB of JavaScript on pages that work without. Colours and marks are
shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

from truerank.board.pages.axes import Axis, moments, numbers

HEIGHT = 280
"""Pixels between the lowest and the highest score."""

WIDTH = 1000
"""Units from side to side; as many pixels as the page has room for."""

MARKS = 7
"""This many teams have a colour and a mark of their own: the best ones, and the viewer's."""

BETWEEN = 17
"""Pixels from one team's name to the next."""


@dataclass(frozen=True)
class TeamPoint:
    """What was shown of a team from a moment on."""

    x: str
    y: float
    at: datetime
    score: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class TeamLine:
    """The line of one team.

    Attributes:
        mark: 1 to 7, or 0 for the many.
        steps: the corners, as SVG takes them.
        name_y: where its name stands, beside the end of the line.
    """

    team: str
    mark: int
    is_own: bool
    points: tuple[TeamPoint, ...]
    steps: str
    name_y: float


@dataclass(frozen=True)
class Plot:
    """All lines, those to be drawn on top last."""

    x: Axis
    y: Axis
    lines: tuple[TeamLine, ...]
    height: int = HEIGHT
    width: int = WIDTH

    def level(self, score: float) -> float:
        """Pixels from the top."""
        return round(self.height * (1 - self.y.share(score)), 1)

    @property
    def named(self) -> list[TeamLine]:
        """The lines with a mark of their own, best first."""
        return sorted((line for line in self.lines if line.mark), key=lambda line: line.mark)


def plot(
    history: Mapping[str, Sequence[Mapping[str, Any]]], rows: Sequence[Mapping[str, Any]], now: float | None = None
) -> Plot | None:
    """The plot of a board; None where nothing is to be seen.

    Args:
        history: {team: [{at, score, low, high}]}.
        rows: the standings, which say who is best, whose it is, and when something last happened.
        now: until when the lines go on, in seconds since 1970: now, or when the board closed.
    """
    teams = [row["team"] for row in rows if history.get(row["team"])]
    points = [point for team in teams for point in history[team]]
    if not points:
        return None
    times = [point["at"] for point in points] + [row["last"] for row in rows]
    end = max(times if now is None else [*times, datetime.fromtimestamp(now, timezone.utc)])
    empty = Plot(moments([*times, end]), numbers(point["score"] for point in points), ())
    own = {row["team"] for row in rows if row["is_own"]}
    marked = sorted(teams, key=lambda team: (team not in own, teams.index(team)))[:MARKS]
    marks = {team: mark for mark, team in enumerate(sorted(marked, key=teams.index), 1)}
    names = _apart({team: empty.level(history[team][-1]["score"]) for team in marks})
    lines = [
        _line(empty, team, history[team], end, marks.get(team, 0), team in own, names.get(team, 0))
        for team in sorted(teams, key=lambda team: (team in own, -teams.index(team)))
    ]
    return Plot(empty.x, empty.y, tuple(lines))


def _line(
    on: Plot, team: str, points: Sequence[Mapping[str, Any]], end: datetime, mark: int, is_own: bool, name_y: float
) -> TeamLine:
    kept = ("at", "score", "low", "high")
    places = tuple(
        TeamPoint(on.x.at(one["at"].timestamp()), on.level(one["score"]), *(one[key] for key in kept))
        for one in points
    )
    across = [round(WIDTH * on.x.share(moment.timestamp()), 1) for moment in (*(p.at for p in places), end)]
    corners = [f"{x:g},{p.y:g}" for p, after in zip(places, pairwise(across), strict=True) for x in after]
    return TeamLine(team, mark, is_own, places, " ".join(corners), name_y)


def _apart(wanted: Mapping[str, float]) -> dict[str, float]:
    """Places for names, in order and not on top of each other, as near to the wanted ones as goes from above.

    >>> _apart({"a": 10, "b": 12, "c": 100})
    {'a': 10, 'b': 27, 'c': 100}
    """
    placed: dict[str, float] = {}
    lowest = float("-inf")
    for team, y in sorted(wanted.items(), key=lambda item: item[1]):
        placed[team] = lowest = max(y, lowest + BETWEEN)
    highest = float(HEIGHT)
    for team, y in reversed(list(placed.items())):
        placed[team] = min(y, highest)
        highest = placed[team] - BETWEEN
    return placed
