"""CSV and TSV with a first line that names the columns; in BEIR's judgements these are query-id, corpus-id, score.

The names are compared without case, blanks and punctuation. In the other lines blanks are part of a cell: " d7" is
an id different from "d7", and " 1.5" is not a number, so that a file with blanks after its commas is refused and
does not score 0.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.ids import starts_of
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.messages import Message, message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Columns, Ranked
from truerank.formats import names
from truerank.formats.cells import Header, any_length, cells_of, header, rows_of
from truerank.formats.names import BEIR, Layout, are_whole
from truerank.formats.records import held, list_places, qrels_of_records, run_parts
from truerank.formats.registry import Format, register
from truerank.formats.rows import Numbered, by_aspect, columns, complete, peeked, qrels_of, text_column, whole_calls
from truerank.formats.source import Source
from truerank.formats.trec import decimal

ROWS = 1 << 15
NO_COLUMN = 255
_PLAIN = re.compile(r"[-+.0-9A-Za-z]*")  # float() also takes 1_0, other digits than these, and blanks around it
_COMMA = r"[-+]?\d+,\d+([eE][-+]?\d+)?"  # as spreadsheets write fractions in much of Europe
_UNFIT = re.compile(rb"[\0\r]")


def sniff_csv(head: bytes, name: str) -> float:
    """A header with known names and commas, semicolons or bars; or a file name with such an ending."""
    return _sniff(head, name, ",;|", ".csv")


def sniff_tsv(head: bytes, name: str) -> float:
    """A header with known names and tabs; or a file name with such an ending."""
    return _sniff(head, name, "\t", ".tsv")


def sniff_beir(head: bytes, name: str) -> float:
    """BEIR's header."""
    return 1.0 if header(head).names == BEIR else 0.0


def _sniff(head: bytes, name: str, delimiters: str, suffix: str) -> float:
    if b"\0" in head:
        return 0.0
    first = header(head)
    if (first.is_known or first.is_listed) and first.delimiter in delimiters:
        return 0.9
    if suffix in name.lower():
        return 0.3
    return 0.2 if first.delimiter in delimiters and _has_names(head, first) else 0.0  # it says what is missing


def _has_names(head: bytes, first: Header) -> bool:
    """Whether a first line, which is not JSON, may name the columns of the second."""
    second = rows_of(head.decode("utf-8", "replace").split("\n")[1:2], first.delimiter)
    is_table = [len(row) for row in second] == [len(first.names)] > [1] and head.lstrip()[:1] not in b"{["
    return is_table and names.may_name(first.names)


def holds(source: Source) -> str | None:
    """By the names of the columns; a column named score may hold grades if they are whole."""
    first = header(source.head)
    return held(first.names, partial(_held, source.head, first))


def _held(head: bytes, first: Header, column: int) -> str | None:
    """What a table holds, by the first values of its column named score."""
    lines = head.decode("utf-8", "replace").split("\n")[1:-1]
    scores = [row[column].strip() for row in rows_of(lines, first.delimiter) if len(row) > column]
    is_beir = first.names == BEIR
    if all(score.lstrip("+-").isdigit() for score in scores):
        return "qrels" if is_beir else None
    return None if is_beir and are_whole(scores) else "run"


def read_run(source: Source) -> Iterator[Batch]:
    """Many rows at a time."""
    if records := _lists(source, "run"):
        yield from run_parts(records, source.name)
        return
    layout, parts = _read(source, "run")
    for part in parts:
        yield part._replace(scores=-part.scores, are_ranks=True) if layout.falling else part


def read_qrels(source: Source) -> Qrels:
    """All judgements."""
    if records := _lists(source, "qrels"):
        return qrels_of_records(records, source.name)
    layout, parts = _read(source, "qrels")
    return qrels_of(parts, source.name, layout.unsure)


