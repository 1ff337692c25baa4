"""A measure's definition in words: its parameters and its other names."""

from __future__ import annotations

import inspect

from truerank.measures import Definition

AVERAGES = {"mean": "the mean", "sum": "the sum", "geometric": "the geometric mean"}
"""How values become one number."""

_RULED = {"level": "the level", "rounding": "the recall_points"}
"""Parameters that the rules decide where a measure leaves them open."""

_KINDS = {
    "int": "a positive whole number",
    "float": "a number",
    "bool": "True or False",
    "str": "a word",
    "Gain": "'linear', 'exp' or a mapping {grade: gain}",
}


def heading(definition: Definition) -> str:
    """How it is written: nDCG[@k], P@k, AP11.

    >>> import truerank as tr
    >>> heading(tr.measures()["P"]), heading(tr.measures()["nDCG"])
    ('P@k', 'nDCG[@k]')
    """
    at = definition.parameters.get(definition.at)
    if at is None:
        return definition.name
    cut = f"@{at.name}"
    return definition.name + (cut if at.default is at.empty else f"[{cut}]")


def parameters(definition: Definition) -> list[tuple[str, str, str]]:
    """Name, kind and default of each parameter."""
    return [(p.name, _kind(p), _default(p)) for p in definition.parameters.values()]


def aliases(definition: Definition) -> list[str]:
    """Its other names, with the parameters that they stand for.

    >>> import truerank as tr
    >>> aliases(tr.measures()["R"])
    ['recall', 'relative_P (capped=True)']
    """
    return [_alias(word, bound, definition.at) for word, bound in definition.aliases.items()]


def _alias(word: str, bound: dict[str, object], at: str) -> str:
    name = f"{word}{at}" if word.endswith("@") else word
    inside = ", ".join(f"{key}={value!r}" for key, value in bound.items())
    return f"{name} ({inside})" if inside else name


def _kind(parameter: inspect.Parameter) -> str:
    """What it may be, from its annotation."""
    kind = str(parameter.annotation).removesuffix(" | None")
    if kind.startswith("Literal["):
        return kind[8:-1].replace(", ", " or ")
    return _KINDS.get(kind, kind)


def _default(parameter: inspect.Parameter) -> str:
    """What it is when nothing is said."""
    if parameter.default is parameter.empty:
        return "required"
    if parameter.name in _RULED:
        return f"default: {_RULED[parameter.name]} of the rules"
    return "default: none" if parameter.default is None else f"default: {parameter.default!r}"
