"""Examples in docstrings as the site shows them: highlighted, where Markdown would see quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.M)


class Doctests(Extension):
    """A fence around each example: from its first prompt to the next empty line."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Of one object, when it was read."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
