"""On paper: how far a measure's reader gets, at what cost, and what unjudged documents leave open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.derived import hits_of
from truerank.analysis.explain.worked.form import Line, Step, Sum, Worked, added, divided, whole
from truerank.analysis.explain.worked.registry import works
from truerank.core.messages import message
from truerank.measures.cwl.walks import Walk
from truerank.measures.parameters import Cost


def _walk(case: Case, of: str, level: float, cost: Cost | None = None, *, hopeful: bool = False) -> Walk:
    from truerank.measures.cwl.expectations import read_as  # a family, which registers in its turn

    return read_as(of, level, cost).walk(hits_of(case), hopeful=hopeful)


def _seen(case: Case, walk: Walk, of: str, each: Any = None) -> Sum:
    """What the judged documents add: the chance that each is read, or that times a number of each."""
    by_rank = {hit.rank: hit for hit in case.hits}
    chances = walk.reaching.tolist()
    numbers = [None] * len(chances) if each is None else each.tolist()
    rows = zip(walk.rows.rank.tolist(), chances, numbers, strict=True)
    steps = (
        Step(by_rank[rank], "{}", (chance,), chance)
        if number is None
        else Step(by_rank[rank], "{} × {}", (chance, whole(number)), chance * number)
        for rank, chance, number in rows
    )
    return added("Σ", of, steps)


def _one(values: Any) -> float:
    return float(values[0])


def _others(walk: Walk) -> Line:
    return Line("U", message("others that the reader reads on average"), _one(walk.others))


@works("ED")
def depth(case: Case, *, of: str, level: float) -> Worked:
    """The judged documents that are read, and the others."""
    walk = _walk(case, of, level)
    read, others = _seen(case, walk, message("the chance that it is read")), _others(walk)
    total = Line(case.measure, "{} + {}", _one(walk.items), (read.value, others.value))
    return Worked((read,), (Line("Σ", message("the sum"), read.value), others, total))


def _priced(case: Case, walk: Walk, name: str) -> tuple[Sum, list[Line]]:
    """What reading costs, the last line of which has this name."""
    paid, others = _seen(case, walk, message("the chance that it is read × its cost"), walk.cost), _others(walk)
    numbers = paid.value, others.value, whole(walk.other_cost)
    total = Line(name, "{} + {} × {}", _one(walk.price), numbers)
    return paid, [Line("Σ", message("the sum"), paid.value), others, total]


@works("ETC")
def total_cost(case: Case, *, of: str, cost: Cost | None, level: float) -> Worked:
    """What the judged documents that are read cost, and the others."""
    paid, lines = _priced(case, _walk(case, of, level, cost), case.measure)
    return Worked((paid,), tuple(lines))


@works("EC")
def cost(case: Case, *, of: str, cost: Cost | None, level: float) -> Worked:
    """The cost of what is read, by how much that is."""
    walk = _walk(case, of, level, cost)
    paid, lines = _priced(case, walk, "ETC")
    items = _items(walk)
    return Worked((paid,), (*lines, items, divided(case.measure, _one(walk.price), items.value)))


def _open(case: Case, low: Walk, high: Walk, parts: Callable[[Walk], list[Line]]) -> Worked:
    """What the measure is as judged, what it were at best, and the difference."""
    as_judged, at_best = parts(low), parts(high)
    below, above = as_judged[-1].value, at_best[-1].value
    between = (
        Line("U", message("documents unjudged or not returned, read on average"), _one(low.others)),
        *as_judged,
        Line("U", message("the same, if each of them had the best gain"), _one(high.others)),
        *at_best,
    )
    return Worked((), (*between, Line(case.measure, "{} − {}", above - below, (above, below))))


def _walks(case: Case, of: str, level: float, cost: Cost | None = None) -> tuple[Walk, Walk]:
    return _walk(case, of, level, cost), _walk(case, of, level, cost, hopeful=True)


def _utility(walk: Walk) -> Line:
    return Line("ETU", message("what is found in all"), _one(walk.utility))


def _items(walk: Walk) -> Line:
    return Line("ED", message("documents that the reader reads on average"), _one(walk.items))


def _price(walk: Walk) -> Line:
    return Line("ETC", message("what they cost"), _one(walk.price))


def _rate(name: str, top: Line, bottom: Line) -> list[Line]:
    return [top, bottom, divided(name, top.value, bottom.value)]


@works("ResETU")
def open_utility(case: Case, *, of: str, level: float) -> Worked:
    """What more could be found."""
    return _open(case, *_walks(case, of, level), lambda walk: [_utility(walk)])


@works("ResED")
def open_depth(case: Case, *, of: str, level: float) -> Worked:
    """How much deeper the reader could get."""
    return _open(case, *_walks(case, of, level), lambda walk: [_items(walk)])


@works("ResETC")
def open_cost(case: Case, *, of: str, cost: Cost | None, level: float) -> Worked:
    """How much more it could cost."""
    return _open(case, *_walks(case, of, level, cost), lambda walk: [_price(walk)])


@works("ResEU")
def open_rate(case: Case, *, of: str, level: float) -> Worked:
    """How much more could be found by document read."""
    return _open(case, *_walks(case, of, level), lambda walk: _rate("EU", _utility(walk), _items(walk)))


@works("ResEC")
def open_rate_of_cost(case: Case, *, of: str, cost: Cost | None, level: float) -> Worked:
    """How much more a document read could cost."""
    return _open(case, *_walks(case, of, level, cost), lambda walk: _rate("EC", _price(walk), _items(walk)))
