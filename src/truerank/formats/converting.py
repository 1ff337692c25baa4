"""From one format to another, a part at a time."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.faults import Interleaved
from truerank.core.messages import message, plural
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import CHOICES
from truerank.core.run import Progress, Ranked, Run, unreported
from truerank.core.scan import each_once
from truerank.formats.compression import unpacked_name
from truerank.formats.opening import open_run, read_qrels
from truerank.formats.registry import SPOKEN, Format, formats, named, sniffed
from truerank.formats.registry import chosen as reader_of
from truerank.formats.rows import refuse_empty
from truerank.formats.source import Source, local, watching_bytes
from truerank.formats.target import is_same_file, open_descriptor, refuse_unwritten, writing

PLAIN = (".run", ".qrels", ".qrel", ".txt", ".trec", ".res", ".results", ".out", ".test", ".dat", ".data")
"""Endings that TREC's format goes by."""

TREC_NAME = re.compile(r"(run|qrels|input|results)\.[^.]+\Z")
"""Names whose ending says whose file it is, as TREC's own do: run.bm25, qrels.robust04."""


def convert(
    source: Any,
    target: str | os.PathLike[str],
    what: str | None = None,
    to: str | None = None,
    format: str | None = None,
    progress: Progress = unreported,
    iteration: str = "ignore",
    weights: Any = None,
    collapse: Callable[[Run], Run] | None = None,
) -> int:
    """Write a run or judgements in another format.

    Returns:
        How many queries without documents were left out, where the format cannot hold them.

    A run comes out in its own order, with scores to the last bit; judgements come out sorted by query. Nothing is
    left half-written. Ids that the format cannot hold are refused.

    Args:
        source: whatever `read_qrels` or `open_run` takes.
        target: a path (compressed when it ends in .gz, .zst, .bz2 or .xz), "-" for standard output, or a URL.
        what: "run" or "qrels"; by default what the source holds, or its name or the target's say.
        to: the name of a format; by default the one that the target's ending suggests: trec for a name without
            an ending, and for .run, .txt and the like.
        format: the format of the source; by default the one that it looks like.
        progress: called with how many bytes of a file were read, and of how many.
        iteration: what the second column of TREC qrels is, as in the rules: "ignore" keeps it in TREC's format
            alone, "aspect" takes it for the aspects of queries.
        weights: of aspects: {query: {aspect: weight}}, or a file of them, such as qrels with aspects as documents.
        collapse: turns the run that is read into the one that is written, as `truerank.collapse` does for chunks.
    """
    name = os.fspath(target)
    if isinstance(source, str | os.PathLike) and is_same_file(os.fspath(source), name):
        raise InputError("this is what is read: write to another file", name)
    origin = _origin(source, progress) if isinstance(source, str | os.PathLike) else None
    what = what or _what(origin, name, format)
    if what not in SPOKEN:
        raise InputError("what is converted is 'run' or 'qrels', not {what}", what=quoted(what))
    refuse_unwritten(name)
    chosen = named(to) if to else _suggested(name, what)
    write = _writer(chosen, what)
    if write is None:
        raise InputError(
            "{what} cannot be written in the format {format}; {able} can (--to trec)",
            name,
            what=SPOKEN[what],
            format=chosen.name,
            able=_able(lambda f: _writer(f, what)),
        )
    if what == "qrels":
        if collapse:
            raise InputError("judgements are not collapsed, runs are", origin.name if origin else None)
        qrels = _with_aspects(read_qrels(origin or source, format), chosen, iteration, weights)
        _refuse_ignored(qrels, chosen)
        _refuse_aspects(qrels, chosen)
        for query, judged in qrels.by_query():
            refuse_empty(query, judged, qrels.name)
        with writing(target) as file:
            write(qrels, file)
        return 0 if chosen.holds_empty else int(np.count_nonzero(np.diff(qrels.start) == 0))
    if iteration != "ignore" or weights is not None:
        raise InputError("a run has no aspects: iteration and weights are for judgements", name)
    run = open_run(origin or source, format)
    run = collapse(run) if collapse else run
    try:
        return _write(chosen, run, target, _tag(origin, format))
    except Interleaved:
        return _write(chosen, run.whole(), target, _tag(origin, format))


def _write(chosen: Format, run: Run, target: str | os.PathLike[str], tag: str) -> int:
    """Write a run; return how many queries without documents were left out, as the format cannot hold them.

    Rows may be refused late, and what is on standard output cannot be taken back.
    """
    from shutil import copyfileobj  # not needed at every start
    from tempfile import TemporaryFile

    name = os.fspath(target)
    is_held = run.together is not None and (name == "-" or open_descriptor(name) is not None)
    with writing(target) as file, TemporaryFile() if is_held else nullcontext(file) as held:
        parts = sound(run)
        assert chosen.write_run is not None
        empty: list[Ranked] = []
        kept = parts if chosen.holds_empty else _ending_in_documents(parts, chosen, run.name, empty)
        chosen.write_run(kept, held, tag)
        if held is not file:
            held.seek(0)
            copyfileobj(held, file)
    return len(empty)


def _ending_in_documents(
    parts: Iterator[Ranked], chosen: Format, name: str, empty: list[Ranked]
) -> Iterator[Ranked]:
    """The rankings, if the last call of each query has a row; empty calls before it are known by their numbers.

    Args:
        empty: rankings without documents are added to this list.
    """
    for query, group in groupby(parts, key=attrgetter("query")):
        calls = list(group)
        last = max(calls, key=lambda part: part.call or 0)
        if last.call is not None and not last.docs:
            raise InputError(
                "the last call of query {query}, call {call}, returned nothing, which {format} cannot say; {able} "
                "can (--to jsonl)",
                name,
                last.line,
                query=truncated(query),
                call=last.call,
                format=chosen.name,
                able=_able(lambda f: f.holds_empty),
            )
        empty += [last] if not last.docs else []
        yield from calls


