"""A number from 0 to 1 for each rank: how likely it is looked at, or how often it is clicked."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from truerank.core.errors import InputError, quoted
from truerank.core.messages import message
from truerank.formats import names
from truerank.formats.frames import is_frame
from truerank.formats.source import as_source
from truerank.truth.tabular import Table, from_frame, read_table
from truerank.truth.values import number


def by_rank(given: Any, columns: Sequence[str], one: str, many: str) -> dict[int, float]:
    """{rank: its number}, from such a mapping or from a table with a column of ranks and one of numbers.

    Args:
        given: the mapping, a DataFrame, or a table as `as_source` takes it.
        columns: what the column of the numbers may be called, as `names.folded` spells it, the best name first.
        one: what a number is called: "click rate".
        many: what several are called: "click rates".

    Raises:
        InputError: it is neither; no such column; a rank that is no whole number from 1 on, or that is there twice;
            a number that is not from 0 to 1.

    >>> by_rank({1: 0.5, "2.0": "0.25"}, ["rate"], "click rate", "click rates")
    {1: 0.5, 2: 0.25}
    """
    if not isinstance(given, Mapping | str | os.PathLike) and not is_frame(given):
        raise InputError("{many} are {{rank: {one}}}, or the path of a table, or a DataFrame", many=many, one=one)
    rows, name = _rows(given, columns, many)
    numbers: dict[int, float] = {}
    for line, rank, value in rows:
        place, share = _real(rank), _real(value)
        if not 1 <= place < math.inf or place != int(place):
            raise InputError("a rank is a whole number from 1 on, not {value}", name, line, value=quoted(rank))
        place = int(place)
        if place in numbers:
            raise InputError("rank {rank} has two {many}", name, line, rank=place, many=many)
        if not 0 <= share <= 1:
            raise InputError(
                "the {one} of rank {rank} is a number from 0 to 1, not {value}",
                name,
                line,
                one=one,
                rank=place,
                value=quoted(value),
            )
        numbers[place] = share
    return numbers


def _rows(
    given: Any, columns: Sequence[str], many: str
) -> tuple[Iterable[tuple[int | None, Any, Any]], str | None]:
    """(line, rank, number) each, and the file that they come from."""
    if isinstance(given, Mapping):
        return ((None, rank, value) for rank, value in given.items()), None
    table = Table(from_frame(given, str(many)), str(many)) if is_frame(given) else read_table(as_source(given))
    ranks = table.columns[table.column(names.RANK, message("the ranks; name it rank"))]
    holds = message("the {many}; name it {name}", many=many, name=columns[0])
    values = table.columns[table.column(columns, holds)]
    return ((table.line(n), *row) for n, row in enumerate(zip(ranks, values, strict=True))), table.name


def _real(value: Any) -> float:
    """The number; NaN where it is none."""
    try:
        return number(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
