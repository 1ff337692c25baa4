"""The table of four counts, and the numbers that are made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from truerank.core.errors import InputError, TruerankError, quoted
from truerank.core.presented import Presented
from truerank.measures.sums import quotient

LARGEST = 10**30
"""The largest count: more pairs of a query and a document than there are, and well inside floating point."""


@dataclass(frozen=True)
class Confusion(Presented):
    """The four counts. A number whose denominator is 0 is 0; one that needs an unknown `tn` is None.

    Attributes:
        tp: relevant and retrieved.
        fp: retrieved, but not relevant.
        fn: relevant, but not retrieved.
        tn: neither; None where the number of documents is not known.

    >>> table = Confusion(tp=7, fp=13, fn=58, tn=922)
    >>> table.precision, table.accuracy, round(table.f1, 4)
    (0.35, 0.929, 0.1647)
    """

    built_by = "counts"

    tp: int
    fp: int
    fn: int
    tn: int | None = None

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "fn", "tn"):
            count = getattr(self, name)
            unknown = name == "tn" and count is None
            if not unknown and (type(count) is not int or not 0 <= count <= LARGEST):
                raise InputError(
                    "{name} is a count, a whole number from 0 to 10^30, not {count}", name=name, count=quoted(count)
                )

    @property
    def documents(self) -> int | None:
        """How many there are in all."""
        return None if self.tn is None else self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> float | None:
        """The share of the documents on which the system is right; where little is relevant, easily near 1."""
        return None if self.tn is None else quotient(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    @property
    def precision(self) -> float:
        """The share of what was retrieved that is relevant."""
        return quotient(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """The share of what is relevant that was retrieved."""
        return quotient(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> float | None:
        """The share of what is not relevant that was left alone."""
        return None if self.tn is None else quotient(self.tn, self.tn + self.fp)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self.f()

    def f(self, beta: float | None = None, *, alpha: float | None = None) -> float:
        """The weighted harmonic mean: by beta, how much more recall counts, or by the weight alpha on precision.

        F = 1 / (alpha / P + (1 - alpha) / R), beta² = (1 - alpha) / alpha (van Rijsbergen, 1979).

        >>> Confusion(5, 15, 9).f(beta=2) == Confusion(5, 15, 9).f(alpha=0.2)
        True
        """
        weight = weight_on_precision(beta, alpha)
        return quotient(self.tp, weight * (self.tp + self.fp) + (1 - weight) * (self.tp + self.fn))

    def to_dict(self) -> dict[str, Any]:
        """The counts and what is made of them, for JSON."""
        names = ("tp", "fp", "fn", "tn", "accuracy", "precision", "recall", "specificity", "f1")
        return {name: getattr(self, name) for name in names}

    def __add__(self, other: Confusion) -> Confusion:
        """The sums of the counts."""
        tn = None if self.tn is None or other.tn is None else self.tn + other.tn
        return Confusion(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, tn)


def counted(tp: int, returned: int, relevant: int, documents: int | None) -> Confusion:
    """The counts from the sizes of three sets; without the number of documents `tn` stays unknown.

    >>> counted(4, 6, 5, 200)
    Confusion(tp=4, fp=2, fn=1, tn=193)
    """
    confusion, known = Confusion(tp, returned - tp, relevant - tp), relevant + returned - tp
    if documents is not None and documents < known:
        raise InputError(
            "{known:,} are relevant or retrieved: there are more than {documents:,} documents",
            known=known,
            documents=documents,
        )
    return confusion if documents is None else replace(confusion, tn=documents - known)


def weight_on_precision(beta: float | None = None, alpha: float | None = None) -> float:
    """The weight alpha that a beta stands for; 1/2 for neither.

    >>> weight_on_precision(beta=2), weight_on_precision()
    (0.2, 0.5)
    """
    if beta is not None and alpha is not None:
        raise TruerankError("the weight is given by beta or by alpha, not by both")
    if alpha is not None:
        if not (is_finite(alpha) and 0 <= alpha <= 1):
            raise TruerankError("alpha is the weight on precision, from 0 to 1, not {alpha}", alpha=quoted(alpha))
        return float(alpha)
    beta = 1.0 if beta is None else beta
    if not (is_finite(beta) and beta >= 0):
        raise TruerankError("beta is a number from 0 on, not {beta}", beta=quoted(beta))
    return 1 / (1 + float(beta) * float(beta))


def is_finite(number: Any) -> bool:
    """Whether this is a finite number."""
    try:
        return math.isfinite(number)
    except (TypeError, OverflowError):
        return False
