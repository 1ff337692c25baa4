"""Keys that come twice in a JSON object, of which parsers silently keep one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from truerank.core.errors import InputError, truncated
from truerank.formats import names

FEW = 8
"""As many letters are looked for one by one."""

_READ = {
    *(*names.QUERY, *names.ANSWERS, *names.RESPONSES, names.CONTEXTS, *names.RELEVANT, *names.WEIGHTS),
    names.NUGGETS,
}
"""Keys of records under which objects may be read; those under others are what is known of one."""


def may_repeat(records: list[Any], text: bytes | bytearray) -> bool:
    """Whether the text may have more keys than the records, and the objects in them, have after parsing."""
    if set(map(type, records)) != {dict}:
        return False
    kept = sum(map(len, records))
    if not _has_more(text, b":", kept):  # one after each key, so that none comes twice
        return False
    if _has_more(text, b"{", len(records)) and any(map(_holds_objects, records)):
        return _quotes(text) != 2 * _all_strings(records)
    if not any(odd in text for odd in _ODD):
        return text.count(b'":') != kept
    return _quotes(text) != 2 * sum(map(_near_strings, records))


_ODD = (b'\\"', b" :", b"\t:", b"\n:", b"\r:")
"""Where one is in a text, a key may end otherwise than in ":, or a string hold that."""


def _holds_objects(record: dict[str, Any]) -> bool:
    """Whether there are objects among the values of a record, or in its lists."""
    return any(
        type(value) is dict or (type(value) is list and not {dict, list}.isdisjoint(map(type, value)))
        for value in record.values()
    )


def _has_more(text: bytes | bytearray, letter: bytes, n: int) -> bool:
    """Whether a letter comes more than n times: searching for the few in a long line is faster than counting."""
    if n > FEW:
        return _count(text, letter) > n
    place = -1
    return all((place := text.find(letter, place + 1)) >= 0 for _ in range(n + 1))


def _count(text: bytes | bytearray, letter: bytes) -> int:
    """How often a letter occurs; `bytes.count` takes three times as long where it occurs often."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == letter[0]))


def _quotes(text: bytes | bytearray) -> int:
    """How many quotation marks are around strings; with doubled backslashes also those within strings."""
    quotes = _count(text, b'"')
    return quotes if b"\\" not in text or b"\\\\" in text else quotes - text.count(b'\\"')


def refuse_repeats(
    value: Any, text: bytes | bytearray, name: str, line: int | None = None, *, of_records: bool = False
) -> None:
    """Raise where a key comes twice in an object: parsers silently keep one.

    Args:
        value: the parsed text.
        of_records: whether it holds records, of which only the keys and the documents are checked.
    """
    quotes = _quotes(text)
    if quotes == 2 * _near_strings(value) or quotes == 2 * _all_strings(value):
        return
    import json

    with suppress(ValueError, RecursionError):  # too deep or large for this parser; the other one has read it
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
    """How many strings are keys or values of an object or list, or of those directly in it."""
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    return (len(value) if type(value) is dict else 0) + sum(map(_strings, inner))


def _strings(value: Any) -> int:
    """How many strings are the keys of an object or stand in a list; 1 for a string itself."""
    if type(value) is dict:
        return len(value)
    return list(map(type, value)).count(str) if type(value) is list else type(value) is str


def _all_strings(value: Any) -> int:
    """How many strings there are at any depth, counted level by level."""
    found, level = 0, [value]
    while level:
        objects = [each for each in level if type(each) is dict]
        lists = [each for each in level if type(each) is list]
        inner = list(chain(chain.from_iterable(map(dict.values, objects)), chain.from_iterable(lists)))
        kinds = list(map(type, inner))
        found += kinds.count(str) + sum(map(len, objects))
        level = inner if dict in kinds or list in kinds else []
    return found
