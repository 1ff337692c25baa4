"""Rank counts: how many rows of each part stand before the judged documents. Added up, they are the ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, RulesError, arrow, truncated
from truerank.core.found import first_ranks
from truerank.core.hits import UNJUDGED
from truerank.core.ids import starts_of
from truerank.core.kernel.scanning import Thresholds
from truerank.core.merge.scattered import Scattered, refuse_others, repeated
from truerank.core.qrels import Floats, Ints
from truerank.core.reading import Reading
from truerank.core.run import Run, RunLike
from truerank.core.scan import EVERY_RANK, count
from truerank.formats import open_run
from truerank.formats.frames import is_frame
from truerank.formats.rows import columns

if TYPE_CHECKING:
    import pyarrow

COUNTS = ("better", "equal", "before")


@dataclass(frozen=True, eq=False, repr=False)
class RankCounts:
    """How many rows, of one part or several, stand before each row that was found for scattered queries.

    Rows that were found are not counted themselves: their ranks among themselves are known. `merge` adds counts up.

    Attributes:
        of: the fingerprint of the `Scattered` that they were counted for.
        better: (distinct rows found,) how many have a greater score.
        equal: how many have the same score.
        before: how many of the rows with the same score stand before it by the tie rule.
        seen: the query and a fingerprint of each other row; None where documents are known to be distinct.
    """

    of: str
    better: Ints
    equal: Ints
    before: Ints
    seen: tuple[Ints, NDArray[np.uint64]] | None = None

    def __repr__(self) -> str:
        return f"RankCounts({len(self.better):,} rows found, {int(self.better.sum() + self.equal.sum()):,} counted)"

    def to_arrow(self) -> pyarrow.Table:
        """One row, whose columns are lists; of the rows found, only those with a count above 0."""
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
        """The counts from a table of `to_arrow`, or the sum of several from their concatenated tables."""
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

    The parts need not be those that were read, but each row of the run must be in exactly one of them.

    Args:
        rows: a part of the run, or all of it: whatever `read` takes. Memory stays flat: no row is kept.
        distinct: whether it is known that no unjudged document is returned for a query in two parts. Otherwise the
            counts carry 16 bytes for each row of a scattered query: a fingerprint, by which `merge` checks this,
            and also that no part was left out or counted twice.

    Raises:
        RulesError: the rules ask for the order of rows, which scattered ones do not have.
        InputError: there is a judged document that was not found before; wrong input.
    """
    rules = scattered.found.rules
    _refuse(scattered.found)
    run, (watched, docs) = _read_once(rows), scattered.watched
    new = scattered.found.rows.where(scattered.is_new)
    thresholds = Thresholds(
        watched.judged,
        starts_of(new.count),
        docs,
        np.ascontiguousarray(new.score),
        _kinds(watched.grades),
        rules.ties == "doc-ascending",
        not distinct,
        int(scattered.digest[:16], 16),
    )
    count(run, watched.judged, thresholds, rules)
    if thresholds.is_strange:
        raise InputError("there are judged documents in it that were not found when the parts were read", run.name)
    marked = thresholds.marked()
    seen = None if distinct else (marked["query"].copy(), marked["mark"].copy())
    better, equal, before = thresholds.counted()
    return RankCounts(scattered.digest, better, equal, before, seen)


def _read_once(rows: RunLike) -> Run:
    """A part as a run; of an iterator of tables or batches, none is kept."""
    if not isinstance(rows, Iterator):
        return open_run(rows)
    first = list(islice(rows, 1))
    every = chain(first, rows)
    if not (first and is_frame(first[0])):
        return open_run(every)
    return Run("run", lambda: chain.from_iterable(open_run(each).batches() for each in every))


def _kinds(grades: Floats) -> NDArray[np.uint8]:
    """The kernel's kinds of the documents that are watched: judged 0, kept 1, gone 2."""
    return np.where(np.isnan(grades), 2, np.where(grades == UNJUDGED, 1, 0)).astype(np.uint8)


