"""Everything that is known of a board's submissions, as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from truerank.board.models import Account, Submission, moment

PLAIN = (
    *("id", "board", "state", "label", "size", "unpacked", "sha256"),
    *("place", "score", "shown", "version", "fingerprint", "processor", "mark", "reason"),
)
TIMES = ("received_at", "accepted_at", "scored_at", "marked_at", "chosen_at")
INSIDE = ("audit", "results", "rules")


def export_lines(session: Session, board: str) -> Iterator[str]:
    """One JSON object for each submission, in the order of arrival."""
    rows = session.execute(
        select(Submission, Account.name)
        .join(Account, Account.id == Submission.account_id)
        .where(Submission.board == board)
        .order_by(Submission.received_at, Submission.id)
        .execution_options(yield_per=100)
    )
    for submission, team in rows:
        yield json.dumps(_plain(submission, team), ensure_ascii=False) + "\n"


def _plain(submission: Submission, team: str) -> dict[str, object]:
    times = {name: getattr(submission, name) for name in TIMES}
    texts = {name: getattr(submission, name) for name in INSIDE}
    return {
        "team": team,
        **{name: getattr(submission, name) for name in PLAIN},
        **{name: at if at is None else moment(at).isoformat() for name, at in times.items()},
        **{name: text if text is None else json.loads(text) for name, text in texts.items()},
    }