def _lists(source: Source, what: str) -> Iterator[Numbered] | None:
    """The rows of a table with one row per query; None for other tables."""
    first = header(source.head)
    places = list_places(first.names, what)
    if not places:
        return None
    rows = Reader(source.name, first.delimiter, first.names, Layout(0, 0, 0)).rows(without_header(source))
    parts = iter(partial(_next_rows, rows), [])
    return ((line, {first.names[at]: row[at] for at in places}) for part in parts for line, row in part)


def _read(source: Source, what: str) -> tuple[Layout, Iterator[Columns]]:
    first = header(source.head)
    if not first.names:
        raise InputError(
            "this line names no columns: it is blank, begins with #, or ends in \\r alone; write {example} there",
            source.name,
            1,
            example="query_id,doc_id," + ("score" if what == "run" else "relevance"),
        )
    layout = names.layout(first.names, what, source.name, 1)
    reader = Reader(source.name, first.delimiter, first.names, layout, what)
    return layout, reader.parts(without_header(source))


def without_header(source: Source) -> Iterator[tuple[int, bytes]]:
    """The blocks of what follows the first line."""
    for line, block in source.blocks():
        start = block.index(b"\n") + 1 if line == 1 else 0
        if start < len(block):
            yield line + (start > 0), block[start:]


