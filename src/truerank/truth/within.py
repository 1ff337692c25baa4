"""Whatever is near enough is right."""

from __future__ import annotations

from truerank.core.errors import RulesError
from truerank.core.schema import is_number
from truerank.truth import search
from truerank.truth.checks import placed
from truerank.truth.items import Items
from truerank.truth.registry import rule
from truerank.truth.result import Pairs


@rule("within")
def within(
    queries: Items, references: Items, *, metres: float = 25, distance: str = "geodesic", inclusive: bool = True
) -> Pairs:
    """All references that are at most this many metres from the query are right; there may be none.

    Args:
        inclusive: whether one at exactly this distance is right.

    >>> from truerank import truth
    >>> queries = [{"id": "q", "x": 0, "y": 0}]
    >>> references = [{"id": "a", "x": 3, "y": 4}, {"id": "b", "x": 3, "y": 4.1}]
    >>> truth.within(queries, references, metres=5, distance="xy").to_dict()
    {'q': {'a': 1.0}}
    """
    if not is_number(metres) or metres < 0:
        raise RulesError("within: metres is a number from 0 on, not {metres!r}", metres=metres)
    measured, asked, there = placed(queries, references, distance)
    query, reference, apart = search.within(measured, asked, there, metres, inclusive)
    return Pairs(query, reference, apart, distance=distance)
