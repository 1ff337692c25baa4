"""What a run would score, by the clicks on lists that other systems returned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank import stats
from truerank.analysis.clicks.interleaving import groups_of, lists_of
from truerank.analysis.clicks.propensities import Propensities
from truerank.analysis.compare.naming import by_name
from truerank.analysis.drawing import checked_drawing
from truerank.core.errors import InputError, MeasureError, needs
from truerank.core.evaluate import evaluate
from truerank.core.messages import message
from truerank.core.presented import Presented
from truerank.core.rules import RulesLike
from truerank.core.run import RunLike
from truerank.core.schema import is_real, plain
from truerank.measures import Measure, parse_measures
from truerank.measures.sums import Ints, PerQuery
from truerank.stats import Interval
from truerank.truth.clicks import Clicks, read_clicks

ADDITIVE = ("DCG", "P", "RBP", "RR", "ARP")
"""Measures that are a sum over relevant documents of what their ranks are worth."""

OF_LISTS = {("divisor", "returned"), ("ties", "averaged")}
"""Parameters by which a document's worth depends on how long its list is, or on scores."""

USUAL = "DCG@10"


@dataclass(frozen=True)
class Estimate:
    """What a run would score, or how much more than another one.

    Attributes:
        run, measure: of what.
        against: the run that it is compared to; empty for the run's own score.
        ips: of an impression: the sum of what its relevant documents are worth at their ranks.
        snips: of a relevant document: what its rank is worth on average; None where nothing was clicked.
    """

    run: str
    measure: str
    against: str
    ips: Interval
    snips: Interval

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for limits that are not known."""
        return {**vars(self), "ips": self.ips.to_dict(), "snips": self.snips.to_dict()}


@dataclass(frozen=True, eq=False, repr=False)
class Ips(Presented):
    """What runs would score, by clicks that are weighted by how likely their ranks were looked at.

    Attributes:
        runs, measures: their names.
        estimates: of each run and measure.
        differences: of each run but the first, to the first one.
        impressions, clusters, clicks: how many there are.
        effective: how many clicks of equal weight tell as much (Kish 1965).
        largest: the largest weight, before it was clipped.
        clip: the most that a click weighs; None: there is no limit.
        clipped: how many clicks weighed more.
        propensities: where they come from.
        unanswered: {run: impressions of queries that it does not answer}: nothing counts as returned.
        unseen: {run: the share of its first `depth` documents that the log never showed for their query}.
        depth: of these.
        cluster: user, query or impression: what is resampled.
        confidence, samples, seed: of the intervals.
        name: of the log.
    """

    built_by = "ips"

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    differences: tuple[Estimate, ...]
    impressions: int
    clusters: int
    clicks: int
    effective: float
    largest: float
    clip: float | None
    clipped: int
    propensities: str
    unanswered: Mapping[str, int]
    unseen: Mapping[str, float]
    depth: int
    cluster: str
    confidence: float
    samples: int
    seed: int
    name: str

    def _summary(self) -> str:
        shown = ", ".join(f"{one.run} {one.measure}: {one.ips.estimate:.4f}" for one in self.estimates[:4])
        return f"Ips({self.name!r}, {self.impressions:,} impressions, {self.clicks:,} clicks; {shown})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            **{key: value for key, value in vars(self).items() if key not in ("estimates", "differences")},
            "runs": list(self.runs),
            "measures": list(self.measures),
            "unanswered": dict(self.unanswered),
            "unseen": dict(self.unseen),
            "estimates": [one.to_dict() for one in self.estimates],
            "differences": [one.to_dict() for one in self.differences],
        }


def ips(
    log: Any,
    runs: Mapping[str, RunLike] | Sequence[RunLike],
    measures: Any = USUAL,
    *,
    propensities: Any = None,
    eta: float | None = None,
    randomized: Any = None,
    clip: float | None = None,
    cluster: str | None = None,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    rules: RulesLike | None = None,
) -> Ips:
    """What would runs score, by the clicks that other rankings got?

    A click at rank r counts 1 / propensity of r times, which makes up for relevant documents that were not looked
    at: without bias where a click is a relevant document that was looked at, and every relevant one had a chance to
    be (IPS; Joachims, Swaminathan and Schnabel 2017). SNIPS divides by the sum of the weights (Swaminathan and
    Joachims 2015): less variance, and what a relevant document gets on average.

    Args:
        log: what `read_clicks` takes, with the query of each impression.
        runs: {name: run}, or several; each as for `evaluate`.
        measures: sums over relevant documents: DCG, P, RBP, RR (the sum of 1 / rank), ARP@k (that of ranks, k + 1
            for those not in the first k; SNIPS is the mean rank), with their parameters and cutoffs.
        propensities: {rank: how likely it is looked at}, or a table with the columns rank and propensity; or
        eta: they are rank ** −eta; or
        randomized: the log of lists in random order, whose click rates are propensities.
        clip: the most that a click weighs: less variance, and bias.
        cluster: "user", "query" or "impression", as for `interleaving`.
        rules: how the lists of runs are put in order, and how deep they are; of a repeated document the first
            rank counts.

    Raises:
        TruerankError: no clicks; a clicked rank without propensity, or with 0; a measure that is no such sum.

    >>> log = [{"query": "q", "docs": ["a", "b"], "clicks": [doc]} for doc in "aababaab"]
    >>> found = ips(log, {"new": {"q": ["b", "a"]}}, "P@1", eta=1)
    >>> found.estimates[0].ips.estimate, found.estimates[0].snips.estimate, round(found.effective, 3)
    (0.75, 0.5454545454545454, 7.118)
    """
    confidence, samples, seed = checked_drawing(confidence, samples, seed)
    if clip is not None and not (is_real(clip) and clip > 0):
        raise InputError("clip is a number above 0, not {clip!r}", clip=clip)
    clip = plain(clip)
    wanted = _additive(measures)
    clicks = read_clicks(log)
    chances = Propensities.of(propensities, eta, None if randomized is None else read_clicks(randomized))
    named = by_name(runs)
    lists = {name: lists_of(run, name, rules) for name, run in named.items()}
    weighed = _Weighed.of(clicks, chances, clip)
    for name, own in lists.items():
        _refuse_strangers(clicks, name, own)
    chosen, groups = groups_of(clicks.impressions, cluster, clicks)
    work = _Work(clicks, weighed, groups, confidence, samples, seed)
    sums = {(name, str(m)): work.sums(own, m) for m in wanted for name, own in lists.items()}
    first, depth = next(iter(named)), max([dict(m.params).get("k") or 10 for m in wanted])
    with needs(message("ips"), "stats"):
        estimates = tuple(work.estimate(name, m, "", top) for (name, m), top in sums.items())
        others = [(name, m, top) for (name, m), top in sums.items() if name != first]
        between = tuple(work.estimate(name, m, first, top - sums[first, m]) for name, m, top in others)
    return Ips(
        runs=tuple(named),
        measures=tuple(map(str, wanted)),
        estimates=estimates,
        differences=between,
        impressions=len(clicks),
        clusters=int(groups.max()) + 1,
        clicks=len(weighed.weight),
        effective=stats.effective_size(weighed.weight),
        largest=weighed.largest,
        clip=clip,
        clipped=weighed.clipped,
        propensities=chances.origin,
        unanswered={name: sum(one.query not in own for one in clicks.impressions) for name, own in lists.items()},
        unseen={name: _unseen(clicks, own, depth) for name, own in lists.items()},
        depth=depth,
        cluster=chosen,
        confidence=confidence,
        samples=samples,
        seed=seed,
        name=clicks.name,
    )


def _additive(measures: Any) -> tuple[Measure, ...]:
    parsed = tuple(parse_measures(measures))
    if not parsed:
        raise MeasureError("no measure is named; leave measures out for the default, or name some: nDCG@10 AP")
    for measure in parsed:
        if measure.definition.name not in ADDITIVE:
            raise MeasureError(
                "{measure} is no sum over relevant documents, which alone clicks can estimate; there is {known}",
                measure=str(measure),
                known=", ".join(ADDITIVE),
            )
        if OF_LISTS & dict(measure.params).items():
            raise MeasureError(
                "{measure} gives a document what depends on the rest of its list, which no click can estimate",
                measure=str(measure),
            )
        if not worths(measure, [1])[1]:
            raise MeasureError(
                "{measure} gives nothing for the grade 1, which is that of every click", measure=str(measure)
            )
    return parsed


def _refuse_strangers(log: Clicks, name: str, lists: Mapping[str, Sequence[str]]) -> None:
    """Raise where a run answers no query of the log."""
    if not any(one.query in lists for one in log.impressions):
        raise InputError(
            "no query of {log} is in the run: it answers {query!r} and so on, clicks are of {other!r} and so on",
            name,
            log=log.name,
            query=next(iter(lists), ""),
            other=log.impressions[0].query,
        )


def _unseen(log: Clicks, lists: Mapping[str, Sequence[str]], depth: int) -> float:
    """The share of a run's first documents that were never shown, over the queries of the log."""
    shown: dict[str, set[str]] = {}
    for one in log.impressions:
        shown.setdefault(one.query, set()).update(one.docs)
    first = [(query, doc) for query in shown for doc in lists.get(query, ())[:depth]]
    return sum(doc not in shown[query] for query, doc in first) / len(first) if first else 0.0


