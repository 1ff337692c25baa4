"""MS MARCO's runs: query, document and rank between tabs, without a header; and ColBERT's, with the score too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.run import Batch, Columns
from truerank.formats.delimited import Reader
from truerank.formats.names import Layout
from truerank.formats.registry import Format, register
from truerank.formats.source import Source

COLUMNS = ("query", "document", "rank", "score")

_RANK = rb"\s*\d{1,18}\s*"
_FRACTION = rb"(?i:-?\d*\.\d*[1-9]\d*(e[-+]?\d+)?)"


def sniff(head: bytes, name: str) -> float:
    """Three columns, the last of which counts from 1; or a fourth column of fractions, which grades rarely are."""
    rows = _first(head)
    width = len(rows[0]) if rows else 0
    if width not in (3, 4) or any(len(row) != width or not re.fullmatch(_RANK, row[2]) for row in rows):
        return 0.0
    if width == 4 and (_is_iteration(rows) or not any(re.fullmatch(_FRACTION, row[3].strip()) for row in rows)):
        return 0.0
    ranks = [0, *(int(row[2]) for row in rows)]
    return 0.8 if all(b in (1, a + 1) for a, b in pairwise(ranks)) else 0.0


def _is_iteration(rows: list[list[bytes]]) -> bool:
    """Whether the second column is that of qrels, which is the same for several documents of a query."""
    return len({(row[0], row[1]) for row in rows}) < len(rows)


def _first(head: bytes) -> list[list[bytes]]:
    """The cells of the first lines."""
    return [line.split(b"\t") for line in head.split(b"\n")[:6] if line.strip()][:5]


def read_run(source: Source) -> Iterator[Batch]:
    """Many rows at a time; without scores the lower the rank, the higher the score."""
    if any(len(row) == len(COLUMNS) for row in _first(source.head)[:1]):
        yield from Reader(source.name, "\t", COLUMNS, Layout(0, 1, 3)).parts(source.blocks())
        return
    for part in Reader(source.name, "\t", COLUMNS[:3], Layout(0, 1, 2)).parts(source.blocks()):
        _refuse_scores(part, source.name)
        yield part._replace(scores=-part.scores, are_ranks=True)


def _refuse_scores(part: Columns, name: str) -> None:
    """Raise where the third column does not hold ranks."""
    other = np.flatnonzero((part.scores != np.floor(part.scores)) | (part.scores < 0))
    if len(other):
        rank, line = part.scores[other[0]], None if part.lines is None else int(part.lines[other[0]])
        raise InputError(
            "the third column is a rank, a whole number, and not {rank:g}; if these are scores, put a first line "
            "before them that names the columns: query_id, doc_id, score, with tabs between them",
            name,
            line,
            rank=rank,
        )


register(
    Format(
        "msmarco",
        message("no header, then tabs: query, document, rank and, as ColBERT writes it, score"),
        sniff,
        lambda source: "run",
        read_run=read_run,
    )
)