def _next_rows(numbered: Iterator[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    with any_length():
        return list(itertools.islice(numbered, ROWS))


class Reader(NamedTuple):
    """Reads the rows in lines.

    Attributes:
        name: the file's, for messages.
        columns: the names of the columns that each line has.
        layout: which of them are read.
        what: "run" or "qrels"; None for other tables, in which no row may lack cells.
    """

    name: str
    delimiter: str
    columns: Sequence[str]
    layout: Layout
    what: str | None = None

    @property
    def width(self) -> int:
        """How many columns each line has."""
        return len(self.columns)

    def parts(self, blocks: Iterator[tuple[int, bytes]]) -> Iterator[Columns]:
        """The rows of blocks; NumPy cuts them up to the first quotation mark, from there on the csv module."""
        for line, block in blocks:
            if b'"' in block:
                yield from self.quoted(itertools.chain([(line, block)], blocks))
                return
            part = self.plain(block, line) if self.layout.aspect is None else None
            yield from self.quoted([(line, block)]) if part is None else [complete(part, self.name)]

    def plain(self, block: bytes, line: int) -> Columns | None:
        """The columns of lines that are cut at each delimiter; None where a line has too many or too few."""
        data = np.frombuffer(block.replace(b"\r\n", b"\n") if b"\r" in block else block, np.uint8)
        breaks = np.flatnonzero((data == ord(self.delimiter)) | (data == ord("\n")))
        rows, over = divmod(len(breaks), self.width)
        ends_line = data[breaks[: len(breaks) - over]].reshape(rows, self.width) == ord("\n")
        if over or self.width >= NO_COLUMN or not ends_line[:, -1].all() or ends_line[:, :-1].any():
            return None
        lengths = np.diff(breaks, prepend=-1)
        column = np.repeat(np.tile(np.arange(self.width, dtype=np.uint8), rows), lengths)  # of each byte
        scores = _decimals(data[column == self.layout.value], rows)
        calls = None if self.layout.call is None else _decimals(data[column == self.layout.call], rows)
        if scores is None or (calls is None) is not (self.layout.call is None):
            return None
        column[breaks] = NO_COLUMN
        lengths = lengths.reshape(rows, self.width) - 1
        query, doc = ((starts_of(lengths[:, i]), data[column == i]) for i in (self.layout.query, self.layout.doc))
        lines = line + np.arange(rows)
        whole = None if calls is None else whole_calls(calls, self.name, lines=lines)
        return Columns(*query, *doc, scores, lines, calls=whole)

    def quoted(self, blocks: Iterable[tuple[int, bytes]]) -> Iterator[Columns]:
        """The columns of any lines."""
        numbered = self.numbered(self.rows(blocks))
        while part := _next_rows(numbered):
            lines, queries, docs, scores, *more = zip(*part, strict=True)
            batch = columns(queries, docs, scores, lines)
            if self.layout.call is not None:
                batch = batch._replace(calls=whole_calls(np.array(more[0], np.float64), self.name, lines=lines))
            elif more:
                weights = np.array(more[1], np.float64) if len(more) > 1 else None
                batch = batch._replace(aspects=text_column(more[0]), weights=weights)
            yield complete(batch, self.name)

    def numbered(self, rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[Any, ...]]:
        """Line, query, document and score of each row; then the call, or aspect and weight."""
        query, doc, value = self.layout.query, self.layout.doc, self.layout.value
        aspect, numbers = self.layout.aspect, (self.layout.weight, self.layout.call)
        for line, row in rows:
            more: tuple[Any, ...] = () if aspect is None else (as_bytes(row[aspect]),)
            more += tuple(self.number(row[place], line, place) for place in numbers if place is not None)
            yield line, as_bytes(row[query]), as_bytes(row[doc]), self.number(row[value], line, value), *more

    def rows(self, blocks: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, list[str]]]:
        """The line and the cells of each row that has a document."""
        blocks = iter(blocks)
        first, block = next(blocks, (1, b"\n"))
        texts = itertools.chain([block], (block for _, block in blocks))
        cut = (as_text(part) + "\n" for text in texts for part in text[:-1].split(b"\n"))
        rows = cells_of(cut, self.delimiter)
        try:
            for row in rows:
                line = first - 1 + rows.line_num
                if self.is_of_no_document(row):
                    continue
                if len(row) != self.width:
                    raise InputError(
                        "the header has {wanted} columns, but this line {n}",
                        self.name,
                        line,
                        wanted=self.width,
                        n=len(row),
                    )
                yield line, row
        except csv.Error as error:
            raise InputError("this is no CSV: {error}", self.name, first - 1 + rows.line_num, error=error) from None

    def is_of_no_document(self, row: Sequence[str]) -> bool:
        """Whether a row is empty, ends after its query, or has no grade, as Quepid exports unrated documents.

        Spreadsheets write rows of empty cells too.
        """
        if self.what == "qrels" and len(row) == self.width and not row[self.layout.value]:
            return True
        ends_with_query = len(row) == self.layout.query + 1 < self.width
        return not any(row) or (ends_with_query and (self.what == "qrels" or (self.what == "run" and len(row) > 1)))

    def number(self, text: str, line: int, place: int) -> float:
        """The number that a cell holds."""
        try:
            return float(text if _PLAIN.fullmatch(text) else "_")
        except ValueError:
            said = (
                message("there is no number in the column {column}", column=quoted(self.columns[place]))
                if not text
                else message("'{text}' is no number: blanks are part of a cell", text=truncated(text))
                if text != text.strip()
                else message(
                    "'{text}' is no number: write the fraction after a point, not a comma", text=truncated(text)
                )
                if re.fullmatch(_COMMA, text)
                else message("'{text}' is no number", text=truncated(text))
            )
            raise InputError(said, self.name, line) from None


def _decimals(text: NDArray[np.uint8], n: int) -> NDArray[np.float64] | None:
    """The numbers of one column, read as one JSON list; None if one is not written as in JSON."""
    import orjson

    if n == 0 or not len(text) or (text > ord("e")).any():  # words: true, null, nan
        return None
    listed = np.where((text == text[-1]), ord(","), text).astype(np.uint8)
    if listed.min() <= ord(" "):  # JSON allows blanks around numbers
        return None
    try:
        numbers = np.array(orjson.loads(b"[" + listed[:-1].tobytes() + b"]"), np.float64)
    except ValueError:
        return None
    return numbers if numbers.shape == (n,) else None


def write_run(delimiter: str, run: Iterable[Ranked], file: BinaryIO, tag: str) -> None:
    """query_id, doc_id, score, and the call where there are calls; scores with all their digits."""
    first, rest = peeked(run)
    parts: Iterable[_Part] = ((part.query, part.docs, map(repr, part.numbers()), *_call(part)) for part in rest)
    calls = [] if first is None or first.call is None else ["call"]
    _write(file, delimiter, ["query_id", "doc_id", "score", *calls], parts)


def _call(part: Ranked) -> list[Iterable[int]]:
    """The column of the call, where there are calls."""
    return [] if part.call is None else [itertools.repeat(part.call)]


def write_qrels(delimiter: str, qrels: Qrels, file: BinaryIO, header: Sequence[str] | None = None) -> None:
    """query_id, doc_id, relevance; whole grades without a point; with aspects also aspect and weight."""
    columns = list(header or ["query_id", "doc_id", "relevance"])
    if qrels.aspects is None:
        plain = ((query, judged, map(decimal, judged.values())) for query, judged in qrels.by_query())
        _write(file, delimiter, columns, plain)
        return
    parts = (
        (query, docs, map(decimal, grades), map(as_text, aspects), map(decimal, weights))
        for query, docs, grades, aspects, weights in by_aspect(qrels)
    )
    _write(file, delimiter, [*columns, "aspect", "weight"], parts)


def write_beir(qrels: Qrels, file: BinaryIO) -> None:
    """Judgements in BEIR's form, whose grades are whole numbers."""
    if (qrels.grades % 1 != 0).any():  # also of ignored documents, which are refused before
        raise InputError(
            "BEIR's grades are whole numbers, and some here are not; csv and jsonl can hold them", qrels.name
        )
    write_qrels("\t", qrels, file, BEIR)


_Part = tuple[Any, ...]
"""A query's id, its documents, and the columns of their scores or grades and what follows."""


def _write(file: BinaryIO, delimiter: str, header: Sequence[str], parts: Iterable[_Part]) -> None:
    text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
    try:
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        for query, docs, *values in parts:
            _check_ids(query, docs, delimiter)
            writer.writerows(zip(itertools.repeat(as_text(query)), map(as_text, docs), *values, strict=False))
    finally:
        text.detach()  # else it would close the file


def _check_ids(query: bytes, docs: Collection[bytes], delimiter: str) -> None:
    """Raise where readers of CSV, or of TSV, would not agree about these ids."""
    if delimiter == "\t" and b"\t" in b"".join([query, *docs]):
        name = next(one for one in (query, *docs) if b"\t" in one)
        raise InputError("TSV cannot hold the id '{name}': it has a tab", name=truncated(name))
    if _UNFIT.search(b"".join([query, *docs])):
        name = next(filter(_UNFIT.search, (query, *docs)))
        raise InputError(
            "CSV and TSV cannot hold the id '{name}': it has a NUL byte or a carriage return", name=truncated(name)
        )


def _register(name: str, meaning: Message, sniff: Callable[[bytes, str], float], delimiter: str) -> None:
    run, qrels = partial(write_run, delimiter), partial(write_qrels, delimiter)
    register(
        Format(
            name, meaning, sniff, holds, (f".{name}",), read_run, read_qrels, run, qrels, holds_aspects="weights"
        )
    )


_register(
    "csv",
    message(
        "a header, then commas: query_id,doc_id,score or query_id,doc_id,relevance; or one row per query, with "
        "its documents in one cell, as JSON or Python writes a list: query_id,retrieved_ids or "
        "query_id,relevant_ids"
    ),
    sniff_csv,
    ",",
)
_register("tsv", message("a header, then tabs: as csv"), sniff_tsv, "\t")
register(
    Format(
        "beir",
        message("BEIR's qrels.tsv: a header (query-id, corpus-id, score), then tabs; scores are grades"),
        sniff_beir,
        holds,
        read_qrels=read_qrels,
        write_qrels=write_beir,
    )
)
