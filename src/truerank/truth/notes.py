"""Notes: what a person should know about the input of a truth, or the truth made from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from truerank.core.errors import printable
from truerank.core.messages import plural

EXAMPLES = 5
"""How many ids a note names."""


@dataclass(frozen=True)
class TruthNote:
    """Something that a person should know about the input or the truth made from it.

    Attributes:
        kind: one word or two for programs.
        message: a sentence or two.
    """

    kind: str
    message: str

    def to_dict(self) -> dict[str, str]:
        """Plain values, for JSON."""
        return asdict(self)


def examples(ids: Sequence[str]) -> str:
    """The first ids, and whether there are more."""
    return ", ".join(map(printable, ids[:EXAMPLES])) + (", …" if len(ids) > EXAMPLES else "")


def notes_without(without_relevant: Sequence[str], queries: int) -> Iterator[TruthNote]:
    """For which of so many queries nothing is right, if there are any."""
    if without_relevant:
        said = plural(
            "{without_relevant:,} of {n:,} query without anything right: {names}.",
            "{without_relevant:,} of {n:,} queries without anything right: {names}.",
            without_relevant=len(without_relevant),
            n=queries,
            names=examples(without_relevant),
        )
        yield TruthNote("without_relevant", said)
