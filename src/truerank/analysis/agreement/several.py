"""Many runs without any judgements: how much every two of them agree."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from truerank import stats
from truerank.analysis.agreement.pair import Asked, Lists, coefficients
from truerank.analysis.compare.naming import by_name, opened
from truerank.core.errors import InputError
from truerank.core.evaluate import rules_of
from truerank.core.ids import starts_of
from truerank.core.kernel.counting import concordance
from truerank.core.messages import plural
from truerank.core.presented import Presented, finite
from truerank.core.reading import Reading, loaded
from truerank.core.rules import RulesLike
from truerank.core.run import Progress, RunLike, unreported
from truerank.measures.sums import Floats, Ints
from truerank.stats.rbo_pair import Ties, Unseen

Coefficient = Literal["rbo", "tau", "tau_ap", "overlap"]
COEFFICIENTS = get_args(Coefficient)


@dataclass(frozen=True, eq=False, repr=False)
class Agreements(Presented):
    """How much every two of many runs agree, each pair on the queries that both answer.

    Attributes:
        systems: the names of the runs, as they were given.
        answered: (systems,) how many queries each answers.
        queries: (systems, systems) how many both answer.
        rbo, tau, tau_ap, overlap: (systems, systems) the means of `Agreement`'s coefficients; NaN on the diagonal,
            and where no query is known.
        order: the systems with those that agree side by side, by rank-biased overlap.
        p, depth, k, ties, unseen: as in `Agreement`.

    >>> import truerank as tr
    >>> lists = {"a": ["x", "y", "z"], "b": ["y", "x", "z"], "c": ["u", "v", "z"]}
    >>> found = tr.agreements({name: {"q": docs} for name, docs in lists.items()}, k=2)
    >>> found.overlap.tolist()[0][1:], found.tau[0, 1].round(4).tolist()
    ([1.0, 0.0], 0.3333)
    """

    built_by = "agreement_matrix"

    systems: tuple[str, ...]
    answered: Ints
    queries: Ints
    rbo: Floats
    tau: Floats
    tau_ap: Floats
    overlap: Floats
    p: float
    depth: int | None
    k: int
    ties: Ties | None
    unseen: Unseen

    def _summary(self) -> str:
        one, other = self.extremes("rbo")[-1]
        return (
            f"Agreements({len(self.systems):,} runs; most alike: {self.systems[one]} and {self.systems[other]}, "
            f"RBO {self.rbo[one, other]:.4f})"
        )

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The systems, with those that agree side by side."""
        return tuple(self.systems[i] for i in self.places)

    @cached_property
    def places(self) -> list[int]:
        """`order` by the places of the systems."""
        likeness = np.where(np.isnan(self.rbo), 0.0, self.rbo)
        np.fill_diagonal(likeness, 1.0)
        return [int(i) for i in stats.alike_together(np.maximum(likeness, 0.0))]

    def extremes(self, coefficient: Coefficient) -> list[tuple[int, int]]:
        """All pairs for which a coefficient is known, those that agree least first."""
        values = getattr(self, coefficient)
        pairs = [
            pair for pair in itertools.combinations(range(len(self.systems)), 2) if values[pair] == values[pair]
        ]
        return sorted(pairs, key=lambda pair: float(values[pair])) or [(0, 1)]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row per pair; None for what is not known."""
        for i, j in itertools.combinations(range(len(self.systems)), 2):
            values = {name: finite(float(getattr(self, name)[i, j])) for name in COEFFICIENTS}
            yield {"run_a": self.systems[i], "run_b": self.systems[j], "queries": int(self.queries[i, j]), **values}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for what is not known."""
        return {
            "p": self.p,
            "depth": self.depth,
            "k": self.k,
            "ties": self.ties,
            "unseen": self.unseen,
            "systems": dict(zip(self.systems, self.answered.tolist(), strict=True)),
            "order": list(self.order),
            "pairs": list(self.rows()),
        }


def agreements(
    runs: Mapping[str, RunLike | Reading] | Iterable[RunLike | Reading],
    *,
    p: float = 0.9,
    depth: int | None = None,
    k: int = 10,
    ties: Ties | None = None,
    unseen: Unseen = "ext",
    rules: RulesLike | None = None,
    progress: Progress = unreported,
) -> Agreements:
    """Which of many runs return the same documents in the same order? `agreement` of every two, without judgements.

    Args:
        runs: two or more, {name: run} or a list; each as for `agreement`.
        p, depth, k, ties, unseen, rules: as for `agreement`. Ties take long: each pair of lists by itself.
        progress: called with how many queries are done, and of how many.

    Raises:
        TruerankError: wrong input, fewer than two runs, or no query that any two of them answer.
    """
    named = by_name(runs)
    if len(named) < 2:
        raise InputError(
            plural(
                "{n} run: nothing to agree with; give two or more",
                "{n} runs: nothing to agree with; give two or more",
                n=len(named),
            )
        )
    found = [loaded(opened(run, name)) for name, run in named.items()]
    asked = Asked.of(rules_of(rules, *found), p, depth, k, ties, unseen)
    numbers: dict[bytes, dict[bytes, int]] = {}
    tables = [_Numbered.of(asked.lists(run), numbers, asked.ties is not None) for run in found]
    work = _Work(asked, tables)
    for done, (query, docs) in enumerate(sorted(numbers.items()), 1):
        work.add(query, len(docs))
        progress(done, len(numbers))
    if not np.triu(work.queries, 1).any():
        raise InputError("no two of these runs answer the same query: {runs}", runs=", ".join(named))
    rbo, tau, tau_ap, overlap = work.means()
    return Agreements(
        tuple(named),
        np.array([len(table.lists) for table in tables]),
        work.queries,
        rbo,
        tau,
        tau_ap,
        overlap,
        asked.p,
        asked.cut,
        asked.k,
        ties,
        unseen,
    )


