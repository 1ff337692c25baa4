"""What the loops call: a retriever whose call is timed and whose answer is read afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What was returned for one query.

    Attributes:
        docs: ids, best first.
        scores: a finite number each; made from the ranks where the retriever gives none.
        ends: of a retriever that asks several times, how many documents there are by the end of each call; None
            where it gave one list.
    """

    docs: tuple[str, ...]
    scores: tuple[float, ...]
    ends: tuple[int, ...] | None = field(default=None, repr=False)

    @classmethod
    def joined(cls, lists: Sequence[Answer]) -> Answer:
        """The answer of several calls."""
        docs = tuple(chain.from_iterable(one.docs for one in lists))
        scores = tuple(chain.from_iterable(one.scores for one in lists))
        return cls(docs, scores, tuple(accumulate(len(one.docs) for one in lists)))

    @property
    def lists(self) -> tuple[Answer, ...]:
        """The list of each call; itself alone where it is one list."""
        if self.ends is None:
            return (self,)
        return tuple(Answer(self.docs[a:b], self.scores[a:b]) for a, b in pairwise((0, *self.ends)))

    def each(self, change: Callable[[Answer], Answer]) -> Answer:
        """This answer after `change` was applied to the list of each of its calls."""
        return change(self) if self.ends is None else Answer.joined(list(map(change, self.lists)))


@dataclass(frozen=True)
class FirstAnswers:
    """What was returned first for each query, and what is odd about it. Counts are of queries.

    Attributes:
        by_query: the first measured answer of each query, cut after k documents of each list.
        repeated: whose answer names a document more than once in a list.
        overlong: whose answer had more than k documents.
        unordered: whose scores do not fall from the first document on; its order counts, not the scores.
        changing: whose answers were not the same each time.
    """

    by_query: Mapping[str, Answer] = field(repr=False)
    repeated: int = 0
    overlong: int = 0
    unordered: int = 0
    changing: int = 0


def _nothing() -> None:
    """Nothing to close."""


@dataclass(frozen=True)
class Retriever:
    """Something that answers queries, whatever library it comes from.

    Attributes:
        name: what tables call it.
        call: (query, k) → the raw result, or an awaitable of it. This is what is timed: an answer that is made
            lazily is made here. What it raises is counted as an error of that query.
        read: the raw result → an `Answer`, untimed; raises InputError where there is an id of None or a score of
            NaN. May run in another thread than the call.
        is_async: whether `call` returns an awaitable.
        close: lets go of connections and processes.
        describe: library, version and whatever else a reader of the numbers should know.
        call_of: the query's id → the call for it, of a library that wants the id; None where `call` is for all.
        takes: what queries may be: "texts", "vectors" (arrays of one dimension), or "both".
    """

    name: str
    call: Callable[[Any, int], object] = field(repr=False)
    read: Callable[[object], Answer] = field(repr=False)
    is_async: bool = False
    close: Callable[[], None] = field(default=_nothing, repr=False)
    describe: Mapping[str, str] = field(default_factory=dict)
    call_of: Callable[[str], Callable[[Any, int], object]] | None = field(default=None, repr=False)
    takes: str = "texts"
