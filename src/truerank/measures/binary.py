"""Measures that know only relevant and not relevant."""

from __future__ import annotations

from typing import Literal

import numpy as np

from truerank.hits import Hits
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery, ratio


@measure("P", "precision", formula="Σ_{i≤k} rel_i / k")
def precision(hits: Hits, *, k: int, level: float = 1) -> PerQuery:
    """The share of the first k results that is relevant; a short list is not excused.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": {"a": 3.0, "x": 2.0}}, "P@5")["P@5"].tolist()
    [0.2]
    """
    return ratio(hits.top(k).relevant(level).count, k)


@measure("R", "recall", relative_P={"capped": True}, formula="Σ_{i≤k} rel_i / R")
def recall(hits: Hits, *, k: int, level: float = 1, capped: bool = False) -> PerQuery:
    """The share of the relevant documents that is among the first k results.

    `capped` divides by min(R, k), so that k results can reach 1.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0}}, "R@1 R(capped=True)@1").mean
    {'R@1': 0.5, 'R(capped=True)@1': 1.0}
    """
    total = hits.relevant_total(level)
    return ratio(hits.top(k).relevant(level).count, np.minimum(total, k) if capped else total)


@measure("RR", "mrr", "recip_rank", formula="1 / rank of the first relevant document")
def reciprocal_rank(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """How soon the first relevant document comes: 1 at rank 1, 1/2 at rank 2, 0 when none comes.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0}}, "RR")["RR"].tolist()
    [0.5]
    """
    found = hits.top(k).relevant(level)
    return found.sum(np.where(found.ordinal == 1, 1 / found.rank, 0.0))


@measure("AP", "map", "map_cut", formula="Σ precision at each relevant rank / R")
def average_precision(
    hits: Hits,
    *,
    k: int | None = None,
    level: float = 1,
    divisor: Literal["relevant", "capped", "hits"] = "relevant",
) -> PerQuery:
    """The mean of the precision at each relevant document; one never found counts 0.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "AP")["AP"].tolist()
    [0.8333333333333333]
    """
    found = hits.relevant(level).top(k)
    total = hits.relevant_total(level)
    if divisor == "capped" and k is not None:
        total = np.minimum(total, k)
    return ratio(found.sum(found.ordinal / found.rank), found.count if divisor == "hits" else total)
