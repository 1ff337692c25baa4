"""What measures there are: names, aliases, parameters, how they print and parse.

A measure is a function from hits to a value a query. Its keyword-only signature is the schema: what can be
written between the parentheses, what the documentation says and what errors suggest all come from it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from truerank.errors import MeasureError, did_you_mean, shown
from truerank.hits import Hits
from truerank.measures.parameters import Kind, canonical, kind_of, resolved
from truerank.measures.sums import PerQuery, geometric_mean, mean, total

Function = Callable[..., PerQuery]

RULED = ("level", "rounding")
"""What the rules decide where a measure leaves it open; so level=1 is not the same as no level."""

MEANS: dict[str, Callable[[PerQuery], float]] = {"mean": mean, "sum": total, "geometric": geometric_mean}


@dataclass(frozen=True)
class Definition:
    """A registered measure.

    Attributes:
        name: as the field spells it.
        function: hits and keyword parameters in, one float64 a query out.
        aliases: other names, each with the parameters it stands for, e.g. "relative_P" → {"capped": True}.
        at: the parameter that stands after "@".
        average: how values become one number: mean, sum or geometric.
        unit: whether values lie in [0, 1].
        formula: one line of plain text.
        source: paper and year, or the tool it comes from.
    """

    name: str
    function: Function
    aliases: dict[str, dict[str, Any]] = field(default_factory=dict)
    at: str = "k"
    average: str = "mean"
    unit: bool = True
    formula: str = ""
    source: str = ""

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The keyword-only parameters by name."""
        parameters = inspect.signature(self.function).parameters
        return {name: p for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """What each parameter may be."""
        names = getattr(self.function, "__globals__", {})
        return {name: kind_of(resolved(p.annotation, names)) for name, p in self.parameters.items()}

    @property
    def takes(self) -> dict[str, str]:
        """What each parameter may be, in words: {"p": "a number from 0 to 1; 0.8 if not given"}."""
        return {name: self.kinds[name].words + _default(p) for name, p in self.parameters.items()}

    @property
    def meaning(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def is_less_better(self) -> bool:
        """Whether a lower value is a better one, which the meaning then says."""
        return "less is better" in self.meaning

    @property
    def spelling(self) -> str:
        """How it is written, cutoff and all: "P@k", "AP[@k]", "IPrec@recall"."""
        at = self.parameters.get(self.at)
        if at is None:
            return self.name
        return f"{self.name}@{self.at}" if at.default is at.empty else f"{self.name}[@{self.at}]"


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return "; must be given"
    return "" if parameter.default is None else f"; {parameter.default!r} if not given"


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters: a value that prints, parses, hashes and compares.

    >>> from truerank import parse_measure
    >>> str(parse_measure("ndcg_cut_10"))
    'nDCG@10'
    """

    definition: Definition = field(repr=False, compare=False)
    name: str
    params: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        at = self.definition.at
        inside = ", ".join(f"{key}={value!r}" for key, value in self.params if key != at)
        cut = dict(self.params).get(at)
        return self.name + (f"({inside})" if inside else "") + (f"@{cut!r}" if cut is not None else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return parse_measure, (str(self),)

    def values(self, hits: Hits, **defaults: Any) -> PerQuery:
        """One value a query. `defaults`: what the rules say of parameters that this measure leaves open.

        Raises:
            MeasureError: the function gives something else than a finite number a query.
        """
        known = self.definition.parameters
        chosen = {key: value for key, value in defaults.items() if key in known}
        return _sound(self, hits, self.definition.function(hits, **{**chosen, **dict(self.params)}))

    def mean(self, values: PerQuery) -> float:
        """One number from a value a query: the mean, or what this measure has in its place."""
        return MEANS[self.definition.average](values)


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
    **bound: dict[str, Any],
) -> Callable[[Function], Function]:
    """Register a function as a measure.

    Args:
        name, aliases: what it is called; any case is understood; one ending in "@" is for use with a cutoff.
        at: the parameter that "@" sets.
        average: "mean", "sum" or "geometric".
        unit: whether its values lie in [0, 1].
        formula, source: for the documentation.
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
        definition = Definition(name, function, names, at, average, unit, formula, source)
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


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")


_SHAPE = re.compile(
    r"\s*([\w.-]+?)\s*(?:\((.*?)\))?\s*(?:@\s*([0-9.eE+-]+))?\s*(?:\((.*?)\))?\s*\Z", re.DOTALL | re.ASCII
)
_SUFFIX = re.compile(r"(.+?)(?:_at_|[_.])([0-9]+(?:\.[0-9]+)?)\Z")
_CUT = re.compile(r"(.*@\s*)[0-9.eE+-]+(\s*\(.*\))?\Z", re.DOTALL)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z", re.ASCII)

_SPELLINGS = {"rel": "level", "cutoff": "k", "gains": "gain", "dcg": "gain"}
"""What ir_measures calls a parameter, and what it is called here."""

_WORDS = {"log2": "linear", "exp-log2": "exp"}
"""What ir_measures calls the value of `dcg`, and what it is called here."""

_ELSEWHERE = {"judged_only": "use rules with unjudged = 'removed'"}
"""What ir_measures makes a parameter, and rules decide here."""

_OTHERS = {
    "relstring": "text, not a number; `truerank trec_eval -m relstring` prints it",
    "prcurve": "a curve, not a number; `truerank curve` draws it, and IPrec@0.5 is one point of it",
}
"""What others list among their measures."""


def parse_measure(text: str | Measure) -> Measure:
    """A measure from how people write it: "nDCG@10", "nDCG(gain='exp')@10", "ndcg_cut_10", "recall@5".

    Raises:
        MeasureError: no such measure or parameter; near misses are suggested.
    """
    if isinstance(text, Measure):
        return text
    match = _SHAPE.match(text) if isinstance(text, str) else None
    if not match:
        raise MeasureError(f"cannot read the measure {text!r}; write it like nDCG@10 or AP(level=2)")
    word, inside, cut, after = match.groups()
    if inside is not None and after is not None:
        raise MeasureError(f"cannot read the measure {text!r}: it has two sets of parameters")
    definition, params = _resolve(word, cut, text)
    for key, value in _arguments(inside or after or "", definition, text).items():
        if params.get(key, value) != value:
            raise MeasureError(f"{text!r} says {key} twice: {params[key]!r} and {value!r}")
        params[key] = value
    return _checked(definition, params)


def parse_measures(text: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Measures from one text with blanks or commas between them, or from a list; without repeats.

    In a text, a number after a comma is another cutoff of the measure before:

    >>> [str(measure) for measure in parse_measures("P@1,5,AP nDCG(gain='exp')@10,20")]
    ['P@1', 'P@5', 'AP', "nDCG(gain='exp')@10", "nDCG(gain='exp')@20"]
    """
    if not isinstance(text, str | Measure | Iterable):
        raise MeasureError(f"measures are named by text, such as nDCG@10, not {text!r}")
    words: Iterable[str | Measure] = [text] if isinstance(text, Measure) else text
    if isinstance(text, str):
        words = _words(text)
    return list(dict.fromkeys(parse_measure(word) for word in words))


def _words(text: str) -> list[str]:
    """Split at commas and blanks outside parentheses; a number after a comma becomes a measure."""
    words: list[str] = []
    for part in _split(text, ","):
        first, *others = _split(part, None) or [""]
        if words and _NUMBER.match(first):
            first = _with_cutoff(words[-1], first)
        words += [word for word in (first, *others) if word]
    return words


def _split(text: str, at: str | None) -> list[str]:
    """The pieces between commas, or between blanks (None), outside parentheses."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and (letter == at if at else letter.isspace()):
            pieces.append("")
        else:
            pieces[-1] += letter
    return [piece for piece in pieces if piece]


def _with_cutoff(word: str, cut: str) -> str:
    """The same measure with another cutoff: P@1 and 5 are P@5; the cutoff alone if the measure has none."""
    if found := _CUT.match(word):
        return f"{found[1]}{cut}{found[2] or ''}"
    suffix = _SUFFIX.match(word)
    return word[: suffix.start(2)] + cut if suffix else cut


def _resolve(word: str, cut: str | None, whole: str) -> tuple[Definition, dict[str, Any]]:
    """The measure that a word names, and the parameters that the word and the cutoff set."""
    folded = _fold(word)
    entry = (_names.get(folded + "@") if cut is not None else None) or _names.get(folded)
    suffix = _SUFFIX.match(folded)
    by_suffix = entry is None and suffix is not None and cut is None
    if by_suffix and suffix:
        cut = suffix[2]
        entry = _names.get(suffix[1] + "@") or _names.get(suffix[1])
    if entry is None:
        if other := _OTHERS.get(suffix[1] if suffix else folded):
            raise MeasureError(f"{word} is {other}")
        hint = did_you_mean(word, [*(n for n in _names if not n.endswith("@")), *_definitions])
        raise MeasureError(f"unknown measure {word!r}.{hint} `truerank measures` lists them")
    definition = _definitions[entry[0]]
    params = {key: value for key, value in entry[1].items() if value is not ...}
    if cut is not None:
        open_keys = [key for key, value in entry[1].items() if value is ... and by_suffix]
        params[(open_keys or [_cutoff_of(definition, word, cut)])[0]] = _literal(cut, whole)
    return definition, params


def _cutoff_of(definition: Definition, word: str, cut: str) -> str:
    """The parameter that a cutoff sets; where there is none, the message says what cuts the lists instead."""
    if definition.at in definition.parameters:
        return definition.at
    name = definition.name if _fold(word) == _fold(definition.name) else f"{word} ({definition.name})"
    hint = f"; rules with depth = {cut} (--set depth={cut}) cut every list there" if cut.isdecimal() else ""
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
    if key in definition.parameters:
        return key, value
    return _SPELLINGS.get(key, key), _WORDS.get(value, value) if key == "dcg" else value


def _value(node: ast.expr, whole: str) -> Any:
    if isinstance(node, ast.Name):  # gain=exp
        return {"true": True, "false": False, "none": None}.get(node.id.lower(), node.id)
    try:
        return canonical(ast.literal_eval(node))
    except (ValueError, TypeError, OverflowError):
        raise MeasureError(f"{whole!r}: a parameter is a number, a word, or a mapping of numbers") from None


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
        if key not in known:
            near = did_you_mean(key, known)
            hint = _ELSEWHERE.get(key) or _takes(definition) + (f".{near}" if near else "")
            raise MeasureError(f"{name} has no parameter {key!r}; {hint}")
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in params:
            example = "@10" if key == "k" else "@0.5" if key == definition.at else f"({key}=…)"
            raise MeasureError(f"{name} needs {key}: write {name}{example}")
    given = {key: canonical(params[key]) for key in known if key in params}
    for key, value in given.items():
        if not definition.kinds[key].allows(value):
            raise MeasureError(f"{name}: {key} is {definition.kinds[key].words}, not {value!r}")
    chosen = [(k, v) for k, v in given.items() if k in RULED or v != canonical(known[k].default)]
    return Measure(definition, name, tuple(chosen))
