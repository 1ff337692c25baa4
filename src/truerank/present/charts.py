"""Vega-Lite specifications without colours; pages and image files add those of their theme."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.present.names import cells, shortened
from truerank.present.palette import DARK, DASHES, LIGHT, MARKS, SURFACES

if TYPE_CHECKING:
    from truerank.stats import Interval

Rows = Sequence[Mapping[str, Any]]
Spec = dict[str, Any]

Hints = dict[str, str | tuple[str, str]]
"""What a tooltip shows: a title a field, with a number's format beside it."""

HEIGHT = 300
PADDING = 8
"""Points around the ends of an axis, so that marks there are whole."""

WIDE, SYMBOL = 7.5, 40
"""Points that a letter of a legend takes, and what stands before and after a name."""

AROUND = "((width && containerSize()[0]) || width)"
"""Points from side to side of what the plot is in, which stay the same while it is laid out."""

LINE, SWATCH = 62, 1200
"""What stands before and after a name where lines are shown, and the area that a line takes, for a whole dash."""

BESIDE = "70"
"""Points that an axis at the left takes."""


FEW = 25
"""A line with no more points than this shows them."""


def theme(ink: str, faint: str, line: str, colours: Sequence[str]) -> dict[str, Any]:
    """A Vega-Lite configuration."""
    font = "system-ui, 'Noto Sans', 'Noto Sans KR', 'Noto Sans CJK KR', 'Apple SD Gothic Neo', sans-serif"
    text = {"labelColor": faint, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12}
    lines = {"gridColor": line, "domainColor": faint, "tickColor": faint}
    return {
        "background": "transparent",
        "font": font,
        "view": {"stroke": "transparent"},
        "axis": {**text, **lines, "titleFontWeight": 500, "labelFlush": False},
        "legend": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12},
        "title": {"color": ink, "subtitleColor": faint, "anchor": "start", "fontSize": 14},
        "rule": {"color": faint},
        "text": {"color": ink},
        "range": {"category": list(colours), "symbol": list(MARKS)},
    }


THEMES = {
    name: theme(SURFACES["ink"][place], SURFACES["faint"][place], SURFACES["grid"][place], colours)
    for place, (name, colours) in enumerate({"light": LIGHT, "dark": DARK}.items())
}


def ticks(apart: int, most: int) -> dict[str, str]:
    """The number of ticks of an axis: about as many as fit when they are this many points apart."""
    return {"expr": f"clamp(floor({AROUND} / {apart}), 3, {most})"}


FEW_TICKS = {"tickCount": ticks(80, 6)}

NUMBER = {"format": ",.6~r"}
"""Numbers as they are: of an axis or a legend with one value alone Vega draws the whole part."""

WHOLE = {"format": "d", "tickMinStep": 1, "labelExpr": "datum.value % 1 ? '' : datum.label"}
"""An axis of whole numbers: on a short one Vega draws ticks between them, which would repeat their numbers."""


def axis(field: str, title: str, **more: Any) -> dict[str, Any]:
    """A quantitative channel; `scale` and `axis` add to the defaults."""
    look = {"title": title, **more.pop("axis", {})}
    return {"field": field, "type": "quantitative", "axis": look, **more}


def shares(field: str, title: str) -> dict[str, Any]:
    """A channel from 0 to 1."""
    return axis(field, title, scale={"domain": [0, 1], "padding": PADDING}, axis={"format": ".1f", "tickCount": 6})


def ends(interval: Interval | None, value: float) -> tuple[float, float]:
    """The limits of a value's interval; the value itself where they are not known."""
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return value, value
    return interval.low, interval.high


