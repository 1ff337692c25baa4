"""What commands ask of benchmarks: those that were saved, and which percentiles their latencies have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from truerank.stats.quantiles import KINDS

if TYPE_CHECKING:
    from truerank.live.result import Bench

percentiles = click.option(
    "--percentiles",
    type=click.Choice(KINDS),
    help="Of latencies: values that were measured, or between two as NumPy has them "
    "[default: nearest-rank; of what is saved, its own].",
)


def saved_benches(paths: Iterable[str], kind: str | None) -> list[Bench]:
    """The benchmarks in files, with percentiles of that kind; None: with their own."""
    from truerank.live.result import Bench

    saved = (one for path in paths for one in Bench.read_all(path))
    return [one if kind is None else replace(one, percentiles=kind) for one in saved]
