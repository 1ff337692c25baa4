"""Spans of source documents: where a chunk or a piece of evidence begins and ends."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import Message, message
from truerank.core.rankings import rankings, with_lines
from truerank.core.run import Run
from truerank.formats import names, open_run
from truerank.formats.frames import is_frame
from truerank.formats.registry import sniffed
from truerank.formats.source import as_source
from truerank.truth.chunks import compiled
from truerank.truth.items import Ints
from truerank.truth.nested import Listing, columns, expanded
from truerank.truth.tabular import Table, from_frame, read_table
from truerank.truth.values import number

DIGITS = 18
"""So many a number has at most."""

ROLES: dict[str, tuple[Sequence[str], Message]] = {
    "query": (names.QUERY, message("the queries; name it query_id")),
    "id": (names.CHUNK, message("the ids of chunks; name it chunk_id")),
    "doc": (names.SOURCE, message("the documents; name it doc_id")),
    "start": (names.START, message("where spans begin; name it start (characters), or page")),
    "end": (names.END, message("where spans end; name it end")),
    "page": (names.PAGE, message("the pages; name it page")),
    "last_page": (names.LAST_PAGE, message("the last pages; name it page_end")),
    "text": (names.CHUNK_TEXT, message("the texts; name it text")),
}


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans, a row each.

    Attributes:
        name: where they came from.
        doc: (spans,) the source document.
        start, end: (spans,) from the character start up to, and without, end; pages likewise: page 3 is 3 to 4.
        query: (spans,) the query; None where they are of no query.
        ids: (spans,) the chunk's id; None where they have none.
        unit: "characters" or "pages".
        lines: (spans,) the line of each in its file; None where there is none.
        is_run: whether these are what a run returned, and not all chunks that there are.
        lacking: queries that have no span.
    """

    name: str
    doc: Sequence[bytes] = field(repr=False)
    start: Ints
    end: Ints
    query: Sequence[bytes] | None = field(default=None, repr=False)
    ids: Sequence[bytes] | None = field(default=None, repr=False)
    unit: str = "characters"
    lines: Sequence[int | None] | None = field(default=None, repr=False)
    is_run: bool = False
    lacking: Sequence[bytes] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for row in np.flatnonzero((self.start < 0) | (self.end <= self.start))[:1].tolist():
            start, end, last = int(self.start[row]), int(self.end[row]), int(self.end[row]) - 1
            at = {"doc": truncated(self.doc[row]), "start": start}
            ends = message("the span of {doc} ends ({end}) where it begins ({start}), or before", end=end, **at)
            pages = message("the span of {doc} ends (page {end}) before it begins (page {start})", end=last, **at)
            below = message("the span of {doc} begins at {start}: the first character is 0", **at)
            raise self.error(row, below if start < 0 else pages if self.unit == "pages" else ends)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.doc)

    def error(self, row: int, said: Message) -> InputError:
        """What is wrong with a span, with its line."""
        return InputError(said, self.name, None if self.lines is None else self.lines[row])


def read_spans(source: Any, name: str | None = None, *, pattern: str | None = None, **keys: str) -> Spans:
    r"""Spans from wherever they are kept.

    Args:
        source: a table (JSON lines, JSON, CSV, TSV, Parquet), a DataFrame or a list of dicts with one row per span:
            doc_id, start and end in characters (or the text in place of the end), or page and page_end; with
            query_id for evidence, chunk_id for chunks; a row may have a list of spans. Or a run, or a list of ids,
            whose ids hold all by `pattern`.
        name: what to call them in messages; the path by default.
        pattern: a regular expression with the groups doc, start and end (or page), or these in this order.
        keys: what a column is called where it is not found by itself, e.g. doc="metadata.source".

    Raises:
        InputError: no spans, no such column, or a span that ends before it begins, with its line.

    >>> read_spans([{"chunk_id": "a-1", "doc_id": "a", "start": 0, "end": 500}]).end.tolist()
    [500]
    >>> read_spans({"q": ["a:0-500"]}, pattern=r"(.+):(\d+)-(\d+)").doc
    [b'a']
    """
    if isinstance(source, Spans):
        return source
    is_path = isinstance(source, str | os.PathLike)
    called = name or (os.fspath(source) if is_path else "spans")
    if isinstance(source, Run | Mapping) or (is_path and _is_run(source, pattern is not None)):
        return _of_run(open_run(source, name=None if is_path else called), pattern)
    if isinstance(source, list | tuple) and source and all(isinstance(each, str) for each in source):
        table = Table({"id": list(source)}, called)
    elif is_path:
        table = read_table(as_source(source))
    else:
        table = Table(_columns(source, called), called)
    if not len(table):
        raise InputError("there are no spans in it", called)
    rows = _unnested(table, keys)
    spans = _of_table(rows, pattern, keys)
    return spans if rows is table else replace(spans, lacking=_lacking(table, keys, spans))


