"""LlamaIndex: retrievers (`retrieve`, `aretrieve`)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.live.adapters.answers import CUT, Ask, answer, carrying
from truerank.live.adapters.ids import IdKind, IdReader
from truerank.live.adapters.libraries import OWN, SERIAL, inherits, retriever, written_in
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Answer, Retriever

CUTOFFS = (
    "similarity_top_k",
    "_similarity_top_k",
    "num_chunks_per_query",
    "choice_top_k",
    "_choice_top_k",
    "top_k",
    "_top_k",
)
"""Where retrievers keep how many nodes they return; which one differs from class to class."""


def _metadata(result: Any) -> Mapping[str, object]:
    metadata: Mapping[str, object] = result.node.metadata
    return metadata


NODE = IdKind(
    message("a LlamaIndex node"),
    own=lambda result: result.node.node_id,
    field=lambda result, name: getattr(result.node, name, None),
    metadata=_metadata,
    content=lambda result: result.node.get_content(),
)


@adapter("LlamaIndex", lambda target: float(inherits(target, "llama_index", "BaseRetriever")))
def llamaindex(target: Any, *, ids: IdReader, asynchronous: bool | None = None) -> Retriever:
    """A BaseRetriever. An id is a node's; ids="ref_doc_id" names the document that it is a chunk of."""
    method = "aretrieve" if asynchronous else "retrieve"
    cutoff = next((name for name in CUTOFFS if isinstance(getattr(target, name, None), int)), None)
    with_k = partial(_copy, target, method, cutoff) if cutoff else None
    return retriever(
        target,
        carrying(getattr(target, method), with_k, lambda raw: _read(raw, ids), asynchronous),
        kind="LlamaIndex",
        package="llama-index-core",
        call=method,
        ids=ids.describe("node_id"),
        k=f"the attribute {cutoff} of a copy" if cutoff else CUT,
        asynchrony=_asynchrony(target),
        is_async=asynchronous,
    )


def _copy(target: Any, method: str, cutoff: str, k: int) -> Ask:
    """The retrieving method of a copy with this k; the given retriever is not changed."""
    other = copy.copy(target)
    setattr(other, cutoff, k)
    ask: Ask = getattr(other, method)
    return ask


def _read(raw: Any, ids: IdReader) -> Answer:
    if not isinstance(raw, list) or not all(hasattr(result, "node") for result in raw):
        raise InputError("the retriever returned {kind}, not a list of NodeWithScore", kind=type(raw).__name__)
    return answer(raw, [result.score for result in raw], ids, NODE)


def _asynchrony(target: Any) -> str:
    """Read from the sources of llama-index-core: whose code `aretrieve` ends in."""
    written = written_in(target, "_aretrieve")
    if written == "llama_index.core.base.base_retriever":
        return SERIAL
    store = getattr(target, "_vector_store", None)
    if written.startswith("llama_index.core.indices.vector_store.") and store is not None:
        return SERIAL if written_in(store, "aquery") == "llama_index.core.vector_stores.types" else OWN
    return OWN
