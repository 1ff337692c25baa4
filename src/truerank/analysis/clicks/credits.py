"""The credit that each click on an interleaved list gives to each system."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truerank.core.errors import truncated
from truerank.core.messages import listed, message
from truerank.measures.sums import PerQuery
from truerank.truth.clicks import Clicks, Impression

Lists = Mapping[str, Mapping[str, Sequence[str]]]
"""{system: {query: its list}}"""

TAU = 3.0
"""How steeply a probabilistic list prefers the first ranks, as in Hofmann et al. (2011)."""

STEEPEST = 1e300
"""Times the logarithm of a rank, it is still a number; steeper lists are all drawn alike."""


@dataclass(frozen=True, eq=False)
class Crediting:
    """Gives credits for clicks to systems.

    Attributes:
        log: the impressions.
        systems: their names, in the order of the credits.
        lists: the list of each system for each query, where the log does not have it.
        tau: the exponent of probabilistic interleaving.
    """

    log: Clicks
    systems: tuple[str, ...]
    lists: Lists
    tau: float = TAU

    def team_draft(self, one: Impression) -> PerQuery:
        """A click is a credit of the team that its document is in (Radlinski et al. 2008; Schuth et al. 2014)."""
        credit = np.zeros(len(self.systems))
        for doc, clicked, system in zip(one.docs, one.clicked, one.systems or (None,) * len(one.docs), strict=True):
            if system is None:
                said = message("{doc} was shown, but no system says that it is its own", doc=truncated(doc))
                raise self.log.error(one, said)
            credit[self.systems.index(system)] += clicked
        return credit

    def balanced(self, one: Impression) -> PerQuery:
        """The clicks among the first k of each list, k being the depth of the lowest click (Joachims 2003)."""
        own = self._own(one)
        clicked = [doc for doc, is_clicked in zip(one.docs, one.clicked, strict=True) if is_clicked]
        if not clicked:
            return np.zeros(len(own))
        k = min(docs.index(clicked[-1]) for docs in own if clicked[-1] in docs)
        return np.array([sum(doc in docs[: k + 1] for doc in clicked) for docs in own], np.float64)

    def probabilistic(self, one: Impression) -> PerQuery:
        """The expected credits over all assignments of documents (Hofmann et al. 2011; Schuth et al. 2015).

        Each rank's system was drawn evenly, and then its document with probability ∝ 1 / rank^τ among those of its
        list that were left. So, given the list, the ranks are independent, and the sum over all assignments is one
        over ranks: a click is shared out by how likely each system is to have brought its document.
        """
        own = self._own(one)
        tau = min(self.tau, STEEPEST)
        heights = [{doc: -tau * math.log(place) for place, doc in enumerate(docs, 1)} for docs in own]
        credit = np.zeros(len(own))
        for doc, clicked in zip(one.docs, one.clicked, strict=True):
            # logarithms, as a power of a deep rank may underflow
            chance = np.array([_log_share(left, doc) for left in heights])
            shared = np.exp(chance - chance.max())
            credit += clicked * shared / shared.sum()
            for left in heights:
                left.pop(doc, None)
        return credit

    def _own(self, one: Impression) -> list[Sequence[str]]:
        """Each system's own list; every document that was shown is in one of them.

        Raises:
            InputError: a document is in no list, or a system has no list for the query.
        """
        own = [one.rankings.get(name, self.lists.get(name, {}).get(one.query)) for name in self.systems]
        known = [docs for docs in own if docs is not None]
        if len(known) < len(own):
            lacking = listed([n for n, docs in zip(self.systems, own, strict=True) if docs is None])
            said = message(
                "there is no list of {systems} for the query {query}: give rankings in the log, or runs",
                systems=lacking,
                query=truncated(one.query),
            )
            raise self.log.error(one, said)
        there = set().union(*known)
        for doc in one.docs:
            if doc not in there:
                said = message("{doc} was shown, but is in the list of no system", doc=truncated(doc))
                raise self.log.error(one, said)
        return known


def _log_share(heights: Mapping[str, float], doc: str) -> float:
    """The log probability that a document is drawn, from the log weights of all documents that are left."""
    if doc not in heights:
        return -math.inf
    highest = max(heights.values())
    return heights[doc] - highest - math.log(math.fsum(math.exp(height - highest) for height in heights.values()))


METHODS: dict[str, Callable[[Crediting, Impression], PerQuery]] = {
    "team-draft": Crediting.team_draft,
    "balanced": Crediting.balanced,
    "probabilistic": Crediting.probabilistic,
}
