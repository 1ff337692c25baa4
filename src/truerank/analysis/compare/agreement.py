"""Two runs without any judgements: how much their lists agree, query by query."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank import stats
from truerank.core._kernel import as_text
from truerank.core.errors import InputError
from truerank.core.ids import Ids
from truerank.core.presented import Presented
from truerank.core.reading import Reading, read
from truerank.core.rules import Rules, RulesLike
from truerank.formats import open_run
from truerank.measures.sums import Ints, PerQuery
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
    rules: RulesLike | None = None,
) -> Agreement:
    """Do two runs return the same documents in the same order? No judgements are needed.

    Rank-biased overlap minds the top most, and also what only one list holds (Webber, Moffat and Zobel 2010);
    Kendall's tau is about the order of what both hold, and takes all ranks alike (Kendall 1945).

    Args:
        run_a, run_b: as for `evaluate`.
        p: of rank-biased overlap; at 0.9 the first ten ranks have 86 % of the weight.
        depth: look at this many documents of each list; by default at what the rules say, mostly all.
        rules: how lists are put in order: equal scores, bits of scores, repeated documents.

    Raises:
        TruerankError: wrong input, or no query that both runs answer.

    >>> found = agreement({"q1": ["a", "b", "c"], "q2": ["a"]}, {"q1": ["a", "c", "x", "b"]})
    >>> found.rbo.round(4).tolist(), found.tau.round(4).tolist(), found.only_a
    ([0.8672], [0.3333], ('q2',))
    """
    under = Rules.of(rules)
    if not 0 < p < 1:
        raise InputError("p is a number between 0 and 1, e.g. 0.9; not {p!r}", p=p)
    cut = under.depth if depth is None else under.replace(depth=depth).depth
    most = min(cut or math.inf, under.depth or math.inf)
    a, b = (_Lists.of(_read(run, name, under, most), most) for run, name in ((run_a, "a"), (run_b, "b")))
    both = sorted(a.place.keys() & b.place.keys())
    if not both:
        raise InputError("{a} and {b} answer no query in common", a=a.name, b=b.name)
    rbo, tau, shared = zip(*(_agree(a.docs(query), b.docs(query), p) for query in both), strict=True)
    return Agreement(
        queries=tuple(map(as_text, both)),
        rbo=np.array(rbo),
        tau=np.array(tau),
        shared=np.array(shared),
        only_a=_others(a, both),
        only_b=_others(b, both),
        p=p,
        depth=None if most == math.inf else int(most),
    )


def _read(run: Any, name: str, rules: Rules, depth: float) -> Reading:
    """The lists of a run, as deep as they are looked at."""
    source = open_run(run, name=None if isinstance(run, str | os.PathLike) else name)
    return read(None, source, rules=rules, keep="all" if depth == math.inf else int(depth))


@dataclass(frozen=True, eq=False)
class _Lists:
    """What a run returns to each query; of a reading only this is kept, as both runs are in memory together.

    Attributes:
        name: of the run.
        place: {query: which list}.
        ends: (queries,) where each ends among the rows.
        doc: (rows,) the number of each document.
        ids: of the documents.
        repeated: whether some document stands twice in a list.
    """

    name: str
    place: dict[bytes, int]
    ends: Ints
    doc: Ints
    ids: Ids
    repeated: bool

    @classmethod
    def of(cls, reading: Reading, depth: float) -> _Lists:
        """Those of a reading without judgements."""
        rows = reading.rows if depth == math.inf else reading.rows.top(int(depth))
        place = {query: number for number, query in enumerate(rows.queries)}
        return cls(reading.name, place, np.cumsum(rows.count), rows.doc, reading.unjudged, reading.repeated > 0)

    def docs(self, query: bytes) -> list[bytes]:
        """The documents that it returns to a query, best first; a repeated one where it stands first."""
        number = self.place[query]
        docs = self.ids.some(self.doc[self.ends[number - 1] if number else 0 : self.ends[number]])
        return list(dict.fromkeys(docs)) if self.repeated else docs


def _others(lists: _Lists, queries: Sequence[bytes]) -> tuple[str, ...]:
    """The queries that it answers besides these."""
    return tuple(map(as_text, sorted(lists.place.keys() - set(queries))))


def _agree(a: list[bytes], b: list[bytes], p: float) -> tuple[float, float, int]:
    """Rank-biased overlap of two lists, Kendall's tau of the documents in both, and how many these are."""
    place = dict(zip(b, range(len(b)), strict=True))
    in_b = np.array(list(map(place.get, a, itertools.repeat(-1))), np.int64)
    in_a = np.flatnonzero(in_b >= 0)
    in_b = in_b[in_a]
    tau = stats.kendall_tau(in_a, in_b) if len(in_a) > 1 else math.nan
    return stats.rbo_of_shared(np.maximum(in_a, in_b), len(a), len(b), p), tau, len(in_a)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
