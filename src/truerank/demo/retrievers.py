"""Two real retrievers: BM25 over words (bm25s), and cosines of character n-grams (SciPy)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.demo.packages import need
from truerank.demo.words import ngrams, words
from truerank.run import Ranked

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEPTH = 100


def bm25(docs: Mapping[str, str], queries: Mapping[str, str], depth: int = DEPTH) -> Iterator[Ranked]:
    """The best documents of each query by BM25; only those that share a word with it."""
    need("bm25s")
    import bm25s  # type: ignore[import-untyped]

    index = bm25s.BM25()
    index.index([words(text) for text in docs.values()], show_progress=False)
    names = [name.encode() for name in docs]
    for query, text in queries.items():
        known = index.get_tokens_ids(words(text))
        scores = index.get_scores_from_ids(known) if known else np.empty(0)
        there = np.flatnonzero(scores > 0)
        yield _best(query, names, there, scores[there].astype(np.float64), depth)


def ngram_cosine(docs: Mapping[str, str], queries: Mapping[str, str], depth: int = DEPTH) -> Iterator[Ranked]:
    """The best documents of each query by the cosine of tf-idf weighted character n-grams."""
    text, gram = ngrams(list(docs.values()))
    known, column = np.unique(gram, return_inverse=True)
    counts = _counts(text, column, (len(docs), len(known)))
    weights = np.log((1 + len(docs)) / (1 + np.bincount(counts.indices))) + 1  # the rarer, the heavier
    index = _weighted(counts, weights).T.tocsr()
    vectors = _weighted(_known_counts(list(queries.values()), known), weights)
    names = [name.encode() for name in docs]
    for row, query in enumerate(queries):
        found = vectors[[row]] @ index
        yield _best(query, names, found.indices, found.data, depth)


def _known_counts(texts: Sequence[str], known: Ints) -> Any:
    """(texts, n-grams) how often each text has each of the sorted known n-grams."""
    text, gram = ngrams(texts)
    column = np.minimum(np.searchsorted(known, gram), len(known) - 1)
    there = known[column] == gram
    return _counts(text[there], column[there], (len(texts), len(known)))


def _counts(row: Ints, column: Ints, shape: tuple[int, int]) -> Any:
    """A sparse array that counts how often each place is named."""
    need("scipy")
    from scipy import sparse  # type: ignore[import-untyped]

    counts = sparse.csr_array((np.ones(len(row)), (row, column)), shape=shape)
    counts.sum_duplicates()
    return counts


def _weighted(counts: Any, weights: Floats) -> Any:
    """(1 + log count) × weight, each row then of length 1."""
    rows = counts.copy()
    rows.data = (1 + np.log(rows.data)) * weights[rows.indices]
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    rows.data /= np.sqrt(np.bincount(row, weights=rows.data**2))[row]
    return rows


def _best(query: str, names: list[bytes], docs: Ints, scores: Floats, depth: int) -> Ranked:
    """The `depth` best of the scored documents; equal scores in the order of the collection."""
    if len(scores) > depth:
        near = scores >= np.partition(scores, -depth)[-depth]
        docs, scores = docs[near], scores[near]
    order = np.lexsort((docs, -scores))[:depth]
    return Ranked(query.encode(), [names[doc] for doc in docs[order].tolist()], scores[order].tolist())
