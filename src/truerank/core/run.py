"""Run: what a system answered, as a source that is not yet read, and the batches in which it comes."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.core.faults import unreadable
from truerank.core.kernel.scanning import as_bytes
from truerank.core.presented import Framed


class Columns(NamedTuple):
    """Rows as columns: texts as their (rows + 1,) ends and one string of bytes, scores as (rows,) float64.

    Attributes:
        lines: (rows,) the line of each row in its file; None where rows are counted.
        runs: (query ids + 1,) where an id stands once for consecutive rows: the first row of each query id, and the
            number of rows; None where each row has an id.
        aspects: of judgements, the aspects, text as above; None where there are none.
        weights: (rows,) of the aspects; None where there are none.
        calls: (rows,) which call returned each, from 1, where queries have several lists; None where they have one.
        are_ranks: whether the scores are negated ranks, as the source has no scores.
        are_distances: whether the scores are negated distances, as the source has distances.
        are_rows: whether the queries are the row numbers of an array, as they have no names.
        are_places: whether the documents are whole numbers of an array, as FAISS's are.
    """

    query_ends: NDArray[np.int64]
    query_text: NDArray[np.uint8] | bytes
    doc_ends: NDArray[np.int64]
    doc_text: NDArray[np.uint8] | bytes
    scores: NDArray[np.float64]
    lines: NDArray[np.int64] | None = None
    runs: NDArray[np.int64] | None = None
    aspects: tuple[NDArray[np.int64], NDArray[np.uint8] | bytes] | None = None
    weights: NDArray[np.float64] | None = None
    calls: NDArray[np.int64] | None = None
    are_ranks: bool = False
    are_distances: bool = False
    are_rows: bool = False
    are_places: bool = False

    @property
    def queries(self) -> NDArray[np.int64]:
        """(rows,) which of the query ids each row has."""
        ids = np.arange(len(self.query_ends) - 1)
        return ids if self.runs is None else np.repeat(ids, np.diff(self.runs))


class Ranked(NamedTuple):
    """One query's documents, best first, or with a score each; and their line, if they stand in one.

    Where a query has several lists, `call` says which of them this is, from 1. `are_ranks` and `are_distances` are
    as in `Columns`.
    """

    query: Any
    docs: Sequence[Any]
    scores: Sequence[float] | None = None
    line: int | None = None
    call: int | None = None
    are_ranks: bool = False
    are_distances: bool = False

    def numbers(self) -> list[float]:
        """A score for each document; without scores, the last one gets 1, the one before it 2, …"""
        try:  # as the kernel reads them: text is not a number
            return array("d", range(len(self.docs), 0, -1) if self.scores is None else self.scores).tolist()
        except (TypeError, OverflowError) as error:
            raise InputError(unreadable(as_bytes(self.query), error), None, self.line) from None


Batch = bytes | Columns | Ranked | dict[Any, Any]
"""What the kernel takes: TREC lines, columns, one ranking, a dict of dicts."""


Piece = Callable[[], Iterator[Batch]]
"""Opens a piece of a source, which a thread reads."""


def unwatched(size: int) -> None:
    """The `watch` of a run that is read without progress."""


def uncut(threads: int) -> Sequence[Piece]:
    """The `pieces` of what is read in one go."""
    return ()


@dataclass(frozen=True, eq=False)
class Run(Framed):
    """What a system answered; as a frame one row per document, best first: query_id, doc_id, rank, score.

    `to_dict`, frames, `cut` and `head` leave equal scores in the order of the run, as rules with `ties = "input"`
    do.

    Attributes:
        name: what to call it in tables and messages: a path or a given name.
        batches: opens the source anew and yields it batch by batch.
        path: the file behind it, if it is a plain TREC file.
        watch: called with the number of bytes that were just read, for a progress bar.
        saved: the Arrow table of its reading, where it was read already; it then has no batches.
        pieces: cuts the source, where queries begin, into at most this many pieces for threads; none if it cannot.
        files: the runs of the files that it consists of, where there are several.
        together: opens it as `batches` does, with the scattered rows of a query in one batch, where the source must
            put them together; None where the kernel can.
    """

    name: str
    batches: Callable[[], Iterator[Batch]] = field(repr=False)
    path: str | None = None
    watch: Callable[[int], None] = field(default=unwatched, repr=False)
    saved: Callable[[], Any] | None = field(default=None, repr=False)

    pieces: Callable[[int], Sequence[Piece]] = field(default=uncut, repr=False)
    files: Callable[[], Sequence[Run]] = field(default=tuple, repr=False)
    together: Callable[[], Iterator[Batch]] | None = field(default=None, repr=False)

    @classmethod
    def of_lists(cls, name: str, batches: Callable[..., Iterator[Batch]]) -> Run:
        """A run made of whole lists.

        Args:
            batches: opens it; takes `together`: whether the scattered rows of a query are put together.
        """
        return cls(name, partial(batches, together=False), together=partial(batches, together=True))

    def whole(self) -> Run:
        """The run with the rows of each query in one batch, where its source can put them together."""
        return self if self.together is None else replace(self, batches=self.together)

    def through(self, change: Callable[[Iterator[Batch]], Iterator[Batch]]) -> Run:
        """The run with its batches changed, or looked at, as they are read, by whichever way it is opened.

        Args:
            change: maps the batches to new ones; threads may call it, each for a piece or a file of the run.
        """

        def changed(opened: Callable[[], Iterator[Batch]]) -> Callable[[], Iterator[Batch]]:
            return lambda: change(opened())

        return replace(
            self,
            batches=changed(self.batches),
            path=None,
            pieces=lambda threads: [changed(piece) for piece in self.pieces(threads)],
            files=lambda: [each.through(change) for each in self.files()],
            together=None if self.together is None else changed(self.together),
        )

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{query: {document: score}}, each list best first; reads the run."""
        lists: dict[str, dict[str, float]] = self._idioms().to_dict(self)
        return lists

    def _flat_columns(self) -> dict[str, list[Any]]:
        """One row per document, best first."""
        columns: dict[str, list[Any]] = self._idioms().columns(self)
        return columns

    def cut(self, k: int) -> Run:
        """The run with the first k documents of each list; ties are cut in the order of the run."""
        shorter: Run = self._idioms().cut(self, k)
        return shorter

    def head(self, n: int = 5) -> Run:
        """The run with its first n queries."""
        first: Run = self._idioms().head(self, n)
        return first

    def save(self, path: str | os.PathLike[str], *, to: str | None = None) -> None:
        """Write the run to a file, all or nothing; `to` names the format where the path's ending does not."""
        self._idioms().save(self, path, to)

    def _idioms(self) -> Any:
        return import_module("truerank.formats.idioms")


Progress = Callable[[int, int], object]
"""Called with how far a long piece of work is: done, total; a total of 0 is not known."""


def has_calls(batch: Batch) -> bool:
    """Whether a batch of a run says which call returned its documents."""
    if isinstance(batch, Columns):
        return batch.calls is not None
    return isinstance(batch, Ranked) and batch.call is not None


def watching(progress: Progress, total: int) -> Callable[[int], None]:
    """A `watch` that adds up what it is told and reports the sum."""
    done = 0

    def watch(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return watch


def unreported(done: int, total: int) -> None:
    """The progress that nobody asked for: nothing happens."""


RunLike = Run | str | os.PathLike[str] | Mapping[Any, Any] | Iterable[Any]
"""A run, or what it is read from: a path, {query: {doc: score}}, {query: [docs]}, a frame, an Arrow table."""
