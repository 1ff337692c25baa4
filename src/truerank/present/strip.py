"""What the queries of a run score, as a picture: circles for equal scores, and the mean on its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from truerank.core.messages import joined, message
from truerank.core.scores import Scores, intervals
from truerank.measures import Measure
from truerank.measures.sums import PerQuery
from truerank.present import charts
from truerank.present.comparison_cells import interval_heading, limits
from truerank.present.document import Figure
from truerank.present.names import scored
from truerank.stats import Interval

STEP = 46
"""Points from one measure to the next."""

STEPS = 40
"""Values that are more than these are counted in as many equal steps."""

CIRCLES = [15, 500]
"""Points that the smallest and the largest circle cover."""

LOOK = {"domain": False, "ticks": False, "labelPadding": 8}

HINTS: charts.Hints = {"measure": message("Measure")}


def figures(scores: Scores) -> Iterator[Figure]:
    """One picture of all measures with values from 0 to 1, and one for each other measure."""
    known = {
        heading: (measure, values[np.isfinite(values)])
        for heading, measure in scores.headings.items()
        if (values := scores.columns.get(str(measure))) is not None and np.isfinite(values).any()
    }
    shares = {heading: one for heading, one in known.items() if one[0].definition.unit}
    others = ({heading: one} for heading, one in known.items() if heading not in shares)
    for number, several in enumerate(filter(None, (shares, *others)), 1):
        yield _figure(scores, several, f"queries-{number}")


def _figure(scores: Scores, known: Mapping[str, tuple[Measure, PerQuery]], name: str) -> Figure:
    alt = message("One circle per value: the more queries score it, the larger it is.")
    means = [row for heading, one in known.items() for row in _mean(heading, *one, is_sure=not scores.runs)]
    if any("low" in row for row in means):
        alt = joined(" ", [alt, message("The dot is the mean; the line spans its 95 % interval.")])
    elif means:
        alt = joined(" ", [alt, message("The dot is the mean.")])
    of = scored(scores.run, len(scores.queries), scores.rules.name)
    return Figure(name, message("What the queries score"), alt, _chart(known, means), subtitle=of)


def _chart(known: Mapping[str, tuple[Measure, PerQuery]], means: charts.Rows) -> charts.Spec:
    rows = [row for heading, (_, values) in known.items() for row in _circles(heading, values)]
    is_share = all(measure.definition.unit for measure, _ in known.values())
    scale = {"domain": [0, 1]} if is_share else {"zero": False, "nice": True}
    look = charts.FEW_TICKS if is_share else {**charts.FEW_TICKS, **charts.NUMBER}
    x = charts.axis("value", "", scale={**scale, "padding": 2 * charts.PADDING}, axis=look)
    y = {"field": "measure", "type": "nominal", "sort": list(known), "title": None, "axis": LOOK}
    kinds = [message("queries"), message("mean")][: 2 if means else 1]
    kind = charts.series(kinds, legend={"title": None, "orient": "top", "symbolType": "circle", "symbolOpacity": 1})
    size = {"field": "n", "type": "quantitative", "legend": None, "scale": {"range": CIRCLES, "zero": True}}
    hints: charts.Hints = {**HINTS, "value": (message("value"), ".4f"), "n": (message("queries"), "d")}
    circles = {
        "data": {"values": [{**row, "who": kinds[0]} for row in rows]},
        "mark": {"type": "circle", "opacity": 0.55},
        "encoding": {"size": size, "tooltip": charts.tooltip(hints)},
    }
    return {
        **charts.canvas(STEP * len(known)),
        "encoding": {"x": x, "y": y, "color": kind},
        "layer": [circles, *_on_intervals([{**row, "who": kinds[-1]} for row in means], x)],
    }


def _on_intervals(means: charts.Rows, x: dict[str, Any]) -> Iterator[charts.Spec]:
    """The means, each on a line as long as its interval where that is known."""
    hints: charts.Hints = {**HINTS, "value": (message("mean"), ".4f"), "interval": interval_heading(0.95)}
    shared = {"tooltip": charts.tooltip(hints)}
    ends: dict[str, Any] = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **shared}
    known = [row for row in means if "low" in row]
    if known:
        yield {"data": {"values": known}, "mark": {"type": "rule", "strokeWidth": 3}, "encoding": ends}
    if means:
        dot = {"type": "point", "filled": True, "size": 90, "opacity": 1}
        yield {"data": {"values": means}, "mark": dot, "encoding": shared}


def _circles(heading: str, values: PerQuery) -> list[dict[str, Any]]:
    """How many queries score each value; if there are many values, each step of values."""
    scores, counts = np.unique(values, return_counts=True)
    if len(scores) > STEPS:
        counts, edges = np.histogram(values, bins=STEPS)
        scores = (edges[:-1] + edges[1:]) / 2
    pairs = zip(scores.tolist(), counts.tolist(), strict=True)
    return [{"measure": heading, "value": value, "n": n} for value, n in pairs if n]


def _mean(heading: str, measure: Measure, values: PerQuery, *, is_sure: bool) -> Iterator[dict[str, Any]]:
    """The mean with its interval, whose ends are left out where they are not known; counts have none."""
    if measure.definition.average == "sum":
        return
    interval = _interval(measure, values) if is_sure else None
    row: dict[str, Any] = {"measure": heading, "value": measure.mean(values), "interval": limits(interval, 4)}
    if interval is not None and math.isfinite(interval.low) and math.isfinite(interval.high):
        row |= {"low": interval.low, "high": interval.high}
    yield row


def _interval(measure: Measure, values: PerQuery) -> Interval | None:
    """The 95 % interval; None where SciPy is not installed."""
    try:
        return intervals([measure], values[:, None])[0]
    except ModuleNotFoundError:
        return None
