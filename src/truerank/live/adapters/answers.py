"""From results to an Answer: ids by rule, scores best first, cut at k where the retriever does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cache
from itertools import pairwise
from numbers import Real
from typing import Any, cast

from truerank.core.errors import InputError
from truerank.live.adapters.ids import IdKind, IdReader
from truerank.live.retriever import Answer
from truerank.truth.collapsing import UNSUMMED, collapsed

Call = Callable[[str, int], object]
Read = Callable[[object], Answer]
Ask = Callable[[str], Any]
"""What takes only a query."""

NUMBERS = (Real, Decimal)
"""What a score may be: databases answer with decimals too."""

CUT = "not taken by the retriever; answers are cut at k after the clock stops"


def answer(results: Iterable[Any], scores: Sequence[object], ids: IdReader, kind: IdKind) -> Answer:
    """The answer that these results are, best first, with what scores the library gives.

    Scores that rise with rank are distances and change their sign. Where any is missing, all are made from the
    ranks. Those that neither rise nor fall are left as they are, to be counted.

    Raises:
        InputError: a result without an id, a score that is no finite number, or a sum of no scores or distances.
    """
    docs = ids.of(results, kind)
    given = [_finite(score, doc) for doc, score in zip(docs, scores, strict=True)]
    best_first = _best_first(given)
    if ids.way is None:
        return Answer(tuple(docs), best_first)
    if ids.way == "sum" and list(best_first) != given:
        raise InputError(UNSUMMED)
    one_each = collapsed(docs, best_first, ids.way)
    order = sorted(one_each, key=lambda doc: -one_each[doc]) if ids.way == "sum" else one_each
    return Answer(tuple(order), tuple(one_each[doc] for doc in order))


def _finite(score: object, doc: str) -> float | None:
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, NUMBERS) or not math.isfinite(score):
        raise InputError(
            "the score of {doc} is {score!r}: a score is a finite number, or None for all", doc=doc, score=score
        )
    return float(score)


def _best_first(scores: list[float | None]) -> tuple[float, ...]:
    numbers = [score for score in scores if score is not None]
    if len(numbers) < len(scores):
        return tuple(float(rank) for rank in range(len(scores), 0, -1))
    if numbers and numbers[0] < numbers[-1] and all(a <= b for a, b in pairwise(numbers)):
        return tuple(0.0 - number for number in numbers)
    return tuple(numbers)


def cut(call: Ask, read: Read, is_async: bool | None) -> tuple[Call, Read]:
    """A call and a reader for a retriever that takes no k."""

    async def awaited(query: str, k: int) -> tuple[int, object]:
        return k, await call(query)

    return awaited if is_async else lambda query, k: (k, call(query)), cutting(read)


def carrying(
    plain: Ask, with_k: Callable[[int], Ask] | None, read: Read, is_async: bool | None
) -> tuple[Call, Read]:
    """A call and a reader for a retriever that carries its k, which `with_k` makes once for each; or takes none."""
    if with_k is None:
        return cut(plain, read, is_async)
    made = cache(with_k)
    return lambda query, k: made(k)(query), read


def cutting(read: Read) -> Read:
    """A reader of (k, what the other reads), which keeps the first k of each list."""

    def shortened(raw: object) -> Answer:
        k, result = cast("tuple[int, object]", raw)
        return read(result).each(lambda one: Answer(one.docs[:k], one.scores[:k]))

    return shortened
