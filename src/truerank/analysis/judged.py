"""What judges judged: documents of queries, or aspects of these, such as nuggets."""

from __future__ import annotations

from collections.abc import Iterable

from truerank.core.qrels import Qrels
from truerank.measures.sums import Floats

Key = tuple[bytes, ...]
"""Query and document, and the aspect where these are judged."""


def are_aspects(several: Iterable[Qrels]) -> bool:
    """Whether aspects were judged by all of them, and not documents alone."""
    return all(one.aspects is not None for one in several)


def keys(qrels: Qrels, is_by_aspect: bool) -> list[Key]:
    """(judgements,) the query and the document of each, and by aspect also the aspect that it is of.

    >>> keys(Qrels.from_dict({"q": {"a": {"born": 1, "died": 0}}}), True)
    [(b'q', b'a', b'born'), (b'q', b'a', b'died')]
    """
    pairs = list(zip([qrels.queries[q] for q in qrels.query.tolist()], qrels.docs(), strict=True))
    known = qrels.aspects
    if known is None or not is_by_aspect:
        return list(pairs)
    return [(*pairs[of], known.names[at]) for of, at in zip(known.of.tolist(), known.aspect.tolist(), strict=True)]


def grades(qrels: Qrels, is_by_aspect: bool) -> Floats:
    """(judgements,) the grade of each; below 0, or NaN, where it is none."""
    return qrels.aspects.grade if is_by_aspect and qrels.aspects is not None else qrels.grades
