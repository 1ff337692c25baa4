"""The readers of measures, each by the one thing that it is: how likely it goes on.

A reader that is here can be asked by all of `expectations`, whatever its measure is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.cascade import unit_gain
from truerank.measures.cwl import continuations as on
from truerank.measures.cwl.walks import Continuation, Reader
from truerank.measures.parameters import Cost
from truerank.measures.sums import Floats
from truerank.measures.terms import Quantity, Terms, Words, per_row, wholes

UnitGain = Literal["graded", "binary"]
"""What a document brings: its grade by the highest, or 1 from the level on."""


def reader(
    goes_on: Continuation,
    *,
    gain: str = "binary",
    level: float = 1,
    max_grade: float | None = None,
    k: int | None = None,
    cost: Cost = 1.0,
    depth: int | None = None,
) -> Reader:
    """Who goes on so, and takes documents to be worth so much."""

    def worth(hits: Hits) -> Floats:
        return unit_gain(hits, gain, level, max_grade)

    return Reader(goes_on, worth, k, cost, max_grade, depth)


def _to_the_end(k: int, level: float, divisor: str) -> Reader:
    if divisor != "k":
        raise MeasureError("P(divisor={divisor!r}) has no model of a reader; P@{k} has", divisor=divisor, k=k)
    return reader(on.always, level=level, k=k)


READERS: dict[str, Callable[..., Reader]] = {
    "P": _to_the_end,
    "RR": lambda k, level: reader(on.until_found, level=level, k=k),
    "RBP": lambda k, p, **given: reader(on.steadily(p), depth=k, **given),  # one who reads on where RBP@k ends
    "SDCG": lambda k, **given: reader(on.logarithmic(k), k=k, **given),
    "INSQ": lambda T, **given: reader(on.by_square(2.0 * T), **given),
    "INST": lambda T, **given: reader(on.towards(T), **given),
    "BPM": lambda T, K, hb, hc, median, **given: reader(on.within(T, K, hb, hc, median), **given),
    "TBG": lambda halflife, **given: reader(on.half_life(halflife), **given),
    "U": lambda L, **given: reader(on.while_left(L), **given),
    "NERR8": lambda **given: reader(on.until_satisfied(on.always), **given),
    "NERR9": lambda k, **given: reader(on.until_satisfied(on.reciprocal(k)), k=k, **given),
    "NERR10": lambda p, **given: reader(on.until_satisfied(on.steadily(p)), **given),
    "NERR11": lambda T, **given: reader(on.until_satisfied(on.by_square(2.0 * T)), **given),
}
"""{the measure's name: a function from its parameters to its reader}."""


def found(hits: Hits, name: str, **params: Any) -> Terms:
    """What is found a document read: each gain with the chance that it is seen, by how many documents are."""
    walk = READERS[name](**params).walk(hits)

    def words() -> Words:
        how = per_row("{} × {}", wholes(walk.gain), walk.reaching)
        read = Quantity("ED", message("documents that are read, on average"), walk.items)
        return Words(message("gain × chance that it is read"), how, read, "ETU", listed=walk.gain)

    return Terms(walk.rows, walk.reaching * walk.gain, walk.items, words)
