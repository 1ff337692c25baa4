"""What a rank makes of a gain: the discounts of cumulated gain, which papers and tools define differently.

One relevant document at rank 1, with log_base=10, is worth 3.32 by "log2", and 1 by "jk" as Järvelin and Kekäläinen
have it.
"""

from __future__ import annotations

import math

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import joined, message
from truerank.measures.parameters import Discount
from truerank.measures.sums import Floats, Ints, log2, log2_of_whole
from truerank.measures.terms import PerRow, Terms, Words, per_row, wholes


def discounted(hits: Hits, worth: Floats, discount: Discount = "log2", log_base: float = 2) -> Floats:
    """(hits,) each gain with the discount of its rank."""
    if not isinstance(discount, str):
        return worth * listed(hits.rank, discount)
    if discount == "log2":
        of_rank = log2_discount(hits)
        return worth / (of_rank if log_base == 2 else of_rank / math.log2(log_base))
    return worth / divisors(hits.rank, discount, log_base)


def shown(hits: Hits, worth: Floats, discount: Discount, log_base: float) -> tuple[str, PerRow]:
    """What `discounted` does with a gain, after its name; and how it does it in a row."""
    log = f"log{log_base:g}"
    if not isinstance(discount, str):
        weight = listed(hits.rank, discount)
        return message("× weight of its rank"), per_row("{} × {}", wholes(worth), wholes(weight))
    if discount == "none":
        return message("without discount"), per_row("{}", wholes(worth))
    of, how, more = {
        "log2": (message("/ {log}(rank + 1)", log=log), f"{{}} / {log}({{}})", 1),
        "jk": (message("/ max({log}(rank), 1)", log=log), f"{{}} / max({log}({{}}), 1)", 0),
        "reciprocal": (message("/ rank"), "{} / {}", 0),
    }[discount]
    return of, per_row(how, wholes(worth), hits.rank + more)


def discounted_terms(
    hits: Hits, worth: Floats, name: str, discount: Discount = "log2", log_base: float = 2
) -> Terms:
    """What each document adds: its gain, of this name, with the discount of its rank."""

    def words() -> Words:
        of, how = shown(hits, worth, discount, log_base)
        return Words(joined(" ", [name, of]), how, listed=worth)

    return Terms(hits, discounted(hits, worth, discount, log_base), words=words)


def weights(ranks: Ints, discount: Discount, log_base: float) -> Floats:
    """(ranks,) what a gain of 1 is worth at each."""
    if not isinstance(discount, str):
        return listed(ranks, discount)
    if discount == "log2":
        return math.log2(log_base) / log2(ranks + 1)
    return 1.0 / divisors(ranks, discount, log_base)


def divisors(ranks: Ints, discount: str, log_base: float) -> Floats:
    """(ranks,) what a gain is divided by, by "jk", "reciprocal" or "none"."""
    if discount == "reciprocal":
        return ranks.astype(np.float64)
    if discount == "none":
        return np.ones(len(ranks))
    return np.maximum(log2(ranks) / math.log2(log_base), 1.0)


def listed(ranks: Ints, table: tuple[float, ...]) -> Floats:
    """(ranks,) the weights of a table, which has nothing for the ranks below its end."""
    return np.array([*table, 0.0], np.float64)[np.minimum(ranks - 1, len(table))]


def check_base(discount: Discount, log_base: float) -> None:
    """Refuse a base where no logarithm is taken.

    Raises:
        MeasureError: the discount has none.
    """
    if log_base != 2 and discount not in ("log2", "jk"):
        raise MeasureError(
            "log_base is for discount='log2' or 'jk'; discount={discount!r} takes no logarithm", discount=discount
        )


def log2_discount(hits: Hits) -> Floats:
    """(hits,) log2(rank + 1), by the C library: the same bits everywhere."""
    return hits.once("log2", lambda: log2_of_whole(hits.rank + 1))
