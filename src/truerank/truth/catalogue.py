"""A catalogue out of a file, a DataFrame, a dict or a list: what is known of the documents that could be listed."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from truerank.core.catalogue import Catalogue, Floats
from truerank.core.errors import InputError, printable, quoted
from truerank.core.kernel.scanning import as_text
from truerank.core.mappings import ids as as_ids
from truerank.core.messages import message
from truerank.core.schema import is_missing
from truerank.formats.frames import is_frame
from truerank.formats.lines import json_or_lines
from truerank.formats.names import CATALOGUE, WIDEST, few, find, folded
from truerank.formats.source import Source, as_source
from truerank.formats.stored import is_stored
from truerank.truth import tabular
from truerank.truth.values import number, numbers

Columns = Mapping[str, Sequence[Any]]

QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
"""A text in a list, as JSON, Python and NumPy write it; NumPy has no commas between them."""

LISTS = (list, tuple, np.ndarray)

BLANK = " \t\r"
"""What may stand around the id of a line; within one a blank is the id's own."""


def read_catalogue(source: Any) -> Catalogue:
    """The documents that could be listed, from wherever they are kept.

    Args:
        source: a path (CSV, JSON, JSON lines, Parquet, Arrow, or one id per line, which may stand below a column's
            name), a DataFrame, {id: {"popularity": …}}, {id: popularity}, a Series, a list of dicts, of ids,
            {column: values}, or a `Catalogue`. Several groups of an item are a list, or a text with | between them;
            a vector is a list, or columns that are numbered: vector.0, … A list may be a text, as programs write it
            into CSV: [0.5, 1], [0.5 1.], ['drama', 'war'].

    Raises:
        InputError: no items, no ids, an id twice, or a value that is no number.

    >>> items = read_catalogue({"a": {"popularity": 3, "genres": "drama|war"}, "b": {"popularity": 1}})
    >>> items.ids, items.popularity.tolist(), items.groups
    ((b'a', b'b'), [3.0, 1.0], (('drama', 'war'), ()))
    """
    if isinstance(source, Catalogue):
        return source
    is_path = isinstance(source, str | os.PathLike)
    name = os.fspath(source) if is_path else "items"
    columns = _of_path(as_source(source)) if is_path else _of_object(source, name)
    if not columns or not len(next(iter(columns.values()))):
        raise InputError("there are no items in it", name)
    return _catalogue(columns, name)


def _of_path(source: Source) -> Columns:
    if is_stored(source):
        return tabular.from_stored(source)
    head = source.head.lstrip()
    if head.startswith((b"{", b"[")):
        return _of_object(json_or_lines(source.text(), source.name), source.name)
    first = head.split(b"\n", 1)[0]
    if not any(mark in first for mark in b"\t,;|") and not _is(first.decode("utf-8", "replace"), "id"):
        lines = source.text().decode("utf-8", "surrogateescape").split("\n")
        return {"id": [line.strip(BLANK) for line in lines if line.strip(BLANK)]}
    return tabular.from_csv(source)


def _of_object(thing: Any, name: str) -> Columns:
    if type(thing).__name__ == "Series":
        return _of_series(thing, name)
    if is_frame(thing):
        return tabular.from_frame(thing, name)
    if isinstance(thing, Mapping):
        return _of_mapping(thing, name)
    rows = list(thing) if isinstance(thing, Iterable) and not isinstance(thing, str | bytes) else []
    if rows and all(isinstance(row, Mapping) for row in rows):
        return _of_records(rows)
    if any(isinstance(row, Mapping | list | tuple) for row in rows) or not rows:
        raise InputError("items are a path, a DataFrame, {id: {column: value}}, a list of dicts or of ids", name)
    return {"id": sorted(rows) if isinstance(thing, set | frozenset) else rows}


def _of_series(series: Any, name: str) -> Columns:
    """The items of a column, or of its index: how many have used each of these, where no name says something else.

    So `groupby("movieId").size()` and `value_counts()` are popularities, and `df.movieId` is ids. Numbers without a
    name beside a column that has one are those of rows, of which some may be left out.
    """
    index: Any = getattr(series, "index", range(len(series)))  # that of polars has none
    is_told = any(_is(series.name, role) for role in ("popularity", "groups", "vectors"))
    counts_rows = getattr(index, "name", None) is None and (
        list(index) == list(range(len(series)))
        or (index.dtype.kind in "iu" and series.name is not None and not is_told)
    )
    if counts_rows or index.nlevels > 1 or (_is(series.name, "id") and not _is(index.name, "id")):
        return tabular.from_frame(series.to_frame(), name)
    named = series if is_told else series.rename("popularity")
    return tabular.from_frame(named.rename_axis("id").to_frame(), name)


