"""Qrels, a run and measures in; how far the scores could be off, out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, get_args

import numpy as np

from truerank.analysis.bounds.pool import Pool, refuse_lines, refuse_uncovered, refuse_undefined
from truerank.analysis.bounds.result import Bounds, Range
from truerank.analysis.bounds.ties import under_ties
from truerank.analysis.bounds.unjudged import grades_to_give, under_judgement
from truerank.analysis.bounds.ways import parts
from truerank.core.errors import InputError, MeasureError
from truerank.core.evaluate import as_one_list, in_mean, opened_under
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import alternatives, message
from truerank.core.qrels import QrelsLike
from truerank.core.reading import Reading, reading_of
from truerank.core.rules import RulesLike
from truerank.core.run import Progress, RunLike, unreported
from truerank.core.schema import is_whole, plain
from truerank.core.vocabulary import measures_under
from truerank.measures import Measure, MeasuresLike

Doubt = Literal["ties", "unjudged"]
"""What could make a score another one."""

SAMPLES = 200


def bounds(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None = None,
    measures: MeasuresLike | None = None,
    of: Doubt | Collection[Doubt] = ("ties", "unjudged"),
    *,
    rules: RulesLike | None = None,
    rerank: int | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = unreported,
) -> Bounds:
    """How far a run's scores could be off: by the order of equal scores, and by unjudged documents.

    Under ties: the worst, the best and the expected value over all orders of equal scores. Under judgement: the
    least and the most, whatever the returned unjudged documents may be; those not returned stay as they are.

    Args:
        qrels, run, measures, rules, threads: as for `evaluate`.
        of: "ties", "unjudged", or both.
        rerank: so many first results of each query count as tied, whatever their scores, and no others: the best
            order is the most that a reranker of these candidates could reach, the expected value is a random one's.
        samples: random orders for queries with too many to count.
        seed: of those.
        progress: called with how many queries are done, and of how many; once for ties and once for judgements.

    Raises:
        TruerankError: wrong input; a measure of aspects, which bounds do not cover.

    >>> import truerank as tr
    >>> found = tr.bounds({"q": {"a": 1}}, {"q": {"a": 1.0, "x": 1.0, "y": 1.0}}, "RR", "ties")
    >>> found.ties["RR"].worst, round(found.ties["RR"].expected_mean, 4), found.ties["RR"].best
    (0.3333333333333333, 0.6111, 1.0)
    >>> tr.bounds({"q": {"a": 1}}, {"q": ["x", "y", "a", "z"]}, "RR", "ties", rerank=3).ties["RR"].best
    1.0
    """
    doubts = tuple(of) if isinstance(of, Iterable) and not isinstance(of, str) else (of,)
    for doubt in doubts:
        if doubt not in get_args(Doubt):
            known = alternatives(get_args(Doubt))
            raise InputError("bounds are of {known}, not of {doubt!r}", known=known, doubt=doubt)
    if not is_whole(samples) or samples < 2 or not is_whole(seed) or seed < 0 or not doubts:
        raise InputError("samples is 2 or more, seed is 0 or more, and of names ties, unjudged or both")
    samples, seed, rerank = plain(samples), plain(seed), plain(rerank)
    if rerank is not None and (not is_whole(rerank) or rerank < 1 or "ties" not in doubts):
        raise InputError("rerank is 1 or more, and about bounds of ties")
    run, under = opened_under(qrels, run, rules)
    chosen = tuple(measures_under(measures, under))
    if not chosen:
        raise MeasureError("no measure is named; leave measures out for the default, or name some: nDCG@10 AP")
    refuse_uncovered(chosen)
    refuse_lines(under)
    is_asked = "unjudged" in doubts
    if is_asked:
        refuse_undefined(under)
    reading = reading_of(qrels, run, under, keep="all" if is_asked else "judged", threads=threads)
    hits = in_mean(reading.hits, under, reading.name)
    hits = hits if rerank is None else as_one_list(hits, under, message("what a reranker could change"))
    pool = Pool.of(reading, chosen) if is_asked else None  # raise before the work, not after it
    shares = parts(len(hits.queries), len(set(doubts)), progress)
    ties = (
        under_ties(hits, chosen, under, rerank=rerank, samples=samples, seed=seed, progress=next(shares))
        if "ties" in doubts
        else {}
    )
    left, open_documents, grades = _unjudged(pool, chosen, threads, next(shares)) if pool else ({}, None, ())
    names = tuple(map(as_text, hits.queries))
    return Bounds(reading.name, names, chosen, under, ties, left, open_documents, grades, samples, seed, rerank)


def _unjudged(
    pool: Pool, measures: tuple[Measure, ...], threads: int | None, progress: Progress
) -> tuple[dict[str, Range], int | None, tuple[float, ...]]:
    ranges = under_judgement(pool, measures, threads, progress)
    return ranges, int(np.count_nonzero(pool.open)), grades_to_give(pool)
