"""What measures there are: names, aliases, parameters, how they print.

A measure is a function from hits to one value per query. Its keyword-only signature is the schema: what can be
written between the parentheses, what the documentation says and what errors suggest all come from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, NoReturn, TypeVar

import numpy as np

from truerank.core import plugins
from truerank.core.errors import MeasureError, quoted
from truerank.core.hits import Bools, Hits
from truerank.core.messages import Message, did_you_mean, joined, message
from truerank.measures.definition import (
    DEPTH,
    FROM_RULES,
    MEANS,
    Definition,
    Divisor,
    Function,
    Monotone,
    Need,
    positional,
    refuse_unusable,
    takes,
)
from truerank.measures.gains import ideal_ranking
from truerank.measures.of_run import OfRun
from truerank.measures.parameters import WHOLE, canonical
from truerank.measures.soundness import sound
from truerank.measures.spellings import AT_K, ELSEWHERE
from truerank.measures.sums import PerQuery
from truerank.measures.terms import Terms

Measured = TypeVar("Measured", bound=Function)


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters: a value that prints, parses, hashes and compares.

    Attributes:
        params: the parameters that it has, without those that are the default anyway.
        said: those that were written out although they are the default: they change nothing, but a measure
            that was written with parameters is no plain name, which rules may read in their own way.

    >>> from truerank import parse_measure
    >>> str(parse_measure("ndcg_cut_10"))
    'nDCG@10'
    """

    definition: Definition = field(repr=False, compare=False)
    name: str
    params: tuple[tuple[str, Any], ...] = ()
    said: tuple[tuple[str, Any], ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return self._printed(self.params)

    @property
    def written(self) -> str:
        """As it prints, with the defaults that were written out."""
        return self._printed((*self.params, *self.said))

    def _printed(self, params: tuple[tuple[str, Any], ...]) -> str:
        at = self.definition.at
        inside = ", ".join(f"{key}={value!r}" for key, value in params if key != at)
        cut = dict(params).get(at)
        return self.name + (f"({inside})" if inside else "") + (f"@{cut!r}" if cut is not None else "")

    @property
    def lacks(self) -> tuple[str, ...]:
        """The parameters that have to be given and are not yet: ("k",) of `tr.P`."""
        return tuple(name for name in self.definition.required if name not in dict(self.params))

    def __matmul__(self, cut: float) -> Measure:
        """This measure at a cutoff: `tr.nDCG @ 10`.

        Raises:
            MeasureError: it has no cutoff, or not this one.
        """
        definition = self.definition
        return checked(definition, {**self.given, cutoff_of(definition, self.name, str(cut)): cut})

    def __call__(self, /, *values: NoReturn, **params: Any) -> Measure:
        """This measure with these parameters: `tr.AP(level=2)`.

        Raises:
            MeasureError: no such parameter, or not with this value; or a value without a name: `tr.nDCG(10)`.
        """
        if values:
            raise positional(self.definition, f"{self}({', '.join(map(repr, values))})")
        return checked(self.definition, {**self.given, **params}, is_whole=False)

    @property
    def given(self) -> dict[str, Any]:
        """Its parameters, with the defaults that were written out."""
        return dict((*self.params, *self.said))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.name, self.params, self.said)

    @property
    def is_plain(self) -> bool:
        """Whether it is a name alone, with or without a cutoff."""
        return not self.said and all(key == self.definition.at for key, _ in self.params)

    @property
    def cutoff(self) -> int | None:
        """The rank below which nothing counts; None where everything does."""
        known = self.definition.parameters
        given = {"k": known["k"].default if "k" in known else None, **dict(self.params)}
        return min((given[key] for key in ("k", DEPTH) if isinstance(given.get(key), int)), default=None)

    @property
    def sense(self) -> str:
        """The parameter with its value that decides what the number means: one of the definition's `meanings`."""
        return self._first_of(self.definition.meanings)

    @property
    def monotone(self) -> Monotone | None:
        """How it follows its documents, with these parameters; None where that was not declared."""
        own = self.definition.monotone_with
        return own.get(self._first_of(own), self.definition.monotone)

    def _first_of(self, senses: Iterable[str]) -> str:
        """The first "parameter=value" that is one of this measure's; empty if none is."""
        own = {f"{key}={value}" for key, value in self.params}
        return next((sense for sense in senses if sense in own), "")

    @property
    def meaning(self) -> Message:
        """What the number means to a person, with these parameters."""
        sentence = Message(self.definition.meanings.get(self.sense, self.definition.meaning))
        if self.depth is None:
            return sentence
        return message("{meaning} Of the first {k} results only.", meaning=sentence, k=self.depth)

    @property
    def depth(self) -> int | None:
        """How many results it is shown; None for all."""
        return None if DEPTH in self.definition.parameters else dict(self.params).get(DEPTH)

    def values(self, hits: Hits, **defaults: Any) -> PerQuery:
        """One value per query. `defaults`: what the rules say of parameters that this measure leaves open.

        Raises:
            MeasureError: the function gives no finite number for some query; or it is of the whole run.
        """
        if self.definition.is_of_run:
            raise MeasureError(
                "{measure} is one number of the whole run and has no value for a query; `truerank eval` and "
                "evaluate() give it",
                measure=self,
            )
        given = self._found(hits, defaults)
        return sound(self, hits, given.result if isinstance(given, Terms) else given)

    def of_run(self, hits: Hits, **defaults: Any) -> OfRun:
        """The number of a whole run, by a measure of that kind. Arguments as for `values`.

        Raises:
            MeasureError: the function gives something else.
        """
        given = self._found(hits, defaults)
        if not isinstance(given, OfRun):
            kind = type(given).__name__
            raise MeasureError(
                "{measure} gives a {kind}, not OfRun: one number of the run", measure=self, kind=kind
            )
        return given

    def _found(self, hits: Hits, defaults: dict[str, Any]) -> Any:
        """What the function gives.

        Raises:
            MeasureError: the rows or the judgements do not say what it asks.
        """
        if self._lacks_what_it_needs(hits):
            raise self.definition.lacking(self)
        depth, given = self._arguments
        if defaults:
            given = {**self.definition.left_open(defaults, given), **given}
        return self.definition.of_hits(hits if depth is None else hits.cut(depth), given)

    def _lacks_what_it_needs(self, hits: Hits) -> bool:
        if self.definition.is_of_items:
            return hits.items is None
        if self.definition.needs == "calls":
            return hits.calls is None
        return self.definition.sees_aspects and hits.aspects is None and len(hits.judgements.query) > 0

    @cached_property
    def _arguments(self) -> tuple[int | None, dict[str, Any]]:
        """The depth, and what the function is given."""
        known = self.definition.parameters
        return self.depth, {key: value for key, value in self.params if key in known}

    def mean(self, values: PerQuery) -> float:
        """One number from one value per query, NaN for none: the mean, or what stands in its place; 0 of nothing.

        Raises:
            MeasureError: the values are so large that their sum overflows.
        """
        known = ~np.isnan(values)
        if len(values) and not known.any():
            return math.nan
        values = values if known.all() else values[known]
        with np.errstate(over="ignore"):
            mean = MEANS[self.definition.average](values)
        if math.isinf(mean) and np.isfinite(values).all():
            raise MeasureError(
                "the values of {measure} are too large to be summed over {n} queries", measure=self, n=len(values)
            )
        return mean

    def finds(self, hits: Hits, level: float) -> Bools:
        """(queries,) whether it has something to find, relevant or gaining; `level` is that of the rules."""
        params = dict(self.params)
        params |= self.definition.left_open({"level": level}, params)
        if self.definition.seeks(params) == "relevant":
            return hits.relevant_total(params.get("level", level)) > 0
        gain = params.get("gain", "linear")
        gain = "linear" if gain in ("graded", "scaled") else gain  # what it is divided by does not decide
        return ideal_ranking(hits, gain, params.get("gain_from", 0)).count > 0

    def is_defined(self, hits: Hits, level: float) -> Bools:
        """(queries,) whether there is something to divide by; `level` is that of the rules."""
        return self.finds(hits, level) if self.definition.divides_by else np.ones(len(hits.queries), bool)


