"""Objects in memory: dicts, lists, arrays of ids and scores, DataFrames."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._kernel import as_bytes
from truerank.errors import InputError
from truerank.formats.records import qrels_of_records, run_parts
from truerank.formats.rows import Ints, text_column
from truerank.qrels import Qrels
from truerank.run import Batch, Columns, Ranked, Run

ROWS = 1 << 16
"""Ids of an array that are written out at once, about."""


def qrels_from_object(qrels: Any) -> Qrels:
    """Judgements from a dict of dicts or of documents, a list of records, or a DataFrame."""
    if isinstance(qrels, Mapping):
        return Qrels.from_dict(qrels)
    if is_frame(qrels):
        from truerank.formats.frames import qrels_from_frame

        return qrels_from_frame(qrels)
    if isinstance(qrels, list) and _are_records(qrels):
        return qrels_of_records(((None, record) for record in qrels), "qrels")
    what = "a path, {query: {document: grade}}, {query: documents}, a list of records or a DataFrame"
    raise InputError(f"qrels are {what}, not a {type(qrels).__name__}")


def run_from_object(run: Any, name: str) -> Run:
    """A run from a dict of dicts or of documents, (query, documents) pairs, records, arrays or a DataFrame."""
    if isinstance(run, Mapping):
        return Run(name, lambda: _mapping(run, name))
    if is_frame(run):
        from truerank.formats.frames import run_from_frame

        return run_from_frame(run, name)
    if isinstance(run, tuple) and len(run) in (2, 3):
        return Run(name, lambda: _arrays(*run, name=name))
    if isinstance(run, list) and _are_records(run):
        return Run(name, lambda: run_parts(((None, record) for record in run), name))
    if isinstance(run, Sequence) and not isinstance(run, str | bytes):
        return Run(name, lambda: _pairs(run, name))
    what = "a path, {query: {document: score}}, {query: documents}, arrays (ids, scores) or a DataFrame"
    raise InputError(f"a run is {what}, not a {type(run).__name__}")


def is_frame(thing: Any) -> bool:
    """Whether this is a DataFrame of any kind."""
    return any(hasattr(thing, name) for name in ("__arrow_c_stream__", "iterrows"))


def _are_records(things: list[Any]) -> bool:
    return bool(things) and isinstance(things[0], dict)


# --- dicts and lists ----------------------------------------------------------------------------------


def _mapping(run: Mapping[Any, Any], name: str) -> Iterator[Batch]:
    """A dict of dicts as it is; other mappings an answer at a time."""
    if type(run) is dict and all(type(docs) is dict for docs in run.values()):
        yield run
    else:
        yield from _pairs(run.items(), name)


def _pairs(pairs: Iterable[Any], name: str) -> Iterator[Batch]:
    for pair in pairs:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(f"a list of answers has pairs (query, documents), not {pair!r}", name)
        yield _answer(pair[0], pair[1], name)


def _answer(query: Any, docs: Any, name: str) -> Ranked:
    if isinstance(docs, Mapping):
        return Ranked(query, list(docs), list(docs.values()))
    if isinstance(docs, np.ndarray):
        docs = docs.tolist()
    if isinstance(docs, str | bytes) or not isinstance(docs, Sequence):
        raise InputError(f"query {query!r} has {docs!r} where its documents should stand", name)
    scores = None
    if docs and all(isinstance(doc, tuple | list) and len(doc) == 2 for doc in docs):
        docs, scores = zip(*docs, strict=True)
    if not {type(None), dict, list, tuple}.isdisjoint(map(type, docs)):
        raise InputError(f"query {query!r} has {docs!r}: documents are ids, or pairs (id, score)", name)
    return Ranked(query, docs, scores)


# --- arrays -------------------------------------------------------------------------------------------


def _arrays(ids: Any, scores: Any, queries: Any = None, *, name: str) -> Iterator[Batch]:
    """Rows of document ids and scores, one a query: FAISS's (D, I) turned round; -1 fills short rows."""
    ids, scores = np.asarray(ids), np.asarray(scores)
    if (
        ids.ndim != 2
        or ids.shape != scores.shape
        or ids.dtype.kind not in "iuUSO"
        or scores.dtype.kind not in "iuf"
    ):
        found = f"{ids.dtype} {ids.shape} and {scores.dtype} {scores.shape}"
        raise InputError(f"(ids, scores) are two arrays of one shape (queries, k), not {found}", name)
    if queries is not None and len(queries) != len(ids):
        raise InputError(f"there are {len(queries)} query ids for {len(ids)} rows", name)
    names = [as_bytes(query) for query in (range(len(ids)) if queries is None else queries)]
    if ids.dtype.kind in "USO" or ids.dtype == np.uint64:
        yield from map(Ranked, names, ids.tolist(), scores.tolist())
        return
    step = max(1, ROWS // max(1, ids.shape[1]))
    for start in range(0, len(ids), step):
        rows = slice(start, start + step)
        yield _numbered(names[rows], ids[rows], scores[rows])


def _numbered(names: list[bytes], ids: NDArray[Any], scores: NDArray[Any]) -> Columns:
    """The rows of some queries whose documents are numbers."""
    there = ids >= 0
    query_ends, query_text = text_column(
        list(itertools.chain.from_iterable(map(itertools.repeat, names, there.sum(axis=1).tolist())))
    )
    return Columns(query_ends, query_text, *_digits(ids[there].astype(np.int64)), scores[there].astype(np.float64))


def _digits(numbers: Ints) -> tuple[Ints, NDArray[np.uint8]]:
    """Numbers from 0 on as the column of their decimal digits."""
    width = len(str(numbers.max(initial=0)))
    digits = np.empty((len(numbers), width), np.uint8)
    rest = numbers
    for i in reversed(range(width)):
        rest, digits[:, i] = np.divmod(rest, 10)
    lengths = 1 + np.searchsorted(10 ** np.arange(1, width, dtype=np.int64), numbers, side="right")
    ends = np.concatenate([[0], np.cumsum(lengths)])
    return ends, digits[np.arange(width) >= width - lengths[:, None]] + np.uint8(ord("0"))
