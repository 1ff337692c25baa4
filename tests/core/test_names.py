"""Names and texts: ids as compact as text, in sequences that look and compare like tuples; dicts of judgements."""

from __future__ import annotations

import itertools
import pickle
from collections import UserDict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank import Qrels
from truerank.core.kernel.names import (
    Names,
    Texts,
    best_first,
    digits,
    gathered,
    judgements,
    numbered,
    numbered_within,
)

IDS = st.lists(st.binary(max_size=20), max_size=40, unique=True)


@given(IDS)
def test_names_are_a_sequence_like_the_tuple_of_them(ids):
    names = Names(ids)
    assert isinstance(names, Sequence)
    assert (names, list(names), len(names), repr(names)) == (tuple(ids), ids, len(ids), repr(tuple(ids)))
    assert [names[i] for i in range(-len(ids), len(ids))] == ids + ids
    assert names[1:3] == tuple(ids[1:3])
    assert [names.index(name) for name in ids] == list(range(len(ids)))
    assert b"\0not there" not in names
    assert (pickle.loads(pickle.dumps(names)), hash(names)) == (names, hash(tuple(ids)))
    assert names != Names([*ids, b"\0more"])


@given(IDS)
def test_names_in_order_are_sorted_and_say_where_each_stands(ids):
    names, place = Names(ids).in_order()
    assert list(names) == sorted(ids)
    if place is not None:
        assert [names[i] for i in place.tolist()] == ids


@given(st.lists(st.binary(min_size=1, max_size=20), max_size=40))
def test_ids_in_a_text_are_numbered_as_they_first_come(ids):
    ends = np.cumsum([len(name) for name in ids], dtype=np.int64)
    begins = ends - np.array([len(name) for name in ids], np.int64)
    names, places = numbered(b"".join(ids), begins, ends)
    assert list(names) == list(dict.fromkeys(ids))
    assert [names[place] for place in places.tolist()] == ids


@pytest.mark.parametrize(("begin", "end"), [(-1, 1), (0, 4), (2, 2), (2, 1), (5, 6)])
def test_ids_outside_of_the_text_are_refused(begin, end):
    with pytest.raises(IndexError, match="outside of the text, or empty"):
        numbered(b"abc", np.array([begin]), np.array([end]))


