"""Audits and scores a large file while it still arrives, so that little is left to do after its last byte.

Small files, and those that find no free follower, are judged when they are whole: what is found is the same.
Auditing and scoring know nothing of each other, so an audit tells no more of the truth than one by itself.
"""

from __future__ import annotations

import io
import math
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, cast

from truerank.board.audit import SMALL, SubmissionAudit, audit_source, format_of, run_of
from truerank.board.contests import Contest, Spec, load
from truerank.board.scoring import Result, score
from truerank.board.upload import Receiver
from truerank.board.workers import Abandoned, Followed, OutOfTime, ProcessPool, has_ended
from truerank.core.errors import TruerankError
from truerank.formats.source import Source

PATIENCE = 60.0
"""Seconds after which a slow sender is followed no more: beside them, the time to judge is nothing."""


class Arriving(io.RawIOBase):
    """A file that is still written to; its end is where it ends once `ended` says so.

    Args:
        number: of the open file, that others read too.
        ended: waits up to a number of seconds for the file to be whole, and says whether it is.
    """

    def __init__(self, number: int, ended: Callable[[float], bool]):
        self._number, self._ended, self._at = number, ended, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as soon as there are some."""
        while True:
            is_whole = self._ended(0)
            if data := os.pread(self._number, size, self._at):
                self._at += len(data)
                return data
            if is_whole:
                return b""
            self._ended(0.01)


@dataclass(frozen=True)
class ArrivingSource(Source):
    """A source that is still written to; it stays readable when its file is moved."""

    number: int = -1
    ended: Callable[[float], bool] = lambda seconds: True

    @property
    def path(self) -> None:
        """Nothing that threads could read in pieces."""
        return None

    def _opened(self) -> IO[bytes]:
        return cast("IO[bytes]", Arriving(self.number, self.ended))


@dataclass(frozen=True)
class Assessment:
    """What is wrong with a submission, and what it scores if nothing is.

    Attributes:
        fingerprint: of the contest that it was scored by.
    """

    audit: SubmissionAudit
    result: Result | None
    fingerprint: str


def judge_arriving(path: Path, spec: Spec) -> Assessment:
    """Audit and score a large submission whose file still grows; a worker runs it, and is notified of the end."""
    contest, is_over = load(spec), threading.Event()

    def ended(seconds: float) -> bool:
        if is_over.is_set():
            raise Abandoned
        return has_ended(seconds)

    thread = ThreadPoolExecutor(1)
    with path.open("rb") as file:
        one = ArrivingSource(os.fspath(path), file.fileno(), has_ended)
        scoring = thread.submit(_scored, replace(one, number=os.dup(file.fileno()), ended=ended), contest)
        thread.shutdown(wait=False)
        audit = None
        try:
            audit = audit_source(one, contest, SMALL + 1)
        finally:
            if audit is None or not audit.is_valid:
                is_over.set()
    # What is wrong is reported without waiting for the score: not even the time of the answer depends on the truth.
    return Assessment(audit, scoring.result() if audit.is_valid else None, contest.fingerprint)


def _scored(source: ArrivingSource, contest: Contest) -> Result | None:
    """None when it must be scored again, or never."""
    try:
        format = format_of(source)
        return score(run_of(source, format), format, contest)
    except (Abandoned, TruerankError, MemoryError):
        return None
    finally:
        os.close(source.number)


class Follower:
    """Begins to judge a file when it turns out to be large; `watch` is for its receiver.

    Args:
        spec: of the contest; None where files are never followed.
        processor: seconds of processor time that it may take.
        charge: called with the seconds that were spent in vain.
    """

    def __init__(
        self,
        pool: ProcessPool,
        spec: Spec | None,
        processor: float = math.inf,
        charge: Callable[[float], None] = lambda spent: None,
    ):
        self._pool, self._spec = pool, spec
        self._processor, self._charge = processor, charge
        self._under_way: Followed[Assessment] | None = None
        self._until = 0.0

    def watch(self, receiver: Receiver) -> None:
        """A piece was written."""
        if self._spec and receiver.unpacked > SMALL:
            self._under_way = self._pool.follow(
                judge_arriving, receiver.path, self._spec, processor=self._processor
            )
            self._spec, self._until = None, time.monotonic() + PATIENCE
        elif self._under_way and time.monotonic() > self._until:
            self.give_up()

    def whole(self) -> None:
        """Tell that the file is whole."""
        if self._under_way:
            self._under_way.tell(True)

    def take(self) -> Followed[Assessment] | None:
        """What is under way, which is the caller's now."""
        followed, self._under_way = self._under_way, None
        return followed

    def give_up(self) -> None:
        """The file is not wanted, unless `take` was called."""
        if followed := self.take():
            followed.give_up()
            self._charge(followed.spent)


def result_of(followed: Followed[Assessment]) -> Assessment | None:
    """What was found; None when all must be done again.

    Raises:
        OutOfTime: it took too much, and would again.
    """
    try:
        return followed.result()
    except OutOfTime:
        raise
    except Exception:  # whatever it was: the audit of the whole file will say
        return None
