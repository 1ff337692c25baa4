"""Numbers in arguments. The reference reads "5x" as 5 and "x" as 0; here a number is a number."""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[ \t]*[+-]?[0-9]+[ \t]*")
_DECIMAL = re.compile(r"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")


def whole(text: str) -> int | None:
    """A whole number, or None."""
    return int(text) if _WHOLE.fullmatch(text) else None


def decimal(text: str) -> float | None:
    """A finite decimal number, or None."""
    value = float(text) if _DECIMAL.fullmatch(text) else None
    return value if value is not None and abs(value) < float("inf") else None
