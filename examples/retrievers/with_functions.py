"""A function, a coroutine, and arrays as FAISS gives them, benchmarked."""

import asyncio

import numpy as np
from shelf import QRELS, QUERIES, TEXTS, show, words

import truerank as tr

NAMES = list(TEXTS)
INDEX = np.array([words(text) for text in TEXTS.values()])


def overlap(query: str, k: int) -> list[tuple[str, int]]:
    """(id, score) pairs, best first."""
    counts = {doc: len(set(query.split()) & set(text.split())) for doc, text in TEXTS.items()}
    return sorted(counts.items(), key=lambda pair: -pair[1])[:k]


async def from_afar(query: str, k: int) -> list[tuple[str, int]]:
    """The same behind a millisecond of network."""
    await asyncio.sleep(0.001)
    return overlap(query, k)


def nearest(query: str, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(D, I) as an index of FAISS returns them: distances and row numbers, a row a query."""
    distances = ((INDEX - words(query)) ** 2).sum(axis=1)[np.newaxis]
    rows = distances.argsort(axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, rows, axis=1), rows


for retriever, ids in ((overlap, None), (from_afar, None), (nearest, NAMES.__getitem__)):
    show(tr.bench(retriever, QUERIES, QRELS, k=3, repeats=20, measures="nDCG@3 RR", ids=ids))
