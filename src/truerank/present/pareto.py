"""What quality costs in time, as a picture: a point a setting, and a line through those that no other one beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank.core.errors import InputError, counted, shown
from truerank.live.result import Bench
from truerank.live.sweep import front
from truerank.present.bench import standing
from truerank.present.charts import LIGHT, spans
from truerank.present.plots import HEIGHT, WIDTH, _altair


def pareto(found: Sequence[Bench], latency: str = "p50") -> Any:
    """The picture of a sweep by its first measure.

    Raises:
        InputError: there were no qrels, so there is no quality.
    """
    scores = next((one.scores for one in found if one.scores), None)
    if scores is None:
        raise InputError("a plot of quality against latency needs qrels")
    found = [one for one in found if one.scores and len(one.measured.answered)]
    if not found:
        raise InputError("nothing was answered: there is nothing to plot")
    measure = next(iter(scores.mean))
    alt = _altair()
    rows = _rows(found, measure, latency)
    across, up = spans(rows)
    x = alt.X("ms:Q", title=f"latency {latency}, ms", scale=alt.Scale(**across))
    y = alt.Y("quality:Q", title=measure, scale=alt.Scale(**up))
    both = alt.Chart().encode(x=x, y=y)
    line = both.mark_line(interpolate="step-after", color=LIGHT[0]).transform_filter("datum.best")
    colour = alt.condition("datum.best", alt.value(LIGHT[0]), alt.value("#999999"))
    wide = both.mark_rule().encode(x="left:Q", x2="right:Q", color=colour)
    high = both.mark_rule().encode(y="low:Q", y2="high:Q", color=colour)
    dots = both.mark_point(filled=True, size=70).encode(
        color=colour,
        tooltip=["setting:N", alt.Tooltip("ms:Q", format=".3f"), alt.Tooltip("quality:Q", format=".4f")],
    )
    names = both.mark_text(align="left", dx=8, dy=-6, fontSize=11).encode(text="setting:N")
    return (
        alt.layer(line, wide, high, dots, names, data=alt.Data(values=rows))
        .properties(width=WIDTH, height=HEIGHT, title=_title(found, scores.rules.name))
        .configure_axis(grid=True, gridColor="#e5e5e5", labelFontSize=12, titleFontSize=13)
        .configure_title(anchor="start", fontSize=15, subtitleFontSize=12, subtitleColor="#555555")
    )


def _rows(found: Sequence[Bench], measure: str, latency: str) -> list[dict[str, Any]]:
    best = front(found, measure, latency)
    return [
        {
            "setting": ", ".join(f"{name} {value}" for name, value in one.settings.items()),
            **standing(one, measure, latency),
            "best": i in best,
        }
        for i, one in enumerate(found)
    ]


def _title(found: Sequence[Bench], rules: str) -> dict[str, str]:
    first = found[0]
    queries = counted(len(first.queries), "query", "queries")
    return {"text": "Quality against latency", "subtitle": f"{shown(first.name)}; {queries}; rules {shown(rules)}"}
