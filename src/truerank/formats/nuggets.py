"""Nuggets as nuggetizer and TREC RAG write them: an answer or passage per line, and how far it supports each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch
from truerank.formats import jsonl
from truerank.formats.registry import Format, register
from truerank.formats.source import Source

_MARKS = rb'"(assignment|importance)"'


def sniff(head: bytes, name: str) -> float:
    """Lines whose objects have nuggets with assignments."""
    first = head.lstrip().split(b"\n", 1)[0]
    return 1.0 if first.startswith(b"{") and b'"nuggets"' in first and re.search(_MARKS, head) else 0.0


def read_run(source: Source) -> Iterator[Batch]:
    """A run: for each query its answer, as the document returned; or its passages, in the order of their lines."""
    from truerank.formats import assignments

    return assignments.run_of(jsonl.records(source, are_distinct=True), source.name)


def read_qrels(source: Source) -> Qrels:
    """Judgements: for each answer the nuggets that it supports; vital ones have weight 1, okay ones 0.5."""
    from truerank.formats import assignments

    return assignments.qrels_of(jsonl.records(source, are_distinct=True), source.name)


register(
    Format(
        "nuggets",
        message(
            'one answer per line, with its nuggets: {"qid": …, "nuggets": [{"text": …, "importance": "vital", '
            '"assignment": "support"}]}'
        ),
        sniff,
        read_run=read_run,
        read_qrels=read_qrels,
    )
)
