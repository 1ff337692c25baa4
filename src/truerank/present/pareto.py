"""What quality costs in time, as a picture: a mark a setting, and a line through those that no other one beats."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.core.errors import InputError, printable
from truerank.core.messages import message, plural
from truerank.live.result import Bench
from truerank.live.sweep import front
from truerank.present import charts
from truerank.present.bench import standing
from truerank.present.document import Figure


def figure(benches: Sequence[Bench], latency: str = "p50") -> Figure:
    """The picture of a sweep by its first measure.

    Raises:
        InputError: there were no qrels, so there is no quality.
    """
    scores = next((one.scores for one in benches if one.scores), None)
    if scores is None:
        raise InputError("a plot of quality against latency needs qrels")
    benches = [one for one in benches if one.scores and len(one.measured.answered)]
    if not benches:
        raise InputError("nothing was answered: there is nothing to plot")
    measure, first = next(iter(scores.mean)), benches[0]
    names = [", ".join(f"{name} {value}" for name, value in one.settings.items()) for one in benches]
    hints: charts.Hints = {"who": message("setting"), "ms": ("ms", ".3f"), "quality": (measure, ".4f")}
    title = message("latency {percentile}, ms", percentile=latency)
    spec = chart(benches, names, measure, latency, title=title, hints=hints, beside=True)
    of = plural(
        "{name}; {n:,} query; rules {rules}",
        "{name}; {n:,} queries; rules {rules}",
        name=printable(first.name),
        n=len(first.queries),
        rules=printable(scores.rules.name),
    )
    alt = message(
        "One mark per setting, with 95 % intervals; the line joins those that no other one beats on both."
    )
    return Figure("pareto", message("Quality against latency"), alt, spec, subtitle=of)


def chart(
    benches: Sequence[Bench],
    names: Sequence[str],
    measure: str,
    latency: str = "p50",
    *,
    title: str,
    hints: charts.Hints,
    beside: bool = False,
) -> charts.Spec:
    """A mark a benchmark on its intervals, and a line through those that no other one beats.

    Args:
        title: of the axis of latencies.
        hints: of a mark, as for `charts.marks`.
        beside: the names stand beside the marks.
    """
    best = front(benches, measure, latency)
    rows = [
        {"who": name, **standing(one, measure, latency), "best": i in best}
        for i, (name, one) in enumerate(zip(names, benches, strict=True))
    ]
    across, up = charts.spans(rows)
    x = charts.axis("ms", title, scale={**across, "padding": 12}, axis=charts.FEW_TICKS)
    y = charts.axis("quality", measure, scale={**up, "padding": 12}, axis=charts.FEW_TICKS)
    spec = charts.marks(rows, x, y, names, hints, beside=beside)
    spec["layer"] = [*charts.whiskers(x, y), *spec["layer"]]
    line = {
        "transform": [{"filter": "datum.best"}],
        "mark": {"type": "line", "interpolate": "step-after", "strokeDash": [4, 3]},
        "encoding": {"x": x, "y": y},
    }
    return charts.behind(spec, line)
