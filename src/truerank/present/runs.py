"""Systems with several runs: what differs between queries and between runs, and how many runs are enough."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from truerank.analysis.compare import Comparison, Outcome
from truerank.analysis.compare.result import OVER_RUNS
from truerank.analysis.compare.several import alike, is_deterministic
from truerank.core.errors import printable
from truerank.core.messages import listed, message, plural, warned
from truerank.core.scores import Scores
from truerank.present.comparison_cells import ranked, span
from truerank.present.table import Cell, Table
from truerank.stats import Spread

FEW = 3
"""Fewer runs than these say little of how much they vary."""


def tables(comparison: Comparison, outcome: Outcome, digits: int, pairs: int) -> Iterator[Table]:
    """The variances of each system's runs, and what more runs and more queries would do; none for counts.

    Args:
        pairs: with more pairs than this, the table of what more runs would do is left out.
    """
    if not outcome.spreads or outcome.measure.definition.average == "sum":
        return
    yield _of_systems(comparison, outcome, digits)
    known = list(outcome.spreads.items())
    shown = [(who, spread) for who, spread in known if len(who) > 1] or known
    if len(shown) <= pairs:
        yield _planned(comparison, outcome, shown, digits)


def _of_systems(comparison: Comparison, outcome: Outcome, digits: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in ranked(outcome):
        if (name,) in outcome.spreads:
            spread = outcome.spreads[name,]
            known = spread.systems[0]
            means = [run.number(outcome.measure) * outcome.widest for run in comparison.scores[name].runs]
            parts = [known.between_queries, known.between_runs, known.rest]
            fine = max(digits - 1, 2)
            rows.append(
                (
                    printable(name),
                    known.runs,
                    span(f"{min(means):.{fine}f}", f"{max(means):.{fine}f}"),
                    *(math.sqrt(part) * _scale(outcome) for part in parts),
                    f"{100 * (1 - spread.share_of_runs):.0f} %",
                    f"{100 * spread.share_of_runs:.0f} %",
                )
            )
    title = message("{measure}: where its variance comes from", measure=outcome.name)
    columns = (
        message("run"),
        message("runs"),
        message("means of runs"),
        message("sd queries"),
        message("sd runs"),
        message("sd rest"),
        message("queries"),
        message("runs"),
    )
    return Table(columns, tuple(rows), title=title, digits=digits)


def _scale(outcome: Outcome) -> float:
    """The factor by which differences are multiplied where they are shown; those of logarithms are not shares."""
    return 1.0 if outcome.measure.definition.average == "geometric" else outcome.widest


def _planned(
    comparison: Comparison, outcome: Outcome, shown: Sequence[tuple[tuple[str, ...], Spread]], digits: int
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for who, spread in shown:
        ways = (spread, spread.times(2, 1), spread.times(1, 2))
        halves = [one.half_width(comparison.procedure.confidence) * _scale(outcome) for one in ways]
        enough = message("never") if spread.enough_runs is None else str(spread.enough_runs)
        rows.append((*map(printable, who), *halves, enough))
    against = (message("against"),) if len(shown[0][0]) == 2 else ()
    title = message("{measure}: half of the interval, now and with more", measure=outcome.name)
    columns = (
        message("run"),
        *against,
        message("now"),
        message("queries × 2"),
        message("runs × 2"),
        message("enough runs"),
    )
    return Table(columns, tuple(rows), title=title, digits=digits)


def reading(comparison: Comparison) -> list[str]:
    """How the tables are to be read."""
    if comparison.procedure.test != OVER_RUNS:
        return []
    return [
        message(
            "Values of a system with several runs are means over these. sd: standard deviations between queries, "
            "between runs, and of what a run does on a query beyond both; in percent, what the choice of queries "
            "and of runs contributes to the variance of the mean."
        ),
        message(
            "Enough runs: from this many of each system on, twice the queries narrow the interval more than twice "
            "the runs."
        ),
    ]


def remarks(comparison: Comparison) -> list[str]:
    """What is remarkable about runs: those that are the same, few, or answer different queries."""
    said = of_systems([(name, one if one.runs else None) for name, one in comparison.scores.items()])
    if comparison.procedure.test != OVER_RUNS:
        return said
    return [*said, *_negative(comparison), *_of_whole(comparison)]


def of_systems(systems: Sequence[tuple[str, Scores | None]]) -> list[str]:
    """What is remarkable about the runs of systems.

    Args:
        systems: their names, and the scores of those that have several runs.
    """
    several = [(printable(name), one) for name, one in systems if one]
    said = [sentence for name, one in several for sentence in _of_one(name, one)]
    varying = [(name, one) for name, one in several if not is_deterministic(one)]
    if not varying:
        return said
    return [*said, *_few(varying), *_single([printable(name) for name, one in systems if not one])]


def _of_one(name: str, scores: Scores) -> Iterator[str]:
    if is_deterministic(scores):
        yield message(
            "{system}: its {n} runs score the same on every query, as one file given {n} times would: nothing "
            "varies between runs, and they count as one.",
            system=name,
            n=len(scores.runs),
        )
    elif same := alike(scores):
        yield warned(
            message(
                "{system}: {runs} score the same on every query, as the same file twice would; then the variance "
                "between runs is underestimated.",
                system=name,
                runs=_listed(same),
            )
        )
    answered = [one.ledger.answered for one in scores.runs]
    if len(set(answered)) > 1 or len({tuple(one.queries) for one in scores.runs}) > 1:
        yield warned(
            message(
                "{system}: its runs do not answer the same queries ({low} to {high} of them), which is part of "
                "what varies between them.",
                system=name,
                low=min(answered),
                high=max(answered),
            )
        )


def _listed(pairs: Sequence[tuple[str, str]]) -> str:
    """A few of the pairs of runs, as text."""
    return listed([f"{printable(one)} = {printable(other)}" for one, other in pairs[:FEW]])


def _few(varying: Sequence[tuple[str, Scores]]) -> list[str]:
    names = [name for name, one in varying if len(one.runs) < FEW]
    if not names:
        return []
    said = message(
        "{systems}: 2 runs show little of how much runs vary. Where runs vary more than queries, the interval "
        "contains the truth less often than promised; take 3 or more, better 5.",
        systems=listed(names),
    )
    return [warned(said)]


def _single(names: list[str]) -> list[str]:
    if not names:
        return []
    return [
        plural(
            "{systems}: one run, so that nothing is known of how much its runs vary; taken for deterministic.",
            "{systems}: one run each, so that nothing is known of how much these vary; taken for deterministic.",
            n=len(names),
            systems=listed(names),
        )
    ]


def _negative(comparison: Comparison) -> list[str]:
    by_system: dict[str, list[str]] = {}
    for outcome in comparison.outcomes:
        for who, spread in outcome.spreads.items():
            if len(who) == 1 and "between_runs" in spread.systems[0].negative:
                by_system.setdefault(who[0], []).append(outcome.name)
    return [
        message(
            "{system}: its runs differ in {measures} by less than chance on single queries would have it; the "
            "estimate of the variance between runs is negative, and set to 0.",
            system=printable(name),
            measures=", ".join(measures),
        )
        for name, measures in by_system.items()
    ]


def _of_whole(comparison: Comparison) -> list[str]:
    names = [outcome.name for outcome in comparison.outcomes if outcome.measure.definition.is_of_run]
    if not names:
        return []
    said = message(
        "{measures}: one number of each run, of which the mean is taken; intervals and p know queries only.",
        measures=listed(names),
    )
    return [warned(said)]
