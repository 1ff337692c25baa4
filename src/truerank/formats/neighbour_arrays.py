"""Arrays of neighbours, one row per query, best first, -1 where a row is short: a search's answers, or exact ones.

FAISS returns such arrays and NumPy saves them; the ground truths of ann-benchmarks (HDF5), of TEXMEX (.ivecs) and
of big-ann (.ibin, and files of ids and distances) are such arrays too. For a range search they are concatenated
lists, and `lims` says where each query's list begins. Arrays with names are recognised by them: the ids (I, ids,
neighbors, …), what orders them (D, distances, scores, …), the queries' ids where these are not the row numbers,
and, in qrels, the grades.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, needs, quoted
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Columns, Ranked
from truerank.formats import names
from truerank.formats.compression import suffix_of
from truerank.formats.names import LIMITS, LOWER, NEIGHBOURS, ORDER, QUERIES, folded
from truerank.formats.registry import Format, register
from truerank.formats.rows import check_distinct, is_id
from truerank.formats.source import Source, as_source

if TYPE_CHECKING:
    from truerank.formats.exact import Neighbours
    from truerank.formats.ranges import Ranges

Array = NDArray[Any]

KINDS = {
    "numpy": message(
        ".npy: FAISS's array of ids, one row per query; .npz: that, distances or scores, and ids of queries; "
        "or a sparse matrix of SciPy"
    ),
    "hdf5": message("HDF5 as ann-benchmarks has it: neighbors and distances; h5py reads it"),
    "ivecs": message(".ivecs: rows of ids that begin with their length, as those of TEXMEX (SIFT1M)"),
    "ibin": message(
        ".ibin: ids after their number; ground truths of big-ann: ids, then distances, of a range search too"
    ),
}
"""The formats, and what each is."""

_GRADES = (*names.GRADE, *names.GRADES, *(word for word in names.OWN_GRADES if word not in NEIGHBOURS))
"""What grades are called; labels are ids, as FAISS calls them."""


def sniff(head: bytes, name: str, kind: str) -> float:
    """The first bytes of NumPy's and HDF5's files; the name of others; the size of big-ann's."""
    lower = name.lower()
    if kind == "numpy":
        return 1.0 if head.startswith(b"\x93NUMPY") or (head.startswith(b"PK\3\4") and ".npz" in lower) else 0.0
    if kind == "hdf5":
        return 1.0 if head.startswith(b"\x89HDF") else 0.0
    if b"\0" not in head:
        return 0.0
    from truerank.formats import vector_files

    suffix = suffix_of(name)
    if kind == "ivecs":
        return 0.9 if suffix in vector_files.LED else 0.0
    return 0.9 if suffix in vector_files.HEADED or vector_files.is_truth(head, name) else 0.0


def holds(source: Source) -> str | None:
    """With grades it is judgements; ids and distances may be a search's answer or the exact one."""
    return None if set(map(folded, _arrays(source))).isdisjoint(_GRADES) else "qrels"


def read_run(source: Source, distances: str | None = None) -> Iterator[Batch]:
    """Many rows at a time."""
    from truerank.formats.matrices import batches_of_arrays, run_of_sparse

    read = _arrays(source)
    if _is_sparse(read):
        return run_of_sparse(_sparse(source), source.name).batches()
    arrays = _with(read, distances)
    if (ranges := _ranges(arrays, source.name)) is not None:
        return ranges.batches()
    ids = _ids(arrays, source.name)
    scores, are_far = _scores(arrays, ids)
    batches = batches_of_arrays(ids, scores, _named(arrays, QUERIES), name=source.name)
    return map(_of_distances, batches) if are_far else batches


def _of_distances(batch: Batch) -> Batch:
    """A part of a run whose scores were distances."""
    return batch._replace(are_distances=True) if isinstance(batch, Columns | Ranked) else batch


def read_qrels(source: Source, distances: str | None = None, **tolerance: Any) -> Qrels:
    """All judgements: the neighbours within the tolerance, with grade 1 where no array has grades."""
    from truerank.formats.exact import Tolerance
    from truerank.formats.matrices import qrels_of_sparse

    read, asked = _arrays(source), Tolerance(**tolerance)
    ranges = _ranges(read, source.name)
    if asked != Tolerance() and (ranges or _is_sparse(read)):
        raise InputError(
            "k, tie and epsilon are of tables with a row of neighbours a query, and this is none", source.name
        )
    if ranges:
        return ranges.qrels()
    if _is_sparse(read):
        return qrels_of_sparse(_sparse(source), source.name)
    neighbours = _neighbours(_with(read, distances), source.name)
    return neighbours.qrels(asked.right(neighbours))


