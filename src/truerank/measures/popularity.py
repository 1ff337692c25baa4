"""Measures of how popular what is listed is: how much used, how new, how far from what everybody is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.discounts import discounted
from truerank.measures.of_run import OfRun
from truerank.measures.parameters import Positive, Share
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, by_value, log2, ratio, total
from truerank.measures.terms import Quantity, Terms, Words, per_row, whole, wholes


def _used(hits: Hits, measure: str, k: int | None) -> tuple[Hits, Floats, Floats]:
    """(the first k rows, how often each item was used, (rows,) how often the document of each was)."""
    assert hits.items is not None
    popularity: Floats = hits.items.needed(measure).needed("popularity")
    rows = hits.top(k)
    item = hits.items.place[rows.doc]
    return rows, popularity, np.append(popularity, 0.0)[np.minimum(item, len(popularity))]


def _listed(rows: Hits) -> Quantity:
    return Quantity("n", message("listed"), rows.count)


@measure(
    "Popularity",
    "average_popularity",
    "AveragePopularity",
    "AvgRecPopularity",
    needs="popularity",
    unit=False,
    monotone="no",
    sees_judged=False,
    formula="Σ_{i≤k} popularity of i / min(k, n)",
    source="Yin et al., Challenging the long tail recommendation, VLDB 2012; RecTools AvgRecPopularity; RecBole",
    lower_is_better=True,
)
def popularity(hits: Hits, *, k: int | None = None) -> Terms:
    """How popular the listed documents are: the mean of how often each was used; less is better.

    One that is not in the table counts as never used.

    >>> import truerank as tr
    >>> items = {"a": {"popularity": 4}, "b": {"popularity": 1}}
    >>> tr.evaluate({"q": {}}, {"q": ["a", "b"]}, "Popularity Popularity@1", items=items).mean
    {'Popularity': 2.5, 'Popularity@1': 4.0}
    """
    rows, _, used = _used(hits, "Popularity", k)

    def words() -> Words:
        return Words(message("how often it was used"), None, _listed(rows), listed=np.ones(len(rows)))

    return Terms(rows, used, rows.count, words)


@measure(
    "Novelty",
    "miuf",
    "mean_inv_user_freq",
    "mean_self_information",
    needs="popularity",
    unit=False,
    monotone="no",
    sees_judged=False,
    formula="Σ_{i≤k} −log2(users of i / users) / min(k, n)",
    source="Zhou et al., PNAS 2010; Castells et al., 2011; RecTools MeanInvUserFreq, recmetrics novelty",
)
def novelty(hits: Hits, *, k: int | None = None, users: int | None = None) -> Terms:
    """How little known the listed documents are: the mean self-information of their popularity, in bits.

    `users` is how many could have used each document; by default the sum of all popularity, for the share of
    all uses. One without any use, or that is not in the table, counts as used once.

    >>> import truerank as tr
    >>> items = {"a": {"popularity": 4}, "b": {"popularity": 1}}
    >>> tr.evaluate({"q": {}}, {"q": ["a", "b"]}, "Novelty(users=4) Novelty(users=4)@1", items=items).mean
    {'Novelty(users=4)': 1.0, 'Novelty(users=4)@1': 0.0}
    """
    rows, popularity, used = _used(hits, "Novelty", k)
    every = total(popularity) if users is None else float(users)
    if users is not None and popularity.max(initial=0) > users:
        raise MeasureError(
            "users={users} is too small: an item has been used by {n}", users=users, n=f"{popularity.max():g}"
        )
    used, every = np.maximum(used, 1.0), max(every, 1.0)
    values = np.maximum(-log2(used / every), 0.0)

    def words() -> Words:
        how = per_row("−log2({} / {})", wholes(used), [whole(every)] * len(rows))
        return Words(message("its self-information"), how, _listed(rows), listed=np.ones(len(rows)))

    return Terms(rows, values, rows.count, words)


@measure(
    "Serendipity",
    needs="popularity",
    monotone="no",
    sees_judged=False,
    formula="Σ_{i≤k} rel_i max(0, p_i − i) / N / min(k, n), p_i the rank of document i of N by popularity",
    source="RecTools Serendipity",
)
def serendipity(hits: Hits, *, k: int | None = None, level: float = 1) -> Terms:
    """How far relevant documents stand above where their popularity would put them, as a share of the catalogue.

    Documents that are used as often have one rank by popularity, the next ones the rank after it. Those that were
    never used, or are not in the table, have rank N + 1, N being the number of items in the table.

    >>> import truerank as tr
    >>> items = {"a": {"popularity": 4}, "b": {"popularity": 2}, "c": {"popularity": 0}, "d": {"popularity": 0}}
    >>> tr.evaluate({"q": {"a": 1, "c": 1}}, {"q": ["a", "c"]}, "Serendipity@2", items=items).mean
    {'Serendipity@2': 0.375}
    """
    rows, popularity, used = _used(hits, "Serendipity", k)
    n, values = len(popularity), np.unique(popularity[popularity > 0])
    usual = np.where(used > 0, len(values) - np.searchsorted(values, used), n + 1)
    relevant = rows.grade >= level
    above = np.where(relevant, np.maximum(usual - rows.rank, 0), 0)

    def words() -> Words:
        how = per_row("max(0, {} − {}) / {}", usual.tolist(), rows.rank.tolist(), [n] * len(rows))
        return Words(
            message("how far it is above its rank by popularity"), how, _listed(rows), listed=relevant.astype(float)
        )

    return Terms(rows, above / max(n, 1), rows.count, words)


@dataclass(frozen=True, eq=False)
class Quotient(OfRun):
    """A sum over the queries divided by another one.

    Attributes:
        got, most: (queries,) what each adds to both.
    """

    got: Floats
    most: Floats

    def at(self, times: Ints) -> float:
        """The value for a sample in which each query is drawn so many times; 0 where there is nothing to sum."""
        there = times > 0
        got, most = (total(values[there] * times[there]) for values in (self.got, self.most))
        return got / most if most else 0.0


@measure(
    "PSP",
    "propensity_scored_precision",
    average="run",
    needs="popularity",
    monotone="no",
    sees_judged=False,
    formula="Σ over queries of Σ_{i≤k} rel_i w_i / Σ of the largest such sums; w = 1 + (ln N − 1) (b + 1)^a / "
    "(n + b)^a, n the popularity",
    source="Jain, Prabhu and Varma, Extreme multi-label loss functions, KDD 2016; pyxclib psprecision",
)
def propensity_scored_precision(
    hits: Hits,
    *,
    k: int | None = None,
    level: float = 1,
    users: int | None = None,
    a: Share = 0.55,
    b: Positive = 1.5,
) -> Quotient:
    """Precision in which documents count more the rarer they are, divided by the largest there could be.

    One number of the run: rare documents are the likelier to be relevant and not known to be. `users` is N, the
    number of training examples, by default the sum of all popularity. A document that is not in the table has none.

    >>> import truerank as tr
    >>> items = {"a": {"popularity": 900}, "b": {"popularity": 10}}
    >>> scores = tr.evaluate({"q": ["a", "b"]}, {"q": ["a", "x", "b"]}, "PSP(users=1000)@1", items=items)
    >>> round(scores.mean["PSP(users=1000)@1"], 4)
    0.3468
    """
    rows, worth, best = _weighted(hits, "PSP", k, level, users, a, b)
    return Quotient(len(hits.queries), rows.sum(worth), best.sum(best.grade))


@measure(
    "PSnDCG",
    "propensity_scored_ndcg",
    average="run",
    needs="popularity",
    monotone="no",
    sees_judged=False,
    formula="Σ over queries of Σ_{i≤k} rel_i w_i / log2(i + 1) / ideal / Σ of the largest such sums; w as of PSP, "
    "ideal = Σ_{i≤min(k, R)} 1 / log2(i + 1)",
    source="Jain, Prabhu and Varma, Extreme multi-label loss functions, KDD 2016; pyxclib psndcg",
)
def propensity_scored_ndcg(
    hits: Hits,
    *,
    k: int | None = None,
    level: float = 1,
    users: int | None = None,
    a: Share = 0.55,
    b: Positive = 1.5,
) -> Quotient:
    """nDCG in which documents count more the rarer they are, divided by the largest there could be.

    One number of the run, for the reason and with the parameters of PSP.

    >>> import truerank as tr
    >>> items = {"a": {"popularity": 900}, "b": {"popularity": 10}}
    >>> scores = tr.evaluate({"q": ["a", "b"]}, {"q": ["a", "x", "b"]}, "PSnDCG(users=1000)@3", items=items)
    >>> round(scores.mean["PSnDCG(users=1000)@3"], 4)
    0.6948
    """
    rows, worth, best = _weighted(hits, "PSnDCG", k, level, users, a, b)
    ideal = best.sum(discounted(best, np.ones(len(best))))
    got, most = (each.sum(discounted(each, of)) for each, of in ((rows, worth), (best, best.grade)))
    return Quotient(len(hits.queries), ratio(got, ideal), ratio(most, ideal))


def _weighted(
    hits: Hits, measure: str, k: int | None, level: float, users: int | None, a: float, b: float
) -> tuple[Hits, Floats, Hits]:
    """(the first k rows, (rows,) the worth of each, the best first k there could be, their worth as grades)."""
    rows, popularity, used = _used(hits, measure, k)
    every = total(popularity) if users is None else float(users)
    scale = max(math.log(max(every, 1.0)) - 1, 0.0) * (b + 1) ** a

    def worth(popularity: Floats) -> Floats:
        return by_value(lambda n: 1 + scale * (n + b) ** -a, popularity)

    assert hits.items is not None
    query, item = hits.items.relevant(hits.queries, level)
    each = worth(np.append(popularity, 0.0)[np.minimum(item, len(popularity))])
    order = np.lexsort((-each, query))
    best = hits.listed(query[order], item[order], each[order]).top(k)
    return rows, np.where(rows.grade >= level, worth(used), 0.0), best
