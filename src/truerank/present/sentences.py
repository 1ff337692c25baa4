"""Sentences that are made in English far from here, and what they are in Korean.

Most of them are made where no one asks for a language: by the ground truth, by a benchmark, by a contest's judge.
So they are known by their looks: {name} is whatever stands there, {NAME} is translated in its turn, and [a|b] is
either.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain

from truerank.present.phrases import CONTEST, HEADINGS, NUMBERS, PLACES, SPEED, STATISTICS, WORKED

_HOLE = re.compile(r"\{(\w+)\}|\[([^]|]+(?:\|[^]|]+)+)\]")
NAMED = re.compile(r"([^:]+: )(.+)")
"""What is said of something, with its name."""

SENTENCES = re.compile(r"(?<=[.?]) (?=[A-Z`\d])")
PARTS = (re.compile("; "), re.compile(r", (?![^(]*\))"))
"""Between sentences, and between the parts of one; not in the parameters of a measure."""


def korean(text: str) -> str:
    """The text in Korean; as it was where nobody wrote down what it is in Korean.

    >>> korean("Intervals: BCa bootstrap; 10,000 resamples. Seed 0.")
    '신뢰구간: BCa 부트스트랩; 재표집 10,000회. 시드 0.'
    """
    return "\n".join(map(_korean, text.split("\n")))


@lru_cache(maxsize=4096)
def _korean(text: str) -> str:
    for found, said in _catalogue()[_is_sentence(text)]:
        if match := found.fullmatch(text):
            holes = {name: korean(hole) if name.isupper() else hole for name, hole in match.groupdict().items()}
            return said.format(**holes)
    if SENTENCES.search(text):
        return _apart(SENTENCES, text)
    if (named := NAMED.fullmatch(text)) and (rest := _korean(named[2])) != named[2]:
        return named[1] + rest
    between = None if _is_sentence(text) else next((mark for mark in PARTS if mark.search(text)), None)
    return _apart(between, text) if between else text


def _apart(between: re.Pattern[str], text: str) -> str:
    marks = [*between.findall(text), ""]
    return "".join(chain(*zip(map(_korean, between.split(text)), marks, strict=True)))


@cache
def _catalogue() -> dict[bool, list[tuple[re.Pattern[str], str]]]:
    """The patterns of whole sentences, and those of parts of sentences."""
    both: dict[bool, list[tuple[re.Pattern[str], str]]] = {True: [], False: []}
    for english, said in chain(*(part.items() for part in (STATISTICS, SPEED, PLACES, CONTEST, WORKED, HEADINGS))):
        both[_is_sentence(english)].append((_pattern(english), said))
    return both


def _is_sentence(text: str) -> bool:
    return text.endswith((".", "?"))


def _pattern(english: str) -> re.Pattern[str]:
    """What finds a sentence or a part of one; no hole reaches from one into the next."""
    stops = r"[.?] [A-Z]" if _is_sentence(english) else r"[.?] [A-Z]|; |, (?![^(]*\))"
    parts, end = [], 0
    for hole in _HOLE.finditer(english):
        parts += [re.escape(english[end : hole.start()]), _filled(hole[1], hole[2], stops)]
        end = hole.end()
    return re.compile("".join([*parts, re.escape(english[end:])]))


def _filled(name: str | None, either: str | None, stops: str) -> str:
    if either:
        return f"(?:{'|'.join(map(re.escape, either.split('|')))})"
    if name == "numbers":
        return r"(?P<numbers>[\d, …]+)"
    return rf"(?P<{name}>[-+\de,.]+)" if name in NUMBERS else rf"(?P<{name}>(?:(?!{stops}).)+?)"
