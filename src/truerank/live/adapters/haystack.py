"""Haystack: components that answer a query with documents (`run`, `run_async`)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.schema import parameters_of
from truerank.live.adapters.answers import CUT, Call, Read, answer, cut
from truerank.live.adapters.ids import IdKind, IdReader
from truerank.live.adapters.libraries import OWN, retriever
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Answer, Retriever

DOCUMENT = IdKind(
    message("a Haystack Document"),
    own=lambda doc: doc.id,
    field=lambda doc, name: getattr(doc, name, None),
    metadata=lambda doc: doc.meta,
    content=lambda doc: doc.content,
)
QUERIES = ("query", "text", "question")
"""What inputs that take the text of a query are called."""


@adapter("a Haystack component", lambda target: float(hasattr(target, "__haystack_input__")))
def component(
    target: Any, *, ids: IdReader, asynchronous: bool | None = None, embedder: Any = None, output: str = "documents"
) -> Retriever:
    """A component that answers a query with documents.

    Args:
        embedder: a text embedder component, for a retriever whose `run` takes a query_embedding.
        output: the key of the documents in what `run` returns.
    """
    for part in (embedder, target):
        if hasattr(part, "warm_up"):
            part.warm_up()
    takes = parameters_of(target.run)
    return retriever(
        target,
        _calls(target, takes, embedder, bool(asynchronous), lambda raw: documents(raw, output, ids)),
        kind="Haystack",
        package="haystack-ai",
        call="run_async" if asynchronous else "run",
        ids=ids.describe("Document.id"),
        k="the input top_k" if "top_k" in takes else CUT,
        asynchrony=asynchrony(target),
        is_async=asynchronous,
        **({"embedder": f"{type(embedder).__name__}, in the timed call"} if embedder is not None else {}),
    )


def documents(raw: Any, key: str, ids: IdReader) -> Answer:
    """The answer in the outputs of a component."""
    docs = raw.get(key) if isinstance(raw, Mapping) else None
    if not isinstance(docs, list) or not all(hasattr(doc, "meta") for doc in docs):
        has = (
            message("it has {keys}", keys=", ".join(map(str, raw)))
            if isinstance(raw, Mapping)
            else message("it is {kind}", kind=type(raw).__name__)
        )
        raise InputError("there is no list of Documents under {key!r} in the output: {has}", key=key, has=has)
    return answer(docs, [doc.score for doc in docs], ids, DOCUMENT)


def _calls(target: Any, takes: Iterable[str], embedder: Any, asynchronous: bool, read: Read) -> tuple[Call, Read]:
    runs = _runs_async(target, embedder, takes) if asynchronous else _runs(target, embedder, takes)
    if "top_k" in takes:
        return lambda query, k: runs(query, top_k=k), read
    return cut(runs, read, asynchronous)


def _runs(target: Any, embedder: Any, takes: Iterable[str]) -> Any:
    name = _query_input(target, embedder, takes)
    if embedder is None:
        return lambda query, **more: target.run(**{name: query}, **more)
    return lambda query, **more: target.run(**{name: embedder.run(text=query)["embedding"]}, **more)


def _runs_async(target: Any, embedder: Any, takes: Iterable[str]) -> Any:
    name = _query_input(target, embedder, takes)
    if not hasattr(target, "run_async"):
        raise InputError("{kind} has no run_async: it cannot be called asynchronously", kind=type(target).__name__)
    if embedder is None:
        return lambda query, **more: target.run_async(**{name: query}, **more)

    async def embedded(query: str, **more: object) -> object:
        known = hasattr(embedder, "run_async")
        made = await (embedder.run_async(text=query) if known else asyncio.to_thread(embedder.run, text=query))
        return await target.run_async(**{name: made["embedding"]}, **more)

    return embedded


def _query_input(target: Any, embedder: Any, takes: Iterable[str]) -> str:
    if "query_embedding" in takes:
        if embedder is None:
            raise InputError(
                "{kind} takes a query_embedding: give embedder=, a component that makes one of a text, or a "
                "Pipeline of both",
                kind=type(target).__name__,
            )
        return "query_embedding"
    if name := next((name for name in QUERIES if name in takes), None):
        return name
    raise InputError(
        "{kind} takes no query, only {takes}: give a Pipeline", kind=type(target).__name__, takes=", ".join(takes)
    )


def asynchrony(target: Any) -> str:
    """Read from the sources of Haystack: its in-memory store runs everything in its own executor, of one thread."""
    if not hasattr(target, "run_async"):
        return "none: it has no run_async"
    holder = getattr(target, "retriever", target)
    store: Any = getattr(holder, "document_store", None)
    if type(store).__module__.startswith("haystack.document_stores.in_memory"):
        return f"thread pool of {getattr(store.executor, '_max_workers', '?')}"
    return OWN
