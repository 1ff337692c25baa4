"""Names for runs, with long ones made short enough for a legend but still different."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from truerank.core.errors import printable
from truerank.core.messages import plural
from truerank.core.scores import short

MOST = 28
"""Letters of a name in a legend."""

DOTS = "…"

WORDS = r"(?=[^\w.=]|_|\.(?!\d))"
"""Where a word of a name begins; k1=0.9 is one."""


def labels(runs: Sequence[str]) -> list[str]:
    """The names of runs: their files' names where these differ, else as they were given."""
    return short(list(map(printable, runs)))


def scored(name: str, queries: int, rules: str) -> str:
    """The subtitle of a picture of scores: the run, the queries and the rules.

    >>> scored("bm25.run", 50, "beir")
    'bm25.run; 50 queries; rules beir'
    """
    return plural(
        "{name}; {n:,} query; rules {rules}",
        "{name}; {n:,} queries; rules {rules}",
        name=printable(name),
        n=queries,
        rules=printable(rules),
    )


def cells(text: str) -> int:
    """The width of a text in letters: Chinese characters and Korean syllables are twice as wide.

    >>> cells("abc"), cells("서울")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(names: Sequence[str], most: int = MOST) -> list[str]:
    """The names without words that all share, if some name is too long; different names stay different.

    >>> shortened(["bm25.run", "dense.run"])
    ['bm25.run', 'dense.run']
    >>> shortened(["rerank-top100-batch=32-bm25-k1=0.9.run", "rerank-top100-batch=32-bm25-k1=1.2.run"])
    ['…k1=0.9', '…k1=1.2']
    """
    if all(cells(name) <= most for name in names):
        return list(names)
    cut = [_middle(name, most) for name in _telling(names)]
    if len(set(cut)) == len(cut):
        return cut
    return [f"{place} {name}" for place, name in enumerate(cut, 1)]


def _telling(names: Sequence[str]) -> list[str]:
    """The words of each name that not all have at the same place, counted from the beginning or from the end."""
    parts = [re.split(WORDS, name) for name in names]
    shared = [_shared(parts, len(words)) for words in parts]
    return [_joined(words, same) or name for words, same, name in zip(parts, shared, names, strict=True)]


def _shared(parts: Sequence[list[str]], count: int) -> list[bool]:
    """Whether all have the same word at each of this many places; if names differ in length, only at either end."""
    if len({len(words) for words in parts}) == 1:
        return [len(set(column)) == 1 for column in zip(*parts, strict=True)]
    start = _run(parts)
    end = min(_run([words[::-1] for words in parts]), min(map(len, parts)) - start)
    return [place < start or place >= count - end for place in range(count)]


def _run(parts: Sequence[list[str]]) -> int:
    """How many words all begin with."""
    same = [len(set(column)) == 1 for column in zip(*parts, strict=False)]
    return [*same, False].index(False)


def _joined(words: Sequence[str], shared: Sequence[bool]) -> str:
    """The words with dots for those that all share, except at the end; empty where no word is left."""
    if all(shared):
        return ""
    runs = groupby(zip(words, shared, strict=True), key=lambda pair: pair[1])
    text = "".join(DOTS if same else "".join(word for word, _ in run) for same, run in runs)
    return re.sub(rf"{DOTS}[-_ /.]", DOTS, text.rstrip(DOTS))


def _middle(name: str, most: int) -> str:
    """The beginning and the end of a name that is too long."""
    if cells(name) <= most:
        return name
    half = (most - 1) // 2
    return _begin(name, half) + DOTS + _begin(name[::-1], half)[::-1]


def _begin(name: str, most: int) -> str:
    """As much of the name's beginning as there is room for."""
    end = next((i for i in range(len(name)) if cells(name[: i + 1]) > most), len(name))
    return name[:end]
