"""Two retrievers on the same queries: the ratio of their latencies and the differences of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truerank.core.errors import InputError, needs
from truerank.core.messages import joined, message, warned
from truerank.core.presented import Presented
from truerank.core.qrels import Floats, QrelsLike
from truerank.core.scores import Scores, averaged, shared
from truerank.live.result import Bench
from truerank.stats import Interval, Paired


@dataclass(frozen=True, eq=False, repr=False)
class BenchComparison(Presented):
    """Two benchmarks, query by query.

    Attributes:
        a, b: the benchmarks; all that is said is about b, seen from a.
        alternated: whether they took turns at each query, so that whatever else the machine did met both alike.
    """

    built_by = "bench"

    a: Bench
    b: Bench
    alternated: bool

    def _summary(self) -> str:
        ratio = "unknown" if self.ratio is None else f"{self.ratio.estimate:.3f}"
        return f"BenchComparison({self.a.name!r}, {self.b.name!r}; {self.shared:,} queries, latency ratio {ratio})"

    @cached_property
    def ratio(self) -> Interval | None:
        """How many times as long b takes: the geometric mean over the queries that both answered.

        1.2 is a fifth slower. None where there is none.
        """
        if not len(self._logs):
            return None
        from truerank.stats import mean_interval

        interval = mean_interval(self._logs, method="bca")
        estimate, low, high = (float(np.exp(x)) for x in (interval.estimate, interval.low, interval.high))
        return replace(interval, estimate=estimate, low=low, high=high)

    @cached_property
    def ratio_test(self) -> Paired | None:
        """Whether that may be chance: a randomization test over queries."""
        from truerank.stats import randomization

        return randomization(self._logs, np.zeros(len(self._logs))) if len(self._logs) else None

    @cached_property
    def differences(self) -> Mapping[str, Interval]:
        """{measure: b − a}, the mean over the queries that both were asked; of GMAP it is that of logarithms."""
        from truerank.stats import difference_interval

        return {name: difference_interval(b, a) for name, (a, b) in self._values.items()}

    @cached_property
    def difference_tests(self) -> Mapping[str, Paired]:
        """Whether these may be chance: randomization tests over queries, each by itself."""
        from truerank.stats import randomization

        return {name: randomization(b, a) for name, (a, b) in self._values.items()}

    @property
    def shared(self) -> int:
        """Queries that both answered."""
        return len(self._logs)

    @property
    def unpaired(self) -> int:
        """Queries that only one answered; they are not in the ratio."""
        return len(_log_times(self.a).keys() ^ _log_times(self.b).keys())

    @property
    def unscored(self) -> int:
        """Queries of which only one has a value of some measure; they are not in its difference."""
        if self.a.scores is None or self.b.scores is None:
            return 0
        ours, theirs = self.a.scores, self.b.scores
        return len(set().union(*(_known(ours, name) ^ _known(theirs, name) for name in self.differences)))

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Why the two may not be comparable."""
        sentences: list[str] = []
        if not self.alternated:
            sentences.append(
                message(
                    "They ran at different times, and the machine may have changed; taking turns rules that out."
                )
            )
        none = message("none")
        ours, theirs = (
            {name: none if value is None else value for name, value in vars(one.load).items()}
            for one in (self.a, self.b)
        )
        unlike = [name for name in ours if ours[name] != theirs[name]]
        if unlike:
            pairs = [message("{name} {a} and {b}", name=name, a=ours[name], b=theirs[name]) for name in unlike]
            sentences.append(warned(message("they ran under different loads: {loads}.", loads=joined(", ", pairs))))
        unlike = [name for name in self.a.machine if self.a.machine[name] != self.b.machine.get(name)]
        if unlike:
            names = ", ".join(unlike)
            sentences.append(
                warned(message("they ran on different machines or versions: {names} differ.", names=names))
            )
        if self.a.percentiles != self.b.percentiles:
            kinds = {"a": self.a.percentiles, "b": self.b.percentiles}
            sentences.append(warned(message("percentiles of A are {a}, those of B {b}.", **kinds)))
        if self.a.scores and self.b.scores and not self.a.scores.rules.is_like(self.b.scores.rules):
            sentences.append(
                warned(message("they were scored under different rules; their scores are not compared."))
            )
        return tuple(sentences)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "alternated": self.alternated,
            "queries": self.shared,
            "latency_ratio": _plain(self.ratio, self.ratio_test),
            "differences": {
                name: _plain(between, self.difference_tests[name]) for name, between in self.differences.items()
            },
            "remarks": list(self.remarks),
            "benchmarks": [self.a.to_dict(), self.b.to_dict()],
        }

    @cached_property
    def _logs(self) -> Floats:
        """(queries,) the log of b's latency over a's, where both answered."""
        ours, theirs = _log_times(self.a), _log_times(self.b)
        return np.array([theirs[query] - ours[query] for query in ours if query in theirs])

    @cached_property
    def _values(self) -> dict[str, tuple[Floats, Floats]]:
        """{measure: the values of a and b for the queries that both were asked, and of which both have one}."""
        a, b = self.a.scores, self.b.scores
        if a is None or b is None or not a.rules.is_like(b.rules):
            return {}
        left, right = shared(a.queries, b.queries)
        means = [m for m in a.measures if str(m) in b.columns and m.definition.average != "sum"]
        values = {str(m): np.stack([averaged(m, a[m][left]), averaged(m, b[m][right])]) for m in means}
        known = {name: of[:, np.isfinite(of).all(axis=0)] for name, of in values.items()}
        return {name: (ours, theirs) for name, (ours, theirs) in known.items() if len(ours)}


