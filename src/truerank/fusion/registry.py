"""The methods of fusion by name, with their parameters."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Annotated, Any

from truerank.core.errors import InputError, quoted
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import (
    NUMBER,
    Kind,
    is_number,
    keywords_of,
    kind_of,
    list_of,
    meaning_of,
    named_arguments,
    number,
    plain,
    whole,
)
from truerank.fusion.pooled import Floats

_FROM_0 = number(message("a number from 0 on"), 0)


def _for_each_run(kind: Kind, words: str) -> Kind:
    """A list of values in the order of the runs, which a set does not keep."""
    several = list_of(kind, words)
    return several._replace(allows=lambda values: not isinstance(values, Set) and several.allows(values))


_WEIGHTS = _for_each_run(_FROM_0, message("a list of numbers from 0 on, one for each run and one above 0"))

Weights = Annotated[
    Sequence[float],
    _WEIGHTS._replace(allows=lambda value: _WEIGHTS.allows(value) and any(weight > 0 for weight in value)),
]
"""How much each run counts; one of them more than 0."""


Tables = Annotated[
    Sequence[Sequence[float]],
    _for_each_run(_for_each_run(NUMBER, ""), message("a list of numbers for each run")),
]
"""What was learnt of the places of each run's list."""

Scores = Annotated[Sequence[float], _for_each_run(NUMBER, message("a list of numbers, one for each run"))]
"""What was learnt of each run."""

Amount = Annotated[float, _FROM_0]
Share = Annotated[float, Kind(message("a number from 0 to 1"), lambda v: is_number(v) and 0 <= v <= 1, plain)]
Persistence = Annotated[
    float, Kind(message("a number from 0 to below 1"), lambda v: is_number(v) and 0 <= v < 1, plain)
]
Count = Annotated[int, whole(message("a positive whole number"), 1, 10**6)]
PER_RUN = (Weights, Tables, Scores)
"""Parameters with a value for each run."""

Learn = Callable[..., Floats | float]
"""Learns a parameter of one run from its `Places`, the number of queries, and perhaps keyword parameters."""


