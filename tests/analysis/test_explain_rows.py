"""The rows of a few queries out of a run: the same lists, scores, calls and lines as they had in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.analysis.explain.rows import NO_CALLS, answers, only
from truerank.core.rankings import rankings
from truerank.core.run import Columns, Ranked, Run
from truerank.formats.rows import text_column

TEXT = (
    b"q1 Q0 q 1 3 t\nq Q0 a 1 2 t\n# q Q0 b 2 1 t\n\tq\tQ0 c 3 1 t\n\nq.1 Q0 q 1 1 t\n1 Q0 q 1 1 t\nq Q0 d 4 0.5 t"
)
QUERIES = [b"q", b"q1", b"q.1", b"1"]


def lists(run: Run, queries: list[bytes]) -> list[tuple[Any, ...]]:
    """Query, documents and scores of the lists of these queries, a row at a time."""
    rows = rankings(iter(list(run.batches())), run.name)
    return [
        (one.query, *row)
        for one in rows
        if one.query in queries
        for row in zip(one.docs, one.numbers(), strict=True)
    ]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_lines_of_some_queries_stay_where_they_are(mark: bytes) -> None:
    for place in range(len(mark), len(mark + TEXT) + 1):
        parts, seen = [(mark + TEXT)[:place], (mark + TEXT)[place:]], []
        run = Run("a.run", lambda parts=parts: iter(parts), watch=seen.append)
        for queries in ([b"q"], [b"q.1"], [b"q", b"1"], [b"z"]):
            few = only(run, queries)
            assert [(one.query, doc) for one in answers(few) for doc in one.docs] == [
                row[:2] for row in lists(run, queries)
            ]
            kept, whole = b"".join(few.batches()).split(b"\n"), TEXT.split(b"\n")  # type: ignore[arg-type]
            own = [number for number, line in enumerate(whole) if {*line.split()[:1]} & {*queries}]
            assert [kept[number] for number in own] == [whole[number] for number in own]
            assert sum(seen) == len(mark + TEXT)
            seen.clear()


def test_columns_of_some_queries_keep_their_lines_calls_and_what_their_scores_are() -> None:
    names, docs = [b"q", b"q1", b"q", b"1"], [b"a", b"bb", b"ccc", b"d"]
    plain = Columns(*text_column(names), *text_column(docs), np.array([-1.0, -1.0, -2.0, -1.0]))
    runs = plain._replace(query_ends=np.array([0, 1, 3]), query_text=b"qq1", runs=np.array([0, 3, 4]))
    full = plain._replace(lines=np.arange(4) + 7, calls=np.array([1, 1, 2, 1]), are_ranks=True)
    [part] = only(Run("r", lambda: iter([plain])), [b"q"]).batches()
    assert isinstance(part, Columns)
    assert (part.lines, part.calls, part.are_ranks) == (None, None, False)
    assert [one.docs for one in answers(only(Run("r", lambda: iter([runs])), [b"q"]))] == [[b"a", b"bb", b"ccc"]]
    part, end = only(Run("r", lambda: iter([full])), [b"q", b"1"]).batches()
    assert isinstance(part, Columns)
    assert (part.lines.tolist(), part.calls.tolist(), part.are_ranks) == ([7, 9, 10], [1, 2, 1], True)  # type: ignore[union-attr]
    assert end is NO_CALLS
    assert [
        *only(Run("r", lambda: iter([plain])), [b"z"]).batches(),
        *only(Run("r", lambda: iter([plain])), []).batches(),
    ] == []


def test_dicts_and_rankings_of_some_queries_are_those_of_the_run() -> None:
    def batches() -> Iterator[Any]:
        yield {"q": {"a": 1.0}, 1: {"b": 2.0}}
        yield {"q1": {"c": 1.0}}
        yield Ranked("q", ["d"])

    run = Run("r", batches, files=lambda: [Run("part", batches)])
    for queries in ([b"q"], [b"1", b"q1"], QUERIES):
        assert lists(only(run, queries), QUERIES) == lists(run, queries)
        assert lists(only(run, queries).files()[0], QUERIES) == lists(run, queries)
    assert len(list(only(run, [b"q"]).batches())) == 2


def test_an_explanation_of_ranks_shows_no_scores_and_names_the_lines_of_a_fault(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.csv"
    path.write_text("query_id,doc_id,rank\np,a,1\nq,b,1\nq,a,2\n")
    why = tr.explain({"q": {"a": 1}}, path, "q", "RR")
    assert (why.value, [doc.score for doc in why.documents]) == (0.5, [None, None])
    path.write_text("query_id,doc_id,score\np,a,1\nq,b,2\nq,a,1\nq,b,1\n")
    with pytest.raises(tr.InputError, match=r"a\.csv:5: .*(line|row) 3"):
        tr.explain({"q": {"a": 1}}, path, "q", "RR")
