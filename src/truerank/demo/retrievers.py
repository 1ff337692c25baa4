"""Two real retrievers: BM25 over words (bm25s), and cosines of character n-grams (SciPy)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.demo.words import ngrams, words
from truerank.errors import MissingPackage
from truerank.run import Ranked

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEPTH = 100


def bm25(docs: Mapping[str, str], queries: Mapping[str, str], depth: int = DEPTH) -> Iterator[Ranked]:
    """The best documents of each query by BM25; only those that share a word with it."""
    try:
        import bm25s
    except ModuleNotFoundError:
        raise MissingPackage("the demo", "demo") from None
    index = bm25s.BM25()
    index.index([words(text) for text in docs.values()], show_progress=False)
    names = list(docs)
    for query, text in queries.items():
        known = index.get_tokens_ids(words(text))
        scores = index.get_scores_from_ids(known) if known else np.empty(0)
        there = np.flatnonzero(scores > 0)
        yield _best(query, names, there, scores[there].astype(np.float64), depth)


def ngram_cosine(docs: Mapping[str, str], queries: Mapping[str, str], depth: int = DEPTH) -> Iterator[Ranked]:
    """The best documents of each query by the cosine of tf-idf weighted character n-grams."""
    known, weights = _vocabulary(docs.values())
    index = _vectors(docs.values(), known, weights).T.tocsr()
    names = list(docs)
    vectors = _vectors(queries.values(), known, weights)
    for row, query in enumerate(queries):
        found = vectors[[row]] @ index
        yield _best(query, names, found.indices, found.data, depth)


def _vocabulary(texts: Iterable[str]) -> tuple[Ints, Floats]:
    """The sorted n-grams of a collection and the weight of each: the rarer, the heavier."""
    texts = list(texts)
    text, gram = ngrams(texts)
    known, column = np.unique(gram, return_inverse=True)
    pairs = np.unique(column.astype(np.int64) * len(texts) + text)
    documents = np.bincount(pairs // len(texts), minlength=len(known))
    return known, np.log((1 + len(texts)) / (1 + documents)) + 1


def _vectors(texts: Iterable[str], known: Ints, weights: Floats) -> Any:
    """(texts, n-grams) sparse rows of length 1: (1 + log count) × weight."""
    try:
        from scipy import sparse
    except ModuleNotFoundError:
        raise MissingPackage("the demo", "demo") from None
    texts = list(texts)
    text, gram = ngrams(texts)
    column = np.minimum(np.searchsorted(known, gram), len(known) - 1)
    there = known[column] == gram
    ones = np.ones(int(there.sum()))
    rows = sparse.csr_array((ones, (text[there], column[there])), shape=(len(texts), len(known)))
    rows.sum_duplicates()
    rows.data = (1 + np.log(rows.data)) * weights[rows.indices]
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sparse.diags_array(1 / np.where(length > 0, length, 1)) @ rows


def _best(query: str, names: list[str], docs: Ints, scores: Floats, depth: int) -> Ranked:
    """The `depth` best of the scored documents; equal scores in the order of the collection, always the same."""
    if len(scores) > depth:
        near = scores >= np.partition(scores, -depth)[-depth]
        docs, scores = docs[near], scores[near]
    order = np.lexsort((docs, -scores))[:depth]
    return Ranked(query, [names[doc] for doc in docs[order].tolist()], scores[order].tolist())
