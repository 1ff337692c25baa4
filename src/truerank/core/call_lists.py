"""A run with several lists per query: read list by list, then as one list that knows where each call ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from truerank.core.calls import Calls
from truerank.core.errors import InputError, truncated
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import Message, message
from truerank.core.qrels import NO_QRELS, Ints, Qrels
from truerank.core.rankings import columns_ids
from truerank.core.rules import Rules
from truerank.core.run import Batch, Columns, Ranked, Run
from truerank.core.scan import EVERY_RANK, Scan, scan
from truerank.formats.rows import text_column


@dataclass(frozen=True, eq=False)
class _Lists:
    """What the kernel found in each list by itself, in the order of queries and, within each, of its calls.

    Attributes:
        scan: the scan of all of them, each as the answer to a query of its own.
        queries: the distinct queries.
        query, number: (lists,) the query of each list, and the number of its call; 0: there was no call.
        rows: (rows,) the places, in the scan's table, of the rows that count.
    """

    scan: Scan
    queries: Sequence[bytes]
    query: Ints
    number: Ints
    rows: Ints

    @property
    def list(self) -> Ints:
        """(rows,) the list that each row is in."""
        return self._column("query")

    def _column(self, name: str) -> Ints:
        column: Ints = self.scan.table[name][self.rows]
        return column

    def joined(self, rules: Rules, qrels: Qrels, name: str) -> Scan:
        """The scan of each query's lists joined into one, in which judged and repeated documents are found."""
        owner = self.query[self.list]
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        docs = text_column(self.scan.unjudged.some(self._column("doc")))
        names = text_column([self.queries[query] for query in owner[starts].tolist()])
        columns = Columns(
            *names, *docs, -np.arange(len(owner), dtype=np.float64), None, np.append(starts, len(owner))
        )
        silent = set(range(len(self.queries))) - set(owner[starts].tolist())
        batches: list[Batch] = [columns, *(Ranked(self.queries[query], []) for query in sorted(silent))]
        how = "count" if rules.duplicates in ("count", "once") else "first"
        return scan(
            Run(name, lambda: iter(batches)), qrels.judged, Rules(ties="input", duplicates=how), keep=EVERY_RANK
        )


def scan_calls(run: Run, qrels: Qrels, rules: Rules, keep: int) -> Scan:
    """What the kernel finds in a run that has several lists per query; the arguments are those of `scan`.

    Raises:
        InputError: as for `scan`; or only some of the queries have calls, or one is not numbered from 1 on.
    """
    lists = _read(run, rules)
    whole = lists.joined(rules, qrels, run.name)
    table = whole.table[np.lexsort((whole.table["rank"], whole.table["query"]))]
    at = (-table["score"]).astype(np.int64)
    of, own = lists.list[at], lists.scan.table[lists.rows[at]]
    table["score"] = own["score"]
    is_new = (np.diff(of, prepend=-1) != 0) | (np.diff(own["first"], prepend=-1) != 0)
    group, starts = np.cumsum(is_new) - 1, np.flatnonzero(is_new)
    ends = np.append(starts, len(table))[1:] - 1
    table["first"], table["last"] = table["rank"][starts][group], table["rank"][ends][group]
    place = {query: number for number, query in enumerate(qrels.queries)}
    judged = np.array([place.get(query, -1) for query in lists.queries], np.int64)[lists.query]
    counted = rules.duplicates in ("count", "once")
    repeats = whole.repeats if counted else _repeats(lists.scan.repeats, judged, len(qrels))
    return whole._replace(
        tables=[table[(table["doc"] < len(qrels.grades)) | (table["rank"] <= keep)]],
        rows=lists.scan.rows,
        interleaved=lists.scan.interleaved,
        repeats=repeats,
        scoring=lists.scan.scoring,
        calls=None if rules.calls == "last" else _calls(lists, judged, np.bincount(of, minlength=len(judged))),
    )


