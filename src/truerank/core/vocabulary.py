"""What the names of measures mean under rules: a tool has its own idea of what a plain name stands for.

Rules say so in their `readings`: `AP = "AP(divisor='capped')@100"`. A name that is written with parameters means
what it says, under any rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from truerank.core.errors import MeasureError, RulesError
from truerank.core.messages import joined, listed
from truerank.core.plugins import remembered
from truerank.core.rules import Rules
from truerank.measures import Measure, MeasuresLike, parse_measure
from truerank.measures.definition import DEPTH, FROM_RULES
from truerank.measures.parsing import each, named
from truerank.measures.registry import find

DEFAULT = ("nDCG@10", "AP", "RR", "P@10", "R@100")
"""What is evaluated when neither the call nor the rules name measures."""

_OPEN = r"@\s*k\b|\bdepth\s*=\s*k\b"
"""Where a reading has the cutoff that is asked for."""


class Resolved(NamedTuple):
    """What a measure is under rules.

    Attributes:
        measure: what is evaluated, and how it prints.
        is_known: whether the rules have such a measure; if not, it is as truerank reads it.
    """

    measure: Measure
    is_known: bool


def resolve(measure: str | Measure, rules: Rules) -> Resolved:
    """What a measure means under the rules.

    >>> from truerank.core.rules import Rules
    >>> rules = Rules.named("sentence-transformers")
    >>> [str(resolve(text, rules).measure) for text in ("map@10", "nDCG@10", "nDCG(gain='linear')@10")]
    ["AP(divisor='capped')@10", "nDCG(gain='binary')@10", "nDCG(gain='linear')@10"]
    """
    asked = _without_cutoff(measure, rules) or parse_measure(measure)
    settled = _settled(asked, rules) if asked.is_plain else None
    chosen = _spelled_out(settled or asked, rules)
    known = settled is not None or rules.vocabulary == "all"
    return Resolved(chosen, known or (not asked.is_plain and _is_named(chosen, rules)))


def checked(rules: Rules) -> Rules:
    """The rules, if every measure that they name exists.

    Raises:
        RulesError: a reading, or one of the `measures`, names no measure; near misses are suggested.
    """
    _by_name(rules)
    for word in rules.measures:
        with _naming(rules, "measures"):
            parse_measure(word.removesuffix("%"))  # for vectors also R@1%, a share of the gallery
    return rules


def under(measure: str | Measure, rules: Rules) -> Measure:
    """The measure that a name means under the rules.

    >>> from truerank.core.rules import Rules
    >>> str(under("R@10", Rules.named("haystack")))
    'SetSuccess(depth=10)'
    """
    return _under(measure, rules) if isinstance(measure, str) else resolve(measure, rules).measure


@remembered  # a loop asks for the same names again and again
def _under(name: str, rules: Rules) -> Measure:
    return resolve(name, rules).measure


def asked_for(measures: MeasuresLike | None, rules: Rules) -> dict[str, Measure]:
    """{a measure as it was written: what it is under the rules}; None asks for those of the rules, or `DEFAULT`.

    >>> from truerank.core.rules import Rules
    >>> {asked: str(measure) for asked, measure in asked_for("map P@1,5", Rules()).items()}
    {'map': 'AP', 'P@1': 'P@1', 'P@5': 'P@5'}
    """
    wanted = measures if measures is not None else rules.measures or DEFAULT
    return {str(word): resolved for word, resolved in each(wanted, lambda word: under(word, rules))}


def measures_under(measures: MeasuresLike | None, rules: Rules, *, lists: bool = False) -> list[Measure]:
    """The measures that were asked for, as the rules read them, without repeats: only measures of judged documents.

    Args:
        lists: whether measures of whole lists are allowed too.

    Raises:
        MeasureError: also for a measure that sees more, which only evaluate() and compare() can compute.
    """
    return of_judged(asked_for(measures, rules).values(), lists=lists)


def of_judged(measures: Iterable[Measure], *, lists: bool = False) -> list[Measure]:
    """The measures, without repeats, if all see only judged documents; with `lists` also whole lists.

    Raises:
        MeasureError: one sees more, or is one number of the whole run.
    """
    chosen = list(dict.fromkeys(measures))
    defined = [(str(measure), measure.definition) for measure in chosen]
    others = [name for name, each in defined if (each.is_of_run if lists else each.sees_lists)]
    if others and lists:
        raise MeasureError(
            "{measures}: what is asked here needs a value for each query, and this is one number of the whole run; "
            "`truerank eval` and evaluate() have it",
            measures=listed(others),
        )
    if others:
        raise MeasureError(
            "{measures}: what is asked here needs measures of each query's judged documents, and this is of all "
            "that a run lists; `truerank eval` and evaluate() have it",
            measures=listed(others),
        )
    return chosen


def unknown(measures: Iterable[Measure], rules: Rules) -> tuple[str, ...]:
    """The measures that the rules do not have, neither by name nor as the reading of another name."""
    if rules.vocabulary == "all":
        return ()
    return tuple(str(measure) for measure in measures if not _is_named(measure, rules))


def _without_cutoff(measure: str | Measure, rules: Rules) -> Measure | None:
    """The reading of a measure that needs a cutoff and has none; None where the reading needs one as well."""
    known = (measure.definition, measure.given) if isinstance(measure, Measure) else find(str(measure).strip())
    if known is None or known[1] or "k" not in known[0].required:
        return None
    text = _by_name(rules).get(known[0].name, "@k")
    hole = re.search(_OPEN, text)
    return None if hole and hole[0].startswith("@") else _at(text, None)


def _settled(asked: Measure, rules: Rules) -> Measure | None:
    """The final reading of a plain name, which may go through other names; None where the rules have none."""
    seen = [asked]
    while (reading := _once(seen[-1], rules)) is not None:
        if reading == seen[-1] or not reading.is_plain:
            return reading
        if reading in seen:
            raise RulesError(
                "the readings of {rules} go in a circle: {names}",
                rules=rules.name,
                names=", ".join(map(str, [*seen, reading])),
            )
        seen.append(reading)
    return seen[-1] if len(seen) > 1 else None


def _once(asked: Measure, rules: Rules) -> Measure | None:
    """The reading of a plain name, without following it further."""
    text = _by_name(rules).get(asked.name)
    if text is None:
        return None
    return _at(text, dict(asked.params).get(asked.definition.at))


def _at(text: str, k: float | None) -> Measure | None:
    """A reading at cutoff k; None where it takes no cutoff."""
    if re.search(_OPEN, text):
        return parse_measure(re.sub(_OPEN, lambda measure: _filled(measure[0], k), text))
    measure = parse_measure(text)
    at = dict(measure.params).get(measure.definition.at)
    if k is None or at is None:
        return measure if k is None else None
    return replace(
        measure, params=tuple((key, k if key == measure.definition.at else v) for key, v in measure.params)
    )


def _filled(hole: str, k: float | None) -> str:
    if hole.startswith("@"):
        return "" if k is None else f"@{k}"
    return f"{DEPTH}={k}"


def _spelled_out(asked: Measure, rules: Rules) -> Measure:
    """The measure, with parameters that equal a default written out where the plain name means something else."""
    if not asked.said or any(key != asked.definition.at for key, _ in asked.params):
        return replace(asked, said=())
    plain = replace(asked, said=())
    if _settled(plain, rules) in (plain, None):
        return plain
    params = dict(asked.params) | dict(asked.said)
    order = [key for key in asked.definition.parameters if key in params]  # as they print
    return replace(asked, params=tuple((key, params[key]) for key in order), said=())


def _is_named(measure: Measure, rules: Rules) -> bool:
    """Whether the rules have the measure, at any cutoff and level."""
    cuts = {DEPTH, measure.definition.at}
    keys = {key for key, _ in measure.params} & cuts
    alike = (own for own in _own(rules) if _bare(own, cuts) == _bare(measure, cuts))
    return any(keys <= {key for key, _ in own.params} for own in alike)


def _bare(measure: Measure, cuts: Collection[str]) -> tuple[str, frozenset[tuple[str, object]]]:
    """The measure without its cutoffs and its level, to compare."""
    return measure.name, frozenset(pair for pair in measure.params if pair[0] not in (*FROM_RULES, *cuts))


@remembered
def _own(rules: Rules) -> tuple[Measure, ...]:
    return tuple(_first(text) for _, text in rules.readings)


def _first(text: str) -> Measure:
    """A reading at cutoff 1, if it leaves the cutoff open."""
    return parse_measure(re.sub(_OPEN, lambda match: _filled(match[0], 1), text))


@remembered
def _by_name(rules: Rules) -> dict[str, str]:
    """The readings by the measures' own names, however the rules spell them."""
    readings = {}
    for word, text in rules.readings:
        with _naming(rules, "readings"):
            readings[named(word)] = text
        with _naming(rules, "readings", word):
            _first(text)
    return readings


@contextmanager
def _naming(rules: Rules, *where: str) -> Iterator[None]:
    """Say in the error where in the rules an unknown measure stands."""
    try:
        yield
    except MeasureError as error:
        raise RulesError(joined(": ", [rules.name, *where, error.said])) from None