def _is(name: Any, role: str) -> bool:
    """Whether a column of this name holds it."""
    return find([str(name)], CATALOGUE[role]) is not None


def _of_mapping(thing: Mapping[Any, Any], name: str) -> Columns:
    """{id: {column: value}}, {id: popularity}, {column: values}, or pandas' {column: {row: value}}."""
    values = list(thing.values())
    if values and all(isinstance(value, Mapping) for value in values):
        if _are_columns(thing) and not _are_columns(values[0]):
            return _of_columns(thing, name)
        return {
            "id": list(thing),
            **{key: each for key, each in _of_records(values).items() if folded(key) != "id"},
        }
    if values and all(isinstance(value, int | float | np.number) for value in values):
        return {"id": list(thing), "popularity": values}
    return tabular.from_mapping(thing, name)


def _are_columns(keys: Collection[Any]) -> bool:
    """Whether one of these is the name of a column."""
    few = list(map(str, keys)) if len(keys) <= WIDEST else []
    return any(find(few, CATALOGUE[role]) is not None for role in ("popularity", "groups", "vectors"))


def _of_columns(thing: Mapping[Any, Mapping[Any, Any]], name: str) -> Columns:
    """The columns of {column: {row: value}}; the rows are the ids where no column has them."""
    rows = next(iter(thing.values())).keys()
    if any(column.keys() != rows for column in thing.values()):
        raise InputError("the columns of a table are lists that are equally long", name)
    columns = {str(key): list(column.values()) for key, column in thing.items()}
    return columns if find(list(columns), CATALOGUE["id"]) is not None else {"id": list(rows), **columns}


def _of_records(rows: Sequence[Mapping[Any, Any]]) -> Columns:
    """A column for each key; None where a record has none."""
    return {str(key): [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}


def _catalogue(columns: Columns, name: str) -> Catalogue:
    places = {role: find(list(columns), words) for role, words in CATALOGUE.items()}
    named = {role: list(columns)[place] for role, place in places.items() if place is not None}
    if "id" not in named:
        said = message("no column holds the ids of the items (there is {known}); call it id", known=few(columns))
        raise InputError(said, name)
    ids = tuple(as_ids([_id(value, row, name) for row, value in enumerate(columns[named["id"]], 1)], name))
    if len(set(ids)) < len(ids):
        (first, _), *_ = Counter(ids).most_common(1)
        raise InputError(
            "item {id} is there twice; a catalogue has each once: of a table of who used what, count the users of "
            "each item, as its popularity",
            name,
            id=printable(first),
        )
    popularity = named.get("popularity")
    return Catalogue(
        ids,
        name,
        popularity=None if popularity is None else _popular(columns[popularity], popularity, ids, name),
        groups=None if "groups" not in named else tuple(map(_groups, columns[named["groups"]])),
        vectors=_vectors(columns, named.get("vectors"), ids, name),
        others=tuple(column for column in columns if column not in named.values()),
    )


def _id(value: Any, row: int, name: str) -> str | int | bytes:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # as pandas has whole numbers beside gaps
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | int | bytes) or isinstance(value, bool) or value == "":
        raise InputError("item {row} has no id: {value!r:.60}", name, row=row, value=value)
    return value


def _popular(column: Sequence[Any], path: str, ids: Sequence[bytes], name: str) -> Floats:
    """0 where nothing is said of it."""
    values = numbers(column, path, list(map(as_text, ids)), name)
    for row in np.flatnonzero(np.isnan(values)).tolist():
        if column[row] is not None:
            raise InputError(
                "the popularity of item {row}, {id}, is NaN: write 0 where nobody has used it",
                name,
                row=row + 1,
                id=printable(ids[row]),
            )
    values = np.nan_to_num(values, posinf=np.inf, neginf=-np.inf)
    if not (values >= 0).all() or np.isinf(values).any():
        row = int(np.argmax((values < 0) | np.isinf(values)))
        raise InputError(
            "the popularity of item {id} is {value:g}; it is a number from 0 up: how many have used it",
            name,
            id=printable(ids[row]),
            value=values[row],
        )
    if 0 < values.max(initial=0) < 1:
        raise InputError(
            "popularity is how many have used an item, not a share of them: the highest here is {value:g}",
            name,
            value=values.max(),
        )
    return values


