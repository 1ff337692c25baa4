"""Topics as TREC distributes them: the number and the title of each, in open tags or in XML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from truerank.core.errors import InputError

_BEGINS = re.compile(r"<top(?:ic)?(\s[^>]*)?>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s(?:number|num|id|qid)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_NUMBERS = ("num", "number", "id", "identifier")
_TITLES = ("title", "query", "question", "desc", "description")
_LABEL = re.compile(r"Number:\s*(?:0+(?=\d))?|Topic:\s*|Description:\s*", re.IGNORECASE)  # 051 is 51 in the qrels
_LITERAL = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[|\]\]>).)*)\]\]>", re.DOTALL)


def are_topics(head: bytes) -> bool:
    """Whether a file that begins like this has topics in tags."""
    return head.lstrip().startswith(b"<") and _BEGINS.search(head.decode("utf-8", "replace")) is not None


def topics(text: str, name: str) -> Iterator[tuple[str, str]]:
    """The number of each topic with its title, or with the first other field that says what is sought.

    Raises:
        InputError: a topic has no number.

    >>> list(topics("<top>\\n<num> Number: 051\\n<title> Topic: Airbus\\n Subsidies\\n</top>", "topics.txt"))
    [('51', 'Airbus Subsidies')]
    >>> list(topics('<topics><topic number="1a"><query>red &amp; blue</query></topic></topics>', "topics.xml"))
    [('1a', 'red & blue')]
    """
    text = _LITERAL.sub(lambda found: html.escape(found[1]), text)
    begins = list(_BEGINS.finditer(text))
    ends = [each.start() for each in begins[1:]] + [len(text)]
    for place, (begin, end) in enumerate(zip(begins, ends, strict=True), 1):
        inside = text[begin.end() : end]
        said = _ATTRIBUTE.search(begin[1] or "")
        number = _clean(said[1]) if said else _first(inside, _NUMBERS)
        if not number:
            raise InputError(
                "topic {place} has no number; <num> should say it, or an attribute of its tag", name, place=place
            )
        yield number, _first(inside, _TITLES)


def _first(inside: str, tags: tuple[str, ...]) -> str:
    """The text after the first of these tags that has any, up to the next tag."""
    for tag in tags:
        found = re.search(rf"<{tag}(?:\s[^>]*)?>((?:[^<]|<(?![a-z/!?]))*)", inside, re.IGNORECASE)
        if found and (text := _clean(found[1])):
            return text
    return ""


def _clean(text: str) -> str:
    """The text without its label, in one line."""
    line = " ".join(html.unescape(text).split())
    label = _LABEL.match(line)
    return line[label.end() :] if label else line