MeasuresLike = str | Measure | Iterable[str | Measure]
"""A text that names measures, a measure, or several; objects of ir_measures are read as they print."""


def _again(name: str, params: tuple[tuple[str, Any], ...], said: tuple[tuple[str, Any], ...]) -> Measure:
    """A measure that was pickled, of the definition that has its name here."""
    if name not in _definitions:
        load_more()
    if name not in _definitions:
        raise MeasureError("unknown measure {name!r}: what defines it was not imported here", name=name)
    return Measure(_definitions[name], name, params, said)


_definitions: dict[str, Definition] = {}
_names: dict[str, tuple[str, dict[str, Any]]] = {}


def measure(
    name: str,
    *aliases: str,
    at: str = "k",
    average: str = "mean",
    unit: bool = True,
    formula: str = "",
    source: str = "",
    meanings: dict[str, str] | None = None,
    divides_by: Divisor = "",
    monotone: Monotone | None = None,
    monotone_with: dict[str, Monotone] | None = None,
    sees_judged: bool | None = None,
    takes_unjudged_grades: bool = False,
    needs: Need = "",
    lower_is_better: bool = False,
    **bound: dict[str, Any],
) -> Callable[[Measured], Measured]:
    """Register a function as a measure.

    Args:
        name, aliases: what it is called; any case is understood; one ending in "@" is for use with a cutoff.
        at: the parameter that "@" sets.
        average: "mean", "sum" or "geometric"; "run" where the function gives one number of the whole run, `OfRun`.
        unit: whether its values lie in [0, 1].
        formula, source: for the documentation.
        meanings: what it means where a parameter has a value, e.g. {"divisor=hits": "…"}.
        divides_by, monotone, monotone_with, takes_unjudged_grades, needs, lower_is_better: as in `Definition`.
        sees_judged: as there; a "rising" or "stepped" measure knows only what is relevant, so it does not.
        bound: an alias that stands for parameters too, e.g. relative_P={"capped": True}; the parameter whose
            value is ... is what the number after the alias sets.

    >>> import truerank as tr
    >>> @tr.measure("Found", average="sum", unit=False)
    ... def found(hits, *, level: float = 1):
    ...     "How many relevant documents were returned."
    ...     return hits.sum(hits.grade >= level)
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0}}, ["Found"]).mean
    {'Found': 1.0}
    >>> tr.unregister("Found")
    """

    def register(function: Measured) -> Measured:
        names: dict[str, dict[str, Any]] = {**{alias: {} for alias in aliases}, **bound}
        definition = Definition(
            name,
            function,
            names,
            at,
            average,
            unit,
            formula,
            source,
            meanings or {},
            divides_by,
            monotone,
            monotone_with or {},
            False if sees_judged is None and monotone in ("rising", "stepped") else sees_judged,
            takes_unjudged_grades,
            needs,
            lower_is_better,
        )
        if not definition.is_built_in:
            refuse_unusable(definition)
            load_more()  # a name may be taken there
        if name in _definitions and _same(_definitions[name].function, function):
            unregister(name)  # a cell or module that runs again
        for word in (name, *names):
            if fold(word) in _names:
                raise MeasureError(
                    "the measure name {word!r} is taken by {measure}", word=word, measure=_names[fold(word)][0]
                )
        _definitions[name] = definition
        for word, params in {name: {}, **names}.items():
            _names[fold(word)] = (name, params)
        plugins.forget()
        return function

    return register


