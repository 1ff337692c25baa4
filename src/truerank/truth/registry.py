"""What rules there are. A rule is a function from queries and references to pairs; from it comes everything else.

A rule's keyword-only signature is its schema: what can be written between the parentheses of "within(metres=50)".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from truerank.core.errors import RulesError
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import keywords_of, meaning_of, plain, written_arguments
from truerank.truth.reading import name_of, read_items
from truerank.truth.result import Pairs, Truth, truth_of

P = ParamSpec("P")


@dataclass(frozen=True)
class Rule:
    """A registered rule.

    Attributes:
        name: what it is called.
        make: queries, references and its parameters in, `Truth` out.
        parameters: the keyword-only parameters by name.
        meaning: the first line of its docstring.
        read: what makes queries and references of whatever they are kept in.
        origin: the module and the name of the function; a cell or module that runs again replaces its own.
        is_alone: it needs no references: the queries bring all that there is to know.
    """

    name: str
    make: Callable[..., Truth]
    parameters: dict[str, inspect.Parameter]
    meaning: str
    read: Callable[..., Any]
    origin: tuple[str, str]
    is_alone: bool = False


_rules: dict[str, Rule] = {}


def rule(
    name: str, *, read: Callable[..., Any] = read_items, is_alone: bool = False
) -> Callable[[Callable[Concatenate[Any, Any, P], Pairs | Truth]], Callable[Concatenate[Any, Any, P], Truth]]:
    """Register a function as a rule; what it becomes takes whatever `read` reads, and returns `Truth`.

    >>> import numpy as np
    >>> from truerank import truth
    >>> @truth.rule("everything")
    ... def everything(queries, references):
    ...     "Every reference is right."
    ...     query, reference = np.indices((len(queries), len(references))).reshape(2, -1)
    ...     return truth.Pairs(query, reference, np.full(len(query), np.nan))
    >>> everything([{"id": "q"}], [{"id": "a"}, {"id": "b"}]).to_dict()
    {'q': {'a': 1.0, 'b': 1.0}}
    >>> truth.unregister("everything")
    """

    def register(
        function: Callable[Concatenate[Any, Any, P], Pairs | Truth],
    ) -> Callable[Concatenate[Any, Any, P], Truth]:
        if name in _rules and _rules[name].origin != _origin(function):
            raise RulesError("the name {name!r} is taken by another rule of truth", name=name)
        taken = keywords_of(function)

        @wraps(function)
        def make(queries: Any, references: Any = None, *args: P.args, **params: P.kwargs) -> Truth:
            asked = read(queries, name_of(queries, "queries"))
            there = None if is_alone else read(references, name_of(references, "references"))
            own: Any = {key: plain(value) for key, value in params.items()}
            right = function(asked, there, *args, **own)
            called = written(name, own)
            if isinstance(right, Truth):
                return replace(right, name=called, rule=called)
            assert there is not None, "a rule without references returns Truth"
            return truth_of(called, asked, there, right)

        _rules[name] = Rule(name, make, taken, meaning_of(function), read, _origin(function), is_alone)
        return make  # type: ignore[return-value]

    return register


def _origin(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def unregister(name: str) -> None:
    """Forget a rule."""
    del _rules[named(name).name]


def rules() -> dict[str, Rule]:
    """All rules by name."""
    return dict(_rules)


def named(name: str) -> Rule:
    """The rule with this name."""
    if name not in _rules:
        raise RulesError(
            "no rule of truth is called {name!r}.{hint} Rules: {known}",
            name=name,
            hint=did_you_mean(name, _rules),
            known=", ".join(_rules),
        )
    return _rules[name]


def build(text: str, queries: Any, references: Any, **defaults: Any) -> Truth:
    """What is right by a rule as people write it: "nearest", "nearest(n=3)", "within(50)".

    Args:
        queries, references: whatever `read_items` takes.
        defaults: parameters that the text leaves open; those that the rule does not have are not used.
    """
    chosen, params = parse(text)
    known = {key: value for key, value in defaults.items() if key in chosen.parameters}
    given = {**known, **params}
    for key, parameter in chosen.parameters.items():
        if key not in given and parameter.default is parameter.empty:
            raise RulesError("{name} needs {key}; write it like {name}({key}=…)", name=chosen.name, key=key)
    return chosen.make(queries, references, **given)


def parse(text: str) -> tuple[Rule, dict[str, Any]]:
    """The rule and its parameters; those without names are taken in the order of the rule's own.

    >>> parse("within(50)")[1]
    {'metres': 50}
    """
    try:
        name, bracket, inside = text.partition("(")
        given = written_arguments(inside) if bracket else []
    except (ValueError, AttributeError):
        raise RulesError(
            "cannot read the rule {text!r}; write it like nearest(n=3) or within(metres=50)", text=text
        ) from None
    chosen = named(name.strip())
    unnamed = iter(chosen.parameters)
    params: dict[str, Any] = {}
    for key, value in given:
        key = key or next(unnamed, "")
        if key and key in params:
            raise RulesError("{name}: {key} is given twice in {text!r}", name=name, key=key, text=text)
        params[key] = value
    wrong = next((key for key in params if key not in chosen.parameters), None)
    if wrong is not None:
        raise RulesError(
            "{name} takes {known}, not {text!r}.{hint}",
            name=name,
            known=", ".join(chosen.parameters) or message("nothing"),
            text=text,
            hint=did_you_mean(wrong, chosen.parameters),
        )
    return chosen, params


def written(name: str, params: dict[str, Any]) -> str:
    """The rule as it is parsed, with every parameter that has a value."""
    known = {key: p.default for key, p in named(name).parameters.items() if p.default is not p.empty}
    inside = ", ".join(f"{key}={value!r}" for key, value in {**known, **params}.items() if _is_plain(value))
    return f"{name}({inside})" if inside else name


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)