def span(values: Iterable[float], least: float) -> list[float]:
    """The ends of an axis that shows all finite values and is at least this long.

    >>> span([0.5, 0.75], 0.5), span([2.0, 6.0], 3.0), span([0.0], 1.0)
    ([0.375, 0.875], [2.0, 6.0], [0.0, 1.0])
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    more = max(0.0, least - (high - low)) / 2
    start = max(low - more, min(low, 0.0))
    return [start, max(high, start + least)]


def spans(rows: Rows) -> tuple[dict[str, Any], dict[str, Any]]:
    """Scales of speed and quality for rows of `bench.standing`, on which small differences look small."""
    across = span([row[end] for row in rows for end in ("left", "right")], max(row["speed"] for row in rows) / 2)
    up = span([row[end] for row in rows for end in ("low", "high")], 0.1)
    return {"domain": across, "zero": False, "nice": True}, {"domain": up, "zero": False, "nice": True}


def lines(
    rows: Rows,
    x: dict[str, Any],
    y: dict[str, Any],
    names: Sequence[str],
    hints: Hints,
    drawn: Sequence[str] | None = None,
    **mark: Any,
) -> Spec:
    """One line per name, with one mark per row to point at.

    Args:
        rows: with the name under "who".
        names: all there are, so that each looks the same in every plot.
        hints: what a tooltip shows: a title a field, with a number's format.
        drawn: the names that have rows, if not all.
    """
    there = list(names if drawn is None else drawn)
    dotted = len(rows) <= FEW * max(1, len(there))
    key = legend(names, dotted, there)
    line: Spec = {"mark": {"type": "line", "strokeWidth": 2, **mark}, "params": [chosen()]}
    dots: Spec = {"mark": {"type": "point", "filled": True, "size": 45}, "params": [zoom()]}
    shape: Spec = {"shape": series(names, list(MARKS), key)} if dotted else {"opacity": {"value": 0}}
    layers: list[Spec] = [
        {**line, "encoding": {"strokeDash": series(names, DASHES, key)}},
        {**dots, "encoding": {**shape, "tooltip": tooltip(hints)}},
    ]
    return {**frame(rows, x, y, names, key), "layer": layers}


def marks(
    rows: Rows,
    x: dict[str, Any],
    y: dict[str, Any],
    names: Sequence[str],
    hints: Hints,
    *,
    beside: bool = False,
    drawn: Sequence[str] | None = None,
) -> Spec:
    """One mark per row.

    Args:
        names: all there are, so that each looks the same in every plot.
        beside: the names stand beside the marks, and not in a legend.
        drawn: the names that have rows, if not all.
    """
    key = None if beside else legend(names, drawn=drawn)
    encoding = {"shape": series(names, list(MARKS), key), "tooltip": tooltip(hints)}
    if any("n" in row for row in rows):
        encoding["size"] = {"field": "n", "type": "quantitative", "legend": None, "scale": {"range": [15, 200]}}
    mark = {"type": "point", "filled": True, "size": 60}
    layer = {"mark": mark, "params": [chosen(), zoom()], "encoding": encoding}
    is_right = f"scale('x', datum.{x['field']}) > 0.7 * width"  # a name to the right would be cut off
    align, dx = {"expr": f"{is_right} ? 'right' : 'left'"}, {"expr": f"{is_right} ? -8 : 8"}
    text = {"type": "text", "align": align, "dx": dx, "dy": -6, "fontSize": 11}
    labels: list[Spec] = [{"mark": text, "encoding": {"text": {"field": "who"}, "color": None}}] if beside else []
    return {**frame(rows, x, y, names, key), "layer": [layer, *labels]}


def frame(
    rows: Rows, x: dict[str, Any], y: dict[str, Any], names: Sequence[str], key: dict[str, Any] | None
) -> Spec:
    """What all plots with one colour per name share; the key is their legend."""
    return {
        **canvas(HEIGHT),
        "data": {"values": list(rows)},
        "encoding": {"x": x, "y": y, "color": series(names, legend=key), "opacity": bright()},
    }


def canvas(height: int) -> Spec:
    """A plot as wide as the page and of this height."""
    return {"width": "container", "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}


def on_intervals(rows: Rows, hints: Hints) -> Spec:
    """Each "delta" on its interval from "low" to "high", one line per name, beside a rule at 0."""
    names = [row["who"] for row in rows]
    look = {"domain": False, "ticks": False, "labelLimit": 260}
    y = {"field": "who", "type": "nominal", "sort": names, "title": None, "axis": look}
    x = axis("delta", "Δ", scale={"zero": True, "padding": PADDING}, axis=FEW_TICKS)
    line: Spec = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
    }
    mark = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    dot: Spec = {"mark": mark, "encoding": {"x": x, "tooltip": tooltip(hints)}}
    none = {"type": "rule", "strokeDash": [4, 3]}
    nothing: Spec = {"data": {"values": [{}]}, "mark": none, "encoding": {"x": {"datum": 0}}}
    return {
        **canvas(28 * len(rows)),
        "data": {"values": list(rows)},
        "layer": [nothing, *({**each, "encoding": {"y": y, **each["encoding"]}} for each in (line, dot))],
    }


def whiskers(x: dict[str, Any], y: dict[str, Any]) -> list[Spec]:
    """Lines through marks, across from "left" to "right" and up from "low" to "high"."""
    across = {"x": {**x, "field": "left"}, "x2": {"field": "right"}}
    up = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    return [{"mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": ends} for ends in (across, up)]


def behind(spec: Spec, layer: Spec) -> Spec:
    """The plot with one more layer behind the others, without their channels; any is left out where it is None."""
    layers = []
    for own in spec["layer"]:
        channels = {**spec["encoding"], **own["encoding"]}
        layers.append({**own, "encoding": {name: one for name, one in channels.items() if one is not None}})
    return {**{key: value for key, value in spec.items() if key != "encoding"}, "layer": [layer, *layers]}


def series(
    names: Sequence[str], look: Sequence[Any] = (), legend: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A channel by which names are told apart."""
    spread = {"range": [look[i % len(look)] for i in range(len(names))]} if look else {}
    return {"field": "who", "type": "nominal", "scale": {"domain": list(names), **spread}, "legend": legend}


