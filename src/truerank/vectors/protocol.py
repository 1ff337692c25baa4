"""Protocols: what the presets of re-identification ask for beyond the rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from truerank.measures import Measure, parse_measures
from truerank.rules import Rules

DEFAULT = ("Success@1", "Success@3", "Success@5", "AP", "mINP")
"""What is evaluated when neither the call nor the rules name measures."""


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """Which entries of the gallery count, and how many galleries there are.

    Attributes:
        junk: identities that leave the gallery for every query.
        distractors: identities that stay in the gallery and are never right.
        galleries: Success@k is the mean over so many random galleries with one entry an identity; 0: the whole one.
        seed: what the random galleries depend on, beside the query.
        measures: further ones, such as R@1%, that only the size of a gallery makes whole.
    """

    junk: tuple[int, ...] = ()
    distractors: tuple[int, ...] = ()
    galleries: int = 0
    seed: int = 0
    measures: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """What a reader of the numbers must know to get them again; often nothing."""
        return f"{self.galleries} single-shot galleries, seed {self.seed}" if self.galleries else ""


PROTOCOLS = {
    "market1501": Protocol(junk=(-1,), distractors=(0,)),
    "cuhk03": Protocol(galleries=10),
    "university1652": Protocol(junk=(-1,), measures=("R@1%",)),
}
"""By the name of the rules that they go with."""


def protocol_of(rules: Rules) -> Protocol:
    """The one that goes with these rules, though a field of them was changed; else the plain one."""
    return PROTOCOLS.get(rules.name.partition(" with ")[0], Protocol())


_PERCENT = re.compile(r"\b(?:R|recall|success|hit|hit_rate|cmc|rank)@([0-9]*\.?[0-9]+)%", re.IGNORECASE)


class Chosen(NamedTuple):
    """What to evaluate, and what to say of it."""

    measures: list[Measure]
    remarks: list[str]


def chosen(
    measures: str | Measure | Iterable[str | Measure] | None, rules: Rules, protocol: Protocol, gallery: int
) -> Chosen:
    """The measures to evaluate; R@1% becomes Success@k for the size of the gallery.

    University-1652's code reads its list of hit rates, which begins at rank 1, at position round(0.01 · gallery).

    >>> chosen("R@1%", Rules(), Protocol(), 701).remarks
    ['R@1% is Success@8']
    """
    if measures is None:
        measures = [*(rules.measures or DEFAULT), *protocol.measures]
    words = [measures] if isinstance(measures, str | Measure) else list(measures)
    found = [match for word in words if isinstance(word, str) for match in _PERCENT.finditer(word)]
    whole = [_PERCENT.sub(lambda m: _cutoff(m, gallery), word) if isinstance(word, str) else word for word in words]
    parsed = dict.fromkeys(measure for word in whole for measure in parse_measures(word))
    return Chosen(list(parsed), [f"{match[0]} is {_cutoff(match, gallery)}" for match in found])


def _cutoff(match: re.Match[str], gallery: int) -> str:
    return f"Success@{round(float(match[1]) * 0.01 * gallery) + 1}"