def _read(run: Run, rules: Rules) -> _Lists:
    owner: dict[bytes, tuple[bytes, int]] = {}
    scanned = scan(_keyed(run, owner), NO_QRELS.judged, rules, keep=EVERY_RANK, every=True)
    named = [owner[key] for key in scanned.extra]
    queries = sorted({query for query, _ in named})
    place = {query: number for number, query in enumerate(queries)}
    query = np.array([place[name] for name, _ in named], np.int64)
    number = np.array([number for _, number in named], np.int64)
    unit, rank = scanned.table["query"], scanned.table["rank"]
    rows = np.lexsort((rank, number[unit], query[unit]))
    if rules.calls == "last":
        last = np.zeros(len(queries), np.int64)
        np.maximum.at(last, query, number)
        rows = rows[(number == last[query])[unit[rows]]]
    return _Lists(scanned, queries, query, number, rows)


def _calls(lists: _Lists, judged: Ints, kept: Ints) -> Calls:
    """Where the lists of the judged queries end.

    Args:
        judged: (lists,) the judged query of each; -1 for none.
        kept: (lists,) how many documents are left in each.
    """
    chosen = np.flatnonzero((judged >= 0) & (lists.number > 0))
    chosen = chosen[np.lexsort((lists.number[chosen], judged[chosen]))]
    query, left = judged[chosen], kept[chosen]
    total = np.cumsum(left)
    is_first = np.diff(query, prepend=-1) != 0
    before = (total - left)[is_first][np.cumsum(is_first) - 1]
    return Calls(query, lists.number[chosen], total - before, lists.scan.returned[chosen] - left)


def _repeats(repeats: Ints | None, judged: Ints, queries: int) -> Ints | None:
    """(queries,) how many rows of each query repeat a document within a list; None where no row does."""
    if repeats is None:
        return None
    there = judged >= 0
    return np.bincount(judged[there], repeats[there], queries).astype(np.int64)


def _keyed(run: Run, owner: dict[bytes, tuple[bytes, int]]) -> Run:
    """The run with a query of its own for each list; `owner` is filled with the query and the call behind each."""
    return run.through(lambda batches: (_by_call(batch, owner, run.name) for batch in batches))


def _by_call(batch: Batch, owner: dict[bytes, tuple[bytes, int]], name: str) -> Batch:
    if isinstance(batch, Ranked) and (batch.call is not None or not len(batch.docs)):
        if batch.call is not None and batch.call < 1:
            raise InputError(_below_1(as_bytes(batch.query), batch.call), name, batch.line)
        return batch._replace(query=_key(as_bytes(batch.query), batch.call or 0, owner), call=None)
    if not isinstance(batch, Columns) or batch.calls is None:
        raise InputError(
            "some queries have several lists, one per call, and others one list: a list of one call is [[…]], "
            "or has call 1",
            name,
        )
    _refuse_numbers(batch, name)
    pairs = list(zip(columns_ids(batch)[0], batch.calls.tolist(), strict=True))
    keys, starts, at = [], [], 0
    for pair, group in groupby(pairs):
        keys.append(_key(*pair, owner))
        starts.append(at)
        at += sum(1 for _ in group)
    runs = np.array([*starts, at], np.int64)
    query_ends, query_text = text_column(keys)
    return batch._replace(query_ends=query_ends, query_text=query_text, runs=runs, calls=None)


def _key(query: bytes, call: int, owner: dict[bytes, tuple[bytes, int]]) -> bytes:
    """The query id that stands for a list, also in messages."""
    key = b"%b (call %d)" % (query, call)
    owner[key] = query, call
    return key


def _refuse_numbers(batch: Columns, name: str) -> None:
    assert batch.calls is not None
    wrong = batch.calls < 1
    if wrong.any():
        row = int(wrong.argmax())
        line = None if batch.lines is None else int(batch.lines[row])
        raise InputError(_below_1(list(columns_ids(batch)[0])[row], int(batch.calls[row])), name, line)


def _below_1(query: bytes, call: int) -> Message:
    return message("query {query} has call {call}; calls are numbered from 1", query=truncated(query), call=call)
