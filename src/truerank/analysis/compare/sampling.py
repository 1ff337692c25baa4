"""How the queries that people judged were chosen: what is claimed, and what speaks against it."""

from __future__ import annotations

import math
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank import stats
from truerank.analysis.compare.slices import read_attribute
from truerank.core.errors import InputError, some, truncated
from truerank.core.ids import natural
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import joined, message, plural
from truerank.measures.sums import Floats
from truerank.stats.distributions import normal_below

RANDOM = "random"
"""What a sample is where it has no probabilities."""

COLUMN = "probability"
"""What the column of these is called."""

RARE = 0.01
"""A sample that differs as much from the other queries less often than this is not taken for random in silence."""

FIRST = 5
"""Queries that a message names."""

SAY_HOW = message(
    "how were the queries chosen that people judged? Say sample = random (--sample random) if chance alone chose "
    "them, or give each query's probability of being judged (--sample FILE); else nothing follows for the others"
)


@dataclass(frozen=True)
class Sign:
    """Something that a random sample of queries seldom shows.

    Attributes:
        what: a measure; "order", of the ids; or "size", of the sample.
        p: how often it would.
        judged, others: the mean by the model on the queries that people judged, and on the others; of the order
            the mean place, from 0 to 1; of the size how many are judged, and how many these probabilities expect.
        first: of the order, whether the judged are the first ones.
    """

    what: str
    p: float
    judged: float
    others: float
    first: bool = False


def signs_of(
    queries: Sequence[str],
    places: NDArray[np.intp],
    probability: Floats | None,
    by_model: Mapping[str, Floats],
) -> tuple[Sign, ...]:
    """What speaks against the queries at these places being the sample that they are said to be.

    Args:
        by_model: {measure: (queries,) the model's values}.
    """
    rest = np.setdiff1d(np.arange(len(queries)), places)
    if not len(rest):
        return ()
    place = np.empty(len(queries))
    place[sorted(range(len(place)), key=lambda i: natural(as_bytes(queries[i])))] = np.linspace(0, 1, len(place))
    values = {"order": place, **by_model}
    p = np.minimum(1, stats.selection(np.column_stack(list(values.values())), places, probability))
    is_first = bool(place[places].max() < place[rest].min())
    if is_first and probability is None:
        p[0] = min(p[0], 1 / math.comb(len(place), len(rest)))
    signs = [
        Sign(what, one, float(column[places].mean()), float(column[rest].mean()), what == "order" and is_first)
        for (what, column), one in zip(values.items(), p.tolist(), strict=True)
    ]
    if probability is not None:
        signs.insert(0, _size(len(places), probability))
    return tuple(sign for sign in signs if sign.p * len(signs) <= RARE)


def _size(judged: int, probability: Floats) -> Sign:
    """How often so many queries, or as far from as many as expected, are drawn independently of one another."""
    expected, spread = float(probability.sum()), float((probability * (1 - probability)).sum()) ** 0.5
    beyond = max(abs(judged - expected) - 1, 0.0)
    return Sign("size", 2 * float(normal_below(-beyond / spread)) if beyond else 1.0, judged, expected)


def probabilities(sample: Any, queries: Sequence[str], judged: Container[str]) -> Floats | None:
    """(queries,) how likely each was to be judged; None for a random sample.

    Raises:
        InputError: a query has none, or one that is no probability, or 1 although it is not judged.
    """
    if isinstance(sample, str) and sample == RANDOM:
        return None
    if not isinstance(sample, Mapping | str | os.PathLike):
        raise InputError(SAY_HOW)
    given = sample if isinstance(sample, Mapping) else read_attribute(sample, COLUMN)
    where = None if isinstance(sample, Mapping) else str(sample)
    by_query = {str(query): value for query, value in given.items()}
    without = [query for query in queries if query not in by_query]
    if without:
        raise InputError(
            plural(
                "{n:,} query has no probability ({names}); each that the model judged needs its own",
                "{n:,} queries have no probability ({names}); each that the model judged needs its own",
                n=len(without),
                names=some(without, FIRST),
            ),
            where,
        )
    chances = {query: _probability(query, by_query[query], where) for query in queries}
    if sure := [query for query, number in chances.items() if number == 1 and query not in judged]:
        raise InputError(
            plural(
                "{n:,} query has the probability 1, and people did not judge it ({names})",
                "{n:,} queries have the probability 1, and people did not judge them ({names})",
                n=len(sure),
                names=some(sure, FIRST),
            ),
            where,
        )
    return np.array(list(chances.values()))


def _probability(query: str, value: Any, where: str | None) -> float:
    from truerank.truth.values import number  # imports all rules of truth, which are rarely needed

    try:
        chance = number(value)
    except (TypeError, ValueError):
        chance = math.nan
    if 0 < chance <= 1:
        return chance
    why = message("the probability of query {query} is {value!r}", query=truncated(query), value=value)
    now = message("it is above 0 and up to 1, and a query that could not be judged is no part of the sample")
    raise InputError(joined(": ", [why, now]), where)
