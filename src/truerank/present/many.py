"""Many systems side by side: ranks in place of letters, and a picture of those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from truerank.analysis.compare import Comparison, Outcome
from truerank.analysis.compare.outcome import direction
from truerank.core.errors import printable
from truerank.core.messages import message
from truerank.present import charts
from truerank.present.comparison_cells import Column, ranked
from truerank.present.document import Figure

MANY = 20
"""With more systems than these a row's letters and groups are a page of their own."""


MOST_PAIRS = 45
"""More pairs than those of ten systems are no reading for people."""


def is_many(comparison: Comparison) -> bool:
    """Whether there are so many systems that rows have ranks in place of letters."""
    return len(comparison.systems) > MANY


def shows_pairs(comparison: Comparison) -> bool:
    """Whether a table of pairs says more than the rows of the systems do, and has room."""
    pairs = len(comparison.systems) * (len(comparison.systems) - 1) // 2
    return comparison.procedure.all_pairs and 1 < pairs <= MOST_PAIRS


def spans(numbers: Sequence[int]) -> str:
    """Rising whole numbers, with consecutive ones as ranges.

    >>> spans([1, 2, 3, 5, 8, 9])
    '1–3 5 8–9'
    """
    starts = [n for n in numbers if n - 1 not in set(numbers)]
    ends = [n for n in numbers if n + 1 not in set(numbers)]
    return " ".join(str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, ends, strict=True))


def alike(outcome: Outcome) -> dict[str, frozenset[str]]:
    """For each system, itself and those that it does not differ from, where all pairs were compared."""
    of = {name: [group for group in outcome.groups if name in group] for name in outcome.means}
    return {name: frozenset().union(*groups) for name, groups in of.items()}


def standing(outcome: Outcome) -> list[Column]:
    """Columns with the systems that each one beats or cannot be told apart from, by their ranks in the table."""
    if not direction(outcome.measure):
        return []
    order, same = ranked(outcome), alike(outcome)
    columns: list[Column] = [(message("beats ranks"), [*rows_of(order, outcome.beaten)])]
    if outcome.groups:
        columns.append((message("like ranks"), [*rows_of(order, same)]))
    return columns


def rows_of(order: Sequence[str], others: Mapping[str, Iterable[str]]) -> list[str]:
    """For each system of a table the rows of others."""
    row = {name: at for at, name in enumerate(order, 1)}
    return [spans(sorted(row[other] for other in others[name])) for name in order]


def figures(comparison: Comparison) -> Iterator[Figure]:
    """One picture per measure: a square where two systems cannot be told apart, the best at the top left."""
    for number, outcome in enumerate(comparison.outcomes, 1):
        if not outcome.groups or not direction(outcome.measure):
            continue
        title = message("{measure}: which systems cannot be told apart", measure=outcome.name)
        alt = message(
            "A square where two systems do not differ significantly; the best are at the top and at the left."
        )
        yield Figure(f"alike-{number}", title, alt, _squares(outcome))


def _squares(outcome: Outcome) -> charts.Spec:
    order, same = ranked(outcome), alike(outcome)
    names = list(map(printable, order))
    shown = dict(zip(order, names, strict=True))
    label = message("cannot be told apart")
    rows = [
        {"one": shown[name], "other": shown[other], "kind": label}
        for name in order
        for other in order
        if other in same[name]
    ]
    few = len(names) <= 3 * MANY
    look = {"title": None, "labelLimit": 160, "labelOverlap": True, "labels": few, "ticks": few}
    side = {"type": "nominal", "sort": names, "scale": {"domain": names}}
    return {
        **charts.canvas(max(charts.HEIGHT, min(2 * charts.HEIGHT, 16 * len(names)))),
        "data": {"values": rows},
        "mark": {"type": "rect"},
        "encoding": {
            "x": {**side, "field": "other", "axis": {**look, "labelAngle": -60}},
            "y": {**side, "field": "one", "axis": look},
            "color": {"field": "kind", "type": "nominal", "legend": {"title": None, "orient": "top"}},
            "tooltip": charts.tooltip({"one": message("run"), "other": message("against")}),
        },
    }
