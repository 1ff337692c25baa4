"""How sure intervals are, and what is drawn for them: the options of commands that compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from truerank.cli.options import Decorated, FractionRange

NAMES = ("confidence", "seed", "samples")
"""What `options` asks for."""


def options(*, confidence: str, samples: str) -> Callable[[Decorated], Decorated]:
    """How sure intervals are, from which seed and how often is drawn.

    Args:
        confidence, samples: the help of these two: what intervals are of, and what is drawn.
    """
    sure = click.option(
        "--confidence",
        type=FractionRange(0.5, 1, max_open=True),
        default=0.95,
        show_default=True,
        help=confidence,
    )
    seed = click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Of the random numbers: the same seed gives the same bytes.",
    )
    often = click.option("--samples", type=click.IntRange(1), default=10_000, show_default=True, help=samples)
    return lambda command: sure(seed(often(command)))


def drawn(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What was said to `options`, out of all that was asked."""
    return {name: asked[name] for name in NAMES}
