"""How likely a user looks at each rank: given, by a power law, or from lists in random order."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from truerank.core.errors import InputError, quoted
from truerank.core.messages import message
from truerank.formats import names
from truerank.formats.source import as_source
from truerank.truth.clicks import Clicks, Impression, click_rates
from truerank.truth.tabular import read_table

LEAST = 1e-12
"""Of a propensity; a click that weighs more than a million million says nothing but itself."""

COLUMNS = ("propensity", "propensities", "examination", "probability", "prob", "p", "theta")


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
            given: {rank: propensity}, or a table with the columns rank and propensity.
            eta: of the power law.
            randomized: clicks on lists that were shown in random order: there relevance is the same at all ranks,
                so that a rank's propensity, relative to that of the first, is its click rate over that of the
                first (Joachims, Swaminathan and Schnabel 2017, section 5.3).

        Raises:
            InputError: none or several of them, or a propensity that is no number from 0 to 1.
        """
        if [given, eta, randomized].count(None) != 2:
            raise InputError(
                "propensities come from a table, from eta (rank ** -eta) or from a randomized log: give one"
            )
        if eta is not None:
            if not isinstance(eta, Real) or not 0 <= eta < math.inf:
                raise InputError("eta is a number from 0 on, not {eta}", eta=eta)
            return cls(message("rank ** -{eta:g}", eta=eta), eta=eta)
        if randomized is not None:
            return cls(message("click rates of {name}", name=randomized.name), _relative(randomized))
        if isinstance(given, Mapping):
            return cls(
                message("as given"), {_rank(r, None, None): _share(p, r, None, None) for r, p in given.items()}
            )
        if not isinstance(given, str | os.PathLike):
            raise InputError("propensities are {rank: propensity}, or the path of a table")
        return cls(os.fspath(given), _of_file(given))

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


def _of_file(path: Any) -> dict[int, float]:
    table = read_table(as_source(path))
    rank = table.column(names.RANK, message("the ranks; name it rank"))
    share = table.column(COLUMNS, message("the propensities; name it propensity"))
    shares: dict[int, float] = {}
    for row, (at, value) in enumerate(zip(table.columns[rank], table.columns[share], strict=True)):
        place = _rank(at, table.name, table.line(row))
        if place in shares:
            raise InputError("rank {rank} has two propensities", table.name, table.line(row), rank=place)
        shares[place] = _share(value, place, table.name, table.line(row))
    return shares


def _rank(value: Any, path: str | None, line: int | None) -> int:
    try:
        if int(value) == float(value) and int(value) >= 1:
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError("a rank is a whole number from 1 on, not {value}", path, line, value=quoted(value))


def _share(value: Any, rank: Any, path: str | None, line: int | None) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = math.nan
    if not 0 <= share <= 1:
        raise InputError(
            "the propensity of rank {rank} is a number from 0 to 1, not {value}",
            path,
            line,
            rank=rank,
            value=quoted(value),
        )
    return share
