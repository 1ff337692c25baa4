"""What workers of a board do in tests. It imports little, as each process of a worker imports it anew."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

HELD = "held"
"""A file beside the truth of a board: while it is there, audits by `held_audit` wait."""


def wait_without(path: Path) -> None:
    """Until there is no such file."""
    until = time.monotonic() + 60
    while path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)


def burn(seconds: float) -> float:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds


def slow_audit(path: Path, spec: Any, unpacked: int) -> Any:
    burn(30.0)


def slow_score(path: Path, format: str, spec: Any) -> Any:
    burn(30.0)


def held_audit(path: Path, spec: Any, unpacked: int) -> Any:
    from truerank.board.jobs import audit_in_worker

    wait_without(spec.truth.parent / HELD)
    return audit_in_worker(path, spec, unpacked)
