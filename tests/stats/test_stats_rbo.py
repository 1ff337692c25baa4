"""Rank-biased overlap with ties and bounds: against brute force, the paper's formulas and its authors' figures."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerank import stats

Groups = list[tuple[str, ...]]
"""A list as its groups of equals."""

THINGS = "abcdefg"

persistence = st.sampled_from([0.2, 0.5, 0.8, 0.9])


@st.composite
def tied(draw: st.DrawFn, most: int = 5) -> Groups:
    things = draw(st.lists(st.sampled_from(THINGS), unique=True, min_size=1, max_size=most))
    ends = [draw(st.booleans()) for _ in things]
    groups: list[list[str]] = [[]]
    for thing, is_end in zip(things, ends, strict=True):
        groups[-1].append(thing)
        groups += [[]] if is_end else []
    return [tuple(group) for group in groups if group]


def as_sets(groups: Groups) -> list[Any]:
    return [set(group) if len(group) > 1 else group[0] for group in groups]


def orders(groups: Groups) -> Iterator[tuple[str, ...]]:
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield tuple(itertools.chain(*parts))


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


DEEP = 400
"""Ranks that are summed one by one; what is below weighs less than 1e-12 at p = 0.9 and less."""


def weighed(agreement: list[float], p: float) -> float:
    """Agreement at each depth, the last one for ever after."""
    inside = math.fsum((1 - p) * p**i * each for i, each in enumerate(agreement))
    return inside + p ** len(agreement) * agreement[-1]


# Each definition by itself: how much of a thing a list has at a depth, and what two lists have in common there.


def had_w(groups: Groups, thing: str, depth: int) -> Fraction:
    """Equals are all at the first of their ranks."""
    above = 0
    for group in groups:
        if thing in group:
            return Fraction(above + 1 <= depth)
        above += len(group)
    return Fraction(0)


def had_a(groups: Groups, thing: str, depth: int) -> Fraction:
    """The share of all orders in which it is among the first ones, by counting the orders."""
    ways = list(orders(groups))
    return Fraction(sum(thing in way[:depth] for way in ways), len(ways))


def agreed(a: Groups, b: Groups, depth: int, ties: str) -> float:
    """The agreement at a depth of lists that are long enough."""
    had = had_w if ties == "w" else had_a
    things = {thing for group in (*a, *b) for thing in group}
    of_a, of_b = ([had(groups, thing, depth) for thing in sorted(things)] for groups in (a, b))
    both = sum(x * y for x, y in zip(of_a, of_b, strict=True))
    if ties == "w":
        return float(2 * both / (sum(of_a) + sum(of_b)))
    if ties == "a":
        return float(both / depth)
    return float(both) / math.sqrt(sum(x * x for x in of_a) * sum(y * y for y in of_b))


def continued(groups: Groups, more: Sequence[str]) -> Groups:
    return [*groups, *((thing,) for thing in more)]


def whole(a: Groups, b: Groups, p: float, ties: str) -> float:
    """Of lists of one length, which go on with the same; what is beyond their end does not change."""
    length = sum(map(len, a))
    return weighed([agreed(a, b, depth, ties) for depth in range(1, length + 1)], p)


def lists_of(groups: Groups) -> set[str]:
    return {thing for group in groups for thing in group}


@settings(max_examples=60, deadline=None)
@given(tied(4), tied(4), persistence)
def test_rbo_a_is_the_mean_of_rbo_over_all_orders_of_the_ties(a: Groups, b: Groups, p: float) -> None:
    pairs = list(itertools.product(orders(a), orders(b)))
    for unseen in ("min", "ext") if len(lists_of(a)) == len(lists_of(b)) else ("min",):
        expected = mean([stats.rbo(one, other, p, unseen=unseen) for one, other in pairs])
        assert stats.rbo(as_sets(a), as_sets(b), p, ties="a", unseen=unseen) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(tied(4), tied(4), st.sampled_from("wab"), st.sampled_from([0.2, 0.5, 0.8]))
def test_the_least_is_what_lists_come_to_that_go_on_with_other_things(
    a: Groups, b: Groups, ties: str, p: float
) -> None:
    size = max(len(lists_of(a)), len(lists_of(b)))
    long = [
        continued(each, [f"{name}{i}" for i in range(size - len(lists_of(each)))])
        for name, each in zip("xy", (a, b), strict=True)
    ]
    shared = len(lists_of(a) & lists_of(b))
    agreement = [agreed(*long, depth, ties) for depth in range(1, size + 1)]
    agreement += [shared / depth for depth in range(size + 1, DEEP)]
    least = weighed([*agreement, 0.0], p)
    assert stats.rbo(as_sets(a), as_sets(b), p, ties=ties, unseen="min") == pytest.approx(least, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(tied(4), tied(4), st.sampled_from("wab"), persistence)
def test_the_most_is_the_best_of_all_ways_in_which_both_lists_could_go_on(
    a: Groups, b: Groups, ties: str, p: float
) -> None:
    all_things = sorted(lists_of(a) | lists_of(b))
    ways = [
        [
            continued(each, more)
            for more in itertools.permutations([t for t in all_things if t not in lists_of(each)])
        ]
        for each in (a, b)
    ]
    best = max(whole(one, other, p, ties) for one, other in itertools.product(*ways))
    assert stats.rbo(as_sets(a), as_sets(b), p, ties=ties, unseen="max") == pytest.approx(best, abs=1e-12)


def extrapolated(a: Groups, b: Groups, p: float, ties: str) -> float:
    """The paper's extrapolation, thing by thing: what the shorter list lacks agrees as all of it did."""
    short, long = sorted((a, b), key=lambda groups: len(lists_of(groups)))
    s, l = len(lists_of(short)), len(lists_of(long))  # noqa: E741
    had = had_w if ties == "w" else had_a
    at_s = agreed(short, long, s, ties)
    agreement = [agreed(short, long, depth, ties) for depth in range(1, s + 1)]
    for depth in range(s + 1, l + 1):
        in_long = {thing: had(long, thing, depth) for thing in lists_of(long)}
        seen = sum(in_long.get(thing, Fraction(0)) for thing in lists_of(short))
        begun = [value for thing, value in in_long.items() if thing not in lists_of(short) and value]
        overlap = float(seen) + (depth - s) * at_s * float(sum(begun) / len(begun))
        sizes = {
            "w": (depth + float(sum(in_long.values()))) / 2,
            "a": depth,
            "b": math.sqrt(depth * float(sum(value * value for value in in_long.values()))),
        }
        agreement.append(overlap / sizes[ties])
    shared = len(lists_of(a) & lists_of(b))
    agreement.append((shared + (l - s) * at_s) / l)
    return weighed(agreement, p)


