"""The texts behind ids: a snippet of each query and document that is shown, from whatever holds all texts.

A collection may have millions of texts. It is read once, one piece at a time, and only the beginnings of the texts
that are wanted are kept.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from truerank.core.errors import InputError, printable, quoted, truncated
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import Message, did_you_mean, message, plural
from truerank.formats import names
from truerank.formats.cells import any_length, header
from truerank.formats.jsonl import KEY, records
from truerank.formats.records import LONGEST, parsed
from truerank.formats.rows import Numbered, keys_of, unnumbered
from truerank.formats.source import HEAD, Source, as_source
from truerank.formats.stored import batches, is_stored
from truerank.formats.topics import are_topics, topics

SNIPPET = 240
"""Characters of a text that are kept, unless said otherwise."""

SPARE = 8
"""This many times as much is looked at, since blanks are folded."""

ROWS = 1 << 12
"""Rows of Parquet that are in memory at once."""

BETWEEN = " — "
"""What stands between a title and a text."""

Found = Generator[tuple[str, str], None, None]
"""Ids that are wanted, with their texts."""


@dataclass(frozen=True)
class Snippets:
    """The beginnings of texts, each in one printable line.

    Attributes:
        queries, docs: {id: text}.
        notes: sentences that say how many texts were not found.
    """

    queries: Mapping[str, str] = field(default_factory=dict)
    docs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


NOTHING = Snippets()


@dataclass(frozen=True)
class TextKind:
    """Queries or documents, with the names of their columns or keys as `names.folded` spells them, surest first."""

    one: Message
    many: Message
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    counted: Callable[[int], Message]

    def lacking(self, n: int, wanted: int) -> Message:
        """The sentence that says how many have no text."""
        all_of_them = self.counted(wanted)
        return plural("Texts: {n:,} of {all} has none.", "Texts: {n:,} of {all} have none.", n=n, all=all_of_them)


QUERIES = TextKind(
    message("query"),
    message("queries"),
    names.QUERY_OF_TEXT,
    names.QUERY_TEXT,
    lambda n: plural("{n:,} query", "{n:,} queries", n=n),
)
DOCS = TextKind(
    message("document"),
    message("documents"),
    names.DOC_OF_TEXT,
    names.DOC_TEXT,
    lambda n: plural("{n:,} document", "{n:,} documents", n=n),
)


def locate(
    queries: Any, docs: Any, asked: Collection[str], named: Collection[str], length: int = SNIPPET
) -> Snippets:
    r"""The texts of some queries and documents.

    Args:
        queries, docs: a file (JSON lines such as BEIR's, JSON, TSV, CSV, Parquet or Arrow, also compressed; of
            queries TREC's topics, too), {id: text}, or {id: {"title": …, "text": …}}; None for none.
        asked, named: the ids of the queries and of the documents.
        length: characters that are kept of each.

    Raises:
        InputError: a file cannot be read, or has no ids or texts.

    >>> locate({"q": "red  shoes"}, {"d1": "Shoes\nthat are red", "d2": "x"}, ["q"], ["d1", "d3"])
    ... # doctest: +NORMALIZE_WHITESPACE
    Snippets(queries={'q': 'red shoes'}, docs={'d1': 'Shoes that are red'},
             notes=('Texts: 1 of 2 documents has none.',))
    """
    texts, notes = [], []
    for source, wanted, kind in ((queries, asked, QUERIES), (docs, named, DOCS)):
        texts.append({} if source is None else snippets(source, wanted, kind, length))
        missing = 0 if source is None else len(set(wanted)) - len(texts[-1])
        if missing:
            notes.append(kind.lacking(missing, len(set(wanted))))
    return Snippets(texts[0], texts[1], tuple(notes))


def with_text(texts: Mapping[str, str], key: str) -> dict[str, str]:
    """{"text": …} of an id, for JSON; nothing where it has none."""
    return {"text": texts[key]} if key in texts else {}


def snippets(source: Any, wanted: Collection[str], kind: TextKind, length: int = SNIPPET) -> dict[str, str]:
    """{id: the beginning of its text}, for the wanted ids that are found; the first text of an id counts."""
    left = set(wanted)
    texts: dict[str, str] = {}
    with closing(_found(source, left, kind)) as pairs:
        for key, text in pairs if left else ():
            left.discard(key)
            if text := snippet(text, length):
                texts[key] = text
            if not left:
                break
    return {key: texts[key] for key in wanted if key in texts}


def lacking(source: Any, wanted: Iterable[str], kind: TextKind) -> list[str]:
    """The wanted ids that are not there, not even with an empty text; sorted.

    >>> lacking({"d1": "shoes", "d2": ""}, ["d3", "d2", "d1"], DOCS)
    ['d3']
    """
    left = set(wanted)
    with closing(_found(source, left, kind)) as pairs:
        for key, _ in pairs if left else ():
            left.discard(key)
            if not left:
                break
    return sorted(left)


def snippet(text: str, length: int = SNIPPET) -> str:
    r"""The beginning of a text in one line: blanks folded, invisible characters and direction marks escaped.

    >>> snippet("Red\n shoes \u202e and hats", 16)
    'Red shoes \\u202…'
    """
    line = printable(" ".join(text[: SPARE * length].split()))
    is_whole = len(line) <= length and len(text) <= SPARE * length
    return line if is_whole else line[: length - 1].rstrip() + "…"


def _found(source: Any, left: Collection[str], kind: TextKind) -> Found:
    """The wanted texts of any source; ids that are removed from `left` meanwhile are no longer wanted."""
    if isinstance(source, Mapping):
        return _of_mapping(source, left)
    if not isinstance(source, str | os.PathLike):
        raise InputError(
            "texts of {what} are a file or {{id: text}}, not {kind}", what=kind.many, kind=type(source).__name__
        )
    return _of_file(as_source(source), left, kind)


def _of_mapping(texts: Mapping[Any, Any], left: Collection[str]) -> Found:
    for key in sorted(left):
        own = key if key in texts or not key.isdecimal() else int(key)
        if own in texts:
            yield key, _text(texts[own])


def _of_file(source: Source, left: Collection[str], kind: TextKind) -> Found:
    source.refuse_empty()
    head = source.head.lstrip()
    if is_stored(source):
        return _of_table(source, left, kind)
    if head.startswith(b"{") and _is_of_lines(head, kind, len(source.head) < HEAD):
        return _of_records(records(source), source.name, left, kind)
    if head.startswith((b"{", b"[")):
        return _of_json(source, left, kind)
    if kind is QUERIES and are_topics(head):
        return _of_topics(source, left)
    first = header(head)
    if len(first.names) < 2:
        raise InputError(
            "a text is found by its id: an id, a tab and a text should stand here, or {name}",
            source.name,
            1,
            name=kind.ids[0],
        )
    return (
        _of_tabs(source, left, kind) if first.delimiter == "\t" else _of_cells(source, first.delimiter, left, kind)
    )


def _is_of_lines(head: bytes, kind: TextKind, is_all: bool) -> bool:
    """Whether the first line is a record, rather than {id: text}.

    Args:
        is_all: whether the head is the whole file.
    """
    first, newline, _ = head.partition(b"\n")
    try:
        cut = (key.decode("utf-8", "replace") for key in re.findall(KEY, first))
        keys = list(parsed(first, "") if newline or is_all else cut)
    except InputError:
        return False
    return names.find(keys, kind.ids) is not None and names.find(keys, kind.texts) is not None


def _of_json(source: Source, left: Collection[str], kind: TextKind) -> Found:
    """The texts of one JSON value, read as a whole: {id: text}, or a list of records, however wrapped."""
    value = parsed(source.text(), source.name)
    if isinstance(value, dict) and isinstance(inside := value.get(kind.many), dict | list):
        value = inside
    if isinstance(value, dict) and names.find(list(value), kind.ids) is not None:
        value = [value] if names.find(list(value), kind.texts) is not None else value
    if isinstance(value, dict):
        yield from _of_mapping(value, left)
    elif isinstance(value, list):
        yield from _of_records(unnumbered(value), source.name, left, kind)
    else:
        raise InputError(
            "texts of {what} are {{id: text}} or a list of records, not {value}",
            source.name,
            what=kind.many,
            value=quoted(value),
        )


def _of_records(there: Iterable[Numbered], name: str, left: Collection[str], kind: TextKind) -> Found:
    is_first = True
    for line, record in there:
        keys = keys_of((line, record), name)
        where = _columns(keys, kind)
        if where is None:
            if is_first:
                raise _nameless(keys, kind, name, line)
            continue
        is_first = False
        if (key := str(record[keys[where.key]])) in left:
            yield key, where.joined([record[name] for name in keys])


@dataclass(frozen=True)
class _Columns:
    """The places of the id, of the text, and of the title if that is another column."""

    key: int
    text: int
    title: int | None

    def joined(self, cells: Sequence[Any]) -> str:
        """The title and the text of a row."""
        title = "" if self.title is None else _text(cells[self.title])
        return BETWEEN.join(filter(None, (title.strip(), _text(cells[self.text]))))


@lru_cache(maxsize=64)
def _columns(there: tuple[str, ...], kind: TextKind) -> _Columns | None:
    """The columns or keys by what they hold; None where the id or the text has no known name."""
    key, text = (names.find(there, wanted) for wanted in (kind.ids, kind.texts))
    if key is None or text is None:
        return None
    title = names.find(there, ("title",))
    return _Columns(key, text, None if title == text else title)


def _nameless(there: Sequence[str], kind: TextKind, name: str, line: int | None = None) -> InputError:
    """The error for columns or keys that lack an id or a text."""
    is_id = names.find(there, kind.ids) is None
    known = kind.ids if is_id else kind.texts
    others = (key for key in there if names.folded(key) not in (*kind.ids, *kind.texts))
    near = next((hint for key in others if (hint := did_you_mean(key, known))), "")
    said = {"names": truncated(", ".join(there)), "one": kind.one, "wanted": known[0], "hint": near}
    if is_id:
        return InputError("none of {names} is the id of a {one}; name it {wanted}.{hint}", name, line, **said)
    return InputError("none of {names} is the text of a {one}; name it {wanted}.{hint}", name, line, **said)


def _of_table(source: Source, left: Collection[str], kind: TextKind) -> Found:
    where: list[_Columns] = []

    def choose(there: Sequence[str]) -> list[str]:
        columns = _columns(tuple(there), kind)
        if columns is None:
            raise _nameless(there, kind, source.name)
        where.append(_Columns(0, 1, None if columns.title is None else 2))
        return [there[place] for place in (columns.key, columns.text, columns.title) if place is not None]

    for batch in batches(source, choose, ROWS):
        for row, key in enumerate(map(str, batch.column(0).to_pylist())):
            if key in left:
                yield key, where[0].joined([column[row].as_py() for column in batch.columns])


def _of_topics(source: Source, left: Collection[str]) -> Found:
    yield from ((key, text) for key, text in topics(as_text(source.text()), source.name) if key in left)


def _of_tabs(source: Source, left: Collection[str], kind: TextKind) -> Found:
    """The texts in lines with tabs, with or without a header; a quotation mark stands for itself."""
    where: _Columns | None = None
    for number, line in _lines(source):
        if number == 1 and (where := _columns(tuple(line.split("\t")), kind)):
            continue
        key, _, rest = line.partition("\t")
        if where is None:
            if key.strip() in left:
                yield key.strip(), rest
            continue
        cells = line.split("\t")
        if len(cells) > where.key and cells[where.key] in left:
            yield cells[where.key], _row(where, cells, source.name, number)


def _of_cells(source: Source, delimiter: str, left: Collection[str], kind: TextKind) -> Found:
    """The texts in CSV, with or without a header."""
    where: _Columns | None = None
    with any_length():
        rows = csv.reader((f"{line}\n" for _, line in _lines(source)), delimiter=delimiter)
        try:
            for row in rows:
                if rows.line_num == 1 and (where := _columns(tuple(row), kind)):
                    continue
                place = where.key if where else 0
                if len(row) > place and row[place] in left:
                    yield row[place], _row(where, row, source.name, rows.line_num) if where else " ".join(row[1:])
        except csv.Error as error:
            raise InputError("this is no CSV: {error}", source.name, rows.line_num, error=error) from None


def _row(where: _Columns, cells: Sequence[str], name: str, line: int) -> str:
    try:
        return where.joined(cells)
    except IndexError:
        raise InputError("this line has fewer columns than the header", name, line) from None


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    for first, block in source.blocks(LONGEST):
        for number, line in enumerate(block[:-1].split(b"\n"), first):
            yield number, as_text(line.removesuffix(b"\r"))


def _text(value: Any) -> str:
    """The text in a value: {"title": …, "text": …}, a list of parts, or nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        keys, cells = list(map(str, value)), list(value.values())
        places = (names.find(keys, ("title",)), names.find(keys, DOCS.texts[:-1]))
        return BETWEEN.join(filter(None, (_text(cells[at]) for at in places if at is not None)))
    if isinstance(value, list | tuple):
        return " ".join(map(_text, value))
    return "" if value is None else str(value)
