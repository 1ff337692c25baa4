"""An index of vectors (FAISS's HNSW), asked under several settings: recall against exact neighbours, and speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank import truth
from truerank.cli.demo.collection import Collection
from truerank.cli.demo.packages import need
from truerank.cli.demo.retrievers import gram_weights
from truerank.formats.target import writing
from truerank.live import Bench, sweep
from truerank.live.storage import dumped
from truerank.present.pareto import figure
from truerank.present.renderers import figures

Vectors = NDArray[np.float32]

DOCS = 10_000

QUERIES = 400

DIMENSIONS = 64

K = 10

WIDTHS = (8, 16, 32, 64, 128, 256)
"""How many candidates the search keeps (efSearch)."""

AGAINST = ("throughput", "p50", "p99")

ABOUT = f"""\
Vectors: the names of {DOCS:,} cities in {DIMENSIONS} dimensions, {QUERIES} queries, an HNSW index of FAISS

A vector is the n-grams of a text, projected at random. What the index finds is held against the exact neighbours
(P@{K} is its recall): the more candidates it keeps (efSearch), the more of them it finds, and the slower it is."""


def swept(
    collection: Collection, directory: Path, say: Callable[[str], None]
) -> tuple[tuple[Bench, ...], list[Path]]:
    """A benchmark for each setting, and pictures of all; the vectors and the exact neighbours stay as files.

    Args:
        collection: whose texts become vectors.
        directory: where the files go.
        say: told what is being done.
    """
    need("faiss")
    import faiss  # type: ignore[import-not-found,import-untyped,unused-ignore]

    faiss.omp_set_num_threads(1)  # one caller waits for each answer; and the index is then the same every time
    start = directory / collection.name
    say(f"{collection.name}: making vectors")
    docs = list(islice(collection.docs.values(), DOCS))
    vectors, queries = _projected(docs, list(islice(collection.queries.values(), QUERIES)))
    _saved(f"{start}.queries.npy", lambda file: np.save(file, queries))
    exact = faiss.IndexFlatIP(DIMENSIONS)
    exact.add(vectors)
    products, ids = exact.search(queries, 2 * K)
    _saved(f"{start}.exact.npz", lambda file: np.savez(file, I=ids, D=products))
    say(f"{collection.name}: indexing vectors, and searching them")
    graph = faiss.IndexHNSWFlat(DIMENSIONS, 16, faiss.METRIC_INNER_PRODUCT)
    graph.add(vectors)

    def hnsw(efSearch: int) -> Any:  # FAISS's own name, which the table shows
        graph.hnsw.efSearch = efSearch
        return graph

    right = truth.neighbours(f"{start}.exact.npz", None, k=K)
    benches = sweep(hnsw, queries, right, over={"efSearch": WIDTHS}, k=K, measures=f"R@{K}", rules="big-ann")
    _saved(f"{start}.sweep.bench.json", lambda file: file.write(dumped([one.to_dict() for one in benches])))
    return benches, [_drawn(benches, start, against) for against in AGAINST]


def _projected(docs: Sequence[str], queries: Sequence[str]) -> tuple[Vectors, Vectors]:
    """Both as vectors of length 1, whose products are about the cosines of the texts' n-grams."""
    weights, of_others = gram_weights(docs)
    directions = np.random.default_rng(0).standard_normal((weights.shape[1], DIMENSIONS), np.float32)
    rows = [np.ascontiguousarray(each @ directions, np.float32) for each in (weights, of_others(queries))]
    documents, asked = (each / np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12) for each in rows)
    return documents, asked


def _saved(path: str, write: Callable[[Any], object]) -> None:
    with writing(path) as file:
        write(file)


def _drawn(benches: Sequence[Bench], start: Path, against: str) -> Path:
    """The picture of recall against a figure."""
    path = Path(f"{start}.{against}.svg")
    figures.draw(figure(benches, against), str(path))
    return path
