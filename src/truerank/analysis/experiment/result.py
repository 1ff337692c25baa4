"""What an experiment found: a value that prints, and becomes JSON or a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truerank.analysis.compare.result import Comparison, Outcome
from truerank.core.means import ByMeasure
from truerank.core.messages import message
from truerank.core.presented import Presented, finite
from truerank.core.scores import Scores
from truerank.live.result import Bench
from truerank.measures import Measure

TIMES = ("p50", "p95")
"""The latencies that stand beside the means."""


@dataclass(frozen=True, eq=False, repr=False)
class Experiment(Presented, ByMeasure[Outcome]):
    """Systems on the same queries, and how long their answers took: a mapping {measure: `Outcome`}.

    Attributes:
        comparison: the systems side by side: means, differences, intervals, p and letters.
        benches: {system: its benchmark, with all calls and answers}, of those that were asked.
        unasked: judged queries that are not among the queries, and so are in no mean.

    >>> import truerank as tr
    >>> qrels, queries = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": "tea", "q2": "ink"}
    >>> systems = {"old": {"q1": ["x", "a"], "q2": ["y", "b"]}, "new": lambda query, k: ["a", "b"]}
    >>> found = tr.experiment(systems, queries, qrels, "RR R@2", baseline="old")
    >>> found.mean["new"], found["RR"].pair("new", "old").difference.estimate
    ({'RR': 0.75, 'R@2': 1.0}, 0.25)
    >>> list(found.timings), list(found.timings["new"])
    (['new'], ['p50', 'p95', 'per_second', 'failed'])
    """

    built_by = "experiment"
    done = message("compared")

    comparison: Comparison
    benches: Mapping[str, Bench] = field(default_factory=dict)
    unasked: int = 0

    def _summary(self) -> str:
        return f"Experiment({self.comparison._summary().partition('(')[2]}"

    @property
    def _named(self) -> Mapping[str, Outcome]:
        return self.comparison._named

    def heading(self, measure: str | Measure) -> str:
        """What a measure is called here, however it is spelled."""
        return self.comparison.heading(measure)

    @property
    def scores(self) -> Mapping[str, Scores]:
        """{system: its scores, with the value of each query}."""
        return self.comparison.scores

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """{system: {measure: its mean}}."""
        return {name: one.mean for name, one in self.scores.items()}

    @property
    def timings(self) -> dict[str, dict[str, float | None]]:
        """{system: p50 and p95 in ms, answers a second, failed calls}, of those that were asked.

        None is what was not measured: where no call was answered, or others took turns.
        """
        return {
            name: {
                **{time: finite(one.latency[time]) for time in TIMES},
                "per_second": one.throughput,
                "failed": one.failed,
            }
            for name, one in self.benches.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the calls and answers of a benchmark are what `Bench.save` writes."""
        return {
            "comparison": self.comparison.to_dict(),
            "scores": {name: one.to_dict(per_query=True) for name, one in self.scores.items()},
            "timings": self.timings,
            "unasked": self.unasked,
        }
