"""Languages: messages in languages other than English, by gettext's catalogues, one `.po` file per language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from truerank.core.errors import InputError, needs
from truerank.core.messages import Message, message

if TYPE_CHECKING:
    import gettext

SOURCE = "en"
"""The language in which messages are written."""


def in_language(value: Any, language: str = SOURCE) -> Any:
    """The value with every message in it in a language: in tuples, lists, mappings and dataclasses too."""
    if language == SOURCE:
        return value
    if isinstance(value, Message):
        return value.into(catalogue(language))
    if isinstance(value, tuple | list):
        parts = [in_language(part, language) for part in value]
        made = getattr(value, "_make", tuple)  # of a named tuple
        return made(parts) if isinstance(value, tuple) else parts
    if isinstance(value, Mapping):
        return {key: in_language(part, language) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        own = {
            field.name: in_language(getattr(value, field.name), language) for field in fields(value) if field.init
        }
        return replace(value, **own)
    return value


def translated(text: str, language: str = SOURCE) -> str:
    """The text in a language; a text that is not a message stays as it is.

    Raises:
        InputError: there is no such language.
    """
    return str(in_language(text, language))


def languages() -> list[str]:
    """The languages with a catalogue, English first."""
    folder = _folder()
    return [SOURCE, *sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".po"))]


@lru_cache(maxsize=8)
def catalogue(language: str) -> gettext.NullTranslations:
    """The translations into a language, from its `.po` file.

    Raises:
        InputError: there is no such language.
        MissingPackage: Babel, which reads catalogues, is not installed.
    """
    import gettext
    import io

    _refuse_unknown(language)

    with needs(message("the language {language!r}", language=language), "report"):
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po
    compiled = io.BytesIO()
    with open(os.path.join(_folder(), f"{language}.po"), "rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def language_asked(wanted: str | None = None, *, of_locale: bool = True) -> str:
    """The language that is asked for: by name, by `TRUERANK_LANG`, or by the locale; else English.

    Args:
        of_locale: whether the locale's language is asked for, where there is a catalogue of it.

    Raises:
        InputError: there is no such language.
    """
    named = wanted or os.environ.get("TRUERANK_LANG")
    if named:
        _refuse_unknown(named)
        return named
    if not of_locale:
        return SOURCE
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    asked = next(filter(None, map(os.environ.get, names)), "")
    short = asked.partition(":")[0].partition("_")[0].partition(".")[0].lower()
    return short if short in languages() else SOURCE


def _refuse_unknown(language: str) -> None:
    if language not in languages():
        known = ", ".join(languages())
        raise InputError("there is no language {language!r}; there is {known}", language=language, known=known)


def _folder() -> str:
    """The folder of the catalogues; `TRUERANK_LOCALE` overrides it."""
    from importlib import resources

    return os.environ.get("TRUERANK_LOCALE") or str(resources.files("truerank").joinpath("present", "locale"))
