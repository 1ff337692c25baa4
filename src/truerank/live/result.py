"""What a benchmark found: every call, every answer, and the figures that are made of them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from truerank.core.errors import InputError, needs
from truerank.core.ids import is_later
from truerank.core.messages import message
from truerank.core.presented import Presented, finite, significant
from truerank.core.rankings import rankings
from truerank.core.run import Run
from truerank.core.scores import Scores, intervals
from truerank.formats.converting import by_ending
from truerank.formats.target import writing
from truerank.formats.trec import write_run
from truerank.live import latency, storage
from truerank.live.censored import Bounded, bounded
from truerank.live.clock import NANO
from truerank.live.collector import Pause
from truerank.live.indexing import Indexing
from truerank.live.plan import ALONE, Load
from truerank.live.quality import as_run
from truerank.live.retriever import FirstAnswers
from truerank.live.samples import MEASURED, OUTCOMES, PHASES, Harness, Samples
from truerank.stats import Interval
from truerank.stats.quantiles import NEAREST


@dataclass(frozen=True, eq=False, repr=False)
class Bench(Presented):
    """What a benchmark found. Times are in milliseconds, but those of `samples` in nanoseconds.

    Attributes:
        name: of the retriever.
        load: how hard, how often and how long it was asked.
        queries: all ids; `samples.query` holds indices into them.
        samples: every call, raw.
        answers: what was returned.
        faults: {what went wrong: how often} in measured calls, the most frequent first.
        scores: how good the measured answers are; None without qrels.
        unasked: judged queries that were not asked, and so are not in the scores.
        pauses: of Python's garbage collector since the first measured start.
        harness: what the measuring costs.
        describe: of the retriever: library, version, parameters.
        machine: processor, system and versions.
        begun: when, in UTC.
        stopped: why the run ended early: "interrupted" and the like; empty if it did not.
        beside: the retriever that took turns with this one; empty if none did.
        settings: of a sweep: what was set to which value.
        percentiles: "nearest-rank": values that were measured; "linear": between two, as NumPy has them.
        indexing: how long the indexing took; None where none was timed.
    """

    built_by = "bench"

    name: str
    load: Load
    queries: tuple[str, ...] = field(repr=False)
    samples: Samples = field(repr=False)
    answers: FirstAnswers = field(repr=False)
    faults: Mapping[str, int]
    scores: Scores | None
    pauses: tuple[Pause, ...] = field(repr=False)
    harness: Harness
    describe: Mapping[str, str]
    machine: Mapping[str, str]
    begun: str
    stopped: str = ""
    beside: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    unasked: int = 0
    percentiles: str = NEAREST
    indexing: Indexing | None = None

    def __post_init__(self) -> None:
        latency.checked(self.percentiles)

    def _summary(self) -> str:
        figures = ", ".join(
            f"{name} {significant(self.latency[name], 3)} ms" for name in ("mean", "p50", "p95", "p99")
        )
        return f"Bench({self.name!r}, {len(self.measured):,} calls, {figures})"

    @cached_property
    def measured(self) -> Samples:
        """The calls that the figures are made of."""
        return self.samples.measured

    @cached_property
    def answered(self) -> int:
        """Queries that were answered at least once."""
        return len(np.unique(self.measured.answered.query))

    @cached_property
    def latency(self) -> dict[str, float]:
        """Mean, min, max, p50, p90, p95, p99 and p99.9 in ms of the calls that were answered.

        In an open loop from the intended start, in a closed one from the call.
        """
        return latency.summary(self.measured.answered.latency, self.percentiles)

    @cached_property
    def service(self) -> dict[str, float]:
        """The figures of `latency`, measured from the call itself, not from its intended start."""
        return latency.summary(self.measured.answered.service, self.percentiles)

    @cached_property
    def lag(self) -> dict[str, float]:
        """The figures of `latency` for how late the harness itself made its calls, where a worker was free."""
        return latency.summary(self.measured.started.lag, self.percentiles)

    @cached_property
    def intervals(self) -> dict[str, Interval | None]:
        """The 95 % interval of each latency in ms and of each measure's mean; None for what is not resolved."""
        return {**self._of_latencies(), **self._of_scores()}

    def _of_latencies(self) -> dict[str, Interval | None]:
        answered = self.measured.answered
        intervals = latency.intervals(answered.latency, answered.query)
        own = self.latency  # an interval knows percentiles of one kind
        return {name: each and replace(each, estimate=own[name]) for name, each in intervals.items()}

    def of_all_calls(self, confidence: float | None = 0.95) -> dict[str, Bounded]:
        """Each latency over all measured calls, also those that failed, timed out or never started.

        Args:
            confidence: of the intervals; None for none.

        Raises:
            MissingPackage: SciPy is not installed.
        """
        return bounded(self.measured, self.percentiles, confidence)

    def _of_scores(self) -> dict[str, Interval | None]:
        if self.scores is None:
            return {}
        columns = {m: self.scores[m] for m in self.scores.measures if m.definition.average != "sum"}
        known = {m: np.isfinite(values) for m, values in columns.items()}
        whole = [m for m, own in known.items() if len(own) and own.all()]
        with needs(message("an interval"), "stats"):
            of_means = intervals(whole, np.stack([columns[m] for m in whole], axis=1)) if whole else []
            found = dict(zip(whole, of_means, strict=True))
            for m in (m for m, own in known.items() if own.any() and not own.all()):
                found[m] = intervals([m], columns[m][known[m], None])[0]
        return {str(m): found.get(m) for m in columns}

    @property
    def outcomes(self) -> dict[str, int]:
        """How many measured calls had each outcome; how many were late, whatever their outcome, is told besides."""
        counts = {outcome: self.measured.count(outcome) for outcome in OUTCOMES}
        return {**counts, "late": int(self.measured.started.late.sum())}

    @property
    def failed(self) -> int:
        """Measured calls that brought no answer."""
        outcomes = self.outcomes
        return sum(outcomes[how] for how in ("error", "timeout", "dropped"))

    @property
    def calls(self) -> float | None:
        """Lists per query, where the retriever gives several (a latency is then that of all of them); else None."""
        answers = self.answers.by_query.values()
        if all(answer.ends is None for answer in answers):
            return None
        return sum(len(answer.lists) for answer in answers) / len(answers)

    @property
    def cold(self) -> float | None:
        """Milliseconds of the very first call; None if it did not succeed or was measured with the others."""
        first = self._phase("cold").answered
        return float(first.service[0]) / latency.MILLION if len(first) else None

    @property
    def window(self) -> float:
        """Seconds from the first measured start to the last end."""
        started = self.measured.started
        return float(started.end.max() - min(0, started.begin.min())) / NANO if len(started) else 0.0

    @property
    def throughput(self) -> float | None:
        """Answers a second over the window; None where another retriever took turns and had a part of it."""
        if self.beside:
            return None
        return len(self.measured.answered) / self.window if self.window else 0.0

    @property
    def throughput_interval(self) -> Interval | None:
        """The 95 % interval of the throughput of a closed loop: it is one over the mean time of a call.

        None in an open loop, whose throughput is set from outside, where calls failed, or queries are too few.
        """
        if self.load.is_open or self.failed or not self.throughput:
            return None
        mean = self.intervals["mean"]
        if mean is None or not 0 < mean.low <= mean.high < math.inf:
            return None
        calls = self.throughput * mean.estimate
        return Interval(self.throughput, calls / mean.high, calls / mean.low, mean.confidence, mean.method)

    @property
    def under_way(self) -> float | None:
        """Calls under way at a time: their times added up, over the window (Little's law, 1961).

        None where another retriever took turns and had a part of the window.
        """
        if self.beside:
            return None
        return float(self.measured.service.sum()) / NANO / self.window if self.window else 0.0

    @property
    def at_a_time(self) -> float | None:
        """Calls served at a time: those under way, divided by how many times as long as one alone they take.

        Both times are medians. With eight workers at a retriever with a lock eight calls are under way, but one is
        served at a time. None with one worker, without a warm-up, where another retriever took turns, and in an
        open loop, whose throughput is set from outside.
        """
        alone, beside = self._phase("alone").answered.service, self.measured.answered.service
        if self.load.is_open or self.under_way is None or not len(alone) or not len(beside):
            return None
        slower = float(np.median(beside)) / max(1.0, float(np.median(alone)))
        return self.under_way / max(1.0, slower)  # five calls alone may be slower by chance

    @property
    def is_crowded(self) -> bool:
        """Whether all five calls that had the retriever for themselves were faster than the measured ones' median.

        Where calls do not wait for each other, that happens by chance once in 32 times.
        """
        alone, beside = self._phase("alone").answered.service, self.measured.answered.service
        return len(alone) >= ALONE and len(beside) > 0 and float(alone.max()) < float(np.median(beside))

    @property
    def asked_before(self) -> int:
        """Measured calls whose query had been asked before, which a cache could answer."""
        started = self.samples.started
        ordered = started[np.argsort(started.begin, kind="stable")]
        return int(is_later(ordered.query)[ordered.phase == MEASURED].sum())

    @property
    def asked(self) -> tuple[str, ...]:
        """The queries that came to their turn; of a plain loop also those that warmed it up."""
        asked = self.samples if self.load.plain else self.measured
        return tuple(self.queries[q] for q in np.unique(asked.query).tolist())

    @property
    def run(self) -> Run:
        """The first measured answer of each query as a run, an empty one for a query that failed."""
        return as_run(self.name, self.asked, self.answers.by_query)

    def _phase(self, name: str) -> Samples:
        return self.samples[self.samples.phase == PHASES.index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the figures for people and programs first, then what they are made of."""
        return {
            "format": storage.FORMAT,
            "name": self.name,
            "load": asdict(self.load),
            "percentiles": self.percentiles,
            "latency_ms": finite(self.latency),
            "service_ms": finite(self.service),
            "throughput": self.throughput,
            "outcomes": self.outcomes,
            "indexing": self.indexing.to_dict() if self.indexing else None,
            "mean": finite(self.scores.mean) if self.scores else None,
            "calls": self.calls,
            "cold_ms": self.cold,
            "under_way": self.under_way,
            "at_a_time": self.at_a_time,
            "begun": self.begun,
            "stopped": self.stopped,
            "beside": self.beside,
            "settings": {name: storage.setting(value) for name, value in self.settings.items()},
            "describe": dict(self.describe),
            "machine": dict(self.machine),
            "harness_ns": asdict(self.harness),
            "faults": dict(self.faults),
            "scores": self.scores.to_dict(per_query=True) if self.scores else None,
            "unasked": self.unasked,
            "odd": {name: getattr(self.answers, name) for name in storage.ODD},
            "answers": {q: storage.answer(a) for q, a in self.answers.by_query.items()},
            "queries": self.queries,
            "phases": PHASES,
            "outcome_names": OUTCOMES,
            "pauses_ns": [(p.begin, p.end, p.generation) for p in self.pauses],
            "samples_ns": self.samples.to_dict(),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything as JSON, all or nothing; `Bench.read` reads it."""
        with writing(path) as file:
            file.write(storage.dumped([self.to_dict()]))

    def save_run(self, path: str | os.PathLike[str]) -> None:
        """Write the answers as a run, all or nothing: by the file's ending, else TREC's.

        JSON and JSON lines keep answers without documents, and so an agent's last calls that returned nothing; in
        rows, as TREC's, there is no place for them.
        """
        format = by_ending(os.fspath(path))
        write = write_run if format is None or format.write_run is None else format.write_run
        with writing(path) as file:
            write(rankings(self.run.batches()), file, "-".join(self.name.split()) or "run")

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Bench:
        """The benchmark that `save` wrote.

        Raises:
            InputError: the file is no benchmark, or holds several.
        """
        benches = Bench.read_all(path)
        if len(benches) > 1:
            raise InputError("there are {n} benchmarks in it, not one", path, n=len(benches))
        return benches[0]

    @staticmethod
    def read_all(path: str | os.PathLike[str]) -> list[Bench]:
        """All benchmarks of a file, at least one.

        Raises:
            InputError: the file is no benchmark, or a part is missing.
        """
        return [Bench(**parts) for parts in storage.loaded(path)]
