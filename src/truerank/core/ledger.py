"""The ledger of an evaluation: what the mean hides, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.core.kernel.names import Names, Texts
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.means import Ledger
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.measures.sums import PerQuery

EXAMPLES = 5

KINDS = ("missing", "extra", "without_relevant", "tied")
"""Of which queries examples are named."""

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
)
"""What is counted of each query; `SAID` holds of all if it holds of one."""

SAID = ("interleaved", "swapped", "rising", "iterations")

_Few = tuple[int, Sequence[bytes]]
"""How many queries there are of a kind, and the first of them."""


def _few(queries: Sequence[bytes], which: Bools) -> _Few:
    (rows,) = which.nonzero()
    return len(rows), [queries[i] for i in rows[:EXAMPLES].tolist()]


def barren_of(hits: Hits, rules: Rules) -> _Few:
    """The queries that have nothing to find."""
    return _few(hits.queries, np.concatenate([part.relevant_total(rules.level) == 0 for part in hits.parts()]))


def undefined(values: dict[str, PerQuery], rules: Rules) -> dict[str, int]:
    """How many queries have no value of a measure, of those measures that lack some; only such rules let any."""
    if rules.without_relevant != "undefined":
        return {}
    lacking = {name: int(np.isnan(each).sum()) for name, each in values.items()}
    return {name: number for name, number in lacking.items() if number}


def ledger_of(reading: Reading, final: Hits, tied: Bools, barren: _Few, **more: Any) -> Ledger:
    """The ledger of an evaluation.

    Args:
        final: the hits under all rules.
        tied: (queries,) those on which some measure depends on the order of equal scores.
        barren: the queries that have nothing to find.
        more: what else there is to say, by the names of its fields.
    """
    everyone = reading.hits
    groups: dict[str, _Few] = {
        "missing": _few(everyone.queries, everyone.returned < 0),
        "extra": (len(reading.extra), reading.extra[:EXAMPLES]),
        "without_relevant": barren,
        "tied": _few(final.queries, tied),
    }
    counts: dict[str, Any] = {key: count for key, (count, _) in groups.items()}
    returned = int(final.returned.sum())
    return Ledger(
        judged=len(everyone.queries),
        evaluated=len(final.queries),
        answered=int((everyone.returned >= 0).sum()),
        returned=returned,
        unjudged=returned - int((final.grade >= 0).sum()),
        duplicates=reading.repeated,
        interleaved=reading.interleaved,
        rising=reading.rising,
        iterations=reading.qrels.iterations,
        calls=0 if final.calls is None else len(final.calls),
        again=0 if final.calls is None else int(final.calls.again.sum()),
        examples={key: tuple(map(as_text, names)) for key, (count, names) in groups.items() if count},
        **counts,
        **more,
    )


def added(ledgers: Sequence[Ledger]) -> Ledger:
    """The ledger of all queries from those of parts that have different ones, in any order."""
    numbers = {name: sum(getattr(each, name) for each in ledgers) for name in NUMBERS}
    said = {name: max(getattr(each, name) for each in ledgers) for name in SAID}
    undefined: Counter[str] = sum((Counter(each.undefined) for each in ledgers), Counter())
    ids = {kind: [id for each in ledgers for id in each.examples.get(kind, ())] for kind in KINDS}
    examples = {kind: tuple(sorted(some, key=as_bytes)[:EXAMPLES]) for kind, some in ids.items() if some}
    return replace(ledgers[0], **numbers, **said, undefined=dict(undefined), examples=examples)


def named(queries: Sequence[bytes]) -> Sequence[str]:
    """The ids of queries as text."""
    return Texts(queries) if isinstance(queries, Names) else tuple(map(as_text, queries))
