"""What a worker process does for a board. It has the files alone, and loads neither the database nor the web."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from truerank.board.audit import SubmissionAudit, audit
from truerank.board.contests import Spec, load
from truerank.board.errors import BoardError
from truerank.board.scoring import Result, score


def audit_in_worker(path: Path, spec: Spec, unpacked: int) -> SubmissionAudit:
    """`audit`, where only the files are known."""
    return audit(path, load(spec), unpacked)


def score_in_worker(path: Path, format: str, spec: Spec) -> tuple[Result, str]:
    """`score`, where only the files are known; and the fingerprint of what it is scored by."""
    contest = load(spec)
    return score(path, format, contest), contest.fingerprint


def load_all(specs: list[Spec]) -> None:
    """Get ready for every board; what is wrong with one is reported where it matters."""
    for spec in specs:
        with suppress(BoardError):
            load(spec)
