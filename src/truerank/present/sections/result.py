"""The result first: who is best, how sure that is, and every measure's mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truerank.analysis.compare import Comparison, Outcome
from truerank.analysis.compare.outcome import direction
from truerank.core.errors import printable
from truerank.core.messages import joined, listed, message
from truerank.present import audit, cautions, forest
from truerank.present.comparison import SideBySide, pair_table
from truerank.present.comparison_cells import leaders, mean_cell, percent
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Caution, Figure, Heading, Prose
from truerank.present.many import MOST_PAIRS
from truerank.present.percent import no_shares
from truerank.present.table import Table, as_text
from truerank.present.wide import wide_table
from truerank.stats import Interval

NAMED = 4
"""Systems that a sentence names."""


def blocks(data: ReportData) -> Iterator[Block]:
    """A sentence or two, the means, their intervals, then systems and pairs by the first measure."""
    runs = data.runs
    if runs is None:
        return
    yield Heading(message("Result"), "result")
    yield Prose((sentence(runs), *_scale(runs)))
    yield from _strictly(runs)
    is_alone = len(runs.systems) == 1
    if is_alone:
        yield alone(runs)
    elif len(runs.measures) > 1:
        yield means(runs)
    if figure := intervals(runs):
        yield figure
    if not is_alone:
        yield from of_measure(runs.shown, runs.shown.outcomes[0], runs.digits)


def _scale(runs: Runs) -> list[str]:
    """A sentence on what is in percent, if anything is."""
    if not runs.percent:
        return []
    if others := no_shares(runs.called):
        return [
            message(
                "Scores are in percent, except {others}; curves and exact values are in fractions.",
                others=", ".join(others),
            )
        ]
    return [message("Scores are in percent; curves and exact values are in fractions.")]


def _strictly(runs: Runs) -> Iterator[Caution]:
    """The strict score beside the official one, where a contest's judge made them."""
    measure = runs.leading
    for name, scores in zip(runs.names, runs.scores, strict=True):
        if audit.is_audited(scores):
            official, strict = (one.mean[measure] for one in audit.with_strict(scores))
            yield Caution(joined(": ", [printable(name), audit.both(measure, official, strict)]))


def of_measure(comparison: Comparison, outcome: Outcome, digits: int) -> Iterator[Table]:
    """One row per system, and one row per pair where there are more pairs than rows say."""
    measure = outcome.name
    yield SideBySide(comparison, outcome, digits).table(message("Systems by {measure}", measure=measure))
    if comparison.procedure.all_pairs and 1 < len(outcome.pairs) <= MOST_PAIRS:
        pairs = pair_table(comparison, outcome, digits)
        yield replace(pairs, title=message("Pairs of systems by {measure}", measure=measure))


def sentence(runs: Runs) -> str:
    """Who is best by the first measure, and whether that may be chance."""
    outcome = runs.shown.outcomes[0]
    if not outcome.queries:
        return message("No query has a value of {measure}.", measure=outcome.name)
    first_of_all = leaders(outcome)
    best = first_of_all[0]
    mean = outcome.means[best]
    values = {
        "best": listed(list(map(printable, first_of_all)), NAMED),
        "measure": outcome.name,
        "mean": as_text(mean_cell(outcome, mean), runs.digits),
        "queries": runs.counted(outcome.queries),
    }
    sure = {"limits": _limits(mean, runs.digits), "confidence": percent(mean.confidence)}
    if not direction(outcome.measure):
        first = message("{best}: {measure} {mean} ({queries}).", **values | {"best": printable(best)})
    elif len(outcome.means) == 1:
        first = message("{best}: {measure} {mean} ({confidence} % interval {limits}; {queries}).", **values, **sure)
    elif len(first_of_all) > 1:
        first = message("{best} share the best {measure}: {mean} ({queries}).", **values)
        return joined(" ", [first, *_shared_standing(outcome, first_of_all)])
    else:
        first = message(
            "{best} has the best {measure}: {mean} ({confidence} % interval {limits}; {queries}).", **values, **sure
        )
    return joined(" ", [first, *_standing(outcome, best)])


def _limits(mean: Interval, digits: int) -> str:
    if mean.method == "none":
        return message("unknown")
    return message("{low} to {high}", low=as_text(mean.low, digits), high=as_text(mean.high, digits))


def _standing(outcome: Outcome, best: str) -> Iterator[str]:
    """Sentences on the systems that the best one beats, and those that it was not compared to."""
    compared = [p.against if p.system == best else p.system for p in outcome.pairs if best in (p.system, p.against)]
    if not compared or not direction(outcome.measure):
        return
    beaten = [printable(name) for name in outcome.beaten[best]]
    others = [printable(name) for name in compared if name not in outcome.beaten[best]]
    untested = [printable(name) for name in outcome.means if name not in (best, *compared)]
    first, rest = listed(beaten, NAMED), listed(others, NAMED)
    if len(beaten) > 1 and not others and not untested:
        yield message("It is significantly better than every other system.")
    elif not beaten:
        yield message("It cannot be told apart from {others}: the differences may be chance.", others=rest)
    elif others:
        yield message(
            "It is significantly better than {beaten}. It cannot be told apart from {others}.",
            beaten=first,
            others=rest,
        )
    else:
        yield message("It is significantly better than {beaten}.", beaten=first)
    if untested:
        yield message("It was not compared to {others}.", others=listed(untested, NAMED))


def _shared_standing(outcome: Outcome, best: list[str]) -> Iterator[str]:
    """Sentences on the systems that are beaten by all systems with the best mean."""
    beaten = [name for name in outcome.means if all(name in outcome.beaten[one] for one in best)]
    if beaten:
        yield message(
            "Each of them is significantly better than {beaten}.",
            beaten=listed(list(map(printable, beaten)), NAMED),
        )


def means(runs: Runs) -> Table:
    """A row per system, a column per measure, the best of each marked, with letters of those that each beats."""
    table = wide_table(runs.shown, runs.digits)
    return replace(
        table, title=message("All measures"), notes=(cautions.marks(runs.shown),) if table.raised else ()
    )


def alone(runs: Runs) -> Table:
    """For a single system: one row per measure, with its interval."""
    tables = [SideBySide(runs.shown, outcome, runs.digits).table() for outcome in runs.shown.outcomes]
    rows = tuple((name, *table.rows[0][2:]) for name, table in zip(runs.called, tables, strict=True))
    columns = (message("Measure"), message("mean"), *tables[0].columns[3:])
    return Table(columns, rows, title=message("All measures"), digits=runs.digits)


def intervals(runs: Runs) -> Figure | None:
    """Each mean on its interval; counts and unknown means do not fit on the same axis."""
    spec = forest.chart(runs.shown, runs.names, runs.digits)
    if spec is None:
        return None
    first = forest.drawn(runs.shown)[0]
    best = [
        message(
            "Best by {measure}: {best}.",
            measure=first.name,
            best=listed(list(map(printable, leaders(first))), NAMED),
        )
    ]
    return forest.figure(runs.comparison, spec, *(best if len(runs.names) > 1 else []))
