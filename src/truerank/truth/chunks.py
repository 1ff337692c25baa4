"""Chunks: which document an id is a part of, by a pattern or a table; the same for runs, retrievers and truths."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.messages import message
from truerank.core.schema import is_missing
from truerank.formats.names import CHUNK, SOURCE
from truerank.formats.source import as_source
from truerank.truth.tabular import read_table
from truerank.truth.values import texts


class Part(NamedTuple):
    """What a chunk is a part of.

    Attributes:
        doc: the document.
        place: where it stands in the document, compared to the others; None where that is not known.
    """

    doc: bytes
    place: int | None = None


Parts = Callable[[bytes], Part | None]
"""What an id is a part of; None where the rule says nothing of it."""

ChunkIds = str | os.PathLike[str] | Mapping[Any, Any] | Callable[[str], object] | None
"""None (what ids like d7#2 and d7_chunk_2 say), "id" (the ids are the documents' already), a regular expression
with a group for the document, FILE:COLUMN of a table of chunks, {chunk: document}, or a function of the id."""

_MARKED = (
    re.compile(rb"(?P<doc>.+?)(?:#+|%p)[a-z_-]*(?P<part>[0-9]+)(?:[_-][0-9]+)?", re.DOTALL | re.IGNORECASE),
    re.compile(
        rb"(?P<doc>.+?)(?P<mark>[_:/.-])(?P=mark)*(?:chunk|passage|part|para|segment|seg|p|c)[_-]?(?P<part>[0-9]+)",
        re.DOTALL | re.IGNORECASE,
    ),
)
"""Ids that nothing else than a chunk has."""

_LIKELY = re.compile(rb"(.+?)[#_:-]+(?:chunk|part|passage|p|c)?[_-]?[0-9]+\Z", re.DOTALL | re.IGNORECASE)


def whole_of(part: bytes) -> bytes:
    """The document that an id with a number behind #, _, - or : may be a part of; nothing for another id.

    >>> whole_of(b"FT921-7107#2"), whole_of(b"d7_chunk_12"), whole_of(b"d7")
    (b'FT921-7107', b'd7', b'')
    """
    match = _LIKELY.match(part)
    return match[1] if match else b""


def marked(chunk: bytes) -> Part | None:
    """What an id says by itself: a number behind #, or behind a word such as chunk, passage or part.

    >>> marked(b"FT921-7107#2"), marked(b"d7::chunk12")
    (Part(doc=b'FT921-7107', place=2), Part(doc=b'd7', place=12))
    >>> marked(b"FT921-7107"), marked(b"msmarco_passage_12_345678")
    (None, None)
    """
    match = next(filter(None, (pattern.fullmatch(chunk) for pattern in _MARKED)), None)
    return Part(match["doc"], int(match["part"])) if match else None


def parts_by(ids: ChunkIds) -> Parts:
    """The rule that says what a chunk is a part of.

    Raises:
        InputError: no regular expression, no group in it, no such file or column.

    >>> parts_by(r"(.+)-(\\d+)")(b"FT921-7107-3"), parts_by({"x": "d"})(b"x")
    (Part(doc=b'FT921-7107', place=3), Part(doc=b'd', place=0))
    """
    ids = read_rule(ids)
    if ids is None:
        return marked
    if isinstance(ids, Mapping):
        return _of_table(ids)
    if callable(ids):
        return partial(_called, ids)
    if ids == "id":
        return Part
    if isinstance(ids, str) and is_pattern(ids):
        return _of_pattern(ids)
    raise InputError("ids is {choices}, not {rule!r}", choices=CHOICES, rule=ids)


def read_rule(ids: ChunkIds) -> ChunkIds:
    """The rule, with what stands in the table in place of FILE:COLUMN: a pipe can be read only once.

    Raises:
        InputError: no such file or column.
    """
    text = os.fspath(ids) if isinstance(ids, str | os.PathLike) else ""
    if text in ("", "id") or is_pattern(text):
        return text or ids
    if re.search(r"[\\+*?^$]", text) and not os.path.exists(text.rsplit(":", 1)[0]) and "://" not in text:
        raise _without_group(text)
    return read_chunks(text)


CHOICES = message(
    "a pattern such as '(.+)#\\d+', FILE:COLUMN of a table of chunks, 'id' where the ids are documents' already, "
    "{chunk: document} or a function of the id"
)


def is_pattern(rule: object) -> bool:
    """Whether a rule is a regular expression: it has a group, and is no table whose path has a parenthesis."""
    if not (isinstance(rule, str) and "(" in rule):
        return False
    return not (os.path.isfile(rule) or os.path.isfile(rule.rpartition(":")[0]))


def compiled(pattern: str) -> re.Pattern[bytes]:
    """The pattern of an id.

    Raises:
        InputError: it is no regular expression.
    """
    try:
        return re.compile(pattern.encode("utf-8", "surrogateescape"), re.DOTALL)
    except re.error as error:
        raise InputError("{pattern!r} is no regular expression: {error}", pattern=pattern, error=error) from None


def _without_group(pattern: str) -> InputError:
    return InputError("the pattern {pattern!r} has no group for the document: (.+)", pattern=pattern)


def _of_pattern(text: str) -> Parts:
    pattern = compiled(text)
    if not pattern.groups:
        raise _without_group(text)
    doc: Any = "doc" if "doc" in pattern.groupindex else 1
    others = [group for group in range(1, pattern.groups + 1) if group != pattern.groupindex.get("doc", 1)]
    named = [name for name in ("part", "start", "page") if name in pattern.groupindex]
    place: Any = next(iter([*named, *others]), None)
    return partial(_matched, pattern, doc, place)


def _matched(pattern: re.Pattern[bytes], doc: Any, place: Any, chunk: bytes) -> Part | None:
    match = pattern.fullmatch(chunk)
    return Part(match[doc], _whole(match[place]) if place else None) if match and match[doc] else None


def _whole(text: bytes | None) -> int | None:
    return int(text) if text and text.isdigit() else None


def _of_table(docs: Mapping[Any, Any]) -> Parts:
    for chunk, doc in docs.items():
        if _is_no_id(chunk):
            raise InputError(
                "{chunk} is no id of a chunk; document {doc} has it", chunk=quoted(chunk), doc=quoted(doc)
            )
        _refuse_missing(chunk, doc)
    table = {as_bytes(chunk): Part(as_bytes(doc), row) for row, (chunk, doc) in enumerate(docs.items())}
    return table.get


def _called(function: Callable[[str], object], chunk: bytes) -> Part | None:
    doc = function(as_text(chunk))
    if doc is None:
        return None
    _refuse_missing(chunk, doc)
    return Part(as_bytes(doc))


def _refuse_missing(chunk: Any, doc: Any) -> None:
    if _is_no_id(doc):
        raise InputError(
            "chunk {chunk} has no document, but {doc}", chunk=truncated(as_text(as_bytes(chunk))), doc=quoted(doc)
        )


def _is_no_id(value: Any) -> bool:
    return is_missing(value) or not as_bytes(value)


def read_chunks(text: str) -> dict[str, str]:
    """{chunk: document} of FILE:COLUMN, or of a file whose column of documents has a name that is known.

    A column inside another is written with a dot or in brackets: metadata.source, metadata[source].
    """
    path, column = (text, "") if os.path.isfile(text) or ":" not in text else text.rsplit(":", 1)
    column = re.sub(r"\[(['\"]?)(.+?)\1\]", r".\2", column)
    table = read_table(as_source(path))
    chunk = table.column(CHUNK, message("the ids of chunks; name it chunk_id"), but=column)
    doc = table.column(SOURCE, message("the documents; name it doc_id"), named=column, but=chunk)
    docs: dict[str, str] = {}
    names, wholes = (texts(table.columns[column], column, (), path) for column in (chunk, doc))
    for row, (name, of) in enumerate(zip(names, wholes, strict=True)):
        if not name or not of:
            raise InputError("there is no {column} here", path, table.line(row), column=doc if name else chunk)
        if docs.setdefault(name, of) != of:
            raise InputError(
                "chunk {chunk} is a part of {first} and of {second}: ids of chunks must differ",
                path,
                table.line(row),
                chunk=truncated(name),
                first=truncated(docs[name]),
                second=truncated(of),
            )
    return docs
