"""The formats. A format is a name, a sniffer, and any of four functions that read or write."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, BinaryIO, Literal, NamedTuple

from truerank.core import plugins
from truerank.core.errors import InputError, quoted
from truerank.core.messages import Message, did_you_mean, message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Piece, Ranked, Run
from truerank.core.schema import named_arguments, parameters_of
from truerank.formats.source import Source


class Format(NamedTuple):
    """A file format of judgements or runs.

    Attributes:
        name: what --from and --to call it.
        meaning: one line about it; a message.
        sniff: from the first bytes and the file's name, how sure: 0 (no) to 1 (certain).
        holds: whether a source in this format is a "run" or "qrels"; None when it may be either.
        suffixes: file endings that suggest it when writing.
        read_run: opens the source and yields the batches of a run.
        read_qrels: opens the source and returns judgements.
        write_run: writes rankings to a binary file, with a tag for formats that have one.
        write_qrels: writes judgements to a binary file.
        holds_ignored: whether its judgements can say that a pair is ignored.
        holds_aspects: whether they can say which aspect they are about; "weights": also how much each weighs.
        holds_empty: whether a run can have queries or calls that returned nothing, and judgements queries without
            any.
        is_folder: whether it is a folder of files, not one file.
        options: makes the format with options, as `name(option='value')` asks; None where there are no options.
        read_saved: the Arrow table of a reading, where the format holds runs that were read already.
        cut_run: cuts a source into at most so many pieces of a run, for threads; none where it is small.
        files: the runs in the files of a folder.
    """

    name: str
    meaning: str
    sniff: Callable[[bytes, str], float]
    holds: Callable[[Source], str | None] = lambda source: None
    suffixes: tuple[str, ...] = ()
    read_run: Callable[[Source], Iterator[Batch]] | None = None
    read_qrels: Callable[[Source], Qrels] | None = None
    write_run: Callable[[Iterable[Ranked], BinaryIO, str], None] | None = None
    write_qrels: Callable[[Qrels, BinaryIO], None] | None = None
    holds_ignored: bool = False
    holds_aspects: bool | Literal["weights"] = False
    holds_empty: bool = False
    is_folder: bool = False
    options: Callable[..., Format] | None = None
    read_saved: Callable[[Source], Any] | None = None
    cut_run: Callable[[Source, int], Sequence[Piece]] | None = None
    files: Callable[[Source], Sequence[Run]] | None = None


_formats: dict[str, Format] = {}

SPOKEN = {"run": message("a run"), "qrels": message("qrels")}


def register(format: Format) -> Format:
    """Add a format."""
    _formats[format.name] = format
    return format


def formats() -> dict[str, Format]:
    """All formats by name, with those of other installed packages."""
    plugins.load("formats")
    return dict(_formats)


def named(text: str) -> Format:
    """The format with this name, or with this name and options: faiss-folder(better='higher')."""
    name, bracket, inside = text.partition("(")
    if name not in _formats and not (plugins.load("formats") and name in _formats):
        raise InputError(
            "there is no format {name}.{hint} Formats: {known}",
            name=quoted(name),
            hint=did_you_mean(name, _formats),
            known=", ".join(_formats),
        )
    return _configured(_formats[name], inside) if bracket else _formats[name]


def _configured(format: Format, inside: str) -> Format:
    """The format with options, from the text after a bracket: `better='higher')`; a backslash stands for itself."""
    if format.options is None:
        raise InputError("the format {format} has no options", format=format.name)
    try:
        options = named_arguments(inside.replace("\\", "\\\\"))
    except ValueError:
        raise InputError(
            "cannot read the options of the format {format}; write it like {format}(option='value')",
            format=format.name,
        ) from None
    known = parameters_of(format.options)
    for option in options:
        if option not in known:
            raise InputError(
                "{format} has no option {option}.{hint} There is {known}",
                format=format.name,
                option=quoted(option),
                hint=did_you_mean(option, known),
                known=", ".join(known),
            )
    return format.options(**options)


def chosen(source: Source, what: str, format: str | None = None) -> Format:
    """The format to read a "run" or "qrels" with: the named one, or the one that the source looks like.

    Raises:
        InputError: the source is empty or binary, holds the other thing, or the format cannot hold this one.
    """
    reader = _in_folder(named(format), source) if format else sniffed(source, what)
    if getattr(reader, f"read_{what}") is None:
        raise InputError(
            "the format {format} cannot hold {what}", source.name, format=reader.name, what=SPOKEN[what]
        )
    if reader.is_folder and not source.is_folder:
        raise InputError("the format {format} is a folder, not a file", source.name, format=reader.name)
    if not reader.is_folder:
        source.refuse_empty()
    return reader


def _in_folder(format: Format, source: Source) -> Format:
    """The format of a folder with files in this format."""
    if format.is_folder or not source.is_folder:
        return format
    return named(f"files(format={format.name!r})")


def run_of(source: Source, format: Format, name: str | None = None) -> Run:
    """The run in a source, not yet read."""
    read, path = format.read_run, source.path if format.name == "trec" else None
    assert read is not None
    able = {"saved": format.read_saved, "pieces": format.cut_run, "files": format.files}
    others: Any = {what: partial(do, source) for what, do in able.items() if do is not None}
    return Run(name or source.name, partial(read, source), path, **others)


def sniffed(source: Source, what: str | None = None) -> Format:
    """The format that a source most looks like.

    Args:
        what: "run" or "qrels", if it must hold that.

    Raises:
        InputError: the source is empty or binary, or holds the other thing.
    """
    best = _of_folder(source) or _of_file(source)
    if what is None:
        return best
    if (held := best.holds(source)) and held != what:
        if best.is_folder:
            raise _no_qrels(source.name)
        raise InputError(
            "this holds {held}, not {wanted}: are the two files swapped?",
            source.name,
            held=SPOKEN[held],
            wanted=SPOKEN[what],
        )
    if best.is_folder:
        return best
    return _best([f for f in _formats.values() if getattr(f, f"read_{what}")], source)


def _no_qrels(folder: str) -> InputError:
    """The error for a folder or a pattern in place of qrels; data sets of BEIR have a file for each split."""
    judged = os.path.join(folder, "qrels")
    splits = sorted(file for file in os.listdir(judged) if file.endswith(".tsv")) if os.path.isdir(judged) else []
    if splits:
        return InputError(
            "this is the folder of a data set: name the file of its judgements, such as {file}",
            folder,
            file=os.path.join(judged, "test.tsv" if "test.tsv" in splits else splits[0]),
        )
    return InputError(
        "a folder, or a pattern of files, is read as a run alone, not as qrels: are the two swapped? If not, put "
        "its files together into one",
        folder,
    )


def _of_folder(source: Source) -> Format | None:
    """The format that a folder looks like; None for a file and for unknown folders."""
    able = (f for f in _formats.values() if f.is_folder and f.sniff(b"", source.name) > 0)
    return next(able, None) if source.is_folder else None


def _of_file(source: Source) -> Format:
    """The format that a file looks like."""
    source.refuse_empty()
    best = _best(_formats.values(), source)
    if best.sniff(source.head, source.name) <= 0 and plugins.load("formats"):
        best = _best(_formats.values(), source)
    if best.sniff(source.head, source.name) <= 0:
        raise _unknown(source)
    return best


def _best(able: Iterable[Format], source: Source) -> Format:
    return max(able, key=lambda f: f.sniff(source.head, source.name))


def _unknown(source: Source) -> InputError:
    head = source.head
    if foreign := next((said for start, said in FOREIGN.items() if re.match(start, head, re.DOTALL)), None):
        return InputError(foreign, source.name)
    zero = head.find(b"\0")
    if zero < 0:
        return InputError("this is in no known format; `truerank formats` lists what can be read", source.name)
    return InputError(
        "this line holds a NUL byte: the file is binary or damaged; `truerank formats` lists what can be read",
        source.name,
        head.count(b"\n", 0, zero) + 1,
    )


def _packed(tool: str) -> Message:
    return message("this is packed by {tool}; unpack it: gzip, bzip2, xz and zstd are read as they are", tool=tool)


def _database(maker: str, command: str) -> Message:
    return message(
        'this is a database of {maker}; write rows of it to a file: {command} FILE "SELECT query_id, doc_id, score '
        'FROM …" > run.csv',
        maker=maker,
        command=command,
    )


def _table(kind: str, reader: str) -> Message:
    return message(
        "this is a table in {kind}, which is not read; save it as Parquet, or give Python what {reader} returns",
        kind=kind,
        reader=reader,
    )


FOREIGN: dict[bytes, Message] = {
    rb"\xff\xfe\0\0|\0\0\xfe\xff": message("this is UTF-32 text; save it as UTF-8"),
    rb"\xff\xfe|\xfe\xff": message("this is UTF-16 text; save it as UTF-8"),
    rb"PK\x03\x04.{26}(\[Content_Types\]|docProps/|xl/)": message(
        "this is an Excel workbook; save its sheet as CSV"
    ),
    rb"PK(\x03\x04|\x05\x06)": message(
        "this is a .zip archive, which may hold many files; unpack it (unzip), or compress one file (gzip, xz)"
    ),
    rb".{257}ustar": message(
        "this is a .tar archive, which may hold many files; unpack it (tar -xf), or compress one file (gzip, xz)"
    ),
    rb"\x04\x22\x4d\x18": _packed("lz4"),
    rb"7z\xbc\xaf\x27\x1c": _packed("7-Zip"),
    rb"Rar!\x1a\x07": _packed("RAR"),
    rb"\x1f\x9d": _packed("compress (.Z)"),
    rb"\x5d\0\0.{2}": _packed("lzma"),
    rb"SQLite format 3\0": _database("SQLite", "sqlite3 -header -csv"),
    rb".{8}DUCK..\0{6}": _database("DuckDB", "duckdb -csv"),
    rb"ORC": _table("ORC", "pyarrow.orc.read_table"),
    rb"Obj\x01": _table("Avro", "polars.read_avro"),
    rb"\x80[\x02-\x05]": message(
        "this is Python's pickle, which is not read, as reading one may run anything; save a table as Parquet"
    ),
}
"""How files begin that others write and that are not read, and what to say of them."""
