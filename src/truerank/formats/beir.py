"""BEIR's judgements: tab-separated, with the header query-id, corpus-id, score."""

from __future__ import annotations

from typing import BinaryIO

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.formats.delimited import header, holds, read_qrels, write_qrels
from truerank.formats.names import BEIR
from truerank.formats.registry import Format, register


def sniff(head: bytes, name: str) -> float:
    """The header."""
    return 1.0 if header(head).names == BEIR else 0.0


def write(qrels: Qrels, file: BinaryIO) -> None:
    """The same; its grades are whole numbers."""
    if (qrels.grades % 1 != 0).any():  # also of ignored documents, which are refused before
        raise InputError(
            "BEIR's grades are whole numbers, and some here are not; csv and jsonl can hold them", qrels.name
        )
    write_qrels("\t", qrels, file, BEIR)


register(
    Format(
        "beir",
        message("BEIR's qrels.tsv: a header (query-id, corpus-id, score), then tabs; scores are grades"),
        sniff,
        holds,
        read_qrels=read_qrels,
        write_qrels=write,
    )
)
