"""Measures of ir_measures translated to truerank's, and truerank's as objects of ir_measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from truerank.core.errors import MeasureError, needs
from truerank.core.evaluate import ranked, valued
from truerank.core.qrels import Floats, Qrels
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.scores import Scores, distinct
from truerank.measures import Measure, parse_measure

NAME = "truerank"

DEEPEST = 1000
"""The rank at which cwl-eval ends every list, of which measures of a reader who goes on see the end."""

PLAIN = {"name": NAME, "duplicates": "last"}

RULES: Mapping[str, Callable[[], Rules]] = {
    "pytrec_eval": lambda: Rules.named("ir_measures"),
    "cwl_eval": lambda: Rules.of({**PLAIN, "ties": "input"}),
    "compat": lambda: Rules.named("ir_measures-msmarco"),
    "pyndeval": lambda: Rules.named("ndeval").replace(missing="zero"),
    "judged": lambda: Rules.named("ir_measures-msmarco"),
    "msmarco": lambda: Rules.named("ir_measures-msmarco"),
    "gdeval": lambda: Rules.of(PLAIN),
    "accuracy": lambda: Rules.of({**PLAIN, "ties": "input"}),
}
"""Whose rules a measure has, by the provider that ir_measures takes for it by default."""

_PROVIDERS = {
    "pytrec_eval": "P Rprec AP nDCG R Bpref RR NumRet NumQ NumRel SetAP SetF SetP SetR Success IPrec infAP",
    "cwl_eval": "RBP BPM SDCG NERR8 NERR9 NERR10 NERR11 INST INSQ",
    "compat": "Compat",
    "pyndeval": "ERR_IA nERR_IA alpha_DCG alpha_nDCG NRBP nNRBP AP_IA P_IA StRecall",
    "judged": "Judged",
    "gdeval": "ERR",
    "accuracy": "Accuracy",
}

OWN = {measure: name for name, measures in _PROVIDERS.items() for measure in measures.split()}
"""{measure: the provider that ir_measures takes for it}, whatever its parameters."""

NEEDED = {"RBP": "rel", "Success": "cutoff", "ERR": "cutoff"} | dict.fromkeys(
    ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "P_IA", "StRecall"), "cutoff"
)
"""The parameter without which no provider of ir_measures has the measure, though the measure may lack it."""

ENDLESS = {"RBP", "INST", "INSQ", "NERR10", "NERR11"}
"""Measures of readers who may go on for ever."""


@dataclass(frozen=True)
class Worth:
    """How ir_measures changes grades before a measure sees them: by a mapping of some, or shifted to begin at 0."""

    gains: tuple[tuple[int, int], ...] = ()
    bounds: tuple[float, float] | None = None

    def of(self, qrels: Qrels) -> Qrels:
        """The judgements with the grades changed."""
        grades = qrels.grades
        if self.bounds is not None:
            low, high = self.bounds
            grades = np.clip(np.maximum(grades, 0), low, high) - low
        for grade, gain in self.gains:
            grades = np.where(qrels.grades == grade, gain, grades)
        return replace(qrels, grades=grades)


@dataclass(frozen=True)
class Asked:
    """A measure of ir_measures, and how truerank computes its values.

    Attributes:
        measure: the object of ir_measures.
        ours: the same measure here.
        rules: the rules under which a run is read for it.
        worth: how grades are changed first.
        only: a measure; queries where it is 0 are left out. Else an unanswered query has the measure's default.
    """

    measure: Any
    ours: Measure
    rules: Rules
    worth: Worth | None = None
    only: Measure | None = None

    @property
    def source(self) -> tuple[Rules, Worth | None]:
        """The rules and grades that a reading depends on; measures with the same ones share a reading."""
        return self.rules.replace(unjudged="not-relevant"), self.worth

    def values(self, reading: Reading) -> tuple[Floats, list[bool]]:
        """(queries,) the value of each query, and whether it is reported."""
        answers = reading.under(self.rules)
        hits = ranked(answers)
        values = valued(self.ours, hits, self.rules)
        if self.only is not None:
            return values, (valued(self.only, hits, self.rules) > 0).tolist()
        values = np.where(answers.hits.returned < 0, self.measure.DEFAULT, values)
        return values, [True] * len(values)


def asked(measure: Any) -> Asked | None:
    """How a measure of ir_measures is computed here; None where it cannot be."""
    name, given = measure.NAME, ((key, measure[key]) for key in measure.SUPPORTED_PARAMS)
    said = {key: value for key, value in given if value is not _not_provided()}
    if name not in OWN or (name in NEEDED and NEEDED[name] not in said) or _is_mixed(name, said):
        return None
    rules = RULES[_provider_of(name, said)]()
    if said.pop("judged_only", False):
        rules = rules.replace(unjudged="removed")
    worth = _worth(name, said)
    try:
        ours = parse_measure(type(measure)(**said))
    except MeasureError:  # such as a cutoff of 0
        return None
    if name in ENDLESS and "cutoff" not in said:
        ours = ours(k=DEEPEST)
    if "best" in ours.definition.parameters:  # at a cutoff of 1 pyndeval divides by nothing
        ours = ours(best="ndeval")
    only = parse_measure("SetSuccess")(level=said["rel"], depth=said.get("cutoff")) if name == "Accuracy" else None
    return Asked(measure, ours, rules, worth, only)


def _is_mixed(name: str, said: Mapping[str, Any]) -> bool:
    """Whether grades become gains twice: by a mapping, and by powers of 2."""
    return name == "nDCG" and said["dcg"] != "log2" and "gains" in said


def _provider_of(name: str, said: Mapping[str, Any]) -> str:
    """The provider that ir_measures uses for a measure with these parameters."""
    if name == "RR" and "cutoff" in said:
        return "msmarco"
    return "gdeval" if said.get("dcg") == "exp-log2" else OWN[name]


def _worth(name: str, said: dict[str, Any]) -> Worth | None:
    """How grades are changed; this is removed from the parameters, whose rest refers to the changed grades."""
    low, high = said.pop("min_rel", 0), said.get("max_rel")
    if name == "Judged":  # it is about all grades, also those below 0
        return Worth(bounds=(0, math.inf))
    if low and high is not None:
        said["max_rel"] = high - low
        return Worth(bounds=(low, high))
    gains = said.pop("gains", None)
    return Worth(gains=tuple(sorted(gains.items()))) if gains else None


def metrics(scores: Scores) -> list[Any]:
    """The values of an evaluation in ir_measures' form: a `Metric(query_id, measure, value)` each.

    There is no `Metric` for a query on which a measure has no value.

    Raises:
        MissingPackage: ir_measures is not installed.
        MeasureError: it has no such measure.
    """
    metric, queries = ir_measures().Metric, distinct(scores.queries)
    columns = [(their_measure(measure), scores.columns[str(measure)].tolist()) for measure in scores.measures]
    rows = ((measure, *row) for measure, values in columns for row in zip(queries, values, strict=True))
    return [metric(query, measure, value) for measure, query, value in rows if not math.isnan(value)]


RENAMED = {"level": "rel", "max_grade": "max_rel", "K": "cutoff", "depth": "cutoff", "gain": "gains"}
"""What a parameter is called there, where it is not the one that @ sets."""

OTHERWISE = {"NumQ", "NumRel", "Accuracy", "INST", "INSQ", "Compat"}
"""Measures whose values there are others, under whatever rules."""

COMPOSED: dict[str, tuple[str, dict[str, Any]]] = {
    "SetRelP": ("SetP", {"relative": True}),
    "NumRelRet": ("NumRet", {"rel": 1}),
}
"""Measures that are others there, with a parameter."""


def their_measure(measure: Measure) -> Any:
    """The measure as an object of ir_measures.

    Raises:
        MeasureError: ir_measures has no such measure, or not with these parameters, or computes it differently.
    """
    said = dict(measure.params)
    if measure.name in OTHERWISE or _is_undivided_there(measure):
        raise MeasureError(
            "ir_measures has other values of {measure}; truerank.interop.ir_measures.provider() computes those",
            measure=measure,
        )
    if measure.name == "ERR":
        return _their_err(measure)
    if measure.name == "SetF" and "beta" in said:
        measure = parse_measure("SetF")(beta_squared=said["beta"] ** 2)
    if said.get("best") == "ndeval":
        measure = measure(best="possible")
    name, more = COMPOSED.get(measure.name, (measure.name, {}))
    kind, known = ir_measures().measures.registry.get(name), measure.definition.parameters
    if kind is not None:
        needed = {"K": known["K"].default} if "K" in known else {}
        theirs = kind(**_their_parameters({**more, **needed, **dict(measure.params)}, measure.definition.at, kind))
        if _is_valid(theirs) and (more or parse_measure(theirs) == measure):
            return theirs
    raise MeasureError("ir_measures has no measure {measure}; evaluate without it", measure=measure)


def _is_undivided_there(measure: Measure) -> bool:
    """Whether it is a measure that pyndeval, at a cutoff of 1, does not divide by the best possible value."""
    said = dict(measure.params)
    return "best" in measure.definition.parameters and said.get("k") == 1 and "best" not in said


def _their_err(measure: Measure) -> Any:
    """ERR as an object of ir_measures, where the highest grade is always 4."""
    k = dict(measure.params).get("k")
    if k is not None and parse_measure(theirs := ir_measures().ERR @ k) == measure:
        return theirs
    raise MeasureError(
        "ir_measures has no measure {measure}: its ERR has a cutoff, and 4 is the highest grade; "
        "evaluate ERR(max_grade=4)@10",
        measure=measure,
    )


def _is_valid(measure: Any) -> bool:
    try:
        measure.validate_params()
    except AssertionError:
        return False
    return True


def _their_parameters(given: dict[str, Any], at: str, kind: Any) -> dict[str, Any]:
    """The parameters with ir_measures' names and types."""
    if "beta_squared" in given:
        given["beta"] = given.pop("beta_squared")
    if given.get("gain") == "exp":
        del given["gain"]
        given["dcg"] = "exp-log2"
    named = {kind.AT_PARAM if key == at else RENAMED.get(key, key): value for key, value in given.items()}
    types = {key: info.dtype for key, info in kind.SUPPORTED_PARAMS.items()}
    return {key: float(value) if types.get(key) is float else value for key, value in named.items()}


def ir_measures() -> ModuleType:
    """The package ir_measures, imported when it is needed.

    Raises:
        MissingPackage: it is not installed.
    """
    with needs("truerank.interop.ir_measures", "ir-measures"):
        return import_module("ir_measures")


@cache
def _not_provided() -> Any:
    """ir_measures' placeholder for a parameter that is not given."""
    return ir_measures().providers.base.NOT_PROVIDED
