"""Measures of fairness: how readers' attention is shared among groups of documents, judged or not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from truerank.core.hits import Bools, Hits
from truerank.measures.discounts import weights
from truerank.measures.of_run import OfRun
from truerank.measures.parameters import Discount, Share, Shares
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, PerQuery, logarithm, ratio


@measure(
    "AWRF",
    "attention_weighted_rank_fairness",
    needs="groups",
    monotone="no",
    sees_judged=False,
    formula="1 − JS(share of attention that each group has among the first k, target)",
    source="Sapiezynski et al., FATES at WWW 2019; Ekstrand et al., TREC Fair Ranking 2021 and 2022",
)
def rank_fairness(
    hits: Hits,
    *,
    k: int | None = None,
    level: float = 1,
    target: Literal["catalogue", "equal"] | Shares = "catalogue",
    relevant: Share = 0.5,
    attention: Discount = "jk",
    bits: bool = False,
) -> PerQuery:
    """How near the attention that groups of documents get in a list is to their target: 1 if it is the same.

    `relevant` is how much of the target is the groups of the query's relevant documents; the rest is that of the
    catalogue, equal, or {group: share}. Attention is 1 / log2(rank), at most 1, as in TREC. Documents without a
    group are left out, one of several counts for each. The worst is 1 − ln 2, in bits 0; without groups it is 0.

    >>> import truerank as tr
    >>> items = {"a": {"group": "x"}, "b": {"group": "y"}}
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, "AWRF(target='equal', relevant=0)", items=items).mean
    {"AWRF(target='equal', relevant=0)": 1.0}
    """
    return Attention.of(hits, k, level, target, relevant, attention).fairness(bits)


@dataclass(frozen=True, eq=False)
class Attention:
    """Which attention groups of documents get in a list, and which they should.

    Attributes:
        rows: the documents that are looked at.
        members: (rows, groups) 1 where one is of a group.
        weight: (rows,) the attention that each gets.
        names: the groups, those that only the target names last.
        got, wanted: (queries, groups) the share of each group.
    """

    rows: Hits
    members: Floats
    weight: Floats
    names: tuple[str, ...]
    got: Floats
    wanted: Floats

    @classmethod
    def of(
        cls,
        hits: Hits,
        k: int | None,
        level: float,
        target: Literal["catalogue", "equal"] | Mapping[str, float],
        relevant: float,
        attention: Any,
    ) -> Attention:
        """The attention that the first k results give; the parameters are those of AWRF."""
        known, members = _members(hits, "AWRF")
        more = [name for name in target if name not in known] if isinstance(target, Mapping) else []
        names = (*known, *more)
        wanted = _targets(hits, members, names, target, relevant, level)
        rows = hits.top(k)
        own = _of_documents(rows, members)
        weight = weights(rows.rank, attention, 2)
        got = np.zeros(wanted.shape)
        got[:, : own.shape[1]] = _summed(rows, own * weight[:, None])
        return cls(rows, own, weight, names, _shares(got), wanted)

    @property
    def is_there(self) -> Bools:
        """(queries,) whether some group gets attention, and some should."""
        there: Bools = (self.got.sum(axis=1) > 0) & (self.wanted.sum(axis=1) > 0)
        return there

    @cached_property
    def divergence(self) -> Floats:
        """(queries, groups) what each adds to the Jensen-Shannon divergence of the two, in nats."""
        middle = (self.got + self.wanted) / 2
        return (_surprise(self.got, middle) + _surprise(self.wanted, middle)) / 2

    def fairness(self, bits: bool) -> PerQuery:
        """(queries,) 1 less the divergence."""
        apart = _total(self.divergence) / (math.log(2) if bits else 1.0)
        return np.where(self.is_there, 1.0 - apart, 0.0).clip(0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Exposed(OfRun):
    """How much attention groups of documents get, and how much they deserve.

    Attributes:
        got: (queries, groups)
        merits: (queries, groups) as far as they come from a query.
        fixed: (groups,) those that do not.
    """

    got: Floats
    merits: Floats
    fixed: Floats

    def at(self, times: Ints) -> float:
        """The least attention per merit of a group, divided by the most; groups that deserve none are left out."""
        got, merits = (_weighed(values, times) for values in (self.got, self.merits))
        merits = merits + self.fixed
        deserving = merits > 0
        of_each = got[deserving] / merits[deserving]
        return float(of_each.min() / of_each.max()) if of_each.any() else 0.0


@measure(
    "Exposure",
    "group_exposure",
    average="run",
    needs="groups",
    monotone="no",
    sees_judged=False,
    formula="min / max over groups of Σ over queries of the attention that a group has among the first k / its "
    "documents; merit=relevant: / Σ over queries of its relevant ones",
    source="Singh and Joachims, Fairness of exposure in rankings, KDD 2018; FairRankTune EXP, EXPU (MinMaxRatio)",
    meanings={
        "merit=relevant": "How evenly groups get attention for relevant documents: the least divided by the most."
    },
)
def exposure(
    hits: Hits,
    *,
    k: int | None = None,
    level: float = 1,
    merit: Literal["documents", "relevant"] = "documents",
    attention: Discount = "log2",
) -> Exposed:
    """How evenly groups get readers' attention: what a document of the least seen has, divided by that of the most.

    One number of the run: 1 if all have the same, 0 if one has none. Attention is 1 / log2(rank + 1); that of a
    group is divided by how many documents it has in the table, or, with `merit="relevant"`, by how often one is
    relevant, and groups without any are left out. A document of several groups counts for each.

    >>> import truerank as tr
    >>> items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "y"}}
    >>> qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a", "b"], "r": ["c", "a"]}
    >>> tr.evaluate(qrels, run, "Exposure", items=items).mean
    {'Exposure': 0.5}
    """
    _, members = _members(hits, "Exposure")
    rows, none = hits.top(k), np.zeros(members.shape[1])
    got = _summed(rows, _of_documents(rows, members) * weights(rows.rank, attention, 2)[:, None])
    if merit == "relevant":
        return Exposed(len(hits.queries), got, _relevant(hits, members, level), none)
    return Exposed(len(hits.queries), got, np.zeros(got.shape), members.sum(axis=0))


def _weighed(values: Floats, times: Ints) -> Floats:
    """(groups,) the sum over the queries, from the first on."""
    there = times > 0
    return _total((values[there] * times[there, None]).T)


def _targets(
    hits: Hits,
    members: Floats,
    names: tuple[str, ...],
    target: str | Mapping[str, float],
    relevant: float,
    level: float,
) -> Floats:
    """(queries, groups) the share that each group should have; groups that only the target names come last."""
    rest = np.ones(len(names)) if target == "equal" else members.sum(axis=0)
    if isinstance(target, Mapping):
        rest = np.array([target.get(name, 0.0) for name in names], np.float64)
    own = np.zeros((len(hits.queries), len(rest)))
    own[:, : members.shape[1]] = _relevant(hits, members, level)
    own, rest = _shares(own), _shares(rest[None, :])
    has = own.sum(axis=1, keepdims=True) > 0
    return _shares(np.where(has, relevant, 0.0) * own + (1 - relevant) * rest)


def _members(hits: Hits, measure: str) -> tuple[tuple[str, ...], Floats]:
    """The groups, and (items + 1, groups) 1 where an item is of one; the last row is of what is no item."""
    assert hits.items is not None
    catalogue = hits.items.needed(measure)
    names = catalogue.group_names
    return names, np.vstack([catalogue.members, np.zeros((1, len(names)))])


def _of_documents(rows: Hits, members: Floats) -> Floats:
    """(rows, groups) 1 where the document of a row is of a group."""
    assert rows.items is not None
    found: Floats = members[np.minimum(rows.items.place[rows.doc], len(members) - 1)]
    return found


def _summed(rows: Hits, values: Floats) -> Floats:
    """(queries, groups) the sums of (rows, groups)."""
    return np.array([rows.sum(column) for column in values.T]).reshape(values.shape[1], len(rows.queries)).T


def _relevant(hits: Hits, members: Floats, level: float) -> Floats:
    """(queries, groups) how many relevant documents each has of a group."""
    assert hits.items is not None
    query, item = hits.items.relevant(hits.queries, level)
    found = np.zeros((len(hits.queries), members.shape[1]))
    np.add.at(found, query, members[np.minimum(item, len(members) - 1)])
    return found


def _shares(values: Floats) -> Floats:
    """Each row divided by its sum."""
    return ratio(values, np.broadcast_to(_total(values)[:, None], values.shape))


def _total(values: Floats) -> Floats:
    """(rows,) the sum of each, from left to right."""
    return np.add.accumulate(values, axis=1)[:, -1] if values.shape[1] else np.zeros(len(values))


def _surprise(shares: Floats, middle: Floats) -> Floats:
    """Each share times the logarithm of how much more it is than the middle."""
    more = ratio(shares, middle)
    is_there: Bools = more > 0
    out = np.zeros(shares.shape)
    out[is_there] = shares[is_there] * logarithm(more[is_there])
    return out
