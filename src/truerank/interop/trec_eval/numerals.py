"""Numbers in arguments. The reference reads "x" as 0; here an argument must be or begin with a number."""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[ \t]*[+-]?[0-9]+[ \t]*")
_DECIMAL = re.compile(r"[ \t]*[+-]?(?!0[xX][0-9a-fA-F])([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")


def whole(text: str) -> int | None:
    """A whole number, or None."""
    return int(text) if _WHOLE.fullmatch(text) else None


def decimal(text: str) -> float | None:
    """A finite decimal number, or None."""
    value = float(text) if _DECIMAL.fullmatch(text) else None
    return value if value is not None and abs(value) < float("inf") else None


def readable(text: str, is_whole: bool) -> str:
    """The beginning of a parameter that the reference reads as a number; "" where it does not begin with one.

    >>> readable("23.4", is_whole=True), readable("5x", is_whole=False), readable("x", is_whole=False)
    ('23', '5', '')
    """
    match = (_WHOLE if is_whole else _DECIMAL).match(text)
    return match.group() if match else ""
