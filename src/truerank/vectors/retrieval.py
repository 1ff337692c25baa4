"""Retrieval: queries against a gallery, under rules; evaluated a part of the queries at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank.errors import InputError, RulesError, shown
from truerank.evaluate import ranked, score
from truerank.hits import Hits, concatenate
from truerank.measures import Measure
from truerank.qrels import Ints, Qrels
from truerank.rules import Rules
from truerank.run import Scan
from truerank.scores import Scores
from truerank.vectors.blocks import Source
from truerank.vectors.pairs import Pairs, by_label, by_qrels
from truerank.vectors.parts import joined
from truerank.vectors.protocol import Protocol
from truerank.vectors.ranking import Look, scan
from truerank.vectors.sides import Given, Side, Sides, sides
from truerank.vectors.single_shot import SingleShot, with_ranks

Watch = Callable[[int, int], None]
"""Told how many queries are ranked, and of how many."""


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Queries against a gallery.

    Attributes:
        source: what scores them.
        queries, gallery: who they are; of the gallery, what is left of it, in the order that equal scores keep.
        columns: where that stands in the whole gallery; None for all of it as it was.
        qrels: what is right, where that is not told by the labels.
    """

    source: Source
    queries: Side
    gallery: Side
    columns: Ints | None
    rules: Rules
    protocol: Protocol
    qrels: Qrels | None

    @classmethod
    def of(
        cls, source: Source, given: Given, rules: Rules, protocol: Protocol, qrels: Qrels | None, *, is_self: bool
    ) -> Retrieval:
        """What was given, checked.

        Args:
            is_self: the queries are the gallery too, and nobody finds himself.
        """
        if is_self:
            rules, given = rules.replace(self_match="remove"), _twice(given, source)
        both = sides(given, *source.shape)
        _refuse(given, both, rules, protocol, qrels)
        columns = _columns(both, rules, protocol)
        if not len(columns):
            raise InputError("nothing is left in the gallery: all of it is junk")
        is_whole = len(columns) == len(both.gallery) and (np.diff(columns) == 1).all()
        gallery = both.gallery if is_whole else both.gallery.take(columns)
        return cls(source, both.queries, gallery, None if is_whole else columns, rules, protocol, qrels)

    def hits(self, watch: Watch) -> Hits:
        """Where the right entries came back."""
        name = self.source.name
        return concatenate([ranked(p.qrels, found, self.rules, name) for p, found in self._scans(None, watch)])

    def scores(self, measures: list[Measure], name: str, watch: Watch) -> Scores:
        """What the measures say."""
        remark = "; ".join(filter(None, [self.source.name, self.protocol.remark]))
        draw = self._draw()
        scans = self._scans(draw, watch)
        scores = joined([score(p.qrels, found, measures, self.rules, f"{name} ({remark})") for p, found in scans])
        if draw is None:
            return scores
        names = [name.decode("utf-8", "surrogateescape") for name in self.queries.ids]
        return with_ranks(scores, dict(zip(names, draw.ranks, strict=True)))

    def _draw(self) -> SingleShot | None:
        if not self.protocol.galleries or self.gallery.labels is None:
            return None
        return SingleShot(self.gallery.labels, len(self.queries), self.protocol.galleries, self.protocol.seed)

    def _scans(self, draw: SingleShot | None, watch: Watch) -> Iterator[tuple[Pairs, Scan]]:
        done = 0

        def look(rows: Ints, block: Any, pair_row: Ints, pair_column: Ints) -> None:
            nonlocal done
            if draw is not None and self.queries.labels is not None:
                draw.look(rows, self.queries.labels[rows], block, pair_row, pair_column)
            done += len(rows)
            watch(done, len(self.queries))

        scorer = self.source.over(self.columns)
        for pairs in self._pairs():
            yield pairs, scan(pairs, self.source, scorer, len(self.gallery), look)

    def _pairs(self) -> Iterator[Pairs]:
        without_self = self.rules.self_match == "remove"
        if self.qrels is None:
            return by_label(self.queries, self.gallery, is_self_ignored=without_self)
        return by_qrels(self.qrels.ignoring_self() if without_self else self.qrels, self.queries, self.gallery)
