"""JSON: {query: {document: score or grade}}, {query: [documents, best first]}, or a list of objects."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from truerank.errors import InputError, shown
from truerank.formats import jsonl
from truerank.formats.jsonl import dumped, graded, utf8
from truerank.formats.objects import mapping
from truerank.formats.records import parsed, qrels_of_records, run_parts
from truerank.formats.registry import Format, register
from truerank.formats.source import BLOCK, MARK, Source
from truerank.qrels import Qrels
from truerank.run import Batch, Ranked

_START = re.compile(rb'\s*(\{\s*["}]|\[\s*[{\]])')
_OPEN = re.compile(rb"\s*\{")
_NEXT = re.compile(rb'\s*,\s*(?="(?:[^"\\]|\\.)*"\s*:\s*[\[{])')
_NUMBER = re.compile(rb":\s*(-?\d[\d.eE+-]*)")
FALLING = 10


def sniff(head: bytes, name: str) -> float:
    """Brackets as JSON has them, unless it is JSON lines."""
    return 0.9 if _START.match(head) and not jsonl.sniff(head, name) else 0.0


def holds(source: Source) -> str | None:
    """Told by the keys of a list's objects, or by fractions that fall from document to document: those are scores."""
    if source.head.lstrip().startswith(b"["):
        return jsonl.holds(source)
    numbers = [float(number) for number in _NUMBER.findall(source.head.split(b"}", 1)[0])]
    falling = len(numbers) >= FALLING and all(a > b for a, b in itertools.pairwise(numbers))
    return "run" if falling and any(number % 1 for number in numbers) else None


def read_run(source: Source) -> Iterator[Batch]:
    """Some queries at a time; a list all at once."""
    if source.head.lstrip().startswith(b"["):
        yield from run_parts(_listed(source), source.name)
    else:
        for part in _objects(source):
            yield from mapping(part, source.name)


def read_qrels(source: Source) -> Qrels:
    """All judgements."""
    if source.head.lstrip().startswith(b"["):
        return qrels_of_records(_listed(source), source.name)
    return Qrels.from_dict(parsed(source.read().removeprefix(MARK), source.name), source.name)


def _listed(source: Source) -> Iterator[tuple[None, Any]]:
    return ((None, record) for record in parsed(source.read().removeprefix(MARK), source.name))


# --- a large object in parts --------------------------------------------------------------------------


def _objects(source: Source) -> Iterator[dict[str, Any]]:
    """The object as several that hold some queries each."""
    text, line = bytearray(), 1
    for chunk in source.chunks():
        text += chunk if text or line > 1 else _OPEN.sub(b"", chunk.removeprefix(MARK), count=1)
        if len(text) >= BLOCK and (found := _part(text)):
            part, rest = found
            yield part
            line += text.count(b"\n", 0, rest)
            del text[:rest]
    yield parsed(b"{" + text, source.name, line)


def _part(text: bytearray) -> tuple[dict[str, Any], int] | None:
    """What stands before the last place where a query ends and the next begins, and where that one begins.

    Such a place is looked for by its punctuation. An id may hold the same; what is cut there is no JSON.
    """
    end = len(text)
    for _ in range(FALLING):
        end = max(text.rfind(b"}", 0, end), text.rfind(b"]", 0, end))
        if end < 0:
            return None
        following = _NEXT.match(text, end + 1)
        if following:
            try:
                return parsed(b"{" + text[: end + 1] + b"}", ""), following.end()
            except InputError:
                continue
    return None
