"""What a check is, and the lists of them. Adding one is writing one decorated function.

A check is a generator. It is sent one thing after another while the file is read, and None at its end:

    @each_answer
    def single_result(case: Case) -> Watch:
        "A query has only one result."
        while (answer := (yield)) is not None:
            if len(answer.docs) == 1:
                case.log.add("note", "single-result", answer.lines[0], single, answer.query)

    def single(query: bytes) -> Message:
        return message("{query} has one result", query=printed(query))

So what it remembers are its local variables, and what it says of the whole file stands after the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from truerank.analysis.lint.findings import Log
from truerank.core.hits import Hits
from truerank.core.rules import Rules
from truerank.measures import Measure

Grades = Mapping[bytes, Mapping[bytes, float]]
"""{query: {document: grade}}."""


class Judgement(NamedTuple):
    """One row of the qrels; `line` is None for an object in memory.

    `aspect` is what stands in the second column of TREC's lines, or the aspect that the row is about, if any.
    """

    query: bytes
    doc: bytes
    grade: float
    line: int | None
    aspect: bytes | None = None


class Answer(NamedTuple):
    """What was returned for one query, in the order of the file; columns of one length.

    `scores` is None where only the order is given; `ranks` (as they stand in the file) and `tags` are None in
    formats without them.
    """

    query: bytes
    docs: Sequence[bytes]
    scores: Sequence[float] | None
    lines: Sequence[int]
    ranks: Sequence[bytes] | None = None
    tags: Sequence[bytes] | None = None


@dataclass(frozen=True)
class Case:
    """One file under inspection.

    Attributes:
        log: where findings go.
        judged: the judgements before the one that is seen; all of them, when a run is inspected.
        rules: under which it will be evaluated.
    """

    log: Log
    judged: Grades
    rules: Rules


Watch = Generator[None, Any, None]
Check = Callable[[Case], Watch]
HitsCheck = Callable[[Case, Hits, Sequence[Measure]], None]

JUDGEMENT_CHECKS: list[Check] = []
ANSWER_CHECKS: list[Check] = []
LIST_CHECKS: list[Check] = []
HITS_CHECKS: list[HitsCheck] = []


def each_judgement(check: Check) -> Check:
    """Register a check that is sent every `Judgement`."""
    JUDGEMENT_CHECKS.append(check)
    return check


def each_answer(check: Check) -> Check:
    """Register a check that is sent every `Answer`."""
    ANSWER_CHECKS.append(check)
    return check


def each_list(check: Check) -> Check:
    """Register a check that is sent every `Answer` of two results or more."""
    LIST_CHECKS.append(check)
    return check


def on_hits(check: HitsCheck) -> HitsCheck:
    """Register a check of the finished `Hits`."""
    HITS_CHECKS.append(check)
    return check


class Watchers:
    """Checks at work on one file."""

    def __init__(self, checks: Iterable[Check], case: Case):
        watches = [check(case) for check in checks]
        for watch in watches:
            next(watch)
        self.sends = [watch.send for watch in watches]

    def see(self, thing: Judgement | Answer) -> None:
        """Show all checks the next thing."""
        for send in self.sends:
            send(thing)

    def end(self) -> None:
        """Tell all checks that the file has ended."""
        for send in self.sends:
            with suppress(StopIteration):
                send(None)
