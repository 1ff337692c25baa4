"""Runs evaluated, compared and drawn at once: what a report says of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank.analysis.compare import Comparison, compare
from truerank.analysis.compare.naming import by_name, opened
from truerank.analysis.compare.outcome import direction
from truerank.analysis.compare.systems import align
from truerank.analysis.curve import Curve, precision_recall
from truerank.contest import judge
from truerank.core.errors import needs
from truerank.core.evaluate import ranked, read_catalogue, rules_of, score, seen_rows
from truerank.core.hits import Hits
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import message
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.reading import Keep, Reading, loaded, refuse_others, run_reading
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Progress, unreported
from truerank.core.scores import Scores
from truerank.core.vocabulary import asked_for, of_judged
from truerank.formats import read_qrels
from truerank.formats.digests import told_apart
from truerank.measures import Measure

RESULTS = 10
"""How many results of each list a report shows."""


@dataclass(frozen=True, eq=False)
class SystemAnswers:
    """What one system found.

    Attributes:
        name: what it is called.
        reading: its run, with the unjudged documents that are shown, and how many were returned before any rule.
        hits: of the judged documents, under the rules, which may have cut lists or left out unjudged documents.
    """

    name: str
    reading: Reading
    hits: Hits


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Systems that answered the same queries.

    Attributes:
        qrels: as the rules have them.
        systems: what each found, on the queries that all have.
        comparison: how they stand to each other.
        curves: precision against recall, of each; none where the rules do not allow it.
        is_complete: whether the qrels leave nothing unjudged: a contest's list, a rule that decides.
        has_calls: whether queries have several lists, which the rules do not make one.
    """

    qrels: Qrels
    systems: tuple[SystemAnswers, ...]
    comparison: Comparison
    curves: tuple[Curve, ...]
    is_complete: bool = False
    has_calls: bool = False

    @property
    def scores(self) -> list[Scores]:
        """The scores of each system."""
        return list(self.comparison.scores.values())

    @property
    def rules(self) -> Rules:
        """Under whose rules."""
        return self.scores[0].rules

    @property
    def names(self) -> list[str]:
        """What the systems are called."""
        return list(self.comparison.systems)

    @property
    def measures(self) -> list[Measure]:
        """The measures by which the systems were compared."""
        return [outcome.measure for outcome in self.comparison.outcomes]

    @property
    def first(self) -> Measure:
        """The measure that decides: the first one."""
        return self.measures[0]

    @property
    def reference(self) -> int:
        """The place of the system that others are compared to: the baseline, or else the best."""
        if self.comparison.reference:
            return self.names.index(self.comparison.reference)
        means = [self.comparison.outcomes[0].means[name].estimate for name in self.names]
        return int(np.argmax(np.array(means) * (direction(self.first) or 1)))

    def fractions(self, measure: Measure) -> Any:
        """(queries, systems) as computed, on the queries that all have, in the order of the comparison."""
        return align(self.comparison.scores).values(measure)


def evaluated(
    qrels: QrelsLike | None,
    runs: Iterable[Any],
    measures: str | Iterable[str | Measure] | None = None,
    *,
    rules: RulesLike | None = None,
    baseline: str | int | None = None,
    format: str | None = None,
    is_complete: bool = False,
    results: int = RESULTS,
    as_written: bool = False,
    items: Any = None,
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    progress: Progress = unreported,
) -> Evaluated:
    """The runs evaluated and compared; under a contest's rules also audited.

    Args:
        qrels, measures, rules, items: as for `evaluate`.
        runs: what `evaluate` takes, or {name: run}; of `Reading`s, as themselves or in files, of as many first
            ranks as results are shown there need be no qrels.
        baseline, confidence, samples, seed, progress: as for `compare`.
        format: of the runs' files, instead of the one that each looks like.
        is_complete: whether the qrels leave nothing unjudged.
        results: how many results of each list may be shown.
        as_written: measures are called as they were asked for.

    Raises:
        TruerankError: wrong input, or a package is missing.
    """
    with needs(message("a report"), "report"):
        import scipy  # type: ignore[import-untyped]  # noqa: F401
    named = by_name(runs, told_apart)
    read = {name: opened(run, name, format) for name, run in named.items()}
    if qrels is None:
        read = {name: loaded(run) for name, run in read.items()}
    under = rules_of(rules, *read.values())
    judged = None if qrels is None else read_qrels(qrels)
    asked = asked_for(measures, under)
    chosen = list(dict.fromkeys(asked.values()))
    of_judged(chosen[:1], lists=True)  # the first decides, query by query
    known = read_catalogue(items)
    became = {word: str(measure) for word, measure in asked.items()}
    is_contest = under.unit == "line"
    if not is_contest:
        refuse_others(judged, read.values())
    submitted = named if is_contest else {}
    audited = {name: judge(judged, run, chosen, rules=under, format=format) for name, run in submitted.items()}
    keep = _kept(chosen, results)
    readings = {name: run_reading(judged, run, under, keep=keep) for name, run in read.items()}
    scores: Any = audited or {name: score(reading, chosen, known) for name, reading in readings.items()}
    how = {"asked": became, "as_written": as_written}
    scores = {name: replace(one, run=name, **how) for name, one in scores.items()}
    comparison = compare(
        None, scores, chosen, baseline, confidence=confidence, samples=samples, seed=seed, progress=progress
    )
    if not is_contest:
        apart = {as_bytes(q) for one in scores.values() for q in set(one.queries).difference(comparison.queries)}
        readings = {name: _without(reading, apart) for name, reading in readings.items()}
    has_calls = under.calls == "error" and any(reading.hits.calls is not None for reading in readings.values())
    knows_all = under.unjudged != "graded"  # that could be found, which a curve's recall is of
    drawn = readings if knows_all and not is_contest and not has_calls else {}
    return Evaluated(
        next(iter(readings.values())).qrels,
        tuple(SystemAnswers(name, reading, ranked(reading)) for name, reading in readings.items()),
        comparison,
        tuple(replace(precision_recall(reading, rules=under), run=name) for name, reading in drawn.items()),
        is_complete or is_contest,
        has_calls,
    )


def _without(reading: Reading, queries: Collection[bytes]) -> Reading:
    """The same without these queries, which not all systems have, so that curves are of those that all have."""
    return reading.select(np.array([name not in queries for name in reading.rows.queries], bool))


def _kept(measures: Sequence[Measure], results: int) -> Keep:
    """The rows that these measures see, and those that are shown."""
    seen = seen_rows(measures)
    return max(seen, results) if isinstance(seen, int) else seen if seen == "all" else results or seen
