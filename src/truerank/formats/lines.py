"""Lines of a text, and texts that are JSON or JSON lines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from truerank.core.errors import InputError
from truerank.formats.records import parsed


def numbered_lines(text: bytes) -> list[tuple[int, bytes]]:
    """The lines that are not blank, each with its number."""
    return [(number, line) for number, line in enumerate(text.split(b"\n"), 1) if line.strip()]


def json_or_lines(text: bytes, name: str) -> Any:
    """The value of a JSON text, or the values of JSON lines as a list.

    >>> json_or_lines(b'{"id": 1}', ""), json_or_lines(b'{"id": 1}\\n{"id": 2}', "")
    ({'id': 1}, [{'id': 1}, {'id': 2}])
    """
    try:
        return parsed(text, name)
    except InputError as fault:
        lines = numbered_lines(text)
        if len(lines) < 2 or not lines[0][1].rstrip().endswith((b"}", b'"')):
            raise fault from None
        return [parsed(line, name, number) for number, line in lines]


def text_lines(text: str) -> Iterator[str]:
    """The lines of a text without their ends; `str.splitlines` would also end one within, at U+2028 or U+0085.

    >>> list(text_lines("one\\u2028line\\r\\nanother\\n"))
    ['one\\u2028line', 'another']
    """
    return (line.removesuffix("\n") for line in io.StringIO(text, newline=None))
