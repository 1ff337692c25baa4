"""JSON lines: one object per line, a query with all its documents or one row per document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.names import line_ends
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Ranked
from truerank.formats import names
from truerank.formats.records import LONGEST, kind, parsed, qrels_of_records, run_parts
from truerank.formats.registry import Format, register
from truerank.formats.rows import Numbered, peeked
from truerank.formats.source import Source

SHORT = 1 << 11
"""Shorter lines are read together; what longer ones hold is still in the cache when it is used."""

EXACT = 2**53
"""From here on whole numbers are written as fractions are: not all readers hold them."""

_START = rb'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(.)'
_SEVERAL = rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{"
_BLANK = re.compile(rb"[^\S\n]*\n")
_SCORE = rb'"score"\s*:\s*([-+.\deE]+)\s*[,}]'
KEY = rb'"((?:[^"\\]|\\.)*)"\s*:'


def sniff(head: bytes, name: str) -> float:
    """Objects on lines, or one whose first key is no query: its value is plain, or it is known to name a list."""
    first, _, rest = head.strip().partition(b"\n")
    start = re.match(_START, head, re.DOTALL) if first.startswith(b"{") else None
    if not start or (rest and not first.rstrip().endswith(b"}")):  # an object over several lines
        return 0.0
    if re.match(_SEVERAL, head):
        return 0.95
    lists = {*names.ANSWERS, *names.SCORES, *names.RELEVANT} - {"ids"}  # Chroma's answer begins with it
    if start[2] not in b"{[":
        return 0.95 if rest or _has_columns(first) else 0.0
    return 0.95 if names.folded(start[1].decode("utf-8", "replace")) in lists else 0.0


def _has_columns(line: bytes) -> bool:
    """Whether a key of an object is known as that of a record; the ids of queries are not."""
    keys = [key.decode("utf-8", "replace") for key in re.findall(KEY, line)]
    return kind(keys) is not None or names.find(keys, (*names.QUERY, *names.DOC, "id")) is not None


def holds(source: Source) -> str | None:
    """By the keys of the first line; with BEIR's keys, whose score is a grade, by whether scores are whole."""
    first = source.head.lstrip().split(b"\n", 1)[0]
    keys = {key.decode("utf-8", "replace") for key in re.findall(KEY, first)}
    if keys != set(names.BEIR):
        return kind(keys)
    scores = (score.decode() for score in re.findall(_SCORE, source.head))
    return None if names.are_whole(scores) else "run"


def read_run(source: Source) -> Iterator[Batch]:
    """A line at a time."""
    return run_parts(_rows(source, "run"), source.name)


def read_qrels(source: Source) -> Qrels:
    """All judgements."""
    return qrels_of_records(_rows(source, "qrels"), source.name)


def _rows(source: Source, what: str) -> Iterator[Numbered]:
    """The records; where the first line is an object that holds a list of records, these."""
    first, there = peeked(records(source, are_distinct=True))
    if first is None or _listed(first[1], what) is None:
        return there
    return ((line, each) for line, whole in there for each in _listed(whole, what) or [whole])


def _listed(value: Any, what: str) -> list[Any] | None:
    """The records that an object holds in a list; None for a record itself, which most objects are."""
    if type(value) is not dict or list not in map(type, value.values()):
        return None
    from truerank.formats.columnar import listed_in

    return listed_in(value, what)


def records(source: Source, *, are_distinct: bool = False) -> Iterator[Numbered]:
    """Each line's value with its number.

    Args:
        are_distinct: whether a key that comes twice is refused, in a record and in its documents.
    """
    from truerank.formats.repeats import may_repeat, refuse_repeats  # not needed at every start

    for first, block in source.blocks(LONGEST):
        values = _at_once(block) if block.find(b"\n", 0, SHORT) >= 0 else None
        if values is not None and not (are_distinct and may_repeat(values, block)):
            yield from enumerate(values, first)
            continue
        for place, (number, line) in enumerate(_lines(block, first)):
            value = parsed(line, source.name, number) if values is None else values[place]
            if are_distinct and may_repeat([value], text := bytes(line)):
                is_record = all(_listed(value, what) is None for what in ("run", "qrels"))
                refuse_repeats(value, text, source.name, number, of_records=is_record)
            yield number, value


