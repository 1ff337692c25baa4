"""What the commands do that take people's judgements of some queries, and a model's of all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from truerank.cli import id_overlap, inputs, tables
from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.formats import read_qrels

if TYPE_CHECKING:
    from truerank.analysis.compare.predicted import Predicted


@dataclass(frozen=True)
class Judgements:
    """People's judgements and a model's, as files."""

    people: str
    model: str
    sample: str
    qrels_format: str | None

    @property
    def files(self) -> list[str]:
        """What is read."""
        return [self.people, self.model, *([self.sample] if self.sample != "random" else [])]

    def predicted(
        self, runs: Sequence[str], sources: Sequence[Run], measures: Any, rules: Rules, **how: Any
    ) -> list[Predicted]:
        """The estimate of each run.

        Raises:
            TruerankError: wrong input.
        """
        from truerank.analysis.compare.predicted import predicted

        people, model = (read_qrels(path, self.qrels_format) for path in (self.people, self.model))
        found = [
            predicted(people, model, source, measures, sample=self.sample, rules=rules, **how) for source in sources
        ]
        id_overlap.refuse_or_warn(model, [one.model for one in found], runs)
        return found


def asked(
    judged_by: str | None,
    predicted_by: str | None,
    sample: str | None,
    qrels_format: str | None,
    systems: Collection[str] = (),
) -> Judgements:
    """The judgements that are asked for.

    Raises:
        TruerankError: one without the other, nothing said of the sample, or systems of several runs.
    """
    if systems:
        raise click.UsageError(message("--system is not for --judged-by: each run is estimated by itself."))
    if not (judged_by and predicted_by):
        raise click.UsageError(message("--judged-by, --predicted-by and --sample belong together: give all three."))
    if not sample:
        from truerank.analysis.compare.predicted import SAY_HOW

        raise InputError(SAY_HOW)
    return Judgements(judged_by, predicted_by, sample, qrels_format)


def refuse_standard_input(runs: Sequence[str]) -> None:
    """Raise where a run cannot be read twice: against people's judgements, and against the model's."""
    if "-" in runs:
        raise InputError("a run is read twice here, against both judgements: write it to a file first", "-")


def show(
    judgements: Judgements,
    runs: Sequence[str],
    measures: str | None,
    rules: Rules,
    *,
    run_format: str | None,
    as_written: bool,
    format: str | None,
    output: str,
    digits: int | None,
    width: float | None,
    to_judge: int | None,
) -> None:
    """Print what `truerank eval` prints of such judgements."""
    from truerank.present.predicted import document

    refuse_standard_input(runs)
    inputs.refuse(*judgements.files, *runs, output=output)
    with inputs.opened(runs, run_format, again=True) as sources:
        found = judgements.predicted(runs, sources, measures, rules, as_written=as_written)
    tables.show(document(found, digits, width=width, to_judge=to_judge), format, output)


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
    refuse_standard_input([run])
    with inputs.opened([run], run_format, again=True) as sources:
        return judgements.predicted([run], sources, measures, rules)[0]


def tell(found: Predicted) -> None:
    """Say on standard error what speaks against an estimate."""
    from truerank.present.predicted import remarks_of

    tables.tell(remarks_of(found))
