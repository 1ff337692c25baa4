"""Scores as JSON: all digits, the rules and the ledger beside every mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank.core.scores import Scores
from truerank.formats.records import written


def render(scores: Sequence[Scores], per_query: bool = False) -> str:
    """One object for one run, an array of such objects for several."""
    objects = [one.to_dict(per_query) for one in scores]
    return dumps(objects[0] if len(objects) == 1 else objects, indent=True)


def lines(scores: Sequence[Scores], per_query: bool = False) -> str:
    """A line a run with its means, or a line a run and query."""
    if not per_query:
        return "".join(dumps(one.to_dict()) for one in scores)
    return "".join(dumps(line) for one in scores for line in _query_lines(one))


def dumps(thing: Any, indent: bool = False) -> str:
    """The thing as JSON text with a line's end."""
    return written(thing, indent=indent).decode()


def _query_lines(scores: Scores) -> list[dict[str, Any]]:
    names = list(scores.headings)
    rows = zip(*(scores[name].tolist() for name in names), strict=True)
    who = {"run": scores.run, "rules": scores.rules.name}
    return [
        {**who, "query": query, "values": dict(zip(names, row, strict=True))}
        for query, row in zip(scores.queries, rows, strict=True)
    ]
