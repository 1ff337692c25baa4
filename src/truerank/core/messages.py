"""Messages: what is said to people, as English text in place with named values, translated where it is shown.

A message is its English text, and remembers what it was made of: renderers and the command line ask for it in
another language with `translated` of `core.languages`. Nothing recognises a message by its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import gettext


class Message(str):
    """A text with named values; as a string it is the English one.

    Attributes:
        text: the English text, with the names of its values in braces; catalogues translate it.
        many: the text where the value named n is not 1; empty where there is no such value.
        values: the values by name; messages among them are translated too.

    >>> said = plural("{n:,} query of {run}", "{n:,} queries of {run}", n=2000, run="bm25")
    >>> said, said.text
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
    """Several messages, or parts of them, with the same text between each two."""

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
    """A warning about a number; it is shown before anything else."""


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
    """Parts one after another, each translated by itself.

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
    """Names in a sentence; of more than `most` only the first ones, and how many more there are.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], 3)
    ('a, b and c', 'a, b and 2 more')
    """
    if most and len(names) > most:
        kept = names[: most - 1]
        return message("{names} and {n:,} more", names=joined(", ", kept), n=len(names) - len(kept))
    if len(names) < 2:
        return joined(", ", names)
    return message("{names} and {last}", names=joined(", ", names[:-1]), last=names[-1])


def alternatives(names: Sequence[str]) -> Message:
    """Names joined by "or".

    >>> alternatives(["a", "b"]), alternatives(["a", "b", "c"])
    ('a or b', 'a or b or c')
    """
    if len(names) < 2:
        return joined("", names)
    return message("{one} or {other}", one=alternatives(names[:-1]), other=names[-1])


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """' Did you mean nDCG?' where a known word is similar, first one of the same letters; else ''."""
    import difflib

    if not isinstance(word, str):
        return ""
    names = list(known)
    if (same := _composed_like(word, names)) is not None:
        return message(" Did you mean {name}, in another Unicode form?", name=same)
    folded = {name.lower(): name for name in names}
    swapped = [name for name in folded if sorted(name) == sorted(word.lower())]
    near = swapped or difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    return message(" Did you mean {name}?", name=folded[near[0]]) if near else ""


def _composed_like(word: str, names: Iterable[str]) -> str | None:
    """The first name that looks like the word and differs from it, as é does in one character and in two."""
    import unicodedata

    if word.isascii():
        return None
    composed = unicodedata.normalize("NFC", word)
    likely = (name for name in names if not name.isascii() and name != word)
    return next((name for name in likely if unicodedata.normalize("NFC", name) == composed), None)


def to_plain(value: Any) -> Any:
    """A message as plain values for JSON; anything else as it is.

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
    """The message from the plain values of `to_plain`.

    >>> from_plain(to_plain(joined(" ", [message("One."), "two"])))
    'One. two'
    """
    if not isinstance(value, dict):
        return value
    if "between" in value:
        return Joined(value["between"], [from_plain(part) for part in value["parts"]])
    return Message(value["text"], value["many"], {name: from_plain(own) for name, own in value["values"].items()})
