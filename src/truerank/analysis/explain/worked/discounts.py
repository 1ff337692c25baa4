"""What a rank makes of a gain, on paper: each discount of cumulated gain as arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from truerank.analysis.explain.worked.case import Hit
from truerank.analysis.explain.worked.form import Step, whole


@dataclass(frozen=True)
class Discounting:
    """A discount, or the weights of the first ranks; and the base of the logarithm, if it takes one."""

    kind: Any
    log_base: float

    @property
    def log(self) -> str:
        """The logarithm's name: log2."""
        return f"log{self.log_base:g}"

    @property
    def words(self) -> str:
        """What is done with each gain, after its name."""
        known = {
            "log2": f"/ {self.log}(rank + 1)",
            "jk": f"/ max({self.log}(rank), 1)",
            "reciprocal": "/ rank",
        }
        return known[self.kind] if isinstance(self.kind, str) else "× weight of its rank"

    def step(self, hit: Hit, gain: float) -> Step:
        """What a document adds, and how."""
        if not isinstance(self.kind, str):
            weight = self.weight(hit.rank)
            return Step(hit, "{} × {}", (whole(gain), whole(weight)), gain * weight)
        how, number = {
            "log2": (f"{{}} / {self.log}({{}})", hit.rank + 1),
            "jk": (f"{{}} / max({self.log}({{}}), 1)", hit.rank),
            "reciprocal": ("{} / {}", hit.rank),
        }[self.kind]
        return Step(hit, how, (whole(gain), number), gain / self._divisor(hit.rank))

    def weight(self, rank: int) -> float:
        """What a gain of 1 is worth at a rank."""
        if not isinstance(self.kind, str):
            return float(self.kind[rank - 1]) if rank <= len(self.kind) else 0.0
        if self.kind == "log2":
            return math.log2(self.log_base) / math.log2(rank + 1)
        return 1.0 / self._divisor(rank)

    def _divisor(self, rank: int) -> float:
        if self.kind == "reciprocal":
            return float(rank)
        base = 1.0 if self.log_base == 2 else math.log2(self.log_base)
        return math.log2(rank + 1) / base if self.kind == "log2" else max(math.log2(rank) / base, 1.0)