@settings(max_examples=80, deadline=None)
@given(tied(5), tied(5), st.sampled_from("wab"), persistence)
def test_the_extrapolation_is_the_papers(a: Groups, b: Groups, ties: str, p: float) -> None:
    found = stats.rbo(as_sets(a), as_sets(b), p, ties=ties)
    assert found == pytest.approx(extrapolated(a, b, p, ties), abs=1e-12)
    assert found == stats.rbo(as_sets(b), as_sets(a), p, ties=ties)


@given(tied(7), tied(7), st.sampled_from("wab"), persistence)
def test_the_bounds_hold_the_extrapolation_and_are_as_far_apart_as_the_residual(
    a: Groups, b: Groups, ties: str, p: float
) -> None:
    least, found, most, residual = (
        stats.rbo(as_sets(a), as_sets(b), p, ties=ties, unseen=unseen) for unseen in ("min", "ext", "max", "res")
    )
    assert 0 <= least <= found + 1e-12
    assert found <= most + 1e-12
    assert most <= 1
    assert residual == pytest.approx(most - least, abs=1e-15)


@given(tied(7), tied(7), persistence)
def test_corrected_for_ties_it_is_not_smaller_and_a_list_agrees_wholly_with_itself(
    a: Groups, b: Groups, p: float
) -> None:
    for unseen in ("ext", "min", "max"):
        by_a, by_b = (stats.rbo(as_sets(a), as_sets(b), p, ties=ties, unseen=unseen) for ties in ("a", "b"))
        assert by_a <= by_b + 1e-12
    for ties in ("w", "b"):
        assert stats.rbo(as_sets(a), as_sets(a), p, ties=ties) == pytest.approx(1, abs=1e-12)


@given(
    st.permutations("abcdef"), st.permutations("defghi"), persistence, st.sampled_from(["ext", "min", "max", "res"])
)
def test_without_ties_all_variants_are_one_to_the_bit(
    one: list[str], other: list[str], p: float, unseen: str
) -> None:
    assert len({stats.rbo(one, other[:4], p, ties=ties, unseen=unseen) for ties in ("w", "a", "b")}) == 1


def read(text: str) -> list[Any]:
    """A list as the paper's authors write it, a group of equals in parentheses."""
    parts = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return [set(group.split()) if group else thing for group, thing in parts]


COLOURS = ("red (blue green) yellow pink", "(blue red) white (yellow black purple) green", 0.95)

