"""What a set of queries can show: before they are judged, or before a difference is believed."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from truerank import stats
from truerank.analysis.claims.asked import check_level, check_queries, check_sd
from truerank.analysis.claims.result import Power, PowerRow, Which
from truerank.analysis.claims.spreads import ANY, OF_ONE, Spread, usual
from truerank.analysis.compare.systems import align, common_measures, scored
from truerank.core.errors import InputError, MeasureError, needs
from truerank.core.messages import Message, listed, message, plural
from truerank.core.qrels import QrelsLike
from truerank.core.rules import RulesLike
from truerank.core.schema import is_real, is_whole, plain
from truerank.core.scores import averaged
from truerank.measures import Measure, MeasuresLike, parse_measures
from truerank.stats.values import deviation, differences, scale

Spreads = list[tuple[str, Which, float]]

PLAIN = ("nDCG@10", "AP", "RR", "Success@1")
"""Whose usual standard deviations are taken where no measure is named."""


def power(
    queries: int | None = None,
    difference: float | None = None,
    *,
    sd: float | None = None,
    qrels: QrelsLike | None = None,
    runs: Any = None,
    measures: MeasuresLike | None = None,
    rules: RulesLike | None = None,
    items: Any = None,
    systems: int = 2,
    alpha: float = 0.05,
    power: float = 0.8,
) -> Power:
    """How often a difference is found, which is the smallest that is, and how many queries that takes.

    By the two-sided paired t-test, with alpha divided by the number of pairs where there are several systems.
    The standard deviation of the differences is given, or that of every two runs on qrels, or what is usual.

    Args:
        queries: how many there are.
        difference: the real one of the means. With neither this nor queries, there are as many as the runs share.
        sd: the standard deviation of the differences from query to query.
        qrels, runs: as for `compare`, in place of `sd`; of a single run the spread of a difference is only guessed.
        measures, rules: of the runs; or those whose usual standard deviations are taken.
        items: as for `evaluate`, for measures of all that the runs list.
        systems: how many are compared, every two.
        power: how often a real difference should be found.

    Raises:
        TruerankError: neither queries nor a difference nor runs; a number that is none of its kind; no such run.

    >>> power(50, sd=0.2, systems=6).rows[0].detectable > power(50, sd=0.2).rows[0].detectable
    True
    """
    if queries is None and difference is None and runs is None:
        raise InputError(
            "say how many queries there are, or which difference matters: --queries 50 --difference 0.02"
        )
    _check(queries, difference, sd, systems, alpha, power)
    queries, difference, sd = plain(queries), plain(difference), plain(sd)
    systems, alpha, power = plain(systems), plain(alpha), plain(power)
    if sd is not None and runs is not None:
        raise InputError("give the standard deviation (sd), or runs that have one; not both")
    spreads, source, shared = _spreads(sd, qrels, runs, measures, rules, items)
    if queries is None and difference is None:
        queries = shared
    level = alpha / math.comb(systems, 2)
    with needs("power", "stats"):
        rows = tuple(_row(*one, queries, difference, level, power) for one in spreads)
    return Power(rows, queries, difference, systems, alpha, power, source)


def _check(
    queries: int | None, difference: float | None, sd: float | None, systems: int, alpha: float, power: float
) -> None:
    if queries is not None:
        check_queries(queries)
    if difference is not None and not (is_real(difference) and 0 < abs(difference) < math.inf):
        raise InputError("the difference is a number other than 0, e.g. 0.02; not {given!r}", given=difference)
    if sd is not None:
        check_sd(sd)
    if not is_whole(systems) or systems < 2:
        raise InputError("a comparison needs 2 systems or more, not {given}", given=systems)
    if not (is_real(alpha) and is_real(power) and 0 < alpha < power < 1):
        raise InputError("alpha and power are between 0 and 1, and power is above alpha")
    check_level(alpha, math.comb(systems, 2))


def _spreads(
    sd: float | None,
    qrels: QrelsLike | None,
    runs: Any,
    measures: MeasuresLike | None,
    rules: RulesLike | None,
    items: Any,
) -> tuple[Spreads, Message, int | None]:
    """Standard deviations of differences, their source, and, if this is runs, the number of queries."""
    if sd is not None:
        return [("", "given", sd)], message("the standard deviation that was given"), None
    if runs is None:
        return *_usual(PLAIN if measures is None else measures), None
    return _of_runs(qrels, runs, measures, rules, items)


def _usual(measures: MeasuresLike) -> tuple[Spreads, Message]:
    asked = parse_measures(measures)
    for one in asked:
        _refuse_sum(one)
    spreads = {one.written: usual(one.written) for one in asked}
    rows = [row for name, spread in spreads.items() for row in _three(name, spread)]
    unknown = [name for name, spread in spreads.items() if spread is ANY]
    if unknown:
        return rows, message(
            "usual standard deviations, as measured for docs/claims.md; not measured, and taken to have the range "
            "of all others: {names}",
            names=listed(unknown),
        )
    return rows, message("usual standard deviations, as measured for docs/claims.md")


def _refuse_sum(measure: Measure) -> None:
    if measure.definition.average not in ("mean", "geometric"):
        raise MeasureError("{name} is no mean of queries: it has no power to work out", name=measure)


def _three(name: str, spread: Spread) -> Spreads:
    return [(name, "lowest", spread.low), (name, "middle", spread.middle), (name, "highest", spread.high)]


def _of_runs(
    qrels: QrelsLike | None, runs: Any, measures: MeasuresLike | None, rules: RulesLike | None, items: Any
) -> tuple[Spreads, Message, int]:
    scores = scored(qrels, runs, measures, rules, items=items)
    systems, spreads, compared = align(scores), Spreads(), common_measures(scores, measures)
    if len(systems.queries) < 2:
        raise InputError("one query shows nothing of a spread: the runs must share 2 queries or more")
    for measure in compared:
        _refuse_sum(measure)
        values = averaged(measure, systems.values(measure))
        kept = values[np.isfinite(values).all(axis=1)]
        spreads += _of_values(str(measure), kept) if len(kept) > 1 else []
    if not spreads and len(scores) == 1:
        raise InputError("the run has the same value on every query: there is no spread to go by")
    if not spreads:
        raise InputError(
            "the runs differ by the same on every query, if at all: their differences have no spread to go by"
        )
    source = _source(math.comb(len(scores), 2))
    if on_logarithms := [str(measure) for measure in compared if measure.definition.average == "geometric"]:
        source = message(
            "{source}; all that is said of {measures} is of differences of natural logarithms",
            source=source,
            measures=listed(on_logarithms),
        )
    return spreads, source, len(systems.queries)


def _source(pairs: int) -> Message:
    if not pairs:
        return message("guessed from the spread of one run: give two or more to know that of a difference")
    return plural("the pair of runs", "the {n} pairs of the runs", n=pairs)


def _of_values(name: str, values: np.ndarray) -> Spreads:
    """The spreads of the pairs of columns; for a single column, a guess from its own spread."""
    if values.shape[1] == 1:
        alone = _sd(values[:, 0], np.zeros(len(values)))
        spread = Spread(*(alone * ratio for ratio in (OF_ONE.low, OF_ONE.middle, OF_ONE.high)))
        return _three(name, spread) if alone else []
    known = sorted(sd for pair in itertools.combinations(values.T, 2) if (sd := _sd(*pair)) > 0)
    if len(known) == 1:
        return [(name, "given", known[0])]
    return _three(name, Spread(known[0], float(np.median(known)), known[-1])) if known else []


def _sd(a: np.ndarray, b: np.ndarray) -> float:
    """The standard deviation of a − b; exactly 0 where the differences are equal up to rounding."""
    return float(deviation(differences(a, b), scale(a, b)))


def _row(
    measure: str,
    spread: Which,
    sd: float,
    queries: int | None,
    difference: float | None,
    level: float,
    wanted: float,
) -> PowerRow:
    shown = critical = detectable = needed = None
    if queries is not None:
        critical = stats.critical_difference(sd, queries, alpha=level)
        detectable = stats.smallest_detectable(sd, queries, alpha=level, power=wanted)
    if difference is not None:
        shown = stats.power(sd, queries, difference, alpha=level) if queries else None
        needed = _needed(sd, difference, level, wanted)
    return PowerRow(measure, spread, sd, shown, critical, detectable, needed)


def _needed(sd: float, difference: float, level: float, wanted: float) -> int | None:
    """How many queries are needed; None where a thousand million are not enough."""
    try:
        return stats.queries_needed(sd, difference, alpha=level, power=wanted)
    except ValueError:
        return None
