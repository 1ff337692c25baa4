"""What workers write down while they work, and what is made of it afterwards."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.live.clock import NANO
from truerank.live.plan import Plan
from truerank.live.retriever import Answer, Retriever
from truerank.live.samples import DROPPED, EMPTY, ERROR, OK, TIMEOUT, Ints, Samples

KEPT = 50_000
"""Raw answers that a worker keeps to read after the run; later ones are read between two calls."""

ROOM = 5_000_000
"""Results that these may hold all together."""

BYTES = 64
"""Bytes of an answer that take as much room as a result."""

FAULT = 300
"""Characters of an error's message that are kept."""


@dataclass(frozen=True)
class Read:
    """An answer that was read.

    Attributes:
        outcome: an index into `OUTCOMES`.
        returned: how many documents were returned.
        fault: what went wrong.
    """

    outcome: int
    returned: int = 0
    fault: str = ""


NEVER_STARTED = Read(DROPPED)
TIMED_OUT = Read(TIMEOUT)


def failure(error: BaseException) -> Read:
    """An error that a retriever raised."""
    said = _said(error)[:FAULT]
    return Read(ERROR, fault=printable(": ".join(filter(None, (type(error).__name__, said)))))


def _said(error: BaseException) -> str:
    """The message of an error, whatever is in it."""
    try:
        return str(error).encode("utf-8", "backslashreplace").decode()
    except Exception:  # it is made by the retriever too
        return "its message cannot be read"


def kept(result: object) -> object:
    """What was returned, but a copy of the lists, dicts and arrays that hold it: retrievers fill those again.

    >>> buffer = [{"id": "d1", "score": 0.5}]
    >>> mine = kept(buffer)
    >>> buffer[0]["score"] = 0.0
    >>> mine
    [{'id': 'd1', 'score': 0.5}]
    """
    kind = type(result)
    if kind is list:
        is_nested = result and type(result[0]) in (list, dict)  # type: ignore[index]  # of calls, or of documents
        return list(map(kept, result)) if is_nested else result.copy()  # type: ignore[call-overload, attr-defined]
    if kind is dict or kind is np.ndarray:
        return result.copy()  # type: ignore[attr-defined]
    if kind is tuple and len(result) == 2:  # type: ignore[arg-type]
        return tuple(map(kept, result))  # type: ignore[call-overload]
    return result


def room(result: object) -> int:
    """About how many results an answer holds, as a measure of the memory that it takes up while it is kept."""
    kind = type(result)
    if kind is list:
        lists = result and type(result[0]) is list  # type: ignore[index]
        return sum(map(room, result)) if lists else len(result)  # type: ignore[call-overload, arg-type]
    if kind is bytes:
        return len(result) // BYTES  # type: ignore[arg-type]
    if kind is np.ndarray:
        return int(result.size)  # type: ignore[attr-defined]
    if kind is tuple and len(result) == 2:  # type: ignore[arg-type]
        return room(result[1])  # type: ignore[index]
    return len(result) if kind is dict else 1  # type: ignore[arg-type]


