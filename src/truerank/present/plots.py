"""Pictures: one Altair specification each, which gives interactive HTML and static SVG and PNG alike."""

from __future__ import annotations

import html
import io
import json
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from truerank.analysis.curve import Curve
from truerank.core.errors import InputError, MissingPackage, counted, shown
from truerank.formats.target import writing
from truerank.present.charts import DASHES, LIGHT, SHAPES
from truerank.present.names import labels, shortened

if TYPE_CHECKING:
    import altair

WIDTH, HEIGHT = 520, 400
SCALE = 2
"""Pixels of a PNG for each point."""

LETTERS = 40
"""Of a name in a legend."""

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>{title}</title>
<script>{bundle}</script>
</head>
<body>
<div id="plot"></div>
<script>vegaEmbed("#plot", {spec}, {options});</script>
</body>
</html>
"""

ACTIONS = {"export": True, "source": False, "compiled": False, "editor": False}
"""What the page's menu offers: to save the picture, and nothing that opens another site."""


def precision_recall(curves: Sequence[Curve]) -> Any:
    """The curves of several runs in one picture; of one query the raw ones behind the interpolated ones."""
    names = labels([curve.run for curve in curves])
    one = curves[0].query is not None
    layers = _layers_of_query(curves, names) if one else _layers_of_means(curves, names)
    alt = _altair()
    return (
        alt.layer(*layers)
        .properties(width=WIDTH, height=HEIGHT, title=_title(curves[0], names))
        .configure_axis(grid=True, gridColor="#e5e5e5", labelFontSize=12, titleFontSize=13)
        .configure_legend(labelFontSize=12, labelLimit=320)
        .configure_title(anchor="start", fontSize=15, subtitleFontSize=12, subtitleColor="#555555")
    )


def save(chart: altair.LayerChart, path: str) -> None:
    """Write a picture, all or nothing: .svg, .png, or .html that works without a network.

    Raises:
        InputError: the path ends in something else, or cannot be written.
    """
    draw = drawer(path)
    data = draw(chart)
    with writing(path) as file:
        file.write(data)


def drawer(path: str) -> Callable[[altair.LayerChart], bytes]:
    """What draws the kind of picture that a file's ending asks for."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in DRAWERS:
        raise InputError(f"a plot is a file that ends in {', '.join(DRAWERS)}", path)
    return DRAWERS[ending]


def _svg(chart: altair.LayerChart) -> bytes:
    out = io.StringIO()
    chart.save(out, format="svg")
    return out.getvalue().encode()


def _png(chart: altair.LayerChart) -> bytes:
    out = io.BytesIO()
    chart.save(out, format="png", scale_factor=SCALE)
    return out.getvalue()


def _html(chart: altair.LayerChart) -> bytes:
    """A page with the libraries in it; a run's name may hold what HTML would take for the end of a script."""
    import vl_convert

    spec = chart.to_dict()
    version = ".".join(_altair().SCHEMA_VERSION.split(".")[:2])
    bundle = cast(Any, vl_convert).javascript_bundle(vl_version=version)
    title = html.escape("; ".join(spec["title"].values()))
    text = json.dumps(spec).replace("<", "\\u003c")
    options = json.dumps({"mode": "vega-lite", "actions": ACTIONS})
    return PAGE.format(title=title, bundle=bundle, spec=text, options=options).encode()


DRAWERS: dict[str, Callable[[Any], bytes]] = {".svg": _svg, ".png": _png, ".html": _html}


def _altair() -> Any:
    try:
        import altair
        import vl_convert  # noqa: F401 (what draws; better missed now than at the end)
    except ModuleNotFoundError:
        raise MissingPackage("drawing a plot", "plots") from None
    return altair


def _layers_of_means(curves: Sequence[Curve], names: Sequence[str]) -> list[Any]:
    """Lines between the points at which precision was read."""
    alt = _altair()
    rows = [
        {"run": name, "recall": recall, "precision": height}
        for name, curve in zip(names, curves, strict=True)
        for recall, height in zip(curve.recalls, curve.precision, strict=True)
    ]
    chosen = alt.selection_point(fields=["run"], bind="legend")
    opacity = alt.condition(chosen, alt.value(1), alt.value(0.15))
    both = alt.Chart().encode(**_axes(), color=_colour(names), opacity=opacity)
    points = both.mark_point(filled=True, size=55).encode(
        shape=_look(alt.Shape, names, SHAPES),
        tooltip=["run:N", alt.Tooltip("recall:Q"), alt.Tooltip("precision:Q", format=".4f")],
    )
    lines = both.mark_line(strokeWidth=2).encode(strokeDash=_look(alt.StrokeDash, names, DASHES))
    return [alt.layer(lines, points.add_params(chosen), data=alt.Data(values=rows))]


