"""What measures there are: names, aliases, parameters, how they print and parse.

A measure is a function from hits to a value a query. Its keyword-only signature is the schema: what can be
written between the parentheses, what the documentation says and what errors suggest all come from it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from truerank.errors import MeasureError, did_you_mean
from truerank.hits import Hits
from truerank.measures.sums import PerQuery, geometric_mean, mean, total

Function = Callable[..., PerQuery]

MEANS: dict[str, Callable[[PerQuery], float]] = {"mean": mean, "sum": total, "geometric": geometric_mean}


@dataclass(frozen=True)
class Definition:
    """A registered measure.

    Attributes:
        name: as the field spells it.
        aliases: other names, each with the parameters it stands for, e.g. "relative_P" → {"capped": True}.
        function: hits and keyword parameters in, one float64 a query out.
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

    @property
    def meaning(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]


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
        """One value a query. `defaults` are what the rules say of parameters that this measure leaves open."""
        known = self.definition.parameters
        chosen = {key: value for key, value in defaults.items() if key in known}
        return self.definition.function(hits, **{**chosen, **dict(self.params)})

    def mean(self, values: PerQuery) -> float:
        """One number from a value a query: the mean, or what this measure has in its place."""
        return MEANS[self.definition.average](values)


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
        name, aliases: what it is called; any case is understood.
        at: the parameter that "@" sets.
        average: "mean", "sum" or "geometric".
        unit: whether its values lie in [0, 1].
        formula, source: for the documentation.
        bound: an alias that stands for parameters too, e.g. relative_P={"capped": True}.

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
        taken = [word for word in (name, *names) if _names.get(_fold(word), (name,))[0] != name]
        if taken:
            raise MeasureError(f"the measure name {taken[0]!r} is taken")
        _definitions[name] = definition
        for word, params in {name: {}, **names}.items():
            _names[_fold(word)] = (name, params)
        return function

    return register


def unregister(name: str) -> None:
    """Forget a measure."""
    definition = _definitions.pop(name)
    for word in (name, *definition.aliases):
        _names.pop(_fold(word), None)


def measures() -> dict[str, Definition]:
    """All measures by name."""
    return dict(_definitions)


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")


# --- parsing ------------------------------------------------------------------------------------------

_SHAPE = re.compile(r"\s*([A-Za-z0-9_-]+?)\s*(?:\((.*?)\))?\s*(?:@\s*([0-9.eE+-]+))?\s*(?:\((.*?)\))?\s*\Z", re.DOTALL)
_SUFFIX = re.compile(r"(.+?)_([0-9]+(?:\.[0-9]+)?)\Z")


def parse_measure(text: str | Measure) -> Measure:
    """A measure from how people write it: "nDCG@10", "nDCG(gain='exp')@10", "ndcg_cut_10", "recall@5".

    Raises:
        MeasureError: no such measure or parameter; near misses are suggested.
    """
    if isinstance(text, Measure):
        return text
    match = _SHAPE.match(text)
    if not match:
        raise MeasureError(f"cannot read the measure {text!r}; write it like nDCG@10 or AP(level=2)")
    word, inside, cut, after = match.groups()
    if inside is not None and after is not None:
        raise MeasureError(f"cannot read the measure {text!r}: it has two sets of parameters")
    name, bound, cut = _resolve(word, cut)
    definition = _definitions[name]
    params = {**bound, **_arguments(inside or after or "", definition, text)}
    if cut is not None:
        if definition.at not in definition.parameters:
            raise MeasureError(f"{name} takes no cutoff; {_takes(definition)}")
        params[definition.at] = _literal(cut, text)
    return _checked(definition, params)


