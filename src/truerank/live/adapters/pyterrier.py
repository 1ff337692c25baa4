"""PyTerrier: transformers, and pipelines of them (`search`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.live.adapters.answers import CUT, Call, Read, answer, cut
from truerank.live.adapters.ids import IdKind, IdReader
from truerank.live.adapters.libraries import inherits, retriever
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Answer, Retriever

ROW = IdKind(
    message("a row of PyTerrier"),
    own=lambda row: row["docno"],
    field=lambda row, name: row.get(name),
    metadata=lambda row: row,
    content=lambda row: row.get("text"),
)


@adapter("PyTerrier", lambda target: float(inherits(target, "pyterrier", "Transformer")))
def pyterrier(target: Any, *, ids: IdReader, asynchronous: bool | None = None) -> Retriever:
    """A transformer that turns queries into documents, or a pipeline of several, with the cutoff that it has.

    It is told the query's id, by which those that stand for a run (`Transformer.from_df`) and caches go.
    """
    if asynchronous:
        raise InputError("PyTerrier has no asynchronous call")

    def call(**told: str) -> tuple[Call, Read]:
        return cut(partial(target.search, **told), partial(_read, ids=ids), is_async=False)

    made = retriever(
        target,
        call(),
        kind="PyTerrier",
        package="python-terrier",
        call="search",
        ids=ids.describe("docno"),
        k=CUT,
        asynchrony="none",
        is_async=False,
    )
    return replace(made, call_of=lambda query_id: call(qid=query_id)[0])


def _read(raw: Any, ids: IdReader) -> Answer:
    """The rows of the answer, by their ranks where there are some, as they may come in any order."""
    columns = set(getattr(raw, "columns", ()))
    if not {"docno", "score"} <= columns:
        raise InputError(
            "the transformer returned {kind} without docno and score: end the pipeline with what ranks documents",
            kind=type(raw).__name__,
        )
    rows = raw.to_dict("records")
    rows.sort(key=lambda row: row["rank"] if "rank" in columns else -row["score"])
    return answer(rows, [row["score"] for row in rows], ids, ROW)
