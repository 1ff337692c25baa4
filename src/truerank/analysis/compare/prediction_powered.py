"""People's judgements of some queries and a model's of all in; what people would have found on all, out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank import stats
from truerank.analysis.compare.sampling import COLUMN, FIRST, RANDOM, SAY_HOW, Sign, probabilities, signs_of
from truerank.analysis.drawing import check_confidence
from truerank.analysis.judged import are_aspects, grades, keys
from truerank.core.equal import difference
from truerank.core.errors import InputError, MeasureError, RulesError, needs, quoted, some
from truerank.core.evaluate import evaluate
from truerank.core.found import as_ruled
from truerank.core.means import ByMeasure
from truerank.core.messages import message, plural
from truerank.core.presented import Presented, finite
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import RunLike
from truerank.core.schema import is_whole
from truerank.core.scores import Scores, shared
from truerank.formats import read_qrels
from truerank.measures import Measure, MeasuresLike
from truerank.measures.sums import Floats, PerQuery
from truerank.stats import PredictedMean
from truerank.stats.predicted import Method


@dataclass(frozen=True, eq=False, repr=False)
class Predicted(Presented, ByMeasure[PredictedMean]):
    """What a run scores on all queries, of which people judged some and a model all: {measure: `PredictedMean`}.

    Attributes:
        people: the scores by people's judgements, of the judged queries.
        model: the scores by the model's, of all queries.
        places: (judged,) where each judged query stands among all.
        probability: (all,) of being judged; None where the judged are a random sample.
        confidence: of the intervals.
        unpredicted: documents of the judged queries that people judged and the model did not.
        unseen: those that the model judged and people did not: they count as unjudged in what people say.
        is_by_aspect: whether these are aspects of documents, such as nuggets, as both judged these.

    >>> import truerank as tr
    >>> model = {f"q{n}": {"a": 1} for n in range(40)}
    >>> people = {f"q{n}": {"a": int(n % 4 > 0)} for n in range(0, 40, 3)}
    >>> found = tr.predicted(people, model, {q: ["a"] for q in model}, "RR", sample="random")
    >>> found["RR"].predicted, round(found["RR"].interval.estimate, 3), found["RR"].n
    (1.0, 0.714, 14)
    """

    built_by = "predicted"
    done = message("predicted")

    people: Scores
    model: Scores
    places: NDArray[np.intp]
    probability: Floats | None = None
    confidence: float = 0.95
    unpredicted: int = 0
    unseen: int = 0
    is_by_aspect: bool = False

    def _summary(self) -> str:
        means = ", ".join(f"{name}: {mean.interval.estimate:.4f}" for name, mean in self.items())
        size = f"{len(self.places):,} of {len(self.queries):,} queries judged"
        return f"Predicted({self.run!r}, rules {self.rules.name!r}, {size}, {means})"

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.people.run

    @property
    def rules(self) -> Rules:
        """Under whose rules both scored."""
        return self.people.rules

    @property
    def queries(self) -> Sequence[str]:
        """All queries: those of the model."""
        return self.model.queries

    def heading(self, measure: str | Measure) -> str:
        """What a measure is called here, however it is spelled."""
        return self.people.heading(measure)

    @cached_property
    def _named(self) -> Mapping[str, PredictedMean]:
        return self._means("skewed-t", None)

    def against(self, other: Predicted) -> Mapping[str, PredictedMean]:
        """{measure: the mean difference to another run on the same queries}, of the measures that both have.

        Raises:
            InputError: not the same queries are judged, or predicted.
            MeasureError: they have no measure in common.
            RulesError: they were scored under different rules.
        """
        self.refuse_other(other)
        if not self.people.columns.keys() & other.people.columns.keys():
            raise MeasureError(
                "{name} and {baseline} have no measure in common that can be compared",
                name=self.run,
                baseline=other.run,
            )
        return self._means("t", other)

    def _means(self, method: Method, other: Predicted | None) -> Mapping[str, PredictedMean]:
        measures = [m for m in self.people.measures if other is None or str(m) in other.people.columns]
        columns = [self._columns(m, other) for m in measures]
        judged, predicted = (np.column_stack(side) for side in zip(*columns, strict=True))
        estimates = self.powered(judged, predicted, method, measures)
        return {self.people.heading(m): one for m, one in zip(measures, estimates, strict=True)}

    def _columns(self, measure: Measure, other: Predicted | None) -> tuple[PerQuery, PerQuery]:
        name = str(measure)
        own = self.people.columns[name], self.model.columns[name]
        if other is None:
            return own
        return difference(own[0], other.people.columns[name]), difference(own[1], other.model.columns[name])

    def powered(
        self, judged: PerQuery, predicted: PerQuery, method: Method, measures: Sequence[Measure]
    ) -> list[PredictedMean]:
        """The mean of each column of these queries, by people's values of some and the model's of all.

        Args:
            method: "t" of differences, "skewed-t" of what they are between.
            measures: whose columns these are: no interval is wider than what their values can be.
        """
        how: dict[str, Any] = {"probability": self.probability, "confidence": self.confidence, "method": method}
        least = -1.0 if method == "t" else 0.0
        with needs(message("an estimate of people's and a model's judgements"), "stats"):
            means = stats.predicted_means(judged, predicted, self.places, **how)
        return [
            one.within(least, 1.0) if measure.definition.unit else one
            for one, measure in zip(means, measures, strict=True)
        ]

    def refuse_other(self, other: Predicted) -> None:
        """Raise where two runs were not judged and predicted on the same queries, under the same rules."""
        if not isinstance(other, Predicted):
            raise InputError("an estimate is held against another (tr.predicted), not {other}", other=quoted(other))
        self.rules.refuse_unlike(self.run, other.rules, other.run)
        alike = tuple(self.queries) == tuple(other.queries) and np.array_equal(self.places, other.places)
        chosen = [None if one.probability is None else one.probability.tolist() for one in (self, other)]
        if not alike or chosen[0] != chosen[1]:
            raise InputError(
                "{name} and {other} are not of the same queries, judged by people and by the model alike: "
                "make both from the same judgements",
                name=self.run,
                other=other.run,
            )

    @cached_property
    def signs(self) -> tuple[Sign, ...]:
        """What speaks against the sample being what it is said to be: its size, its ids, what the model says."""
        by_model = {name: self.model[name] for name in self.people}
        return signs_of(self.queries, self.places, self.probability, by_model)

    def next_to_judge(self, n: int, seed: int = 0) -> tuple[str, ...]:
        """So many queries for people to judge next, drawn at random: with these the sample stays a random one.

        Raises:
            InputError: fewer are left; or the sample has probabilities, which drawing more would change.
        """
        rest = np.setdiff1d(np.arange(len(self.queries)), self.places)
        if self.probability is not None:
            raise InputError(
                "the judged queries were drawn with probabilities: draw the next ones with probabilities too, and "
                "give each query that of being judged in either draw, p + (1 - p) q"
            )
        if not is_whole(n) or not 1 <= n <= len(rest):
            raise InputError(
                plural(
                    "people have {n:,} query left to judge: no {given} can be drawn",
                    "people have {n:,} queries left to judge: no {given} can be drawn",
                    n=len(rest),
                    given=n,
                )
            )
        drawn = np.random.default_rng(seed).permutation(rest)[:n]
        return tuple(self.queries[i] for i in drawn.tolist())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for what is not known."""
        return {
            "rules": self.rules.to_dict(),
            "run": self.run,
            "queries": len(self.queries),
            "judged": len(self.places),
            "sample": RANDOM if self.probability is None else COLUMN,
            "confidence": self.confidence,
            "estimates": {name: as_dict(mean) for name, mean in self.items()},
            "signs": [dataclasses.asdict(sign) for sign in self.signs],
            "documents": {"unpredicted": self.unpredicted, "unseen": self.unseen},
        }


