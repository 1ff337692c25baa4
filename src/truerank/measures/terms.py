"""What a sum-type measure returns in place of values: its terms and its divisor.

The values follow from both, and so does the explanation: what each document adds, and what the sum is divided by.
The words of the explanation are a function, which evaluation never calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.sums import Floats, Ints, PerQuery, ratio

Numbers = Ints | Floats | float
"""(queries,) or the same for all of them."""

PerRow = Callable[[int], tuple[str, tuple[float, ...]]]
"""How the term of a row comes about: arithmetic with {} for numbers, or a message with {a}, {b}; the numbers."""


class Quantity(NamedTuple):
    """One number per query that a sum is divided by, or that has to be known to read its terms.

    Attributes:
        name: as the steps call it: "R".
        words: what it is, with {a}, {b} where the numbers stand.
        values: what it comes to.
        numbers: what stands in the braces.
        parts: the quantities that it is made of.
    """

    name: str
    words: str
    values: Numbers
    numbers: tuple[Numbers, ...] = ()
    parts: tuple[Quantity, ...] = ()


class Words(NamedTuple):
    """How an explanation reads a sum.

    Attributes:
        of: what a term is.
        how: how the term of a row comes about; None: by its value alone.
        divisor: what the sum is divided by; None: the number as it is given.
        name, words, numbers: what the sum is called in the steps, as in `Quantity`; empty: Σ, or without a divisor
            the measure's own name, which the last step has anyway.
        given: what has to be known first.
        lost_from: the relevant documents from this grade on that are not among the rows are listed too.
        listed: (hits,) rows where it is 0 are not listed; None: those whose term is 0.
        is_ideal: whether the rows are those of the ideal ranking.
    """

    of: str = message("its term")
    how: PerRow | None = None
    divisor: Quantity | None = None
    name: str = ""
    words: str = message("the sum")
    numbers: tuple[Numbers, ...] = ()
    given: tuple[Quantity, ...] = ()
    lost_from: float | None = None
    listed: Floats | None = None
    is_ideal: bool = False


class Terms(NamedTuple):
    """A measure that is a sum over documents, which may be divided by something.

    Attributes:
        hits: the rows that are summed over.
        values: (hits,) the term of each; None: each counts 1.
        divisor: what the sum is divided by, (queries,) or one number, or a sum; None: it is the value.
        words: how an explanation reads it; None: by the numbers alone.
    """

    hits: Hits
    values: Floats | Ints | None = None
    divisor: Numbers | Terms | None = None
    words: Callable[[], Words] | None = None

    @property
    def sums(self) -> Ints | Floats:
        """(queries,) the terms added from left to right, or how many there are."""
        return self.hits.count if self.values is None else self.hits.sum(self.values)

    @property
    def denominators(self) -> Numbers:
        """What the sums are divided by; 1 without a divisor."""
        if isinstance(self.divisor, Terms):
            return self.divisor.result
        return 1 if self.divisor is None else self.divisor

    @property
    def result(self) -> PerQuery:
        """(queries,) what the measure is."""
        if self.divisor is None:
            return self.sums.astype(np.float64, copy=False)
        return ratio(self.sums, self.denominators)

    @property
    def read(self) -> Words:
        """How an explanation reads it; a divisor without words is called by what it does."""
        if self.words is not None:
            return self.words()
        has_number = not isinstance(self.divisor, Terms) and self.divisor is not None
        return Words(
            divisor=Quantity(message("divisor"), message("what the sum is divided by"), self.denominators)
            if has_number
            else None
        )


def called(terms: Terms, over: Numbers | Terms | None = None, **names: Any) -> Terms:
    """This sum with other words to explain it, and with something that it is divided by.

    Args:
        names: fields of `Words`, in place of its own.
    """
    return Terms(terms.hits, terms.values, over, lambda: terms.read._replace(**names))


def per_row(text: str, *columns: Sequence[float] | Ints | Floats) -> PerRow:
    """One arithmetic expression, or message, filled in for each row with the row's number from each column."""
    return lambda row: (text, tuple(column[row] for column in columns))


def wholes(numbers: Floats) -> list[float]:
    """The numbers as they are written."""
    return list(map(whole, numbers))


def whole(number: float) -> float:
    """The number as it is written: 2.0 as 2."""
    return int(number) if float(number).is_integer() else float(number)


def count_of(
    words: str,
    *numbers: Numbers,
    divisor: Quantity | None = None,
    given: tuple[Quantity, ...] = (),
    lost_from: float | None = None,
) -> Words:
    """The words of a measure that counts rows, for instance "relevant among the first {a}" k."""
    return Words(message("counts"), lambda row: ("1", ()), divisor, "N", words, numbers, given, lost_from)


def relevant(total: Ints) -> Quantity:
    """How much there is to find."""
    return Quantity("R", message("relevant documents, found or not"), total)


def smaller(total: Quantity, k: int | Ints, name: str = "k") -> Quantity:
    """The smaller of a quantity and a number, which may be each query's own: min(R, k)."""
    least = np.minimum(total.values, k)
    return Quantity(
        f"min({total.name}, {name})", message("the smaller of {a} and {b}"), least, (total.values, k), (total,)
    )


def once_each(hits: Hits) -> Hits:
    """The rows, each document where it comes first: a rule may count its repeats too."""
    of_each = hits.query * (hits.doc.max(initial=0) + 1) + hits.doc
    ordered = np.sort(of_each)
    if not np.count_nonzero(ordered[1:] == ordered[:-1]):  # nearly always, and rows are not copied then
        return hits
    first = np.zeros(len(hits), bool)
    first[np.unique(of_each, return_index=True)[1]] = True
    return hits.where(first)