def _groups(value: Any) -> tuple[str, ...]:
    """The groups of an item: a list, or a text with | between them, or one that is a list.

    >>> _groups("drama|war"), _groups("['drama', 'war']"), _groups('["drama"]'), _groups("[drama, film noir]")
    (('drama', 'war'), ('drama', 'war'), ('drama',), ('drama', 'film noir'))
    """
    if is_missing(value):
        return ()
    if isinstance(value, str):
        inner = _inside(value)
        texts = None if inner is None else [a or b for a, b in QUOTED.findall(inner)] or inner.split(",")
        value = value.split("|") if texts is None else texts
    several = value if isinstance(value, (*LISTS, set, frozenset)) else [value]
    return tuple(dict.fromkeys(str(each).strip() for each in several if str(each).strip()))


def _vectors(columns: Columns, column: str | None, ids: Sequence[bytes], name: str) -> Floats | None:
    """(items, dimensions) one column of lists, or numbered ones; NaN where an item has none."""
    if column is not None:
        rows = list(columns[column])
    else:
        wide = [key for key in columns if _is_numbered(key)]
        if not wide:
            return None
        rows = list(zip(*(columns[key] for key in sorted(wide, key=_number)), strict=True))
    lists = [_numbers(row) if isinstance(row, str) else row for row in rows]
    width = next((len(row) for row in lists if isinstance(row, LISTS)), 0)
    try:
        vectors = np.array([_row(row, width) for row in lists], np.float64)
        return _finite(vectors.reshape(len(rows), width), ids, name)
    except (TypeError, ValueError):
        wrong = next(place for place, row in enumerate(lists) if not _is_vector(row, width))
    raise InputError(
        "the vector of item {id} is {value}; it is a list of numbers such as [0.5, 1], and all are of one length "
        "(here {width})",
        name,
        id=printable(ids[wrong]),
        value=quoted(rows[wrong]),
        width=width,
    )


def _numbers(text: str) -> Floats | str:
    """The vector that a text is, as JSON, Python or NumPy writes it; another text as it is.

    >>> _numbers("[0.5, 1]").tolist(), _numbers("[0.5\\n  1. ]").tolist(), _numbers("[north]")
    ([0.5, 1.0], [0.5, 1.0], '[north]')
    """
    inner = _inside(text)
    try:
        return text if inner is None else np.array(list(map(number, inner.replace(",", " ").split())))
    except ValueError:
        return text


def _inside(text: str) -> str | None:
    """What stands in the brackets of a text that is a list; None of any other."""
    text = text.strip()
    return text[1:-1] if text.startswith("[") and text.endswith("]") else None


def _finite(vectors: Floats, ids: Sequence[bytes], name: str) -> Floats:
    """The vectors, refused where a number is not finite; a row of nothing but NaN is an item without a vector."""
    wrong = ~np.isfinite(vectors) & ~np.isnan(vectors).all(axis=1, keepdims=True)
    if wrong.any():
        row, column = map(int, np.argwhere(wrong)[0])
        raise InputError(
            "the vector of item {id} holds {value} as its number {place}; its numbers are finite",
            name,
            id=printable(ids[row]),
            value=vectors[row, column],
            place=column + 1,
        )
    return vectors


def _is_vector(row: Any, width: int) -> bool:
    try:
        return np.array(_row(row, width), np.float64).shape == (width,)
    except (TypeError, ValueError):
        return False


def _row(row: Any, width: int) -> Sequence[Any]:
    if is_missing(row):
        return [np.nan] * width
    return [np.nan if value is None else number(value) if isinstance(value, str) else value for value in row]


def _is_numbered(key: str) -> bool:
    stem, _, number = key.replace("_", ".").rpartition(".")
    return number.isdecimal() and folded(stem) in CATALOGUE["vectors"]


def _number(key: str) -> int:
    return int(key.replace("_", ".").rpartition(".")[2])
