"""Measures of image retrieval and metric learning, whose cutoff follows the query's own judgements."""

from __future__ import annotations

import numpy as np

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.binary import FIRST
from truerank.measures.registry import measure
from truerank.measures.terms import Quantity, Terms, Words, count_of, per_row, relevant


@measure(
    "APatR",
    "map_at_r",
    "mapr",
    "mean_average_precision_at_r",
    formula="Σ_{i≤R} precision at i · rel_i / R",
    source="Musgrave et al., A metric learning reality check, ECCV 2020; pytorch-metric-learning, MAP@R",
    divides_by="relevant",
    monotone="stepped",
)
def average_precision_at_r(hits: Hits, *, level: float = 1) -> Terms:
    """The precision at each relevant document among the first R, over R, the number of relevant documents.

    It is 1 only where the first R results are all relevant; `MAP@R` is read as this.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "MAP@R AP@2 Rprec").mean
    {'APatR': 0.5, 'AP@2': 0.5, 'Rprec': 0.5}
    """
    total, rows = hits.relevant_total(level), hits.relevant(level)
    first = rows.where(rows.rank <= total[rows.query])

    def words() -> Words:
        how = per_row("{} / {}", first.ordinal, first.rank)
        return Words(message("precision at its rank"), how, relevant(total), lost_from=level)

    return Terms(first, first.ordinal / first.rank, total, words)


@measure(
    "Pkq",
    "mP",
    "mpkq",
    formula="Σ_{i≤kq} rel_i / kq, kq = min(k, rank of the last relevant document returned)",
    source="Radenović et al., Revisiting Oxford and Paris, CVPR 2018; evaluate.py of revisitop, mP@k",
    monotone="stepped",
)
def precision_to_last(hits: Hits, *, k: int, level: float = 1) -> Terms:
    """The share of the first k results that is relevant, of a list that ends with its last relevant document.

    What comes after the last relevant document returned costs nothing: the mP@k of Revisited Oxford and Paris.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b", "y"]}, "mP@10 P@10").mean
    {'Pkq@10': 0.6666666666666666, 'P@10': 0.2}
    """
    rows = hits.relevant(level)
    last = rows.last_value(rows.rank).astype(np.int64)
    least = np.minimum(last, k)

    def words() -> Words:
        over = Quantity("kq", message("the smaller of {a} and {b}, the last relevant"), least, (k, last))
        return count_of(FIRST, k, divisor=over)

    return Terms(rows.top(k), None, least, words)
