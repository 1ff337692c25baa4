"""TREC's own: `query iteration document grade` and `query Q0 document rank score tag` lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from truerank._kernel import QrelsParser
from truerank.errors import InputError, Refused
from truerank.formats.registry import Format, register
from truerank.formats.source import Source
from truerank.qrels import Qrels
from truerank.run import Batch, Ranked, qrels_fault

_BLANK = re.compile(rb"[ \t]+")


def sniff(head: bytes, name: str) -> float:
    """Lines of four or more columns with blanks between; anything that is text, for want of a better reader."""
    if b"\0" in head:
        return 0.0
    lines = [line for line in head.split(b"\n")[:5] if line.strip() and not line.startswith(b"#")]
    if all(len(_BLANK.split(line.strip())) in (4, 6) for line in lines):
        return 0.6
    return 0.1


def read_run(source: Source) -> Iterator[Batch]:
    """The text as it is: the kernel has a door for it."""
    yield from source.chunks()


def read_qrels(source: Source) -> Qrels:
    """Judgements, by the kernel's parser."""
    parser = QrelsParser()
    try:
        for chunk in source.chunks():
            parser.feed(chunk)
        queries, query, ends, text, grades, lines = parser.finish()
    except Refused as refused:
        raise InputError(qrels_fault(refused), source.name, refused.line) from None
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int64) if len(ends) else ends
    return Qrels.build(queries, query, begins, ends, text, grades, name=source.name, lines=lines)


def write_run(run: Iterable[Ranked], file: BinaryIO, tag: str) -> None:
    """Six columns, scores with all their digits."""
    for ranked in run:
        scores = ranked.scores if ranked.scores is not None else range(len(ranked.docs), 0, -1)
        for rank, (doc, score) in enumerate(zip(ranked.docs, scores, strict=True), 1):
            file.write(b"%b Q0 %b %d %b %b\n" % (ranked.query, doc, rank, repr(score).encode(), tag.encode()))


def write_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """Four columns; whole grades without a point."""
    for query, judged in qrels.to_dict().items():
        for doc, grade in judged.items():
            file.write(b"%b 0 %b %b\n" % (query, doc, f"{grade:.17g}".encode()))


register(
    Format(
        "trec",
        "columns with blanks between: query Q0 document rank score tag; query 0 document grade",
        sniff,
        (".run", ".qrels", ".trec", ".txt"),
        read_run,
        read_qrels,
        write_run,
        write_qrels,
    )
)