PUBLISHED: dict[tuple[str, str, float], dict[str, tuple[float, ...]]] = {
    COLOURS: {
        "w": (0.7068257, 0.3429684, 0.9049857, 0.5620173),
        "a": (0.6922853, 0.3310519, 0.8930692, 0.5620173),
        "b": (0.7207131, 0.3509163, 0.9129336, 0.5620173),
    },
    ("i13 (i1 i4 i5 i6)", "i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2", 0.92238320668128): {
        "w": (0.117578490431637, 0.0763135264223449, 0.53999366118093, 0.463680134758586),
        "a": (0.114619469221414, 0.0733545052121218, 0.537945108035391, 0.464590602823269),
        "b": (0.11474835409049, 0.0734833900811979, 0.538589532380772, 0.465106142299574),
    },
    ("(i4 i7 i15) (i2 i11) i8 i18", "i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)", 0.955836875418683): {
        "w": (0.601671359995661, 0.310498723372055, 0.820912519608734, 0.510413796236679),
        "a": (0.584235464666522, 0.295503371358027, 0.805839323150565, 0.510335951792538),
        "b": (0.632087129618464, 0.322093781902212, 0.833840285843908, 0.511746503941696),
    },
    ("(i5 i20) (i3 i8 i10 i11) i13", "(i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 i13)", 0.956020041658117): {
        "w": (0.640387430188247, 0.323506576285529, 0.805416533963823, 0.481909957678294),
        "a": (0.536528176569959, 0.26353157133526, 0.741980233847526, 0.478448662512266),
        "b": (0.650587440650316, 0.324674914963379, 0.806877156763621, 0.482202241800242),
    },
    (
        "i21 i20 (i1 i16 i19) (i5 i10) i4",
        "(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9",
        0.930074017489188,
    ): {
        "w": (0, 0, 0.389142712252727, 0.389142712252727),
        "a": (0, 0, 0.38977330351866, 0.38977330351866),
        "b": (0, 0, 0.390116806797613, 0.390116806797613),
    },
    ("(i1 i9 i15 i17) i13 i4 i3 i2", "(i1 i17) i15 i9 i13 i4 (i2 i3) i14", 0.959906916802432): {
        "w": (0.966438584453973, 0.512284507728805, 0.966438584453973, 0.454154076725168),
        "a": (0.939211367148046, 0.485057290422878, 0.939211367148046, 0.454154076725168),
        "b": (0.970894528910972, 0.516740452185804, 0.970894528910972, 0.454154076725168),
    },
    ("i4 (i2 i14) i7 i5 i3", "(i9 i13) (i6 i8) i1 i5 i10 i15 i11", 0.986650551181127): dict.fromkeys(
        "wab", (0.155835200392091, 0.02839705430193, 0.89085092447296, 0.86245387017103)
    ),
    ("(i10 i14) (i2 i3 i16) i13 i1", "i9 i20 i18 i12 (i3 i5 i6 i7 i8 i11 i17 i19) i4", 0.98496019871247): {
        "w": (0.117114851878749, 0.0300071092505963, 0.84393297653816, 0.813925867287563),
        "a": (0.0921370421050709, 0.0258621660342505, 0.841111356397296, 0.815249190363046),
        "b": (0.0964419311721391, 0.026484103685585, 0.842893810595092, 0.816409706909507),
    },
}
"""Two lists and p, and of each variant ext, min, max and res: figures that the paper's authors publish beside it,
the worked example of their instructions and some of their test values."""


@pytest.mark.parametrize("case", PUBLISHED)
def test_it_equals_the_figures_of_the_papers_authors(case: tuple[str, str, float]) -> None:
    x, y, p = case
    digits = 5e-8 if case == COLOURS else 1e-12
    for ties, expected in PUBLISHED[case].items():
        found = [
            stats.rbo(read(x), read(y), p, ties=ties, unseen=unseen) for unseen in ("ext", "min", "max", "res")
        ]
        assert found == pytest.approx(expected, rel=0, abs=digits)


def test_of_empty_lists_nothing_is_known() -> None:
    assert [stats.rbo([], [], unseen=unseen) for unseen in ("ext", "min", "max", "res")] == [1, 0, 1, 1]
    found = [stats.rbo([], "ab", unseen=unseen) for unseen in ("ext", "min", "max")]
    assert found == pytest.approx([0, 0, 1], abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"ties": "c"}, "ties is one of w, a, b, not 'c'"),
        ({"unseen": "mid"}, "unseen is one of ext, min, max, res, not 'mid'"),
        ({"list_a": [{"a", "b"}, "a"]}, "holds each thing once"),
    ],
)
def test_what_is_asked_wrongly_is_said(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        stats.rbo(**{"list_a": "ab", "list_b": "ba", **arguments})