def _lacking(table: Table, keys: Mapping[str, str], spans: Spans) -> list[bytes]:
    """The queries of rows whose lists of spans are empty."""
    column = keys.get("query") or table.find(ROLES["query"][0])
    if column is None or column not in table.columns:  # but inside the spans
        return []
    known = set(spans.query or ())
    return [query for query in dict.fromkeys(_all_texts(table, column)) if query not in known]


def _unnested(table: Table, keys: Mapping[str, str]) -> Table:
    """The table with a row for each object of a list, where rows hold one: a query with all its evidence, say."""
    listings = [column for column, values in table.columns.items() if any(map(_is_listing, values))]
    if not listings:
        return table
    inner = {column: _inner(table, column) for column in listings}
    placed = [column for column in listings if _are_placed(inner[column], keys)] or listings
    if len(placed) > 1:
        raise InputError(
            "several columns have lists of objects, {names}: leave all out but the one with the spans",
            table.name,
            names=names.few(placed),
        )
    listing = placed[0]
    others = {column: values for column, values in table.columns.items() if column != listing}
    rows = [row for row, spans in enumerate(table.columns[listing]) for _ in spans or ()]
    kept = {column: [values[row] for row in rows] for column, values in others.items()}
    lines = None if table.lines is None else [table.lines[row] for row in rows]
    return Table(kept | dict(inner[listing].columns), table.name, lines)


def _inner(table: Table, column: str) -> Table:
    """The objects of a column's lists, a row each."""
    objects = [each for values in table.columns[column] for each in values or ()]
    return Table(columns(Listing("", objects), table.name), table.name)


def _are_placed(objects: Table, keys: Mapping[str, str]) -> bool:
    """Whether they say where they begin."""
    named = [names.folded(keys[role]) for role in ("start", "page") if role in keys]
    return objects.find([*named, *names.START, *names.PAGE]) is not None


