"""Whether there are enough queries for a mean to say something."""

from __future__ import annotations

ENOUGH = 30
USUAL = 50
"""Fewer queries than these are warned of, and remarked on."""


def remarks(queries: int) -> list[str]:
    """What to say about so many queries.

    >>> remarks(42), remarks(50)
    (['Remark: 42 queries; 50 or more are usual.'], [])
    """
    if queries < ENOUGH:
        few = "1 query is" if queries == 1 else f"{queries} queries are"
        return [f"Warning: {few} too few to rely on; take at least {ENOUGH}, better {USUAL}."]
    return [f"Remark: {queries} queries; {USUAL} or more are usual."] if queries < USUAL else []
