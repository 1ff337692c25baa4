"""The kernel again as slow, plain Python: which text is accepted, and what a run's hits are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)\Z", re.IGNORECASE)

Row = tuple[int, bytes, bytes, float]
"""Line, query, document, score or grade."""

Hit = tuple[int, int, int, int, int, float]
"""Query, judged document, rank, first and last rank of its ties, score."""


class LineError(Exception):
    """A line that cannot be read; any of the kinds is right where it has several faults."""

    def __init__(self, line: int, *kinds: str):
        super().__init__(f"line {line}: {' or '.join(kinds)}")
        self.line = line
        self.kinds = kinds


@dataclass(frozen=True)
class Options:
    """A scanner's arguments."""

    ties: str = "doc-descending"
    duplicates: str = "error"
    single: bool = False
    interleaved: bool = False


@dataclass(frozen=True)
class Answers:
    """What a scanner must have found; returned: of each judged query, or -1."""

    hits: list[Hit]
    returned: list[int]
    extra: list[bytes]
    rows: int
    repeated: int


@dataclass
class Reading:
    """One query's documents and scores in order of arrival."""

    docs: list[bytes] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    at: dict[bytes, int] = field(default_factory=dict)

    def take(self, doc: bytes, score: float, duplicates: str) -> bool:
        """Add a row; whether it repeated a document."""
        is_repeated = doc in self.at
        if not is_repeated or duplicates == "count":
            self.at.setdefault(doc, len(self.docs))
            self.docs.append(doc)
            self.scores.append(score)
        elif duplicates == "last":
            self.scores[self.at[doc]] = score
        return is_repeated


def columns(text: bytes, want: int) -> Iterator[tuple[int, list[bytes]]]:
    """(line, columns) of every line that is no comment and not blank."""
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.startswith(b"#"):
            continue
        line = line.removesuffix(b"\r")
        found = re.split(rb"[ \t]+", line.strip(b" \t"))
        if found == [b""]:
            continue
        faults = [] if len(found) == want else ["fields"]
        if any(byte < 32 and byte != 9 for byte in line):
            faults.append("control")
        if faults:
            raise LineError(number, *faults)
        yield number, found


def decimal(text: bytes, line: int) -> float:
    """The double nearest to a decimal number."""
    if DECIMAL.match(text) and math.isfinite(number := float(text)):
        return number
    if DECIMAL.match(text) or NOT_FINITE.match(text):
        raise LineError(line, "not finite")
    raise LineError(line, "number", "not finite")


def run_rows(text: bytes) -> Iterator[Row]:
    """The rows of a TREC run."""
    return ((line, c[0], c[2], decimal(c[4], line)) for line, c in columns(text, 6))


def qrels_rows(text: bytes) -> list[tuple[int, bytes, bytes, float, bytes | None]]:
    """The rows of TREC qrels; the second column is None where it is the same in all."""
    rows = [(line, c[0], c[2], decimal(c[3], line), c[1]) for line, c in columns(text, 4)]
    varies = len({row[4] for row in rows}) > 1
    return [(*row[:4], row[4] if varies else None) for row in rows]


def answers(rows: Iterable[Row], judged: dict[bytes, list[bytes]], options: Options) -> Answers:
    """What is found of the judged documents of each query."""
    readings: dict[bytes, Reading] = {}
    extra: dict[bytes, None] = {}
    now, total, repeated = None, 0, 0
    for line, query, doc, score in rows:
        if query != now:
            now = query
            if query not in judged:
                extra[query] = None
                readings[query] = Reading()
            elif query in readings and not options.interleaved:
                raise LineError(line, "interleaved")
        total += 1
        score = float(np.float32(score)) if options.single else score
        if readings.setdefault(query, Reading()).take(doc, score, options.duplicates):
            repeated += 1
            if options.duplicates == "error":
                raise LineError(line, "duplicate")
    there = [(q, readings[name], docs) for q, (name, docs) in enumerate(judged.items()) if name in readings]
    hits = sorted(hit for q, reading, docs in there for hit in ranked(q, reading, docs, options.ties))
    returned = [len(readings[name].docs) if name in readings else -1 for name in judged]
    return Answers(hits, returned, list(extra), total, repeated)


def ranked(q: int, reading: Reading, judged: list[bytes], ties: str) -> Iterator[Hit]:
    """The hits of one query, found by sorting all that was returned."""
    order = list(range(len(reading.docs)))
    if ties != "input":
        order.sort(key=reading.docs.__getitem__, reverse=ties == "doc-descending")
    order.sort(key=lambda row: -reading.scores[row])
    number = {doc: i for i, doc in enumerate(judged)}
    for rank, row in enumerate(order, 1):
        doc, score = reading.docs[row], reading.scores[row]
        if doc in number:
            first = 1 + sum(other > score for other in reading.scores)
            yield q, number[doc], rank, first, first + reading.scores.count(score) - 1, score


def counts(
    rows: Iterable[Row],
    places: dict[bytes, int],
    judged: dict[bytes, list[bytes]],
    found: list[list[tuple[float, bytes, int]]],
    up: bool,
) -> tuple[list[list[int]], list[int]]:
    """Of each row found: how many others are better, equal, and equal and before; and the queries of all others.

    Args:
        found: the score, the document and its number of each row found, by query.
    """
    total = {(q, i): [0, 0, 0] for q, each in enumerate(found) for i in range(len(each))}
    others = []
    for _, query, doc, score in rows:
        q = places.get(query, -1)
        if q < 0 or any(doc == name for _, name, _ in found[q]):
            continue
        others.append(q)
        for i, (own, name, _) in enumerate(found[q]) if doc not in judged[query] else ():
            before = score == own and (doc < name if up else doc > name)
            total[q, i] = [
                n + more for n, more in zip(total[q, i], (score > own, score == own, before), strict=True)
            ]
    columns = [[each[i] for each in total.values()] for i in range(3)]
    return columns, sorted(others)