def _same(one: Function, other: Function) -> bool:
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def unregister(name: str) -> None:
    """Forget a measure."""
    if name not in _definitions:
        raise MeasureError(
            "no measure is registered as {name!r}.{hint}", name=name, hint=did_you_mean(name, _definitions)
        )
    definition = _definitions.pop(name)
    for word in (name, *definition.aliases):
        _names.pop(fold(word), None)
    plugins.forget()


def measures() -> dict[str, Definition]:
    """All measures by name, those of other installed packages too."""
    load_more()
    return dict(_definitions)


LATER = (
    *("nonrelevant", "cwl.users", "cwl.expectations", "ntcir", "calls", "aspects", "intents", "diversity"),
    *("strata", "evidence", "preferences", "images", "micro", "abstention", "items", "fairness", "popularity"),
)
"""Families that few evaluations ask for: they are not imported before a name is unknown, or all are listed."""


def load_more() -> bool:
    """Register the families here that few ask for, and what other packages add; whether that brought any names."""
    known = len(_names)
    for family in LATER:
        import_module(f"truerank.measures.{family}")
    plugins.load("measures")
    return len(_names) > known


def find(word: str) -> tuple[Definition, dict[str, Any]] | None:
    """The measure that a word names, and the parameters that it stands for."""
    entry = _names.get(fold(word))
    return None if entry is None else (_definitions[entry[0]], entry[1])


