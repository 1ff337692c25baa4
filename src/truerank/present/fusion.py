"""A tuned fusion as tables: what it scores on held-out queries beside each run, and the parameters of each fold."""

from __future__ import annotations

from typing import Any

from truerank.core.messages import message, plural, warned
from truerank.fusion.tuned import TunedFusion
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.table import Cell, Table

FEW = 20
"""With fewer queries in what a fold is tuned on, the choice is mostly chance."""

FLAT = ("fold", "queries", "params", "tuned", "held_out")


def document_of(fusion: TunedFusion, digits: int | None = None) -> Document:
    """The means, then a row a fold."""
    drawn = 4 if digits is None else digits
    tables = [_means(fusion, drawn), _folds(fusion, drawn)]
    plain = {**fusion.to_dict(), "remarks": remarks_of(fusion)}
    return Document(tables, Table(FLAT, _rows(fusion), digits=digits), plain, remarks_of(fusion))


def _means(fusion: TunedFusion, digits: int) -> Table:
    names = labels(fusion.runs)
    rows: list[tuple[Cell, ...]] = [
        (message("{method}, each query held out", method=fusion.method), fusion.mean),
        *((name, fusion.alone[run]) for name, run in zip(names, fusion.runs, strict=True)),
    ]
    return Table((message("run"), fusion.measure), tuple(rows), digits=digits)


def _folds(fusion: TunedFusion, digits: int) -> Table:
    columns = (
        message("fold"),
        message("queries"),
        message("parameters"),
        message("{measure} where tuned", measure=fusion.measure),
        message("{measure} held out", measure=fusion.measure),
    )
    notes = (*_notes(fusion), *remarks_of(fusion))
    return Table(columns, _rows(fusion), message("parameters by fold"), notes, digits=digits)


def _rows(fusion: TunedFusion) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (number, fold.counted, _shown(fold.params), fold.tuned, fold.held_out)
        for number, fold in enumerate(fusion.folds, 1)
    )


def _shown(params: Any) -> str:
    """The parameters as they are written; of what was learnt of many places only that it was."""
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
    judged = sum(len(fold.queries) for fold in fusion.folds)
    return [
        *_left_out(judged - _counted(fusion), judged),
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


def _left_out(n: int, judged: int) -> list[str]:
    """What is said of judged queries that the rules leave out of the means."""
    if not n:
        return []
    return [
        plural(
            "{n:,} of {judged:,} judged queries is in no mean and no count, by the rules.",
            "{n:,} of {judged:,} judged queries are in no mean and no count, by the rules.",
            n=n,
            judged=judged,
        )
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
    return said