@dataclass(frozen=True, eq=False)
class _Weighed:
    """The clicks of a log: the impression, the document and the weight of each.

    Attributes:
        largest: the largest weight before it was clipped.
        clipped: how many weighed more than the clip.
    """

    impression: Ints
    doc: tuple[str, ...]
    weight: PerQuery
    largest: float
    clipped: int

    @classmethod
    def of(cls, log: Clicks, chances: Propensities, clip: float | None) -> _Weighed:
        rows = [
            (n, doc, 1 / chances.of_click(rank, one, log))
            for n, one in enumerate(log.impressions)
            for doc, rank, clicked in zip(one.docs, one.ranks, one.clicked, strict=True)
            if clicked
        ]
        if not rows:
            raise InputError("nothing was clicked, so that nothing can be estimated", log.name)
        impression, doc, weight = zip(*rows, strict=True)
        weights = np.array(weight)
        most = np.inf if clip is None else clip
        return cls(
            np.array(impression, np.int64),
            doc,
            np.minimum(weights, most),
            float(weights.max()),
            int(np.count_nonzero(weights > most)),
        )


@dataclass(frozen=True, eq=False)
class _Work:
    """Clicks with their weights, and how intervals are made."""

    log: Clicks
    clicks: _Weighed
    groups: Ints
    confidence: float
    samples: int
    seed: int

    def sums(self, lists: Mapping[str, Sequence[str]], measure: Measure) -> PerQuery:
        """(impressions,) the sum of weighted clicks, each times the worth of its document's first rank."""
        queries = [self.log.impressions[n].query for n in self.clicks.impression.tolist()]
        places: dict[str, dict[str, int]] = {query: {} for query in queries}
        for query, place in places.items():
            for rank, doc in enumerate(lists.get(query, ()), 1):
                place.setdefault(doc, rank)
        ranks = [places[query].get(doc, 0) for query, doc in zip(queries, self.clicks.doc, strict=True)]
        worth = worths(measure, set(ranks))
        values = self.clicks.weight * [worth[rank] for rank in ranks]
        return np.bincount(self.clicks.impression, values, len(self.log)).astype(np.float64)

    def estimate(self, run: str, measure: str, against: str, top: PerQuery) -> Estimate:
        """The estimates from these sums: per impression, and per relevant document."""
        over = np.bincount(self.groups, top)
        impressions = np.bincount(self.groups).astype(np.float64)
        weights = np.bincount(self.groups, np.bincount(self.clicks.impression, self.clicks.weight, len(self.log)))
        ips, snips = (
            stats.ratio_interval(
                over, under, confidence=self.confidence, resamples=self.samples, seed=self.seed, method="bca"
            )
            for under in (impressions, weights)
        )
        return Estimate(run, measure, against, ips, snips)


def worths(measure: Measure, ranks: Iterable[int]) -> dict[int, float]:
    """{rank: the value of a measure if the only relevant document is there}; rank 0: it was not returned.

    >>> from truerank import parse_measure
    >>> worths(parse_measure("DCG@2"), [0, 1, 3])
    {0: 0.0, 1: 1.0, 3: 0.0}
    """
    wanted = sorted(set(ranks))
    lists = {str(rank): [f"x{n}" for n in range(1, rank)] + (["d"] if rank else ["x"]) for rank in wanted}
    scores = evaluate({str(rank): {"d": 1} for rank in wanted}, lists, [measure])
    return {int(query): value for query, value in zip(scores.queries, scores[measure].tolist(), strict=True)}
