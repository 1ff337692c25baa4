"""The words of a report, in English and in Korean beside each other, so that neither can be forgotten."""

from __future__ import annotations

import locale
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from truerank.errors import InputError
from truerank.report.table import Table
from truerank.report.words import COLUMNS, TEXTS

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
        text = TEXTS[key][LANGUAGES.index(self.language)]
        one, _, many = text.partition("|")
        return (many if many and values.get("n") != 1 else one).format(**values)

    def table(self, table: Table) -> Table:
        """The table with its headings in this language."""
        return replace(table, columns=tuple(map(self.column, table.columns)))

    def column(self, heading: str) -> str:
        """One heading; those that are names stay."""
        if self.language == "en":
            return heading
        interval = re.fullmatch(r"([\d.]+) % interval", heading)
        return f"{interval[1]} % 신뢰구간" if interval else COLUMNS.get(heading, heading)

    def listed(self, names: Sequence[str]) -> str:
        """Names in a sentence.

        >>> Texts("en").listed(["a", "b", "c"])
        'a, b and c'
        """
        if len(names) < 2 or self.language == "ko":
            return ", ".join(names)
        return f"{', '.join(names[:-1])} and {names[-1]}"


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
