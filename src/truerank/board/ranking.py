"""The standings of a board as a document, for every format of results: a row a team, the best one first."""

from __future__ import annotations

from typing import Any

from truerank.board.contests import Contest
from truerank.board.models import moment
from truerank.board.pages.kinds import PARTS, SCORES_MEAN
from truerank.board.standings import Standing, Standings
from truerank.core.errors import printable
from truerank.core.messages import Joined, Message, joined, message
from truerank.present.comparison_cells import interval_heading, span
from truerank.present.document import Document
from truerank.present.lines import named_cell
from truerank.present.table import Cell, Table, as_text, drawn_digits

UNPAIRED = message(
    "Nothing is said of teams without a letter: a score that is not the mean of one value for each query cannot be "
    "paired with another, and there are letters for about a hundred groups."
)

FLAT = ("rank", "team", "score", "low", "high", "groups", "public", "entries", "last", "submission")


def document_of(standings: Standings, contest: Contest, digits: int | None = None) -> Document:
    """The scores that rank with their intervals and letters, and the other measures; for programs all numbers.

    Args:
        digits: after the point; those of the board, or four, where nothing is said.
    """
    shown = drawn_digits(contest.settings.digits if digits is None else digits)
    by = str(contest.rank_by)
    others = [name for name in map(str, contest.measures) if name != by]
    is_private = standings.part == "private"
    heads = (
        *(message("rank"), message("team"), by, interval_heading(0.95), message("group")),
        *([message("public score")] if is_private else []),
        *(*others, message("entries"), message("last")),
    )
    rows = tuple(_drawn(row, by, others, is_private, shown) for row in standings.rows)
    remarks = remarks_of(standings, contest)
    flat = tuple((*_plain(row).values(), *(row.means.get(name) for name in others)) for row in standings.rows)
    return Document(
        [Table(heads, rows, _title(standings, contest), tuple(remarks), digits=shown)],
        Table((*FLAT, *others), flat, digits=digits),
        _told(standings, contest, remarks),
        remarks,
    )


def remarks_of(standings: Standings, contest: Contest) -> list[Message]:
    """Under which rules, by which score, what letters mean, and where nothing is said."""
    settings = contest.settings
    said = [message("Rules: {rules}.", rules=printable(contest.rules.name)), SCORES_MEAN[settings.score]]
    if settings.hides and standings.part == "public":
        said.append(message("A new best shows only when it is a real improvement."))
    if len(standings.rows) > 1:
        said.append(
            message("Teams that share a letter cannot be told apart: a paired test of all pairs, 5% errors in all.")
        )
    if any(row.groups == "" for row in standings.rows):
        said.append(UNPAIRED)
    return said


def _title(standings: Standings, contest: Contest) -> Joined:
    settings = contest.settings
    part = PARTS[standings.part if settings.public < 1 else "all"]
    return joined(": ", [printable(settings.title or settings.name), part])


def _drawn(row: Standing, by: str, others: list[str], is_private: bool, digits: int) -> tuple[Cell, ...]:
    low, high, score, public = (named_cell(by, value) for value in (row.low, row.high, row.score, row.public))
    ends = span(as_text(low, digits), as_text(high, digits))
    return (
        *(row.rank, row.team, score, ends, row.groups or ""),
        *([public] if is_private else []),
        *(named_cell(name, row.means[name]) if name in row.means else None for name in others),
        *(row.entries, f"{moment(row.last):%Y-%m-%d %H:%M} UTC"),
    )


def _plain(row: Standing) -> dict[str, Cell]:
    values = {name: getattr(row, name) for name in FLAT}
    return {**values, "last": moment(row.last).isoformat()}


def _told(standings: Standings, contest: Contest, remarks: list[Message]) -> dict[str, Any]:
    return {
        "board": contest.settings.name,
        "rules": contest.rules.to_dict(),
        "rank_by": str(contest.rank_by),
        "ranks": contest.settings.score,
        "part": standings.part,
        "is_closed": standings.is_closed,
        "standings": [{**_plain(row), "means": dict(row.means)} for row in standings.rows],
        "remarks": remarks,
    }
