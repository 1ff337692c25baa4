"""The exact nearest neighbours are right, and what is as near as the last of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, truncated
from truerank.core.ids import is_later
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import plural
from truerank.core.qrels import Qrels
from truerank.formats.exact import Neighbours, Tolerance
from truerank.formats.matrices import plain_array
from truerank.formats.neighbour_arrays import neighbours_of, read_neighbours
from truerank.formats.rows import is_id
from truerank.formats.source import as_source
from truerank.truth.items import Bools, Floats, Ints
from truerank.truth.measuring import measured
from truerank.truth.notes import TruthNote, examples
from truerank.truth.registry import rule
from truerank.truth.result import Truth

Array = NDArray[Any]

LARGEST = np.iinfo(np.int64).max

ALIKE = 0.01
"""Two distances of one pair may differ by this share."""

STRANGE = 0.1
"""Distances are of another kind where more than this share of pairs differ."""


def read_exact(source: Any, name: str | None = None) -> Neighbours:
    """Neighbours from a file of arrays, (ids, distances) or (ids, distances, ids of queries).

    Where all rows fall, the distances are inner products.

    >>> read_exact(([[7, 3]], [[0.5, 2.0]])).far.tolist()
    [[0.5, 2.0]]
    """
    if isinstance(source, Neighbours):
        return source
    if isinstance(source, str | os.PathLike):
        return read_neighbours(as_source(source))
    called = name or "neighbours"
    is_several = isinstance(source, tuple) and len(source) in (2, 3)
    ids, distances, queries = (*source, None)[:3] if is_several else (source, None, None)
    far = None if distances is None else plain_array(distances, "distances", called).astype(np.float64)
    queries = plain_array(queries, "query ids", called) if hasattr(queries, "detach") else queries
    return neighbours_of(plain_array(ids, "ids", called), far, queries, name=called)


def _read_found(source: Any, exact: Neighbours) -> Neighbours:
    """What a search found; numbers in a tuple are of the kind of the exact ones, in whatever order they stand."""
    returned = read_exact(source, "found")
    if not isinstance(source, tuple) or returned.far is None or returned.similar == exact.similar:
        return returned
    return replace(returned, far=-returned.far, similar=exact.similar)


@rule("neighbours", read=read_exact, is_alone=True)
def neighbours(
    queries: Neighbours,
    references: None,
    *,
    k: int = 10,
    tie: float | None = 0.0,
    epsilon: float = 0.0,
    relative: bool = False,
    found: Any = None,
) -> Truth:
    """The k exact nearest neighbours are right, and what is as near as the k-th of them.

    P@k of a search is then its recall. Where documents tie with the k-th neighbour, more than k are right, of which
    any k make a recall of 1.

    Args:
        queries: the exact neighbours, nearest first: a file (HDF5, .ivecs, .ibin, .npy, .npz), or (ids, distances);
            inner products where the rows fall. A third one has the ids of the queries, which are the rows' numbers
            otherwise.
        k: how many of them are wanted.
        tie: documents whose distances differ from the k-th's by less than this are as near (big-ann: 1e-6); 0: if
            they are equal; None: they are not, and only the first k are right.
        epsilon: those up to this much farther than the k-th are right too (ann-benchmarks: 1e-3).
        relative: epsilon is a share of the k-th's distance (the epsilon recall of ann-benchmarks: 0.01 and 0.1).
        found: what searches found: a file, (ids, distances), or several in a list. What they have within the
            tolerance, and the exact neighbours do not list, is right too. How far it is, the vectors tell where
            they stand beside the exact neighbours (HDF5); else its own distances, of the same kind.

    Raises:
        InputError: fewer than k are listed, a row is not best first, a tolerance without distances, or distances of
            another kind.

    >>> from truerank import truth
    >>> ids, distances = [[7, 3, 5]], [[0.5, 2.0, 2.0005]]
    >>> truth.neighbours((ids, distances), k=2).to_dict()
    {'0': {'7': 1.0, '3': 1.0}}
    >>> truth.neighbours((ids, distances), k=2, epsilon=1e-3).to_dict()
    {'0': {'7': 1.0, '3': 1.0, '5': 1.0}}
    """
    tolerance = Tolerance(k, tie, epsilon, relative)
    right = tolerance.right(queries)
    cut = _cut_ties(queries, tolerance, right) & (found is None)
    whole = queries
    for each in found if isinstance(found, list) else [] if found is None else [found]:
        whole, right = _joined(queries, whole, right, _read_found(each, queries), tolerance)
    qrels = whole.qrels(right, queries.name)
    given = {field.name: getattr(qrels, field.name) for field in fields(Qrels)}
    notes = tuple(_notes([as_text(queries.names[row]) for row in np.flatnonzero(cut).tolist()]))
    none = tuple(as_text(queries.names[row]) for row in np.flatnonzero(~right.any(axis=1)).tolist())
    return Truth(**given, metres=np.full(len(qrels.grades), np.nan), without_relevant=none, notes=notes)


def _cut_ties(exact: Neighbours, tolerance: Tolerance, right: Bools) -> Bools:
    """(queries,) whether the last neighbour that is listed is still tied with the k-th, so that others may be."""
    if exact.far is None or tolerance.is_plain or exact.ids.shape[1] == tolerance.k:
        return np.zeros(len(right), bool)
    return np.asarray(right[:, -1], bool)


def _joined(
    exact: Neighbours, whole: Neighbours, right: Bools, returned: Neighbours, tolerance: Tolerance
) -> tuple[Neighbours, Bools]:
    """What is right by now, and what a search found beside it within the tolerance.

    Args:
        whole: the exact neighbours, and what other searches found.
    """
    rows = _rows(exact, returned)
    known, found = _alike(whole.ids, returned.ids)
    there = np.zeros((len(exact.ids), found.shape[1]), bool)
    there[rows] = is_id(returned.ids)
    ids = np.full(there.shape, "" if found.dtype.kind in "SU" else -1, found.dtype)
    ids[rows] = found
    far = measured(exact, ids)
    if far is None:
        far = _own_distances(exact, returned, ids, rows)
    near = there & tolerance.near(far, tolerance.kth(exact)) & ~_are_in(ids, known) & _are_first(ids)
    assert whole.far is not None
    both = replace(whole, ids=np.hstack([known, ids]), far=np.hstack([whole.far, far]))
    return both, np.hstack([right, near])


def _alike(one: Array, other: Array) -> tuple[Array, Array]:
    """Both tables of ids as numbers, -1 where none stands; as text where one has text, or numbers above 2^63."""
    tables = one, other
    if all(ids.dtype.kind in "iu" and int(ids[is_id(ids)].max(initial=0)) <= LARGEST for ids in tables):
        first, second = (np.where(is_id(ids), ids.astype(np.int64), -1) for ids in tables)
        return first, second
    return one.astype(np.str_), other.astype(np.str_)


def _own_distances(exact: Neighbours, returned: Neighbours, ids: Array, rows: Ints) -> Floats:
    """(queries, n) how far a search says that what it found is."""
    if exact.far is None or returned.far is None:
        lacking = exact.name if exact.far is None else returned.name
        raise InputError("what a search found is held against distances, and there are only ids", lacking)
    far = np.full(ids.shape, np.inf)
    far[rows] = returned.far
    _check_kind(exact, replace(returned, ids=ids, far=far))
    return far


def _rows(exact: Neighbours, returned: Neighbours) -> Ints:
    """Which query of the exact neighbours each row of what was found belongs to."""
    places = {name: row for row, name in enumerate(exact.names)}
    unknown = next((name for name in returned.names if name not in places), None)
    if unknown is not None:
        raise InputError(
            "query {query} is not among those of the exact neighbours", returned.name, query=truncated(unknown)
        )
    return np.array([places[name] for name in returned.names], np.int64)


def _keys(*tables: Array) -> list[Ints]:
    """A number for each pair of a row and an id, the same in all tables of one kind; -1 where there is no id."""
    ends = np.cumsum([ids.size for ids in tables])
    names, code = np.unique(np.concatenate([ids.ravel() for ids in tables]), return_inverse=True)
    codes = zip(tables, np.split(code.ravel(), ends[:-1]), strict=True)
    return [
        np.where(is_id(ids), np.arange(len(ids))[:, None] * len(names) + each.reshape(ids.shape), -1)
        for ids, each in codes
    ]


def _are_in(ids: Array, others: Array) -> Bools:
    """Which ids are among the others of the same row."""
    keys, known = _keys(ids, others)
    return np.isin(keys, known)


def _are_first(ids: Array) -> Bools:
    """Which ids do not stand further to the left in their row."""
    (keys,) = _keys(ids)
    return ~is_later(keys.ravel()).reshape(keys.shape)


def _check_kind(exact: Neighbours, returned: Neighbours) -> None:
    """Raise where documents that both list are not as far in both, such as where one has squares of distances."""
    keys, others = (keys.ravel() for keys in _keys(*_alike(exact.ids, returned.ids)))
    _, one, two = np.intersect1d(keys, others, return_indices=True)
    one, two = one[keys[one] >= 0], two[others[two] >= 0]
    assert exact.far is not None
    assert returned.far is not None
    a, b = exact.far.ravel()[one], returned.far.ravel()[two]
    scale = np.maximum(np.abs(a), np.abs(b))
    wrong = np.abs(a - b) > ALIKE * scale + ALIKE * float(np.median(scale) if len(scale) else 0)
    if wrong.sum() > STRANGE * len(a):
        first = int(wrong.argmax())
        row, column = np.unravel_index(int(one[first]), exact.ids.shape)
        raise InputError(
            "its distances are of another kind than those of the exact neighbours: document {doc} is {a:g} from "
            "query {query} there, and {b:g} here",
            returned.name,
            doc=exact.ids[row, column].item(),
            query=truncated(exact.names[int(row)]),
            a=float(a[first]) * (-1 if exact.similar else 1),
            b=float(b[first]) * (-1 if returned.similar else 1),
        )


def _notes(cut: Sequence[str]) -> Iterator[TruthNote]:
    if cut:
        said = plural(
            "{n:,} query whose last listed neighbour is as near as the k-th: others may be too, which are not "
            "listed: {names}.",
            "{n:,} queries whose last listed neighbour is as near as the k-th: others may be too, which are not "
            "listed: {names}.",
            n=len(cut),
            names=examples(cut),
        )
        yield TruthNote("ties", said)
