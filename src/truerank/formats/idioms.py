"""Methods of `Run` that read its lists: as a dict or a frame, cut, written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from truerank.core.errors import InputError, in_utf8
from truerank.core.faults import Interleaved
from truerank.core.kernel.scanning import as_text
from truerank.core.lists import List, lists
from truerank.core.rules import DEEPEST, Rules
from truerank.core.run import Batch, Ranked, Run
from truerank.core.schema import POSITIVE
from truerank.formats.converting import convert

RULES = Rules(ties="input")
"""How lists are ranked: by score, equal ones as the run has them, so that no rules see another order of ties."""


def _lists(run: Run) -> Iterator[tuple[str, List]]:
    """Each query with its list; the rows of queries may be scattered."""
    if run.saved:
        raise InputError("this is a reading, which has no lists any more", run.name)
    try:
        pairs = list(lists(run, RULES))
    except Interleaved:
        pairs = list(lists(run, RULES, together=True))
    return ((as_text(query), each) for query, each in pairs)


def to_dict(run: Run) -> dict[str, dict[str, float]]:
    """{query: {document: score}}."""
    return {
        query: dict(zip(map(as_text, each.docs), each.scores.tolist(), strict=True)) for query, each in _lists(run)
    }


def columns(run: Run) -> dict[str, list[Any]]:
    """One row per document."""
    table: dict[str, list[Any]] = {"query_id": [], "doc_id": [], "rank": [], "score": []}
    for query, each in _lists(run):
        table["query_id"] += [query] * len(each)
        table["doc_id"] += map(as_text, each.docs)
        table["rank"] += range(1, len(each) + 1)
        table["score"] += each.scores.tolist()
    return table | {name: in_utf8(table[name]) for name in ("query_id", "doc_id")}


def cut(run: Run, k: int) -> Run:
    """The first k documents of each list; ties are cut in the order of the run."""
    depth = min(POSITIVE.checked("k", k, InputError), DEEPEST)
    return _of_lists(run, partial(lists, run, RULES, depth=depth))


def head(run: Run, n: int) -> Run:
    """The first n queries."""
    most = min(POSITIVE.checked("n", n, InputError), DEEPEST)
    return _of_lists(run, partial(_first, most, run))


def _first(n: int, run: Run, *, together: bool) -> Iterator[tuple[bytes, Any]]:
    """The first n lists; all rows are read, as rows of the first queries may be scattered among the others."""
    every = lists(run, RULES, together=together)
    yield from islice(every, n)
    for _ in every:
        pass


def _of_lists(run: Run, some: Any) -> Run:
    return Run.of_lists(run.name, partial(_batches, some))


def _batches(some: Any, together: bool) -> Iterator[Batch]:
    return (_batch(query, each) for query, each in some(together=together))


def _batch(query: bytes, own: List) -> Batch:
    """A list with what it was read with: scores, ranks or distances."""
    is_order = own.are_ranks and np.array_equal(own.scores, -np.arange(len(own)))  # no more is known
    return Ranked(
        query,
        list(own.docs),
        None if is_order else own.scores.tolist(),
        are_ranks=own.are_ranks,
        are_distances=own.are_distances,
    )


def save(run: Run, path: str | os.PathLike[str], to: str | None) -> None:
    """Write the run."""
    convert(run, path, "run", to)