class Record:
    """What one worker did: four numbers per call, and beside them what was returned."""

    def __init__(self, finish: Callable[[int, int, object], Read]):
        self.marks = array("q")
        self.results: list[object] = []
        self._finish = finish
        self._room = ROOM

    def add(self, call: int, taken: int, begin: int, end: int, result: object) -> None:
        """A call is over; only numbers are made here, which the garbage collector does not count."""
        self.marks.extend((call, taken, begin, end))
        self._room -= room(result)
        is_full = self._room < 0 or len(self.results) >= KEPT
        self.results.append(self._finish(call, end - begin, result) if is_full else kept(result))

    @property
    def done(self) -> int:
        """How many calls are written down in full, even while the worker goes on."""
        return min(len(self.marks) // 4, len(self.results))


@dataclass
class Tally:
    """Reads what was returned, and keeps the first measured answer of each query.

    Attributes:
        answers: {job: (call, answer)}.
        changing: jobs whose measured answers were not the same each time.
        repeated, overlong, unordered: queries whose answer names a document twice, has more than k, has scores
            that do not fall from the best on.
    """

    plan: Plan
    retrievers: Sequence[Retriever]
    queries: int
    answers: dict[int, tuple[int, Answer]] = field(default_factory=dict)
    changing: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    overlong: set[int] = field(default_factory=set)
    unordered: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self, records: Iterable[Record]) -> None:
        """Read what the first calls brought.

        Raises:
            InputError: it is nothing that the retriever should answer.
        """
        for record in records:
            for i in range(record.done):
                result = record.results[i]
                if type(result) is not Read:
                    self._read(self.plan.job(record.marks[4 * i]), result)

    def _read(self, job: int, result: object) -> Answer:
        """The answer that was returned; whatever goes wrong is an InputError, since ids may be any function."""
        try:
            return self.retrievers[job // self.queries].read(result)
        except (InputError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise InputError("the answer cannot be read: {error}", error=failure(error).fault) from error

    def finish(self, call: int, elapsed: int, result: object) -> Read:
        """What came of a call."""
        if type(result) is Read:
            return result
        limit = self.plan.load.timeout
        if limit is not None and elapsed > limit * NANO:
            return TIMED_OUT
        job = self.plan.job(call)
        try:
            answer = self._read(job, result)
        except InputError as error:
            return Read(ERROR, fault=printable(_said(error)[:FAULT]))
        if call >= self.plan.kept:
            with self._lock:
                self._keep(call, job, answer.each(partial(self._clean, job)))
        return Read(OK if answer.docs else EMPTY, len(answer.docs))

    def _clean(self, job: int, answer: Answer) -> Answer:
        """The first k documents of a list in the order in which they were returned, with scores that agree."""
        docs, scores, k = answer.docs, answer.scores, self.plan.load.k
        if len(docs) > k:
            self.overlong.add(job)
            docs, scores = docs[:k], scores[:k]
        if len(set(docs)) < len(docs):
            self.repeated.add(job)
        if any(a < b for a, b in pairwise(scores)):
            self.unordered.add(job)
            scores = tuple(map(float, range(len(docs), 0, -1)))
        return Answer(docs, scores)

    def _keep(self, call: int, job: int, answer: Answer) -> None:
        kept = self.answers.get(job)
        if kept and (kept[1].docs, kept[1].ends) != (answer.docs, answer.ends):
            self.changing.add(job)
        if kept is None or call < kept[0]:
            self.answers[job] = (call, answer)


@dataclass(frozen=True, eq=False)
class Calls:
    """All calls of a run as columns, in the order of their numbers.

    Attributes:
        job: (n,) what was called.
        samples: the rest; `query` is not yet set apart from the job.
        faults: {row: what went wrong}.
    """

    job: Ints
    samples: Samples
    faults: dict[int, str]


def returned(records: Iterable[Record]) -> object:
    """One of the recorded answers that have not been read yet; an empty one where there is none."""
    return next((result for record in records for result in record.results if type(result) is not Read), ())


def gathered(records: Iterable[Record], plan: Plan, tally: Tally, started: int) -> Calls:
    """The records of all workers as one, after every returned answer has been read.

    Args:
        started: the time of the first measured start.
    """
    parts = [(record, record.done) for record in records]
    rows = np.concatenate([np.array(record.marks[: 4 * n], np.int64) for record, n in parts]).reshape(-1, 4)
    read = [_finished(record, i, tally) for record, n in parts for i in range(n)]
    order = np.argsort(rows[:, 0], kind="stable")
    call, taken, begin, end = rows[order].T
    reads = [read[i] for i in order.tolist()]
    job = np.array([plan.job(c) for c in call.tolist()], np.int64)
    outcome = np.array([one.outcome for one in reads], np.int64)
    returned = np.array([one.returned for one in reads], np.int64)
    due = _due(plan, call, begin, started)
    samples = Samples(
        query=job,
        phase=_phases(plan, call),
        outcome=outcome,
        due=due - started,
        taken=taken - started,
        begin=begin - started,
        end=end - started,
        returned=returned,
        paused=np.zeros_like(job),
    )
    return Calls(job, samples, {row: one.fault for row, one in enumerate(reads) if one.fault})


def _finished(record: Record, i: int, tally: Tally) -> Read:
    """What came of a worker's call; what was returned is let go of."""
    call, _, begin, end = record.marks[4 * i : 4 * i + 4]
    record.results[i] = read = tally.finish(call, end - begin, record.results[i])
    return read


def _due(plan: Plan, call: Ints, begin: Ints, started: int) -> Ints:
    """When each call should have begun."""
    if plan.due is None:
        return begin
    first = len(plan.before)
    schedule = np.array(plan.due, np.int64) + started
    return np.where(call < first, begin, schedule[np.maximum(call - first, 0)])


def _phases(plan: Plan, call: Ints) -> Ints:
    """The phase of each call."""
    starts = [plan.cold.stop, plan.alone.stop, plan.warmup.stop]
    return np.searchsorted(starts, call, side="right").astype(np.int64)
