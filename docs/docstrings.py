"""Docstrings as the site shows them: examples highlighted, and a row for each of the names that share a line."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.M)

SHARED = re.compile(r"^    (\w+(?:, \w+)+)(: .*(?:\n {8}.*)*)", re.M)


class Docstrings(Extension):
    """A fence around each example, which Markdown would take for quotations: from its first prompt to the next
    empty line; and names with one description apart (`a, b: of both`), which the site finds no type or default of.
    """

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Of one object, when it was read."""
        if obj.docstring:
            fenced = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
            obj.docstring.value = SHARED.sub(_apart, fenced)


def _apart(found: re.Match[str]) -> str:
    return "\n".join(f"    {name}{found[2]}" for name in found[1].split(", "))
