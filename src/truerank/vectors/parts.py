"""Parts: the scores of some queries after those of others, as if they had been made at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from truerank.core.means import Ledger
from truerank.core.scores import Scores

EXAMPLES = 5


def joined(parts: Sequence[Scores]) -> Scores:
    """One table of all; a value a query does not depend on where they were cut."""
    if len(parts) == 1:
        return parts[0]
    values = {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns}
    queries = tuple(query for part in parts for query in part.queries)
    return replace(parts[0], queries=queries, columns=values, ledger=_ledger([part.ledger for part in parts]))


def _ledger(parts: Sequence[Ledger]) -> Ledger:
    others = ("interleaved", "swapped", "rising", "foreign", "undefined", "examples")
    names = [field.name for field in fields(Ledger) if field.name not in others]
    keys = dict.fromkeys(key for part in parts for key in part.examples)
    examples = {key: tuple(q for part in parts for q in part.examples.get(key, ()))[:EXAMPLES] for key in keys}
    undefined: Counter[str] = sum((Counter(part.undefined) for part in parts), Counter())
    counts = {name: sum(getattr(part, name) for part in parts) for name in names}
    swapped = any(part.swapped for part in parts)
    return Ledger(**counts, swapped=swapped, foreign=parts[0].foreign, undefined=undefined, examples=examples)
