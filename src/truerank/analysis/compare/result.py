"""What a comparison found: a value that prints, and becomes JSON or a DataFrame."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from truerank.analysis.compare.prediction_powered import Predicted
from truerank.analysis.drawing import check_word
from truerank.core.errors import InputError, in_utf8, quoted
from truerank.core.means import ByMeasure
from truerank.core.messages import message
from truerank.core.presented import Presented, finite
from truerank.core.scores import Scores
from truerank.measures import Measure
from truerank.stats import Interval, Spread, kendall_tau, tau_ap

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Layout = Literal["long", "wide", "queries"]

OVER_RUNS = "satterthwaite"
"""The test where some system has several runs: of queries and runs."""


@dataclass(frozen=True)
class Procedure:
    """How systems were compared: enough to do it again, to the same bytes.

    Attributes:
        test: randomization, t, wilcoxon, sign or tukey; satterthwaite where a system has several runs,
            prediction-powered where a model judged most queries.
        correction: of p for the number of pairs of a measure: holm, bonferroni, bh, none, max-t or tukey.
        confidence: of the intervals; a difference is significant where the adjusted p is at most 1 less this.
        seed, samples: of the random numbers, for the intervals and the randomization.
        baseline: the system that the others are compared to; None where every two are compared.
        all_pairs: whether every two are compared.
    """

    test: str = "randomization"
    correction: str = "holm"
    confidence: float = 0.95
    seed: int = 0
    samples: int = 10_000
    baseline: str | None = None
    all_pairs: bool = True

    @property
    def alpha(self) -> float:
        """The level of the test."""
        return float(f"{1 - self.confidence:.12g}")  # 0.05, and not 0.050000000000000044

    def level(self, pairs: int) -> float:
        """The level left to each of this many pairs, where p are corrected for their number."""
        return self.alpha / (1 if self.correction in ("none", "bh") else pairs)


@dataclass(frozen=True)
class Pair:
    """One system against another, by one measure.

    Attributes:
        system, against: their names.
        difference: the mean of the first less that of the second, with its interval, which is that of this
            pair alone (of all pairs together under tukey).
        p: how often chance would part two equal systems as far as this.
        adjusted: p, corrected for the number of pairs; what decides.
        effect: the difference in standard deviations of the queries' differences; 0 for equal systems, NaN for
            one query, which has no spread.
        wins, ties, losses: on how many queries the first is better, as good, worse; all 0 where queries have no
            values, by a measure of the whole run.
        detectable: the smallest real difference that this many queries, differing as these do, show four times
            of five by the paired t-test; NaN where that cannot be said.
        against_mean: whether p speaks for the one whose mean is no better, as those of Wilcoxon's and the sign test
            may, which are not about means: then neither is called better.
    """

    system: str
    against: str
    difference: Interval
    p: float
    adjusted: float
    effect: float
    wins: int
    ties: int
    losses: int
    detectable: float
    against_mean: bool = False

    def turned(self) -> Pair:
        """The pair the other way round."""
        d = self.difference
        return dataclasses.replace(
            self,
            system=self.against,
            against=self.system,
            difference=Interval(0 - d.estimate, 0 - d.high, 0 - d.low, d.confidence, d.method, d.differing),
            effect=0 - self.effect,  # 0 and not −0
            wins=self.losses,
            losses=self.wins,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for what is not known."""
        unknown = {} if self.is_counted else dict.fromkeys(("wins", "ties", "losses"))
        return {**finite(vars(self)), **unknown, **self.difference.limits("difference")}

    @property
    def is_counted(self) -> bool:
        """Whether queries have values, so that wins are counted."""
        return bool(self.wins + self.ties + self.losses)


