"""How likely a user looks at each rank: given, by a power law, or from lists in random order."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.schema import is_number
from truerank.formats import names
from truerank.truth.clicks import Clicks, Impression, click_rates
from truerank.truth.rank_tables import by_rank

LEAST = 1e-12
"""Of a propensity; a click that weighs more than a million million says nothing but itself."""


@dataclass(frozen=True)
class Propensities:
    """Propensities by rank.

    Attributes:
        origin: where they come from, in words.
        by_rank: {rank: propensity}; empty where the power law has them.
        eta: its exponent: rank ** −eta.
    """

    origin: str
    by_rank: Mapping[int, float] = field(default_factory=dict)
    eta: float | None = None

    @classmethod
    def of(cls, given: Any, eta: float | None, randomized: Clicks | None) -> Propensities:
        """Those that are given in one of the three ways.

        Args:
            given: {rank: propensity}, or a table with the columns rank and propensity, as a file or a DataFrame.
            eta: of the power law.
            randomized: clicks on lists that were shown in random order: there relevance is the same at all ranks,
                so that a rank's propensity, relative to that of the first, is its click rate over that of the
                first (Joachims, Swaminathan and Schnabel 2017, section 5.3).

        Raises:
            InputError: none or several of them, or a propensity that is no number from 0 to 1.
        """
        if sum(each is not None for each in (given, eta, randomized)) != 1:
            raise InputError(
                "propensities come from a table, from eta (rank ** -eta) or from a randomized log: give one"
            )
        if eta is not None:
            if not is_number(eta) or eta < 0:
                raise InputError("eta is a number from 0 on, not {eta}", eta=eta)
            return cls(message("rank ** -{eta:g}", eta=float(eta)), eta=float(eta))
        if randomized is not None:
            return cls(message("click rates of {name}", name=randomized.name), _relative(randomized))
        known = by_rank(given, names.PROPENSITY, message("propensity"), message("propensities"))
        return cls(os.fspath(given) if isinstance(given, str | os.PathLike) else message("as given"), known)

    def of_click(self, rank: int, one: Impression, log: Clicks) -> float:
        """The propensity of a rank that was clicked, which is not as good as 0.

        Raises:
            InputError: there is none for the rank, or it is.
        """
        propensity = float(rank**-self.eta) if self.eta is not None else self.by_rank.get(rank, math.nan)
        if propensity >= LEAST:
            return propensity
        said = (
            message("rank {rank} was clicked, but has no propensity ({origin})", rank=rank, origin=self.origin)
            if math.isnan(propensity)
            else message(
                "rank {rank} was clicked, but its propensity is {propensity:.3g} ({origin}): one click would "
                "outweigh all others",
                rank=rank,
                propensity=propensity,
                origin=self.origin,
            )
        )
        raise log.error(one, said)


def _relative(log: Clicks) -> dict[int, float]:
    rates = click_rates(log)
    if not rates.get(1):
        raise InputError("nothing was clicked at rank 1, to which propensities are relative", log.name)
    return {rank: rate / rates[1] for rank, rate in rates.items()}
