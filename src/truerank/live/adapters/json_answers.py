"""Answers in JSON: where in it the results stand, and where in a result its id and score."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from truerank.core.errors import InputError
from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.plain import field, read_plain
from truerank.live.retriever import Answer


@dataclass(frozen=True)
class JsonAnswer:
    """Where the answer stands, as paths such as data.hits[0].doc.id.

    Attributes:
        results: the path of the results; None is the whole value, or the only list in it. With a ? behind it there
            are none where its last key is left out.
        score: the path of the score within a result.
        scores: the path of a list of scores beside the results, where they come apart.
        ids: how a result is named; a path within the result is a rule too.
    """

    ids: IdReader
    results: str | None = None
    score: str = "score"
    scores: str | None = None

    def read(self, raw: object) -> Answer:
        """The answer in some bytes.

        Raises:
            InputError: they are not JSON, nothing stands at a path, or a result cannot be used.
        """
        whole = _parsed(raw)
        if error := _error(whole):
            raise InputError("the answer is an error: {error}", error=error)
        scores = None if self.scores is None else _at(whole, self.scores)
        return read_plain(self._results(whole), self.ids, score=self.score, scores=scores)

    def _results(self, whole: Any) -> Any:
        if self.results is not None:
            return _at(whole, self.results)
        inner = whole.values() if isinstance(whole, dict) else ()
        lists = [value for value in inner if isinstance(value, list)]
        if len(lists) == 1:
            return lists[0]
        if any(isinstance(value, list | dict | None) for value in inner):
            raise InputError(
                "say where results are, as results=hits.hits (--option results=hits.hits): the answer has {keys}",
                keys=", ".join(whole),
            )
        return whole


def _parsed(raw: Any) -> Any:
    try:
        return orjson.loads(raw.removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise InputError("the answer is not JSON ({error}): {answer!r}", error=error, answer=raw[:80]) from None


def _error(whole: Any) -> str:
    """What an answer says went wrong; nothing where it has results, or an error that is empty."""
    if not isinstance(whole, dict):
        return ""
    error, others = whole.get("error"), (value for key, value in whole.items() if key != "error")
    if isinstance(error, str):
        return error
    is_alone = isinstance(error, dict) and error and not any(isinstance(other, list | dict) for other in others)
    return orjson.dumps(error).decode() if is_alone else ""


def _at(whole: Any, path: str) -> Iterable[Any]:
    """What stands at a path; nothing where null does, as some servers write an empty list.

    And nothing where the last key of a path that ends in ? is left out, as Vespa leaves it out.
    """
    may_lack, path = path.endswith("?"), path.removesuffix("?")
    results = field(whole, path)
    above, _, last = path.rpartition(".")
    around = field(whole, above) if above else whole
    if results is None and isinstance(around, dict) and (may_lack or last in around):
        return []
    if not isinstance(results, list | dict):
        if isinstance(whole, dict):
            raise InputError(
                "there is no list at {place!r}; the answer has {keys}", place=path, keys=", ".join(whole)
            )
        raise InputError("there is no list at {place!r}", place=path)
    return results
