"""The readers of C/W/L again, rank by rank, and the sums of what is below the list from the zeta function."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from scipy.special import zeta

from oracles import Answer, oracle

Chance = Callable[[int, float, float, float], float]
"""Rank, gain of its document, gain and cost of all up to it: how likely it is that the next one is read."""


@dataclass(frozen=True)
class Way:
    """How somebody reads.

    Attributes:
        chance: of going on.
        rest: how many are read from a rank on that all bring so much, if this one is, after what was found; None:
            they are counted one by one until nobody is left.
    """

    chance: Chance
    rest: Callable[[int, float, float], float] | None = None


def squares(x: float) -> float:
    """The sum of (x / (x + n))² for n = 0, 1, …"""
    return x**2 * float(zeta(2, x))


def falling_back(x: float) -> float:
    return ((x - 1) / x) ** 2


def rbp(p: float = 0.8) -> Way:
    return Way(lambda i, g, found, spent: p, lambda i, found, gain: 1 / (1 - p))


def insq(T: float = 1) -> Way:
    return Way(lambda i, g, found, spent: falling_back(i + 2 * T), lambda i, found, gain: squares(i + 2 * T - 1))


def inst(T: float = 1) -> Way:
    def rest(i: int, found: float, gain: float) -> float:
        if gain == 0:
            return squares(i + 2 * T - 1 - found)
        return 1 / (1 - falling_back(i + 2 * T - found - 1))

    return Way(lambda i, g, found, spent: falling_back(i + T + (T - found)), rest)


def bpm(T: float = 1, K: float = 10, hb: float = 0, hc: float = 0, median: float = 0.5) -> Way:
    def chance(i: int, g: float, found: float, spent: float) -> float:
        met = found - g - median * (i - 1)
        return float(found < T + hb * met - 1e-9 and spent < K + hc * met - 1e-9)

    return Way(chance)


def satisfied(way: Way) -> Way:
    return Way(
        lambda i, g, found, spent: (1 - g) * way.chance(i, g, found, spent),
        way.rest and (lambda i, found, gain: 1.0 if gain else way.rest(i, found, gain)),  # type: ignore[misc]
    )


ALWAYS = Way(lambda i, g, found, spent: 1.0)

WAYS: dict[str, Callable[..., Way]] = {
    "P": lambda: ALWAYS,
    "RR": lambda: Way(lambda i, g, found, spent: float(g == 0)),
    "RBP": rbp,
    "SDCG": lambda: Way(lambda i, g, found, spent: math.log(i + 1) / math.log(i + 2)),
    "INSQ": insq,
    "INST": inst,
    "BPM": bpm,
    "NERR8": lambda: satisfied(ALWAYS),
    "NERR9": lambda: satisfied(Way(lambda i, g, found, spent: i / (i + 1))),
    "NERR10": lambda p=0.9: satisfied(rbp(p)),
    "NERR11": lambda T=1: satisfied(insq(T)),
}

AT = {"BPM": "K", "TBG": "halflife", "U": "L", "NERR10": "p", "NERR11": "T"}


def price(grade: float | None, cost: Any) -> float:
    if not isinstance(cost, dict):
        return cost
    known = [cost[each] for each in sorted(cost) if each <= max(grade or 0.0, 0.0)]
    return known[-1] if known else 1.0


def worth(answer: Answer, grade: float | None, gain: str, level: float, max_grade: float | None) -> float:
    if grade is None:
        return 0.0
    if gain == "binary":
        return float(grade >= level)
    highest = answer.max_grade if max_grade is None else max_grade
    return min(max(grade, 0.0) / highest, 1.0) if highest else 0.0


@dataclass
class Read:
    """What comes of it, on average."""

    documents: float = 0.0
    found: float = 0.0
    spent: float = 0.0

    def add(self, seen: float, gain: float, cost: float) -> None:
        self.documents += seen
        self.found += seen * gain
        self.spent += seen * cost


def read(
    answer: Answer,
    name: str,
    *,
    hopeful: bool = False,
    gain: str = "graded",
    level: float = 1,
    max_grade: float | None = None,
    cost: Any = 1,
    counted: Any = None,
    k: int | None = None,
    **given: Any,
) -> Read:
    """One document after another, while anybody reads on; `counted` is the cost that is added up, if another."""
    if name in ("P", "RR", "RBP"):
        gain = given.pop("gain", gain) if name == "RBP" else "binary"
    ranked, last = answer.ranked, math.inf if k is None else k
    if name == "RBP":
        ranked, last = ranked[:k], math.inf
    highest = answer.max_grade if max_grade is None else max_grade
    out, reach, found, spent = Read(), 1.0, 0.0, 0.0
    way = WAYS[name](**given) if name in WAYS else None
    i = 0
    while reach > 0 and i < last:
        i += 1
        grade = ranked[i - 1] if i <= len(ranked) else None
        g = worth(answer, grade, gain, level, max_grade)
        is_open = hopeful and (grade is None or grade < 0) and g == 0
        g, grade = (1.0, highest) if is_open else (g, grade)
        takes, told = price(grade, cost), price(grade, cost if counted is None else counted)
        if i > len(ranked) and last == math.inf and (rest := _rest(name, way, given, takes, spent)):
            out.add(reach * rest(i, found, g), g, told)
            break
        out.add(reach, g, told)
        found, spent = found + g, spent + takes
        if name == "TBG":
            reach = 2.0 ** (-spent / given.get("halflife", 224))
        elif name == "U":
            reach = max(0.0, 1 - spent / given.get("L", 1000))
        elif way:
            reach *= way.chance(i, g, found, spent)
    return out


def _rest(name: str, way: Way | None, given: dict[str, Any], takes: float, spent: float) -> Any:
    if name == "TBG":
        return lambda i, found, gain: 1 / (1 - 2.0 ** (-takes / given.get("halflife", 224)))
    if name == "U":
        left = given.get("L", 1000) - spent
        return lambda i, found, gain: sum(left - n * takes for n in range(math.ceil(left / takes))) / left
    return way.rest if way else None


def rate(name: str) -> Callable[..., float]:
    def value(answer: Answer, **params: Any) -> float:
        done = read(answer, name, **params)
        return done.found / done.documents

    return value


for each in ("INSQ", "INST", "SDCG", "BPM", "TBG", "U", "NERR8", "NERR9", "NERR10", "NERR11"):
    oracle(each, takes_unjudged_grades=True)(rate(each))


@cache
def meant(of: str, level: float) -> tuple[str, dict[str, Any]]:
    """The measure and its parameters."""
    shape = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(.+))?", of)
    assert shape
    name, inside, cut = shape.groups()
    params = eval(f"dict({inside or ''})")
    if cut:
        params[AT.get(name, "k")] = eval(cut)
    params.setdefault("level", level)
    if name == "RBP":
        params.setdefault("gain", "binary")
    return name, params


COLUMNS: dict[str, Callable[[Read], float]] = {
    "EU": lambda done: done.found / done.documents,
    "ETU": lambda done: done.found,
    "ED": lambda done: done.documents,
    "EC": lambda done: done.spent / done.documents,
    "ETC": lambda done: done.spent,
}


def column(
    answer: Answer, of: str = "RBP", level: float = 1, cost: Any = None, *, what: str, is_open: bool = False
) -> float:
    name, params = meant(of, level)
    if cost is not None and name in ("TBG", "U", "BPM"):
        params = {**params, "cost": cost}

    def value(hopeful: bool) -> float:
        key = (of, level, str(cost), hopeful)  # many columns are of one reader
        return COLUMNS[what](answer.once(key, lambda: read(answer, name, hopeful=hopeful, counted=cost, **params)))

    return value(True) - value(False) if is_open else value(False)


for what in COLUMNS:
    if what != "EU":
        oracle(what, unit=False, takes_unjudged_grades=True)(partial(column, what=what))
    oracle(f"Res{what}", unit=False, of_judgements=True)(partial(column, what=what, is_open=True))


OF = (
    *("P@3", "RR@4", "RBP(p=0.5)@2", "RBP(gain='graded')", "INST(T=2)", "INST@3", "INSQ(T=0.7, max_grade=2)"),
    *("SDCG@4", "BPM(T=1.5)@4", "TBG(cost={0: 1, 2: 3})@2", "U(cost=2)@9"),
    *("NERR8@3", "NERR9@3", "NERR10@0.5", "NERR11"),
)

COST = {1: 3, 2: 0.5}

READER_VARIANTS: dict[str, list[str]] = {
    "INSQ": ["INSQ(T=2.5)", "INSQ(gain='binary')@4", "INSQ(max_grade=2)"],
    "INST": ["INST(T=2.5)", "INST(T=0.5)@5", "INST(gain='binary')", "INST(max_grade=2)", "INST@9"],
    "SDCG": ["SDCG(gain='binary')@2", "SDCG(max_grade=2)@20"],
    "BPM": [
        *("BPM(T=2)", "BPM(T=1.5, K=2.5, cost=0.5)", "BPM(cost={0: 0.5, 2: 4}, gain='binary')", "BPM(max_grade=2)"),
        *("BPM(T=2, hb=1)@4", "BPM(K=3, hc=0.5, median=0.25)", "BPM(T=1.25, K=6, hb=0.5, hc=1, median=0.75)"),
    ],
    "TBG": ["TBG(cost=20)", "TBG(cost={1: 3, 2: 7}, k=4)@5", "TBG(gain='binary', max_grade=2)@1"],
    "U": ["U(cost=300)", "U(cost={1: 3, 2: 7}, k=4)@9", "U(gain='binary', max_grade=2)@2.5"],
    "NERR8": ["NERR8(gain='binary')@5", "NERR8(max_grade=6)@20"],
    "NERR9": ["NERR9(gain='binary')@5", "NERR9(max_grade=6)@20"],
    "NERR10": ["NERR10(k=3)@0.5", "NERR10(gain='binary')", "NERR10(max_grade=6)@0"],
    "NERR11": ["NERR11(k=3)@2", "NERR11(gain='binary')", "NERR11(max_grade=6)@0.25"],
    "ED": [f"ED(of={of!r})" for of in OF[::2]],
    "ResEU": [f"ResEU(of={of!r})" for of in OF],
    "ETU": [f"ETU(of={of!r})" for of in OF[::4]],
    "ResETU": [f"ResETU(of={of!r})" for of in OF[1::4]],
    "ResED": [f"ResED(of={of!r})" for of in OF[2::4]],
    "EC": [f"EC(of={of!r}, cost=2)" for of in OF[3::6]] + [f"EC(of={of!r}, cost={COST})" for of in OF[::4]],
    "ETC": [f"ETC(of={of!r}, cost={COST})" for of in OF[1::4]],
    "ResEC": [f"ResEC(of={of!r}, cost={COST})" for of in OF[2::4]],
    "ResETC": [f"ResETC(of={of!r}, cost={COST})" for of in OF[3::4]],
}
"""Of each measure with a reader, and of what is known of readers, what the laws try."""
