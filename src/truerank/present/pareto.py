"""What quality costs in time, as a picture: a mark per setting, and a line through those that no other beats."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.core.errors import InputError
from truerank.core.messages import joined, message
from truerank.live.result import Bench
from truerank.live.sweep import THROUGHPUT, front
from truerank.present import bench_notes, charts
from truerank.present.bench import endless, standing
from truerank.present.document import Figure
from truerank.present.names import scored

BESIDE = 6
"""Names of more settings than these would cover each other beside the marks."""


def figure(benches: Sequence[Bench], against: str = "p50") -> Figure:
    """The picture of a sweep by its first measure.

    Args:
        against: a figure of `Bench.latency`, or "throughput".

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
    names = list(map(bench_notes.setting, benches))
    is_rate = against == THROUGHPUT
    fast = (message("answers a second"), ".1f") if is_rate else ("ms", ".3f")
    hints: charts.Hints = {"who": message("setting"), "speed": fast, "quality": (measure, ".4f")}
    title = fast[0] if is_rate else message("latency {percentile}, ms", percentile=against)
    spec = chart(benches, names, measure, against, title=title, hints=hints, beside=len(names) <= BESIDE)
    of = scored(first.name, len(first.queries), scores.rules.name)
    alt = message(
        "One mark per setting, with 95 % intervals; the line joins those that no other one beats on both."
    )
    alt = joined(" ", [alt, *endless(benches, against)])
    of_what = message("Quality against throughput") if is_rate else message("Quality against latency")
    return Figure("pareto", of_what, alt, spec, subtitle=of)


def chart(
    benches: Sequence[Bench],
    names: Sequence[str],
    measure: str,
    against: str = "p50",
    *,
    title: str,
    hints: charts.Hints,
    beside: bool = False,
    among: Sequence[str] = (),
) -> charts.Spec:
    """One mark per benchmark on its intervals, and a line through those that no other one beats.

    Args:
        names: what to call the benchmarks.
        title: of the axis of speed.
        hints: of a mark, as for `charts.marks`.
        beside: the names stand beside the marks.
        among: the names in all plots, if there are more.
    """
    best = front(benches, measure, against)
    rows = [
        {"who": name, **standing(one, measure, against), "best": i in best}
        for i, (name, one) in enumerate(zip(names, benches, strict=True))
    ]
    across, up = charts.spans(rows)
    across = {"type": "log", "nice": False} if against == THROUGHPUT else across
    x = charts.axis("speed", title, scale={**across, "padding": 12}, axis=charts.FEW_TICKS)
    y = charts.axis("quality", measure, scale={**up, "padding": 12}, axis=charts.FEW_TICKS)
    spec = charts.marks(rows, x, y, among or names, hints, beside=beside, drawn=names)
    spec["layer"] = [*charts.whiskers(x, y), *spec["layer"]]
    step = "step-before" if against == THROUGHPUT else "step-after"
    line = {
        "transform": [{"filter": "datum.best"}],
        "mark": {"type": "line", "interpolate": step, "strokeDash": [4, 3]},
        "encoding": {"x": x, "y": y},
    }
    return charts.behind(spec, line)