def ranked(scattered: Scattered, counts: Iterable[RankCounts]) -> Reading:
    """The reading of the scattered queries; the ranks of its rows are the sums of the counts of all parts.

    Raises:
        InputError: the counts are of other rows, or not of all rows; a document is returned in two parts, and the
            rules refuse that.
    """
    reading = scattered.found
    _refuse(reading)
    total = added(counts)
    if total.of != scattered.digest:
        raise InputError("the ranks were counted for other rows than those that were found in these parts")
    if total.seen is not None:
        _refuse_others(scattered, total.seen)
    row = np.cumsum(scattered.is_new) - 1
    better, equal, before = (each[row] for each in (total.better, total.equal, total.before))
    rows = reading.rows
    rows = replace(
        rows, rank=rows.rank + better + before, first=rows.first + better, last=rows.last + better + equal
    )
    rows = first_ranks(rows, reading.kept)
    repeats = reading.repeats if total.seen is None else _repeats(scattered, total.seen)
    assert repeats is not None
    return replace(reading, rows=rows, repeats=repeats)


def _refuse_others(scattered: Scattered, seen: tuple[Ints, NDArray[np.uint64]]) -> None:
    """Raise where not all rows were counted, or some twice.

    Args:
        seen: the query and the fingerprint of each row that is not of a judged document, ignored ones too.
    """
    reading, (query, mark) = scattered.found, seen
    rows, qrels = reading.rows, reading.qrels
    gone = np.flatnonzero(np.isnan(qrels.grades))
    if len(gone):
        ignored = columns(
            [qrels.queries[q] for q in qrels.query[gone].tolist()], qrels.docs(gone), np.zeros(len(gone))
        )
        known = count_ranks(scattered, Run(reading.name, lambda: iter([ignored]))).seen
        assert known is not None
        query = query[~np.isin(mark, known[1])]
    counted = np.bincount(np.append(query, rows.query[rows.grade > UNJUDGED]), minlength=len(reading))
    refuse_others(reading, counted, counted != rows.returned)


def uncounted(scattered: Scattered) -> RankCounts:
    """The counts where every row was found, so that there are no others to count."""
    nothing = np.zeros(int(scattered.is_new.sum()), np.int64)
    return RankCounts(scattered.digest, nothing, nothing, nothing)


def added(counts: Iterable[RankCounts]) -> RankCounts:
    """The sum of the counts of several parts."""
    parts = list(counts)
    if not parts:
        raise InputError("there are no counts to merge")
    first = parts[0]
    if any(part.of != first.of for part in parts):
        raise InputError("the ranks were counted for different rows")
    better, equal, before = (np.sum([getattr(part, name) for part in parts], axis=0) for name in COUNTS)
    seen = [part.seen for part in parts if part.seen is not None]
    whole = None
    if len(seen) == len(parts):
        whole = np.concatenate([query for query, _ in seen]), np.concatenate([document for _, document in seen])
    return RankCounts(first.of, better, equal, before, whole)


def _refuse(reading: Reading) -> None:
    """Raise for rules that need the order of rows, which rows of several parts do not have."""
    rules = reading.rules
    if 0 < reading.kept < EVERY_RANK and rules.duplicates in ("count", "once"):
        raise RulesError(
            "ranks cannot be counted where rows of repeated documents were kept in part: keep those of judged "
            "documents or all (keep), or read the scattered queries together (read_together)"
        )
    refused = {"ties": ("input",), "duplicates": ("first", "last")}
    for name, values in refused.items():
        if getattr(rules, name) in values:
            raise RulesError(
                "{rule} = {value} asks for the order of the rows, which rows in several parts do not have: "
                "read the scattered queries together (read_together), or choose another rule",
                rule=name,
                value=getattr(rules, name),
            )


def _repeats(scattered: Scattered, seen: tuple[Ints, NDArray[np.uint64]]) -> Ints:
    """(queries,) how many rows repeat a document.

    Raises:
        InputError: some rows do, and the rules refuse that.
    """
    (query, mark), hits = seen, scattered.found.rows
    in_order = np.sort(mark)
    twice = np.unique(in_order[1:][in_order[1:] == in_order[:-1]])  # mostly none, while there are many fingerprints
    rows = np.flatnonzero(np.isin(mark, twice)) if len(twice) else np.empty(0, np.int64)
    query = query[rows]
    pairs = np.unique(np.stack([query, mark[rows].view(np.int64)]), axis=1)
    times = np.bincount(query, minlength=len(scattered)) - np.bincount(pairs[0], minlength=len(scattered))
    if times.any() and scattered.found.rules.duplicates == "error":
        raise InputError(
            "a document of query {query} is returned in two parts; mend the run (read_together names the "
            "document), or say how it counts: duplicates = count or once (--set duplicates=once)",
            query=truncated(hits.queries[int(np.argmax(times > 0))]),
        )
    judged = hits.where(hits.grade > UNJUDGED)
    return times + repeated(judged.query, judged.doc, len(scattered))
