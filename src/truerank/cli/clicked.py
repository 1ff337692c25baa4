"""What commands ask of logs of clicks: what is drawn again, how often, and how sure intervals are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from truerank.analysis.clicks.interleaving import CLUSTERS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--cluster",
        type=click.Choice(CLUSTERS),
        help="What is resampled as a whole [default: user where the log has them, else impression].",
    ),
    click.option(
        "--confidence",
        type=click.FloatRange(0.5, 1, max_open=True),
        default=0.95,
        show_default=True,
        help="Of the intervals.",
    ),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random numbers."),
    click.option(
        "--samples",
        type=click.IntRange(1),
        default=10_000,
        show_default=True,
        help="How often clusters are resampled.",
    ),
)


def resampling(command: Decorated) -> Decorated:
    """How intervals are made."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