@dataclass(frozen=True, eq=False)
class _Numbered:
    """A run with a number for each document, the same in all runs.

    Attributes:
        lists: {query: its documents, best first, and, if ties matter, where each one's group of equals begins}.
    """

    lists: Mapping[bytes, tuple[Ints, Ints | None]]

    @classmethod
    def of(cls, lists: Lists, numbers: dict[bytes, dict[bytes, int]], has_ties: bool) -> _Numbered:
        """The lists of a run; documents without a number get one."""
        firsts: Sequence[Ints | None] = lists.firsts if has_ties and lists.queries else [None] * len(lists.queries)
        begin, end, start = lists.begin.tolist(), lists.end.tolist(), lists.start.tolist()
        numbered = {}
        for query, first, (a, b) in zip(lists.queries, firsts, itertools.pairwise(start), strict=True):
            own = numbers.setdefault(query, {})
            ids = (lists.text[i:j] for i, j in zip(begin[a:b], end[a:b], strict=True))
            docs = np.fromiter((own.setdefault(doc, len(own)) for doc in ids), np.int64, b - a)
            numbered[query] = docs, first
        return cls(numbered)


class _Work:
    """Sums over queries for each pair of runs."""

    def __init__(self, asked: Asked, tables: Sequence[_Numbered]):
        self.asked, self.tables = asked, tables
        shape = len(tables), len(tables)
        self.queries, self.known = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.sums = np.zeros((4, *shape))

    def add(self, query: bytes, docs: int) -> None:
        """Add a query, for which all runs together return `docs` documents."""
        there = [i for i, table in enumerate(self.tables) if query in table.lists]
        lists = [self.tables[i].lists[query] for i in there]
        lengths = np.array([len(own) for own, _ in lists])
        ranks = np.full((len(lists), docs), -1)
        for row, (own, _) in zip(ranks, lists, strict=True):
            row[own] = np.arange(len(own))
        tau, tau_ap = _concordance(ranks, [own for own, _ in lists])
        top = ((ranks >= 0) & (ranks < self.asked.k)).astype(np.float64)
        overlap = self.asked.overlap((top @ top.T).astype(np.int64), lengths[:, None], lengths)
        rbo = self._rbo(ranks, lengths, [first for _, first in lists])
        at = np.ix_(there, there)
        self.queries[at] += 1
        self.known[at] += ~np.isnan(tau)
        for name, values in enumerate((rbo, np.nan_to_num(tau), np.nan_to_num(tau_ap), overlap)):
            self.sums[name][at] += values

    def _rbo(self, ranks: Ints, lengths: Ints, firsts: Sequence[Ints | None]) -> Floats:
        how = self.asked
        if how.ties is None:
            return stats.rbo_of_ranks(ranks, lengths, how.p, how.unseen)
        rbo = np.zeros((len(ranks), len(ranks)))
        for i, j in itertools.combinations(range(len(ranks)), 2):
            both = (ranks[i] >= 0) & (ranks[j] >= 0)
            first = np.asarray(firsts[i]), np.asarray(firsts[j])
            sizes, places = (int(lengths[i]), int(lengths[j])), (ranks[i][both], ranks[j][both])
            rbo[i, j] = rbo[j, i] = stats.rbo_of_shared(
                places, sizes, how.p, first=first, ties=how.ties, unseen=how.unseen
            )
        return rbo

    def means(self) -> Iterator[Floats]:
        """The means of rank-biased overlap, tau, tau-AP and overlap; NaN if unknown, and for a run with itself."""
        for total, of in zip(self.sums, (self.queries, self.known, self.known, self.queries), strict=True):
            mean = np.divide(total, of, out=np.full(total.shape, np.nan), where=of > 0)
            np.fill_diagonal(mean, np.nan)
            yield mean


def _concordance(ranks: Ints, lists: Sequence[Ints]) -> tuple[Floats, Floats]:
    """(runs, runs) Kendall's tau and tau-AP of one query; NaN where both hold fewer than two documents."""
    places = [ranks[i + 1 :, own].ravel() for i, own in enumerate(lists)]
    sizes = [np.repeat(len(own), len(lists) - 1 - i) for i, own in enumerate(lists)]
    start = starts_of(np.concatenate(sizes))
    shared, concordant, *by_place = concordance(np.concatenate(places), start)
    upper = np.triu_indices(len(lists), 1)
    matrices = []
    for each in coefficients(shared, concordant, *by_place):
        both = np.full((len(lists), len(lists)), np.nan)
        both[upper] = both[upper[::-1]] = each
        matrices.append(both)
    return matrices[0], matrices[1]
