"""The words of a report, in English and in Korean beside each other, so that neither can be forgotten."""

from __future__ import annotations

import locale
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from truerank.core.errors import InputError
from truerank.present.table import Table
from truerank.present.words import COLUMNS, TEXTS, VALUES

LANGUAGES = ("en", "ko")


@dataclass(frozen=True)
class Texts:
    """The texts of one language.

    >>> Texts("en")("queries", n=1), Texts("en")("queries", n=2), Texts("ko")("queries", n=2)
    ('1 query', '2 queries', '질의 2개')
    """

    language: str = "en"

    def __call__(self, key: str, **values: object) -> str:
        """The text with the values filled in; a number n decides between "one|many"."""
        text = self._own(TEXTS[key])
        one, _, many = text.partition("|")
        return (many if many and values.get("n") != 1 else one).format(**values)

    def ruled(self, rule: str, value: str) -> str:
        """What becomes of what a rule decides.

        >>> Texts("en").ruled("missing", "zero")
        'scored 0'
        """
        return self._own(VALUES[rule][value])

    def said(self, english: str) -> str:
        """What was made in English, in this language as far as it is known there.

        >>> Texts("ko").said("paired t-test, not corrected")
        '짝지은 t 검정, 보정하지 않음'
        """
        if self.language == "en":
            return english
        from truerank.present.sentences import korean  # hundreds of patterns, of which English needs none

        return korean(english)

    def _own(self, both: tuple[str, str]) -> str:
        return both[LANGUAGES.index(self.language)]

    def table(self, table: Table) -> Table:
        """The table with its headings in this language."""
        return replace(table, columns=tuple(map(self.column, table.columns)))

    def column(self, heading: str) -> str:
        """One heading; those that are names stay."""
        if self.language == "en":
            return heading
        interval = re.fullmatch(r"([\d.]+) % interval", heading)
        return f"{interval[1]} % 신뢰구간" if interval else COLUMNS.get(heading) or self.said(heading)

    def listed(self, names: Sequence[str], most: int | None = None) -> str:
        """Names in a sentence; of more than so many the first ones, and how many there are besides.

        >>> Texts("en").listed(["a", "b", "c"]), Texts("en").listed(["a", "b", "c", "d"], 3)
        ('a, b and c', 'a, b and 2 more')
        """
        if most and len(names) > most:
            kept = names[: most - 1]
            return f"{', '.join(kept)} {self('and more', n=len(names) - len(kept))}"
        if len(names) < 2 or self.language == "ko":
            return ", ".join(names)
        return f"{', '.join(names[:-1])} and {names[-1]}"


ENGLISH = Texts()


def percent(share: float) -> str:
    """A confidence as people say it.

    >>> percent(0.95), percent(0.999)
    ('95', '99.9')
    """
    return f"{share * 100:.4g}"


def language(wanted: str | None = None) -> str:
    """The language that is asked for, or else that of the locale: en unless it is Korean.

    Raises:
        InputError: there is no such language.
    """
    if wanted is None:
        asked = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), None)
        return "ko" if (asked or locale.getlocale()[0] or "").lower().startswith(("ko", "korean")) else "en"
    if wanted not in LANGUAGES:
        raise InputError(f"there is no language {wanted!r}. There is {' and '.join(LANGUAGES)}")
    return wanted
