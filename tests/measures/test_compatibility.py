"""Compat: the most that any ideal list gives, of preferences and of ideal lists."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from oracles_rb import overlap

DOCS = "abcdefg"

preferences = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0, 0.5, 1, 2]), max_size=5)
lists = st.lists(st.sampled_from(DOCS), unique=True, max_size=6)
persistence = st.sampled_from([0.0, 0.3, 0.95, 1.0])


def ideal_lists(grades: dict[str, float]) -> list[list[str]]:
    """Every order in which no document stands before a preferred one."""
    groups = [[doc for doc in grades if grades[doc] == grade] for grade in sorted(set(grades.values()) - {0})[::-1]]
    ways = itertools.product(*(itertools.permutations(group) for group in groups))
    return [list(itertools.chain(*way)) for way in ways]


@given(preferences, lists, persistence, st.booleans())
def test_it_is_the_most_of_all_ideal_lists(
    grades: dict[str, float], ranked: list[str], p: float, normalize: bool
) -> None:
    ideal = ideal_lists(grades)
    depth = max(len(ranked), len(ideal[0]))
    most = max(overlap(list(ranked), list(each), p, depth) for each in ideal)
    best = overlap(list(ideal[0]), list(ideal[0]), p, depth) if normalize else sum(p**d for d in range(depth))
    found = tr.evaluate({"q": grades}, {"q": ranked}, f"Compat(p={p}, normalize={normalize})")
    assert next(iter(found.mean.values())) == pytest.approx(most / best if best else 0, abs=1e-12)


@given(preferences)
def test_an_ideal_list_reaches_1(grades: dict[str, float]) -> None:
    for ideal in ideal_lists(grades):
        if ideal:
            assert tr.evaluate({"q": grades}, {"q": ideal}, "Compat").mean["Compat"] == pytest.approx(1)


@given(lists.filter(bool), lists, persistence)
def test_of_one_ideal_list_it_is_the_overlap_with_it(ideal: list[str], ranked: list[str], p: float) -> None:
    falling = {doc: len(ideal) - place for place, doc in enumerate(ideal)}
    depth = max(len(ideal), len(ranked))
    expected = overlap(list(ranked), list(ideal), p, depth) / overlap(list(ideal), list(ideal), p, depth)
    found = tr.evaluate({"q": falling}, {"q": ranked}, f"Compat(p={p})")
    assert next(iter(found.mean.values())) == pytest.approx(expected, abs=1e-12)


def test_only_the_order_of_the_preferences_counts() -> None:
    run = {"q": ["x", "b", "a"]}
    one, other = (tr.evaluate({"q": {"a": best, "b": 1}}, run, "Compat").mean for best in (2, 99.5))
    assert one == other


def test_a_document_that_counts_twice_takes_no_more_than_the_ideal_list_has() -> None:
    found = tr.evaluate({"q": {"a": 1}}, {"q": ["a", "a", "a"]}, "Compat", rules={"duplicates": "count"})
    assert found.mean == {"Compat": 1.0}
