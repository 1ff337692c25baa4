"""Vectors: embeddings, or a ready matrix, evaluated without sorting and without holding all scores.

The scores of a block of queries come from one product; the rank of an entry that is right is then 1 + the number of
better scores. Entries that do not count (the same person seen by the same camera) are gone before ranks exist.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from truerank.core.hits import Hits
from truerank.core.qrels import QrelsLike
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Progress, unreported
from truerank.core.scores import Scores
from truerank.formats import convert, read_qrels
from truerank.measures import MeasuresLike
from truerank.vectors import blocks
from truerank.vectors.blocks import Holds, Metric
from truerank.vectors.pooling import Pool, pooled
from truerank.vectors.protocol import chosen
from truerank.vectors.retrieval import Retrieval
from truerank.vectors.saving import DEPTH, FirstResults
from truerank.vectors.sides import Given
from truerank.vectors.source import BlockSource

__all__ = ["evaluate_matrix", "evaluate_vectors", "rank_matrix", "rank_vectors"]

Measures = MeasuresLike | None


def evaluate_vectors(
    query_vectors: Any,
    gallery_vectors: Any = None,
    query_labels: Any = None,
    gallery_labels: Any = None,
    query_cameras: Any = None,
    gallery_cameras: Any = None,
    *,
    qrels: QrelsLike | None = None,
    query_ids: Any = None,
    gallery_ids: Any = None,
    measures: Measures = None,
    rules: RulesLike | None = "market1501",
    metric: Metric = "cosine",
    pool: Pool | None = None,
    as_written: bool = False,
    name: str = "vectors",
    progress: Progress = unreported,
    save_run: str | os.PathLike[str] | None = None,
    save_depth: int = DEPTH,
) -> Scores:
    """How well vectors find the entries of a gallery that show the same identity.

    Args:
        query_vectors, gallery_vectors: (entries, numbers), of NumPy or torch, or a DataFrame's column of vectors;
            without a gallery the queries are searched among themselves, and none finds itself. (tracklets, frames,
            numbers) need `pool`.
        query_labels, gallery_labels: the identity on each entry; or (entries, labels) of 0 and 1, where what shares
            a label is right, its grade the number of shared ones.
        query_cameras, gallery_cameras: which camera saw it; the same identity seen by the same camera is ignored.
        qrels: what is right for each id, instead of labels.
        query_ids, gallery_ids: what the entries are called; their places if not given.
        measures: names such as "cmc@1 mAP mINP"; by default those of the rules.
        rules: "market1501", "cuhk03", "university1652", or as for `truerank.evaluate`; they say which identities
            are junk or distractors, whether the same camera counts, and how many random galleries there are.
        metric: "cosine", "dot" or "euclidean".
        pool: "mean" or "max" over the frames of a tracklet.
        as_written: columns are headed by the names as they were asked for, not by what they became.
        name: what to call it in tables.
        progress: called with how many queries are ranked, and of how many.
        save_run: a file to write each judged query's first results to, `save_depth` of them; what is ignored is
            not among them.

    Raises:
        TruerankError: wrong input; the message says what and where.

    >>> people = [[1.0, 0.0], [0.0, 1.0]], [[0.9, 0.1], [0.8, 0.3], [0.2, 0.9]]
    >>> evaluate_vectors(*people, [1, 2], [1, 2, 2], measures="cmc@1 mAP mINP").mean
    {'Success@1': 1.0, 'AP': 1.0, 'mINP': 1.0}
    """
    under = Rules.of(rules)
    source = _products(query_vectors, gallery_vectors, metric, under, pool)
    given = Given(query_labels, gallery_labels, query_cameras, gallery_cameras, query_ids, gallery_ids)
    retrieval = _retrieval(source, given, under, qrels, is_self=gallery_vectors is None)
    scores = _scores(retrieval, measures, name, progress, save_run, save_depth)
    return replace(scores, as_written=as_written)


def rank_vectors(
    query_vectors: Any,
    gallery_vectors: Any = None,
    query_labels: Any = None,
    gallery_labels: Any = None,
    query_cameras: Any = None,
    gallery_cameras: Any = None,
    *,
    qrels: QrelsLike | None = None,
    query_ids: Any = None,
    gallery_ids: Any = None,
    rules: RulesLike | None = "market1501",
    metric: Metric = "cosine",
    pool: Pool | None = None,
    progress: Progress = unreported,
) -> Hits:
    """Where the right entries were returned. Arguments as for `evaluate_vectors`.

    >>> rank_vectors([[1.0, 0.0]], [[0.9, 0.1], [0.8, 0.3], [0.2, 0.9]], [2], [1, 2, 2]).rank.tolist()
    [2, 3]
    """
    under = Rules.of(rules)
    source = _products(query_vectors, gallery_vectors, metric, under, pool)
    given = Given(query_labels, gallery_labels, query_cameras, gallery_cameras, query_ids, gallery_ids)
    return _retrieval(source, given, under, qrels, is_self=gallery_vectors is None).hits(progress)


def evaluate_matrix(
    matrix: Any,
    query_labels: Any = None,
    gallery_labels: Any = None,
    query_cameras: Any = None,
    gallery_cameras: Any = None,
    *,
    holds: Holds,
    qrels: QrelsLike | None = None,
    query_ids: Any = None,
    gallery_ids: Any = None,
    measures: Measures = None,
    rules: RulesLike | None = "market1501",
    as_written: bool = False,
    name: str = "matrix",
    progress: Progress = unreported,
    save_run: str | os.PathLike[str] | None = None,
    save_depth: int = DEPTH,
) -> Scores:
    """How well a ready matrix of distances or similarities ranks a gallery for each query.

    Args:
        matrix: (queries, gallery); may be mapped from a file, and is read a few rows at a time.
        holds: "distances" (less is better) or "similarities" (more is better).

    The others are those of `evaluate_vectors`. Without the gallery's labels or ids, the queries are the gallery.

    >>> evaluate_matrix([[0.1, 0.2, 0.9]], [2], [1, 2, 2], holds="distances", measures="RR mAP").mean
    {'RR': 0.5, 'AP': 0.5833333333333333}
    """
    given = Given(query_labels, gallery_labels, query_cameras, gallery_cameras, query_ids, gallery_ids)
    retrieval = _of_matrix(matrix, holds, given, Rules.of(rules), qrels)
    scores = _scores(retrieval, measures, name, progress, save_run, save_depth)
    return replace(scores, as_written=as_written)


def rank_matrix(
    matrix: Any,
    query_labels: Any = None,
    gallery_labels: Any = None,
    query_cameras: Any = None,
    gallery_cameras: Any = None,
    *,
    holds: Holds,
    qrels: QrelsLike | None = None,
    query_ids: Any = None,
    gallery_ids: Any = None,
    rules: RulesLike | None = "market1501",
    progress: Progress = unreported,
) -> Hits:
    """Where the right entries were returned. Arguments as for `evaluate_matrix`."""
    given = Given(query_labels, gallery_labels, query_cameras, gallery_cameras, query_ids, gallery_ids)
    retrieval = _of_matrix(matrix, holds, given, Rules.of(rules), qrels)
    return retrieval.hits(progress)


def _products(queries: Any, gallery: Any, metric: str, rules: Rules, pool: Pool | None) -> BlockSource:
    is_self = gallery is None
    queries, gallery = pooled(queries, queries if is_self else gallery, pool)
    source = blocks.vectors(queries, gallery, metric, single=rules.score_precision == "single")
    return replace(source, name=f"{source.name}, {pool} over frames") if pool else source


def _of_matrix(matrix: Any, holds: Holds, given: Given, rules: Rules, qrels: QrelsLike | None) -> Retrieval:
    """Where nothing is known of a gallery of its own, the queries are the gallery."""
    source = blocks.matrix(matrix, holds, single=rules.score_precision == "single")
    is_self = given.gallery_labels is None and given.gallery_ids is None
    return _retrieval(source, given, rules, qrels, is_self=is_self)


def _retrieval(
    source: BlockSource, given: Given, rules: Rules, qrels: QrelsLike | None, *, is_self: bool
) -> Retrieval:
    judged = None if qrels is None else read_qrels(qrels)
    return Retrieval.of(source, given, rules, judged, is_self=is_self)


def _scores(
    retrieval: Retrieval,
    measures: Measures,
    name: str,
    progress: Progress,
    save_run: str | os.PathLike[str] | None,
    save_depth: int,
) -> Scores:
    wanted = chosen(measures, retrieval.rules, retrieval.source.shape[1])
    first = None if save_run is None else FirstResults(save_depth)
    scores = retrieval.scores(wanted, name, progress, first)
    if first is not None and save_run is not None:
        convert(first.run(retrieval.queries, retrieval.gallery, name), save_run, what="run")
    return scores
