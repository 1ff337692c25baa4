"""What measures there are: names, aliases, parameters, how they print and parse.

A measure is a function from hits to a value a query. Its keyword-only signature is the schema: what can be
written between the parentheses, what the documentation says and what errors suggest all come from it.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truerank.core.errors import MeasureError, did_you_mean, shown
from truerank.core.hits import Bools, Hits
from truerank.measures.definition import DEPTH, MEANS, RULED, Definition, Divisor, Function, Monotone
from truerank.measures.gains import ideal_ranking
from truerank.measures.parameters import WHOLE, canonical
from truerank.measures.spellings import AT_K, ELSEWHERE, OTHERS, SPELLINGS, SUFFIX, WORDS, persistence, split
from truerank.measures.suggestions import is_phrase, suggestion
from truerank.measures.sums import PerQuery


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

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.name, self.params, self.said)

    @property
    def is_plain(self) -> bool:
        """Whether it is a name alone, with or without a cutoff."""
        return not self.said and all(key == self.definition.at for key, _ in self.params)

    @property
    def cutoff(self) -> int | None:
        """The rank below which nothing counts; None where everything does."""
        given = [value for key, value in self.params if key in ("k", DEPTH) and value is not None]
        return min(given, default=None)

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
    def meaning(self) -> str:
        """What the number means to a person, with these parameters."""
        sentence = self.definition.meanings.get(self.sense, self.definition.meaning)
        return sentence if self.depth is None else f"{sentence} Of the first {self.depth} results only."

    @property
    def depth(self) -> int | None:
        """How many results it is shown; None for all."""
        return None if DEPTH in self.definition.parameters else dict(self.params).get(DEPTH)

    def values(self, hits: Hits, **defaults: Any) -> PerQuery:
        """One value a query. `defaults`: what the rules say of parameters that this measure leaves open.

        Raises:
            MeasureError: the function gives something else than a finite number a query.
        """
        known = self.definition.parameters
        chosen = {key: value for key, value in defaults.items() if key in known}
        given = {key: value for key, value in self.params if key in known}
        return _sound(self, hits, self.definition.function(hits.cut(self.depth), **{**chosen, **given}))

    def mean(self, values: PerQuery) -> float:
        """One number from a value a query, NaN for none: the mean, or what this measure has in its place.

        Raises:
            MeasureError: the values are so large that their sum overflows.
        """
        known = ~np.isnan(values)
        values = values if known.all() else values[known]
        with np.errstate(over="ignore"):
            found = MEANS[self.definition.average](values)
        if math.isinf(found) and np.isfinite(values).all():
            raise MeasureError(f"the values of {self} are too large to be summed over {len(values)} queries")
        return found

    def is_defined(self, hits: Hits, level: float) -> Bools:
        """(queries,) whether there is something to divide by; `level` is that of the rules."""
        params = dict(self.params)
        if self.definition.divides_by == "relevant":
            return hits.relevant_total(params.get("level", level)) > 0
        if self.definition.divides_by == "gain":
            return ideal_ranking(hits, params.get("gain", "linear"), params.get("gain_from", 0)).count > 0
        return np.ones(len(hits.queries), bool)


def _again(name: str, params: tuple[tuple[str, Any], ...], said: tuple[tuple[str, Any], ...]) -> Measure:
    """A measure that was pickled, of the definition that has its name here."""
    if name not in _definitions:
        raise MeasureError(f"unknown measure {name!r}: what defines it was not imported here")
    return Measure(_definitions[name], name, params, said)


def _sound(measure: Measure, hits: Hits, found: Any) -> PerQuery:
    """What a measure's function gave, if that is a finite number a query."""
    try:
        values: PerQuery = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise MeasureError(f"{measure} gives a {type(found).__name__}, not one number a query") from None
    if values.shape != (len(hits.queries),):
        what = f"{values.size} values" if values.ndim == 1 else f"a {type(found).__name__} of shape {values.shape}"
        hint = "it gives one number a query, as hits.sum(…) makes it from one a hit"
        raise MeasureError(f"{measure} gives {what} for {len(hits.queries)} queries; {hint}")
    if not np.isfinite(values).all():
        worst = int(np.argmin(np.isfinite(values)))
        query = shown(hits.queries[worst])
        raise MeasureError(f"{measure} gives {values[worst]} for query {query}; a value is a finite number")
    return values


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
    takes_grades: bool = False,
    **bound: dict[str, Any],
) -> Callable[[Function], Function]:
    """Register a function as a measure.

    Args:
        name, aliases: what it is called; any case is understood; one ending in "@" is for use with a cutoff.
        at: the parameter that "@" sets.
        average: "mean", "sum" or "geometric".
        unit: whether its values lie in [0, 1].
        formula, source: for the documentation.
        meanings: what it means where a parameter has a value, e.g. {"divisor=hits": "…"}.
        divides_by, monotone, monotone_with, takes_grades: as in `Definition`.
        sees_judged: as there; a "rising" or "stepped" measure knows only what is relevant, so it does not.
        bound: an alias that stands for parameters too, e.g. relative_P={"capped": True}; the parameter whose
            value is ... is what the number after the alias sets.

    >>> import truerank as tr
    >>> @tr.measure("Found", average="sum", unit=False)
    ... def found(hits, *, level: float = 1):
    ...     "How many relevant documents came back."
    ...     return hits.sum(hits.grade >= level)
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0}}, ["Found"]).mean
    {'Found': 1.0}
    >>> tr.unregister("Found")
    """

    def register(function: Function) -> Function:
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
            takes_grades,
        )
        if average not in MEANS:
            raise MeasureError(f"average is one of {', '.join(MEANS)}, not {average!r}")
        if name in _definitions and _same(_definitions[name].function, function):
            unregister(name)  # a cell or module that runs again
        for word in (name, *names):
            if _fold(word) in _names:
                raise MeasureError(f"the measure name {word!r} is taken by {_names[_fold(word)][0]}")
        _definitions[name] = definition
        for word, params in {name: {}, **names}.items():
            _names[_fold(word)] = (name, params)
        return function

    return register


