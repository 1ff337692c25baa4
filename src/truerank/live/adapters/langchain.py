"""LangChain: retrievers and other runnables (`invoke`, `ainvoke`), and vector stores."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.schema import parameters_of
from truerank.live.adapters.answers import CUT, Ask, Call, Read, answer, carrying
from truerank.live.adapters.ids import IdKind, IdReader
from truerank.live.adapters.libraries import OWN, SERIAL, inherits, pool, retriever, written_in
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Answer, Retriever

DOCUMENT = IdKind(
    message("a LangChain Document"),
    own=lambda doc: doc.id,
    field=lambda doc, name: getattr(doc, name, None),
    metadata=lambda doc: doc.metadata,
    content=lambda doc: doc.page_content,
)
SEARCHES = {
    "similarity": "asimilarity_search",
    "similarity_score_threshold": "asimilarity_search_with_score",
    "mmr": "amax_marginal_relevance_search",
}
"""The store's method in which each kind of asynchronous search ends."""

TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")


@adapter("LangChain", lambda target: float(inherits(target, "langchain_core", "Runnable")))
def langchain(target: Any, *, ids: IdReader, asynchronous: bool | None = None) -> Retriever:
    """A BaseRetriever, or any runnable that turns a query into documents."""
    method = "ainvoke" if asynchronous else "invoke"
    k, with_k = _cutoff(target, method)
    calls = carrying(getattr(target, method), with_k, lambda raw: _read(raw, ids), asynchronous)
    return _retriever(target, calls, method, ids, k, _asynchrony(target), asynchronous)


@adapter("LangChain VectorStore", lambda target: float(inherits(target, "langchain_core", "VectorStore")))
def vector_store(target: Any, *, ids: IdReader, asynchronous: bool | None = None) -> Retriever:
    """A VectorStore: its search with scores where it has one, else without."""
    scored = written_in(target, "similarity_search_with_score") != "langchain_core.vectorstores.base"
    method = ("a" if asynchronous else "") + "similarity_search" + ("_with_score" if scored else "")
    search = getattr(target, method)
    asynchrony = _store_asynchrony(target, "asimilarity_search" + ("_with_score" if scored else ""))
    read = _read_scored if scored else _read
    calls: tuple[Call, Read] = lambda query, k: search(query, k=k), lambda raw: read(raw, ids)
    return _retriever(target, calls, method, ids, f"the argument k of {method}", asynchrony, asynchronous)


def _retriever(
    target: Any,
    calls: tuple[Call, Read],
    method: str,
    ids: IdReader,
    k: str,
    asynchrony: str,
    is_async: bool | None,
) -> Retriever:
    traced = [name for name in TRACING if os.environ.get(name, "").lower() == "true"]
    return retriever(
        target,
        calls,
        kind="LangChain",
        package="langchain-core",
        call=method,
        ids=ids.describe("Document.id"),
        k=k,
        asynchrony=asynchrony,
        is_async=is_async,
        **({"tracing": f"on ({', '.join(traced)}): the times include it"} if traced else {}),
    )


def _cutoff(target: Any, method: str) -> tuple[str, Callable[[int], Ask] | None]:
    """How the target takes k, in words, and a function from k to what is called; None where it takes none.

    There is no k in the contract, so a copy of the retriever carries it; the given one is not changed.
    """
    fields = getattr(type(target), "model_fields", {})
    if "search_kwargs" in fields:
        return "search_kwargs['k'] of a copy", lambda k: _copy(
            target, method, search_kwargs={**target.search_kwargs, "k": k}
        )
    if name := next((name for name in ("k", "top_k") if name in fields), None):
        return f"the field {name} of a copy", lambda k: _copy(target, method, **{name: k})
    finds = getattr(target, "_aget_relevant_documents" if method == "ainvoke" else "_get_relevant_documents", None)
    if finds and "k" in parameters_of(finds):
        return "the argument k", lambda k: partial(getattr(target, method), k=k)
    return CUT, None


def _copy(target: Any, method: str, **update: object) -> Ask:
    copy: Ask = getattr(target.model_copy(update=update), method)
    return copy


def _read(raw: Any, ids: IdReader) -> Answer:
    if not isinstance(raw, list) or not all(inherits(doc, "langchain_core", "Document") for doc in raw):
        raise InputError("the runnable returned {kind}, not a list of Documents", kind=type(raw).__name__)
    return answer(raw, [None] * len(raw), ids, DOCUMENT)


def _read_scored(raw: Any, ids: IdReader) -> Answer:
    return answer([doc for doc, _ in raw], [score for _, score in raw], ids, DOCUMENT)


def _asynchrony(target: Any) -> str:
    """Read from the sources of langchain-core: whose code `ainvoke` ends in."""
    if not inherits(target, "langchain_core", "BaseRetriever"):
        composed = written_in(target, "ainvoke").startswith("langchain_core.runnables.")
        return f"that of its parts; {pool()} for functions without one" if composed else OWN
    written = written_in(target, "_aget_relevant_documents")
    if written == "langchain_core.retrievers":
        return pool()
    if written == "langchain_core.vectorstores.base":
        return _store_asynchrony(target.vectorstore, SEARCHES[target.search_type])
    return OWN


def _store_asynchrony(store: Any, method: str) -> str:
    written = written_in(store, method)
    if written == "langchain_core.vectorstores.base":
        return pool()
    if written == "langchain_core.vectorstores.in_memory":
        return SERIAL + " (only the embedding may run beside)"
    return OWN
