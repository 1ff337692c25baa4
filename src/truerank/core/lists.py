"""The lists of a run, best first, one after another: for code that looks at every document of each list."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import Refused
from truerank.core.faults import Interleaved
from truerank.core.ids import NO_IDS, Ids
from truerank.core.qrels import NO_QRELS
from truerank.core.rules import DEEPEST, Rules
from truerank.core.run import Batch, Columns, Ranked, Run
from truerank.core.scan import Look, feed


@dataclass(frozen=True, eq=False)
class List:
    """The documents of one query, best first.

    Attributes:
        scores: (documents,) in descending order.
        docs: their ids.
        are_ranks, are_distances: whether the scores, here or in lists before, are negated ranks or distances.
    """

    scores: NDArray[np.float64]
    docs: Ids
    are_ranks: bool = False
    are_distances: bool = False

    def __len__(self) -> int:
        return len(self.scores)


EMPTY = List(np.empty(0), NO_IDS)


def lists(
    run: Run, rules: Rules, *, depth: int | None = None, together: bool = False
) -> Iterator[tuple[bytes, List]]:
    """Each query of a run with its list, ranked by the rules, in the order of the run.

    Args:
        rules: only ties, duplicates and score_precision matter here; where duplicates count, a document still
            stands in its first place only.
        depth: how many documents of each list are kept; all by default.
        together: the rows of queries may be scattered; the whole run is in memory then.

    Raises:
        Interleaved: the rows of a query are scattered, and not `together`.
        InputError: a line, a score or a repeated document that the rules refuse.
    """
    scanner = Look(NO_QRELS.judged, rules, depth or DEEPEST, every=True, interleaved=together).scanner()
    are_distances = False

    def noted(batches: Iterator[Batch]) -> Iterator[Batch]:
        nonlocal are_distances
        for batch in batches:
            are_distances |= isinstance(batch, Columns | Ranked) and batch.are_distances
            yield batch

    source = (run.whole() if together else run).through(noted)
    names: list[bytes] = []
    given = 0
    try:
        for done in feed(source, scanner):
            if done is None and together:
                continue
            rows, ids = scanner.taken() if done is None else (done[0], scanner.unjudged_ids)
            if len(rows) > len(ids[0]):  # of documents counted twice; ids are in the order of their first rows
                rows = rows[np.unique(rows["doc"], return_index=True)[1]]
            names += scanner.extra_from(given + len(names))
            whole = len(names) - (done is None)  # the last list may go on
            if whole > 0:
                yield from _cut(names[:whole], given, rows, Ids(*ids), (scanner.are_ranks, are_distances))
                names, given = names[whole:], given + whole
    except Refused:  # `feed` makes errors of the others
        raise Interleaved(scanner.here[0], run.name) from None


def _cut(
    names: Sequence[bytes], first: int, rows: NDArray[np.void], ids: Ids, are: tuple[bool, bool]
) -> Iterator[tuple[bytes, List]]:
    """The list of each query; `first` is the number that the first one has in the rows.

    Args:
        are: whether scores are negated ranks, and whether they are negated distances.
    """
    query, scores = rows["query"], np.ascontiguousarray(rows["score"])
    begins = np.flatnonzero(np.diff(query, prepend=-1)).tolist()
    places = dict(zip(query[begins].tolist(), itertools.pairwise([*begins, len(query)]), strict=True))
    starts = np.concatenate([[0], ids.ends])
    for number, name in enumerate(names, first):
        if number not in places:
            yield name, EMPTY
            continue
        a, b = places[number]
        text = ids.text[starts[a] : starts[b]]
        yield name, List(scores[a:b], Ids(ids.ends[a:b] - starts[a], text), *are)