def _same(one: Function, other: Function) -> bool:
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def unregister(name: str) -> None:
    """Forget a measure."""
    if name not in _definitions:
        raise MeasureError(f"no measure is registered as {name!r}.{did_you_mean(name, _definitions)}")
    definition = _definitions.pop(name)
    for word in (name, *definition.aliases):
        _names.pop(_fold(word), None)


def measures() -> dict[str, Definition]:
    """All measures by name."""
    return dict(_definitions)


def named(word: str) -> str:
    """The name of the measure that a word alone stands for.

    >>> named("map")
    'AP'
    """
    definition, params = _resolve(word, None, word)
    if params:
        raise MeasureError(f"{word} is {definition.name} with {', '.join(params)}; a name alone is needed here")
    return definition.name


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")


_SHAPE = re.compile(
    r"\s*([\w.-]+?)\s*(?:\((.*?)\))?\s*(?:@\s*([0-9.eE+-]+))?\s*(?:\((.*?)\))?\s*\Z", re.DOTALL | re.ASCII
)
_LEVEL = re.compile(r"(.+\S)-l([0-9]+)\s*\Z", re.DOTALL | re.ASCII)


def parse_measure(text: str | Measure) -> Measure:
    """A measure from how people write it: "nDCG@10", "nDCG(gain='exp')@10", "ndcg_cut_10", "recall@5".

    Raises:
        MeasureError: no such measure or parameter; near misses are suggested.
    """
    if isinstance(text, Measure):
        return text
    text = spelled(text)
    if isinstance(text, str) and (levelled := _LEVEL.match(text)) and _fold(text) not in _names:
        return _at_level(levelled[1], int(levelled[2]), text)
    match = _SHAPE.match(text) if isinstance(text, str) else None
    if not match or not isinstance(text, str):
        hint = suggestion(text, ()) if isinstance(text, str) else ""
        how = f".{hint} Write" if hint else "; write"
        raise MeasureError(f"cannot read the measure {text!r}{how} it like nDCG@10 or AP(level=2)")
    word, inside, cut, after = match.groups()
    if inside is not None and after is not None:
        raise MeasureError(f"cannot read the measure {text!r}: it has two sets of parameters")
    definition, params = _resolve(word, cut, text)
    for key, value in _arguments(inside or after or "", definition, text).items():
        if params.get(key, value) != value:
            raise MeasureError(f"{text!r} says {key} twice: {params[key]!r} and {value!r}")
        params[key] = value
    return _checked(definition, params)


