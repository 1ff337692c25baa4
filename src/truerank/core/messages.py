"""Messages: what is said to people, as English text in place with named values, translated where it is shown.

A message is its English text, and remembers what it was made of: renderers and the command line ask for it in
another language with `translated`. Nothing recognises a message by its text. Catalogues are gettext's, a `.po` file
a language.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from truerank.core.errors import InputError, MissingPackage

if TYPE_CHECKING:
    import gettext

SOURCE = "en"
"""The language in which messages are written."""


class Message(str):
    """A text with named values; as a string it is the English one.

    Attributes:
        text: the English text with the names of its values in braces, which catalogues have translations for.
        many: the text for other numbers than 1, of a value named n; empty where number makes no difference.
        values: what stands for the names; messages among them are translated in their turn.

    >>> found = plural("{n:,} query of {run}", "{n:,} queries of {run}", n=2000, run="bm25")
    >>> found, found.text
    ('2,000 queries of bm25', '{n:,} query of {run}')
    """

    text: str
    many: str
    values: dict[str, Any]

    def __new__(cls, text: str, many: str = "", values: dict[str, Any] | None = None) -> Message:
        """The message with its values filled in."""
        given = values or {}
        chosen = many if many and given["n"] != 1 else text
        made = super().__new__(cls, chosen.format(**given) if given else chosen)
        made.text, made.many, made.values = text, many, given
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.many, self.values)

    def into(self, catalogue: gettext.NullTranslations) -> str:
        """The text in the language of a catalogue, and the messages among its values too."""
        values = {name: _into(value, catalogue) for name, value in self.values.items()}
        if self.many:
            text = catalogue.ngettext(self.text, self.many, values["n"])
        else:
            text = catalogue.gettext(self.text) if self.text else ""
        return text.format(**values) if values else text


class Joined(Message):
    """Several messages, or parts of them, with the same text between each and the next."""

    def __new__(cls, between: str, parts: Sequence[str]) -> Joined:
        """The parts with the text between them."""
        made = str.__new__(cls, between.join(parts))
        made.text, made.many, made.values = between, "", {"parts": tuple(parts)}
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.values["parts"])

    def into(self, catalogue: gettext.NullTranslations) -> str:
        """The parts in the language of a catalogue."""
        return str(self.text).join(_into(part, catalogue) for part in self.values["parts"])


class Warned(Message):
    """What speaks against a number; it is told before anything else."""


def _into(value: Any, catalogue: gettext.NullTranslations) -> Any:
    return value.into(catalogue) if isinstance(value, Message) else value


def message(text: str, /, **values: Any) -> Message:
    """A message; the text must be a literal, so that catalogues can be made of the source.

    >>> message("query {query} is not judged", query="q7")
    'query q7 is not judged'
    """
    return Message(text, "", values)


def plural(one: str, many: str, /, **values: Any) -> Message:
    """A message that depends on a number n; both texts must be literals."""
    return Message(one, many, values)


def joined(between: str, parts: Iterable[str]) -> Joined:
    """Parts in a row, each translated by itself.

    >>> joined(" ", [message("One."), message("Two.")])
    'One. Two.'
    """
    return Joined(between, tuple(parts))


def warned(said: str) -> Message:
    """A sentence as a warning.

    >>> warned(message("Only {n} workers.", n=3))
    'Warning: Only 3 workers.'
    """
    plain = message("Warning: {said}", said=said)
    return Warned(plain.text, "", plain.values)


def listed(names: Sequence[str], most: int | None = None) -> Message:
    """Names in a sentence; of more than this many the first ones, and how many there are besides.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], 3)
    ('a, b and c', 'a, b and 2 more')
    """
    if most and len(names) > most:
        kept = names[: most - 1]
        return message("{names} and {n:,} more", names=joined(", ", kept), n=len(names) - len(kept))
    if len(names) < 2:
        return joined(", ", names)
    return message("{names} and {last}", names=joined(", ", names[:-1]), last=names[-1])


def in_language(value: Any, language: str = SOURCE) -> Any:
    """The value with every message in it in a language: in tuples, lists, mappings and dataclasses too."""
    if language == SOURCE:
        return value
    if isinstance(value, Message):
        return value.into(catalogue(language))
    if isinstance(value, tuple | list):
        parts = [in_language(part, language) for part in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    if isinstance(value, Mapping):
        return {key: in_language(part, language) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        own = {
            field.name: in_language(getattr(value, field.name), language) for field in fields(value) if field.init
        }
        return replace(value, **own)
    return value


def translated(text: str, language: str = SOURCE) -> str:
    """The text in a language; what is no message stays as it is.

    Raises:
        InputError: there is no such language.
    """
    if language == SOURCE or not isinstance(text, Message):
        return str(text)
    return text.into(catalogue(language))


def languages() -> list[str]:
    """Those that there is a catalogue for, English first."""
    folder = _folder()
    return [SOURCE, *sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".po"))]


@lru_cache(maxsize=8)
def catalogue(language: str) -> gettext.NullTranslations:
    """The translations into a language, out of its `.po` file.

    Raises:
        InputError: there is no such language.
        MissingPackage: Babel, which reads catalogues, is not installed.
    """
    if language not in languages():
        known = ", ".join(languages())
        raise InputError(f"there is no language {language!r}; there is {known}")
    import gettext
    import io

    try:
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po
    except ModuleNotFoundError:
        raise MissingPackage(f"the language {language!r}", "report") from None
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
        if named not in languages():
            raise InputError(f"there is no language {named!r}; there is {', '.join(languages())}")
        return named
    if not of_locale:
        return SOURCE
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    asked = next(filter(None, map(os.environ.get, names)), "")
    short = asked.partition(":")[0].partition("_")[0].partition(".")[0].lower()
    return short if short in languages() else SOURCE


def to_plain(value: Any) -> Any:
    """What a message is made of, as values for JSON; anything else as it is.

    >>> to_plain(message("query {query} is not judged", query="q7"))
    {'text': 'query {query} is not judged', 'many': '', 'values': {'query': 'q7'}}
    """
    if isinstance(value, Joined):
        return {"between": value.text, "parts": [to_plain(part) for part in value.values["parts"]]}
    if isinstance(value, Message):
        values = {name: to_plain(own) for name, own in value.values.items()}
        return {"text": value.text, "many": value.many, "values": values}
    return value


def from_plain(value: Any) -> Any:
    """The message that `to_plain` took apart.

    >>> from_plain(to_plain(joined(" ", [message("One."), "two"])))
    'One. two'
    """
    if not isinstance(value, dict):
        return value
    if "between" in value:
        return Joined(value["between"], [from_plain(part) for part in value["parts"]])
    return Message(value["text"], value["many"], {name: from_plain(own) for name, own in value["values"].items()})


def _folder() -> str:
    """Where the catalogues are; `TRUERANK_LOCALE` names another place."""
    from importlib import resources

    return os.environ.get("TRUERANK_LOCALE") or str(resources.files("truerank").joinpath("present", "locale"))