@dataclass(frozen=True, eq=False)
class Method:
    """A method of fusion.

    Attributes:
        name: as ranx calls it.
        function: (documents,) scores of a pool.
        kinds: what each parameter may be.
        defaults: of the parameters that have one.
        meaning: one line.
        source: the paper.
        reads: "scores" or "ranks".
        adds: whether it adds scores, so that a run which does not return a document gives it 0.
        grid: what is tried of each parameter that is tuned.
        learns: the parameters that are estimated from judgements, run by run, and how.
        of_learning: what each parameter of that estimating may be.
        per_run: the parameters with a value for each run.
    """

    name: str
    function: Callable[..., Floats]
    kinds: Mapping[str, Kind]
    defaults: Mapping[str, Any]
    meaning: str
    source: str
    reads: str
    adds: bool
    grid: Mapping[str, Sequence[float]]
    learns: Mapping[str, Learn]
    of_learning: Mapping[str, Kind]
    per_run: frozenset[str]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its name, so that it may be made of functions that are not pickled."""
        return method_named, (self.name,)

    def checked(self, params: Mapping[str, Any], runs: int) -> dict[str, Any]:
        """The parameters as they are kept, with the defaults.

        Raises:
            InputError: one that the method does not take, that is missing, or that cannot be.
        """
        for key in params:
            if key not in self.kinds:
                raise InputError(
                    "{name} takes {known}, not {key}.{hint}",
                    name=self.name,
                    known=", ".join(self.kinds) or message("no parameters"),
                    key=key,
                    hint=_weighing(self.name) if key == "weights" else did_you_mean(key, self.kinds),
                )
        given = {**self.defaults, **params}
        for key, kind in self.kinds.items():
            if key not in given:
                raise _missing(self, key)
            given[key] = kind.checked(f"{self.name}: {key}", given[key], InputError)
            if key in self.per_run and len(given[key]) != runs:
                raise InputError(
                    "{name}: {key} has one value per run; give {runs}, not {n}",
                    name=self.name,
                    key=key,
                    n=len(given[key]),
                    runs=runs,
                )
        return given


def _weighing(name: str) -> str:
    """' w_rrf takes weights.' when there is such a method, else ''."""
    weighted = next((each for each in (f"w_{name}", f"w{name}") if each in _methods), None)
    return message(" {method} takes weights.", method=weighted) if weighted else ""


def _missing(method: Method, key: str) -> InputError:
    if key in method.learns:
        return InputError(
            "{name} learns {key} from judgements: tr.tune_fusion(qrels, runs, {name!r}), or "
            "truerank fuse --tune QRELS",
            name=method.name,
            key=key,
        )
    return InputError("{name} needs {key}; write it like {name}({key}=…)", name=method.name, key=key)


_methods: dict[str, Method] = {}


def method(
    name: str,
    *,
    source: str,
    reads: str,
    adds: bool = False,
    learns: Mapping[str, Learn] | None = None,
    **grid: Sequence[float],
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register a method of fusion: a function of a pool, whose keyword-only parameters are the method's."""

    def register(function: Callable[..., Floats]) -> Callable[..., Floats]:
        hints, own = _hints(function), keywords_of(function)
        kinds = {key: kind_of(hint, {}) for key, hint in hints.items()}
        defaults = {key: own[key].default for key in hints if own[key].default is not inspect.Parameter.empty}
        meaning = meaning_of(function)
        per_run = frozenset(key for key, hint in hints.items() if hint in PER_RUN)
        learnt = learns or {}
        of_learning = {key: kind_of(hint, {}) for each in learnt.values() for key, hint in _hints(each).items()}
        _methods[name] = Method(
            name, function, kinds, defaults, meaning, source, reads, adds, grid, learnt, of_learning, per_run
        )
        return function

    return register


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of the keyword-only parameters."""
    hints = typing.get_type_hints(function, include_extras=True)
    return {name: hints[name] for name in keywords_of(function)}


def methods() -> dict[str, Method]:
    """All methods by name."""
    return dict(_methods)


def method_named(name: str) -> Method:
    """The method with this name, in capitals or not; CombSUM is sum."""
    folded = name.strip().lower().replace("-", "_")
    spelling = next((each for each in _spellings(folded) if each in _methods), None)
    if spelling is None:
        raise InputError(
            "there is no method of fusion {name}.{hint} There is {known}",
            name=quoted(name),
            hint=did_you_mean(folded, _methods),
            known=", ".join(_methods),
        )
    return _methods[spelling]


def _spellings(name: str) -> Iterator[str]:
    yield name
    yield name.removeprefix("comb").lstrip("_")
    yield f"{name}fuse"
    yield name.removesuffix("_fuse").removesuffix("fuse")
    yield name.replace("weighted_", "w_")
    yield name.replace("weighted_", "w")


def parsed(text: str) -> tuple[Method, dict[str, Any]]:
    """A method as people write it, and its parameters: "rrf", "rrf(k=20)".

    >>> parsed("rrf(k=20)")[1]
    {'k': 20}
    """
    name, bracket, inside = str(text).partition("(")
    chosen = method_named(name)
    if not bracket:
        return chosen, {}
    try:
        return chosen, named_arguments(inside)
    except ValueError:
        raise InputError(
            "cannot read the method {text}; write it like rrf(k=60) or wsum(weights=[0.3, 0.7])",
            text=quoted(text),
        ) from None


def given(text: str, params: Mapping[str, Any]) -> tuple[Method, dict[str, Any]]:
    """A method as people write it, with the parameters of both.

    Raises:
        InputError: no such method, or a parameter in both places.
    """
    chosen, written = parsed(text)
    for key in written:
        if key in params:
            raise InputError(
                "{key} is given twice: as {first} in {text}, and as {second}",
                key=key,
                first=quoted(written[key]),
                text=quoted(text),
                second=quoted(params[key]),
            )
    return chosen, {**written, **params}
