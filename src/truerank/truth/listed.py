"""What a list says is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from truerank._kernel import as_text
from truerank.errors import InputError
from truerank.formats import read_qrels
from truerank.qrels import Qrels
from truerank.truth.checks import checked
from truerank.truth.distances import DISTANCES, distance_named
from truerank.truth.items import Floats, Ints, Items
from truerank.truth.registry import rule
from truerank.truth.result import Pairs


@rule("listed")
def listed(queries: Items, references: Items, *, pairs: Any, distance: str | None = None) -> Pairs:
    """The pairs of a list are right: a file of judgements, or pairs of ids.

    Args:
        pairs: what `read_qrels` takes (a path, a dict, a DataFrame), or (query, reference) pairs.
        distance: how to measure the pairs; by default geodesic where all have a place, else not at all.

    Raises:
        InputError: an id in the list is not among the items; a near one is suggested.

    >>> from truerank import truth
    >>> truth.listed([{"id": "q"}], [{"id": "a"}, {"id": "b"}], pairs=[("q", "b")]).to_dict()
    {b'q': {b'b': 1.0}}
    """
    judged = _read(pairs)
    query = np.array([queries.row(as_text(name)) for name in judged.queries], np.int64)[judged.query]
    reference = np.array([references.row(as_text(judged.doc(row))) for row in range(len(judged.grades))], np.int64)
    distance = distance or _possible(queries, references)
    metres = _metres(queries, references, query, reference, distance)
    return Pairs(query, reference, metres, judged.grades, distance=distance)


def _read(pairs: Any) -> Qrels:
    if isinstance(pairs, Mapping | str) or not isinstance(pairs, Iterable) or hasattr(pairs, "columns"):
        return read_qrels(pairs)
    judged: dict[Any, list[Any]] = {}
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(f"a pair is (query, reference), not {pair!r:.60}", "pairs")
        judged.setdefault(pair[0], []).append(pair[1])
    return Qrels.from_dict(judged, "pairs")


def _possible(queries: Items, references: Items) -> str | None:
    both = (queries, references)
    return "geodesic" if all(items.lat is not None and items.lon is not None for items in both) else None


def _metres(queries: Items, references: Items, query: Ints, reference: Ints, distance: str | None) -> Floats:
    if distance is None:
        return np.full(len(query), np.nan)
    measured = distance_named(distance)
    asked, there = (DISTANCES[distance].places(checked(items, distance)) for items in (queries, references))
    return measured.metres(asked[query], there[reference])