def as_dict(mean: PredictedMean) -> dict[str, Any]:
    """An estimate as plain values; None for what has no finite number."""
    plain = {
        "estimate": mean.interval.estimate,
        "low": mean.interval.low,
        "high": mean.interval.high,
        "people": mean.judged.estimate,
        "people_low": mean.judged.low,
        "people_high": mean.judged.high,
        "model": mean.predicted,
        "weight": mean.weight,
        "error": mean.error,
        "worth": mean.worth,
    }
    return {key: finite(value) for key, value in plain.items()}


def predicted(
    judged_by: QrelsLike | Scores,
    predicted_by: QrelsLike | Scores,
    run: RunLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    sample: str | Mapping[Any, Any] | None = None,
    rules: RulesLike | None = None,
    confidence: float = 0.95,
    threads: int | None = None,
    as_written: bool = False,
) -> Predicted:
    """What people's judgements of all queries would say of a run, by theirs of some and a model's of all.

    Prediction-powered (PPI++; Angelopoulos, Duchi and Zrnic 2023): the model makes the estimate sharper as far as
    it agrees with people, and cannot move it off the truth. No model is called.

    Args:
        judged_by: people's judgements, of some of the queries; or the `Scores` that they give.
        predicted_by: the model's, of all queries, those that people judged among them; or `Scores`.
        run, measures, rules, threads, as_written: as for `evaluate`; the run is read twice. None where both
            judgements are `Scores`.
        sample: how the queries that people judged were chosen: "random", or {query: probability of being judged}
            for all queries, or the path of a table with the columns query_id and probability.
        confidence: of the intervals.

    Raises:
        TruerankError: wrong input; the sample is not said to be random; people judged what the model did not.
    """
    check_confidence(confidence)
    if sample is None:
        raise InputError(SAY_HOW)
    sources = [one if isinstance(one, Scores) else read_qrels(one) for one in (judged_by, predicted_by)]
    if all(isinstance(one, Scores) for one in sources) and not run is measures is None:
        raise InputError("both judgements are scores already: leave out the run and the measures")
    _refuse_unpredicted(*map(_queries, sources))
    how: dict[str, Any] = {"rules": rules, "threads": threads, "as_written": as_written}
    people, model = (one if isinstance(one, Scores) else evaluate(one, run, measures, **how) for one in sources)
    if not people.rules.is_like(model.rules):
        raise RulesError(
            "people's scores are under the rules {rules}, the model's under {others}: both need the same",
            rules=people.rules.name,
            others=model.rules.name,
        )
    people = _plain_means(people, model)
    _refuse_left_out(people, model, set(_queries(sources[0])) & set(_queries(sources[1])))
    here, there = shared(people.queries, model.queries)
    assert len(here) == len(people.queries)
    apart = 0, 0, False
    if isinstance(sources[0], Qrels) and isinstance(sources[1], Qrels):
        ruled = (as_ruled(sources[0], people.rules), as_ruled(sources[1], people.rules))
        _refuse_two_scales(people.measures, *ruled)
        kept = people.rules.replace(self_match="keep")
        apart = _apart(as_ruled(sources[0], kept), as_ruled(sources[1], kept))
    chances = probabilities(sample, model.queries, set(people.queries))
    return Predicted(people, model, there, chances, float(confidence), *apart)


