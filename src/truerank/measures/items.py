"""Measures of what is listed, judged or not: how much of a catalogue, how evenly, how different."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from truerank.core.errors import InputError, MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.measures.of_run import OfRun
from truerank.measures.registry import measure
from truerank.measures.sums import Floats, Ints, log2, total
from truerank.measures.terms import Quantity, Terms, Words

L = TypeVar("L", bound="Listings")


@dataclass(frozen=True, eq=False)
class Listings(OfRun):
    """Which items were listed for which query.

    Attributes:
        query: (rows,)
        item: (rows,) its number.
        size: of the catalogue; rows of documents that are not in it are left out.
    """

    is_drawn = False

    query: Ints
    item: Ints
    size: int

    @classmethod
    def of(cls: type[L], hits: Hits, measure: str, docs: int | None) -> L:
        """The listings of hits; `docs` is the size of the catalogue where there is no table of it."""
        assert hits.items is not None
        items, catalogue = hits.items.place[hits.doc], hits.items.catalogue
        if catalogue is None and docs is None:
            raise MeasureError(
                "{measure} needs the catalogue: its documents (items=…, --items FILE), or their number: "
                "{measure}(docs=10000)",
                measure=measure,
            )
        if catalogue is not None and docs is None:
            known = items < len(catalogue)
            return cls(len(hits.queries), hits.query[known], items[known], len(catalogue))
        _, items = np.unique(items, return_inverse=True)
        n = int(items.max(initial=-1)) + 1
        if docs is not None and n > docs:
            raise MeasureError(
                "docs={docs} is too small for {measure}: {n} different documents are listed",
                docs=docs,
                measure=measure,
                n=n,
            )
        return cls(len(hits.queries), hits.query, items, docs or n)

    def counts(self, times: Ints) -> Ints:
        """(listed,) how often each item that is listed is; a catalogue may be too large to have a row an item."""
        counts = np.bincount(np.repeat(self.item, times[self.query]))
        return counts[counts > 0]


@dataclass(frozen=True, eq=False)
class Covered(Listings):
    """The share of the catalogue that is listed at all."""

    def at(self, times: Ints) -> float:
        """The value for a sample in which each query is drawn so many times."""
        return len(self.counts(times)) / self.size


@dataclass(frozen=True, eq=False)
class Unequal(Listings):
    """The Gini index of how often each item is listed."""

    def at(self, times: Ints) -> float:
        """The value for a sample in which each query is drawn so many times; 0 where nothing is listed."""
        counts = np.sort(self.counts(times))
        n, listed = len(counts), int(counts.sum())
        place = 2 * int((np.arange(1, n + 1) * counts).sum()) + (self.size - 2 * n - 1) * listed
        return place / (self.size * listed) if listed else 0.0


@dataclass(frozen=True, eq=False)
class Spread(Listings):
    """The entropy of how often each item is listed."""

    def at(self, times: Ints) -> float:
        """The value for a sample in which each query is drawn so many times; 0 where nothing is listed."""
        counts = np.sort(self.counts(times))  # documents come in any order, by which the sum would differ
        shares = counts / max(counts.sum(), 1)
        return max(0.0, -total(shares * log2(shares)))


@measure(
    "Coverage",
    "catalog_coverage",
    "catalogue_coverage",
    "item_coverage",
    "prediction_coverage",
    average="run",
    needs="catalogue",
    monotone="no",
    sees_judged=False,
    formula="|documents among the first k of some query| / |catalogue|",
    source="Ge et al., Beyond accuracy: coverage and serendipity, RecSys 2010",
)
def coverage(hits: Hits, *, k: int | None = None, docs: int | None = None) -> Covered:
    """The share of the catalogue that is listed for some query, judged or not.

    One number of the run. The catalogue is a table of items, or has as many documents as `docs` says.

    >>> import truerank as tr
    >>> run = {"q": ["a", "b"], "r": ["b"]}
    >>> tr.evaluate({"q": {}, "r": {}}, run, "Coverage Coverage@1", items=["a", "b", "c", "d"]).mean
    {'Coverage': 0.5, 'Coverage@1': 0.5}
    """
    return Covered.of(hits.top(k), "Coverage", docs)


@measure(
    "Gini",
    "gini_index",
    average="run",
    needs="catalogue",
    monotone="no",
    sees_judged=False,
    formula="Σ_i (2i − n − 1) c_i / (n Σ c), c_i the i-th smallest number of lists that a document of n is in",
    source="Gini, 1912; Fleder and Hosanagar, Blockbuster culture's next rise or fall, 2009; RecBole",
    lower_is_better=True,
)
def gini(hits: Hits, *, k: int | None = None, docs: int | None = None) -> Unequal:
    """How unequally the catalogue is listed: 0 where all are as often, near 1 for one alone; less is better.

    One number of the run. Documents of the catalogue that nobody is shown count 0 times.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {}, "r": {}}, {"q": ["a", "b"], "r": ["b"]}, "Gini", items=["a", "b", "c", "d"]).mean
    {'Gini': 0.5833333333333334}
    """
    return Unequal.of(hits.top(k), "Gini", docs)


@measure(
    "Entropy",
    "shannon_entropy",
    "distributional_coverage",
    average="run",
    needs="ids",
    unit=False,
    monotone="no",
    sees_judged=False,
    formula="−Σ_i p_i log2 p_i, p_i the share of all places among the first k that document i has",
    source="Shani and Gunawardana, Evaluating recommendation systems, 2010; recommenders distributional_coverage",
)
def entropy(hits: Hits, *, k: int | None = None) -> Spread:
    """How evenly the listed documents share the places of all lists: their Shannon entropy, in bits.

    One number of the run: 0 where one document alone is listed, log2(n) where n are as often. Where a table of
    items is given, documents that are not in it are left out. In nats it is ln 2 times as much.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {}, "r": {}}, {"q": ["a", "b"], "r": ["c", "d"]}, "Entropy Entropy@1").mean
    {'Entropy': 2.0, 'Entropy@1': 1.0}
    """
    listed, items = hits.top(k), hits.items
    assert items is not None
    every = None if items.catalogue is not None else len(listed)
    return Spread.of(listed, "Entropy", every)


@measure(
    "ILD",
    "intra_list_diversity",
    "diversity",
    needs="vectors",
    unit=False,
    monotone="no",
    sees_judged=False,
    formula="Σ_{i<j≤k} distance(i, j) / (n (n − 1) / 2)",
    source="Smyth and McClave, ICCBR 2001; Ziegler et al., WWW 2005; RecTools IntraListDiversity",
    meanings={
        "distance=jaccard": "How different the groups of the listed documents are: the mean over their pairs."
    },
)
def intra_list_diversity(
    hits: Hits, *, k: int | None = None, distance: Literal["cosine", "hamming", "jaccard"] = "cosine"
) -> Terms:
    """How different the listed documents are from one another: the mean distance of their pairs.

    "cosine" is 1 less the cosine of two vectors, "hamming" in how many numbers they differ, "jaccard" 1 less the
    share of groups that both have. Documents without a vector or group are left out; fewer than two score 0.

    >>> import truerank as tr
    >>> items = {"a": {"vector": [1, 0]}, "b": {"vector": [0, 1]}, "c": {"vector": [1, 0]}}
    >>> tr.evaluate({"q": {}}, {"q": ["a", "b", "c"]}, "ILD ILD(distance='hamming')@2", items=items).mean
    {'ILD': 0.6666666666666666, "ILD(distance='hamming')@2": 2.0}
    """
    assert hits.items is not None
    catalogue = hits.items.needed("ILD")
    if distance != "jaccard" and catalogue.vectors is None and catalogue.groups is not None:
        raise InputError(
            "the table of items has groups and no vectors: ILD(distance='jaccard') compares groups", catalogue.name
        )
    features = catalogue.members if distance == "jaccard" else catalogue.needed("vectors")
    known = np.any(features if distance == "jaccard" else ~np.isnan(features), axis=1)
    rows = hits.top(k)
    item = hits.items.place[rows.doc]
    rows = rows.where(np.append(known, False)[np.minimum(item, len(known))])
    if distance == "cosine":
        exponent = np.frexp(np.abs(features).max(axis=1, keepdims=True, initial=0))[1]
        features = np.ldexp(features, -exponent)  # by powers of two, which changes no bit: no square overflows
        length = np.sqrt((features * features).sum(axis=1, keepdims=True))
        features = np.divide(features, length, out=np.zeros_like(features), where=length > 0)
    item, ends = hits.items.place[rows.doc], np.cumsum(rows.count)
    below, pairs = ends[rows.query] - np.arange(1, len(rows) + 1), rows.count * (rows.count - 1) // 2
    values = np.zeros(len(rows))
    for start, end in zip((ends - rows.count).tolist(), ends.tolist(), strict=True):
        listed = features[item[start:end]]
        for place in range(len(listed) - 1):
            values[start + place] = total(_apart(listed[place], listed[place + 1 :], distance))

    def how(row: int) -> tuple[str, tuple[float, ...]]:
        listed = features[item[row : row + 1 + below[row]]]
        each = _apart(listed[0], listed[1:], distance)
        told = ["{}"] * min(len(each), FEW) + ["…"] * (len(each) > FEW)
        return " + ".join(told), tuple(each[:FEW].tolist())

    def words() -> Words:
        number = Quantity("n", message("listed, of which something is known to compare"), rows.count)
        divisor = Quantity("pairs", "{} × {} / 2", pairs, (rows.count, np.maximum(rows.count - 1, 0)), (number,))
        return Words(message("its distance to each below it"), how, divisor, listed=below.astype(np.float64))

    return Terms(rows, values, pairs, words)


FEW = 4
"""How many distances of a document an explanation names."""


def _apart(one: Floats, others: Floats, distance: str) -> Floats:
    """(others,) how far each is from one."""
    if distance == "hamming":
        differing: Floats = (others != one).sum(axis=1).astype(np.float64)
        return differing
    both: Floats = (others * one).sum(axis=1)
    either = 1.0 if distance == "cosine" else others.sum(axis=1) + one.sum() - both
    return 1.0 - both / either
