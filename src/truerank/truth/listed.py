"""What a list says is right."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from truerank.core.errors import InputError
from truerank.core.kernel.scanning import as_text
from truerank.core.qrels import Qrels
from truerank.formats import read_qrels
from truerank.formats.cells import header
from truerank.formats.frames import is_frame
from truerank.formats.names import QUERY, find
from truerank.formats.source import Source, as_source
from truerank.truth.checks import placed
from truerank.truth.items import Floats, Ints, Items
from truerank.truth.registry import rule
from truerank.truth.result import Pairs
from truerank.truth.tabular import from_csv


@rule("listed")
def listed(queries: Items, references: Items, *, pairs: Any, distance: str | None = None) -> Pairs:
    """The pairs of a list are right: a file of judgements or of pairs, or pairs of ids.

    Args:
        pairs: what `read_qrels` takes (a path, a dict, a DataFrame); a file with two columns, the query's and the
            reference's id; or (query, reference) pairs.
        distance: how to measure the pairs; by default geodesic where all have a place, else not at all.

    Raises:
        InputError: an id in the list is not among the items; a near one is suggested.

    >>> from truerank import truth
    >>> truth.listed([{"id": "q"}], [{"id": "a"}, {"id": "b"}], pairs=[("q", "b")]).to_dict()
    {'q': {'b': 1.0}}
    """
    judged = _read(pairs)
    query = np.array([queries.row(as_text(name)) for name in judged.queries], np.int64)[judged.query]
    reference = np.array([references.row(as_text(judged.doc(row))) for row in range(len(judged.grades))], np.int64)
    distance = distance or _possible(queries, references)
    metres = _metres(queries, references, query, reference, distance)
    return Pairs(query, reference, metres, judged.grades, distance=distance)


def _read(pairs: Any) -> Qrels:
    if isinstance(pairs, str | os.PathLike):
        return _of_file(as_source(pairs))
    if isinstance(pairs, Mapping) or not isinstance(pairs, Iterable) or is_frame(pairs):
        return read_qrels(pairs)
    return _of_pairs(pairs, "pairs")


def _of_file(source: Source) -> Qrels:
    """Pairs where there are two columns and no more, else judgements."""
    first = header(source.head)
    if len(first.names) == 2 and (query := find(first.names, QUERY)) is not None:
        columns = list(from_csv(source).values())
        return _of_pairs(zip(*columns[:: -1 if query else 1], strict=True), source.name)
    lines = [line.split() for line in source.head.decode("utf-8", "replace").splitlines()[:1]]
    if lines and len(lines[0]) == 2 and len(first.names) == 1:
        return _of_pairs(filter(None, map(bytes.split, source.text().splitlines())), source.name)
    return read_qrels(source.name)


def _of_pairs(pairs: Iterable[Any], name: str) -> Qrels:
    judged: dict[Any, list[Any]] = {}
    for row, pair in enumerate(pairs, 1):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or any(each is None for each in pair):
            raise InputError("pair {row} is no (query, reference): {pair!r:.60}", name, row=row, pair=pair)
        judged.setdefault(pair[0], []).append(pair[1])
    return Qrels.from_dict(judged, name)


def _possible(queries: Items, references: Items) -> str | None:
    both = (queries, references)
    return "geodesic" if all(items.lat is not None and items.lon is not None for items in both) else None


def _metres(queries: Items, references: Items, query: Ints, reference: Ints, distance: str | None) -> Floats:
    if distance is None:
        return np.full(len(query), np.nan)
    measured, asked, there = placed(queries, references, distance)
    return measured.metres(asked[query], there[reference])
