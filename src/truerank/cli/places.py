"""What commands ask of recognised places, and the way from their files to an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from truerank import geo
from truerank.cli import options
from truerank.cli.items import KEY, read
from truerank.cli.progress import ReadingBar
from truerank.core.reading import Keep
from truerank.geo.accuracy import STEEPNESS
from truerank.geo.evaluation import CUTS, METRICS, RULES, WITHIN
from truerank.truth import Items

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_JUDGING = (
    click.option(
        "--metric",
        multiple=True,
        type=click.Choice(METRICS),
        help="How to measure; may be repeated [default: both: geodesic and, where there are x and y, xy].",
    ),
    click.option("-k", "cuts", multiple=True, metavar="K,K,…", help="The cutoffs [default: 1,5,10]."),
    click.option(
        "--truth",
        metavar="RULE",
        default="nearest",
        show_default=True,
        help="What is right: nearest(n=3), within(metres=25), contains, listed('pairs.csv'), …",
    ),
    click.option(
        "--within", multiple=True, metavar="T,T,…", help="R@k within this many metres; prints the table of it."
    ),
    click.option(
        "--steepness",
        type=click.FloatRange(0, min_open=True),
        help=f"What one metre costs in SDM [default: {STEEPNESS}].",
    ),
    click.option(
        "--earth-radius",
        metavar="METRES",
        type=float,
        help="Measure latitude and longitude by haversine on a sphere of this radius, e.g. 6371000.",
    ),
)
_READING = (
    click.option(
        "--pattern", metavar="REGEX", help=r"Where a file's name has the query's id [default: _(\d{12}_\d{5})_]."
    ),
    click.option("--name", metavar="TEXT", help="What the query is then called [default: {}.jpg]."),
    click.option(
        "--better",
        type=click.Choice(["lower", "higher", "order"]),
        help="Which value is better [default: by its name].",
    ),
    KEY,
)
OPTIONS = ("metric", "cuts", "truth", "within", "steepness", "earth_radius", "pattern", "name", "better", "keys")
"""What the options of `judging` and `reading` are called inside."""


def judging(command: Decorated) -> Decorated:
    """How right and wrong are told apart."""
    return _added(command, _JUDGING)


def reading(command: Decorated) -> Decorated:
    """How the files are to be read."""
    return _added(command, _READING)


def _added(command: Decorated, added: Sequence[Callable[[Decorated], Decorated]]) -> Decorated:
    for option in reversed(added):
        command = option(command)
    return command


def evaluated(
    files: Sequence[str],
    asked: dict[str, Any],
    *,
    measures: Sequence[str] = (),
    rules: str | None = None,
    changes: Sequence[str] = (),
    format: str | None = None,
    keep: Keep = "judged",
) -> tuple[Items, geo.Places]:
    """The queries, and what was found of them.

    Args:
        files: the queries, the references, the results.
        asked: the values of `OPTIONS`.
        format: of the results.
        keep: which of them are rows, as for `read`.
    """
    under = options.changed(rules or RULES, changes)
    queries, references = (
        read(path, asked["keys"], role) for path, role in zip(files, ("queries", "references"), strict=False)
    )
    named = {name: asked[name] for name in ("pattern", "name", "better")}
    with ReadingBar() as bar:
        results = geo.read_results(files[2], queries, references, progress=bar.reach, format=format, **named)
    return queries, geo.evaluate(
        queries,
        references,
        results,
        metric=asked["metric"] or "both",
        k=options.numbers(asked["cuts"], int, "-k") or CUTS,
        truth=asked["truth"],
        within=options.numbers(asked["within"], float, "--within") or WITHIN,
        steepness=asked["steepness"] or STEEPNESS,
        earth_radius=asked["earth_radius"],
        measures=" ".join(measures),
        rules=under,
        keep=keep,
    )
