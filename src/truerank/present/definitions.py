"""A measure's definition in words: its parameters and its other names."""

from __future__ import annotations

from typing import Any

from truerank.core.messages import message
from truerank.measures import Definition

AVERAGES = {
    "mean": "the mean",
    "sum": "the sum",
    "geometric": "the geometric mean",
    "run": "one number of the whole run; no query has a value",
}
"""How values become one number."""

NEEDS = {
    "aspects": message("judgements by aspect: a column named aspect, or {doc: {aspect: grade}}"),
    "strata": message(
        "the stratum of each judgement: qrels of five columns (query 0 document stratum grade), or a column named "
        "stratum"
    ),
    "calls": message("several lists per query: a column named call, or a list of lists"),
    "lists": message("the unjudged documents too, which eval keeps for it"),
    "scores": message("scores, and the unjudged documents too, which eval keeps for it"),
    "ids": message("the unjudged documents too, which eval keeps for it"),
    "catalogue": message("the catalogue: --items, items=…, or its size, docs=…"),
    "popularity": message("a table of the documents with their popularity: --items, items=…"),
    "groups": message("a table of the documents with their groups: --items, items=…"),
    "vectors": message("a table of the documents with their vectors or groups: --items, items=…"),
}
"""What a measure needs besides a list and plain judgements of each query."""

_RULED = {"level": "the rules' level", "rounding": "the rules' recall_points"}
"""Parameters that the rules decide where a measure leaves them open."""


def parameters(definition: Definition) -> dict[str, str]:
    """What each parameter may be, and its default.

    >>> import truerank as tr
    >>> parameters(tr.measures()["Success"])
    {'k': 'a positive whole number; must be given', 'level': "a number; the rules' level if not given"}
    """
    kinds = {name: definition.kinds[name].words for name in definition.takes if name in _RULED}
    return definition.takes | {name: f"{words}; {_RULED[name]} if not given" for name, words in kinds.items()}


def aliases(definition: Definition) -> list[str]:
    """Its other names, with the parameters that they stand for.

    >>> import truerank as tr
    >>> aliases(tr.measures()["R"])
    ['recall', 'relative_P (capped=True)', 'recall_cap (capped=True)', 'R_cap (capped=True)']
    """
    return [_alias(word, bound, definition.at) for word, bound in definition.aliases.items()]


def _alias(word: str, bound: dict[str, Any], at: str) -> str:
    """One alias; a number that is part of the name is shown as x."""
    own = next((key for key, value in bound.items() if value is ...), None)
    name = f"{word}{at}" if word.endswith("@") else word + ("_x" if own else "")
    inside = ", ".join(f"{key}={'x' if key == own else repr(value)}" for key, value in bound.items())
    return f"{name} ({inside})" if inside else name
