"""Vega-Lite specifications without colours: the page and the files on paper put in those of their theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]
Spec = dict[str, Any]

DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
"""With seven colours these never come together again within forty systems."""

HEIGHT = 300
PADDING = 6
"""Points around the ends of an axis, so that marks there are whole."""

WIDE = 7
"""Points that a letter takes."""

FEW = 25
"""A line with no more points than this shows them."""

LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#3a8fc4", "#000000"]
DARK = ["#56b4e9", "#f0803c", "#2bbd91", "#dd94bf", "#f0c030", "#a3d8f7", "#ffffff"]
"""The colours of Okabe and Ito (2008), which the colour-blind can tell apart, darker or lighter for contrast."""


def theme(ink: str, faint: str, line: str, colours: Sequence[str]) -> dict[str, Any]:
    """A Vega-Lite configuration."""
    font = "system-ui, 'Noto Sans', 'Noto Sans KR', 'Noto Sans CJK KR', 'Apple SD Gothic Neo', sans-serif"
    text = {"labelColor": faint, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": "transparent",
        "font": font,
        "view": {"stroke": "transparent"},
        "axis": {**text, "gridColor": line, "domainColor": faint, "tickColor": faint, "titleFontWeight": 500},
        "legend": {"labelColor": ink, "labelFontSize": 12, "labelLimit": 280},
        "title": {"color": ink, "subtitleColor": faint, "anchor": "start", "fontSize": 14},
        "rule": {"color": faint},
        "text": {"color": ink},
        "range": {"category": list(colours), "symbol": SHAPES},
    }


THEMES = {
    "light": theme("#1b1f24", "#4d5560", "#e3e6ea", LIGHT),
    "dark": theme("#eceff3", "#b6bec9", "#333b46", DARK),
}


def axis(field: str, title: str, **more: Any) -> dict[str, Any]:
    """A quantitative channel; `scale` and `axis` are added to what is always so."""
    look = {"title": title, **more.pop("axis", {})}
    return {"field": field, "type": "quantitative", "axis": look, **more}


def shares(field: str, title: str) -> dict[str, Any]:
    """A channel from 0 to 1."""
    return axis(field, title, scale={"domain": [0, 1], "padding": PADDING}, axis={"format": ".1f", "tickCount": 6})


def lines(
    rows: Rows,
    x: dict[str, Any],
    y: dict[str, Any],
    names: Sequence[str],
    hints: Mapping[str, str],
    drawn: Sequence[str] | None = None,
    **mark: Any,
) -> Spec:
    """A line a name, with a mark a row to point at.

    Args:
        rows: with the name under "who".
        names: all there are, so that each looks the same in every plot.
        hints: what a tooltip shows: field by title, with a number's format after a colon.
        drawn: the names that have rows, if not all.
    """
    there = list(names if drawn is None else drawn)
    dotted = len(rows) <= FEW * max(1, len(there))
    key = legend(there, dotted)
    key = key and {**key, "values": there}
    line: Spec = {"mark": {"type": "line", "strokeWidth": 2, **mark}, "params": [chosen()]}
    dots: Spec = {"mark": {"type": "point", "filled": True, "size": 45}, "params": [zoom()]}
    shape: Spec = {"shape": series(names, SHAPES, key)} if dotted else {"opacity": {"value": 0}}
    layers: list[Spec] = [
        {**line, "encoding": {"strokeDash": series(names, DASHES, key)}},
        {**dots, "encoding": {**shape, "tooltip": tooltip(hints)}},
    ]
    spec = frame(rows, x, y, names)
    return {**spec, "encoding": {**spec["encoding"], "color": series(names, legend=key)}, "layer": layers}


def marks(rows: Rows, x: dict[str, Any], y: dict[str, Any], names: Sequence[str], hints: Mapping[str, str]) -> Spec:
    """A mark a row."""
    encoding = {"shape": series(names, SHAPES, legend(names)), "tooltip": tooltip(hints)}
    if any("n" in row for row in rows):
        encoding["size"] = {"field": "n", "type": "quantitative", "legend": None, "scale": {"range": [15, 400]}}
    mark = {"type": "point", "filled": True, "size": 60}
    layer = {"mark": mark, "params": [chosen(), zoom()], "encoding": encoding}
    return {**frame(rows, x, y, names), "layer": [layer]}


def frame(rows: Rows, x: dict[str, Any], y: dict[str, Any], names: Sequence[str]) -> Spec:
    """What all plots with a colour a name share."""
    return {
        "width": "container",
        "height": HEIGHT,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": list(rows)},
        "encoding": {"x": x, "y": y, "color": series(names, legend=legend(names)), "opacity": bright()},
    }


def series(
    names: Sequence[str], look: Sequence[Any] = (), legend: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A channel that tells names apart."""
    spread = {"range": [look[i % len(look)] for i in range(len(names))]} if look else {}
    return {"field": "who", "type": "nominal", "scale": {"domain": list(names), **spread}, "legend": legend}


def legend(names: Sequence[str], filled: bool = True) -> dict[str, Any] | None:
    """Above the plot, as many names beside each other as there is room for; none for one name.

    Args:
        filled: shapes; else lines with their dashes.
    """
    if len(names) < 2:
        return None
    columns = {"expr": f"max(1, floor(width / {WIDE * max(map(len, names)) + 40}))"}
    look = (
        {"symbolStrokeWidth": 0} if filled else {"symbolType": "stroke", "symbolSize": 300, "symbolStrokeWidth": 2}
    )
    return {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "columns": columns,
        "symbolOpacity": 1,
        **look,
    }


def tooltip(hints: Mapping[str, str]) -> list[dict[str, Any]]:
    """A tooltip's lines."""
    return [_hint(field, *title.rsplit(":", 1)) for field, title in hints.items()]


def chosen() -> dict[str, Any]:
    """The name that was clicked in the legend."""
    return {"name": "chosen", "select": {"type": "point", "fields": ["who"]}, "bind": "legend"}


def zoom() -> dict[str, Any]:
    """Moving and zooming; the wheel alone scrolls the page."""
    event = "wheel![event.ctrlKey || event.metaKey]"
    return {"name": "zoom", "select": {"type": "interval", "zoom": event}, "bind": "scales"}


def bright() -> dict[str, Any]:
    """Full where nothing or this name was chosen."""
    return {"condition": {"param": "chosen", "value": 1}, "value": 0.15}


def thinned(count: int, most: int = 200) -> list[int]:
    """So many places of a long row at most, the first and the last among them.

    >>> thinned(3), thinned(1000, 3)
    ([0, 1, 2], [0, 500, 999])
    """
    if count <= most:
        return list(range(count))
    return [round(i * (count - 1) / (most - 1)) for i in range(most)]


def _hint(field: str, title: str, format: str = "") -> dict[str, Any]:
    number = {"type": "quantitative", "format": format} if format else {"type": "nominal"}
    return {"field": field, "title": title, **number}
