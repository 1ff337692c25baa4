"""How the files here were made: 3,000 points on a grid, where many are equally far, and an HNSW index of FAISS.

    pip install faiss-cpu
    python examples/neighbours/make.py

exact.bin is as big-ann's ground truths are: of 100 queries the ids of their 20 nearest points, and their squared
distances.
"""

from __future__ import annotations

from pathlib import Path

import faiss
import numpy as np

HERE = Path(__file__).parent
rng = np.random.default_rng(20)
points, queries = (rng.integers(0, 4, (n, 12)).astype(np.float32) for n in (3000, 100))

faiss.omp_set_num_threads(1)
exact = faiss.IndexFlatL2(12)
exact.add(points)
distances, ids = exact.search(queries, 20)
shape = np.array(ids.shape, np.uint32).tobytes()
(HERE / "exact.bin").write_bytes(shape + ids.astype(np.int32).tobytes() + distances.tobytes())

graph = faiss.IndexHNSWFlat(12, 8)
graph.add(points)
for width in (10, 40):
    graph.hnsw.efSearch = width
    found, near = graph.search(queries, 10)[::-1]
    np.savez(HERE / f"hnsw{width}.npz", I=found.astype(np.int32), D=near)
