"""Two real retrievers: BM25 over words (bm25s), and cosines of character n-grams (SciPy)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from truerank.cli.demo.collection import DemoRetriever, Search
from truerank.cli.demo.packages import need
from truerank.cli.demo.words import ngrams, words
from truerank.core.qrels import Floats, Ints
from truerank.core.run import Ranked

DEPTH = 100

KNOWN = {
    "bm25": "BM25 over words; scripts without blanks, and Hangul, as pairs of characters (bm25s)",
    "ngrams": "character 2- and 3-grams, tf-idf cosine (SciPy)",
}


def by_text(docs: Mapping[str, str], queries: Mapping[str, str]) -> dict[str, DemoRetriever]:
    """Both, for these texts."""
    indexed = {name: cache(partial(index, docs)) for name, index in INDEXES.items()}
    return {
        name: DemoRetriever(KNOWN[name], partial(_all, ready, queries), ready) for name, ready in indexed.items()
    }


def _all(ready: Callable[[], Search], queries: Mapping[str, str]) -> Iterator[Ranked]:
    search = ready()
    for query, text in queries.items():
        results = search(text, DEPTH)
        yield Ranked(query.encode(), [doc.encode() for doc, _ in results], [score for _, score in results])


def bm25(docs: Mapping[str, str]) -> Search:
    """The best documents by BM25; only those that share a word with the query."""
    need("bm25s")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in notebooks its progress bars, which are not shown, ask for ipywidgets
        import bm25s  # type: ignore[import-untyped]

    index = bm25s.BM25()
    index.index([words(text) for text in docs.values()], show_progress=False)
    names = list(docs)

    def search(query: str, k: int) -> list[tuple[str, float]]:
        known = index.get_tokens_ids(words(query))
        scores = index.get_scores_from_ids(known) if known else np.empty(0)
        there = np.flatnonzero(scores > 0)
        return _best(names, there, scores[there].astype(np.float64), k)

    return search


def ngram_cosine(docs: Mapping[str, str]) -> Search:
    """The best documents by the cosine of tf-idf weighted character n-grams."""
    weights, of_others = gram_weights(list(docs.values()))
    index = weights.T.tocsr()
    names = list(docs)

    def search(query: str, k: int) -> list[tuple[str, float]]:
        cosines = of_others([query]) @ index
        return _best(names, cosines.indices, cosines.data, k)

    return search


def gram_weights(texts: Sequence[str]) -> tuple[Any, Callable[[Sequence[str]], Any]]:
    """(texts, n-grams) tf-idf weights in rows of length 1, sparse; and what makes such rows of other texts."""
    text, gram = ngrams(texts)
    known, column = np.unique(gram, return_inverse=True)
    counts = _counts(text, column, (len(texts), len(known)))
    weights = np.log((1 + len(texts)) / (1 + np.bincount(counts.indices))) + 1  # the rarer, the heavier
    return _weighted(counts, weights), lambda others: _weighted(_known_counts(others, known), weights)


INDEXES: dict[str, Callable[[Mapping[str, str]], Search]] = {"bm25": bm25, "ngrams": ngram_cosine}


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


def _best(names: list[str], docs: Ints, scores: Floats, k: int) -> list[tuple[str, float]]:
    """The k best of the scored documents; equal scores in the order of the collection."""
    if len(scores) > k:
        near = scores >= np.partition(scores, -k)[-k]
        docs, scores = docs[near], scores[near]
    order = np.lexsort((docs, -scores))[:k]
    return [(names[doc], score) for doc, score in zip(docs[order].tolist(), scores[order].tolist(), strict=True)]
