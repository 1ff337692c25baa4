"""Indexes of vectors: FAISS's and hnswlib's, as they are."""

from __future__ import annotations

from typing import Any

from truerank.core.messages import message
from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.libraries import inherits, release
from truerank.live.adapters.plain import read_plain
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Retriever


def _is_faiss(target: object) -> bool:
    return inherits(target, "faiss", "Index")


def _sure(target: object) -> float:
    return 1.0 if _is_faiss(target) or inherits(target, "hnswlib", "Index") else 0.0


@adapter("an index of vectors", _sure)
def index(target: Any, *, ids: IdReader, asynchronous: bool | None = None) -> Retriever:
    """An index of FAISS or hnswlib, asked for the neighbours of one vector at a time."""
    is_faiss = _is_faiss(target)

    def faiss(query: Any, k: int) -> object:
        return target.search(query[None], k)

    def hnswlib(query: Any, k: int) -> object:
        return target.knn_query(query, k)

    of = type(target)
    return Retriever(
        name=of.__name__ if is_faiss else "hnswlib",
        call=faiss if is_faiss else hnswlib,
        read=lambda raw: read_plain(raw, ids),
        describe={
            "kind": message("index of vectors"),
            "library": release("faiss-cpu" if is_faiss else "hnswlib"),
            "class": f"{of.__module__}.{of.__qualname__}",
            "ids": ids.describe("as returned"),
        },
        takes="vectors",
    )
