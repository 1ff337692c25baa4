"""What other tools write that is not simply another name of a measure: their parameters, and their cutoffs."""

from __future__ import annotations

import re

from truerank.core.errors import MeasureError
from truerank.core.messages import message

SPELLINGS = {
    "rel": "level",
    "cutoff": "k",
    "gains": "gain",
    "dcg": "gain",
    "max_rel": "max_grade",
    "top_k": "k",
    "maximum_relevance": "max_grade",
}
"""What ir_measures, torchmetrics or Elasticsearch calls a parameter, and what it is called here."""

WORDS = {"log2": "linear", "exp-log2": "exp"}
"""What ir_measures calls the value of `dcg`, and what it is called here."""

ELSEWHERE = {"judged_only": message("use rules with unjudged = 'removed'")}
"""What ir_measures makes a parameter, and rules decide here."""

AT_K = {"SetP": "P", "SetR": "R", "SetF": "F", "SetSuccess": "Success"}
"""Measures of everything that was returned, and those of the first k results."""


def persistence(name: str, mark: str, number: str, whole: str) -> float:
    """The p of rbp.95, which is how ranx writes 0.95.

    >>> persistence("RBP", ".", "95", "rbp.95")
    0.95

    Raises:
        MeasureError: it could be a cutoff as well: rbp_95, rbp.100.
    """
    if "." in number:
        return float(number)
    p = float(f"0.{number}")
    if mark != "." or len(number) > 2:
        raise MeasureError(
            "{text!r} could be {name}(p={p:g}) or {name}@{k}; write the one that you mean",
            text=whole,
            name=name,
            p=p,
            k=number.lstrip("0") or 0,
        )
    return p


SUFFIX = re.compile(r"(?P<word>.+?)(?P<mark>_at_|[_.])(?P<number>[0-9]+(?:\.[0-9]+)?)\Z")
_CUT = r"(.*@\s*)[0-9.eE+-]+(\s*\(.*\)|-l[0-9]+)?\Z"
QUOTED = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
"""What stands in quotes, such as the name of a group: it is taken as it is."""

_NUMBER = r"[0-9]+(?:\.[0-9]+)?\Z"


def split(text: str) -> list[str]:
    """The measures that a text names, each as it is written; a number after a comma is another cutoff.

    >>> split("map, P@1,5")
    ['map', 'P@1', 'P@5']
    """
    words: list[str] = []
    for part in _split(text, ","):
        first, *others = _split(part, None) or [""]
        if words and re.match(_NUMBER, first):
            first = _with_cutoff(words[-1], first)
        words += [word for word in (first, *others) if word]
    return words


def _split(text: str, at: str | None) -> list[str]:
    """The pieces between commas, or between blanks (None), outside parentheses and quotes."""
    pieces, depth = [""], 0
    for letter, plain in zip(text, QUOTED.sub(lambda name: "_" * len(name[0]), text), strict=True):
        depth += (plain == "(") - (plain == ")")
        if depth == 0 and (plain == at if at else plain.isspace()):
            pieces.append("")
        else:
            pieces[-1] += letter
    return [piece for piece in pieces if piece]


def _with_cutoff(word: str, cut: str) -> str:
    """The same measure with another cutoff: P@1 and 5 are P@5; the cutoff alone if the measure has none."""
    if match := re.match(_CUT, word, re.DOTALL):
        return f"{match[1]}{cut}{match[2] or ''}"
    suffix = SUFFIX.match(word)
    return word[: suffix.start("number")] + cut if suffix else cut
