"""What a check is, and the lists of them. Adding one is writing one decorated function.

A check is a generator. It is sent one thing after another while the file is read, and None at its end:

    @each_answer
    def single_result(case: Case) -> Watch:
        "A query has only one result."
        while (answer := (yield)) is not None:
            if answer.size == 1:
                case.log.add("note", "single-result", answer.lines[0], single, answer.query)

    def single(query: bytes) -> Message:
        return message("{query} has one result", query=printed(query))

So what it remembers are its local variables, and what it says of the whole file stands after the loop. A check of
answers first asks the answer whether there is anything to find: plain text knows without making objects of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

from truerank.analysis.lint.findings import Log
from truerank.core.hits import Hits
from truerank.core.kernel.rows import Rows
from truerank.core.rules import Rules
from truerank.measures import Measure

Grades = Mapping[bytes, dict[bytes, float]]
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


class Judgements(NamedTuple):
    """Rows of the qrels that follow each other and are about one query; columns of one length."""

    query: bytes
    docs: Sequence[bytes]
    grades: Sequence[float]
    lines: Sequence[int | None]
    aspects: Sequence[bytes | None]

    def rows(self) -> Iterator[Judgement]:
        """Each row by itself, as a `Judgement`."""
        return map(Judgement, repeat(self.query), self.docs, self.grades, self.lines, self.aspects)


class Answer(NamedTuple):
    """What was returned for one query, in the order of the file; columns of one length.

    `scores` is None where only the order is given; `ranks` (as they stand in the file) and `tags` are None in
    formats without them. Plain text comes as `Rows`, which have the same columns and answer the same questions.
    """

    query: bytes
    docs: Sequence[bytes]
    scores: Sequence[float] | None
    lines: Sequence[int]
    ranks: Sequence[bytes] | None = None
    tags: Sequence[bytes] | None = None

    @property
    def size(self) -> int:
        """The number of results."""
        return len(self.docs)

    def find(self, doc: bytes) -> int:
        """The first row of a document, or -1."""
        return self.docs.index(doc) if doc in self.docs else -1

    def has_repeated(self) -> bool:
        """Whether a document comes twice."""
        return len(set(self.docs)) < len(self.docs)

    def found_of(self, docs: dict[bytes, float]) -> set[bytes]:
        """The set of those documents that are there."""
        return docs.keys() & set(self.docs)

    def is_in_order(self) -> bool:
        """Whether ranks all differ and scores never rise along them, where that is known at once."""
        return False

    def is_tied(self) -> bool:
        """Whether all scores are equal."""
        scores = self.scores
        return bool(scores) and scores[0] == scores[-1] and len(set(scores)) == 1  # type: ignore[index, arg-type]

    def other_tag(self, tag: bytes) -> int:
        """The first row with another tag than this; -1 where there is none."""
        if self.tags is None or self.tags.count(tag) == len(self.tags):
            return -1
        return next(row for row, other in enumerate(self.tags) if other != tag)

    def may_hold_parts(self, docs: dict[bytes, float]) -> bool:
        """Whether some document may be a part of one of these."""
        return True

    def may_hold_spellings(self, docs: Sequence[bytes]) -> bool:
        """Whether some document may be one of these written otherwise."""
        return True


def first_line(answer: Answer | Rows) -> int | None:
    """Where an answer begins; None for one without a result."""
    return answer.lines[0] if answer.size else None


@dataclass(frozen=True)
class Case:
    """One file under inspection.

    Attributes:
        log: where findings go.
        judged: the judgements before those that are seen; all of them, when a run is inspected.
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
    """Register a check that is sent all `Judgements`."""
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

    def see(self, thing: Judgements | Answer | Rows) -> None:
        """Show all checks the next thing."""
        for send in self.sends:
            send(thing)

    def end(self) -> None:
        """Tell all checks that the file has ended."""
        for send in self.sends:
            with suppress(StopIteration):
                send(None)
