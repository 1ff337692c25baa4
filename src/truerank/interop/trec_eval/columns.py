"""The columns that -m asks for: which values are printed, in which order, under which names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from truerank.core.messages import did_you_mean
from truerank.interop.trec_eval.catalog import CATALOG, NICKNAMES, Listed
from truerank.interop.trec_eval.numerals import decimal, readable, whole
from truerank.interop.trec_eval.status import FILES, USAGE, TrecEvalError
from truerank.measures import Measure, parse_measure
from truerank.measures.parameters import FrozenMap

OF_RECALLS = {"iprec_at_recall": "recall", "11pt_avg": "recalls"}
"""Measures at points of recall, and what truerank calls these."""

_CUT = re.compile(r"(\w+?)[_@](\d[\d,]*)")

_CUTOFFS = re.compile(r"\d[\d,]*", re.ASCII)

N = TypeVar("N", int, float)


@dataclass(frozen=True)
class Column:
    """One value per topic.

    Attributes:
        name: the name that is printed.
        listed: the measure of the reference.
        measure: truerank's measure; None where there is none.
        depth: how many grades a relstring shows.
    """

    name: str
    listed: Listed
    measure: Measure | None = None
    depth: int = 0


def columns(requested: Sequence[str], compat: int) -> list[Column]:
    """The columns for the words after each -m, in the reference's order; the official ones for no -m.

    >>> [column.name for column in columns(["P.10,5", "map"], compat=10)]
    ['map', 'P_5', 'P_10']

    Raises:
        TrecEvalError: no such measure, or parameters that it cannot have.
    """
    names: set[str] = set()
    for text in requested or ["official"]:
        name, point, given = text.partition(".")
        if point and not given:
            raise TrecEvalError(f"-m {text}: parameters must follow the point", USAGE)
        names.update(_members(name, compat))
    chosen = [listed for listed in CATALOG.values() if listed.name in names]
    params = _params(requested)
    return [column for listed in chosen for column in _TAKES[listed.takes](listed, params.get(listed.name))]


def read_otherwise(requested: Sequence[str]) -> Iterator[str]:
    """A sentence for each parameter that the reference reads only in part, or not at all.

    >>> list(read_otherwise(["ndcg_cut.10,23.4"]))
    ["-m ndcg_cut.10,23.4: '23.4' is read as 23"]
    >>> list(read_otherwise(["map.10", "P.5", "P.10"]))
    ['-m map.10: map takes no parameters; map_cut.10 is at a cutoff', '-m P.10: -m P.5 came first, and decides']
    """
    params = _params(requested)
    for text in dict.fromkeys(requested):
        name, point, given = text.partition(".")
        takes = CATALOG[name].takes if name in CATALOG else ""
        if point and not takes:
            yield f"-m {text}: {name} takes no parameters{_at_cutoff(name, given)}"
        elif point and given != params[name]:
            yield f"-m {text}: -m {name}.{params[name]} came first, and decides"
        elif point:
            yield from _cut_short(text, given, takes)


def _cut_short(text: str, given: str, takes: str) -> Iterator[str]:
    """A sentence for each parameter of which the reference reads only the beginning."""
    for parameter in given.split(","):
        number = parameter.partition("=")[2] if takes == "gains" else parameter
        read = readable(number, takes == "cutoffs")
        if read != number:
            yield f"-m {text}: {number!r} is read as {read.strip()}"


def _at_cutoff(name: str, given: str) -> str:
    """What to write instead for a measure without cutoffs that was asked for at a cutoff."""
    if not _CUTOFFS.fullmatch(given):
        return ""
    if f"{name}_cut" in CATALOG:
        return f"; {name}_cut.{given} is at a cutoff"
    return f"; -M {given} cuts the lists" if given.isdecimal() else ""


def _params(requested: Sequence[str]) -> dict[str, str]:
    """{name: the text after its point}; the first one counts."""
    params: dict[str, str] = {}
    for name, point, given in (text.partition(".") for text in requested):
        if point:
            params.setdefault(name, given)
    return params


def _members(name: str, compat: int) -> Iterable[str]:
    """The measures that a name or nickname stands for."""
    known = {listed.name for listed in CATALOG.values() if listed.since <= compat}
    if name in NICKNAMES:
        return known.intersection(NICKNAMES[name])
    if name in CATALOG and name not in known:
        raise TrecEvalError(f"-m {name}: that came with trec_eval {CATALOG[name].since}", USAGE)
    if name not in known:
        hint = _pointed(name, known) or did_you_mean(name, [*known, *NICKNAMES])
        raise TrecEvalError(f"-m {name}: there is no such measure.{hint} -h lists them", USAGE)
    return [name]


def _pointed(name: str, known: Collection[str]) -> str:
    """What to write instead for a measure with a cutoff as it is printed, or as others write it: P_10, ndcg@10."""
    match = _CUT.fullmatch(name)
    for word in (match[1], f"{match[1]}_cut") if match else ():
        if match and word in known and CATALOG[word].takes == "cutoffs":
            return f" A cutoff follows a point: {word}.{match[2]}."
    return ""


def _plain(listed: Listed, given: str | None) -> list[Column]:
    return [Column(listed.name, listed, parse_measure(listed.ours) if listed.ours else None)]


def _cutoffs(listed: Listed, given: str | None) -> list[Column]:
    cutoffs = sorted(_values(listed, given, whole, "a whole number"))
    if cutoffs[0] < 1:
        raise _unusable(listed, given, f"a cutoff is at least 1, not {cutoffs[0]}")
    _refuse_repeats(listed, given, cutoffs)
    return [Column(f"{listed.name}_{k}", listed, parse_measure(listed.ours.format(k))) for k in cutoffs]


def _points(listed: Listed, given: str | None) -> list[Column]:
    points = sorted(_values(listed, given, decimal, "a number"))
    _refuse_repeats(listed, given, points)
    key = OF_RECALLS.get(listed.name)
    made = [_at(listed, key, x) if key else parse_measure(listed.ours.format(x)) for x in points]
    return [Column(f"{listed.name}_{x:3.2f}", listed, each) for x, each in zip(points, made, strict=True)]


def _numbers(listed: Listed, given: str | None) -> list[Column]:
    values = tuple(_values(listed, given, decimal, "a number"))
    if listed.name == "utility" and len(values) != 4:
        raise _unusable(listed, given, "it takes four numbers")
    if not listed.ours:
        return [Column(_named(listed, given), listed, depth=max(0, int(values[0])))]
    if key := OF_RECALLS.get(listed.name):
        return [Column(_named(listed, given), listed, _at(listed, key, values))]
    return [Column(_named(listed, given), listed, parse_measure(listed.ours.format(*values, all=values)))]


def _at(listed: Listed, key: str, value: float | tuple[float, ...]) -> Measure:
    """The measure at a recall, also above 1, which the reference allows: nothing reaches that."""
    return replace(parse_measure(listed.ours.format(1, all=(1,))), params=((key, value),))


def _gains(listed: Listed, given: str | None) -> list[Column]:
    """The columns for pairs grade=gain, or for p=persistence of rbp and rbp_resid."""
    gains: dict[int, float] = {}
    p = 0.9
    for pair in given.split(",") if given is not None else ():
        key, _, text = pair.partition("=")
        grade, value = whole(key), decimal(readable(text, is_whole=False))
        if value is not None and key == "p" and listed.name.startswith("rbp"):
            p = value
        elif value is None or grade is None or grade < 0 or grade in gains:
            why = "it takes pairs like 1=3,2=9, each grade once"
            raise _unusable(listed, given, why + _at_cutoff(listed.name, given or ""))
        else:
            gains[grade] = value
    if gains and listed.name == "rbp":
        raise _unusable(listed, given, "the reference scales such gains by memory that it never set")
    measure = parse_measure(listed.ours.format(gain="'linear'", p=p))
    if gains and "{gain}" in listed.ours:  # also below 0, which the reference allows
        measure = replace(measure, params=(("gain", FrozenMap(gains)),))
    return [Column(_named(listed, given), listed, measure)]


_TAKES: dict[str, Callable[[Listed, str | None], list[Column]]] = {
    "": _plain,
    "cutoffs": _cutoffs,
    "points": _points,
    "numbers": _numbers,
    "gains": _gains,
}


def _named(listed: Listed, given: str | None) -> str:
    return listed.name if given is None else f"{listed.name}_{given}"


def _values(listed: Listed, given: str | None, read: Callable[[str], N | None], what: str) -> list[N]:
    values = []
    for text in (listed.default if given is None else given).split(","):
        value = read(readable(text, read is whole))
        if value is None:
            raise _unusable(listed, given, f"{text!r} is not {what}")
        values.append(value)
    return values


def _refuse_repeats(listed: Listed, given: str | None, values: Sequence[float]) -> None:
    if len(set(values)) < len(values):
        raise _unusable(listed, given, "each may stand once")


def _unusable(listed: Listed, given: str | None, why: str) -> TrecEvalError:
    return TrecEvalError(f"-m {listed.name}.{given}: {why}", FILES)
