"""Rank counts: how many rows of each part stand before the judged documents. Added up, they are the ranks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.build import build
from truerank.core.errors import InputError, RulesError, truncated
from truerank.core.hits import UNJUDGED, Bools, Hits
from truerank.core.messages import message
from truerank.core.qrels import Ints
from truerank.core.reading import EVERY_RANK, Reading
from truerank.core.rules import Rules
from truerank.core.run import Run, RunLike
from truerank.core.saved import arrow
from truerank.core.scan import Scan, scan
from truerank.core.scattered import Scattered, rows_of
from truerank.formats import open_run

if TYPE_CHECKING:
    import pyarrow

COUNTS = ("better", "equal", "before")


@dataclass(frozen=True, eq=False, repr=False)
class RankCounts:
    """How many rows, of a part or of several, stand before each row that was found for scattered queries.

    Rows that were found are not counted themselves: their ranks among themselves are known. `merge` adds counts up.

    Attributes:
        of: the fingerprint of the `Scattered` that they were counted for.
        better: (distinct rows found,) how many have a greater score.
        equal: how many have the same score.
        before: how many of these stand before it by the tie rule.
        seen: a fingerprint of each other document, with its query; None where documents are known to be distinct.
    """

    of: str
    better: Ints
    equal: Ints
    before: Ints
    seen: tuple[Ints, NDArray[np.uint64]] | None = None

    def __repr__(self) -> str:
        return f"RankCounts({len(self.better):,} rows found, {int(self.better.sum() + self.equal.sum()):,} counted)"

    def to_arrow(self) -> pyarrow.Table:
        """One row, whose columns are lists: only the rows found that have something to count."""
        pa = arrow("RankCounts.to_arrow")
        there = np.flatnonzero(self.better | self.equal)
        lists = {"row": there, **{name: getattr(self, name)[there] for name in COUNTS}}
        columns = {"of": pa.array([self.of]), "rows": pa.array([len(self.better)])}
        columns |= {name: pa.array([each]) for name, each in lists.items()}
        query, document = (None, None) if self.seen is None else self.seen
        columns["query"] = pa.array([query], pa.large_list(pa.int64()))
        columns["document"] = pa.array([document], pa.large_list(pa.uint64()))
        return pa.table(columns)

    @classmethod
    def from_arrow(cls, table: pyarrow.Table) -> RankCounts:
        """The counts that `to_arrow` made a table of, or the sum of several: their tables may be put together."""
        rows = [{name: table[name][row] for name in table.schema.names} for row in range(table.num_rows)]
        return added([_of_row(row) for row in rows])


def _of_row(row: dict[str, Any]) -> RankCounts:
    better, equal, before = counts = np.zeros((len(COUNTS), row["rows"].as_py()), np.int64)
    counts[:, row["row"].values.to_numpy()] = [row[name].values.to_numpy() for name in COUNTS]
    seen = None
    if row["query"].is_valid:
        seen = row["query"].values.to_numpy(), row["document"].values.to_numpy()
    return RankCounts(row["of"].as_py(), better, equal, before, seen)


def count_ranks(scattered: Scattered, rows: RunLike, *, distinct: bool = False) -> RankCounts:
    """How many rows of a part stand before each row that was found for scattered queries.

    The parts may be cut otherwise than those that were read; each row of the run is in one of them.

    Args:
        rows: a part of the run, or all of it: whatever `read` takes.
        distinct: whether it is known that no unjudged document is returned for a query in two parts. Otherwise a
            fingerprint of each row of a scattered query goes with the counts, 16 bytes, by which `merge` finds out.

    Raises:
        RulesError: the rules ask for the order of rows, which scattered ones do not have.
        InputError: there is a judged document that was not found before; wrong input.
    """
    found = scattered.found
    _refuse(found.rules)
    run, watched = open_run(rows), scattered.watched
    both = Run(run.name, lambda: chain(run.batches(), [rows_of(found, found.rows)]), watch=run.watch)
    rules = found.rules.replace(duplicates="count")
    scanned = scan(both, watched.judged, rules, keep=0 if distinct else EVERY_RANK, interleaved=True)
    around = build(watched, scanned)
    around = around.where(around.grade > UNJUDGED)
    distinct_rows, expected = around.where(_is_new(around)), found.rows.where(_is_new(found.rows))
    if not all(np.array_equal(getattr(distinct_rows, n), getattr(expected, n)) for n in ("query", "score")):
        raise InputError(
            message("there are judged documents in it that were not found when the parts were read"), run.name
        )
    better, equal, before = (each[_is_new(around)] for each in _counted(around))
    return RankCounts(scattered.digest, better, equal, before, None if distinct else _seen(scattered, scanned))


def ranked(scattered: Scattered, counts: Iterable[RankCounts]) -> Reading:
    """The reading of the scattered queries, whose rows have the ranks that the counts of all parts add up to.

    Raises:
        InputError: the counts are of other rows; a document is returned in two parts, and the rules refuse that.
    """
    found = scattered.found
    _refuse(found.rules)
    total = added(counts)
    if total.of != scattered.digest:
        raise InputError(message("the ranks were counted for other rows than those that were found in these parts"))
    row = np.cumsum(_is_new(found.rows)) - 1
    better, equal, before = (each[row] for each in (total.better, total.equal, total.before))
    rows = found.rows
    rows = replace(
        rows, rank=rows.rank + better + before, first=rows.first + better, last=rows.last + better + equal
    )
    if found.kept:
        rows = rows.where((rows.grade > UNJUDGED) | (rows.rank <= found.kept))
    repeats = _crossing(scattered, total) + (0 if found.repeats is None else found.repeats)
    return replace(found, rows=rows, repeats=repeats, repeated=int(repeats.sum()))


def uncounted(scattered: Scattered) -> RankCounts:
    """The counts where every row was found: nothing stands beside them."""
    nothing = np.zeros(int(_is_new(scattered.found.rows).sum()), np.int64)
    return RankCounts(scattered.digest, nothing, nothing, nothing)


def added(counts: Iterable[RankCounts]) -> RankCounts:
    """The counts of several parts as those of all of them."""
    parts = list(counts)
    if not parts:
        raise InputError(message("there are no counts to merge"))
    first = parts[0]
    if any(part.of != first.of for part in parts):
        raise InputError(message("the ranks were counted for different rows"))
    better, equal, before = (np.sum([getattr(part, name) for part in parts], axis=0) for name in COUNTS)
    seen = [part.seen for part in parts if part.seen is not None]
    whole = None
    if len(seen) == len(parts):
        whole = np.concatenate([query for query, _ in seen]), np.concatenate([document for _, document in seen])
    return RankCounts(first.of, better, equal, before, whole)


def _refuse(rules: Rules) -> None:
    """Raise for rules that need the order of rows, which those of several parts do not have."""
    refused = {"ties": ("input",), "duplicates": ("first", "last"), "unit": ("line",)}
    for name, values in refused.items():
        if getattr(rules, name) in values:
            raise RulesError(
                message(
                    "{rule} = {value} asks for the order of the rows, which rows in several parts do not have: "
                    "read the scattered queries together (read_together), or choose another rule",
                    rule=name,
                    value=getattr(rules, name),
                )
            )


def _changes(rows: Hits) -> tuple[Bools, Bools]:
    """(rows,) whether each is the first of its score, and whether it is the first of its document with it."""
    group = np.ones(len(rows), bool)
    group[1:] = (rows.query[1:] != rows.query[:-1]) | (rows.score[1:] != rows.score[:-1])
    row = group.copy()
    row[1:] |= rows.doc[1:] != rows.doc[:-1]
    return group, row


def _is_new(rows: Hits) -> Bools:
    return _changes(rows)[1]


def _counted(rows: Hits) -> tuple[Ints, Ints, Ints]:
    """(rows,) `COUNTS` of each: the ranks that rows outside these take up."""
    is_first, _ = _changes(rows)
    starts = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1
    above = rows.ordinal[starts][group] - 1
    upto = np.append(rows.ordinal[starts[1:] - 1], rows.ordinal[-1:])[group]
    better = rows.first - 1 - above
    return better, rows.last - upto - better, rows.rank - rows.ordinal - better


def _seen(scattered: Scattered, found: Scan) -> tuple[Ints, NDArray[np.uint64]]:
    """The query and a fingerprint of each document that is not among those found, once."""
    watched, table = scattered.watched, found.table
    known = len(watched.grades)
    is_other = table["doc"] >= known
    is_other[~is_other] = np.isnan(watched.grades[table["doc"][~is_other]])
    docs, row = np.unique(table["doc"][is_other], return_index=True)
    names = [watched.doc(doc) if doc < known else found.unjudged[doc - known] for doc in docs.tolist()]
    marks = b"".join([hashlib.blake2b(name, digest_size=8).digest() for name in names])
    return table["query"][is_other][row], np.frombuffer(marks, np.uint64)


def _crossing(scattered: Scattered, counts: RankCounts) -> Ints:
    """(queries,) how many documents outside those found are returned in more parts than one, each time again.

    Raises:
        InputError: there are such, and the rules refuse them.
    """
    queries = len(scattered)
    if counts.seen is None or not len(counts.seen[0]):
        return np.zeros(queries, np.int64)
    query, document = counts.seen
    order = np.lexsort((document, query))
    again = (np.diff(query[order]) == 0) & (np.diff(document[order].view(np.int64)) == 0)
    times = np.bincount(query[order][1:][again], minlength=queries)
    if times.any() and scattered.found.rules.duplicates == "error":
        raise InputError(
            message(
                "a document of query {query} is returned in two parts; mend the run (read_together names the "
                "document), or say how it counts: duplicates = count or once (--set duplicates=once)",
                query=truncated(scattered.found.rows.queries[int(np.argmax(times > 0))]),
            )
        )
    return times
