"""A log of clicks: which documents each impression showed, at which ranks, and which of them were clicked."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import Message, message
from truerank.core.schema import is_missing
from truerank.formats import names
from truerank.formats.frames import is_frame
from truerank.formats.rows import Numbered, unnumbered
from truerank.formats.source import as_source
from truerank.formats.stored import is_stored
from truerank.truth.tabular import as_table, from_mapping, read_records, read_table, stored
from truerank.truth.values import number

WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}

LISTS = (list, tuple, np.ndarray)

NAMES = ("impression", "query", "user")
"""What a record has one of."""


@dataclass(frozen=True, slots=True)
class Impression:
    """A list that was shown once, and what was clicked in it.

    Attributes:
        id, query: of it.
        docs: as they were shown, from the top.
        ranks: where each was shown, from 1.
        clicked: whether each was clicked, however often.
        systems: which system each came from, None where it is not known; empty where no row says it.
        rankings: {system: its own list}; empty where the log has none.
        user: or the session; None where it is not known.
        line: where it stands in its file.
    """

    id: str
    query: str
    docs: tuple[str, ...]
    ranks: tuple[int, ...]
    clicked: tuple[bool, ...]
    systems: tuple[str | None, ...] = ()
    rankings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    user: str | None = None
    line: int | None = None


@dataclass(frozen=True, eq=False)
class Clicks:
    """A log of clicks.

    Attributes:
        impressions: in the order of the log.
        name: where they came from.
    """

    impressions: tuple[Impression, ...] = field(repr=False)
    name: str = "clicks"

    def __len__(self) -> int:
        """The number of impressions."""
        return len(self.impressions)

    def error(self, one: Impression, said: Message) -> InputError:
        """What is wrong with an impression, with its line."""
        return InputError(said, self.name, one.line)


def read_clicks(source: Any, name: str | None = None) -> Clicks:
    """A log of clicks from wherever it is kept.

    Args:
        source: a path or a list of dicts, with one row per impression: docs (best first), clicks (the ids of those
            that were clicked), and as far as they are known query, user, systems and ranks (of each document; by
            default 1, 2, …) and rankings ({system: its list}). Or a path (CSV, TSV, JSON lines, Parquet, Arrow), a
            DataFrame or a list of dicts with one row per document that was shown: impression, doc, click (0 or 1),
            rank, query, user, system.
        name: what to call it in messages; the path by default.

    Raises:
        InputError: an empty log; a click on a document that was not shown; one document, or one rank, twice in an
            impression; no such column; with the line.

    >>> log = read_clicks([{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}])
    >>> log.impressions[0].clicked
    (False, True)
    """
    if isinstance(source, Clicks):
        return source
    is_path = isinstance(source, str | os.PathLike)
    called = name or (os.fspath(source) if is_path else "clicks")
    records = list(_of_path(source) if is_path else _of_object(source, called))
    if not records:
        raise InputError("there are no impressions in it", called)
    for line, record in records:
        if not isinstance(record, Mapping):
            raise InputError("an impression is an object, not {value}", called, line, value=quoted(record))
    log, keys = _Log(called), _roles(_names(records[0][1]))
    whole = "docs" in keys and ("doc" not in keys or isinstance(records[0][1][keys["docs"]], LISTS))
    impressions = list(map(log.of_lists, *zip(*records, strict=True)) if whole else log.of_rows(records))
    _refuse_repeated(impressions, called)
    return Clicks(tuple(impressions), called)


def click_rates(log: Clicks) -> dict[int, float]:
    """{rank: the share of what was shown there that was clicked}.

    >>> click_rates(read_clicks([{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}]))
    {1: 0.0, 2: 1.0}
    """
    shown: Counter[int] = Counter()
    clicked: Counter[int] = Counter()
    for one in log.impressions:
        shown.update(one.ranks)
        clicked.update(rank for rank, is_clicked in zip(one.ranks, one.clicked, strict=True) if is_clicked)
    return {rank: clicked[rank] / times for rank, times in sorted(shown.items())}


def _of_path(path: str | os.PathLike[str]) -> Iterator[Numbered]:
    source = as_source(path)
    if source.head.lstrip().startswith((b"{", b"[")):
        records, lines = read_records(source)
        yield from zip(lines or itertools.repeat(None), records, strict=False)
    elif is_stored(source):
        yield from _of_object(stored(source).to_pylist(), source.name)
    else:
        table = read_table(source)
        yield from _rows(table.columns, table.lines)


def _of_object(thing: Any, name: str) -> Iterator[Numbered]:
    if is_frame(thing):
        yield from _of_object(as_table(thing, name).to_pylist(), name)
    elif isinstance(thing, Mapping):
        yield from _rows(from_mapping(thing, name), None)
    elif isinstance(thing, Iterable):
        yield from unnumbered(thing)
    else:
        raise InputError(
            "a log of clicks is a path, a DataFrame or a list of dicts, not {thing}", thing=quoted(thing)
        )


def _rows(columns: Mapping[str, Sequence[Any]], lines: Sequence[int] | None) -> Iterator[Numbered]:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    yield from zip(lines or itertools.repeat(None), rows, strict=False)


def _names(record: Mapping[Any, Any]) -> tuple[str, ...]:
    """What the columns of a record are called; a number is no name."""
    return tuple(key for key in record if isinstance(key, str))


@lru_cache(maxsize=64)
def _roles(keys: tuple[str, ...]) -> dict[str, str]:
    places = {role: names.find(keys, wanted) for role, wanted in names.CLICKS.items()}
    return {role: keys[place] for role, place in places.items() if place is not None}


@dataclass(frozen=True)
class _Log:
    """Makes impressions of records."""

    name: str

    def of_lists(self, line: int | None, record: Mapping[str, Any]) -> Impression:
        """The impression of a record that has all of its documents."""
        given = {
            role: value
            for role, value in self._told(line, record, _roles(_names(record)), NAMES).items()
            if value is not None
        }
        shown: Any = given.get("docs")
        clicks = given.get("clicks", ())
        if not all(isinstance(ids, LISTS) and all(map(_may_be_id, ids)) for ids in (shown, clicks)):
            raise InputError(
                "docs and clicks are lists of ids; clicks has those that were clicked", self.name, line
            )
        docs, clicked = tuple(map(_id, shown)), set(map(_id, clicks))
        if unlisted := sorted(clicked - set(docs)):
            raise InputError(
                "a click on {doc}, which was not shown; the impression showed {docs}",
                self.name,
                line,
                doc=truncated(unlisted[0]),
                docs=truncated(", ".join(docs)) or message("nothing"),
            )
        ranks = self._ranks(given.get("ranks"), docs, line)
        order = sorted(range(len(docs)), key=ranks.__getitem__)
        systems = self._systems(given.get("systems", given.get("system")), len(docs), line)
        return self._checked(
            Impression(
                id=_text(given.get("impression", line)) or "",
                query=_text(given.get("query")) or "",
                docs=tuple(docs[n] for n in order),
                ranks=tuple(ranks[n] for n in order),
                clicked=tuple(docs[n] in clicked for n in order),
                systems=tuple(systems[n] for n in order) if systems else (),
                rankings=self._rankings(given.get("rankings", {}), line),
                user=_text(given.get("user")),
                line=line,
            )
        )

    def _ranks(self, ranks: Any, docs: Sequence[str], line: int | None) -> Sequence[int]:
        """Where each document was shown; from rank 1 down where nothing says it."""
        if ranks is None:
            return range(1, len(docs) + 1)
        if not isinstance(ranks, LISTS) or len(ranks) != len(docs):
            raise InputError("ranks has the rank of each of the {n} docs, in a list", self.name, line, n=len(docs))
        return [self._rank({"doc": doc, "rank": rank}, 0, line) for doc, rank in zip(docs, ranks, strict=True)]

    def _told(
        self, line: int | None, record: Mapping[str, Any], keys: Mapping[str, str], ids: Sequence[str]
    ) -> dict[str, Any]:
        """What a record says by role; some of it is ids, and neither a list nor an object."""
        told = {role: _told(record.get(key)) for role, key in keys.items()}
        for role in ids:
            if isinstance(told.get(role), (*LISTS, Mapping)):
                raise InputError(
                    "{column} is text or a whole number, not {value}",
                    self.name,
                    line,
                    column=keys[role],
                    value=quoted(told[role]),
                )
        return told

    def _systems(self, systems: Any, size: int, line: int | None) -> tuple[str | None, ...]:
        if systems is None:
            return ()
        if not isinstance(systems, LISTS) or len(systems) != size:
            raise InputError("systems has the system of each of the {n} docs, in a list", self.name, line, n=size)
        return tuple(_text(one) or None for one in systems)

    def _rankings(self, rankings: Any, line: int | None) -> dict[str, tuple[str, ...]]:
        """The list of each system; a table has all systems in each row, and None where one has no list."""
        if isinstance(rankings, Mapping):
            rankings = {str(system): docs for system, docs in rankings.items() if docs is not None}
        if not isinstance(rankings, Mapping) or not all(isinstance(docs, LISTS) for docs in rankings.values()):
            raise InputError("rankings has the list of each system: {system: [ids]}", self.name, line)
        lists = {system: tuple(map(_id, docs)) for system, docs in rankings.items()}
        for system, docs in lists.items():
            if len(set(docs)) < len(docs):
                twice = next(doc for doc in docs if docs.count(doc) > 1)
                raise InputError(
                    "the ranking of {system} has the document {doc} twice",
                    self.name,
                    line,
                    system=truncated(system),
                    doc=truncated(twice),
                )
        return lists

    def of_rows(self, records: Sequence[Numbered]) -> Iterator[Impression]:
        """The impressions of records that have a document each."""
        known = tuple(dict.fromkeys(key for _, record in records for key in _names(record)))
        keys = _roles(known)
        for role, what in (
            ("impression", message("the impressions; name it impression")),
            ("doc", message("the documents; name it doc_id")),
            ("click", message("the clicks; name it click, with 0 or 1")),
        ):
            if role not in keys:
                there = names.few(known)
                raise InputError("no column holds {what} (there is {known})", self.name, what=what, known=there)
        groups: dict[str, list[tuple[int | None, dict[str, Any]]]] = {}
        for line, record in records:
            given = self._told(line, record, keys, (*NAMES, "doc", "system"))
            if given["impression"] is None or given["doc"] is None:
                raise InputError("a row has no impression, or no document", self.name, line)
            groups.setdefault(_id(given["impression"]), []).append((line, given))
        return (self._of_group(impression, rows) for impression, rows in groups.items())

    def _of_group(self, impression: str, rows: list[tuple[int | None, dict[str, Any]]]) -> Impression:
        line, first = rows[0]
        for at, given in rows:
            if any(given.get(role) != first.get(role) for role in ("query", "user")):
                raise InputError(
                    "the impression {impression} has two queries, or two users",
                    self.name,
                    at,
                    impression=truncated(impression),
                )
        ranked = sorted(((self._rank(given, n, at), n) for n, (at, given) in enumerate(rows)))
        ordered = [rows[n] for _, n in ranked]
        systems = tuple(_text(given.get("system")) or None for _, given in ordered)
        return self._checked(
            Impression(
                id=impression,
                query=_text(first.get("query")) or "",
                docs=tuple(_id(given["doc"]) for _, given in ordered),
                ranks=tuple(rank for rank, _ in ranked),
                clicked=tuple(self._clicked(given["click"], at) for at, given in ordered),
                systems=systems if any(systems) else (),
                user=_text(first.get("user")),
                line=line,
            )
        )

    def _checked(self, one: Impression) -> Impression:
        """The impression, with no document and no rank twice."""
        shown: tuple[tuple[Message, Sequence[Any]], ...] = (
            (message("document"), one.docs),
            (message("rank"), one.ranks),
        )
        for what, several in shown:
            if len(set(several)) < len(several):
                twice = next(each for each in several if several.count(each) > 1)
                raise InputError(
                    "one impression has the {what} {one} twice",
                    self.name,
                    one.line,
                    what=what,
                    one=truncated(str(twice)),
                )
        return one

    def _rank(self, given: Mapping[str, Any], place: int, line: int | None) -> int:
        """Where a row's document was shown; in the order of the rows where no column says it."""
        if "rank" not in given:
            return place + 1
        try:
            rank = number(given["rank"])
        except (TypeError, ValueError, OverflowError):
            rank = float("nan")
        if not 1 <= rank < float("inf") or rank != int(rank):
            raise InputError(
                "the rank of {doc} is {rank}, not a whole number from 1 on: it was not shown",
                self.name,
                line,
                doc=truncated(str(given["doc"])),
                rank=quoted(given["rank"]),
            )
        return int(rank)

    def _clicked(self, value: Any, line: int | None) -> bool:
        try:
            said = WORDS.get(str(value).strip().lower(), value)
            times = 0.0 if said is None or said == "" else number(said)
        except (TypeError, ValueError, OverflowError):
            times = float("nan")
        if not 0 <= times < float("inf"):
            raise InputError("click is 0 or 1, or how often, not {value}", self.name, line, value=quoted(value))
        return times > 0


def _told(value: Any) -> Any:
    """The value; None for what a DataFrame has where there is none: NaN, pandas' NA."""
    return None if is_missing(value) else value


def _text(value: Any) -> str | None:
    return None if value is None else _id(value)


def _may_be_id(value: Any) -> bool:
    return not isinstance(value, (*LISTS, Mapping)) and not is_missing(value)


def _id(value: Any) -> str:
    """An id as a text; 7.0, as pandas has whole numbers beside gaps, is 7."""
    if isinstance(value, bytes):
        return as_text(value)
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _refuse_repeated(impressions: Iterable[Impression], name: str) -> None:
    seen: dict[str, int | None] = {}
    for one in impressions:
        if one.id and one.id in seen:
            raise InputError(
                "the impression {id} is there twice, first in line {first}",
                name,
                one.line,
                id=truncated(one.id),
                first=seen[one.id] or "?",
            )
        seen[one.id] = one.line
