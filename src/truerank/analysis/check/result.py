"""What a check found: a verdict for each gate, and one for all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from truerank.core.errors import printable
from truerank.core.messages import joined, message
from truerank.core.presented import Presented, finite
from truerank.stats import Interval

if TYPE_CHECKING:
    from truerank.analysis.check.figures import Counted
    from truerank.analysis.check.watching import Watch
    from truerank.analysis.compare.prediction_powered import Predicted
    from truerank.core.scores import Scores

Outcome = Literal["pass", "fail", "undecided"]
Kind = Literal["min", "max", "no worse than"]

STATUS: dict[Outcome, int] = {"pass": 0, "fail": 1, "undecided": 3}
"""What the command exits with; 2 is for input that cannot be used."""


@dataclass(frozen=True)
class Verdict:
    """One gate, and whether it holds.

    Attributes:
        name: the measure, or the figure of a benchmark such as p95.
        kind: min, max, or no worse than a baseline.
        outcome: pass, fail or undecided.
        value: the number; against a baseline the difference, query by query, of the mean to the baseline's.
        limit: what the value may not fall below or, if `is_upper`, rise above.
        is_upper: whether the limit is an upper one.
        interval: where the value may lie; None where that cannot be said.
        decider: "value" or "interval": what decided.
        unit: of a benchmark's figure: "ms", "/s" or nothing.
        against: the name of the baseline.
        queries: over how many queries; None where that is unknown.
        is_least: whether the value is the least that it may be: calls that failed could be of any length.
        slice: the value of the attribute whose queries these are; empty for all queries.
        note: why there is no interval, or which queries were left out; empty for nothing remarkable.
    """

    name: str
    kind: Kind
    outcome: Outcome
    value: float
    limit: float
    is_upper: bool
    interval: Interval | None
    decider: Literal["value", "interval"]
    unit: str = ""
    against: str = ""
    queries: int | None = None
    note: str = ""
    is_least: bool = False
    slice: str = ""

    @property
    def gate(self) -> str:
        """The gate in words, with its slice.

        >>> Verdict("p95", "max", "pass", 180.0, 200.0, True, None, "value", "ms").gate
        'p95 <= 200 ms'
        """
        return joined(": ", [printable(self.slice), self.asked]) if self.slice else self.asked

    @property
    def asked(self) -> str:
        """The gate in words, without its slice."""
        if self.against:
            name, baseline = printable(self.name), printable(os.path.basename(self.against) or self.against)
            if not self.limit:
                return message("{name} no worse than {baseline}", name=name, baseline=baseline)
            return message(
                "{name} no worse than {baseline} by more than {margin}",
                name=name,
                baseline=baseline,
                margin=_written(abs(self.limit)),
            )
        unit = f" {self.unit}" if self.unit and self.unit[0].isalpha() else self.unit
        return f"{self.name} {'<=' if self.is_upper else '>='} {_written(self.limit)}{unit}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for what has no finite number."""
        plain = {key: value for key, value in vars(self).items() if key != "interval"}
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        known = {"value": finite(self.value), "low": finite(low), "high": finite(high)}
        level = {"confidence": self.interval.confidence} if self.slice and self.interval else {}
        plain = plain if self.slice else {key: value for key, value in plain.items() if key != "slice"}
        method = self.interval.method if self.interval else None
        return {"gate": self.gate, **plain, **known, "interval": method, **level}


def _written(number: float) -> str:
    """A limit written as short as possible without losing a digit.

    >>> _written(0.4), _written(0.41756344), _written(200.0)
    ('0.4', '0.41756344', '200')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


@dataclass(frozen=True, repr=False)
class Check(Presented):
    """A verdict for each gate. Failing wins over undecided, and that over passing.

    Attributes:
        verdicts: in the order in which the gates were given: min, max, no worse than.
        run: the name of what was checked.
        confidence: of the intervals.
        samples: how often queries were resampled for them.
        rules: under whose rules it was scored; empty where that is unknown.
        by: the attribute that slices are cut by; empty where there are none.
        unsliced: how many queries have no value of it.
        watch: the looks so far and this one, where gates are watched.
        predicted: what people's judgements and a model's make of the run, where it is checked by these.
        scored: what the means of the run and of the baseline hide, where that is known.
        systems: the names of both, and the scores of those that have several runs.
        ended: that the benchmark ended early, and why; empty where it did not.

    >>> import truerank as tr
    >>> found = tr.check({"nDCG@10": 0.41, "RR": 0.5}, min={"nDCG@10": 0.4, "RR": 0.55})
    >>> found.outcome, found.status, [verdict.outcome for verdict in found.verdicts]
    ('fail', 1, ['pass', 'fail'])
    """

    built_by = "check"

    verdicts: tuple[Verdict, ...]
    run: str
    confidence: float
    samples: int
    rules: str = ""
    by: str = ""
    unsliced: int = 0
    watch: Watch | None = None
    predicted: Predicted | None = None
    scored: tuple[Counted, ...] = ()
    systems: tuple[tuple[str, Scores | None], ...] = ()
    ended: str = ""

    def _summary(self) -> str:
        gates = ", ".join(f"{verdict.gate}: {verdict.outcome}" for verdict in self.verdicts)
        return f"Check({self.run!r}, {self.outcome}; {gates})"

    @property
    def outcome(self) -> Outcome:
        """fail if any gate failed, else undecided if any is, else pass."""
        outcomes = {verdict.outcome for verdict in self.verdicts}
        return "fail" if "fail" in outcomes else "undecided" if "undecided" in outcomes else "pass"

    @property
    def status(self) -> int:
        """The exit status of the command: 0 pass, 1 fail, 3 undecided."""
        return STATUS[self.outcome]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "outcome": self.outcome,
            "run": self.run,
            "rules": self.rules,
            "confidence": self.confidence,
            **({"by": self.by, "unsliced": self.unsliced} if self.by else {}),
            "gates": [verdict.to_dict() for verdict in self.verdicts],
            **({"watch": self.watch.to_dict()} if self.watch else {}),
        }
