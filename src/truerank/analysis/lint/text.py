"""TREC text, read tolerantly: every line is looked at, faults go to the log, and the good rows come out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from truerank.analysis.lint.findings import Log, printed
from truerank.core.faults import QRELS_COLUMNS, RUN_COLUMNS, of_width
from truerank.core.kernel.names import line_ends
from truerank.core.messages import Message, message

RUN, QRELS = 6, 4
"""How many columns a line has."""

COLUMNS = {RUN: RUN_COLUMNS, QRELS: QRELS_COLUMNS}

LONGEST = 1 << 20

HEADER_WORDS = frozenset(
    b"query query_id query-id queryid qid q_id topic topic_id topicid doc doc_id doc-id docid docno document "
    b"pid did corpus-id corpus_id passage_id item_id iter iteration rank score sim similarity rel relevance "
    b"grade label tag run run_id runid run_tag system".split()
)

_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_ORDINARY = bytes(byte for byte in range(256) if byte > 31 or byte in b"\t\n")


def columns(
    chunks: Iterable[bytes], width: int, log: Log, plain: Callable[[bytes, int], Any] = lambda text, number: None
) -> Iterator[Any]:
    """The columns of many lines at a time, of those that have as many as they should, and last the line numbers.

    Args:
        plain: makes what is wanted of lines without any fault, which are then not looked at here; None of others.
    """
    begun = False
    for number, text in _blocks(chunks, log):
        if (rows := plain(text, number)) is not None:
            begun = True
            yield rows
            continue
        lines = _readable(text, number, log)
        if not begun and any(map(bytes.strip, lines)):
            begun = True
            _blank_header(lines, number, log)
            if _swapped(lines, width, log):
                return
        if found := _split(lines, number, width) or _split_each(lines, number, width, log):
            yield found


def _split(lines: list[bytes], number: int, width: int) -> list[Sequence[Any]] | None:
    """The columns, cut all at once, which is far faster; None where not every line has as many as it should."""
    cells, ends = b" \0 ".join(lines).split(), slice(width, None, width + 1)  # no line holds a NUL byte any more
    if len(cells) != len(lines) * (width + 1) - 1 or cells[ends].count(b"\0") != len(lines) - 1:
        return None
    return [*(cells[i :: width + 1] for i in range(width)), range(number, number + len(lines))]


def _split_each(lines: list[bytes], number: int, width: int, log: Log) -> list[Sequence[Any]]:
    rows: list[list[Any]] = []
    for n, line in enumerate(lines, number):
        fields: list[Any] = line.split()
        if len(fields) == width:
            rows.append([*fields, n])
        elif fields:
            log.add("error", "columns", n, _wrong_columns, width, len(fields))
    return list(zip(*rows, strict=True))


def _wrong_columns(width: int, n: int) -> Message:
    return of_width(COLUMNS[width], n)


def _blocks(chunks: Iterable[bytes], log: Log) -> Iterator[tuple[int, bytes]]:
    """Whole lines, many at a time, with the number of the first."""
    number, rest, begun = 1, b"", False
    for chunk in chunks:
        if not begun and chunk.startswith(_BOM):
            chunk = chunk.removeprefix(_BOM)
            log.add("warning", "bom", 1, _marked)
        begun = True
        end = chunk.rfind(b"\n") + 1
        if not end:
            rest = (rest + chunk)[: LONGEST + 1]  # of a longer line nothing more is needed than that it is too long
            continue
        text = b"".join([rest, memoryview(chunk)[:end]])
        yield number, text
        number += line_ends(text)
        rest = chunk[end : end + LONGEST + 1]
    if rest:
        yield number, rest + b"\n"


def _marked() -> Message:
    return message("a byte order mark comes first; others take it for part of an id")


def _readable(text: bytes, number: int, log: Log) -> list[bytes]:
    """The lines; comments, and what no parser would read, are made empty. Looks at each only if it must."""
    *lines, _ = text.split(b"\n")
    odd = text.translate(None, _ORDINARY)
    comments = b"#" in text and (text.startswith(b"#") or b"\n#" in text)
    if not odd and not comments and len(text) <= LONGEST:
        return lines
    return [_readable_line(line, n, log) for n, line in enumerate(lines, number)]


def _readable_line(line: bytes, n: int, log: Log) -> bytes:
    if line.startswith(b"#"):
        return b""
    if len(line) > LONGEST:
        log.add("error", "long-line", n, _too_long)
        return b""
    if line.endswith(b"\r"):
        log.add("note", "crlf", n, _ends_as_windows)
        line = line[:-1]
    if control := _CONTROL.search(line):
        column = len(line[: control.end()].split())
        log.add("error", "control-character", n, _controlled, column, control[0])
        return b""
    return line


def _too_long() -> Message:
    return message("this line is longer than 1 MiB: the file is in another format")


def _ends_as_windows() -> Message:
    return message("the line ends as Windows writes it, in CR LF; it is read as if in LF")


def _controlled(column: int, sign: bytes) -> Message:
    return message("column {column:,} holds the control character {sign}", column=column, sign=printed(sign))


def _swapped(lines: list[bytes], width: int, log: Log) -> bool:
    """Whether the file holds the other kind of lines."""
    other = QRELS if width == RUN else RUN
    if {len(fields) for line in lines if (fields := line.split())} != {other}:
        return False
    list(note_swapped(width, log))
    return True


def note_swapped(wanted: int, log: Log) -> Iterator[Any]:
    """Say that the file holds the other thing; nothing is read from it."""
    run = message("this should be a run, but looks like qrels: are the two files swapped?")
    qrels = message("this should be qrels, but looks like a run: are the two files swapped?")
    log.once("error", "swapped", run if wanted == RUN else qrels, 1)
    return iter(())


def _blank_header(lines: list[bytes], number: int, log: Log) -> None:
    """Empty the first line if it names the columns."""
    first = next(i for i, line in enumerate(lines) if line.strip())
    words = lines[first].lower().split()
    if sum(word in HEADER_WORDS for word in words) >= 2 and not any(map(is_number, words)):
        log.add("error", "header", number + first, _names_columns, lines[first])
        lines[first] = b""


def _names_columns(line: bytes) -> Message:
    columns = printed(b" ".join(line.split()))
    return message(
        "this line looks like a header ({columns}), which would be read as data; remove it", columns=columns
    )


def is_number(text: bytes) -> bool:
    """Whether this reads as a number, finite or not."""
    try:
        float(text)
    except ValueError:
        return False
    return b"_" not in text  # which Python allows between digits