def _lines(block: bytes, number: int) -> Iterator[tuple[int, memoryview]]:
    """The numbers and lines that are not blank; `bytes.split` would go byte by byte, and copy."""
    text, start = memoryview(block), 0
    while (end := block.find(b"\n", start)) >= 0:
        if not _BLANK.match(block, start):
            yield number, text[start:end]
        number, start = number + 1, end + 1


def _at_once(block: bytes) -> list[Any] | None:
    """The values of lines, parsed together, which is faster; None where one is blank or wrong."""
    try:
        values: list[Any] = parsed(b"[%b]" % block[:-1].replace(b"\n", b","), "")
    except InputError:
        return None
    return values if len(values) == line_ends(block) else None


def scattered(query: bytes) -> InputError:
    """The error to raise for a query that would have several lists in a format of whole lists."""
    return InputError(
        "the rows of query {query} are scattered; sort the run by query for JSON", query=truncated(query)
    )


def write_run(run: Iterable[Ranked], file: BinaryIO, tag: str) -> None:
    """One query per line: {"query_id": …, "docs": […], "scores": […]}."""
    seen: set[tuple[bytes, int | None]] = set()
    for ranked in run:
        if (ranked.query, ranked.call) in seen:
            raise scattered(ranked.query)
        seen.add((ranked.query, ranked.call))
        call = {} if ranked.call is None else {"call": ranked.call}
        record = {"query_id": utf8(ranked.query), **call, "docs": list(map(utf8, ranked.docs))}
        scores = {} if ranked.scores is None else {"scores": ranked.numbers()}
        file.write(dumped({**record, **scores}) + b"\n")


def write_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """One query per line: {"query_id": …, "relevant": {document: grade}}.

    With aspects {"query_id": …, "relevant": {document: {aspect: grade}}, "weights": {aspect: weight}}.
    """
    for number, (query, judged) in enumerate(qrels.by_query()):
        record: dict[str, Any] = {"query_id": utf8(query), "relevant": graded(judged)}
        if qrels.aspects is not None:
            nested = qrels.by_aspect(number)
            record["relevant"] = {utf8(doc): graded(grades) for doc, grades in nested.items()}
            record["weights"] = graded(qrels.weights_of(number))
        file.write(dumped(record) + b"\n")


def graded(judged: dict[bytes, float]) -> dict[str, float]:
    """{document: grade} for JSON; whole grades without a point."""
    return {utf8(doc): int(grade) if _is_whole(grade) else grade for doc, grade in judged.items()}


def _is_whole(grade: float) -> bool:
    """Whether a grade is a whole number that every reader of JSON represents exactly."""
    return grade.is_integer() and abs(grade) < EXACT


def dumped(value: Any) -> bytes:
    """The value as JSON text; numbers with all their digits."""
    import orjson

    return orjson.dumps(value)


def utf8(name: bytes) -> str:
    """An id as JSON text.

    Raises:
        InputError: the id is not UTF-8.
    """
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise InputError(
            "the id {name} is not UTF-8: JSON and Parquet cannot hold it; trec, csv and tsv can", name=quoted(name)
        ) from None


register(
    Format(
        "jsonl",
        message(
            'one object per line: {"query_id": …, "docs": […]}, {"query_id": …, "relevant": […]}, or a row each'
        ),
        sniff,
        holds,
        (".jsonl", ".ndjson"),
        read_run,
        read_qrels,
        write_run,
        write_qrels,
        holds_aspects="weights",
        holds_empty=True,
    )
)
