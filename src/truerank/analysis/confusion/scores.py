"""The scores of all results, judged or not: hits know only those of the judged ones."""

from __future__ import annotations

import math

import numpy as np

from truerank.analysis.confusion.table import is_finite
from truerank.core.errors import InputError, quoted
from truerank.core.evaluate import as_ruled
from truerank.core.hits import Hits
from truerank.core.qrels import Floats, Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import Rules
from truerank.core.run import Ranked, Run


def checked(threshold: float) -> float:
    """A threshold, if it is finite."""
    if not is_finite(threshold):
        raise InputError(f"a threshold is a finite number, not {quoted(threshold)}")
    return float(threshold)


def returned(qrels: Qrels, run: Run, hits: Hits, rules: Rules) -> list[Floats]:
    """For each query of the hits the scores of the results that count as returned, the lowest first."""
    if rules.unjudged == "removed":
        return [np.sort(hits.score[hits.query == query]) for query in range(len(hits.queries))]
    ignored = _ignored(qrels, rules)
    parts: dict[bytes, list[Ranked | Floats]] = {query: [] for query in hits.queries}
    for part in rankings(run.batches(), run.name):
        if part.query in parts:
            parts[part.query].append(part if rules.duplicates != "error" or ignored else _numbers(part, run))
    lists = (_once(found, ignored.get(query, set()), run, rules) for query, found in parts.items())
    return [np.sort(scores)[-rules.depth :] if rules.depth else np.sort(scores) for scores in lists]


def _numbers(part: Ranked, run: Run) -> Floats:
    if part.scores is None:
        raise InputError("this run has no scores to compare with a threshold; say by k what is retrieved", run.name)
    return np.array(part.numbers(), np.float64)


def _ignored(qrels: Qrels, rules: Rules) -> dict[bytes, set[bytes]]:
    """The documents of each query that leave its list."""
    found = as_ruled(qrels, rules)
    if not np.isnan(found.grades).any():
        return {}
    return {q: {doc for doc, grade in judged.items() if math.isnan(grade)} for q, judged in found.to_dict().items()}


def _once(parts: list[Ranked | Floats], ignored: set[bytes], run: Run, rules: Rules) -> Floats:
    """The scores of a query's results, of a repeated one that which the rules say."""
    rows: list[tuple[bytes, float]] = []
    numbers = [np.empty(0)]
    for part in parts:
        if isinstance(part, Ranked):
            rows += zip(part.docs, _numbers(part, run).tolist(), strict=True)
        else:
            numbers.append(part)
    once = dict(reversed(rows) if rules.duplicates == "first" else rows)
    kept = [score for doc, score in once.items() if doc not in ignored]
    return np.concatenate([*numbers, np.array(kept, np.float64)])