def parse_measures(text: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Measures from one text with blanks or commas between them, or from a list; without repeats."""
    words: Iterable[str | Measure] = [text] if isinstance(text, Measure) else text
    if isinstance(text, str):
        words = _words(text)
    return list(dict.fromkeys(parse_measure(word) for word in words))


def _words(text: str) -> list[str]:
    """Split at blanks and commas outside parentheses."""
    words, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and (letter.isspace() or letter == ","):
            words.append("")
        else:
            words[-1] += letter
    return [word for word in words if word]


def _resolve(word: str, cut: str | None) -> tuple[str, dict[str, Any], str | None]:
    """The measure that a word names, the parameters it stands for, and the cutoff."""
    folded = _fold(word)
    with_cut = _names.get(folded + "@") if cut is not None else None
    if with_cut or folded in _names:
        name, bound = with_cut or _names[folded]
        return name, bound, cut
    suffix = _SUFFIX.match(folded)
    if suffix and cut is None and suffix[1] in _names:
        name, bound = _names[suffix[1]]
        return name, bound, suffix[2]
    hint = did_you_mean(word, [*_definitions, *(n for n in _names if not n.endswith("@"))])
    raise MeasureError(f"unknown measure {word!r}.{hint} `truerank measures` lists them")


_SPELLINGS = {"rel": "level", "cutoff": "k"}


def _arguments(text: str, definition: Definition, whole: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except SyntaxError:
        raise MeasureError(f"cannot read the parameters of {whole!r}; write them like (level=2, gain='exp')") from None
    assert isinstance(call, ast.Call)
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise MeasureError(f"{whole!r}: parameters have names; {_takes(definition)}")
    return {_SPELLINGS.get(k.arg or "", k.arg or ""): _value(k.value, whole) for k in call.keywords}


def _value(node: ast.expr, whole: str) -> Any:
    if isinstance(node, ast.Name):  # gain=exp
        return {"true": True, "false": False, "none": None}.get(node.id.lower(), node.id)
    try:
        return ast.literal_eval(node)
    except ValueError:
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
    name, known = definition.name, definition.parameters
    for key in params:
        if key not in known:
            hint = did_you_mean(key, known)
            raise MeasureError(f"{name} has no parameter {key!r}.{hint} {_takes(definition).capitalize()}")
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in params:
            how = f"{name}@10" if key == definition.at else f"{name}({key}=…)"
            raise MeasureError(f"{name} needs {key}: write {how}")
        if key in params:
            _check(definition, parameter, params[key])
    given = [(key, _frozen(params[key])) for key, p in known.items() if key in params and params[key] != p.default]
    return Measure(definition, name, tuple(given))


def _frozen(value: Any) -> Any:
    return FrozenMap(value) if isinstance(value, dict) else value


class FrozenMap(dict[Any, Any]):
    """A mapping that can be part of a measure's value."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def _check(definition: Definition, parameter: inspect.Parameter, value: Any) -> None:
    """Refuse a value that the annotation does not allow."""
    kind, name = str(parameter.annotation), parameter.name
    number = isinstance(value, int | float) and not isinstance(value, bool)
    allowed = {
        "int": type(value) is int and value > 0,
        "float": number and value == value and abs(value) != float("inf"),
        "bool": isinstance(value, bool),
        "str": isinstance(value, str),
        "None": value is None,
        "Gain": isinstance(value, str | dict),
    }
    kinds: Sequence[str] = [part.strip() for part in kind.split("|")]
    choices = ast.literal_eval(kind[7:]) if kind.startswith("Literal[") else None
    if choices is not None:
        if value not in choices:
            raise MeasureError(f"{definition.name}: {name} is one of {', '.join(map(repr, choices))}, not {value!r}")
    elif not any(allowed.get(k, True) for k in kinds):
        raise MeasureError(f"{definition.name}: {name} is {_words_for(kinds)}, not {value!r}")


def _words_for(kinds: Sequence[str]) -> str:
    words = {"int": "a positive whole number", "float": "a number", "bool": "True or False", "str": "a word",
             "Gain": "'linear', 'exp' or a mapping {grade: gain}"}
    return " or ".join(words.get(kind, kind) for kind in kinds if kind != "None")
