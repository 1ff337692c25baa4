"""Objects in memory: dicts, lists, arrays of ids and scores, DataFrames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from truerank._kernel import as_bytes
from truerank.errors import InputError
from truerank.qrels import Qrels
from truerank.run import Batch, Columns, Ranked, Run


def qrels_from_object(qrels: Any) -> Qrels:
    """Judgements from a dict of dicts or of documents, or from a DataFrame."""
    if isinstance(qrels, Mapping):
        return Qrels.from_dict(qrels)
    if is_frame(qrels):
        from truerank.formats.frames import qrels_from_frame

        return qrels_from_frame(qrels)
    raise InputError(
        f"qrels are a path, {{query: {{document: grade}}}} or a DataFrame, not a {type(qrels).__name__}"
    )


def run_from_object(run: Any, name: str) -> Run:
    """A run from {query: {document: score}}, {query: documents}, (ids, scores) arrays or a DataFrame."""
    if isinstance(run, Mapping):
        return Run(name, lambda: mapping(run, name))
    if is_frame(run):
        from truerank.formats.frames import run_from_frame

        return run_from_frame(run, name)
    if isinstance(run, tuple) and len(run) in (2, 3):
        return Run(name, lambda: iter([_arrays(*run, name=name)]))
    if isinstance(run, Sequence) and not isinstance(run, str | bytes):
        return Run(name, lambda: _pairs(run, name))
    what = "a path, {query: {document: score}}, {query: documents}, arrays (ids, scores) or a DataFrame"
    raise InputError(f"a run is {what}, not a {type(run).__name__}")


def is_frame(thing: Any) -> bool:
    """Whether this is a DataFrame of any kind."""
    return (
        hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "__dataframe__") or hasattr(thing, "iterrows")
    )


def mapping(run: Mapping[Any, Any], name: str) -> Iterator[Batch]:
    """A dict of dicts as it is; other mappings an answer at a time."""
    if type(run) is dict and all(type(docs) is dict for docs in run.values()):
        yield run
        return
    yield from _pairs(run.items(), name)


def _pairs(pairs: Any, name: str) -> Iterator[Batch]:
    for pair in pairs:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(f"a list of answers has pairs (query, documents), not {pair!r}", name)
        yield _one(pair[0], pair[1], name)


def _one(query: Any, docs: Any, name: str) -> Ranked:
    if isinstance(docs, Mapping):
        return Ranked(query, list(docs), list(docs.values()))
    if isinstance(docs, np.ndarray):
        docs = docs.tolist()
    if isinstance(docs, str | bytes) or not isinstance(docs, Sequence):
        raise InputError(f"query {query!r} has {docs!r} where its documents should stand", name)
    if docs and all(isinstance(doc, tuple | list) and len(doc) == 2 for doc in docs):
        return Ranked(query, [doc for doc, _ in docs], [score for _, score in docs])
    return Ranked(query, docs)


def _arrays(ids: Any, scores: Any, queries: Any = None, *, name: str) -> Columns:
    """Rows of document ids and scores, one a query: FAISS's (D, I) turned round; -1 fills short rows."""
    ids, scores = np.asarray(ids), np.asarray(scores)
    if ids.ndim != 2 or ids.shape != scores.shape or not np.issubdtype(ids.dtype, np.integer):
        raise InputError(f"(ids, scores) are two arrays of one shape (queries, k), ids whole numbers; got {ids.dtype} "
                         f"{ids.shape} and {scores.dtype} {scores.shape}", name)  # fmt: skip
    rows = range(len(ids)) if queries is None else queries
    if len(rows) != len(ids):
        raise InputError(f"there are {len(rows)} query ids for {len(ids)} rows", name)
    there = ids >= 0
    counts = there.sum(axis=1)
    query_text, query_ends = _joined([as_bytes(query) for query in rows], counts)
    docs = ids[there]
    unique, inverse = np.unique(docs, return_inverse=True)
    names = np.array([b"%d" % doc for doc in unique.tolist()], dtype=bytes)
    doc_text, doc_ends = _flat(names[inverse] if len(names) else names)
    return Columns(query_ends, query_text, doc_ends, doc_text, scores[there].astype(np.float64))


def _joined(names: list[bytes], counts: Any) -> tuple[Any, Any]:
    lengths = np.repeat(np.array([len(name) for name in names], np.int64), counts)
    text = b"".join(name * count for name, count in zip(names, counts.tolist(), strict=True))
    return text, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _flat(names: Any) -> tuple[bytes, Any]:
    lengths = np.char.str_len(names) if len(names) else np.empty(0, np.int64)
    return b"".join(names.tolist()), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
