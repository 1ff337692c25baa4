"""What commands ask of logs of clicks: what is drawn again, how often, and how sure intervals are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from truerank.analysis.clicks.interleaving import CLUSTERS
from truerank.cli import drawing

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_cluster = click.option(
    "--cluster",
    type=click.Choice(CLUSTERS),
    help="What is resampled as a whole [default: user where the log has them, else impression].",
)
_drawing = drawing.options(confidence="Of the intervals.", samples="How often clusters are resampled.")


def resampling(command: Decorated) -> Decorated:
    """How intervals are made."""
    return _cluster(_drawing(command))
