"""Which id a result goes by: its own, one from its metadata, a function of it, or a hash of its text."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any
from uuid import UUID

from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.truth.chunks import Parts, is_pattern, marked, parts_by
from truerank.truth.collapsing import way_of

Rule = str | Callable[[Any], object] | None

_COLLAPSED = {None: "", "max": ", the best of each", "sum": ", the sum of each"}

METADATA = re.compile(r"metadata\[(['\"]?)(.+?)\1\]")


@dataclass(frozen=True)
class IdKind:
    """Where one kind of result keeps what an id can be made of.

    Attributes:
        name: what errors call such a result.
        own: the library's own id of it.
        field: the value under another name.
        metadata: the mapping beside the text.
        content: the text.
    """

    name: str
    own: Callable[[Any], object]
    field: Callable[[Any, str], object]
    metadata: Callable[[Any], Mapping[str, object]]
    content: Callable[[Any], object]


@dataclass(frozen=True)
class IdReader:
    """How results are named.

    Attributes:
        rule: None or "id" (the library's own), "metadata[key]", "hash" (SHA-256 of the text), the name of a field,
            a pattern with a group for what of the own id counts, FILE:COLUMN of a table that has it for each own
            id, or a function of the result.
        collapse: make one result of those with one id, as is right where results are chunks and ids are those of
            documents: the best ("max", or True), or with the "sum" of their scores; if not, repeated ids stay, and
            are counted. Without a rule, own ids such as d7#2 and d7_chunk_2 are of d7.
    """

    rule: Rule = None
    collapse: bool | str = False

    def __post_init__(self) -> None:
        if self.way == "first":
            raise InputError("answers are collapsed by max or sum; for first, save the run and collapse that")
        is_name = isinstance(self.rule, str) and self.rule != "" and ("metadata" not in self.rule or self.key)
        if not (self.rule is None or callable(self.rule) or is_name):
            raise InputError("ids is {choices}, not {rule!r}", choices=CHOICES, rule=self.rule)

    @cached_property
    def way(self) -> str | None:
        """ "max" or "sum"; None where results stay apart."""
        return way_of("max" if self.collapse is True else self.collapse) if self.collapse else None

    @cached_property
    def parts(self) -> Parts | None:
        """What an own id is a part of, where the rule is a pattern or a table."""
        is_table = isinstance(self.rule, str) and os.path.isfile(self.rule.rpartition(":")[0])
        return parts_by(self.rule) if is_pattern(self.rule) or is_table else None

    @property
    def key(self) -> str | None:
        """The key of "metadata[key]"."""
        match = METADATA.fullmatch(self.rule) if isinstance(self.rule, str) else None
        return match[2] if match else None

    def describe(self, own: str) -> str:
        """One line about the rule; `own` names the library's own id."""
        rule = "a function of the result" if callable(self.rule) else self.rule
        return (own if rule in (None, "id") else str(rule)) + _COLLAPSED[self.way]

    def value(self, result: Any, kind: IdKind) -> object:
        """What the rule finds in a result; None where there is nothing."""
        if callable(self.rule):
            return self.rule(result)
        if self.rule is None and self.way:
            return _whole(kind.own(result))
        if self.rule in (None, "id"):
            return kind.own(result)
        if self.parts:
            part = self.parts(str(kind.own(result)).encode("utf-8", "surrogateescape"))
            return part and part.doc
        if self.rule == "hash":
            return hashed(kind.content(result))
        if self.key:
            return kind.metadata(result).get(self.key)
        return kind.field(result, self.rule)

    def of(self, results: Iterable[Any], kind: IdKind) -> list[str]:
        """One id per result, in order.

        Raises:
            InputError: a result has no id under the rule, or one that is neither text nor a whole number.
        """
        return [self._text(self.value(result, kind), at, result, kind) for at, result in enumerate(results, 1)]

    def _text(self, value: object, at: int, result: Any, kind: IdKind) -> str:
        if value is None or value in ("", b""):
            raise self._without(at, result, kind)
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        if isinstance(value, str | UUID) or (isinstance(value, Integral) and not isinstance(value, bool)):
            return _writable(str(value), at)
        raise InputError(
            "the id of result {at} is {value}: an id is text or a whole number", at=at, value=repr(value)[:80]
        )

    def _without(self, at: int, result: Any, kind: IdKind) -> InputError:
        """The error for a result that has no id."""
        own = message("result {at} ({kind}) has no id", at=at, kind=kind.name)
        ruled = message("result {at} ({kind}) has no id under ids={rule!r}", at=at, kind=kind.name, rule=self.rule)
        said = own if self.rule in (None, "id") else ruled
        keys = ", ".join(map(str, kind.metadata(result)))
        if keys:
            return InputError(
                "{said}. Choose another: ids={choices}. Its metadata has: {keys}",
                said=said,
                choices=CHOICES,
                keys=keys,
            )
        return InputError("{said}. Choose another: ids={choices}", said=said, choices=CHOICES)


def _whole(own: object) -> object:
    """The document that an id says it is a chunk of, as `truerank.collapse` reads it; else the id."""
    part = marked(own.encode("utf-8", "surrogateescape")) if isinstance(own, str) else None
    return part.doc if part else own


def _writable(name: str, at: int) -> str:
    """The id, if bytes can be made of it."""
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError("the id of result {at} is {name!a}, which is no text", at=at, name=name[:80]) from None
    return name


CHOICES = message(
    "'metadata[key]', 'hash' (of the text), the name of a field, a pattern such as '(.+)#\\d+', FILE:COLUMN of a "
    "table of chunks, or a function of the result"
)


def hashed(content: object) -> str | None:
    """An id made of the text: the first 128 bits of its SHA-256 in hexadecimal.

    >>> hashed("abc")
    'ba7816bf8f01cfea414140de5dae2223'
    """
    if not isinstance(content, str):
        return None
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