def known_words() -> list[str]:
    """Every name and alias that can be written alone."""
    return [*(name for name in _names if not name.endswith("@")), *_definitions]


def measure_named(name: str) -> Measure | None:
    """A measure before it is given parameters: `tr.nDCG`, `tr.P`; None where no measure has the name."""
    entry = find(name) or (find(name) if load_more() else None)
    return Measure(entry[0], name) if entry and entry[0].name == name else None


def fold(name: str) -> str:
    """A name as it is looked up: whatever its case, and with hyphens or underscores."""
    return name.lower().replace("-", "_")


def cutoff_of(definition: Definition, word: str, cut: str) -> str:
    """The parameter that a cutoff sets; where there is none, the message says what cuts the lists instead."""
    if definition.at in definition.parameters:
        return definition.at
    name = definition.name
    hint: str = ""
    if cut.isdecimal() and name in AT_K:
        hint = message("; {measure}@{cut} is the measure of the first {cut}", measure=AT_K[name], cut=cut)
    elif cut.isdecimal():
        hint = message("; rules with depth = {cut} (--set depth={cut}) cut every list there", cut=cut)
    raise MeasureError(
        "{name} takes no cutoff{hint}; {takes}{more}",
        name=name if fold(word) == fold(name) else f"{word} ({name})",
        hint=hint,
        takes=takes(definition),
        more=message(" (`truerank measures {measure}` explains)", measure=name) if definition.parameters else "",
    )


def checked(definition: Definition, params: dict[str, Any], *, is_whole: bool = True) -> Measure:
    """The measure with its parameters in the order of the signature, without those that change nothing.

    Args:
        is_whole: refuse one that lacks a parameter; else it may still be given: `tr.P(level=2) @ 5`.
    """
    name, known = definition.name, definition.parameters
    for key in params:
        if key not in definition.kinds:
            near = did_you_mean(key, known)
            hint = ELSEWHERE.get(key) or joined(".", filter(None, (takes(definition), near)))
            raise MeasureError("{name} has no parameter {key}; {hint}", name=name, key=quoted(key), hint=hint)
    given = {key: canonical(params[key]) for key in definition.kinds if key in params}
    for key, value in given.items():
        if key != DEPTH or value is not None:
            definition.kinds[key].checked(f"{name}: {key}", value, MeasureError)
        if type(value) is int and abs(value) >= WHOLE:
            given[key] = float(value)  # arrays hold no larger whole numbers
    default = {key: canonical(known[key].default) if key in known else None for key in given}
    chosen = {key: value for key, value in given.items() if key in FROM_RULES or value != default[key]}
    said = [(key, value) for key, value in given.items() if key not in (*chosen, definition.at, DEPTH)]
    measure = Measure(definition, name, tuple(chosen.items()), tuple(said))
    for key in measure.lacks if is_whole else ():
        cut = "@10" if key == "k" else "@0.5" if definition.kinds[key].allows(0.5) else "@2"
        example = cut if key == definition.at or key == "k" else f"({key}=…)"
        shown = str(measure) if example == cut else name
        raise MeasureError("{name} needs {key}: write {name}{example}", name=shown, key=key, example=example)
    return measure
