"""What power and the audit of a table find."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from truerank.analysis.claims.published import no_column
from truerank.core.errors import printable
from truerank.core.messages import Message
from truerank.core.presented import Presented, finite

Verdict = Literal["yes", "depends", "no"]

Which = Literal["given", "lowest", "middle", "highest"]
"""Which of the standard deviations under consideration is meant."""


@dataclass(frozen=True)
class PowerRow:
    """What can be shown where differences vary so much.

    Attributes:
        measure: empty where none is named.
        spread: given, lowest, middle, highest: which of the standard deviations that are considered.
        sd: the standard deviation of the differences from query to query.
        power: how often the difference is found with these queries; None where one of the two is not given.
        critical: the smallest difference that is significant with these queries; None without queries.
        detectable: the smallest real difference that is found as often as wanted; None without queries.
        needed: how many queries find the difference as often as wanted; None without a difference.
    """

    measure: str
    spread: Which
    sd: float
    power: float | None
    critical: float | None
    detectable: float | None
    needed: int | None


@dataclass(frozen=True, repr=False)
class Power(Presented):
    """What a set of queries can show, by the two-sided paired t-test.

    Attributes:
        rows: one a measure and standard deviation.
        queries, difference: as given, or None.
        systems: how many are compared; of more than two every two, and alpha is divided by their number of pairs.
        alpha: of all pairs together.
        wanted: how often a real difference should be found.
        source: where the standard deviations are from.

    >>> import truerank as tr
    >>> found = tr.power(50, 0.02, sd=0.2)
    >>> round(found.rows[0].power, 2), round(found.rows[0].detectable, 3), found.rows[0].needed
    (0.11, 0.081, 787)
    """

    built_by = "power"

    rows: tuple[PowerRow, ...]
    queries: int | None
    difference: float | None
    systems: int
    alpha: float
    wanted: float
    source: Message

    @property
    def pairs(self) -> int:
        """How many pairs of systems are tested."""
        return math.comb(self.systems, 2)

    def _summary(self) -> str:
        asked = {"queries": self.queries, "difference": self.difference, "systems": self.systems}
        return f"Power({', '.join(f'{name}={value}' for name, value in asked.items() if value is not None)})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for what no number of queries shows."""
        head = {key: getattr(self, key) for key in ("queries", "difference", "systems", "pairs", "alpha", "wanted")}
        return {**head, "source": str(self.source), "rows": [finite(vars(row)) for row in self.rows]}


@dataclass(frozen=True)
class Claim:
    """One pair of systems by one measure of a published table.

    Attributes:
        measure, better, worse: the column and the two rows.
        difference: of the published means.
        low, high: between which the difference lies, whatever was rounded away.
        critical_sd: the largest standard deviation of differences at which `high` is significant.
        told: whether these queries tell the two apart: under every standard deviation that is considered, under
            some, or under none.
        best_p, worst_p: of values that are 0 or 1, p of the sign test where the two disagree on as few or on as
            many queries as their means allow; None for other values.
    """

    measure: str
    better: str
    worse: str
    difference: float
    low: float
    high: float
    critical_sd: float
    told: Verdict
    best_p: float | None = None
    worst_p: float | None = None


@dataclass(frozen=True)
class Told:
    """One column of a published table.

    Attributes:
        measure: as its heading is written.
        systems: how many have a mean.
        is_binary: whether values are 0 or 1.
        is_percent: whether the means were read as percentages.
        unit: what the last published digit is worth.
        low, high: the standard deviations of differences that are considered.
        level: of each pair: alpha divided by the number of pairs.
        critical: the smallest differences that are significant at `low` and at `high`.
        detectable: the smallest real differences found in four of five samples, likewise.
        impossible: systems whose mean cannot be one of so many zeros and ones.
        missing: systems of the table that have no mean here.
    """

    measure: str
    systems: int
    is_binary: bool
    is_percent: bool
    unit: float
    low: float
    high: float
    level: float
    critical: tuple[float, float]
    detectable: tuple[float, float]
    impossible: tuple[str, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class TableAudit(Presented):
    """What a table of means could ever have shown with so many queries.

    Attributes:
        name: of the table.
        queries: how many the means are of.
        alpha: of all pairs of a column together.
        baseline: the system that all others are compared to; None: every two.
        measures: the columns.
        claims: the pairs of each column, the largest difference first.
        is_given: whether the standard deviation was given, and is not what is usual.
        left_out: columns of other numbers, such as sizes, or with cells that are none.

    >>> import truerank as tr
    >>> found = tr.audit_table({"bm25": {"nDCG@10": 0.412}, "ours": {"nDCG@10": 0.431}}, queries=50)
    >>> claim = found.claims[0]
    >>> claim.better, claim.told, round(claim.critical_sd, 3)
    ('ours', 'depends', 0.07)
    """

    built_by = "audit_table"

    name: str
    queries: int
    alpha: float
    baseline: str | None
    measures: tuple[Told, ...]
    claims: tuple[Claim, ...]
    is_given: bool
    left_out: tuple[str, ...] = ()

    def of(self, measure: str) -> list[Claim]:
        """The pairs of one column, in any case.

        Raises:
            InputError: there is no such column.
        """
        heads = {told.measure.lower(): told.measure for told in self.measures}
        head = heads.get(str(measure).lower())
        if head is None:
            raise no_column(str(measure), list(heads.values()), self.name)
        return [claim for claim in self.claims if claim.measure == head]

    def _summary(self) -> str:
        counts = ", ".join(
            f"{told}: {sum(c.told == told for c in self.claims)}" for told in ("yes", "depends", "no")
        )
        return f"TableAudit({printable(self.name)!r}, {self.queries} queries; pairs told apart {counts})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        head = {key: getattr(self, key) for key in ("name", "queries", "alpha", "baseline", "left_out")}
        return {
            **head,
            "measures": [finite(vars(one)) for one in self.measures],
            "pairs": [vars(claim) for claim in self.claims],
        }
