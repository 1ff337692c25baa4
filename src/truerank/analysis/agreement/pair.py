"""Two runs without any judgements: how much their lists agree, query by query."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from truerank import stats
from truerank.analysis.compare.naming import opened
from truerank.core.errors import InputError
from truerank.core.evaluate import as_one_list, rules_of
from truerank.core.ids import is_later, starts_of, stretches
from truerank.core.kernel.counting import concordance
from truerank.core.kernel.scanning import Judged, as_text
from truerank.core.messages import alternatives, message
from truerank.core.presented import Presented, finite
from truerank.core.reading import Keep, Reading, loaded, read, reading_of
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Run, RunLike
from truerank.core.scan import EVERY_RANK
from truerank.core.schema import is_number, is_whole, plain
from truerank.measures.sums import Ints, PerQuery
from truerank.stats.rbo_pair import Ties, Unseen
from truerank.stats.values import mean


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Presented):
    """How much two runs agree on the queries that both answer.

    Attributes:
        queries: their ids, in order.
        rbo: (queries,) rank-biased overlap of the two lists: 1 the same, 0 nothing in common.
        tau: (queries,) Kendall's tau of the documents that both lists hold: 1 the same order, −1 the reverse;
            NaN where these are fewer than two.
        tau_ap: (queries,) tau-AP, in which the top counts most; the mean of taking either list for the truth.
        overlap: (queries,) the share of the first k documents of both lists that both hold.
        shared: (queries,) how many documents both lists hold.
        only_a, only_b: the queries that only one of the runs answers; they are in no mean.
        p: how likely the reader whom rbo assumes goes on to the next rank.
        depth: how much of each list was looked at; None for all of it.
        k: the cutoff of overlap.
        ties: how rbo treats equal scores; None: in the order of the tie rule.
        unseen: what rbo assumes of the rest of both lists.
    """

    built_by = "agreement"

    queries: tuple[str, ...]
    rbo: PerQuery
    tau: PerQuery
    tau_ap: PerQuery
    overlap: PerQuery
    shared: Ints
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    p: float
    depth: int | None
    k: int = 10
    ties: Ties | None = None
    unseen: Unseen = "ext"

    def _summary(self) -> str:
        tau = "unknown" if math.isnan(self.mean_tau) else f"{self.mean_tau:.4f}"
        return f"Agreement({len(self.queries):,} queries; {self.coefficient} {self.mean_rbo:.4f}, tau {tau})"

    @property
    def coefficient(self) -> str:
        """The name of rbo with its ties and bounds."""
        return variant(self.ties, self.unseen)

    @property
    def mean_rbo(self) -> float:
        """The mean over all queries that both answer."""
        return float(mean(self.rbo))

    @property
    def mean_tau(self) -> float:
        """The mean over queries whose lists have two documents in common; NaN without such queries."""
        return _mean_known(self.tau)

    @property
    def mean_tau_ap(self) -> float:
        """The mean over the same queries as `mean_tau`."""
        return _mean_known(self.tau_ap)

    @property
    def mean_overlap(self) -> float:
        """The mean over all queries that both answer."""
        return float(mean(self.overlap))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for what is not known."""
        columns = self.columns.values()
        names = tuple(self.columns)
        return {
            "p": self.p,
            "depth": self.depth,
            "ties": self.ties,
            "unseen": self.unseen,
            "k": self.k,
            "mean": {
                "rbo": self.mean_rbo,
                "tau": finite(self.mean_tau),
                "tau_ap": finite(self.mean_tau_ap),
                "overlap": self.mean_overlap,
            },
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
            "queries": {
                query: dict(zip(names, row, strict=True))
                for query, *row in zip(self.queries, *columns, strict=True)
            },
        }

    @property
    def columns(self) -> dict[str, list[Any]]:
        """What is known of each query, by name; None for what is not known."""
        columns = {"rbo": self.rbo, "tau": self.tau, "tau_ap": self.tau_ap, "overlap": self.overlap}
        return {name: list(map(finite, each.tolist())) for name, each in columns.items()} | {
            "shared": self.shared.tolist()
        }


