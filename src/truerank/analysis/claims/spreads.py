"""How much the difference of two systems usually varies from query to query, measured by benchmarks/spreads.py.

For each measure 10 %, 50 % and 90 % of the pairs of systems lie below: from two settings of one system to systems
that have nothing in common. docs/claims.md has the table, and the collections.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from truerank.core.errors import MeasureError
from truerank.measures import Measure, known_measure, parse_measure


@dataclass(frozen=True)
class Spread:
    """Standard deviations of differences: of what range they usually are."""

    low: float
    middle: float
    high: float


USUAL = {
    "nDCG@10": Spread(0.03, 0.25, 0.32),
    "AP": Spread(0.08, 0.16, 0.32),
    "RR": Spread(0.10, 0.41, 0.48),
    "P@10": Spread(0.02, 0.16, 0.28),
    "R@100": Spread(0.19, 0.23, 0.50),
    "Success@1": Spread(0.19, 0.53, 0.64),
    "Success@10": Spread(0.14, 0.39, 0.51),
}
ANY = Spread(0.02, 0.25, 0.64)
"""The spread of any other measure: from the least to the most of all that were measured."""

OF_ONE = Spread(0.27, 1.03, 1.26)
"""The same of all these measures, divided by the standard deviation of the values of one system."""


def usual(measure: str) -> Spread:
    """What is usual of a measure, however it is spelled and at whatever cutoff.

    Raises:
        MeasureError: it has no upper limit, or is compared on logarithms: spreads of shares say nothing of it.

    >>> usual("MAP") == USUAL["AP"], usual("hit@1") == USUAL["Success@1"], usual("BLEU") == ANY
    (True, True, True)
    """
    asked = measure_of(measure)
    if is_unbounded(measure):
        raise MeasureError(
            "no usual standard deviation of {name} is known: give one (sd), or runs that have one",
            name=asked or measure,
        )
    if asked is None:
        return ANY
    alike = [key for key in USUAL if parse_measure(key).definition.name == asked.definition.name]
    return USUAL[str(asked)] if str(asked) in USUAL else USUAL[alike[0]] if alike else ANY


UNBOUNDED = (
    *("DCG", "IDCG", "SessionDCG", "alpha_DCG", "Utility", "Hits", "Novelty", "Popularity", "Entropy"),
    *("FirstRank", "MeanRank", "ARP", "FirstComplete", "ETU", "ED", "EC", "ETC"),
)
"""Gains, counts, ranks and costs, which have no upper limit: a mean above 1 is no percentage."""

AT_ONE = ("P", "RR", "Hits")
"""Measures that with a cutoff of 1 ask whether the first result is relevant: each is Success@1."""

RANKS = ("rank", "meanrank", "meanr", "mnr", "medianrank", "medianr", "medr", "mdr", "firstrank", "arp")
"""What headings of ranks, of which less is better, end in where they have no cutoff."""

OTHERS = ("latency", "ms", "time", "qps", "throughput", "params", "parameters", "dim", "dims", "size", "pvalue")
"""What headings of times, sizes and tests begin with, or end in."""

_ARROW = re.compile(r"\(?(?:[↑↓]|\\(?:up|down)arrow\b)\)?")


def is_unbounded(heading: str) -> bool:
    """Whether a column is of numbers without an upper limit, or of geometric means, whose logarithms have none.

    >>> [is_unbounded(heading) for heading in ("MeanRank@10", "Median Rank", "GMAP", "nDCG@10", "Rank 1")]
    [True, True, True, False, False]
    >>> [is_unbounded(heading) for heading in ("Latency (ms)", "p-value", "Params (M)", "Accuracy")]
    [True, True, True, False]
    """
    asked = measure_of(heading)
    if asked is None:
        words = _words(heading)
        return _is_rank(heading) or any(word in OTHERS for word in (*words[:1], *words[-1:]))
    return asked.name in UNBOUNDED or asked.definition.average == "geometric"


def is_less_better(heading: str) -> bool:
    """Whether the lower mean of a column is the better one.

    >>> [is_less_better(heading) for heading in ("MeanRank@10", "MdR", "EPE ↓", "nDCG@10 ↑")]
    [True, True, True, False]
    """
    if arrow := _ARROW.search(heading):
        return "↓" in arrow[0] or "down" in arrow[0]
    asked = measure_of(heading)
    return _is_rank(heading) if asked is None else asked.definition.lower_is_better


def _is_rank(heading: str) -> bool:
    words = _words(heading)
    return bool(words) and words[-1] in RANKS


def _words(heading: str) -> list[str]:
    return re.findall(r"\w+", _ARROW.sub("", heading).lower().replace("-", ""))


def measure_of(heading: str) -> Measure | None:
    """The measure that a column is headed by, alone or beside the name of a collection; None where there is none.

    >>> [str(measure_of(heading)) for heading in ("MRR@10", "MS MARCO nDCG@10↑", "R@1k #2", "P@1", "BLEU")]
    ['RR@10', 'nDCG@10', 'R@1000', 'Success@1', 'None']
    """
    bare = _ARROW.sub("", heading).strip()
    spelled = (re.sub(r"@(\d+)k\b", r"@\g<1>000", words) for words in (bare, *reversed(bare.split())))
    named = next(filter(None, map(known_measure, spelled)), None)
    is_first = named is not None and named.name in AT_ONE and dict(named.params).get("k") == 1
    return parse_measure("Success@1") if is_first else named
