"""The counts as a threshold on the score falls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank.analysis.confusion.counts import checked_rules, checked_unit, cut_off, enough
from truerank.analysis.confusion.scores import checked, returned, scored
from truerank.analysis.confusion.table import Confusion, counted, weight_on_precision
from truerank.core.equal import are_equal
from truerank.core.errors import TruerankError
from truerank.core.evaluate import opened_under, ranked, score
from truerank.core.hits import Hits
from truerank.core.kernel.scanning import as_text
from truerank.core.ledger import Ledger
from truerank.core.presented import Presented
from truerank.core.qrels import Floats, Ints, QrelsLike
from truerank.core.reading import Reading
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import RunLike
from truerank.measures import parse_measure

STEPS = 20


@dataclass(frozen=True)
class Step:
    """The counts over all queries when the results of at least this score are retrieved."""

    threshold: float
    counts: Confusion

    def to_dict(self) -> dict[str, Any]:
        """The threshold, the counts and what is made of them."""
        return {"threshold": self.threshold, **self.counts.to_dict()}


@dataclass(frozen=True, repr=False)
class Sweep(Presented):
    """The counts at several thresholds.

    Attributes:
        run: the name of the run.
        queries: how many there are.
        steps: the highest threshold first.
        best: the step with the highest F, of equal ones the highest; None where nothing relevant was returned.
        alpha: the weight on precision in that F.
        rules: under whose rules.
        ledger: what the sums hide.
        k: only the first k results of each query may be retrieved; None: all.
        of: what is counted, as in `Counts`.
    """

    built_by = "counts"

    run: str
    queries: int
    steps: tuple[Step, ...]
    best: Step | None
    alpha: float
    rules: Rules
    ledger: Ledger
    k: int | None = None
    of: str = "documents"

    def _summary(self) -> str:
        best = "none" if self.best is None else f"{self.best.threshold!r}"
        steps = f"{len(self.steps):,} thresholds, best {best}"
        return f"Sweep({self.run!r}, rules {self.rules.name!r}, {self.queries:,} queries, {steps})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rules": self.rules.to_dict(),
            "run": self.run,
            "query_count": self.queries,
            "ledger": self.ledger.to_dict(),
            "of": self.of,
            "k": self.k,
            "sweep": [step.to_dict() for step in self.steps],
            "best": self.best.to_dict() if self.best else None,
        }


def sweep(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None = None,
    thresholds: Iterable[float] | None = None,
    *,
    k: int | None = None,
    of: str = "documents",
    steps: int = STEPS,
    alpha: float = 0.5,
    documents: int | None = None,
    rules: RulesLike | None = None,
    threads: int | None = None,
) -> Sweep:
    """The counts as a threshold on the score falls.

    Args:
        qrels, run, rules, threads: as for `evaluate`.
        thresholds: those to try; by default the scores at which a relevant document is returned, for only there
            recall rises and F can be highest.
        k, of: which results may be retrieved and what is counted, as for `confusion`.
        steps: how many of these at most, 3 or more; the first, the last and the best are always among them.
        alpha: the weight on precision in the F that chooses the best.
        documents: how many documents there are to search.

    >>> found = sweep({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "y": 1.5, "b": 1.0}})
    >>> [(step.threshold, step.counts.tp, step.counts.fp) for step in found.steps], found.best.threshold
    ([(3.0, 1, 0), (1.0, 2, 2)], 3.0)
    """
    if steps < 3:
        raise TruerankError("a sweep has at least 3 steps, not {steps}", steps=steps)
    alpha, k = weight_on_precision(alpha=alpha), checked_unit(of, k, documents)
    run, under = opened_under(qrels, run, rules)
    under = checked_rules(under)
    reading = scored(qrels, run, cut_off(under, k), True, threads)
    ledger = score(replace(reading, rules=under.nameless), [parse_measure("SetP")]).ledger
    hits = ranked(reading)
    everything = np.concatenate([np.empty(0), *returned(reading, hits)])
    relevant = hits.relevant(under.level).score
    chosen = relevant if thresholds is None else np.array([*map(checked, thresholds)], np.float64)
    chosen = np.unique(chosen)[::-1]
    total: int
    pairs: int | None
    if of == "results":
        total, pairs = len(relevant), int(hits.returned.sum())
    else:
        total, pairs = int(hits.relevant_total(under.level).sum()), _pairs(hits, documents, under.level)
    counts = zip(chosen.tolist(), _reaching(relevant, chosen), _reaching(everything, chosen), strict=True)
    every = [Step(at, counted(tp, size, total, pairs)) for at, tp, size in counts]
    values = [step.counts.f(alpha=alpha) for step in every]
    best = every[int(np.argmax(are_equal(values, max(values))))] if every else None
    few = every if thresholds is not None else _spread(every, best, steps)
    return Sweep(reading.name, len(hits.queries), tuple(few), best, alpha, under, ledger, k, of)


def _pairs(hits: Hits, documents: int | None, level: float) -> int | None:
    """How many pairs of a query and a document there are."""
    known = hits.returned + hits.relevant_total(level) - hits.relevant(level).count
    for query, number in zip(hits.queries, known.tolist(), strict=True):
        enough(documents, number, as_text(query))
    return None if documents is None else documents * len(hits.queries)


def _reaching(values: Floats, thresholds: Floats) -> list[int]:
    """How many values reach each threshold."""
    below: Ints = np.searchsorted(np.sort(values), thresholds, side="left")
    return (len(values) - below).tolist()  # type: ignore[no-any-return]


def _spread(steps: list[Step], best: Step | None, most: int) -> list[Step]:
    """At most this many of the steps: the first, the last, the best, and others evenly between."""
    if len(steps) <= most or best is None:
        return steps
    chosen, places = steps.index(best), _evenly(len(steps), most)
    if chosen not in places:
        places = {chosen} | _evenly(len(steps), most - 1)
    return [steps[place] for place in sorted(places)]


def _evenly(length: int, number: int) -> set[int]:
    """This many places in a list, the first and the last among them."""
    return set(np.linspace(0, length - 1, number).round().astype(int).tolist())