@dataclass(frozen=True)
class Outcome:
    """What one measure says of the systems.

    Attributes:
        measure: what was measured.
        queries: on how many queries.
        left_out: queries that were left out because some system's value is no finite number.
        means: {system: its mean with an interval}; a sum for counts, a geometric mean where that is used.
        pairs: those that were compared.
        beaten: {system: the systems that it is significantly better than}; none for counts.
        groups: systems that cannot be told apart, the best group first; none unless every two were compared.
        heading: the measure as it was asked for, if it is to be called so.
        widest: the largest difference that two means of shares can have: 100 in percent.
        spreads: where systems have several runs, what each one's mean, (system,), and each difference,
            (system, against), owes to queries and to runs.
    """

    measure: Measure
    queries: int
    left_out: int
    means: Mapping[str, Interval]
    pairs: tuple[Pair, ...]
    beaten: Mapping[str, tuple[str, ...]]
    groups: tuple[tuple[str, ...], ...] = ()
    heading: str = ""
    widest: float = 1.0
    spreads: Mapping[tuple[str, ...], Spread] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the measure: what it became, or as it was asked for."""
        return self.heading or str(self.measure)

    def groups_of(self, system: str) -> str:
        """The numbers of the groups that a system is in, from 1 for the best."""
        return " ".join(str(number) for number, group in enumerate(self.groups, 1) if system in group)

    def compared(self, system: str, against: str) -> Pair | None:
        """The comparison of these two, if it was made this way round."""
        return next((p for p in self.pairs if (p.system, p.against) == (system, against)), None)

    def pair(self, system: str, against: str) -> Pair:
        """The comparison of these two, whichever way round it was made.

        Raises:
            InputError: there is no such system, or these two were not compared.
        """
        turned = self.compared(against, system)
        if pair := self.compared(system, against) or (turned and turned.turned()):
            return pair
        for name in (system, against):
            check_word(message("system"), name, list(self.means))
        if system == against:
            raise InputError("{system} is not compared with itself", system=system)
        raise InputError(
            "{system} was not compared with {against}, but each system with the baseline {baseline}; "
            "all_pairs=True compares every two",
            system=system,
            against=against,
            baseline=self.pairs[0].against,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "measure": self.name,
            "query_count": self.queries,
            "left_out": self.left_out,
            "systems": {
                name: {**mean.to_dict("mean"), "better_than": list(self.beaten[name])}
                for name, mean in self.means.items()
            },
            "pairs": [pair.to_dict() for pair in self.pairs],
            "groups": [list(group) for group in self.groups],
            **({"spreads": list(map(_of_spread, self.spreads.items()))} if self.spreads else {}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Presented, ByMeasure[Outcome]):
    """Systems side by side on the same queries: a mapping {measure: `Outcome`}.

    Attributes:
        systems: their names, as they were given.
        queries: the queries that all of them have scores for.
        dropped: how many queries only some of them have scores for, which were left out.
        outcomes: what each measure says.
        scores: {system: its scores on all its queries}.
        procedure: how they were compared.
        by: what the slices are made by.
        slices: {value: the same comparison on the queries that have it}.
        unsliced: queries that have no such value.
        predictions: {system: its estimate}, where people judged some queries and a model all; else nothing.

    >>> import truerank as tr
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    >>> found = tr.compare(qrels, {"old": {"q1": ["a"]}, "new": {"q1": ["a"], "q2": ["x", "b"]}}, "RR")
    >>> found
    Comparison(old, new; 3 queries; RR: old 0.3333, new 0.5000)
      old: 2 missing (scored 0): q2, q3.
      new: 1 missing (scored 0): q3.
      Warning: 3 queries are too few to rely on; take at least 30, better 50.
      and 1 more: print it
    >>> pair = found["RR"].pairs[0]
    >>> pair.system, pair.difference.estimate, pair.p, (pair.wins, pair.ties, pair.losses)
    ('new', 0.16666666666666666, 1.0, (1, 2, 0))
    """

    built_by = "comparison"
    done = message("compared")

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    dropped: int
    outcomes: tuple[Outcome, ...]
    scores: Mapping[str, Scores]
    procedure: Procedure
    by: str = ""
    slices: Mapping[str, Comparison] = field(default_factory=dict)
    unsliced: int = 0
    predictions: Mapping[str, Predicted] = field(default_factory=dict)

    def _summary(self) -> str:
        lines = [f"{outcome.name}: {_listed(outcome.means)}" for outcome in self.outcomes]
        return f"Comparison({', '.join(self.systems)}; {len(self.queries):,} queries; {'; '.join(lines)})"

    @cached_property
    def _named(self) -> Mapping[str, Outcome]:
        return {outcome.name: outcome for outcome in self.outcomes}

    def heading(self, measure: str | Measure) -> str:
        """What a measure is called here, however it is spelled."""
        return next(iter(self.scores.values())).heading(measure)

    @property
    def on_all(self) -> Mapping[str, Scores]:
        """{system: its scores on all queries}: by the model, where people judged only some of them."""
        return {name: one.model for name, one in self.predictions.items()} or self.scores

    @property
    def reference(self) -> str | None:
        """The baseline, or the first of two systems; None where there is no one to compare with."""
        return self.procedure.baseline or (self.systems[0] if len(self.systems) == 2 else None)

    @property
    def letters(self) -> dict[str, str]:
        """The letter that stands for each system, in the order in which they were given."""
        return {name: letter(place) for place, name in enumerate(self.systems)}

    @property
    def agreement(self) -> dict[tuple[str, str], tuple[float, float]]:
        """{(measure, other): (Kendall's tau, tau-AP)}: do they put the systems in the same order, by their means?

        1 is the same order, −1 the reverse. Tau-AP takes the first for the truth, and minds the top more. Of three
        systems or more; counts put nothing in order.

        >>> import truerank as tr
        >>> qrels, lists = {"q": {"a": 1, "b": 1}}, {"x": ["a"], "y": ["z", "a", "b"], "z": ["c"]}
        >>> runs = {name: {"q": docs} for name, docs in lists.items()}
        >>> tr.compare(qrels, runs, "R@5 RR").agreement["R@5", "RR"]
        (0.3333333333333333, 0.0)
        """
        ordering = [o for o in self.outcomes if o.queries and o.measure.definition.average != "sum"]
        order = {outcome.name: _heights(outcome) for outcome in ordering}
        pairs = itertools.permutations(order, 2) if len(self.systems) > 2 else ()
        return {(m, n): (kendall_tau(order[m], order[n]), tau_ap(order[m], order[n])) for m, n in pairs}

    def superscripts(self, measure: str | Measure) -> dict[str, str]:
        """For each system the letters of those that it is significantly better than, as papers print them."""
        letters = self.letters
        blank = "" if len(letters) <= LETTERS else " "
        return {name: blank.join(letters[b] for b in beaten) for name, beaten in self[measure].beaten.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        sliced = {value: part._found() for value, part in self.slices.items()}
        return {
            "rules": next(iter(self.scores.values())).rules.to_dict(),
            "procedure": dataclasses.asdict(self.procedure),
            "systems": self.letters,
            "dropped": self.dropped,
            **self._found(),
            **({"by": self.by, "slices": sliced, "unsliced": self.unsliced} if self.by else {}),
            **({"predictions": {n: p.to_dict() for n, p in self.predictions.items()}} if self.predictions else {}),
        }

    def _found(self) -> dict[str, Any]:
        outcomes = []
        for outcome in self.outcomes:
            plain = outcome.to_dict()
            for name, letters in self.superscripts(outcome.measure).items():
                plain["systems"][name]["superscripts"] = letters
            outcomes.append(plain)
        agreed = [
            {"measure": one, "other": other, "tau": tau, "tau_ap": by_top}
            for (one, other), (tau, by_top) in self.agreement.items()
        ]
        return {"query_count": len(self.queries), "outcomes": outcomes, "agreement": agreed}

    def rows(self) -> list[dict[str, Any]]:
        """One row per system, and one row per pair, of each measure and slice; the same keys in each.

        In a system's row `against` is None and `value` its mean; in a pair's `value` is the difference.
        """
        rows = [{"slice": None, **row} for row in self._rows()]
        return rows + [{"slice": v, **row} for v, part in self.slices.items() for row in part._rows()]

    def _rows(self) -> Iterator[dict[str, Any]]:
        for outcome in self.outcomes:
            what = {"measure": outcome.name, "queries": outcome.queries}
            letters = self.superscripts(outcome.measure)
            for name, mean in outcome.means.items():
                row = dict.fromkeys(_PAIRED) | {
                    "superscripts": letters[name],
                    "groups": outcome.groups_of(name) or None,
                }
                yield {**what, "system": name, "against": None, **_value(mean), **row}
            for pair in outcome.pairs:
                known = pair.to_dict()
                row = {key: known[key] for key in _PAIRED} | {"superscripts": None, "groups": None}
                yield {**what, "system": pair.system, "against": pair.against, **_value(pair.difference), **row}

    def to_arrow(self, layout: Layout = "long", measure: str | Measure | None = None) -> pyarrow.Table:
        """The numbers as a table: see `columns`."""
        table: pyarrow.Table = self._library("pyarrow").table(_framed(self.columns(layout, measure)))
        return table

    def to_polars(self, layout: Layout = "long", measure: str | Measure | None = None) -> polars.DataFrame:
        """The numbers as a table: see `columns`."""
        columns = _framed(self.columns(layout, measure))
        frame: polars.DataFrame = self._library("polars").DataFrame(columns, strict=False)
        return frame

    def to_pandas(self, layout: Layout = "long", measure: str | Measure | None = None) -> pandas.DataFrame:
        """The numbers as a table: see `columns`; of the wide ones the systems or the queries are the index."""
        frame: pandas.DataFrame = self._library("pandas").DataFrame(_framed(self.columns(layout, measure)))
        return frame if layout == "long" else frame.set_index(frame.columns[0])

    def columns(self, layout: Layout = "long", measure: str | Measure | None = None) -> dict[str, list[Any]]:
        """The numbers by column.

        Args:
            layout: "long" is `rows`; "wide" the means, a row per system and a column per measure; "queries" the
                values of one measure, one row per query that all systems have and one column per system.
            measure: of the queries' values; by default the first one.

        >>> import truerank as tr
        >>> runs = {"old": {"q1": ["x", "a"]}, "new": {"q1": ["a"], "q2": ["b"]}}
        >>> found = tr.compare({"q1": {"a": 1}, "q2": {"b": 1}}, runs, "RR AP")
        >>> found.columns("wide")
        {'system': ['old', 'new'], 'RR': [0.25, 1.0], 'AP': [0.25, 1.0]}
        >>> found.columns("queries", "AP")
        {'query': ['q1', 'q2'], 'old': [0.5, 0.0], 'new': [1.0, 1.0]}
        """
        if layout == "wide":
            means = {o.name: [o.means[name].estimate for name in self.systems] for o in self.outcomes}
            return {"system": list(self.systems), **means}
        if layout == "queries":
            return self._by_query(self.outcomes[0].measure if measure is None else self[measure].measure)
        if layout != "long":
            raise InputError("a layout is long, wide or queries, not {layout}", layout=quoted(layout))
        rows = self.rows()
        return {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}

    def _by_query(self, measure: Measure) -> dict[str, list[Any]]:
        if "query" in self.systems:
            raise InputError("the ids stand in a column query: give the system query another name")
        values: dict[str, list[Any]] = {}
        for name, scores in self.scores.items():
            own = dict(zip(scores.queries, scores[measure].tolist(), strict=True))
            values[name] = [own[query] for query in self.queries]
        return {"query": list(self.queries), **values}


LETTERS = 26

_PAIRED = ("p", "adjusted", "effect", "wins", "ties", "losses", "detectable")


def letter(place: int) -> str:
    """The letter of the system at this place, from 0.

    >>> letter(0), letter(25), letter(26), letter(702)
    ('a', 'z', 'aa', 'aaa')
    """
    before, last = divmod(place, LETTERS)
    return (letter(before - 1) if before else "") + chr(ord("a") + last)


def _framed(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns for DataFrames, with bytes that are not UTF-8 escaped in ids and names of runs."""
    named = zip(in_utf8(list(columns)), columns.values(), strict=True)
    return {name: [in_utf8([cell])[0] if isinstance(cell, str) else cell for cell in own] for name, own in named}


def _heights(outcome: Outcome) -> list[float]:
    """The means of the systems, negated where less is better."""
    sign = -1 if outcome.measure.definition.lower_is_better else 1
    return [sign * mean.estimate for mean in outcome.means.values()]


def _listed(means: Mapping[str, Interval]) -> str:
    return ", ".join(f"{name} {interval.estimate:.4f}" for name, interval in means.items())


def _of_spread(item: tuple[tuple[str, ...], Spread]) -> dict[str, Any]:
    (system, *against), spread = item
    return {
        "system": system,
        "against": against[0] if against else None,
        "of_queries": spread.of_queries,
        "of_runs": spread.of_runs,
        "freedom": spread.freedom,
        "enough_runs": spread.enough_runs,
        "components": [{**dataclasses.asdict(one), "negative": list(one.negative)} for one in spread.systems],
    }


def _value(interval: Interval) -> dict[str, float]:
    return {"value": interval.estimate, "low": interval.low, "high": interval.high}
