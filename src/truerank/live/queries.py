"""Queries by id, texts or vectors, out of a dict, a list, an array or a file."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean, message
from truerank.formats.cells import DELIMITERS
from truerank.formats.columnar import listed_in
from truerank.formats.frames import is_frame
from truerank.formats.frames import records as frame_records
from truerank.formats.lines import json_or_lines, text_lines
from truerank.formats.names import ASKED, QUERY_OF_TEXT, QUERY_TEXT, find
from truerank.formats.source import Source, as_source
from truerank.formats.topics import are_topics, topics
from truerank.live.vector_queries import are_vectors, holds_vectors, id_of, read_vectors

WANTED = ((QUERY_OF_TEXT, message("id"), "query_id"), (QUERY_TEXT, message("text"), "text"))
"""What the columns or keys of a query's id and text are called, what they hold, and the usual name."""


def read_queries(queries: Any) -> dict[str, Any]:
    """{id: text} of queries, or {id: vector} where they are vectors.

    Args:
        queries: {id: text}; texts, which are then numbered from 1; a DataFrame with an id and one text per row, as
            PyTerrier's topics are; or a file: BEIR's queries.jsonl, JSON lines or JSON with an id and a text each
            or {id: text}, tab-separated with or without a header, comma-separated with one, TREC's topics, or a
            text a line. Or vectors, as for `read_vectors`, which are numbered from 0. A question without an id is
            its own.

    Raises:
        InputError: there are none, an id comes twice, or a text is missing.

    >>> read_queries(["red shoes", "blue hats"])
    {'1': 'red shoes', '2': 'blue hats'}
    """
    if isinstance(queries, str | os.PathLike):
        source = as_source(queries)
        if holds_vectors(source):
            return read_vectors(source)
        return _checked(_of_file(source), source.name)
    if _is_column(queries):
        raise _unknown(queries)
    if is_frame(queries):
        return _checked(_of_values(frame_records(queries, "queries"), "queries"), "queries")
    if are_vectors(queries):
        return read_vectors(queries)
    if isinstance(queries, Mapping):
        return _checked(queries.items(), "queries")
    if isinstance(queries, Iterable):
        return _checked(_of_values(list(queries), "queries"), "queries")
    raise _unknown(queries)


def _is_column(queries: Any) -> bool:
    """Whether this is a column of a frame, or an array of texts, and nobody knows what its queries are called."""
    if len(getattr(queries, "shape", ())) != 1:
        return False
    return is_frame(queries) or getattr(queries.dtype, "kind", "O") not in "biufc"


def _unknown(queries: Any) -> InputError:
    return InputError(
        "queries are {{id: text}}, a list of texts, a DataFrame, a table of vectors, or a file; not {kind}",
        kind=type(queries).__name__,
    )


def _checked(pairs: Iterable[tuple[Any, Any]], name: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, (key, text) in enumerate(pairs, 1):
        if not isinstance(text, str) or not text.strip():
            raise InputError(
                "query {key} (number {number}) has no text: {text!r:.60}", name, key=key, number=number, text=text
            )
        texts[id_of(key, number, name, texts)] = text
    if not texts:
        raise InputError("there are no queries", name)
    return texts


def _of_file(source: Source) -> Iterable[tuple[Any, Any]]:
    source.refuse_empty()
    head = source.head.lstrip()
    if head.startswith((b"{", b"[")):
        return _of_json(source)
    if source.head.startswith(b"PAR1") or b"\0" in head:
        raise InputError("this is binary; queries are JSON, JSON lines, TSV, CSV or one text per line", source.name)
    try:
        text = source.text().decode()
    except UnicodeDecodeError as error:
        raise InputError("this is not UTF-8 (byte {byte})", source.name, byte=error.start + 1) from None
    return topics(text, source.name) if are_topics(head) else _of_text(text, source.name)


def _of_json(source: Source) -> Iterable[tuple[Any, Any]]:
    """One JSON value, or one a line."""
    value = json_or_lines(source.text(), source.name)
    if isinstance(value, list):
        return _of_values(value, source.name)
    if _are_named(value):
        return _of_values([value], source.name)
    inside = value.get("queries") or listed_in(value, "qrels")
    if isinstance(inside, list):
        return _of_values(inside, source.name)
    return list((inside if isinstance(inside, dict) else value).items())


def _of_values(values: list[Any], name: str) -> Iterable[tuple[Any, Any]]:
    """Texts, which are numbered, or records with an id and a text."""
    if all(isinstance(value, str) for value in values):
        return list(enumerate(values, 1))
    if all(isinstance(value, list | tuple) and len(value) == 2 for value in values):
        return [(key, text) for key, text in values]
    for number, value in enumerate(values, 1):
        if not isinstance(value, Mapping):
            raise InputError(
                "query number {number} is {value!r:.60}; it should have an id and a text",
                name,
                number=number,
                value=value,
            )
    return [_record(value, name) for value in values]


def _record(record: Mapping[Any, Any], name: str) -> tuple[Any, Any]:
    values = list(record.values())
    key, text = (values[place] for place in _columns(list(map(str, record)), name))
    return key, text


def _columns(there: Sequence[str], name: str) -> Iterator[int]:
    """Which of the columns or keys holds the id, and which the text."""
    asked = _asked(there)
    for known, what, usual in WANTED:
        place = find(there, known) if asked is None else asked
        if place is None:
            near = next((hint for key in there if (hint := did_you_mean(key, known))), "")
            raise InputError(
                "none of {there} is a query's {what}; name it {usual}.{near}",
                name,
                there=", ".join(there),
                what=what,
                usual=usual,
                near=near,
            )
        yield place


def _asked(there: Sequence[str]) -> int | None:
    """The column or key of a question's text, which is its id in judgements too where it has no other."""
    return find(there, ASKED) if find(there, (*QUERY_OF_TEXT, "text")) is None else None


def _are_named(columns: Iterable[str]) -> bool:
    """Whether an id and a text are among the columns or keys."""
    there = list(columns)
    return all(find(there, known) is not None for known, _, _ in WANTED)


def _of_text(text: str, name: str) -> Iterable[tuple[Any, Any]]:
    """Columns if the first line has any, else one text per line."""
    first = next((line for line in text_lines(text) if line.strip()), "")
    delimiter = next((each for each in DELIMITERS if each in first), ",")
    names = first.split(delimiter)
    is_named = _are_named(names) or _asked(names) is not None
    if delimiter != "\t" and not is_named:
        return enumerate((line.strip() for line in text_lines(text) if line.strip()), 1)
    reader = _reader(text, delimiter)
    rows = [(number, row) for number, row in enumerate(reader, 1) if any(cell.strip() for cell in row)]
    if is_named:
        return _of_table(rows, name)
    return [_pair(row, number, name) for number, row in rows]


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    """Rows of cells; in tab-separated text a quotation mark is one."""
    if delimiter == "\t":
        return (line.split("\t") for line in text_lines(text))
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _of_table(rows: list[tuple[int, list[str]]], name: str) -> Iterable[tuple[Any, Any]]:
    names = rows[0][1]
    at = list(_columns(names, name))
    for number, row in rows[1:]:
        if len(row) != len(names):
            raise InputError(
                "there are {n} columns, but this row has {others}", name, number, n=len(names), others=len(row)
            )
    return [(row[at[0]].strip(), row[at[1]]) for _, row in rows[1:]]


def _pair(row: list[str], number: int, name: str) -> tuple[str, str]:
    if len(row) < 2:
        raise InputError("a query is an id, a tab and a text; this line has no tab", name, number)
    return row[0].strip(), "\t".join(row[1:])
