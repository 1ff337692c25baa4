"""Runs that are not yet read: the ways to open them, and what becomes of their batches."""

from __future__ import annotations

import numpy as np
import pytest

import truerank as tr
from truerank.core.run import Columns, Ranked, Run, has_calls, watching


def opened(name: str):
    return lambda: iter([Ranked(name, ["a"])])


def test_a_change_is_that_of_a_run_in_whichever_way_it_is_read():
    def renamed(batches):
        return (batch._replace(query=batch.query.upper()) for batch in batches)

    run = Run(
        "r",
        opened("q"),
        path="r.run",
        pieces=lambda threads: [opened(f"piece{number}") for number in range(threads)],
        files=lambda: [Run("file", opened("file"))],
        together=opened("whole"),
    )
    changed = run.through(renamed)
    ways = [changed, changed.whole(), *changed.files()]
    assert [[batch.query for batch in way.batches()] for way in ways] == [["Q"], ["WHOLE"], ["FILE"]]
    assert [batch.query for piece in changed.pieces(2) for batch in piece()] == ["PIECE0", "PIECE1"]
    assert (changed.name, changed.path, changed.watch, changed.saved) == ("r", None, run.watch, None)
    assert Run("r", opened("q")).through(renamed).together is None
    assert (run.path, [batch.query for batch in run.batches()]) == ("r.run", ["q"])


def test_a_run_of_whole_lists_puts_rows_together_where_it_is_asked_to():
    run = Run.of_lists("r", lambda together: iter([Ranked(str(together), [])]))
    assert [batch.query for way in (run, run.whole()) for batch in way.batches()] == ["False", "True"]


def test_documents_without_scores_are_numbered_from_the_last():
    assert Ranked("q", ["a", "b", "c"]).numbers() == [3.0, 2.0, 1.0]
    assert Ranked("q", ["a", "b"], [1, np.float32(0.5)]).numbers() == [1.0, 0.5]
    for wrong in (["1"], [None], [10**400]):
        with pytest.raises(tr.InputError, match=r"^the answer to query q cannot be read: "):
            Ranked("q", ["a"], wrong).numbers()


def test_what_is_read_of_a_run_adds_up():
    seen: list[tuple[int, int]] = []
    watch = watching(lambda done, total: seen.append((done, total)), 9)
    watch(2)
    watch(5)
    assert seen == [(2, 9), (7, 9)]


def test_batches_tell_of_their_calls_and_of_the_ids_of_their_rows():
    ends = np.array([0, 1, 2])
    rows = Columns(ends, b"qr", np.array([0, 1, 2, 3]), b"abc", np.zeros(3), runs=np.array([0, 2, 3]))
    assert (rows.queries.tolist(), rows._replace(runs=None).queries.tolist()) == ([0, 0, 1], [0, 1])
    called = [rows._replace(calls=np.ones(3, np.int64)), Ranked("q", [], call=1)]
    assert [has_calls(batch) for batch in (*called, rows, Ranked("q", []), {}, b"")] == [True] * 2 + [False] * 4