def read_neighbours(source: Source) -> Neighbours:
    """The neighbours in a file of arrays.

    Raises:
        InputError: the arrays differ in shape; an id is not one of a document.
    """
    return _neighbours(_arrays(source), source.name)


def _neighbours(arrays: Mapping[str, Array], name: str) -> Neighbours:
    return neighbours_of(
        _ids(arrays, name),
        _named(arrays, ORDER),
        _named(arrays, QUERIES),
        _named(arrays, _GRADES),
        vectors=_vectors(arrays),
        lower=_are_named_so(arrays),
        name=name,
    )


def _vectors(arrays: Mapping[str, Array]) -> tuple[Array, Array] | None:
    """The vectors of the queries and of the documents, by ann-benchmarks' names for them."""
    tables = tuple(arrays[name] for name in ("test", "train") if name in arrays)
    are_tables = all(table.ndim == 2 and table.dtype.kind in "iuf" for table in tables)
    return tables if len(tables) == 2 and are_tables else None


def neighbours_of(
    ids: Array,
    numbers: Array | None,
    queries: Any = None,
    grades: Array | None = None,
    *,
    vectors: tuple[Array, Array] | None = None,
    lower: bool = True,
    name: str,
) -> Neighbours:
    """Neighbours from arrays, checked.

    Args:
        numbers: distances or inner products; the order of the rows tells which.
        lower: whether they are distances where that order does not tell.
    """
    from truerank.formats.exact import Neighbours

    for what, array in ((message("distances"), numbers), (message("grades"), grades)):
        if array is not None and array.shape != ids.shape:
            raise InputError(
                "there are ids of shape {ids} and {what} of shape {shape}: they should be of one",
                name,
                ids=ids.shape,
                what=what,
                shape=array.shape,
            )
    if ids.ndim != 2 or not ids.size:
        raise InputError(
            "the ids are a table, one row per query, not an array of shape {shape}", name, shape=ids.shape
        )
    if ids.dtype.kind not in "iuUS":
        raise InputError("ids are whole numbers or text, not {kind}", name, kind=ids.dtype)
    if queries is not None and len(queries) != len(ids):
        raise InputError("there are {n} query ids for {rows} rows", name, n=len(queries), rows=len(ids))
    if queries is not None:
        check_distinct(queries, name)
    if vectors is not None:
        if ids.dtype.kind in "iu":
            _check_range(ids, len(vectors[1]), name)
        _check_vectors(*vectors, len(ids), name)
    if numbers is None:
        return Neighbours(ids, None, queries, grades, name, vectors)
    far = np.asarray(numbers, np.float64)
    if np.isnan(far[is_id(ids)]).any():
        raise InputError("some distances are NaN", name)
    similar = not are_distances(far, ids, lower)
    return Neighbours(ids, -far if similar else far, queries, grades, name, vectors, similar)


def _check_vectors(queries: Array, documents: Array, rows: int, name: str) -> None:
    """Raise where the vectors do not belong to the rows, or differ in dimension."""
    if len(queries) != rows:
        raise InputError(
            "there are {rows:,} rows of neighbours, but vectors of {n:,} queries", name, rows=rows, n=len(queries)
        )
    if queries.shape[1] != documents.shape[1]:
        raise InputError(
            "the vectors of queries have {queries:,} dimensions, and those of documents {documents:,}",
            name,
            queries=queries.shape[1],
            documents=documents.shape[1],
        )


def are_distances(numbers: Array, ids: Array, otherwise: bool) -> bool:
    """Whether the numbers of rows that are best first rise, as distances do, or fall, as inner products do.

    Args:
        otherwise: the answer where they do both, or neither.
    """
    there, before, after = is_id(ids), numbers[:, :-1], numbers[:, 1:]
    both = there[:, 1:] & there[:, :-1]
    rises, falls = (bool((both & each).any()) for each in (after > before, after < before))
    return otherwise if rises == falls else rises


def _check_range(ids: Array, size: int, name: str) -> None:
    """Raise where an id is below -1, or not below the number of documents."""
    wrong = is_id(ids) & ((ids < 0) | (ids >= size))
    if wrong.any():
        row, column = np.unravel_index(int(wrong.argmax()), ids.shape)
        raise InputError(
            "row {row:,} has the id {id}, but there are only {n:,} documents",
            name,
            row=int(row) + 1,
            id=int(ids[row, column]),
            n=size,
        )


def _arrays(source: Source) -> Mapping[str, Array]:
    from truerank.formats.arrays import read_arrays

    return read_arrays(source)


