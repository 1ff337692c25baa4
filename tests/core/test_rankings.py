"""Runs as whole rankings in Python: the same from whatever they come in, with the lines that they stand in."""

from __future__ import annotations

import numpy as np
import pytest

import truerank as tr
from truerank.core.rankings import are_ranks, lines, rankings, with_lines, without_scores
from truerank.core.run import Columns, Ranked
from truerank.formats.rows import text_column

TEXT = "\ufeffq Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\nr\tQ0 é 1 -1e3 t\nq Q0 c 1 0 t\n".encode()
REMARKED = TEXT.replace(b"\nr", b"\n# one two three four five\nr")
SPACED = REMARKED.replace(b"\nr", b"\n\nr").removesuffix(b"\n")
LISTS = [
    Ranked(b"q", [b"a", b"b"], [2.5, 1.5]),
    Ranked(b"r", ["é".encode()], [-1000.0]),
    Ranked(b"q", [b"c"], [0.0]),
]


def columns(rows, **more):
    queries, docs, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return Columns(*text_column(list(queries)), *text_column(list(docs)), np.array(scores, np.float64), **more)


@pytest.mark.parametrize("text", [TEXT, TEXT[:-1], REMARKED, SPACED])
def test_text_that_is_cut_anywhere_has_the_same_lists(text):
    assert list(rankings(iter([]))) == list(rankings(iter([b""]))) == []
    for place in range(3, len(text) + 1):
        parts = [text[:place], b"", *(bytes([byte]) for byte in text[place : place + 2]), text[place + 2 :]]
        assert list(rankings(iter(parts))) == LISTS
        assert list(lines(iter(parts))) == text[3:].removesuffix(b"\n").split(b"\n")


def test_columns_and_dicts_have_the_lists_of_their_rows():
    rows = [(one.query, doc, score) for one in LISTS for doc, score in zip(one.docs, one.scores, strict=True)]
    ends, ids = text_column([b"q", b"r", b"q"])
    in_runs = columns(rows)._replace(query_ends=ends, query_text=ids, runs=np.array([0, 2, 3, 4]))
    for batches in ([columns(rows)], [columns(rows[:1]), columns([]), columns(rows[1:])], [in_runs]):
        assert list(rankings(iter(batches))) == LISTS
    flags = {"are_ranks": True, "are_distances": True}
    assert list(rankings(iter([columns(rows, **flags)]))) == [one._replace(**flags) for one in LISTS]
    calls = columns(rows[:2], calls=np.array([1, 2]))
    assert [(one.call, one.docs) for one in rankings(iter([calls]))] == [(1, [b"a"]), (2, [b"b"])]
    assert list(rankings(iter([{"q": {"a": 2.5, "b": 1.5}, 7: {}}]))) == [LISTS[0], Ranked(b"7", [], [])]
    assert list(rankings(iter([Ranked("q", ["a", 7])]))) == [Ranked(b"q", [b"a", b"7"])]


@pytest.mark.parametrize("remark", ["", "# a remark\n"])
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("q Q0 c 3 nan t", "'nan' is no score"),
        ("q Q0 c 3 1_0 t", "'1_0' is no score"),
        ("q Q0 c 3 x t", "'x' is no score"),
        ("q Q0 c 3 1e999 t", "'1e999' is no score"),
        ("q Q0 c 3 1", "this one has 5"),
        ("q Q0 c 3 1\nq Q0 d 4 1 t t", "this one has 5"),
        ("q Q0 c 3 1 t q Q0 d 4 1 t t", "this one has more"),
    ],
)
def test_a_row_that_is_none_is_told_of_with_its_line(row, said, remark):
    parts = [TEXT, TEXT[3:], f"{remark}q Q0 d 1 1 t\n{row}\n".encode()]
    with pytest.raises(tr.InputError, match=rf"^a\.run:{11 if remark else 10}: .*{said}"):
        list(rankings(iter([*parts, TEXT[3:]]), "a.run"))


def test_rows_are_told_with_the_lines_that_they_stand_in():
    rows = [(b"q", b"a", 1.0), (b"q", b"b", 0.5)]
    for batches, expected in (
        ([SPACED[:20], SPACED[20:], b"\nq Q0 d 1 1 t\n"], [1, 2, 5, 6, 7]),
        ([columns(rows), columns(rows, lines=np.array([3, 9]))], [None, None, 3, 9]),
        ([Ranked("q", ["a", "b"], line=4), Ranked("r", ["a"])], [4, 4, None]),
        ([{"q": {"a": 1.0, "b": 2.0}, "r": {"a": 1.0}}], [None, None, None]),
    ):
        found: list[int | None] = []
        assert list(rankings(with_lines(iter(batches), found))) == list(rankings(iter(batches)))
        assert found == expected


def test_documents_with_an_order_alone_are_told_from_those_with_scores():
    rows = [(b"q", b"a", -1.0), (b"r", b"b", -1.0)]
    one = columns(rows[:1], are_ranks=True)
    ordered = [one, Ranked("q", ["a"]), Ranked("q", ["a"], [-1.0], are_ranks=True), columns(rows, are_ranks=True)]
    scored = [
        Ranked("q", []),
        Ranked("q", ["a"], [1.0]),
        columns(rows),
        columns([], are_ranks=True),
        TEXT,
        {"q": {}},
    ]
    assert (list(map(are_ranks, ordered)), list(map(are_ranks, scored))) == ([True] * 4, [False] * 6)
    assert [list(without_scores(batch)) for batch in ordered] == [[b"q"], [b"q"], [b"q"], [b"q", b"r"]]
    assert all(not list(without_scores(batch)) for batch in scored)