@given(st.lists(st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace").decode()), unique=True))
def test_texts_are_the_same_ids_as_text(ids):
    texts = Texts(Names([name.encode() for name in ids]))
    assert isinstance(texts, Sequence)
    assert (texts, list(texts), repr(texts)) == (tuple(ids), ids, repr(tuple(ids)))
    assert [texts[i] for i in range(len(ids))] == ids
    assert all(name in texts for name in ids)
    assert (*texts, "z") == (*ids, "z")
    assert (pickle.loads(pickle.dumps(texts)), hash(texts)) == (texts, hash(tuple(ids)))


def test_what_is_not_there_is_said():
    names = Names([b"a"])
    with pytest.raises(IndexError, match="there are 1 names"):
        names[1]
    with pytest.raises(ValueError, match="none of the names"):
        names.index(b"b")


class Mapped(UserDict):
    pass


GRADE = st.integers(-2, 5) | st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(max_size=6)


@given(st.dictionaries(TEXT, st.dictionaries(TEXT, GRADE, max_size=8), max_size=8))
def test_judgements_of_plain_dicts_are_those_of_any_mapping(queries):
    plain = Qrels.from_dict(queries)
    slow = Qrels.from_dict(Mapped({query: Mapped(docs) for query, docs in queries.items()}))
    assert plain.to_dict() == slow.to_dict()
    assert plain.queries == slow.queries


@pytest.mark.parametrize(
    "queries",
    [
        {1: {"a": 1}},
        {"q": {1: 1}},
        {"q": {"a": True}},
        {"q": {"a": np.float64(1)}},
        {"q": ["a"]},
        {"q": {"a": 10**400}},
        {"q": {"a": float("nan")}},
        {"q": {"\ud800": 1}},
        {1: {}, "q": {}},
    ],
)
def test_a_dict_with_anything_else_is_left_to_the_slower_reader(queries):
    assert judgements(queries) is None


NAMES = st.sampled_from([b"", b"a", b"ab", b"b"])
ROWS = st.lists(st.tuples(st.integers(0, 3), NAMES, st.sampled_from([0.0, 1.5])))


def columns(rows):
    """Rows by group: the groups, the text of the ids and where each ends, the scores."""
    rows = sorted(rows, key=lambda row: row[0])
    groups, names, scores = zip(*rows, strict=True) if rows else ((), (), ())
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    return rows, np.array(groups, np.int64), b"".join(names), ends, np.array(scores, float)


@given(ROWS)
def test_ids_are_numbered_within_their_groups(rows):
    rows, groups, text, ends, _ = columns(rows)
    first, place = numbered_within(groups, text, ends)
    different = list(dict.fromkeys((group, name) for group, name, _ in rows))
    assert place.tolist() == [different.index((group, name)) for group, name, _ in rows]
    assert [rows[i][:2] for i in first] == different


@given(ROWS, st.sampled_from(["doc-descending", "doc-ascending", "input"]))
def test_rows_of_each_group_are_put_best_first_and_equal_ones_by_the_rule(rows, ties):
    rows, groups, text, ends, scores = columns(rows)
    order = best_first(groups, scores, text, ends, ties).tolist()
    by_id = {"doc-descending": True, "doc-ascending": False}
    wanted = list(range(len(rows)))
    if ties in by_id:
        wanted.sort(key=lambda i: rows[i][1], reverse=by_id[ties])
    wanted.sort(key=lambda i: (rows[i][0], -rows[i][2]))
    assert [rows[i] for i in order] == [rows[i] for i in wanted]
    assert sorted(order) == list(range(len(rows)))


def test_rows_that_do_not_fit_their_text_are_refused():
    ends, one = np.array([1, 5]), np.array([0, 0])
    with pytest.raises(IndexError, match="outside of the text"):
        numbered_within(one, b"ab", ends)
    with pytest.raises(IndexError, match="outside of the text"):
        best_first(one, np.zeros(2), b"ab", ends)
    with pytest.raises(IndexError, match="ends before it begins"):
        numbered_within(one, b"ab", np.array([2, 1]))
    with pytest.raises(IndexError, match="ends before it begins"):
        best_first(one, np.zeros(2), b"ab", np.array([2, 1]))


def test_ids_are_gathered_from_a_text_and_not_from_outside_of_it():
    rng = np.random.default_rng(3)
    ids = [b"x" * int(n) + b"%d" % i for i, n in enumerate(rng.integers(0, 5, 50))]
    ends = np.cumsum([len(name) for name in ids])
    rows = rng.integers(0, 50, 200)
    after, text = gathered(b"".join(ids), ends, rows)
    begins = [0, *after.tolist()]
    assert [text[a:b] for a, b in itertools.pairwise(begins)] == [ids[row] for row in rows]
    for wrong in (-1, 50):
        with pytest.raises(IndexError, match="no such id"):
            gathered(b"".join(ids), ends, np.array([wrong]))
    for bad in ([1, 9], [3, 1], [-1, 2]):
        with pytest.raises(IndexError, match="outside of the text"):
            gathered(b"abc", np.array(bad), np.array([0, 1]))


@given(st.lists(st.integers(0, 18).flatmap(lambda power: st.integers(0, min(10 ** (power + 1), 2**63 - 1)))))
def test_numbers_are_written_in_digits_one_after_another(numbers):
    ends, text = digits(np.array(numbers, np.int64))
    assert [bytes(text[a:b]) for a, b in itertools.pairwise(ends.tolist())] == [b"%d" % n for n in numbers]
    assert len(text) == ends[-1]


def test_a_number_below_zero_has_no_digits():
    with pytest.raises(ValueError, match="below 0"):
        digits(np.array([3, -1]))
