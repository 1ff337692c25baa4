"""`--engine spark`: runs that are read by the tasks of a cluster, in place of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from truerank.cli.failures import tell
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.scores import Scores

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_engine = click.option(
    "--engine",
    type=click.Choice(["spark"]),
    help="Read runs on Spark; a RUN is then a file, a folder, a pattern or a URL that every executor can open.",
)
_master = click.option(
    "--master",
    metavar="URL",
    help="Where Spark is, e.g. spark://host:7077 or local[4] [default: as it is configured].",
)


def options(command: Decorated) -> Decorated:
    """The engine, and where it is."""
    return _engine(_master(command))


def refuse(
    engine: str | None, master: str | None, runs: Sequence[str], threads: int | None, items: str | None = None
) -> None:
    """Raise where options do not go together."""
    if engine is not None and items is not None:
        raise click.UsageError(message("--items is for one machine: measures of the lists need all of their rows."))
    if master is not None and engine is None:
        raise click.UsageError(message("--master is for --engine spark."))
    if engine is not None and threads is not None:
        raise click.UsageError(message("--threads is for one machine: Spark has its own executors."))
    if engine is not None and "-" in runs:
        raise click.UsageError(message("Standard input (-) cannot be read on Spark: name a file."))


def scored(
    judged: Qrels, runs: Sequence[str], measures: str | None, rules: Rules, format: str | None, master: str | None
) -> list[Scores]:
    """The scores of runs that are read on Spark; the plan of each is told on standard error."""
    from truerank.core.evaluate import evaluate
    from truerank.interop.spark.evaluation import planned, session

    session(master)
    scores = []
    for run in runs:
        work, plan = planned(judged, run, rules=rules, format=format)
        tell(f"{run}: {plan!r}")
        scores.append(evaluate(work.read(plan.way), measures=measures))
    return scores
