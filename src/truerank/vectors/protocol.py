"""The protocol of re-identification that rules ask for: what is measured, and what must be said of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from truerank.core.errors import MeasureError
from truerank.core.rules import Rules
from truerank.core.schema import several_of
from truerank.core.vocabulary import asked_for, of_judged
from truerank.measures import Measure, MeasuresLike

DEFAULT = ("Success@1", "Success@3", "Success@5", "AP", "mINP")
"""What is evaluated when neither the call nor the rules name measures."""


def remark(rules: Rules) -> str:
    """What a reader of the numbers must know to get them again; often nothing."""
    galleries = rules.single_shot_galleries
    return f"{galleries} single-shot galleries, seed {rules.gallery_seed}" if galleries else ""


_PERCENT = re.compile(r"\b(?:R|recall|success|hit|hit_rate|cmc|rank)@([0-9]*\.?[0-9]+)%", re.IGNORECASE)


class Chosen(NamedTuple):
    """What to evaluate, what to say of it, and what each became that was asked for."""

    measures: list[Measure]
    remarks: list[str]
    asked: dict[str, str]


def chosen(measures: MeasuresLike | None, rules: Rules, gallery: int) -> Chosen:
    """The measures to evaluate; R@1% becomes Success@k for the size of the gallery.

    University-1652's code reads its list of hit rates, which begins at rank 1, at position round(0.01 · gallery).

    >>> chosen("R@1%", Rules(), 701).remarks
    ['R@1% is Success@8']

    Raises:
        MeasureError: a share of more than all of it, or no measure.
    """
    if measures is None:
        measures = [*(rules.measures or DEFAULT), *(f"R@{share:g}%" for share in rules.percent_ranks)]
    words = several_of(measures)
    matches = [match for word in words if isinstance(word, str) for match in _PERCENT.finditer(word)]
    whole = [_PERCENT.sub(lambda m: _cutoff(m, gallery), word) if isinstance(word, str) else word for word in words]
    became = {match[0]: _cutoff(match, gallery) for match in matches}
    shares = {success: share for share, success in became.items()}
    asked = {word: measure for one in whole for word, measure in asked_for(one, rules).items()}
    said = {shares.get(word, word): str(measure) for word, measure in asked.items()}
    return Chosen(of_judged(asked.values()), [f"{share} is {success}" for share, success in became.items()], said)


def _cutoff(match: re.Match[str], gallery: int) -> str:
    if float(match[1]) > 100:
        raise MeasureError("{text!r:.60}: a share of the gallery is 100 % at most", text=match[0])
    return f"Success@{round(float(match[1]) * 0.01 * gallery) + 1}"
