"""How a measure is worked out on paper: terms that are added up, then lines of which the last is the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from truerank.analysis.explain.worked.case import Hit
from truerank.core.hits import UNJUDGED
from truerank.core.messages import Message, message
from truerank.core.presented import finite
from truerank.measures.sums import quotient as quotient
from truerank.measures.terms import whole as whole


def figure(number: float, digits: int | None) -> str:
    """A number within a sum: whole ones as they are, others with this many digits.

    >>> figure(3, 2), figure(2 / 3, 2), figure(0.1, None)
    ('3', '0.67', '0.1')
    """
    if isinstance(number, int):
        return str(number)
    return repr(number) if digits is None else f"{number:.{digits}f}"


def filled(how: str, numbers: Iterable[float], digits: int | None) -> str:
    """Arithmetic with its numbers in the places of {}; words with them in those of {a}, {b} and so on."""
    figures = [figure(number, digits) for number in numbers]
    if not isinstance(how, Message):
        return how.format(*figures)
    return Message(how.text, how.many, {**how.values, **dict(zip("abcd", figures, strict=False))})


@dataclass(frozen=True)
class Line:
    """A step: what is worked out, how, and what it comes to.

    Attributes:
        name: "R", "Σ", or the measure.
        how: arithmetic with {} where the numbers stand, or a message that calls them {a}, {b} and so on.
        value: what it comes to.
        numbers: what stands in the braces.

    >>> Line("P@5", "{} / {}", 0.4, (2, 5)).text()
    '2 / 5'
    """

    name: str
    how: str
    value: float
    numbers: tuple[float, ...] = ()

    def text(self, digits: int | None = None) -> str:
        """How, with the numbers filled in."""
        return filled(self.how, self.numbers, digits)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"name": self.name, "how": self.text(), "value": finite(self.value)}


class Step(NamedTuple):
    """What a document adds, and how that comes about."""

    hit: Hit
    how: str
    numbers: tuple[float, ...]
    value: float


@dataclass(frozen=True)
class Term:
    """What one document adds to a sum.

    Attributes:
        rank: where it stands; None where it was not returned.
        doc, grade: the document; None where it is unjudged.
        how, numbers: the arithmetic, as in a `Line`.
        value: what it comes to.
        total: the sum so far.
        share: what it adds to the measure itself; None where the measure is no sum.
    """

    rank: int | None
    doc: str
    grade: float | None
    how: str
    numbers: tuple[float, ...]
    value: float
    total: float
    share: float | None = None

    def text(self, digits: int | None = None) -> str:
        """How, with the numbers filled in."""
        return filled(self.how, self.numbers, digits)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        given = {name: getattr(self, name) for name in ("rank", "doc", "grade", "value", "total", "share")}
        return {**given, "how": self.text()}


@dataclass(frozen=True)
class Sum:
    """Terms that are added from left to right.

    Attributes:
        name: what the sum is called in the lines below it.
        of: what each term is.
        terms: by rank; those of documents that were not returned last.
        is_added: False where the terms are only looked at.
    """

    name: str
    of: str
    terms: tuple[Term, ...]
    is_added: bool = True

    @property
    def value(self) -> float:
        """What the terms come to."""
        return self.terms[-1].total if self.terms else 0.0

    def shared(self, share: Callable[[float], float]) -> Sum:
        """This sum, with what each term adds to the measure noted in it: a function of the term's value."""
        return replace(self, terms=tuple(replace(term, share=share(term.value)) for term in self.terms))

    def over(self, divisor: float) -> Sum:
        """This sum, with what each term adds to a measure that is the sum divided by a number."""
        return self.shared(lambda value: quotient(value, divisor))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        terms = [term.to_dict() for term in self.terms]
        return {"name": self.name, "of": self.of, "terms": terms, "value": self.value, "is_added": self.is_added}


@dataclass(frozen=True)
class Worked:
    """A measure worked out for one query.

    Attributes:
        sums: what is added up first; the first one is over what was returned.
        lines: the steps to the result, which is the last.
        is_derived: False where only the inputs can be shown.
    """

    sums: tuple[Sum, ...]
    lines: tuple[Line, ...]
    is_derived: bool = True

    @property
    def value(self) -> float:
        """The result."""
        return float(self.lines[-1].value)

    @cached_property
    def shares(self) -> dict[str, float]:
        """What each document adds to the measure, where that is a sum."""
        added: dict[str, float] = {}
        for term in self.sums[0].terms if self.sums else ():
            if term.share is not None:
                added[term.doc] = added.get(term.doc, 0.0) + term.share
        return added

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        sums, lines = [part.to_dict() for part in self.sums], [line.to_dict() for line in self.lines]
        return {"sums": sums, "lines": lines, "is_derived": self.is_derived}


def divided(name: str, top: float, bottom: float) -> Line:
    """The line of a quotient."""
    how = "{} / {}" if bottom else message("0, as there is nothing to divide by")
    return Line(name, how, quotient(top, bottom), (top, bottom) if bottom else ())


def added(name: str, of: str, steps: Iterable[Step], lost: Iterable[Hit] = ()) -> Sum:
    """The sum of what documents add, from left to right; those that are lost add nothing."""
    terms, total = [], 0.0
    for hit, how, numbers, value in steps:
        total += value
        grade = None if hit.grade == UNJUDGED else hit.grade
        terms.append(Term(hit.rank, hit.doc, grade, how, numbers, value, total))
    terms += [Term(None, hit.doc, hit.grade, LOST, (), 0.0, total) for hit in lost]
    return Sum(name, of, tuple(terms))


LOST = message("not found")