def _at_level(text: str, level: int, whole: str) -> Measure:
    """A measure of grades from a level on, as ranx writes it: map-l2, ndcg@10-l2."""
    measure = parse_measure(text)
    definition, params = measure.definition, dict(measure.params)
    key = next((name for name in ("level", "gain_from") if name in definition.parameters), None)
    if key is None:
        raise MeasureError(f"{whole!r}: {measure.name} has no level; {_takes(definition)}")
    if params.get(key, level) != level:
        raise MeasureError(f"{whole!r} says {key} twice: {params[key]!r} and {level!r}")
    return _checked(definition, {**params, key: level})


def spelled(measure: Any) -> Any:
    """ir_measures' own objects, which PyTerrier has too, print as they are written."""
    return str(measure) if type(measure).__module__.partition(".")[0] == "ir_measures" else measure


def parse_measures(text: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Measures from one text with blanks or commas between them, or from a list; without repeats.

    In a text, a number after a comma is another cutoff of the measure before:

    >>> [str(measure) for measure in parse_measures("P@1,5,AP nDCG(gain='exp')@10,20")]
    ['P@1', 'P@5', 'AP', "nDCG(gain='exp')@10", "nDCG(gain='exp')@20"]
    """
    text = spelled(text)
    if not isinstance(text, str | Measure | Iterable):
        raise MeasureError(f"measures are named by text, such as nDCG@10, not {text!r}")
    words: Iterable[str | Measure] = [text] if isinstance(text, Measure) else text
    if isinstance(text, str):
        words = split(text)
    try:
        return list({(m, m.said): m for m in map(parse_measure, words)}.values())
    except MeasureError:
        if isinstance(text, str) and is_phrase(text):  # its words are no measures each
            raise MeasureError(f"unknown measure {text!r}.{suggestion(text, ())}") from None
        raise


def _resolve(word: str, cut: str | None, whole: str) -> tuple[Definition, dict[str, Any]]:
    """The measure that a word names, and the parameters that the word and the cutoff set."""
    folded = _fold(word)
    entry = (_names.get(folded + "@") if cut is not None else None) or _names.get(folded)
    suffix = SUFFIX.match(folded)
    by_suffix = entry is None and suffix is not None and cut is None
    if by_suffix and suffix:
        cut = suffix["number"]
        entry = _names.get(suffix["word"] + "@") or _names.get(suffix["word"])
    if entry is None:
        if other := OTHERS.get(suffix["word"] if suffix else folded):
            raise MeasureError(f"{word} is {other}")
        hint = suggestion(word, [*(n for n in _names if not n.endswith("@")), *_definitions])
        raise MeasureError(f"unknown measure {word!r}.{hint} `truerank measures` lists them")
    definition = _definitions[entry[0]]
    params = {key: value for key, value in entry[1].items() if value is not ...}
    if by_suffix and suffix and "p" in definition.parameters and suffix["mark"] != "_at_":
        params["p"] = persistence(definition.name, suffix["mark"], suffix["number"], whole)
    elif cut is not None:
        open_keys = [key for key, value in entry[1].items() if value is ... and by_suffix]
        params[(open_keys or [_cutoff_of(definition, word, cut)])[0]] = _literal(cut, whole)
    return definition, params


def _cutoff_of(definition: Definition, word: str, cut: str) -> str:
    """The parameter that a cutoff sets; where there is none, the message says what cuts the lists instead."""
    if definition.at in definition.parameters:
        return definition.at
    name = definition.name if _fold(word) == _fold(definition.name) else f"{word} ({definition.name})"
    hint = f"; rules with depth = {cut} (--set depth={cut}) cut every list there" if cut.isdecimal() else ""
    if cut.isdecimal() and definition.name in AT_K:
        hint = f"; {AT_K[definition.name]}@{cut} is the measure of the first {cut}"
    more = f" (`truerank measures {definition.name}` explains)" if definition.parameters else ""
    raise MeasureError(f"{name} takes no cutoff{hint}; {_takes(definition)}{more}")


def _arguments(text: str, definition: Definition, whole: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise MeasureError(f"cannot read the parameters of {whole!r}; write them like (level=2, gain='exp')")
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise MeasureError(f"{whole!r}: parameters have names; {_takes(definition)}")
    pairs = [_argument(word.arg or "", _value(word.value, whole), definition) for word in call.keywords]
    if len(dict(pairs)) < len(pairs):
        raise MeasureError(f"{whole!r} says a parameter twice; {_takes(definition)}")
    return dict(pairs)


def _argument(key: str, value: Any, definition: Definition) -> tuple[str, Any]:
    if key in definition.kinds:
        return key, value
    return SPELLINGS.get(key, key), WORDS.get(value, value) if key == "dcg" else value


def _value(node: ast.expr, whole: str) -> Any:
    if isinstance(node, ast.Name):  # gain=exp
        return {"true": True, "false": False, "none": None}.get(node.id.lower(), node.id)
    try:
        value = ast.literal_eval(node)
        found = canonical(value)
    except (ValueError, TypeError, OverflowError):
        raise MeasureError(f"{whole!r}: a parameter is a number, a word, or a mapping of numbers") from None
    if isinstance(node, ast.Dict) and len(value) < len(node.keys):
        raise MeasureError(f"{whole!r} says twice what a grade is worth; a mapping names each grade once")
    return found


def _literal(text: str, whole: str) -> int | float:
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise MeasureError(f"{whole!r}: {text!r} is no cutoff") from None


def _takes(definition: Definition) -> str:
    names = list(definition.parameters)
    return f"it takes {', '.join(names)}" if names else "it takes no parameters"


def _checked(definition: Definition, params: dict[str, Any]) -> Measure:
    """The measure with its parameters in the order of the signature, without those that change nothing."""
    name, known = definition.name, definition.parameters
    for key in params:
        if key not in definition.kinds:
            near = did_you_mean(key, known)
            hint = ELSEWHERE.get(key) or _takes(definition) + (f".{near}" if near else "")
            raise MeasureError(f"{name} has no parameter {key!r}; {hint}")
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in params:
            example = "@10" if key == "k" else "@0.5" if key == definition.at else f"({key}=…)"
            raise MeasureError(f"{name} needs {key}: write {name}{example}")
    order = [*known, *(key for key in definition.kinds if key not in known)]
    given = {key: canonical(params[key]) for key in order if key in params}
    for key, value in given.items():
        if not (definition.kinds[key].allows(value) or (key == DEPTH and value is None)):
            raise MeasureError(f"{name}: {key} is {definition.kinds[key].words}, not {value!r}")
        if type(value) is int and abs(value) >= WHOLE:
            given[key] = float(value)  # arrays hold no larger whole numbers
    default = {key: canonical(known[key].default) if key in known else None for key in given}
    chosen = {key: value for key, value in given.items() if key in RULED or value != default[key]}
    said = [(key, value) for key, value in given.items() if key not in (*chosen, definition.at, DEPTH)]
    return Measure(definition, name, tuple(chosen.items()), tuple(said))
