"""Haystack pipelines: the query goes to every open query input, the documents come from one component."""

from __future__ import annotations

from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import alternatives, did_you_mean, message
from truerank.live.adapters.answers import CUT, Call, Read, cut
from truerank.live.adapters.haystack import QUERIES, asynchrony, documents
from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.libraries import OWN, inherits, pool, retriever
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Answer, Retriever


@adapter("a Haystack pipeline", lambda target: float(inherits(target, "haystack", "PipelineBase")))
def pipeline(
    target: Any, *, ids: IdReader, asynchronous: bool | None = None, output: str | None = None
) -> Retriever:
    """A pipeline from a query to documents.

    Args:
        output: the component whose documents are the answer; must be given where several give documents, or none
            that leave the pipeline.
    """
    method = "run_async" if asynchronous else "run"
    if not hasattr(target, method):
        raise InputError("{kind} has no {method}", kind=type(target).__name__, method=method)
    last = _output(target, output)
    takes_k = "top_k" in target.inputs().get(last, {})
    return retriever(
        target,
        _calls(target, method, last, takes_k, lambda raw: _read(raw, last, ids)),
        kind="Haystack",
        package="haystack-ai",
        call=method,
        ids=ids.describe("Document.id"),
        k=f"the input top_k of {last}" if takes_k else CUT,
        asynchrony=_asynchrony(target),
        is_async=asynchronous,
        name=f"{type(target).__name__} to {last}",
        output=last,
    )


def _read(raw: Any, last: str, ids: IdReader) -> Answer:
    return documents(raw.get(last), "documents", ids)


def _output(target: Any, asked: str | None) -> str:
    """The component whose documents are the answer."""
    able = _giving(target.outputs(include_components_with_connected_outputs=True))
    if asked is not None:
        if asked not in able:
            raise InputError(
                "no component {name!r} gives documents.{near} Those that do: {known}",
                name=asked,
                near=did_you_mean(asked, able),
                known=", ".join(able),
            )
        return asked
    leaving = _giving(target.outputs())
    if len(leaving) != 1:
        several, none = message("several components give documents"), message("no documents leave the pipeline")
        raise InputError(
            "{why}: name one by output=. Those that give documents: {known}",
            why=several if leaving else none,
            known=", ".join(able) or message("none"),
        )
    return leaving[0]


def _giving(outputs: dict[str, dict[str, Any]]) -> list[str]:
    return [name for name, sockets in outputs.items() if "documents" in sockets]


def _calls(target: Any, method: str, last: str, takes_k: bool, read: Read) -> tuple[Call, Read]:
    asks = _open_queries(target)
    run, included = getattr(target, method), {last}

    def runs(query: str, k: int | None = None) -> Any:
        data = {name: dict.fromkeys(sockets, query) for name, sockets in asks.items()}
        if k is not None:
            data.setdefault(last, {})["top_k"] = k  # type: ignore[assignment]
        return run(data, include_outputs_from=included)

    return (runs, read) if takes_k else cut(runs, read, method == "run_async")


def _open_queries(target: Any) -> dict[str, list[str]]:
    """The inputs that must be given and are named like a query, by component."""
    asks = {
        name: [socket for socket, about in sockets.items() if socket in QUERIES and about["is_mandatory"]]
        for name, sockets in target.inputs().items()
    }
    if not any(asks.values()):
        raise InputError("the pipeline has no open input called {queries}", queries=alternatives(QUERIES))
    return {name: sockets for name, sockets in asks.items() if sockets}


def _asynchrony(target: Any) -> str:
    """Read from the sources of Haystack: components without a coroutine go to asyncio's thread pool."""
    if not hasattr(target, "run_async"):
        return "none: it has no run_async"
    behind = {name: asynchrony(part) if hasattr(part, "run_async") else pool() for name, part in target.walk()}
    return "; ".join(f"{name}: {what}" for name, what in behind.items() if what != OWN) or OWN
