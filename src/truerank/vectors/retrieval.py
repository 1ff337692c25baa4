"""Retrieval: queries against a gallery, under rules; evaluated a part of the queries at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from truerank.errors import InputError, RulesError, shown
from truerank.evaluate import ranked, score
from truerank.hits import Hits, concatenate
from truerank.qrels import Ints, Qrels
from truerank.rules import Rules
from truerank.run import Scan
from truerank.scores import Scores
from truerank.vectors.blocks import Source
from truerank.vectors.pairs import Pairs, by_label, by_qrels
from truerank.vectors.parts import joined
from truerank.vectors.protocol import Chosen, Protocol
from truerank.vectors.ranking import scan
from truerank.vectors.sides import Given, Side, Sides, plain, sides
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
        elif rules.self_match == "remove" and (given.query_ids is None or given.gallery_ids is None):
            raise InputError("self_match = 'remove' needs query_ids and gallery_ids, to tell who is the same")
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

    def scores(self, wanted: Chosen, name: str, watch: Watch) -> Scores:
        """What the measures say; the run's name says how the scores were made."""
        remark = "; ".join(filter(None, [self.source.name, self.protocol.remark, *wanted.remarks]))
        draw = self._draw()
        scans = self._scans(draw, watch)
        scores = joined(
            [score(p.qrels, found, wanted.measures, self.rules, f"{name} ({remark})") for p, found in scans]
        )
        if draw is None:
            return scores
        names = [name.decode("utf-8", "surrogateescape") for name in self.queries.ids]
        return with_ranks(scores, dict(zip(names, draw.ranks, strict=True)))

    def _draw(self) -> SingleShot | None:
        if not self.protocol.galleries or self.gallery.labels is None:
            return None
        return SingleShot(self.gallery.labels, len(self.queries), self.protocol.galleries, self.protocol.seed)

    def _scans(self, draw: SingleShot | None, watch: Watch) -> Iterator[tuple[Pairs, Scan]]:
        done, one_at_a_time = 0, Lock()

        def look(rows: Ints, block: Any, pair_row: Ints, pair_column: Ints) -> None:
            nonlocal done
            if draw is not None and self.queries.labels is not None:
                draw.look(rows, self.queries.labels[rows], plain(block), pair_row, pair_column)
            with one_at_a_time:
                done += len(rows)
                watch(done, len(self.queries))

        scorers = [self.source.over(self.columns) for _ in range(self.source.scorers)]
        for pairs in self._pairs():
            yield pairs, scan(pairs, self.source, scorers, len(self.gallery), look)

    def _pairs(self) -> Iterator[Pairs]:
        without_self = self.rules.self_match == "remove"
        if self.qrels is None:
            return by_label(self.queries, self.gallery, is_self_ignored=without_self)
        return by_qrels(self.qrels.ignoring_self() if without_self else self.qrels, self.queries, self.gallery)


def _twice(given: Given, source: Source) -> Given:
    """The queries' side on both sides."""
    if source.shape[0] != source.shape[1]:
        shape = " x ".join(map(str, source.shape))
        raise InputError(
            f"without a gallery's labels or ids the queries are the gallery, but the matrix is {shape}"
        )
    return replace(
        given,
        gallery_labels=given.query_labels,
        gallery_cameras=given.query_cameras,
        gallery_ids=given.query_ids,
    )


def _refuse(given: Given, both: Sides, rules: Rules, protocol: Protocol, qrels: Qrels | None) -> None:
    """What cannot be evaluated, said before the work begins."""
    if rules.missing == "lines":
        raise RulesError("missing = 'lines' is for runs that are written in lines; vectors have none")
    if qrels is None:
        _refuse_labels(both, protocol)
    elif both.queries.labels is not None or both.queries.cameras is not None:
        raise InputError("qrels say what is right, and so do labels and cameras; give one of the two")
    elif given.query_ids is None or given.gallery_ids is None:
        raise InputError("qrels name queries and documents; give query_ids and gallery_ids to find them by")
    elif protocol.galleries:
        raise RulesError("random galleries with one entry an identity need labels, not qrels")


def _refuse_labels(both: Sides, protocol: Protocol) -> None:
    """A query must be somebody whom the gallery can show."""
    labels = both.queries.labels
    if labels is None:
        raise InputError("there are neither labels nor qrels to tell what is right; give one of them")
    nobody = np.isin(labels, both.named((*protocol.junk, *protocol.distractors)))
    if nobody.any():
        name, count = shown(str(both.names[labels[nobody][0]])), int(nobody.sum())
        raise InputError(
            f"{count:,} of the queries have the label {name}, which these rules keep for junk or distractors; "
            "number identities from 1, or choose other rules, e.g. truerank"
        )


def _columns(both: Sides, rules: Rules, protocol: Protocol) -> Ints:
    """The entries of the gallery that count, in the order of the tie rule."""
    ids, labels = both.gallery.ids, both.gallery.labels
    columns = np.arange(len(ids))
    if rules.ties != "input":
        by_id = sorted(range(len(ids)), key=ids.__getitem__, reverse=rules.ties == "doc-descending")
        columns = np.array(by_id, np.int64)
    return columns if labels is None else columns[~np.isin(labels[columns], both.named(protocol.junk))]
