"""Documents are as relevant as they were clicked more often than their ranks are."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.core.equal import are_equal
from truerank.core.errors import InputError, RulesError
from truerank.core.messages import message
from truerank.core.schema import is_number
from truerank.formats.names import CLICK_RATE
from truerank.truth.clicks import Clicks, click_rates, read_clicks
from truerank.truth.notes import TruthNote
from truerank.truth.rank_tables import by_rank
from truerank.truth.registry import rule
from truerank.truth.result import Truth

CALLED = message("click rate"), message("click rates")
"""What one is called, and several."""


@rule("coec", read=read_clicks, is_alone=True)
def coec(
    queries: Clicks,
    references: None,
    *,
    smoothing: float = 1.0,
    impressions: int = 10,
    rates: Any = None,
    cuts: tuple[float, ...] = (),
) -> Truth:
    """Clicks over expected clicks: how much more often a document was clicked than its ranks are.

    Each impression is expected to bring as many clicks as its rank has on average, so that a document is neither
    rewarded nor punished for where it was shown: 1 is as usual, 2 twice as often. Zhang and Jones (2007).

    Args:
        queries: a log of clicks, as `read_clicks` takes it, with the query of each impression.
        smoothing: clicks that are added to both sides: what was shown seldom stays near 1.
        impressions: pairs that were shown less often are not judged.
        rates: a table with the columns rank and rate, or {rank: rate}; by default those of the log itself.
        cuts: makes whole grades: how many of these the value reaches; (0.5, 1, 2) makes grades from 0 to 3.

    Raises:
        InputError: an impression without query; a rank that has no rate; no pair that was shown often enough.

    >>> from truerank import truth
    >>> log = [{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}] * 20 + [{"query": "r", "docs": ["a", "b"]}] * 20
    >>> qrels = truth.coec(log)
    >>> {doc: round(grade, 3) for doc, grade in qrels.to_dict()["q"].items()}
    {'a': 1.0, 'b': 1.909}
    """
    if not (
        is_number(smoothing) and smoothing >= 0 and is_number(impressions) and impressions >= 1 and _do_rise(cuts)
    ):
        raise RulesError("coec: smoothing is not negative, impressions is positive, cuts rise")
    expected = click_rates(queries) if rates is None else by_rank(rates, CLICK_RATE, *CALLED)
    counts = _counted(queries, expected)
    if not any(any(one.clicked) for one in queries.impressions):
        raise InputError("nothing was clicked, so that no document is more relevant than another", queries.name)
    kept = {pair: each for pair, each in sorted(counts.items()) if each[2] >= impressions}
    judged = {
        pair: (clicks + smoothing) / (expected_here + smoothing)
        for pair, (clicks, expected_here, _) in kept.items()
        if expected_here + smoothing > 0
    }
    if not judged:
        raise InputError(
            "no document was shown {n} times for a query, at ranks that are clicked", queries.name, n=impressions
        )
    grades = np.array(list(judged.values()))
    if cuts:
        each, cut = grades[:, None], np.array(cuts)
        grades = ((each > cut) | are_equal(each, cut)).sum(axis=1).astype(np.float64)
    said = message(
        "{n:,} of {pairs:,} pairs of a query and a document are judged: those shown at least {least:,} times; "
        "smoothed by {smoothing:g} expected clicks.",
        n=len(judged),
        pairs=len(counts),
        least=impressions,
        smoothing=smoothing,
    )
    by_query: dict[str, dict[str, float]] = {}
    for (query, doc), grade in zip(judged, grades.tolist(), strict=True):
        by_query.setdefault(query, {})[doc] = grade
    qrels = Truth.from_dict(by_query)
    assert isinstance(qrels, Truth)
    return replace(qrels, metres=np.full(len(grades), np.nan), notes=(TruthNote("clicks", said),))


def _counted(log: Clicks, rates: dict[int, float]) -> dict[tuple[str, str], tuple[int, float, int]]:
    """{(query, document): its clicks, the expected ones, and how often it was shown}, in whatever order it was."""
    clicks: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for one in log.impressions:
        if not one.query:
            raise log.error(one, message("the impression has no query"))
        for doc, rank, clicked in zip(one.docs, one.ranks, one.clicked, strict=True):
            if rank not in rates:
                raise log.error(
                    one, message("{doc} was shown at rank {rank}, which has no rate", doc=doc, rank=rank)
                )
            if clicked and not rates[rank]:
                said = message("{doc} was clicked at rank {rank}, whose rate is 0", doc=doc, rank=rank)
                raise log.error(one, said)
            clicks[one.query, doc] += clicked
            shown[one.query, doc][rank] += 1
    return {
        pair: (clicks[pair], math.fsum(n * rates[rank] for rank, n in ranks.items()), ranks.total())
        for pair, ranks in shown.items()
    }


def _do_rise(cuts: Any) -> bool:
    """Whether cuts are finite numbers, each above the one before."""
    if not isinstance(cuts, tuple | list) or not all(map(is_number, cuts)):
        return False
    return all(one < other for one, other in itertools.pairwise(cuts))
