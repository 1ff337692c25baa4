"""Means on their intervals as a picture: one line per system within each measure's band, one tick per run."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.analysis.compare import Comparison, Outcome
from truerank.core.errors import printable
from truerank.core.messages import joined, message
from truerank.present import charts, comparison_cells
from truerank.present.comparison_cells import interval_heading, percent
from truerank.present.document import Figure
from truerank.present.palette import MARKS
from truerank.stats import Interval

STEP = 14
"""Points from one line to the next."""


def drawn(comparison: Comparison) -> list[Outcome]:
    """The outcomes that are drawn; counts and unknown means do not fit on the same axis."""
    return [one for one in comparison.outcomes if one.measure.definition.unit and one.queries]


def figure(comparison: Comparison, spec: charts.Spec, *more: str) -> Figure:
    """The picture of a `chart`, with its title and text."""
    title = message("Means with {confidence} % intervals", confidence=percent(comparison.procedure.confidence))
    alt = message("One dot per system and measure at its mean; the line spans its interval.")
    return Figure("intervals", title, joined(" ", [alt, *more]), spec)


def chart(comparison: Comparison, names: Sequence[str], digits: int) -> charts.Spec | None:
    """Each mean on its interval; None where no interval is known.

    Args:
        names: of the systems, in the order of their colours.
    """
    rows = [
        {
            "who": printable(name),
            "measure": o.name,
            "mean": m.estimate,
            "interval": comparison_cells.ends(o, m, digits),
            **_ends(m),
        }
        for o in drawn(comparison)
        for name, m in o.means.items()
    ]
    is_known = any("low" in row for row in rows)
    hints: charts.Hints = {
        "who": message("run"),
        "measure": message("Measure"),
        "mean": (message("mean"), f".{digits}f"),
        "interval": interval_heading(comparison.procedure.confidence),
    }
    measures = [o.name for o in drawn(comparison)]
    return (
        _bands(rows, _runs(comparison, digits), list(map(printable, names)), measures, hints) if is_known else None
    )


def _ends(mean: Interval) -> dict[str, float]:
    """The ends of a mean's interval; none where it is not known, so that only a dot is drawn."""
    return {} if mean.method == "none" else {"low": mean.low, "high": mean.high}


def _runs(comparison: Comparison, digits: int) -> charts.Spec | None:
    """The mean of each run, for systems that have several."""
    rows = [
        {
            "who": printable(name),
            "measure": o.name,
            "mean": run.number(o.measure) * o.widest,
            "run": printable(run.run),
        }
        for o in drawn(comparison)
        if o.measure.definition.average == "mean"
        for name in o.means
        for run in comparison.scores[name].runs
    ]
    hints: charts.Hints = {"run": message("run"), "mean": (message("mean"), f".{digits}f")}
    mark = {"type": "tick", "thickness": 2, "size": STEP * 0.7}
    layer = {"data": {"values": rows}, "mark": mark, "encoding": {"tooltip": charts.tooltip(hints)}}
    return layer if rows else None


def _bands(
    rows: charts.Rows, runs: charts.Spec | None, names: list[str], measures: list[str], hints: charts.Hints
) -> charts.Spec:
    most = f"({charts.AROUND} * 0.35)"
    look = {"domain": False, "labelLimit": {"expr": most}}
    band = len(names) + 2
    scale = {"paddingInner": 2 / band, "paddingOuter": 1 / band}
    y = {"field": "measure", "type": "nominal", "sort": measures, "title": None, "axis": look, "scale": scale}
    longest = charts.WIDE * max(map(len, measures)) + charts.SYMBOL
    key = charts.legend(names, beside=f"min({longest}, {most} + {charts.SYMBOL})")
    spec = charts.frame(rows, charts.axis("mean", ""), y, names, key)
    spec["encoding"]["yOffset"] = {"field": "who", "type": "nominal", "sort": names}
    ends = {"x": charts.axis("low", "", scale={"zero": False}, axis=charts.FEW_TICKS), "x2": {"field": "high"}}
    line = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**ends, "tooltip": charts.tooltip(hints)}}
    dot = {
        "mark": {"type": "point", "filled": True, "size": 60},
        "params": [charts.chosen()],
        "encoding": {
            "shape": charts.series(names, list(MARKS), key),
            "tooltip": charts.tooltip(hints),
        },
    }
    return {**spec, "height": STEP * band * len(measures), "layer": [line, *([runs] if runs else []), dot]}