def _layers_of_query(curves: Sequence[Curve], names: Sequence[str]) -> list[Any]:
    """The raw sawtooth as a thin line with a point a result, the interpolated curve as steps."""
    alt = _altair()
    raw, steps = (
        alt.Data(values=[row for name, curve in zip(names, curves, strict=True) for row in rows_of(name, curve)])
        for rows_of in (_raw_rows, _step_rows)
    )
    both = alt.Chart().encode(**_axes(), color=_colour(names))
    teeth = both.mark_line(strokeWidth=1, opacity=0.6, strokeDash=[4, 2]).encode(order="rank:Q")
    hints = ["run:N", "rank:Q", "relevant:N", "recall:Q", alt.Tooltip("precision:Q", format=".4f")]
    dots = both.mark_point(filled=True, size=28, opacity=0.8).encode(
        tooltip=hints, shape=_look(alt.Shape, names, SHAPES)
    )
    upper = both.mark_line(interpolate="step-before", strokeWidth=2.5).encode(order="place:Q")
    return [alt.layer(teeth, dots, data=raw), alt.layer(upper, data=steps)]


def _raw_rows(name: str, curve: Curve) -> list[dict[str, Any]]:
    raw = curve.sawtooth
    columns = () if raw is None else zip(raw.relevant, raw.recall, raw.precision, strict=True)
    return [
        {"run": name, "rank": rank, "relevant": "yes" if relevant else "no", "recall": recall, "precision": height}
        for rank, (relevant, recall, height) in enumerate(columns, 1)
    ]


def _step_rows(name: str, curve: Curve) -> list[dict[str, Any]]:
    """The corners of the interpolated curve: from recall 0 to what was reached, and from there on at 0."""
    raw = curve.sawtooth
    if raw is None or not any(raw.relevant):
        corners = [(0.0, 0.0), (1.0, 0.0)]
    else:
        corners = [(r, p) for r, p, hit in zip(raw.recall, raw.interpolated, raw.relevant, strict=True) if hit]
        corners = [(0.0, corners[0][1]), *corners, (1.0, corners[-1][1] if corners[-1][0] >= 1 else 0.0)]
    return [
        {"run": name, "place": place, "recall": recall, "precision": height}
        for place, (recall, height) in enumerate(corners)
    ]


def _axes() -> dict[str, Any]:
    """Both from 0 to 1, with a line a tenth."""
    alt = _altair()
    scale, tenths = alt.Scale(domain=[0, 1]), [i / 10 for i in range(11)]
    look = {"values": tenths, "format": ".1f", "labelFlush": False}
    x, y = (alt.Axis(title=title, **look) for title in ("Recall", "Precision"))
    return {"x": alt.X("recall:Q", scale=scale, axis=x), "y": alt.Y("precision:Q", scale=scale, axis=y)}


def _colour(names: Sequence[str]) -> Any:
    """A colour a run; with more runs than colours, those of a larger palette."""
    alt = _altair()
    colours = {"range": LIGHT} if len(names) <= len(LIGHT) else {"scheme": "tableau20"}
    return alt.Color("run:N", scale=alt.Scale(domain=list(names), **colours), legend=_legend(names))


def _look(channel: Any, names: Sequence[str], looks: Sequence[Any]) -> Any:
    """A shape or a dash a run, beside its colour."""
    spread = [looks[i % len(looks)] for i in range(len(names))]
    return channel("run:N", scale=_altair().Scale(domain=list(names), range=spread), legend=_legend(names))


def _legend(names: Sequence[str]) -> Any:
    """Nothing for one run, whose name stands in the title; else names short enough to be told apart."""
    if len(names) == 1:
        return None
    short = json.dumps(shortened(names, LETTERS))
    return _altair().Legend(title=None, symbolOpacity=1, labelExpr=f"{short}[datum.index]")


def _title(curve: Curve, names: Sequence[str]) -> dict[str, Any]:
    """What is shown, of which run if there is one only, under whose rules."""
    one = f"query {shown(curve.query or '')}: the raw curve dashed, the interpolated one solid"
    what = f"the mean of {counted(curve.queries, 'query', 'queries')}" if curve.query is None else one
    run = [names[0]] if len(names) == 1 else []
    subtitle = "; ".join([*run, what, f"rules {shown(curve.rules.name)}"])
    return {"text": "Precision against recall", "subtitle": subtitle}
