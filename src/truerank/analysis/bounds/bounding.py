"""Qrels, a run and measures in; how far the scores could be off, out."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from truerank.analysis.bounds.pool import bare, pools
from truerank.analysis.bounds.result import Bounds, Range
from truerank.analysis.bounds.ties import under_ties
from truerank.analysis.bounds.unjudged import grades_to_give, under_judgement
from truerank.analysis.bounds.ways import Watch
from truerank.core._kernel import as_text
from truerank.core.errors import InputError, MeasureError
from truerank.core.evaluate import DEFAULT, look_up, ranked
from truerank.core.hits import Hits
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.core.vocabulary import measures_under
from truerank.formats import open_run, read_qrels
from truerank.measures import Measure

Doubt = Literal["ties", "unjudged"]
"""What could make a score another one."""

SAMPLES = 200


def bounds(
    qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    of: Doubt | Collection[Doubt] = ("ties", "unjudged"),
    *,
    rules: Rules | str | os.PathLike[str] | dict[str, Any] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch = lambda done, of: None,
) -> Bounds:
    """How far a run's scores could be off: by the order of equal scores, and by documents that nobody judged.

    Under ties: the worst, the best and the expected value over all orders of equal scores. Under judgement: the
    least and the most, whatever the unjudged documents that came back may be; those that did not stay as they are.

    Args:
        qrels, run, measures, rules, threads: as for `evaluate`.
        of: "ties", "unjudged", or both.
        samples: random orders for queries with too many to count.
        seed: of those.
        watch: told how many queries are done, and of how many; each counts once for ties and once for judgements.

    Raises:
        TruerankError: wrong input.

    >>> import truerank as tr
    >>> found = tr.bounds({"q": {"a": 1}}, {"q": {"a": 1.0, "x": 1.0, "y": 1.0}}, "RR", "ties")
    >>> found.ties["RR"].worst, round(found.ties["RR"].expected_mean, 4), found.ties["RR"].best
    (0.3333333333333333, 0.6111, 1.0)
    """
    doubts = (of,) if isinstance(of, str) else tuple(of)
    for doubt in doubts:
        if doubt not in get_args(Doubt):
            raise InputError(f"bounds are of {' or '.join(get_args(Doubt))}, not of {doubt!r}")
    if samples < 2 or seed < 0 or not doubts:
        raise InputError("samples is 2 or more, seed is not negative, and bounds are of something")
    under = Rules.of(rules)
    chosen = tuple(measures_under(measures if measures is not None else under.measures or DEFAULT, under))
    if not chosen:
        raise MeasureError("no measure is named; leave measures out for the default, or name some: nDCG@10 AP")
    judged, source = read_qrels(qrels), open_run(run)
    hits = _hits(judged, source, under, threads)
    parts = _parts(len(hits.queries), len(set(doubts)), watch)
    ties = (
        under_ties(hits, chosen, under, samples=samples, seed=seed, watch=next(parts)) if "ties" in doubts else {}
    )
    is_asked = "unjudged" in doubts
    left, open_documents, grades = _unjudged(
        judged, source, chosen, under, threads, next(parts) if is_asked else None
    )
    names = tuple(map(as_text, hits.queries))
    return Bounds(source.name, names, chosen, under, ties, left, open_documents, grades, samples, seed)


def _hits(qrels: Qrels, run: Run, rules: Rules, threads: int | None) -> Hits:
    """Before any rule for depth, unjudged or unreturned documents was applied."""
    before = bare(rules)
    judged, opened, found = look_up(qrels, run, rules, threads)
    return ranked(judged, found, before, opened.name)


def _parts(queries: int, doubts: int, watch: Watch) -> Iterator[Watch]:
    """A watch for each doubt, which is told of in turn: the share of its work as so many queries."""

    def part(number: int) -> Watch:
        return lambda done, of: watch(number * queries + done * queries // max(of, 1), doubts * queries)

    return map(part, range(doubts))


def _unjudged(
    qrels: Qrels, run: Run, measures: tuple[Measure, ...], rules: Rules, threads: int | None, watch: Watch | None
) -> tuple[dict[str, Range], int | None, tuple[float, ...]]:
    if watch is None:
        return {}, None, ()
    pool = pools(qrels, [replace(run, watch=lambda size: None)], rules, threads)[0]
    found = under_judgement(pool, measures, rules, watch)
    return found, int(np.count_nonzero(pool.open)), grades_to_give(pool, rules.level)