def _ranges(arrays: Mapping[str, Array], name: str) -> Ranges | None:
    """The documents within a radius, if the arrays are those of FAISS's range search."""
    lims = _named(arrays, LIMITS)
    if lims is None:
        return None
    from truerank.formats.ranges import ranges_of

    if any(_named(arrays, others) is not None for others in (QUERIES, _GRADES)):
        raise InputError(
            "where there is an array lims, queries are their row numbers, from 0, and have no "
            "grades: leave out the arrays of queries and grades",
            name,
        )
    ids, numbers = _named(arrays, NEIGHBOURS), _named(arrays, ORDER)
    return ranges_of(lims, ids, numbers, are_far=_are_named_so(arrays), name=name)


def _is_sparse(arrays: Mapping[str, Array]) -> bool:
    """Whether this is a matrix saved by scipy.sparse.save_npz."""
    return {"format", "shape", "data"} <= set(arrays)


def _sparse(source: Source) -> Any:
    with needs(message("reading {source}", source=source.name), "vectors"):
        from scipy import sparse  # type: ignore[import-untyped]
    try:
        return sparse.load_npz(source.path or BytesIO(source.read()))
    except Exception as error:  # a parser may raise anything in a damaged file
        raise InputError("the sparse matrix is damaged: {error}", source.name, error=error) from None


def _with(arrays: Mapping[str, Array], distances: str | None) -> Mapping[str, Array]:
    """The arrays with the distances from another file instead of their own."""
    if distances is None:
        return arrays
    added = _arrays(as_source(distances))
    tables = {key: array for key, array in added.items() if array.ndim == 2 and array.dtype.kind in "iuf"}
    name = next(iter(tables), None) if len(tables) == 1 else None
    if name is None:
        place = names.find(list(tables), ORDER)
        name = None if place is None else list(tables)[place]
    if name is None:
        raise InputError("none of the arrays is that of the distances", distances)
    rest = {key: array for key, array in arrays.items() if folded(key) not in ORDER}
    return {**rest, "distances": tables[name]}


def _ids(arrays: Mapping[str, Array], name: str) -> Array:
    """The ids of the neighbours: the array with such a name, or the only table without fractions."""
    ids = _named(arrays, NEIGHBOURS)
    if ids is None:
        fitting = [array for array in arrays.values() if array.ndim == 2 and array.dtype.kind in "iuUS"]
        if len(fitting) != 1 or "vectors" in arrays:
            known = ", ".join(
                f"{quoted(key) + ' ' if key else ''}{array.dtype} {array.shape}" for key, array in arrays.items()
            )
            raise InputError(
                "none of the arrays is that of the ids, whole numbers or text, one row per query; save them as "
                "I, with distances as D, by numpy.savez (there is {known})",
                name,
                known=known,
            )
        (ids,) = fitting
    return ids


def _scores(arrays: Mapping[str, Array], ids: Array) -> tuple[Array | None, bool]:
    """The neighbours' scores (None: only their order is known), and whether they are negated distances.

    Whether D holds distances or inner products is told by its rows, which are best first.
    """
    scores = _named(arrays, ORDER)
    if scores is None or scores.ndim != 2 or scores.dtype.kind not in "iuf":
        return scores, False
    are_far = ids.shape == scores.shape and are_distances(scores, ids, _are_named_so(arrays))
    with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused later
        return (-scores.astype(np.float64) if are_far else scores), are_far


def _are_named_so(arrays: Mapping[str, Array]) -> bool:
    """Whether some array is named as distances are."""
    return not set(map(folded, arrays)).isdisjoint(LOWER)


def _named(arrays: Mapping[str, Array], wanted: Sequence[str]) -> Array | None:
    place = names.find(list(arrays), wanted)
    return None if place is None else arrays[list(arrays)[place]]


def configured(
    kind: str,
    *,
    k: int | None = None,
    tie: float | None = 0.0,
    epsilon: float = 0.0,
    relative: bool = False,
    distances: str | None = None,
) -> Format:
    """A format of arrays with options.

    Args:
        k: for judgements, how many neighbours of each query are right, with those as far as the k-th; by default
            all that are listed.
        tie, epsilon, relative: what counts as equally far, as in `truth.neighbours`.
        distances: a file with what orders the ids, where it is not in the same file.
    """
    tolerance: dict[str, Any] = {"k": k, "tie": tie, "epsilon": epsilon, "relative": relative}
    if distances is not None and not isinstance(distances, str):
        raise InputError("distances of {name} is a file, not {value}", name=kind, value=quoted(distances))
    return Format(
        kind,
        KINDS[kind],
        partial(sniff, kind=kind),
        holds,
        read_run=partial(read_run, distances=distances),
        read_qrels=partial(read_qrels, distances=distances, **tolerance),
        options=partial(configured, kind),
    )


for _kind in KINDS:
    register(configured(_kind))
