"""Text in any script as what the two retrievers count: words for BM25, character n-grams for cosines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from truerank.core.qrels import Ints

# Scripts without blanks between words (Thai to Myanmar, Khmer, kana, Han), and Hangul, whose words have
# endings.
_UNSPACED = re.compile(
    "([\u0e00-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
_ACCENTS = re.compile("[\u0300-\u036f]")


class _Separators(dict[int, str]):
    """For str.translate: letters, marks and digits stay, everything else becomes a blank."""

    def __missing__(self, point: int) -> str:
        char = chr(point)
        # Marks stay: in Indic scripts they are the vowels, and \w would cut the word there.
        self[point] = char if unicodedata.category(char)[0] in "LMN" else " "
        return self[point]


_SEPARATORS = _Separators()


def fold(text: str) -> str:
    """The text without case, accents, punctuation and double blanks, in any script.

    >>> fold("São Paulo"), fold("Ёлкино-2"), fold("ソウル特別市")
    ('sao paulo', 'елкино 2', 'ソウル特別市')
    """
    if text.isascii():  # which has one form alone, and no accents
        return " ".join(text.casefold().translate(_SEPARATORS).split())
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold()))
    return " ".join(unicodedata.normalize("NFC", bare).translate(_SEPARATORS).split())


def words(text: str) -> list[str]:
    """The folded words; scripts without blanks, and Hangul, as overlapping pairs of characters.

    >>> words("Seoul, 서울특별시")
    ['seoul', '서울', '울특', '특별', '별시']
    """
    stretches = (stretch for word in fold(text).split() for stretch in _UNSPACED.split(word) if stretch)
    return [word for stretch in stretches for word in _pairs(stretch)]


def _pairs(stretch: str) -> list[str]:
    if len(stretch) < 3 or not _UNSPACED.match(stretch):
        return [stretch]
    return [stretch[i : i + 2] for i in range(len(stretch) - 1)]


def ngrams(texts: Sequence[str], sizes: Sequence[int] = (2, 3)) -> tuple[Ints, Ints]:
    """(text, n-gram) of every character n-gram of the folded texts, words padded by a blank at both ends.

    An n-gram of up to three characters is its code points side by side, 21 bits each: they fit an int64.

    >>> text, gram = ngrams(["Ulm"], sizes=(3,))
    >>> [chr(g >> 42) + chr(g >> 21 & 0x1FFFFF) + chr(g & 0x1FFFFF) for g in gram.tolist()]
    [' ul', 'ulm', 'lm ']
    """
    joined = "".join(f" {fold(text)} \n" for text in texts)
    points = np.frombuffer(joined.encode("utf-32-le"), np.uint32).astype(np.int64)
    breaks = points == ord("\n")
    row = np.cumsum(breaks)
    rows, grams = [], []
    for size in sizes:
        n = len(points) - size + 1
        gram, whole = np.zeros(n, np.int64), np.ones(n, bool)
        for i in range(size):
            gram = gram << 21 | points[i : i + n]
            whole &= ~breaks[i : i + n]
        rows.append(row[:n][whole])
        grams.append(gram[whole])
    return np.concatenate(rows), np.concatenate(grams)
