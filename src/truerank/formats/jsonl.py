"""JSON lines: an object a line, a query with all its documents or a row a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.names import line_ends
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Ranked
from truerank.formats import names
from truerank.formats.records import LONGEST, kind, parsed, qrels_of_records, run_parts
from truerank.formats.registry import Format, register
from truerank.formats.rows import Numbered
from truerank.formats.source import Source

SHORT = 1 << 11
"""Shorter lines are read together; what longer ones hold is still in the cache when it is used."""

FEW = 8
"""As many letters are looked for one by one."""

EXACT = 2**53
"""From here on whole numbers are written as fractions are: not all readers hold them."""

_START = re.compile(rb'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(.)', re.DOTALL)
_SEVERAL = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")
_BLANK = re.compile(rb"[^\S\n]*\n")
_SCORE = re.compile(rb'"score"\s*:\s*([-+.\deE]+)\s*[,}]')
KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:')

_READ = {
    *(*names.QUERY, *names.ANSWERS, *names.RESPONSES, names.CONTEXTS, *names.RELEVANT, *names.WEIGHTS),
    names.NUGGETS,
}
"""Keys of records under which objects may be read; those under others are what is known of one."""


def sniff(head: bytes, name: str) -> float:
    """Objects on lines, or one whose first key is no query: its value is plain, or the key is known as a list's."""
    start = _START.match(head)
    first, _, rest = head.strip().partition(b"\n")
    if not start or (rest and not first.rstrip().endswith(b"}")):  # an object over several lines
        return 0.0
    if _SEVERAL.match(head):
        return 0.95
    lists = {*names.ANSWERS, *names.SCORES, *names.RELEVANT} - {"ids"}  # with which Chroma's answer begins
    return 0.95 if start[2] not in b"{[" or names.folded(start[1].decode("utf-8", "replace")) in lists else 0.0


def holds(source: Source) -> str | None:
    """Told by the keys of the first line; with BEIR's, whose score is a grade, by whether scores are whole."""
    first = source.head.lstrip().split(b"\n", 1)[0]
    keys = {key.decode("utf-8", "replace") for key in KEY.findall(first)}
    if keys != set(names.BEIR):
        return kind(keys)
    scores = (score.decode() for score in _SCORE.findall(source.head))
    return None if names.are_whole(scores) else "run"


def read_run(source: Source) -> Iterator[Batch]:
    """A line at a time."""
    return run_parts(records(source, are_distinct=True), source.name)


def read_qrels(source: Source) -> Qrels:
    """All judgements."""
    return qrels_of_records(records(source, are_distinct=True), source.name)


def records(source: Source, *, are_distinct: bool = False) -> Iterator[Numbered]:
    """Each line's value with its number.

    Args:
        are_distinct: a key that comes twice is refused, in a record and in its documents.
    """
    for first, block in source.blocks(LONGEST):
        values = _at_once(block) if block.find(b"\n", 0, SHORT) >= 0 else None
        if values is not None and not (are_distinct and may_repeat(values, block)):
            yield from enumerate(values, first)
            continue
        for place, (number, line) in enumerate(_lines(block, first)):
            value = parsed(line, source.name, number) if values is None else values[place]
            if are_distinct and may_repeat([value], text := bytes(line)):
                refuse_repeats(value, text, source.name, number, of_records=True)
            yield number, value


def may_repeat(records: list[Any], text: bytes | bytearray) -> bool:
    """Whether the text may have more keys than were kept of records, and of the objects in them."""
    if set(map(type, records)) != {dict}:
        return False
    kept = sum(map(len, records))
    if not _has_more(text, b":", kept):  # one behind each key, so that nothing comes twice
        return False
    if _has_more(text, b"{", len(records)) and any(map(_holds_objects, records)):
        return _quotes(text) != 2 * _all_strings(records)
    if not any(odd in text for odd in _ODD):
        return text.count(b'":') != kept
    return _quotes(text) != 2 * sum(map(_near_strings, records))


_ODD = (b'\\"', b" :", b"\t:", b"\n:", b"\r:")
"""Where one is in a text, a key may end otherwise than in ":, or a string hold that."""


def _holds_objects(record: dict[str, Any]) -> bool:
    """Whether some stand in it, or in its lists; a bracket may be one of a text."""
    return any(
        type(value) is dict or (type(value) is list and not {dict, list}.isdisjoint(map(type, value)))
        for value in record.values()
    )


def _has_more(text: bytes | bytearray, letter: bytes, n: int) -> bool:
    """Whether a letter comes more than n times: looking for the few in a long line is faster than counting them."""
    if n > FEW:
        return _count(text, letter) > n
    place = -1
    return all((place := text.find(letter, place + 1)) >= 0 for _ in range(n + 1))


