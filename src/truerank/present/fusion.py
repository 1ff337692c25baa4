"""A tuned fusion as tables: what it scores on held-out queries beside each run, and the parameters of each fold."""

from __future__ import annotations

from typing import Any

from truerank.core.messages import message, plural, warned
from truerank.core.scores import Scores
from truerank.fusion.tuned import TunedFusion
from truerank.present import ledger
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.table import Cell, Table, drawn_digits

FEW = 20
"""With fewer queries in what a fold is tuned on, the choice is mostly chance."""

FLAT = ("fold", "queries", "params", "tuned", "held_out")


def document_of(fusion: TunedFusion, digits: int | None = None) -> Document:
    """The means, then one row per fold."""
    drawn = drawn_digits(digits)
    tables = [_means(fusion, drawn), _folds(fusion, drawn)]
    remarks = [*remarks_of(fusion), *ledger.named_remarks(*_rows_of_means(fusion))]
    plain = {**fusion.to_dict(), "remarks": remarks}
    return Document(tables, Table(FLAT, _rows(fusion), digits=digits), plain, remarks)


def _rows_of_means(fusion: TunedFusion) -> tuple[list[Scores], list[str]]:
    """The scores in the table of means, and their names there."""
    fused = message("{method}, each query held out", method=fusion.method)
    return [fusion.scores, *fusion.scores_alone.values()], [fused, *labels(fusion.runs)]


def _means(fusion: TunedFusion, digits: int) -> Table:
    rows = zip(_rows_of_means(fusion)[1], [fusion.mean, *fusion.alone.values()], strict=True)
    return Table((message("run"), fusion.measure), tuple(rows), digits=digits)


def _folds(fusion: TunedFusion, digits: int) -> Table:
    columns = (
        message("fold"),
        message("queries"),
        message("parameters"),
        message("{measure} where tuned", measure=fusion.measure),
        message("{measure} held out", measure=fusion.measure),
    )
    notes = (*_notes(fusion), *ledger.notes(*_rows_of_means(fusion)), *remarks_of(fusion))
    return Table(columns, _rows(fusion), message("parameters by fold"), notes, digits=digits)


def _rows(fusion: TunedFusion) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (number, fold.counted, _shown(fold.params), fold.tuned, fold.held_out)
        for number, fold in enumerate(fusion.folds, 1)
    )


def _shown(params: Any) -> str:
    """The parameters as they are written; where one was learnt for many ranks, only that it was."""
    return ", ".join(f"{key}={_value(value)}" for key, value in params.items())


def _value(value: Any) -> str:
    if not isinstance(value, tuple):
        return f"{value:g}"
    if any(isinstance(one, tuple) for one in value):
        return "[…]"
    return "[" + ", ".join(f"{one:.4g}" for one in value) + "]"


def _counted(fusion: TunedFusion) -> int:
    """How many judged queries are in the means."""
    return sum(fold.counted for fold in fusion.folds)


def _notes(fusion: TunedFusion) -> list[str]:
    norm = fusion.norm or message("none")
    return [
        message(
            "Each query was fused with parameters that were tuned on the other folds: none had a part in its own "
            "(nested cross-validation, {folds} folds, seed {seed}).",
            folds=len(fusion.folds),
            seed=fusion.seed,
        ),
        plural(
            "{n:,} setting was tried; norm: {norm}; for new queries: {params}.",
            "{n:,} settings were tried; norm: {norm}; for new queries: {params}.",
            n=fusion.tried,
            norm=norm,
            params=_shown(fusion.params),
        ),
        message(
            "On the queries that they were tuned on, the latter score {flattered:.4f}: not to be reported.",
            flattered=fusion.flattered,
        ),
    ]


def remarks_of(fusion: TunedFusion) -> list[str]:
    """What a reader must know."""
    said: list[str] = []
    fewest = _counted(fusion) - max(fold.counted for fold in fusion.folds)
    if fewest < FEW:
        said.append(
            warned(
                message(
                    "a fold was tuned on {n} queries: with fewer than {few} it is mostly chance.", n=fewest, few=FEW
                )
            )
        )
    if any([*one.queries] != [*fusion.scores.queries] for one in fusion.scores_alone.values()):
        said.append(
            warned(
                message(
                    "the means are over different queries, as the rules leave out those that a run does not "
                    "answer; `truerank compare` takes the queries that all have."
                )
            )
        )
    return said
