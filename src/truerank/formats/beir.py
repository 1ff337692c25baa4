"""BEIR's judgements: tab-separated, with the header query-id, corpus-id, score."""

from __future__ import annotations

from functools import partial

from truerank.core.messages import message
from truerank.formats.delimited import BEIR, header, holds, read_qrels, write_qrels
from truerank.formats.registry import Format, register


def sniff(head: bytes, name: str) -> float:
    """The header."""
    return 1.0 if header(head).names == BEIR else 0.0


register(
    Format(
        "beir",
        message("BEIR's qrels.tsv: a header (query-id, corpus-id, score), then tabs; scores are grades"),
        sniff,
        holds,
        read_qrels=read_qrels,
        write_qrels=partial(write_qrels, "\t", header=BEIR),
    )
)
