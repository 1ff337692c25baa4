"""What the official code lets pass, each kind with its lines, its number and examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truerank.contest.submission import Line, is_id, short
from truerank.core._kernel import as_bytes
from truerank.core.errors import shown

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
        found: dict[bytes, list[Line]] = {query: [] for query in self.truth}
        for line in self.readable:
            if line.query in found:
                found[line.query].append(line)
        return found


Check = Callable[[Case], Finding | None]
Place = tuple[int | None, str]


def findings(case: Case) -> tuple[Finding, ...]:
    """All that there is to say against a submission, the worst first."""
    found = (check(case) for check in CHECKS)
    return tuple(finding for finding in found if finding)


def empty(case: Case) -> Finding | None:
    """Nothing at all: the official mean divides by zero."""
    text = "There is no line in it, and the official code divides by zero."
    return None if case.lines else Finding("empty", text, 1, stops=True)


def unreadable(case: Case) -> Finding | None:
    """Lines without an id or results."""
    places: list[Place] = [(line.number, line.fault) for line in case.lines if line.fault]
    return _told("unreadable", "{} line{s} cannot be read", places, "the official code stops there", stops=True)


def unknown_ids(case: Case) -> Finding | None:
    """Lines with an id that is not judged."""
    places: list[Place] = [(x.number, shown(x.query or b"")) for x in case.readable if x.query not in case.truth]
    stops = case.refuses_unknown
    effect = "the official code stops there; --set extra=skip leaves them out" if stops else "left out"
    return _told("unknown-id", "{} line{s} with an id that is unknown to the truth", places, effect, stops=stops)


def impossible_types(case: Case) -> Finding | None:
    """Results that the official code cannot go through."""
    places: list[Place] = [(x.number, _type_fault(x)) for x in case.readable if _stops(x, case)]
    effect = "the official code stops there"
    return _told("wrong-type", "{} line{s} with results of a wrong type", places, effect, stops=True)


def wrong_types(case: Case) -> Finding | None:
    """Results that are no list, and lists that hold something else than ids as the truth has them."""
    faults = [(line.number, _type_fault(line)) for line in case.readable if not _stops(line, case)]
    places: list[Place] = [(number, fault) for number, fault in faults if fault]
    effect = "officially read as they are; strictly what is no list scores 0"
    return _told("wrong-type", "{} line{s} with results of a wrong type", places, effect)


def _type_fault(line: Line) -> str:
    if isinstance(line.answer, str):
        return f"the text {short(line.answer)}, whose letters count as results"
    if not line.is_list:
        return f"{short(line.answer)} instead of a list"
    odd = next((value for value in line.answer if not is_id(value)), line)
    if odd is not line:
        return f"{short(odd)} among the results"
    for value in line.strange:
        other = "text" if type(value) is int else "numbers"
        return f"{short(value)} among the results, where the truth has {other}"
    return ""


def _stops(line: Line, case: Case) -> bool:
    """Whether the official code cannot go through the results; without relevant documents it never tries."""
    return not isinstance(line.answer, list | str) and bool(case.truth.get(line.query or b""))


def missing_ids(case: Case) -> Finding | None:
    """Judged ids without a line."""
    places: list[Place] = [(None, shown(query)) for query, lines in case.answers.items() if not lines]
    return _told("missing-id", "{} judged id{s} missing", places, "officially left out, strictly 0")


def repeated_lines(case: Case) -> Finding | None:
    """Ids that several lines answer."""
    places: list[Place] = []
    repeats: list[int] = []
    for query, lines in case.answers.items():
        if len(lines) > 1:
            numbers = [str(line.number) for line in lines[:EXAMPLES]] + ["…"][: len(lines) > EXAMPLES]
            places.append((None, f"{shown(query)} in lines {', '.join(numbers)}"))
            repeats += [line.number for line in lines]
    effect = "officially each line counts, strictly the id scores 0"
    return _told("repeated-line", "{} id{s} answered by repeated lines", places, effect, lines=repeats)


def repeated_docs(case: Case) -> Finding | None:
    """Lines with a document twice."""
    places: list[Place] = []
    for line in case.readable:
        again = [f"{shown(as_bytes(doc))} {count} times" for doc, count in line.counts.items() if count > 1]
        places += [(line.number, ", ".join(again[:EXAMPLES]))] if again else []
    effect = "officially each time counts, strictly once"
    return _told("repeated-document", "{} line{s} with a repeated document", places, effect)


def too_many(case: Case) -> Finding | None:
    """Lines with more results than count."""
    depth = case.depth
    if depth is None:
        return None
    places: list[Place] = [
        (line.number, f"{len(line.results):,} results")
        for line in case.readable
        if line.is_list and len(line.results) > depth
    ]
    many = {1: "one result", 3: "three results"}.get(depth, f"{depth} results")
    return _told("too-many", f"{{}} line{{s}} with more than {many}", places, f"the first {depth} count")


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
    text: str,
    places: list[Place],
    effect: str,
    *,
    stops: bool = False,
    lines: Sequence[int] = (),
) -> Finding | None:
    """The finding in words, if there is anything to tell; `lines` where the places do not name them."""
    if not places:
        return None
    examples = [words if number is None else f"line {number}: {words}" for number, words in places[:EXAMPLES]]
    more = ["…"] if len(places) > EXAMPLES else []
    what = text.format(f"{len(places):,}", s="" if len(places) == 1 else "s")
    message = f"{what} ({effect}): {'; '.join(examples + more)}."
    numbers = tuple(lines or (number for number, _ in places if number is not None))[:EXAMPLES]
    return Finding(kind, message, len(places), numbers, tuple(examples), stops)
