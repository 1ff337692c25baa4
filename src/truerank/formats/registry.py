"""What formats there are. A format is a name, a sniffer, and any of read_run, read_qrels, write_run, write_qrels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from truerank.errors import InputError, did_you_mean
from truerank.formats.source import Source
from truerank.qrels import Qrels
from truerank.run import Batch, Ranked


@dataclass(frozen=True)
class Format:
    """A way to write judgements or answers down.

    Attributes:
        name: what --format-in and --to call it.
        meaning: one line about it.
        sniff: from the first bytes and the file's name, how sure: 0 (no) to 1 (certain).
        suffixes: file endings that suggest it when writing.
        read_run: opens the source and yields the parts of a run.
        read_qrels: opens the source and returns judgements.
        write_run, write_qrels: write to a binary file.
    """

    name: str
    meaning: str
    sniff: Callable[[bytes, str], float]
    suffixes: tuple[str, ...] = ()
    read_run: Callable[[Source], Iterator[Batch]] | None = None
    read_qrels: Callable[[Source], Qrels] | None = None
    write_run: Callable[[Iterable[Ranked], BinaryIO, str], None] | None = None
    write_qrels: Callable[[Qrels, BinaryIO], None] | None = None


_formats: dict[str, Format] = {}


def register(format: Format) -> Format:
    """Add a format."""
    _formats[format.name] = format
    return format


def formats() -> dict[str, Format]:
    """All formats by name."""
    return dict(_formats)


def named(name: str) -> Format:
    """The format with this name."""
    if name not in _formats:
        raise InputError(f"there is no format {name!r}.{did_you_mean(name, _formats)} Formats: {', '.join(_formats)}")
    return _formats[name]


def sniffed(source: Source, what: str) -> Format:
    """The format that a source most looks like; `what` is "run" or "qrels"."""
    head = source.head()
    if not head:
        raise InputError(f"the file is empty; a {what} has at least one line", source.name)
    able = [f for f in _formats.values() if getattr(f, f"read_{what}") is not None]
    best = max(able, key=lambda f: f.sniff(head, source.name))
    if best.sniff(head, source.name) <= 0:
        raise InputError(f"this is no {what} in any known format; `truerank formats` lists them", source.name)
    return best