def agreement(
    run_a: RunLike | Reading,
    run_b: RunLike | Reading,
    *,
    p: float = 0.9,
    depth: int | None = None,
    k: int = 10,
    ties: Ties | None = None,
    unseen: Unseen = "ext",
    rules: RulesLike | None = None,
) -> Agreement:
    """Do two runs return the same documents in the same order? No judgements are needed.

    Rank-biased overlap minds the top most, and also what only one list holds (Webber, Moffat and Zobel 2010);
    Kendall's tau is about the order of what both hold, and takes all ranks alike (Kendall 1945); tau-AP minds the
    top more (Yilmaz, Aslam and Robertson 2008), and is the mean of both ways round.

    Args:
        run_a, run_b: as for `evaluate`; or a `Reading` each, as itself or in a file, with the rows of as many
            ranks: what was read without qrels has all queries, else there are the judged ones alone.
        p: of rank-biased overlap; at 0.9 the first ten ranks have 86 % of the weight.
        depth: look at this many documents of each list; by default at what the rules say, mostly all.
        k: of overlap: documents among the first k of both lists, of k, or of the longer list where that is shorter.
        ties: what equal scores are to rank-biased overlap: all at the first of their ranks ("w"), the mean over all
            their orders ("a"), or that, corrected as tau-b is ("b"; Corsi and Urbano 2024); None: in the order of
            the tie rule, as they always are to Kendall's tau. A group that the depth cuts is what is left of it.
        unseen: the rest of both lists agrees as they do so far ("ext"), not at all ("min"), as far as it can
            ("max"); or the residual between these two ("res").
        rules: how lists are put in order: equal scores, bits of scores, repeated documents, the query's own id.

    Raises:
        TruerankError: wrong input, or no query that both runs answer.

    >>> found = agreement({"q1": ["a", "b", "c"], "q2": ["a"]}, {"q1": ["a", "c", "x", "b"]})
    >>> found.rbo.round(4).tolist(), found.tau.round(4).tolist(), found.only_a
    ([0.8672], [0.3333], ('q2',))
    """
    runs = loaded(opened(run_a, "a")), loaded(opened(run_b, "b"))
    asked = Asked.of(rules_of(rules, *runs), p, depth, k, ties, unseen)
    a, b = map(asked.lists, runs)
    both = sorted(set(a.queries) & set(b.queries))
    if not both:
        raise InputError(
            "{a} and {b} answer no query in common: are their query ids of one collection?", a=a.name, b=b.name
        )
    return Agreement(
        tuple(map(as_text, both)),
        *_agree(a.of_queries(both), b.of_queries(both), asked),
        only_a=_others(a, both),
        only_b=_others(b, both),
        p=asked.p,
        depth=asked.cut,
        k=asked.k,
        ties=ties,
        unseen=unseen,
    )


@dataclass(frozen=True)
class Asked:
    """The options of a comparison of lists.

    Attributes:
        most: how many documents of each list are looked at.
        p, k, ties, unseen: as for `agreement`.
    """

    rules: Rules
    most: int
    p: float
    k: int
    ties: Ties | None
    unseen: Unseen

    @classmethod
    def of(cls, rules: Rules, p: float, depth: int | None, k: int, ties: Ties | None, unseen: Unseen) -> Asked:
        """The options, checked.

        Raises:
            InputError: no such number or word.
        """
        if not (is_number(p) and 0 < p < 1):
            raise InputError("p is a number between 0 and 1, e.g. 0.9; not {p!r}", p=p)
        if not is_whole(k) or k < 1:
            raise InputError("k is a whole number of 1 or more, e.g. 10; not {k!r}", k=k)
        for name, value, known in (
            ("ties", "a" if ties is None else ties, get_args(Ties)),
            ("unseen", unseen, get_args(Unseen)),
        ):
            if value not in known:
                raise InputError(
                    "{name} is {known}, not {value!r}", name=name, known=alternatives(known), value=value
                )
        cut = rules.depth if depth is None else rules.replace(depth=depth).depth
        return cls(rules, min(cut or EVERY_RANK, rules.depth or EVERY_RANK), plain(p), plain(k), ties, unseen)

    @property
    def cut(self) -> int | None:
        """How much of each list is looked at; None for all of it."""
        return None if self.most == EVERY_RANK else self.most

    def lists(self, run: Run | Reading) -> Lists:
        """The lists of a run."""
        return Lists.of(_read(run, self.rules, self.most), self.most, self.ties is not None)

    def overlap(self, shared: Ints, length_a: Ints, length_b: Ints) -> PerQuery:
        """The share that the shared documents make up of the first k; 1 for two empty lists."""
        size = np.minimum(min(self.k, EVERY_RANK), np.maximum(length_a, length_b))
        return np.where(size > 0, shared / np.maximum(size, 1), 1.0)


def variant(ties: Ties | None, unseen: Unseen) -> str:
    """The name of rank-biased overlap with its ties and bounds: "RBO", "RBO-a", "RBO-b min"."""
    name = "RBO" if ties is None else f"RBO-{ties}"
    return name if unseen == "ext" else f"{name} {unseen}"


