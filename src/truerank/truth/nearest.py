"""The nearest references are right."""

from __future__ import annotations

import numpy as np

from truerank.core.errors import RulesError
from truerank.core.messages import message
from truerank.core.schema import is_whole
from truerank.truth import search
from truerank.truth.checks import placed
from truerank.truth.items import Items
from truerank.truth.notes import TruthNote
from truerank.truth.registry import rule
from truerank.truth.result import Pairs

FAR = 100_000.0
"""Metres; if even the nearest reference of every query is further, the files hardly belong together."""


@rule("nearest")
def nearest(queries: Items, references: Items, *, n: int = 1, distance: str = "geodesic") -> Pairs:
    """The n references that are nearest to the query are right; of equally near ones the first.

    >>> from truerank import truth
    >>> queries = [{"id": "q", "lat": 0.0, "lon": 179.9}]
    >>> references = [{"id": "west", "lat": 0.0, "lon": -179.9}, {"id": "east", "lat": 0.0, "lon": 179.0}]
    >>> right = truth.nearest(queries, references)
    >>> right.to_dict(), right.metres.round().tolist()
    ({'q': {'west': 1.0}}, [22264.0])
    """
    if not is_whole(n) or n < 1:
        raise RulesError("nearest: n is a positive whole number, not {n!r}", n=n)
    measured, asked, there = placed(queries, references, distance)
    index, metres, tied = search.nearest(measured, asked, there, n)
    query = np.repeat(np.arange(len(queries)), index.shape[1])
    notes = (_far(float(metres[:, 0].min())),) if metres[:, 0].min() > FAR else ()
    return Pairs(query, index.ravel(), metres.ravel(), tied=tied, distance=distance, notes=notes)


def _far(metres: float) -> TruthNote:
    said = message("No query has a reference within {km:,.0f} km. Do the files belong together?", km=metres / 1000)
    return TruthNote("far", said)
