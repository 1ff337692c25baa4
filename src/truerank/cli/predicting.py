"""What the commands do that take people's judgements of some queries, and a model's of all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from truerank.cli import drawing, id_overlap, inputs, options, tables
from truerank.cli.options import Judgements, judgements_of
from truerank.core.messages import message
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.formats import read_qrels

if TYPE_CHECKING:
    from truerank.analysis.check import Settings
    from truerank.analysis.compare import Comparison
    from truerank.analysis.compare.prediction_powered import Predicted


def predicted(
    judgements: Judgements, runs: Sequence[str], sources: Sequence[Run], measures: Any, rules: Rules, **how: Any
) -> list[Predicted]:
    """The estimate of each run.

    Raises:
        TruerankError: wrong input.
    """
    from truerank.analysis.compare.prediction_powered import predicted

    files = (inputs.source(path) for path in (judgements.people, judgements.model))
    people, model = (read_qrels(file, judgements.qrels_format) for file in files)
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


def of_report(judgements: Judgements, runs: tuple[str, ...], asked: dict[str, Any]) -> Comparison:
    """The runs as such judgements estimate them, side by side."""
    from truerank.analysis.compare import compare

    under = inputs.rules_asked(asked["rules"], asked["changes"], runs)
    wanted = inputs.measures_asked(asked["measures"], under)
    collapse = options.collapsing(asked["how"], asked["chunk_ids"])
    with inputs.opened(runs, asked["run_format"], again=True, collapse=collapse) as sources:
        estimates = predicted(judgements, runs, sources, wanted, under, as_written=asked["as_written"])
    baseline = inputs.place(asked["baseline"], runs)
    return compare(None, estimates, baseline=baseline, **drawing.drawn(asked))


def settled(
    judgements: Judgements | None, settings: Settings, given: Collection[str], qrels_format: str | None
) -> tuple[Judgements | None, Settings]:
    """The judgements of a check, the command line's or the file's, and whose run is checked; None of plain qrels.

    Args:
        given: what the command line names: "qrels", "run", "scores".

    Raises:
        TruerankError: qrels as well, or items, or no run; one of the judgements without the other.
    """
    of_file = judgements is None and "qrels" not in given
    if of_file:
        judgements = judgements_of(settings.judged_by, settings.predicted_by, settings.sample, qrels_format)
    if judgements is None:
        return None, settings
    run = settings.scores or settings.run
    if run is None or "qrels" in given or (of_file and settings.qrels):
        raise click.UsageError(message("With --judged-by and --predicted-by, give one RUN and no QRELS."))
    if settings.items:
        raise click.UsageError(inputs.ITEMS_JUDGED_ONCE)
    return judgements, replace(settings, qrels=judgements.model, run=run, scores=None)