def _read(run: Run | Reading, rules: Rules, depth: int) -> Reading:
    """The lists of a run, down to the depth that is compared."""
    keep: Keep = "all" if depth == EVERY_RANK else depth
    if isinstance(run, Reading):
        return reading_of(run, None, rules.by_query(message("runs are compared query by query")), keep=keep)
    return read(None, run, rules=rules, keep=keep)


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists of a run; only these are kept of a reading, as both runs are in memory together.

    Attributes:
        name: of the run.
        queries: the queries that it answers.
        start: (queries + 1,) the documents of query q, best first, are start[q] to start[q + 1]; a repeated one
            is only in its first place.
        begin, end: (documents,) where each id lies in the text.
        text: the ids.
        group: (documents,) a number that changes where the score does; empty where ties do not matter.
    """

    name: str
    queries: Sequence[bytes]
    start: Ints
    begin: Ints
    end: Ints
    text: bytes
    group: Ints

    @classmethod
    def of(cls, reading: Reading, depth: int, has_groups: bool) -> Lists:
        """The lists of a reading."""
        rows = as_one_list(reading.rows, reading.rules, message("how two runs agree"))
        rows = rows.top(None if depth == EVERY_RANK else depth)
        rows = rows.where(~is_later(rows.doc)) if reading.repeated else rows
        qrels, ends = reading.qrels, len(reading.qrels.text) + reading.unjudged.ends
        begin = np.append(qrels.begin, ends - np.diff(reading.unjudged.ends, prepend=0))
        end = np.append(qrels.end, ends)
        answered = np.flatnonzero(rows.returned >= 0)
        return cls(
            name=reading.name,
            queries=[rows.queries[q] for q in answered.tolist()],
            start=starts_of(rows.count[answered]),
            begin=begin[rows.doc],
            end=end[rows.doc],
            text=qrels.text + reading.unjudged.text,
            group=rows.first if has_groups else rows.first[:0],
        )

    def of_queries(self, queries: Sequence[bytes]) -> Lists:
        """Only the lists of these queries, in this order."""
        if list(queries) == self.queries:
            return self
        place = {query: number for number, query in enumerate(self.queries)}
        chosen = [place[query] for query in queries]
        size = np.diff(self.start)[chosen]
        rows, _ = stretches(self.start[chosen], size)
        group = self.group[rows] if len(self.group) else self.group
        begin, end = self.begin[rows], self.end[rows]
        return replace(self, queries=queries, start=starts_of(size), begin=begin, end=end, group=group)

    @property
    def firsts(self) -> list[Ints]:
        """For each query the rank, from 0, at which the group of equals of each of its documents begins."""
        sizes = np.diff(self.start)
        begins = np.diff(self.group, prepend=-1) != 0
        begins[self.start[:-1][sizes > 0]] = True
        first = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
        return np.split(first - np.repeat(self.start[:-1], sizes), self.start[1:-1])


def _others(lists: Lists, queries: Sequence[bytes]) -> tuple[str, ...]:
    """The queries besides these that have lists."""
    return tuple(map(as_text, sorted(set(lists.queries) - set(queries))))


def _agree(a: Lists, b: Lists, asked: Asked) -> tuple[PerQuery, PerQuery, PerQuery, PerQuery, Ints]:
    """For each query rank-biased overlap, tau, tau-AP, overlap, and how many documents both lists hold."""
    size_a, size_b = np.diff(a.start), np.diff(b.start)
    query = np.repeat(np.arange(len(size_a)), size_a)
    matches = Judged(b.queries, b.start, b.begin, b.end, b.text).find_each(query, a.begin, a.end, a.text)
    in_b = np.where(matches >= 0, matches - b.start[query], -1)
    shared, concordant, *by_place = concordance(in_b, a.start)
    tau, tau_ap = coefficients(shared, concordant, *by_place)
    both = np.flatnonzero(matches >= 0)
    in_a, in_b, query = both - a.start[query[both]], in_b[both], query[both]
    top = np.bincount(query[(in_a < asked.k) & (in_b < asked.k)], minlength=len(size_a))
    start = np.cumsum(shared)[:-1]
    places = zip(np.split(in_a, start), np.split(in_b, start), strict=True)
    sizes = zip(size_a.tolist(), size_b.tolist(), strict=True)
    first = itertools.repeat(None) if asked.ties is None else zip(a.firsts, b.firsts, strict=True)
    rbo = [
        stats.rbo_of_shared(at, lengths, asked.p, first=groups, ties=asked.ties or "a", unseen=asked.unseen)
        for at, lengths, groups in zip(places, sizes, first, strict=False)
    ]
    return np.array(rbo), tau, tau_ap, asked.overlap(top, size_a, size_b), shared


def coefficients(
    shared: Ints, concordant: Ints, by_first: PerQuery, by_second: PerQuery
) -> tuple[PerQuery, PerQuery]:
    """Kendall's tau and tau-AP from what `concordance` counted; NaN where fewer than two are shared."""
    pairs, is_known = shared * (shared - 1) // 2, shared > 1
    tau = np.divide(2 * concordant - pairs, pairs, out=np.full(pairs.shape, math.nan), where=is_known)
    by_top = np.divide(by_first + by_second, shared - 1, out=np.full(pairs.shape, math.nan), where=is_known)
    return tau, by_top - 1


def _mean_known(values: PerQuery) -> float:
    known = values[~np.isnan(values)]
    return float(mean(known)) if len(known) else math.nan
