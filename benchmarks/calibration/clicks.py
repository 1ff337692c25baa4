"""Interleaving's false alarms and intervals, and intervals of what clicks weighted by propensities estimate."""

from __future__ import annotations

import itertools
from functools import lru_cache, partial
from typing import Any

import numpy as np

from calibration.lines import COVERS, LEVEL, NO_MORE, Line, Section, rng_of
from truerank import stats
from truerank.analysis.clicks import interleaving

FEWER = 4
"""Logs are slow to make: one for so many of the collections of other lines."""

DOCS, SHOWN, RANKS = 10, 6, 10

METHODS = ("team-draft", "balanced", "probabilistic")


def log_of(rng: np.random.Generator, n: int, method: str, better: float, users: int) -> list[dict[str, Any]]:
    """Impressions of lists that two systems made; the first puts relevant documents higher where it is better."""
    bold = rng.choice([0.2, 1.8], users or 1)
    return [_impression(rng, method, better, int(rng.integers(users)) if users else None, bold) for _ in range(n)]


def _impression(
    rng: np.random.Generator, method: str, better: float, user: int | None, bold: np.ndarray
) -> dict[str, Any]:
    relevant = np.arange(DOCS) < 3
    lists = [np.argsort(rng.random(DOCS) - lift * relevant).tolist() for lift in (better, 0.0)]
    docs, teams = drawn(rng, lists, method)
    taste = 1.0 if user is None else float(bold[user])
    chance = np.minimum(taste * np.where(relevant[docs], 0.4, 0.1), 1.0) / np.arange(1, SHOWN + 1) ** 0.5
    clicks = [doc for doc, looked in zip(docs, rng.random(SHOWN) < chance, strict=True) if looked]
    own = {"a": lists[0], "b": lists[1]}
    return {"docs": docs, "systems": teams, "clicks": clicks, "rankings": own, "query": "q"} | (
        {} if user is None else {"user": user}
    )


def drawn(rng: np.random.Generator, lists: list[list[int]], method: str) -> tuple[list[int], list[str]]:
    """A list as the method makes it of two: in turns of both, or each rank's system by lot (probabilistic)."""
    docs: list[int] = []
    teams: list[int] = []
    first = int(rng.integers(2))
    at = [0, 0]
    while len(docs) < SHOWN:
        if method == "balanced":
            one = first if at[0] == at[1] else int(at[1] < at[0])
            doc = lists[one][at[one]]
            at[one] += 1
            if doc in docs:
                continue
        else:
            is_free = method == "probabilistic" or len(teams) % 2 == 0
            one = int(rng.integers(2)) if is_free else 1 - teams[-1]
            left = [(doc, place) for place, doc in enumerate(lists[one], 1) if doc not in docs]
            weights = (
                np.array([place**-3.0 for _, place in left]) if method == "probabilistic" else np.eye(len(left))[0]
            )
            doc = left[int(rng.choice(len(left), p=weights / weights.sum()))][0]
        docs.append(doc)
        teams.append(one)
    return docs, ["ab"[team] for team in teams]


@lru_cache
def truth_of(method: str, better: float) -> float:
    """Δ of very many impressions."""
    if not better:
        return 0.0
    log = log_of(np.random.default_rng(9), 20_000, method, better, 0)
    return interleaving(log, method, samples=1).pairs[0].delta.estimate


def of_interleaving(method: str, better: float, users: bool, n: int, collections: int) -> Line:
    """How often p says that there is a preference, and how often the interval of Δ has the true one."""
    rng, many = rng_of(f"{method} {better} {users}", n, 0), max(1, collections // FEWER)
    alarms = covered = 0
    for seed in range(many):
        log = log_of(rng, n, method, better, n // 4 if users else 0)
        pair = interleaving(log, method, samples=1000, seed=seed).pairs[0]
        alarms += pair.p <= LEVEL
        covered += pair.delta.low <= truth_of(method, better) <= pair.delta.high
    what = f"{method}{', users' if users else ''}{', one better' if better else ''}"
    shares = {"p ≤ 5 %": alarms / many, "Δ in interval": covered / many}
    return Line(what, n, shares, {"Δ in interval": COVERS} | ({} if better else {"p ≤ 5 %": NO_MORE}))


def of_weighted_clicks(eta: float, n: int, collections: int) -> Line:
    """Clicks on ten ranks that are looked at by a power law; a run puts the same documents in another order."""
    ranks = np.arange(1, RANKS + 1.0)
    relevant, looked = 0.5 * 0.8 ** (ranks - 1), ranks**-eta
    worth = 1 / np.log2(1 + np.random.default_rng(5).permutation(ranks))
    truths = float((relevant * worth).sum()), float((relevant * worth).sum() / relevant.sum())
    rng, held, effective = rng_of(f"eta {eta}", n, 0), [0, 0], 0.0
    many = max(1, collections // FEWER)
    for seed in range(many):
        clicks = (rng.random((n, RANKS)) < relevant) & (rng.random((n, RANKS)) < looked)
        weights = clicks / looked
        effective += stats.effective_size(weights) / many
        for way, under in enumerate((np.ones(n), weights.sum(axis=1))):
            top = (weights * worth).sum(axis=1)
            one = stats.ratio_interval(top, under, method="bca", resamples=1000, seed=seed)
            held[way] += one.low <= truths[way] <= one.high
    shares = {"IPS": held[0] / many, "SNIPS": held[1] / many}
    bands = {"IPS": COVERS} | ({"SNIPS": COVERS} if effective >= 100 else {})
    return Line(f"rank^−{eta:g}, {effective:.0f} effective clicks", n, shares, bands)


SECTIONS = (
    Section(
        "Clicks on interleaved lists",
        f"""\
Lists of {DOCS} documents by two systems, {SHOWN} of them shown; users click relevant documents more often, and
upper ranks. Both systems are as good, or one puts relevant documents higher; or each impression is one of n / 4
users, some of whom click nine times as often as others. One log for {FEWER} collections of the lines above, so that
chance moves each number by about ±1.4; n is how many impressions.""",
        (
            *(partial(of_interleaving, method, 0.0, False, n) for method in METHODS for n in (50, 200)),
            *(partial(of_interleaving, "team-draft", 0.0, True, n) for n in (50, 200)),
            *(partial(of_interleaving, "team-draft", 0.3, False, n) for n in (50, 200)),
        ),
        """\
Wins are whole numbers, so that the sign test raises fewer false alarms than it may. In the lines where one
system is better, p is how often that is found.""",
    ),
    Section(
        "Clicks weighted by propensities",
        f"""\
DCG of a run by clicks on another ranking, BCa intervals over impressions; n is their number. One log for
{FEWER} collections.""",
        (*(partial(of_weighted_clicks, *each) for each in itertools.product((0.5, 1.0), (100, 400))),),
        """\
SNIPS is a ratio, which few heavy clicks decide: with fewer than 100 effective clicks its interval holds the truth
too seldom, as in the line that has no band for it. `truerank ips` warns there.""",
    ),
)
