"""Opening qrels and runs so that they can be read tolerantly, as text where they are text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from truerank.analysis.lint.checks import Answer, Judgements
from truerank.analysis.lint.findings import Log, Numbering
from truerank.analysis.lint.reading import (
    answers_from_batches,
    answers_from_text,
    batch_lines,
    judgements_from_text,
    judgements_of,
)
from truerank.analysis.lint.text import QRELS, RUN, note_swapped
from truerank.core.errors import InputError
from truerank.core.kernel.rows import Rows
from truerank.core.qrels import Qrels
from truerank.core.reading import loaded
from truerank.core.run import Batch, Run
from truerank.core.scan import each_once
from truerank.formats import Format, open_run, read_qrels
from truerank.formats.registry import named, sniffed
from truerank.formats.source import Source, as_source

LINED = ("csv", "tsv", "beir", "msmarco", "jsonl")
"""Formats whose readers know the line of each judgement."""

Watching = Callable[[int], None]
"""Is told how many bytes more were read."""


@dataclass(frozen=True)
class Truth:
    """Qrels that can be read: `judgements` yields them, faults go to the log; `read` does as other commands do."""

    name: str
    numbering: Numbering
    judgements: Callable[[Log], Iterator[Judgements]]
    read: Callable[[], Qrels]


@dataclass(frozen=True)
class System:
    """A run that can be read, more than once: `stretches` yields answers, faults go to the log."""

    name: str
    numbering: Numbering
    stretches: Callable[[Log], Iterator[Answer | Rows]]


def open_truth(qrels: Any, format: str | None, watch: Watching) -> Truth:
    """Qrels of any kind."""
    if not isinstance(qrels, str | os.PathLike):
        known = read_qrels(qrels)
        numbering: Numbering = "line" if known is qrels else "row"
        return Truth(known.name, numbering, lambda log: judgements_of(known), lambda: known)
    source = as_source(qrels)
    chosen, name = _format(source, format), source.name
    # a folder's reading says why it is none; several readings are held to the same judgements
    read = cache(partial(read_qrels, source, format if chosen.is_folder else chosen.name))
    if chosen.name == "trec":
        return Truth(name, "line", lambda log: judgements_from_text(_told(source.chunks(), watch), log), read)
    if chosen.holds(source) == "run" and not chosen.is_folder:
        return Truth(name, "line", lambda log: note_swapped(QRELS, log), read)
    numbering = "line" if chosen.name in LINED else "row"
    return Truth(name, numbering, lambda log: judgements_of(read()), read)


def read_before(run: Any, format: str | None) -> Any:
    """The `Reading` that a file holds in place of a run; anything else as it is."""
    if isinstance(run, str | os.PathLike):
        source = as_source(run)
        run = open_run(source, format) if _format(source, format).read_saved else source
    return loaded(run) if isinstance(run, Run) else run


def open_system(run: Any, format: str | None, name: str, watch: Watching, by_line: bool) -> System:
    """A run of any kind; `name` is for those that have none; `by_line`: a query's second line is one more."""
    if not isinstance(run, str | os.PathLike):
        return _system(open_run(run, name=name), watch, by_line)
    source = as_source(run)
    chosen = _format(source, format)
    if chosen.name == "trec":
        return _system(Run(source.name, source.chunks), watch, by_line)
    if chosen.holds(source) == "qrels":
        return System(source.name, "line", lambda log: note_swapped(RUN, log))
    return _system(open_run(run, format or chosen.name), watch, by_line)


def _system(run: Run, watch: Watching, by_line: bool) -> System:
    run = run.whole()
    try:
        first: Batch | None = next(iter(run.batches()), None)
    except InputError:  # a finding, when it comes up again
        first = None
    if isinstance(first, bytes):
        return System(run.name, "line", lambda log: answers_from_text(_told(run.batches(), watch), log))
    numbering: Numbering = "row" if batch_lines(first) is None else "line"
    once = (lambda batches, name: batches) if by_line else each_once
    return System(run.name, numbering, lambda log: answers_from_batches(once(run.batches(), run.name), log))


def _format(source: Source, name: str | None) -> Format:
    """The format that is named or sniffed; TREC's for text with a control character, which others refuse."""
    if source.is_folder:
        return named(name) if name else sniffed(source)
    odd = source.head.translate(None, bytes(range(9, 14)) + bytes(range(32, 256)))
    if b"\0" in odd and b"\n" in source.head and len(odd) * 100 < len(source.head):
        name = name or "trec"
    return named(name) if name else sniffed(source)


def _told(chunks: Iterable[Any], watch: Watching) -> Iterator[Any]:
    for chunk in chunks:
        watch(len(chunk))
        yield chunk