def _writer(format: Format, what: str) -> Callable[..., None] | None:
    """The function that writes a run or qrels in a format; None where the format can only be read."""
    writer: Callable[..., None] | None = getattr(format, f"write_{what}")
    return writer


def _able(holds: Callable[[Format], object]) -> str:
    """The names of the formats that hold something."""
    return ", ".join(f.name for f in formats().values() if holds(f))


def _with_aspects(qrels: Qrels, chosen: Format, iteration: str, weights: Any) -> Qrels:
    """The judgements with the aspects and weights that are asked for."""
    if iteration not in CHOICES["iteration"]:
        raise InputError("iteration is 'ignore' or 'aspect', not {iteration}", iteration=quoted(iteration))
    if qrels.aspects is None and qrels.second is not None and iteration == "aspect":
        qrels = qrels.of_one_aspect()
    if qrels.aspects is not None and iteration == "aspect":
        qrels = replace(qrels, aspects=replace(qrels.aspects, is_named=True))
    if chosen.name != "trec":
        qrels = qrels.without_aspects()
    if weights is None:
        return qrels
    from truerank.formats.weights import weighted  # rarely needed

    return weighted(qrels, weights)


def _refuse_aspects(qrels: Qrels, chosen: Format) -> None:
    if qrels.aspects is None:
        return
    if not chosen.holds_aspects:
        raise InputError(
            "the judgements have aspects, which {format} cannot say; {able} can (--to jsonl)",
            format=chosen.name,
            able=_able(lambda f: f.holds_aspects),
        )
    if chosen.holds_aspects != "weights" and (qrels.aspects.weight != 1).any():
        raise InputError(
            "the aspects have weights, which {format} cannot say; {able} can (--to jsonl)",
            format=chosen.name,
            able=_able(lambda f: f.holds_aspects == "weights"),
        )


def _refuse_ignored(qrels: Qrels, chosen: Format) -> None:
    if qrels.apart:
        raise InputError(
            "a reading under self_match = 'remove-from-answers' has these judgements, which {format} cannot say: "
            "convert the qrels that it was made with",
            qrels.name,
            format=chosen.name,
        )
    ignored = int(np.isnan(qrels.grades).sum())
    if ignored and not chosen.holds_ignored:
        raise InputError(
            plural(
                "{n:,} pair is ignored, which {format} cannot say; {able} can (--to {able})",
                "{n:,} pairs are ignored, which {format} cannot say; {able} can (--to {able})",
                n=ignored,
                format=chosen.name,
                able=_able(lambda f: f.holds_ignored),
            )
        )


def _origin(source: str | os.PathLike[str], progress: Progress) -> Source:
    """The source to read; an opened one is kept, so that a pipe is read once."""
    if isinstance(source, Source):
        return source
    return Source(local(os.fspath(source)), watch=watching_bytes(progress, source))


def _what(source: Source | None, target: str, format: str | None) -> str:
    """Whether a source holds a "run" or "qrels"; where it may be either, an ending or a word in a name decides."""
    if source is not None:
        held = (named(format) if format else sniffed(source)).holds(source)
        for name in (target, source.name):
            words = re.split(r"[^a-z]+", os.path.basename(name.rstrip("/")).lower())
            held = held or next((what for what in ("qrels", "run") if what in words), None)
        if held:
            return held
    why = message("this may be a run or qrels: say which (--as run, --as qrels)")
    raise InputError(why, source.name if source else None)


def by_ending(name: str) -> Format | None:
    """The format to which the ending of a file's name belongs."""
    plain = unpacked_name(name).lower()
    return next((f for f in formats().values() if f.suffixes and plain.endswith(f.suffixes)), None)


def _suggested(name: str, what: str) -> Format:
    fitting, plain = by_ending(name), unpacked_name(name).lower()
    ending = re.search(r"[^./\\](\.[a-z][\w-]*)\Z", plain)
    if fitting or not ending or ending[1] in PLAIN or TREC_NAME.match(os.path.basename(plain)):
        return fitting or named("trec")
    written = [f for f in formats().values() if _writer(f, what)]
    known = dict.fromkeys([".run", *(suffix for f in written for suffix in f.suffixes)])
    raise InputError(
        "no format ends in {ending}: say which (--to trec), or end it in {known}",
        name,
        ending=ending[1],
        known=", ".join(known),
    )


def _tag(source: Source | None, format: str | None) -> str:
    """The tag for TREC's last column: as in the source, or the source's name."""
    if source is None or source.name == "-":
        return "truerank"
    lines = source.head.split(b"\n") if reader_of(source, "run", format).name == "trec" else []
    fields = next((line.split() for line in lines if line.strip() and not line.startswith(b"#")), [])
    if len(fields) == 6:
        return fields[5].decode("utf-8", "surrogateescape")
    return "".join(os.path.basename(source.name.rstrip("/")).split(".", 1)[0].split()) or "truerank"


def sound(run: Run) -> Iterator[Ranked]:
    """The rankings of a run, if every id and every score can be written."""
    for part in rankings(each_once(run.batches(), run.name), run.name):
        scores = part.numbers()
        refuse_empty(part.query, part.docs, run.name, part.line)
        if not math.isfinite(sum(scores)):
            _refuse(part, scores, run.name)
        yield part


def _refuse(part: Ranked, scores: list[float], name: str) -> None:
    for doc, score in zip(part.docs, scores, strict=True):
        if not math.isfinite(score):
            raise InputError(
                "document {doc} of query {query} has the score {score}, which is not finite",
                name,
                part.line,
                doc=truncated(doc),
                query=truncated(part.query),
                score=score,
            )
