"""What the commands do that take people's judgements of some queries, and a model's of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from truerank.cli import id_overlap, inputs, tables
from truerank.cli.options import Judgements
from truerank.core.messages import message
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.formats import read_qrels

if TYPE_CHECKING:
    from truerank.analysis.compare.predicted import Predicted


def predicted(
    judgements: Judgements, runs: Sequence[str], sources: Sequence[Run], measures: Any, rules: Rules, **how: Any
) -> list[Predicted]:
    """The estimate of each run.

    Raises:
        TruerankError: wrong input.
    """
    from truerank.analysis.compare.predicted import predicted

    people, model = (read_qrels(path, judgements.qrels_format) for path in (judgements.people, judgements.model))
    chosen = {"sample": judgements.sample, "rules": rules, **how}
    estimates = [predicted(people, model, source, measures, **chosen) for source in sources]
    id_overlap.refuse_or_warn(model, [one.model for one in estimates], runs)
    return estimates


def show(
    judgements: Judgements,
    runs: Sequence[str],
    measures: str | None,
    rules: Rules,
    run_format: str | None,
    format: str | None,
    output: str,
    *,
    as_written: bool,
    **shape: Any,
) -> None:
    """Print what `truerank eval` prints of such judgements."""
    from truerank.present.predicted import document

    with inputs.opened(runs, run_format, again=True) as sources:
        estimates = predicted(judgements, runs, sources, measures, rules, as_written=as_written)
    tables.show(document(estimates, **shape), format, output)


def subject(judgements: Judgements, given: dict[str, str]) -> dict[str, str]:
    """What is checked: the run alone, whose judgements are those of people and of the model.

    Raises:
        UsageError: qrels as well, or no run.
    """
    if list(given) != ["scores"]:
        raise click.UsageError(message("With --judged-by and --predicted-by, give one RUN and no QRELS."))
    return {"qrels": judgements.model, "run": given["scores"]}


def of_run(judgements: Judgements, run: str, measures: Any, rules: Rules, run_format: str | None) -> Predicted:
    """The estimate of one run."""
    judgements.runs(run, ())
    with inputs.opened([run], run_format, again=True) as sources:
        return predicted(judgements, [run], sources, measures, rules)[0]


def tell(found: Predicted) -> None:
    """Say on standard error what speaks against an estimate."""
    from truerank.present.predicted import remarks_of

    tables.tell(remarks_of(found))
