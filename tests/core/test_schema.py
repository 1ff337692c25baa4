"""What values may be, and what is said of others: the kinds of rules, gates, options and measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

import numpy as np
import pytest

import truerank as tr
from truerank.core import schema
from truerank.core.schema import (
    NUMBER,
    POSITIVE,
    TEXT,
    TRUTH,
    Kind,
    kind_of,
    list_of,
    number,
    one_of,
    optional,
    whole,
)

SHARE = number("a share", 0)
FEW = whole("a few", 2, 5)


@pytest.mark.parametrize(
    ("kind", "allowed", "others"),
    [
        (
            NUMBER,
            [-1, 0.5, np.float32(2), np.int8(3), 2**70, 1.7976931348623157e308],
            [True, math.inf, -math.inf, math.nan, "1", 10**400],
        ),
        (SHARE, [0, 0.0, 5, np.float64(0.5)], [-0.1, False, None, math.inf, "x"]),
        (FEW, [2, 5, np.int64(4)], [1, True, 2.0, "2", np.bool_(True)]),
        (POSITIVE, [1, 10**30], [0, -1, True]),
        (TRUTH, [True, False], [0, 1, None]),
        (one_of(("a", 1)), ["a", 1], ["b", 1.0, 2, None, ["a"]]),
        (optional(FEW), [None, 2], [1, "x"]),
        (
            list_of(FEW, "some"),
            [[], [2], (5, 2), np.array([3])],
            [2, "22", b"22", {2: 3}, iter([2]), [2, 6], [2, 1]],
        ),
        (FEW | TEXT, [2, "x"], [1, None]),
    ],
)
def test_a_kind_allows_its_values_alone(kind: Kind, allowed: list[Any], others: list[Any]) -> None:
    assert [value for value in allowed if not kind.allows(value)] == []
    assert [value for value in others if kind.allows(value)] == []


def test_no_value_is_above_the_most() -> None:
    assert (FEW.checked("n", 5, tr.InputError), optional(FEW).checked("n", None, tr.InputError)) == (5, None)
    for kind in (FEW, optional(FEW)):
        with pytest.raises(tr.InputError, match=r"^n is 5 at most, not 6$"):
            kind.checked("n", 6, tr.InputError)
    with pytest.raises(tr.InputError, match=r"^n is a few, not 1$"):
        FEW.checked("n", 1, tr.InputError)
    with pytest.raises(tr.InputError, match=r"^n is a few, not one of thousands of digits$"):
        FEW.checked("n", -(10**5000), tr.InputError)
    with pytest.raises(tr.InputError, match=rf"^n is text, not .{'x' * 56}…$"):
        TEXT.checked("n", b"", tr.InputError, lambda value: f"'{'x' * 60}'")


def test_values_are_kept_as_python_s_own() -> None:
    kept = [NUMBER.checked("n", value, tr.InputError) for value in (np.float32(0.5), np.int8(3), 2, 0.25)]
    assert list(zip(kept, map(type, kept), strict=True)) == [(0.5, float), (3, int), (2, int), (0.25, float)]
    listed = list_of(FEW, "some").checked("n", np.array([3, 4]), tr.InputError)
    assert (listed, type(listed[0])) == ((3, 4), int)
    assert type(optional(NUMBER).checked("n", np.int8(3), tr.InputError)) is int
    assert optional(list_of(FEW, "some")).checked("n", None, tr.InputError) is None
    assert schema.plain(Decimal("0.5")) == Decimal("0.5")


def test_the_type_of_a_parameter_says_what_it_may_be() -> None:
    kinds: Mapping[Any, Kind] = {int: POSITIVE, str: TEXT}
    assert kind_of(int, kinds) is POSITIVE
    assert kind_of(Annotated[int, "a note", FEW], kinds) is FEW
    assert (kind_of(Annotated[int, "a note"], kinds), kind_of(bytes, kinds)) == (schema.ANYTHING,) * 2
    choice = kind_of(Literal["a", 2], kinds)
    assert (choice.words, choice.allows("a"), choice.allows("b")) == ("one of 'a', 2", True, False)
    for hint in (int | str, int | Literal["a"] | None):
        either = kind_of(hint, {**kinds, type(None): schema.NOTHING})
        assert (either.allows(3), either.allows("a"), either.allows(0)) == (True, True, False)
        assert either.allows(None) == (hint != int | str)
    assert kind_of(int | None, {int: POSITIVE, type(None): schema.NOTHING}).words == "a positive whole number"


def test_what_is_missing_is_told_from_what_is_there() -> None:
    pandas = pytest.importorskip("pandas")
    missing = [None, math.nan, np.float32("nan"), np.datetime64("NaT"), pandas.NA, pandas.NaT]
    there = ["", 0, False, [None], np.array([math.nan]), np.array([]), {}, np.datetime64("2020-01-01")]
    assert (list(map(schema.is_missing, missing)), list(map(schema.is_missing, there))) == ([True] * 6, [False] * 8)


def test_written_arguments_are_literals_of_one_call() -> None:
    assert schema.written_arguments(")") == []
    assert schema.written_arguments("-1, a=[2, 'x'], **{'b': 3})") == [("", -1), ("a", [2, "x"]), ("**", {"b": 3})]
    assert schema.named_arguments("a=1, b=None)") == {"a": 1, "b": None}
    for wrong in ("1", "1)(2)", "1) + 2", "a=b)", "1).real", "a=1)("):
        with pytest.raises(ValueError, match=r".*"):
            schema.written_arguments(wrong)
    for unnamed in ("1)", "a=1, **{'a': 2}, **{'b': 3})"):
        with pytest.raises(ValueError, match=r".*"):
            schema.named_arguments(unnamed)
    assert (schema.several_of(b"a"), schema.several_of({"a": 1}), schema.several_of([])) == ([b"a"], [{"a": 1}], [])