def _queries(source: Qrels | Scores) -> list[str]:
    return [q.decode("utf-8", "replace") if isinstance(q, bytes) else q for q in source.queries]


def _refuse_unpredicted(judged: Sequence[str], there: Sequence[str]) -> None:
    """Raise where people judged queries that the model did not."""
    known = set(there)
    beyond = [query for query in judged if query not in known]
    if len(beyond) == len(judged):
        raise InputError("people and the model judged no query in common: are the ids spelled differently?")
    if beyond:
        raise InputError(
            plural(
                "people judged {n:,} query that the model did not ({names}): let it judge that one too, or leave "
                "it out of people's judgements",
                "people judged {n:,} queries that the model did not ({names}): let it judge these too, or leave "
                "them out of people's judgements",
                n=len(beyond),
                names=some(beyond, FIRST),
            )
        )


def _plain_means(people: Scores, model: Scores) -> Scores:
    """People's scores of the measures that both have; all must be plain means over queries with a value on each."""
    wanted = tuple(m for m in people.measures if str(m) in {**model.columns, **model.of_run})
    if not wanted:
        raise MeasureError("people's scores and the model's have no measure in common")
    for measure in wanted:
        if measure.definition.average != "mean" or str(measure) in people.of_run:
            raise MeasureError(
                "{name} is no plain mean over queries, so that it cannot be estimated from some of them; "
                "name measures such as nDCG@10 or AP",
                name=measure,
            )
        for one in (people, model):
            if unknown := int((~np.isfinite(one.columns[str(measure)])).sum()):
                raise MeasureError(
                    plural(
                        "{name} has no value on {n:,} query under these rules; take others, such as "
                        "without_relevant = zero",
                        "{name} has no value on {n:,} queries under these rules; take others, such as "
                        "without_relevant = zero",
                        n=unknown,
                        name=measure,
                    )
                )
    return dataclasses.replace(people, measures=wanted)


def _refuse_two_scales(measures: Sequence[Measure], people: Qrels, model: Qrels) -> None:
    """Raise where a measure weighs grades by the highest, and that is another one by each of the two judgements."""
    highest = [people.max_grade, model.max_grade]
    scaled = next(filter(_is_by_highest_grade, measures), None)
    if scaled is not None and highest[0] != highest[1]:
        raise MeasureError(
            "{name} weighs grades by the highest, which is {highest:g} by people's judgements and {other:g} by the "
            "model's: say which could be given (max_grade={most:g}), or take another gain",
            name=scaled,
            highest=highest[0],
            other=highest[1],
            most=max(highest),
        )


def _is_by_highest_grade(measure: Measure) -> bool:
    """Whether it weighs grades by the highest of the collection, as it says no other."""
    given = {name: one.default for name, one in measure.definition.parameters.items()} | dict(measure.params)
    is_open = "max_grade" in given and given["max_grade"] is None
    return is_open and given.get("gain") not in ("binary", "scaled") and given.get("chance") is None


def _refuse_left_out(people: Scores, model: Scores, both: set[str]) -> None:
    """Raise where the rules leave a query out by people's judgements and not by the model's, or the other way."""
    apart = (set(people.queries) ^ (set(model.queries) & both)) & both
    if apart:
        raise InputError(
            plural(
                "the rules leave out {n:,} query by one of the two judgements only ({names}), and then the judged "
                "are no sample of all: take rules that keep it, such as without_relevant = zero",
                "the rules leave out {n:,} queries by one of the two judgements only ({names}), and then the "
                "judged are no sample of all: take rules that keep them, such as without_relevant = zero",
                n=len(apart),
                names=some(sorted(apart), FIRST),
            )
        )
    if not len(people.queries):
        raise InputError("the rules leave out every query that people judged")


def _apart(people: Qrels, model: Qrels) -> tuple[int, int, bool]:
    """How many documents of the judged queries only people judged, how many the model; whether they are aspects."""
    is_by_aspect = are_aspects((people, model))
    theirs, its = (
        {key for key, grade in zip(keys(one, is_by_aspect), grades(one, is_by_aspect), strict=True) if grade >= 0}
        for one in (people, model.only(set(people.queries)))
    )
    return len(theirs - its), len(its - theirs), is_by_aspect
