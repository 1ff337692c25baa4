"""The ledger of an evaluation: what the mean hides, counted."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.core.kernel.names import Names, Texts
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.messages import Message, message
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.measures.sums import PerQuery

EXAMPLES = 5

KINDS = ("missing", "extra", "without_relevant", "tied")
"""Kinds of queries of which examples are named."""

NUMBERS = (
    *KINDS,
    "judged",
    "evaluated",
    "answered",
    "returned",
    "unjudged",
    "duplicates",
    "calls",
    "again",
    "unasked",
    "listed",
    "unlisted",
    "selves",
    "own_camera",
)
"""What is counted of each query; `SAID` holds of all if it holds of one."""

SAID = ("interleaved", "swapped", "rising", "iterations")

RARE = (
    "swapped",
    "rising",
    "foreign",
    "calls",
    "again",
    "undefined",
    "iterations",
    "unasked",
    "listed",
    "unlisted",
    "selves",
    "own_camera",
)
"""What is in JSON only where there is something to say."""

_Few = tuple[int, Sequence[bytes]]
"""How many queries there are of a kind, and the first of them."""

_LEFT_OUT, _ZERO, _ONE, _FIRST = (
    message("left out"),
    message("scored 0"),
    message("scored 1"),
    message("the first counts"),
)

RULED: dict[str, dict[str, Message]] = {
    "missing": {"zero": _ZERO, "skip": _LEFT_OUT, "error": _LEFT_OUT},
    "extra": {"skip": _LEFT_OUT, "error": _LEFT_OUT},
    "without_relevant": {
        "zero": _ZERO,
        "skip": _LEFT_OUT,
        "empty-is-right": message("scored 1 where nothing was returned"),
        "one": _ONE,
        "undefined": message("left out where a measure has no value"),
        "error": _LEFT_OUT,
    },
    "ties": {
        "doc-descending": message("by document id, descending"),
        "doc-ascending": message("by document id, ascending"),
        "input": message("as the run has them"),
    },
    "duplicates": {
        "error": message("refused"),
        "first": _FIRST,
        "last": message("the last counts"),
        "count": message("each counts"),
        "once": _FIRST,
    },
}
"""What becomes of what the ledger counts, by rule and value."""


@dataclass(frozen=True)
class Ledger:
    """What the mean hides. Counts of queries unless said otherwise.

    Attributes:
        judged: in the qrels.
        evaluated: in the mean.
        answered: judged, and in the run.
        missing: judged, but not in the run.
        extra: in the run, but not judged.
        without_relevant: judged, but no document reaches the relevance level.
        returned: documents returned for the evaluated queries.
        unjudged: how many of those are unjudged.
        duplicates: rows of judged queries that repeated a document.
        tied: evaluated queries on which some measure depends on the order of equal scores.
        interleaved: whether the run's rows of one query were scattered.
        swapped: whether the grades look like scores and the scores like grades; in JSON only where they do.
        rising: whether scores rise along every list, as distances do, in enough lists to tell; in JSON only then.
        foreign: measures that the rules do not have, as truerank reads them; in JSON only where there are any.
        calls: lists that were returned for the evaluated queries, where a query has several; in JSON only there.
        again: documents that left the list of a call because an earlier one had returned them; in JSON only if any.
        undefined: on how many queries a measure has no value, by measure; in JSON only where there are some.
        iterations: how many different values the second column of the qrels has, where it is not used; in JSON only
            where it has several.
        unasked: judged queries that an experiment did not ask, and so are among the extra ones where a run answers
            them; in JSON only where there are any.
        listed, unlisted: documents in the lists that measures of a table of items see, and how many of them it
            lacks; in JSON only where it lacks some.
        selves: queries that find themselves in a gallery of vectors; in JSON only where most of them do.
        own_camera: queries whose right entries were all seen by their own camera, and so leave the list; in JSON
            only where there are any.
        examples: up to five ids each of missing, extra and tied queries, and of those without_relevant.
    """

    judged: int
    evaluated: int
    answered: int
    missing: int
    extra: int
    without_relevant: int
    returned: int
    unjudged: int
    duplicates: int
    tied: int
    interleaved: bool = False
    swapped: bool = False
    rising: bool = False
    foreign: tuple[str, ...] = ()
    calls: int = 0
    again: int = 0
    undefined: Mapping[str, int] = field(default_factory=dict)
    iterations: int = 0
    unasked: int = 0
    listed: int = 0
    unlisted: int = 0
    selves: int = 0
    own_camera: int = 0
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Ledger:
        """The ledger from the plain values of `to_dict`.

        Raises:
            TypeError, ValueError: it is something else.
        """
        foreign, examples, undefined = plain.get("foreign", ()), plain["examples"], plain.get("undefined", {})
        counts = {name: count for name, count in plain.items() if name not in ("foreign", "examples", "undefined")}
        if not all(isinstance(count, int) for count in (*counts.values(), *undefined.values())):
            raise ValueError("a count of the ledger is no number")
        if not all(isinstance(name, str) for names in (foreign, *examples.values()) for name in names):
            raise ValueError("a name of the ledger is no text")
        examples = {kind: tuple(ids) for kind, ids in examples.items()}
        return cls(**counts, undefined=dict(undefined), foreign=tuple(foreign), examples=examples)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {**dataclasses.asdict(self), "examples": {key: list(ids) for key, ids in self.examples.items()}}
        plain["foreign"] = list(self.foreign)
        return {key: value for key, value in plain.items() if value or key not in RARE}


def _few(queries: Sequence[bytes], which: Bools) -> _Few:
    (rows,) = which.nonzero()
    return len(rows), [queries[i] for i in rows[:EXAMPLES].tolist()]


def without_relevant(hits: Hits, rules: Rules) -> _Few:
    """The queries that have nothing to find, except missing ones that the rules leave out."""
    parts = (part.judged_under(rules) for part in hits.parts())
    nothing = np.concatenate([part.relevant_total(rules.level) == 0 for part in parts])
    return _few(hits.queries, nothing & (hits.returned >= 0) if rules.missing == "skip" else nothing)


def undefined(values: dict[str, PerQuery], rules: Rules) -> dict[str, int]:
    """{measure: how many queries have no value of it}, where some have none; only some rules allow that."""
    if rules.without_relevant != "undefined":
        return {}
    lacking = {name: int(np.isnan(each).sum()) for name, each in values.items()}
    return {name: number for name, number in lacking.items() if number}


def ledger_of(reading: Reading, final: Hits, tied: Bools, nothing_to_find: _Few, **more: Any) -> Ledger:
    """The ledger of an evaluation.

    Args:
        final: the hits under all rules.
        tied: (queries,) those on which some measure depends on the order of equal scores.
        nothing_to_find: the queries that have nothing to find.
        more: further fields by name.
    """
    everyone = reading.hits
    groups: dict[str, _Few] = {
        "missing": _few(everyone.queries, everyone.returned < 0),
        "extra": (len(reading.extra), reading.extra[:EXAMPLES]),
        "without_relevant": nothing_to_find,
        "tied": _few(final.queries, tied),
    }
    counts: dict[str, Any] = {key: count for key, (count, _) in groups.items()}
    returned = int(final.returned.sum())
    return Ledger(
        judged=len(everyone.queries),
        evaluated=len(final.queries),
        answered=int(np.count_nonzero(everyone.returned >= 0)),
        returned=returned,
        unjudged=returned - int(np.count_nonzero(final.grade >= 0)),
        duplicates=reading.repeated,
        interleaved=reading.interleaved,
        rising=reading.rising,
        iterations=reading.qrels.iterations,
        calls=0 if final.calls is None else final.calls.made,
        again=0 if final.calls is None else int(final.calls.again.sum()),
        examples={key: tuple(map(as_text, names)) for key, (count, names) in groups.items() if count},
        **counts,
        **more,
    )


def added(ledgers: Sequence[Ledger]) -> Ledger:
    """The ledger of all queries from the ledgers of parts with different queries, in any order."""
    numbers = {name: sum(getattr(each, name) for each in ledgers) for name in NUMBERS}
    said = {name: max(getattr(each, name) for each in ledgers) for name in SAID}
    undefined: Counter[str] = sum((Counter(each.undefined) for each in ledgers), Counter())
    ids = {kind: [id for each in ledgers for id in each.examples.get(kind, ())] for kind in KINDS}
    examples = {kind: tuple(sorted(some, key=as_bytes)[:EXAMPLES]) for kind, some in ids.items() if some}
    return replace(ledgers[0], **numbers, **said, undefined=dict(undefined), examples=examples)


def as_texts(queries: Sequence[bytes]) -> Sequence[str]:
    """The ids of queries as text, converted when they are asked for."""
    return Texts(queries) if isinstance(queries, Names) else tuple(map(as_text, queries))