def legend(
    names: Sequence[str], filled: bool = True, drawn: Sequence[str] | None = None, beside: str = BESIDE
) -> dict[str, Any] | None:
    """A legend above the plot, with as many names side by side as fit; None for a single name.

    Args:
        names: all there are, so that each has the same label in every plot.
        filled: whether it shows filled shapes; else lines with their dashes.
        drawn: the names in this plot, if not all.
        beside: points at the left of the plot, as an expression of Vega.
    """
    there = list(names if drawn is None else drawn)
    if len(there) < 2:
        return None
    short = dict(zip(names, shortened(names), strict=True))
    called = [short[name] for name in there]
    room, mark = f"({AROUND} - {beside})", SYMBOL if filled else LINE
    wide = WIDE * max(map(cells, called)) + mark
    line = {"symbolType": "stroke", "symbolSize": SWATCH, "symbolStrokeWidth": 2}
    look = {"symbolStrokeWidth": 0} if filled else line
    return {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "columns": {"expr": f"max(1, floor({room} / {wide}))"},
        "values": there,
        "labelExpr": f"{json.dumps(called)}[datum.index]",
        "labelLimit": {"expr": f"{room} - {mark}"},
        "symbolLimit": len(there),
        "symbolOpacity": 1,
        **look,
    }


def tooltip(hints: Hints) -> list[dict[str, Any]]:
    """The lines of a tooltip."""
    return [_hint(field, *((hint, "") if isinstance(hint, str) else hint)) for field, hint in hints.items()]


def chosen() -> dict[str, Any]:
    """The selection of a name by clicking it in the legend."""
    return {"name": "chosen", "select": {"type": "point", "fields": ["who"]}, "bind": "legend"}


def zoom() -> dict[str, Any]:
    """Panning and zooming; the bare wheel, and one finger, still scroll the page."""
    drag = "[pointerdown[event.pointerType !== 'touch'], window:pointerup] > window:pointermove!"
    wheel = "wheel![event.ctrlKey || event.metaKey]"
    return {"name": "zoom", "select": {"type": "interval", "translate": drag, "zoom": wheel}, "bind": "scales"}


def bright() -> dict[str, Any]:
    """Full opacity where this name, or none, was chosen."""
    return {"condition": {"param": "chosen", "value": 1}, "value": 0.15}


def is_movable(spec: Mapping[str, Any]) -> bool:
    """Whether a plot moves and zooms."""
    return any(param["name"] == "zoom" for part in _layers(spec) for param in part.get("params", ()))


def has_legend(spec: Mapping[str, Any]) -> bool:
    """Whether names stand above a plot, to click."""
    return any(part.get("encoding", {}).get("color", {}).get("legend") for part in _layers(spec))


def _layers(spec: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    return (spec, *spec.get("layer", ()))


def distribution(values: np.ndarray) -> list[tuple[float, float]]:
    """Each value with the share of values that are as low or lower; infinite ones keep the curve below 1.

    >>> distribution(np.array([3.0, 1.0, np.inf, 2.0]))
    [(1.0, 0.25), (2.0, 0.5), (3.0, 0.75)]
    """
    known = np.sort(values[np.isfinite(values)])
    return [(float(known[i]), (i + 1) / len(values)) for i in thinned(len(known))]


def thinned(count: int, most: int = 200) -> list[int]:
    """Evenly spread places of a long row: at most this many, always with the first and the last.

    >>> thinned(3), thinned(1000, 3)
    ([0, 1, 2], [0, 500, 999])
    """
    if count <= most:
        return list(range(count))
    return [round(i * (count - 1) / (most - 1)) for i in range(most)]


def _hint(field: str, title: str, format: str) -> dict[str, Any]:
    number = {"type": "quantitative", "format": format} if format else {"type": "nominal"}
    return {"field": field, "title": title, **number}