def _count(text: bytes | bytearray, letter: bytes) -> int:
    """How often it comes; `bytes.count` takes thrice the time where that is often."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == letter[0]))


def _quotes(text: bytes | bytearray) -> int:
    """How many there are around strings; those in them too where two backslashes stand side by side."""
    quotes = _count(text, b'"')
    return quotes if b"\\" not in text or b"\\\\" in text else quotes - text.count(b'\\"')


def refuse_repeats(
    value: Any, text: bytes | bytearray, name: str, line: int | None = None, *, of_records: bool = False
) -> None:
    """Raise where a key comes twice in an object: parsers keep one of them and say nothing.

    Args:
        value: what the text holds.
        of_records: of which only the keys and the documents are looked at.
    """
    quotes = _quotes(text)
    if quotes == 2 * _near_strings(value) or quotes == 2 * _all_strings(value):
        return
    import json

    with suppress(ValueError, RecursionError):  # what is more than this parser takes was read by the other
        whole = json.loads(bytes(text).decode("utf-8", "surrogatepass"), object_pairs_hook=_Object)
        for key, count in _repeated(whole, of_records):
            raise InputError(
                "'{key}' comes {n} times in one object: only one would count",
                name,
                line,
                key=truncated(key),
                n=count,
            )


class _Object(dict[str, Any]):
    """An object, and how often each of its keys comes."""

    def __init__(self, pairs: list[tuple[str, Any]]):
        super().__init__(pairs)
        self.times = Counter(key for key, _ in pairs)


def _repeated(value: Any, of_records: bool) -> Iterator[tuple[str, int]]:
    """The keys that come several times in an object, and how often."""
    if isinstance(value, _Object):
        yield from ((key, times) for key, times in value.times.items() if times > 1)
        inner = [each for key, each in value.items() if not of_records or names.folded(key) in _READ]
        of_records = False
    else:
        inner = value if isinstance(value, list) else []
    for each in inner:
        yield from _repeated(each, of_records)


def _near_strings(value: Any) -> int:
    """How many there are among the keys and values of an object or list, and among the keys or values of these."""
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    return (len(value) if type(value) is dict else 0) + sum(map(_strings, inner))


def _strings(value: Any) -> int:
    """How many there are among the keys of an object, or in a list; 1 for one."""
    if type(value) is dict:
        return len(value)
    return list(map(type, value)).count(str) if type(value) is list else type(value) is str


def _all_strings(value: Any) -> int:
    """How many there are, at any depth; each depth is gone through at once."""
    found, level = 0, [value]
    while level:
        objects = [each for each in level if type(each) is dict]
        lists = [each for each in level if type(each) is list]
        inner = list(chain(chain.from_iterable(map(dict.values, objects)), chain.from_iterable(lists)))
        kinds = list(map(type, inner))
        found += kinds.count(str) + sum(map(len, objects))
        level = inner if dict in kinds or list in kinds else []
    return found


def _lines(block: bytes, number: int) -> Iterator[tuple[int, memoryview]]:
    """The lines that are not blank, and their numbers; `bytes.split` looks byte after byte, and copies."""
    text, start = memoryview(block), 0
    while (end := block.find(b"\n", start)) >= 0:
        if not _BLANK.match(block, start):
            yield number, text[start:end]
        number, start = number + 1, end + 1


def _at_once(block: bytes) -> list[Any] | None:
    """The values of lines, read together, which is faster; None where one is blank or at fault."""
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
    """A query a line: {"query_id": …, "docs": […], "scores": […]}."""
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
    """A query a line: {"query_id": …, "relevant": {document: grade}}.

    With aspects {"query_id": …, "relevant": {document: {aspect: grade}}, "weights": {aspect: weight}}.
    """
    for number, (query, judged) in enumerate(qrels.to_dict().items()):
        record: dict[str, Any] = {"query_id": utf8(query), "relevant": graded(judged)}
        if qrels.aspects is not None:
            nested = qrels.by_aspect(number)
            record["relevant"] = {utf8(doc): graded(grades) for doc, grades in nested.items()}
            record["weights"] = graded(qrels.weights_of(number))
        file.write(dumped(record) + b"\n")


def graded(judged: dict[bytes, float]) -> dict[str, float]:
    """Documents and grades as JSON has them; whole grades without a point."""
    return {utf8(doc): int(grade) if _is_whole(grade) else grade for doc, grade in judged.items()}


def _is_whole(grade: float) -> bool:
    """Whether a grade is a whole number that every reader of JSON holds exactly."""
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
        message('an object a line: {"query_id": …, "docs": […]}, {"query_id": …, "relevant": […]}, or a row each'),
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
