"""Fusion again: each norm and method as a loop over dicts, from its definition, for one query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, harmonic_mean, median, stdev
from typing import Any

List = dict[str, float]


def best_first(scores: List) -> list[str]:
    """Higher scores first; of equal ones the higher id."""
    return sorted(sorted(scores, key=str.encode, reverse=True), key=lambda doc: -scores[doc])


def normed(lists: Sequence[List], norm: str | None) -> list[List]:
    """The scores of each list, made comparable."""
    everything = set().union(*lists)
    return [_normed(one, norm, everything) for one in lists]


def _normed(one: List, norm: str | None, everything: set[str]) -> List:
    if norm is None or not one:
        return dict(one)
    docs, values = best_first(one), list(one.values())
    n, c = len(one), len(everything)
    low, high = min(values, default=0), max(values, default=0)
    if norm == "min-max":
        return {doc: (x - low) / (high - low) if high > low else 0.0 for doc, x in one.items()}
    if norm == "min-max-inverted":
        return {doc: (high - x) / (high - low) if high > low else 0.0 for doc, x in one.items()}
    if norm == "min-max-opensearch":
        return {doc: (x - low) / (high - low) or 0.001 if high > low else 1.0 for doc, x in one.items()}
    if norm == "max":
        return {doc: x / high if high else 0.0 for doc, x in one.items()}
    if norm == "sum":
        above = sum(x - low for x in values)
        return {doc: (x - low) / above if above else 0.0 for doc, x in one.items()}
    if norm == "zmuv":
        mean = sum(values) / n
        deviation = math.sqrt(sum((x - mean) ** 2 for x in values) / n) if high > low else 0.0
        return {doc: (x - mean) / deviation if deviation else 0.0 for doc, x in one.items()}
    if norm == "dbsf":
        deviation = stdev(values) if high > low else 0.0
        least = fmean(values) - 3 * deviation
        return {doc: (x - least) / (6 * deviation) if deviation else 0.5 for doc, x in one.items()}
    if norm == "l2":
        length = math.hypot(*values)
        return {doc: x / length if length else 0.0 for doc, x in one.items()}
    if norm == "rank":
        return {doc: 1 - place / n for place, doc in enumerate(docs)}
    assert norm == "borda"
    ranked = {doc: 1 - place / c for place, doc in enumerate(docs)}
    return {doc: ranked.get(doc, 0.5 - (n - 1) / (2 * c)) for doc in everything}


def fused(lists: Sequence[List], method: str, norm: str | None = None, **params: Any) -> List:
    """What a method makes of the lists that the runs have for a query."""
    scores = normed(lists, norm)
    order = [best_first({d: -x for d, x in one.items()} if norm == "min-max-inverted" else one) for one in lists]
    ranks = [{doc: place for place, doc in enumerate(docs, 1)} for docs in order]
    everything = set().union(*lists)
    if method in SCORES:
        return {
            d: SCORES[method]([(i, s[d]) for i, s in enumerate(scores) if d in s], **params) for d in everything
        }
    if method in RANKS:
        return {d: RANKS[method]([(i, r[d]) for i, r in enumerate(ranks) if d in r], **params) for d in everything}
    if method == "segfuse":
        edges = [0, *(10 * 2 ** (k - 1) - 5 for k in range(1, 11))]
        return {
            d: sum(
                params["probs"][i][sum(edge < r[d] for edge in edges) - 1] * (scores[i][d] + 1)
                for i, r in enumerate(ranks)
                if d in r
            )
            for d in everything
        }
    return WHOLE[method](ranks, everything, **params)


Found = list[tuple[int, float]]


def _sum(found: Found) -> float:
    return sum(x for _, x in found)


def _weighted(found: Found, weights: Sequence[float]) -> float:
    return sum(weights[i] * x for i, x in found)


def _above_nought(found: Found, weights: Sequence[float]) -> Found:
    """Weights and scores of those above 0, and not by rounding alone."""
    return [(weights[i], x) for i, x in found if x > 1e-12 and weights[i] > 0]


def _geometric_mean(found: Found, weights: Sequence[float]) -> float:
    some = _above_nought(found, weights)
    return math.prod(x ** (weight / sum(w for w, _ in some)) for weight, x in some) if some else 0.0


def _harmonic_mean(found: Found, weights: Sequence[float]) -> float:
    some = _above_nought(found, weights)
    return harmonic_mean([x for _, x in some], [weight for weight, _ in some]) if some else 0.0


SCORES: dict[str, Any] = {
    "sum": _sum,
    "mnz": lambda found: _sum(found) * len(found),
    "anz": lambda found: _sum(found) / len(found),
    "gmnz": lambda found, gamma: _sum(found) * len(found) ** gamma,
    "min": lambda found: min(x for _, x in found),
    "max": lambda found: max(x for _, x in found),
    "med": lambda found: median(x for _, x in found),
    "wsum": _weighted,
    "wmnz": lambda found, weights: _sum(found) * sum(weights[i] for i, _ in found),
    "geometric_mean": _geometric_mean,
    "harmonic_mean": _harmonic_mean,
    "mixed": lambda found, weights: _weighted(found, weights) * math.sqrt(len(found)),
}
RANKS: dict[str, Any] = {
    "rrf": lambda found, k=60: sum(1 / (k + r) for _, r in found),
    "w_rrf": lambda found, weights, k=60: sum(weights[i] / (k + r) for i, r in found),
    "isr": lambda found: sum(1 / r**2 for _, r in found) * len(found),
    "log_isr": lambda found: sum(1 / r**2 for _, r in found) * math.log(len(found)),
    "logn_isr": lambda found, sigma=0.01: sum(1 / r**2 for _, r in found) * math.log(len(found) + sigma),
    "rbc": lambda found, phi: sum((1 - phi) * phi ** (r - 1) for _, r in found),
    "mapfuse": lambda found, map_scores: sum(map_scores[i] / r for i, r in found),
    "posfuse": lambda found, probs: sum(probs[i][r - 1] for i, r in found if r <= len(probs[i])),
}


def _bordafuse(
    ranks: Sequence[dict[str, int]], everything: set[str], weights: Sequence[float] | None = None
) -> List:
    c = len(everything)
    points = [{d: c - r[d] + 1 if d in r else (c - len(r) + 1) / 2 for d in everything} for r in ranks]
    return {d: sum(w * p[d] for w, p in zip(weights or [1] * len(ranks), points, strict=True)) for d in everything}


def _condorcet(
    ranks: Sequence[dict[str, int]], everything: set[str], weights: Sequence[float] | None = None
) -> List:
    def votes(one: str, other: str) -> float:
        better = [r.get(one, math.inf) < r.get(other, math.inf) for r in ranks]
        return sum(w for w, is_better in zip(weights or [1] * len(ranks), better, strict=True) if is_better)

    def duel(one: str, other: str) -> int:
        mine, theirs = votes(one, other), votes(other, one)
        return 0 if math.isclose(mine, theirs, abs_tol=1e-12) else 1 if mine > theirs else -1

    return {d: (sum(duel(d, e) for e in everything if e != d) + len(everything) + 1) / 2 for d in everything}


def _bayesfuse(ranks: Sequence[dict[str, int]], everything: set[str], log_odds: Sequence[Sequence[float]]) -> List:
    least = math.log(0.001 / 0.999)
    return {
        d: sum(
            odds[r[d] - 1] if d in r and r[d] <= len(odds) else least
            for r, odds in zip(ranks, log_odds, strict=True)
        )
        for d in everything
    }


def _probfuse(ranks: Sequence[dict[str, int]], everything: set[str], probs: Sequence[Sequence[float]]) -> List:
    found = dict.fromkeys(everything, 0.0)
    for r, table in zip(ranks, probs, strict=True):
        size = math.ceil(len(r) / len(table))
        for doc, rank in r.items():
            part = (rank - 1) // size
            found[doc] += table[part] / (part + 1)
    return found


def _slidefuse(
    ranks: Sequence[dict[str, int]], everything: set[str], probs: Sequence[Sequence[float]], w: int
) -> List:
    found = dict.fromkeys(everything, 0.0)
    for r, table in zip(ranks, probs, strict=True):
        for doc, rank in r.items():
            a, b = max(rank - 1 - w, 0), min(rank - 1 + w, len(r) - 1)
            found[doc] += sum(table[a : b + 1]) / (b - a + 1)
    return found


WHOLE: dict[str, Any] = {
    "bordafuse": _bordafuse,
    "w_bordafuse": _bordafuse,
    "condorcet": _condorcet,
    "w_condorcet": _condorcet,
    "bayesfuse": _bayesfuse,
    "probfuse": _probfuse,
    "slidefuse": _slidefuse,
}
