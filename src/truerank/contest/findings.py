"""What the official code lets pass, each kind with its lines, its number and examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from truerank.contest.submission import Line, is_id, short
from truerank.core.errors import truncated
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import Message, joined, message, plural

EXAMPLES = 5
"""How many places of each kind are kept."""


@dataclass(frozen=True)
class Finding:
    """One kind of fault in a submission.

    Attributes:
        kind: a short name that stays the same: missing-id, unknown-id, repeated-line, repeated-document,
            wrong-type, too-many, unreadable or empty.
        message: what is wrong, where, and what it does to the scores.
        count: how many lines (of missing-id and repeated-line: how many ids) have it.
        lines: the first few of their numbers; of repeated-line: of all that answer such an id.
        examples: the first few, in words.
        stops: whether the official code stops there, so that there is no official score.
    """

    kind: str
    message: str
    count: int
    lines: tuple[int, ...] = ()
    examples: tuple[str, ...] = ()
    stops: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        lists = {"lines": list(self.lines), "examples": list(self.examples)}
        return {"kind": self.kind, "message": self.message, "count": self.count, **lists, "stops": self.stops}


@dataclass(frozen=True, eq=False)
class Case:
    """What the checks look at.

    Attributes:
        lines: the submission's.
        truth: the relevant documents of each judged id.
        depth: how many results of a line count; None for all.
        refuses_unknown: whether an id that is not judged is an error.
    """

    lines: Sequence[Line]
    truth: dict[bytes, frozenset[bytes]]
    depth: int | None
    refuses_unknown: bool

    @property
    def readable(self) -> list[Line]:
        """The lines with an id and something that was answered."""
        return [line for line in self.lines if not line.fault]

    @cached_property
    def answers(self) -> dict[bytes, list[Line]]:
        """The lines that answer each judged id; none for a missing one."""
        lines: dict[bytes, list[Line]] = {query: [] for query in self.truth}
        for line in self.readable:
            if line.query in lines:
                lines[line.query].append(line)
        return lines

    def stops_at(self, line: Line) -> bool:
        """Whether the official code cannot go through the results; without relevant documents it never tries."""
        return not isinstance(line.answer, list | str) and bool(self.truth.get(line.query or b""))


Check = Callable[[Case], Finding | None]
Place = tuple[int | None, str]


def findings(case: Case) -> tuple[Finding, ...]:
    """All that there is to say against a submission, the worst first."""
    return tuple(finding for check in CHECKS if (finding := check(case)))


STOPS = message("the official code stops there")


def empty(case: Case) -> Finding | None:
    """Nothing at all: the official mean divides by zero."""
    text = message("There is no line in it, and the official code divides by zero.")
    return None if case.lines else Finding("empty", text, 1, stops=True)


def unreadable(case: Case) -> Finding | None:
    """Lines without an id or results."""
    places: list[Place] = [(line.number, line.fault) for line in case.lines if line.fault]

    def say(n: int, where: Message) -> Message:
        return plural(
            "{n:,} line cannot be read ({effect}): {where}.",
            "{n:,} lines cannot be read ({effect}): {where}.",
            n=n,
            effect=STOPS,
            where=where,
        )

    return _told("unreadable", say, places, stops=True)


def unknown_ids(case: Case) -> Finding | None:
    """Lines with an id that is not judged."""
    places: list[Place] = [
        (x.number, truncated(x.query or b"")) for x in case.readable if x.query not in case.truth
    ]
    left_out = message("left out")
    refused = message("the official code stops there; --set extra=skip leaves them out")

    def say(n: int, where: Message) -> Message:
        return plural(
            "{n:,} line with an id that is unknown to the truth ({effect}): {where}.",
            "{n:,} lines with an id that is unknown to the truth ({effect}): {where}.",
            n=n,
            effect=refused if case.refuses_unknown else left_out,
            where=where,
        )

    return _told("unknown-id", say, places, stops=case.refuses_unknown)


def impossible_types(case: Case) -> Finding | None:
    """Results that the official code cannot go through."""
    places: list[Place] = [(x.number, _type_fault(x)) for x in case.readable if case.stops_at(x)]
    return _told("wrong-type", lambda n, where: _of_a_wrong_type(n, STOPS, where), places, stops=True)


def wrong_types(case: Case) -> Finding | None:
    """Results that are no list, and lists that hold something else than ids as the truth has them."""
    faults = [(line.number, _type_fault(line)) for line in case.readable if not case.stops_at(line)]
    places: list[Place] = [(number, fault) for number, fault in faults if fault]
    effect = message("officially read as they are; strictly what is no list scores 0")
    return _told("wrong-type", lambda n, where: _of_a_wrong_type(n, effect, where), places)


def _of_a_wrong_type(n: int, effect: Message, where: Message) -> Message:
    return plural(
        "{n:,} line with results of a wrong type ({effect}): {where}.",
        "{n:,} lines with results of a wrong type ({effect}): {where}.",
        n=n,
        effect=effect,
        where=where,
    )


def _type_fault(line: Line) -> str:
    if isinstance(line.answer, str):
        return message("the text {text}, whose letters count as results", text=short(line.answer))
    if not line.is_list:
        return message("{value} instead of a list", value=short(line.answer))
    odd = next((value for value in line.answer if not is_id(value)), line)
    if odd is not line:
        return message("{value} among the results", value=short(odd))
    for value in line.strange:
        if type(value) is int:
            return message("{value} among the results, where the truth has text", value=short(value))
        return message("{value} among the results, where the truth has numbers", value=short(value))
    return ""


def missing_ids(case: Case) -> Finding | None:
    """Judged ids without a line."""
    places: list[Place] = [(None, truncated(query)) for query, lines in case.answers.items() if not lines]

    def say(n: int, where: Message) -> Message:
        return plural(
            "{n:,} judged id missing (officially left out, strictly 0): {where}.",
            "{n:,} judged ids missing (officially left out, strictly 0): {where}.",
            n=n,
            where=where,
        )

    return _told("missing-id", say, places)


def repeated_lines(case: Case) -> Finding | None:
    """Ids that several lines answer."""
    places: list[Place] = []
    repeats: list[int] = []
    for query, lines in case.answers.items():
        if len(lines) > 1:
            numbers = [str(line.number) for line in lines[:EXAMPLES]] + ["…"][: len(lines) > EXAMPLES]
            places.append(
                (None, message("{id} in lines {numbers}", id=truncated(query), numbers=", ".join(numbers)))
            )
            repeats += [line.number for line in lines]

    def say(n: int, where: Message) -> Message:
        return plural(
            "{n:,} id answered by repeated lines (officially each line counts, strictly the id scores 0): {where}.",
            "{n:,} ids answered by repeated lines "
            "(officially each line counts, strictly the id scores 0): {where}.",
            n=n,
            where=where,
        )

    return _told("repeated-line", say, places, lines=repeats)


def repeated_docs(case: Case) -> Finding | None:
    """Lines with a document twice."""
    places: list[Place] = []
    for line in case.readable:
        again = ((doc, count) for doc, count in line.counts.items() if count > 1)
        named = [
            message("{doc} {n} times", doc=truncated(as_bytes(doc)), n=count)
            for doc, count in islice(again, EXAMPLES)
        ]
        places += [(line.number, joined(", ", named))] if named else []

    def say(n: int, where: Message) -> Message:
        return plural(
            "{n:,} line with a repeated document (officially each time counts, strictly once): {where}.",
            "{n:,} lines with a repeated document (officially each time counts, strictly once): {where}.",
            n=n,
            where=where,
        )

    return _told("repeated-document", say, places)


def too_many(case: Case) -> Finding | None:
    """Lines with more results than count."""
    depth = case.depth
    if depth is None:
        return None
    places: list[Place] = [
        (line.number, message("{n:,} results", n=len(line.results)))
        for line in case.readable
        if line.is_list and len(line.results) > depth
    ]
    words = {1: message("one result"), 3: message("three results")}
    most = words.get(depth, message("{n:,} results", n=depth))

    def say(n: int, where: Message) -> Message:
        return plural(
            "{n:,} line with more than {most} (the first {depth} count): {where}.",
            "{n:,} lines with more than {most} (the first {depth} count): {where}.",
            n=n,
            most=most,
            depth=depth,
            where=where,
        )

    return _told("too-many", say, places)


CHECKS: tuple[Check, ...] = (
    empty,
    unreadable,
    unknown_ids,
    impossible_types,
    wrong_types,
    missing_ids,
    repeated_lines,
    repeated_docs,
    too_many,
)


def _told(
    kind: str,
    say: Callable[[int, Message], Message],
    places: list[Place],
    *,
    stops: bool = False,
    lines: Sequence[int] = (),
) -> Finding | None:
    """The finding in words, if there is anything to tell; `lines` where the places do not name them."""
    if not places:
        return None
    examples = [
        words if number is None else message("line {line}: {what}", line=number, what=words)
        for number, words in places[:EXAMPLES]
    ]
    more = ["…"] if len(places) > EXAMPLES else []
    said = say(len(places), joined("; ", [*examples, *more]))
    numbers = tuple(lines or (number for number, _ in places if number is not None))[:EXAMPLES]
    return Finding(kind, said, len(places), numbers, tuple(examples), stops)
