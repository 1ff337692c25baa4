"""Judged documents and all that came back, and where each of them stands in a run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truerank.core.errors import InputError, RulesError
from truerank.core.evaluate import look_up
from truerank.core.everything import NOBODY, ranked_rows, with_all
from truerank.core.hits import Bools, Hits, Judgements
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import Rules
from truerank.core.run import Ranked, Run
from truerank.core.scan import Scan, scan
from truerank.measures.sums import Ints


@dataclass(frozen=True, eq=False)
class Pool:
    """Judged documents and all that came back.

    Attributes:
        everything: all of them, as judgements; `NOBODY` is the grade of those that have none.
        hits: of all that came back, for one run; no rule was applied to them yet.
        doc: (hits,) the row of each in `everything`.
        name: of the run.
        rules: under which it is evaluated.
    """

    everything: Qrels
    hits: Hits
    doc: Ints
    name: str
    rules: Rules

    def as_is(self) -> Hits:
        """The hits as the engine has them: of judged documents alone."""
        known = self.hits.judgements.grade > NOBODY
        judgements = Judgements(self.hits.judgements.query[known], self.hits.judgements.grade[known])
        return replace(self.hits, judgements=judgements).where(self.hits.grade > NOBODY)

    @property
    def open(self) -> Bools:
        """(hits,) whether nobody judged it: without a grade, or only pooled."""
        return is_open(self.hits, self.rules)

    @cached_property
    def _rows(self) -> Ints:
        rows = np.full(len(self.everything.grades), -1)
        rows[self.doc] = np.arange(len(self.doc))
        return rows

    def row_of(self, docs: Ints) -> Ints:
        """(docs,) the hit of each document; -1 where it did not come back."""
        return self._rows[docs]

    def rank_of(self, doc: int) -> int | None:
        """The rank of a document; None where it did not come back."""
        row = int(self._rows[doc])
        return None if row < 0 else int(self.hits.rank[row])

    def settled(self, is_seeing: bool) -> Hits:
        """The hits without a judgement of the open documents; and, unless it matters, of those judged wrong."""
        least = NOBODY if is_seeing else 0.0
        return replace(self.hits, judgements=self._judgements(least)).where(self.told(is_seeing) | self.open)

    def told(self, is_seeing: bool) -> Bools:
        """(hits,) whether somebody judged it; and, unless it matters, found it right."""
        return self.hits.grade > (NOBODY if is_seeing else 0.0)

    def _judgements(self, least: float) -> Judgements:
        """Those of documents that are not open, better than this, numbered like the queries of the hits."""
        place = {query: number for number, query in enumerate(self.hits.queries)}
        new = np.array([place.get(query, -1) for query in self.everything.queries], np.int64)
        query, grade = new[self.everything.query], self.everything.grades
        kept = (query >= 0) & ~np.isnan(grade) & (grade > least)
        kept[self.doc[self.open]] = False
        own = [
            (place[name], grade) for name, grade in self.everything.apart.items() if name in place and grade > least
        ]
        query = np.concatenate([query[kept], np.array([q for q, _ in own], np.int64)])
        grade = np.concatenate([grade[kept], np.array([g for _, g in own], np.float64)])
        order = np.lexsort((-grade, query))
        return Judgements(query[order], grade[order])


def pools(qrels: Any, runs: Sequence[Run], rules: Rules, threads: int | None = None) -> list[Pool]:
    """The pool of each run, with the same documents in all of them.

    Raises:
        TruerankError: wrong input; a document that counts twice.
    """
    found, lists = [], []
    for run in runs:
        judged, opened, looked = look_up(qrels, run, rules, threads)
        found.append(looked)
        lists.append(_answers(opened, judged))
    if rules.without_relevant == "undefined":
        raise RulesError(
            "under without_relevant = 'undefined' unjudged documents decide which queries have a value: there are "
            "no bounds of its mean; without_relevant = 'zero' has some"
        )
    everything = replace(with_all(judged.to_dict(), itertools.chain.from_iterable(lists)), apart=judged.apart)
    return [_pool(everything, *each, rules) for each in zip(runs, lists, found, strict=True)]


def is_open(hits: Hits, rules: Rules) -> Bools:
    """(hits,) whether nobody judged it, and it counts as having come back."""
    is_of_these = rules.unjudged != "removed" or rules.depth_of == "returned"
    deepest = hits.rank.max(initial=0) if rules.depth is None or not is_of_these else rules.depth
    return (hits.grade < min(0.0, rules.level)) & (hits.rank <= deepest)


def bare(rules: Rules) -> Rules:
    """The rules without those that `Hits.under` applies, which come when it is known how things could be.

    Raises:
        RulesError: the rules count submitted lines.
    """
    rules = rules.by_query("bounds are of judged queries")
    return replace(rules, depth=None, unjudged="not-relevant", unreturned="count")


def _answers(run: Run, judged: Qrels) -> list[Ranked]:
    """What the run answers to judged queries, all of it."""
    known = frozenset(judged.queries)
    return [part for part in rankings(run.batches(), run.name) if part.query in known]


def _pool(everything: Qrels, run: Run, parts: list[Ranked], found: Scan, rules: Rules) -> Pool:
    again = scan(Run(run.name, lambda: iter(parts)), everything.judged, rules)
    hits, doc = ranked_rows(everything, replace(again, returned=found.returned), bare(rules), run.name)
    if len(np.unique(again.table["doc"])) < len(again.table):
        once = "count each document where it came first: --set duplicates=once"
        raise InputError(f"a document comes back twice, and could not be judged twice; {once}", run.name)
    return Pool(everything, hits, doc, run.name, rules)