def _known(scores: Scores, measure: str) -> set[str]:
    """The queries that have a value of a measure."""
    return {scores.queries[row] for row in np.flatnonzero(np.isfinite(scores[measure])).tolist()}


def _log_times(bench: Bench) -> dict[str, float]:
    """{query: the mean of the logs of its latencies}."""
    answered = bench.measured.answered
    logs = np.log(np.maximum(answered.latency, 1))
    sums = np.bincount(answered.query, weights=logs, minlength=len(bench.queries))
    counts = np.bincount(answered.query, minlength=len(bench.queries))
    return {bench.queries[q]: float(sums[q] / counts[q]) for q in np.flatnonzero(counts).tolist()}


def compare(a: Bench, b: Bench) -> BenchComparison:
    """Two saved benchmarks, query by query.

    Raises:
        InputError: they have no query in common.
        MissingPackage: SciPy is not installed.
    """
    if not set(a.queries) & set(b.queries):
        raise InputError("{a} and {b} have no query in common: there is nothing to pair", a=a.name, b=b.name)
    with needs(message("a comparison"), "stats"):
        import scipy  # type: ignore[import-untyped]  # noqa: F401
    return BenchComparison(a, b, alternated=a.beside == b.name and b.beside == a.name and a.begun == b.begun)


def alternate(a: object, b: object, queries: Any, qrels: QrelsLike | None = None, **how: Any) -> BenchComparison:
    """Two retrievers that take turns at each query, in random order.

    What slows the machine for a while meets both alike, so that the ratio of their latencies is far surer than
    from two runs (Abedi and Brecht, 2017; Duet benchmarking: Bulej et al., 2020).

    Args:
        a, b, queries, qrels: as for `bench`.
        how: what else `bench` takes.

    >>> both = alternate(lambda q: ["d1", "d2"], lambda q: ["d2", "d1"], ["tea", "ink"],
    ...                   {"1": {"d2": 1}, "2": {"d2": 1}}, measures="RR")
    >>> both.differences["RR"].estimate, both.alternated
    (0.5, True)
    """
    from truerank.live.running import run

    first, second = run([a, b], queries, qrels, **how)
    return compare(first, second)


def _plain(interval: Interval | None, test: Paired | None) -> dict[str, float | str | None] | None:
    if interval is None or test is None:
        return None
    return {**interval.limits(), "confidence": interval.confidence, "p": test.p, "test": test.method}
