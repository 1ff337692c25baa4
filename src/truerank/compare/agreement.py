"""Two runs without any judgements: how much their lists agree, query by query."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank import stats
from truerank._kernel import as_text
from truerank.errors import InputError
from truerank.everything import with_all
from truerank.formats import open_run
from truerank.measures.sums import Ints, PerQuery
from truerank.presented import Presented
from truerank.rules import Rules
from truerank.run import Ranked, Run, Scan, rankings, scan
from truerank.stats.values import mean


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Presented):
    """How much two runs agree on the queries that both answer.

    Attributes:
        queries: their ids, in order.
        rbo: (queries,) rank-biased overlap of the two lists: 1 the same, 0 nothing in common.
        tau: (queries,) Kendall's tau of the documents that both lists hold: 1 the same order, −1 the reverse;
            NaN where these are fewer than two.
        shared: (queries,) how many documents both lists hold.
        only_a, only_b: the queries that only one of the runs answers; they are in no mean.
        p: how likely the reader whom rbo assumes goes on to the next rank.
        depth: how much of each list was looked at; None for all of it.
    """

    built_by = "agreement"

    queries: tuple[str, ...]
    rbo: PerQuery
    tau: PerQuery
    shared: Ints
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    p: float
    depth: int | None

    def _summary(self) -> str:
        tau = "unknown" if math.isnan(self.mean_tau) else f"{self.mean_tau:.4f}"
        return f"Agreement({len(self.queries):,} queries; RBO {self.mean_rbo:.4f}, tau {tau})"

    @property
    def mean_rbo(self) -> float:
        """Over all queries that both answer."""
        return float(mean(self.rbo))

    @property
    def mean_tau(self) -> float:
        """Over those whose lists have two documents in common; NaN where there are none."""
        known = self.tau[~np.isnan(self.tau)]
        return float(mean(known)) if len(known) else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for what is not known."""
        columns = self.rbo.tolist(), map(_known, self.tau.tolist()), self.shared.tolist()
        return {
            "p": self.p,
            "depth": self.depth,
            "mean": {"rbo": self.mean_rbo, "tau": _known(self.mean_tau)},
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
            "queries": {
                query: {"rbo": rbo, "tau": tau, "shared": n}
                for query, rbo, tau, n in zip(self.queries, *columns, strict=True)
            },
        }


def agreement(
    run_a: Any,
    run_b: Any,
    *,
    p: float = 0.9,
    depth: int | None = None,
    rules: Rules | str | os.PathLike[str] | dict[str, Any] | None = None,
) -> Agreement:
    """Do two runs return the same documents in the same order? No judgements are needed.

    Rank-biased overlap minds the top most, and also what only one list holds (Webber, Moffat and Zobel 2010);
    Kendall's tau is about the order of what both hold, and takes all ranks alike (Kendall 1945).

    Args:
        run_a, run_b: as for `evaluate`.
        p: of rank-biased overlap; at 0.9 the first ten ranks have 86 % of the weight.
        depth: look at so many documents of each list; by default at what the rules say, mostly all.
        rules: how lists are put in order: equal scores, bits of scores, repeated documents.

    Raises:
        TruerankError: wrong input, or no query that both runs answer.

    >>> found = agreement({"q1": ["a", "b", "c"], "q2": ["a"]}, {"q1": ["a", "c", "x", "b"]})
    >>> found.rbo.round(4).tolist(), found.tau.round(4).tolist(), found.only_a
    ([0.8672], [0.3333], ('q2',))
    """
    under = Rules.of(rules)
    if not 0 < p < 1:
        raise InputError(f"p is a number between 0 and 1, e.g. 0.9; not {p!r}")
    cut = under.replace(depth=depth).depth
    most = min(cut or math.inf, under.depth or math.inf)
    runs = _opened(run_a, "a"), _opened(run_b, "b")
    lists = [list(rankings(run.batches(), run.name)) for run in runs]
    both, only = _answered(lists)
    if not both:
        raise InputError(f"{runs[0].name} and {runs[1].name} answer no query in common")
    known: dict[bytes, dict[bytes, float]] = {query: {} for query in both}
    everything = with_all(known, (part for each in lists for part in each if part.query in known))
    found = (_ordered(scan(run, everything.judged, under), len(both), most) for run in runs)
    pairs = list(zip(*found, strict=True))
    only_a, only_b = (tuple(map(as_text, names)) for names in only)
    return Agreement(
        queries=tuple(map(as_text, both)),
        rbo=np.array([stats.rbo(a, b, p) for a, b in pairs]),
        tau=np.array([_tau(a, b) for a, b in pairs]),
        shared=np.array([len(set(a) & set(b)) for a, b in pairs]),
        only_a=only_a,
        only_b=only_b,
        p=p,
        depth=None if most == math.inf else int(most),
    )


def _opened(run: Any, name: str) -> Run:
    return open_run(run, name=None if isinstance(run, str | os.PathLike) else name)


def _answered(lists: Sequence[Sequence[Ranked]]) -> tuple[list[bytes], list[list[bytes]]]:
    """The queries that both answer, and those that only the one or the other does."""
    a, b = ({part.query for part in each} for each in lists)
    return sorted(a & b), [sorted(a - b), sorted(b - a)]


def _ordered(found: Scan, queries: int, depth: float) -> list[list[int]]:
    """The documents of each query, best first, as rows of the judgements; a repeated one where it came first."""
    table = found.table[found.table["rank"] <= depth]
    table = table[np.lexsort((table["rank"], table["query"]))]
    ends = np.bincount(table["query"], minlength=queries).cumsum()
    return [list(dict.fromkeys(part.tolist())) for part in np.split(table["doc"], ends[:-1])]


def _tau(a: list[int], b: list[int]) -> float:
    """Of the documents in both."""
    place = {doc: rank for rank, doc in enumerate(b)}
    there = [place[doc] for doc in a if doc in place]
    return stats.kendall_tau(range(len(there)), there) if len(there) > 1 else math.nan


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
