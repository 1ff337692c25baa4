"""Arrays of neighbours, as FAISS returns and NumPy saves them: a row a query, best first; -1 where a row is short.

An .npy file is the ids alone. An .npz file names its arrays: the ids (I, ids, indices, …), what orders them (D,
distances, scores, …), the queries' ids where they are not the numbers of the rows, and grades where it is qrels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.run import Batch
from truerank.formats import names
from truerank.formats.names import HIGHER, IDS, LOWER, folded
from truerank.formats.objects import listed
from truerank.formats.registry import Format, register
from truerank.formats.source import Source

Array = NDArray[Any]

DOCS = (*IDS, "docs", "neighbors", "neighbours", "nearest", "results", "groundtruth", "gt", "relevantids")
QUERIES = ("queries", "queryids", "qids", *names.QUERY)
ORDER = (*LOWER, *HIGHER, "values")


def sniff(head: bytes, name: str) -> float:
    """The bytes that NumPy begins with; an .npz is a zip archive and told from others by its name."""
    return 1.0 if head.startswith(b"\x93NUMPY") or (head.startswith(b"PK\3\4") and ".npz" in name.lower()) else 0.0


def holds(source: Source) -> str | None:
    """Told by the names of the arrays beside the ids."""
    there = set(map(folded, _arrays(source)))
    if not there.isdisjoint(names.GRADE):
        return "qrels"
    return None if there.isdisjoint(ORDER) else "run"


def read_run(source: Source) -> Iterator[Batch]:
    """Many rows at a time."""
    arrays = _arrays(source)
    ids = _ids(arrays, source.name)
    return listed(ids, _scores(arrays, source.name), _named(arrays, QUERIES), name=source.name)


def read_qrels(source: Source) -> Qrels:
    """All judgements: grade 1 where no array has grades."""
    arrays = _arrays(source)
    ids = _ids(arrays, source.name)
    grades = _named(arrays, names.GRADE)
    rows = listed(ids, np.ones(ids.shape) if grades is None else grades, _named(arrays, QUERIES), name=source.name)
    judged = {each.query: dict(zip(each.docs, each.numbers(), strict=True)) for each in rankings(rows, source.name)}
    return Qrels.from_dict(judged, source.name)


def _arrays(source: Source) -> Mapping[str, Array]:
    from truerank.formats.arrays import read_arrays

    return read_arrays(source)


def _ids(arrays: Mapping[str, Array], name: str) -> Array:
    """The ids of the neighbours: the array that is called so, or the only table without fractions."""
    found = _named(arrays, DOCS)
    if found is None:
        fitting = [array for array in arrays.values() if array.ndim == 2 and array.dtype.kind in "iuUS"]
        if len(fitting) != 1:
            known = ", ".join(f"{quoted(key)} {array.dtype} {array.shape}" for key, array in arrays.items())
            raise InputError(
                "none of the arrays is that of the ids, whole numbers or text, a row a query; "
                "save them as I, with distances as D, by numpy.savez (there is {known})",
                name,
                known=known,
            )
        (found,) = fitting
    return found


def _scores(arrays: Mapping[str, Array], name: str) -> Array | None:
    """What orders the neighbours, the higher the better; None: they stand in their order.

    Whether a D holds distances or inner products its rows tell, which are best first.
    """
    found = _named(arrays, ORDER)
    if found is None or found.ndim != 2 or found.dtype.kind not in "iuf":
        return found
    ids = _ids(arrays, name)
    there = ids != -1 if ids.shape == found.shape and ids.dtype.kind in "iu" else np.ones(found.shape, bool)
    pairs = there[:, 1:] & there[:, :-1]
    rises, falls = ((step & pairs).any() for step in (found[:, 1:] > found[:, :-1], found[:, 1:] < found[:, :-1]))
    is_named_so = not set(map(folded, arrays)).isdisjoint(LOWER)
    return -found.astype(np.float64) if rises > falls or (rises == falls and is_named_so) else found


def _named(arrays: Mapping[str, Array], wanted: Sequence[str]) -> Array | None:
    place = names.find(list(arrays), wanted)
    return None if place is None else arrays[list(arrays)[place]]


register(
    Format(
        "numpy",
        message(".npy: FAISS's array of ids, a row a query; .npz: that, distances or scores, and ids of queries"),
        sniff,
        holds,
        read_run=read_run,
        read_qrels=read_qrels,
    )
)