def _is_listing(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _columns(source: Any, name: str) -> Mapping[str, Sequence[Any]]:
    if is_frame(source):
        return expanded(from_frame(source, name))
    if not isinstance(source, list | tuple):
        raise InputError("spans are a file, a table or a list of dicts, not {value}", name, value=quoted(source))
    return columns(Listing("", source), name)


def _is_run(source: Any, is_likely: bool) -> bool:
    """Whether a file is a run; a table with a column of positions is one only where that is likely."""
    opened = as_source(source)
    with suppress(InputError):
        format = sniffed(opened)
        return format.holds(opened) == "run" and (is_likely or format.name == "trec")
    return False


def _of_run(run: Run, pattern: str | None) -> Spans:
    """The chunks that a run returned, for each query; what they are, their ids say."""
    if pattern is None:
        raise InputError(
            "this is a run: say where its ids have the document, start and end (pattern='(.+):(\\d+)-(\\d+)'), or "
            "give a table of the chunks and the run beside it, overlaps(run='…')",
            run.name,
        )
    lines: list[int | None] = []
    batches = with_lines(run.batches(), lines)
    pairs = [(part.query, doc) for part in rankings(batches, run.name) for doc in part.docs]
    ids = [doc for _, doc in pairs]
    doc, start, end, unit = _parsed(ids, pattern, run.name, lines)
    return Spans(run.name, doc, start, end, [query for query, _ in pairs], ids, unit, lines, is_run=True)


def _of_table(table: Table, pattern: str | None, keys: Mapping[str, str]) -> Spans:
    for key in keys:
        if key not in ROLES:
            raise InputError(
                "there is no field {key!r} of a span; there is {known}", table.name, key=key, known=", ".join(ROLES)
            )
    query, ids = (_texts(table, role, keys) for role in ("query", "id"))
    if pattern:
        ids = _all_texts(table, _column(table, "id", keys))
        doc, start, end, unit = _parsed(ids, pattern, table.name, table.lines)
    else:
        named = _column(table, "doc", keys, but=_found(table, "id", keys))
        doc = _all_texts(table, named)
        start, end, unit = _ends(table, keys, doc)
    return Spans(table.name, doc, start, end, query, ids, unit, table.lines)


def _ends(table: Table, keys: Mapping[str, str], docs: Sequence[bytes]) -> tuple[Ints, Ints, str]:
    """Where spans begin and end, in characters where these are known, else in pages."""
    page = _found(table, "page", keys)
    if page is not None and _found(table, "start", keys) is None:
        start = _numbers(table, page)
        last = _found(table, "last_page", keys)
        return start, (start if last is None else _numbers(table, last)) + 1, "pages"
    start = _numbers(table, _column(table, "start", keys))
    if page is not None:
        _refuse_pages(table, page, docs, start)
    text = _found(table, "text", keys)
    if _found(table, "end", keys) is None and text is not None:
        return start, start + np.array(_sizes(table, text, docs), np.int64), "characters"
    return start, _numbers(table, _column(table, "end", keys)), "characters"


def _refuse_pages(table: Table, column: str, docs: Sequence[bytes], start: Ints) -> None:
    """Refuse characters that are counted anew on each page: those of different pages would be the same."""
    try:
        pages = _numbers(table, column)
    except InputError:  # such as iv, or none: the characters are asked for
        return
    furthest: dict[
        bytes, tuple[int, int, int]
    ] = {}  # of each document: a page, and the last starts on and before it
    for row in np.lexsort((start, pages)).tolist():
        page, begin = int(pages[row]), int(start[row])
        last, here, before = furthest.get(docs[row], (page, -1, -1))
        before = before if page == last else here
        furthest[docs[row]] = page, begin, before
        if begin <= before:
            raise InputError(
                "the span of {doc} on page {page} begins at {start}, not behind those of earlier pages: characters "
                "are counted through the document. If these are counted on each page, put its number into the ids "
                "of the documents, of evidence and of chunks; else leave {column} out",
                table.name,
                table.line(row),
                doc=truncated(docs[row]),
                page=page,
                start=begin,
                column=column,
            )


def _found(table: Table, role: str, keys: Mapping[str, str]) -> str | None:
    """The column of a role, if there is one."""
    return _column(table, role, keys) if role in keys else table.find(ROLES[role][0])


def _column(table: Table, role: str, keys: Mapping[str, str], but: str | None = None) -> str:
    wanted, what = ROLES[role]
    return table.column(wanted, what, named=keys.get(role, ""), but=but)


def _texts(table: Table, role: str, keys: Mapping[str, str]) -> list[bytes] | None:
    column = _found(table, role, keys)
    return None if column is None else _all_texts(table, column)


def _all_texts(table: Table, column: str) -> list[bytes]:
    values = [value.item() if isinstance(value, np.generic) else value for value in table.columns[column]]
    for row, value in enumerate(values):
        if type(value) not in (str, int) or value == "":
            raise InputError(
                "{column} is text or a whole number, not {value}",
                table.name,
                table.line(row),
                column=column,
                value=quoted(value),
            )
    return list(map(as_bytes, values))


def _sizes(table: Table, column: str, docs: Sequence[bytes]) -> list[int]:
    """The lengths of texts."""
    texts = list(table.columns[column])
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                "{column} of document {doc} is text, not {value}",
                table.name,
                table.line(row),
                column=column,
                doc=truncated(docs[row]),
                value=quoted(text),
            )
    return list(map(len, texts))


