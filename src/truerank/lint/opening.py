"""Opening qrels and runs so that they can be read tolerantly, as text where they are text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from truerank.errors import InputError
from truerank.formats import open_run, read_qrels
from truerank.formats.registry import sniffed
from truerank.formats.source import Source
from truerank.lint.checks import Answer, Judgement
from truerank.lint.findings import Log
from truerank.lint.reading import (
    answers_from_batches,
    answers_from_text,
    batch_lines,
    judgements_from_dict,
    judgements_from_text,
)
from truerank.run import Run

Watching = Callable[[int], None]
"""Is told how many bytes more were read."""


@dataclass(frozen=True)
class Truth:
    """Qrels that can be read: `rows` yields the judgements, faults go to the log."""

    name: str
    numbering: str
    rows: Callable[[Log], Iterator[Judgement]]


@dataclass(frozen=True)
class System:
    """A run that can be read, more than once: `stretches` yields answers, faults go to the log."""

    name: str
    numbering: str
    stretches: Callable[[Log], Iterator[Answer]]


def open_truth(qrels: Any, format: str | None, watch: Watching) -> Truth:
    """Qrels of any kind."""
    if not isinstance(qrels, str | os.PathLike):
        read = read_qrels(qrels)
        return Truth(read.name, "row", lambda log: judgements_from_dict(read.to_dict()))
    source = Source(os.fspath(qrels))
    format = format or _rough_format(source) or sniffed(source, "qrels").name
    if format == "trec":
        return Truth(source.name, "line", lambda log: judgements_from_text(_told(source.chunks(), watch), log))
    return Truth(source.name, "row", lambda log: judgements_from_dict(read_qrels(qrels, format).to_dict()))


def open_system(run: Any, format: str | None, name: str, watch: Watching) -> System:
    """A run of any kind; `name` is for those that have none."""
    if isinstance(run, str | os.PathLike):
        run = open_run(run, format or _rough_format(Source(os.fspath(run))))
    opened: Run = open_run(run, name=name)
    try:
        first = next(iter(opened.batches()), None)
    except InputError:  # a finding, when it comes up again
        first = None
    if isinstance(first, bytes):
        return System(opened.name, "line", lambda log: answers_from_text(_told(opened.batches(), watch), log))
    numbering = "row" if batch_lines(first) is None else "line"
    return System(opened.name, numbering, lambda log: answers_from_batches(opened.batches(), log))


def _rough_format(source: Source) -> str | None:
    """TREC, when this is text but for a few control characters, for which formats take it to be binary."""
    odd = source.head.translate(None, bytes(range(9, 14)) + bytes(range(32, 256)))
    return "trec" if b"\0" in odd and b"\n" in source.head and len(odd) * 100 < len(source.head) else None


def _told(chunks: Iterable[Any], watch: Watching) -> Iterator[Any]:
    for chunk in chunks:
        watch(len(chunk))
        yield chunk