def _numbers(table: Table, column: str) -> Ints:
    values = enumerate(table.columns[column])
    return np.array([_number(value, table.name, table.line(row), column) for row, value in values], np.int64)


def _number(value: Any, name: str, line: int | None, column: str) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        whole, exact = int(value), number(value)
        if whole == (exact if isinstance(value, str) else value):
            return _bounded(whole, name, line, column)
    raise InputError("{column} is a whole number, not {value}", name, line, column=column, value=quoted(value))


def _bounded(number: int, name: str, line: int | None, column: str) -> int:
    if abs(number) >= 10**DIGITS:
        raise InputError(
            "{column} has {n} digits at most, not as many as {value}",
            name,
            line,
            column=column,
            n=DIGITS,
            value=quoted(number),
        )
    return number


def _parsed(
    ids: Sequence[bytes], text: str, name: str, lines: Sequence[int | None] | None
) -> tuple[list[bytes], Ints, Ints, str]:
    """What the ids say by a pattern."""
    pattern = compiled(text)
    named = pattern.groupindex
    is_pages = "page" in named
    wanted = ("doc", "page", "page") if is_pages else ("doc", "start", "end")
    groups: Sequence[Any] = wanted if named else (1, 2, 3)
    if not set(wanted) <= named.keys() if named else pattern.groups < len(wanted):
        raise InputError(
            "the pattern {pattern!r} needs the groups doc, start and end, or doc and page: '(.+):(\\d+)-(\\d+)'",
            pattern=text,
        )
    rows: list[tuple[bytes, int, int]] = []
    for row, chunk in enumerate(ids):
        match = pattern.fullmatch(chunk)
        line = None if lines is None else lines[row]
        if match is None or match[groups[0]] is None or not all(_is_number(match[group]) for group in groups[1:]):
            raise InputError(
                "the id {id} does not fit the pattern {pattern!r}, or has no whole numbers where it says",
                name,
                line,
                id=truncated(chunk),
                pattern=text,
            )
        start, end = (
            _bounded(int(match[group]), name, line, key) for key, group in zip(wanted[1:], groups[1:], strict=True)
        )
        rows.append((match[groups[0]], start, end))
    starts, ends = (np.array([row[place] for row in rows], np.int64) for place in (1, 2))
    return [row[0] for row in rows], starts, ends + is_pages, "pages" if is_pages else "characters"


def _is_number(text: bytes | None) -> bool:
    """Whether these are the digits of a number that Python reads."""
    return text is not None and text.isdigit() and len(text) < 1000


def lengths(source: Any) -> dict[bytes, int]:
    """{document: its length} of a table with a length or a text each, or {document: length or text}.

    Raises:
        InputError: no such columns, or a length that is no whole number.
    """
    if isinstance(source, Mapping):
        return {
            as_bytes(doc): len(value) if isinstance(value, str) else _length(value, as_bytes(doc))
            for doc, value in source.items()
        }
    is_path = isinstance(source, str | os.PathLike)
    table = read_table(as_source(source)) if is_path else Table(_columns(source, "documents"), "documents")
    doc = table.column((*names.SOURCE, "id"), ROLES["doc"][1])
    length = table.find(("length", "characters", "chars", "pages", "len"))
    docs = _all_texts(table, doc)
    if length is not None:
        sizes = _numbers(table, length).tolist()
    else:
        sizes = _sizes(table, _column(table, "text", {}), docs)
    return dict(zip(docs, sizes, strict=True))


def _length(value: Any, doc: bytes) -> int:
    column = message("the length of {doc}", doc=truncated(doc))
    return _number(value, "documents", None, column)
