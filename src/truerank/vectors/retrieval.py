"""Retrieval: queries against a gallery, under rules; evaluated a part of the queries at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from truerank.core.errors import InputError, RulesError, printable
from truerank.core.evaluate import ranked, score
from truerank.core.found import as_ruled
from truerank.core.hits import COLUMNS, Hits, Judgements
from truerank.core.kernel.scanning import as_text
from truerank.core.ledger import added
from truerank.core.messages import listed, message
from truerank.core.qrels import Ints, Qrels
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.run import Progress
from truerank.core.scores import Scores
from truerank.vectors.itself import TELLING, found
from truerank.vectors.pairs import Ignored, JudgedPairs, by_classes, by_label, by_qrels
from truerank.vectors.protocol import Chosen, remark
from truerank.vectors.ranking import scan
from truerank.vectors.saving import FirstResults
from truerank.vectors.sides import Given, Side, Sides, array_of, sides
from truerank.vectors.single_shot import SingleShot, with_ranks
from truerank.vectors.source import BlockSource


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Queries against a gallery.

    Attributes:
        source: what scores them.
        queries, gallery: who they are; of the gallery, what is left of it, in the order that equal scores keep.
        columns: where that stands in the whole gallery; None for all of it as it was.
        qrels: what is right, where that is not told by the labels.
        selves: how many queries find themselves, as the gallery has them too and nothing says so.
    """

    source: BlockSource
    queries: Side
    gallery: Side
    columns: Ints | None
    rules: Rules
    qrels: Qrels | None
    selves: int = 0

    @classmethod
    def of(
        cls, source: BlockSource, given: Given, rules: Rules, qrels: Qrels | None, *, is_self: bool
    ) -> Retrieval:
        """What was given, checked.

        Args:
            is_self: the queries are the gallery too, and none is its own answer.
        """
        if is_self:
            rules, given = rules.replace(self_match="remove"), _twice(given, source)
        elif rules.self_match != "keep" and (given.query_ids is None or given.gallery_ids is None):
            raise InputError(
                "self_match = {self_match!r} needs query_ids and gallery_ids, to tell who is the same",
                self_match=rules.self_match,
            )
        both = sides(given, *source.shape)
        _refuse(given, both, rules, qrels)
        columns = _columns(both, rules)
        if not len(columns):
            raise InputError("nothing is left in the gallery: all of it is junk")
        is_whole = len(columns) == len(both.gallery) and (np.diff(columns) == 1).all()
        gallery = both.gallery if is_whole else both.gallery.take(columns)
        selves = 0 if is_self else _selves(source, both, rules)
        return cls(source, both.queries, gallery, None if is_whole else columns, rules, qrels, selves)

    def hits(self, progress: Progress) -> Hits:
        """Where the right entries were returned."""
        name = self.source.name
        readings = self._readings(name, None, progress, None)
        return concatenate([ranked(reading) for reading, _ in readings])

    def scores(self, wanted: Chosen, name: str, progress: Progress, first: FirstResults | None = None) -> Scores:
        """What the measures say; the run's name says how the scores were made.

        Args:
            first: keeps the first results on the way.
        """
        labels = "multi-hot labels" if self.queries.classes is not None else ""
        said = "; ".join(filter(None, [self.source.name, labels, remark(self.rules), *wanted.remarks]))
        draw = self._draw()
        readings = self._readings(f"{name} ({said})", draw, progress, first)
        scores = _joined([_scored(reading, wanted, pairs.own_camera) for reading, pairs in readings])
        scores = replace(scores, ledger=replace(scores.ledger, selves=self.selves))
        if draw is None:
            return scores
        return with_ranks(scores, dict(zip(map(as_text, self.queries.ids), draw.ranks, strict=True)))

    def _draw(self) -> SingleShot | None:
        rules, labels = self.rules, self.gallery.labels
        if not rules.single_shot_galleries or labels is None:
            return None
        return SingleShot(labels, len(self.queries), rules.single_shot_galleries, rules.gallery_seed)

    def _readings(
        self, name: str, draw: SingleShot | None, progress: Progress, first: FirstResults | None
    ) -> Iterator[tuple[Reading, JudgedPairs]]:
        done, one_at_a_time = 0, Lock()

        def look(rows: Ints, block: Any, pair_row: Ints, pair_column: Ints) -> None:
            nonlocal done
            if draw is not None and self.queries.labels is not None:
                draw.look(rows, self.queries.labels[rows], array_of(block), pair_row, pair_column)
            if first is not None:
                first.look(rows, array_of(block), self.source.final)
            with one_at_a_time:
                done += len(rows)
                progress(done, len(self.queries))

        score_rows = self.source.over(self.columns)
        for pairs in self._pairs():
            scanned = scan(pairs, self.source, score_rows, len(self.gallery), look)
            yield Reading.of(pairs.qrels, scanned, self.rules, name), pairs

    def _pairs(self) -> Iterator[JudgedPairs]:
        if self.qrels is not None:
            return by_qrels(as_ruled(self.qrels, self.rules), self.queries, self.gallery)
        if self.rules.self_match == "remove-from-answers":
            raise RulesError("by labels a query is never its own answer; say self_match = 'remove'")
        ignored = Ignored(camera=self.rules.same_camera == "ignore", itself=self.rules.self_match == "remove")
        by = by_label if self.queries.classes is None else by_classes
        return by(self.queries, self.gallery, ignored)


def _twice(given: Given, source: BlockSource) -> Given:
    """The queries' side on both sides."""
    lost = [name for name, values in vars(given).items() if name.startswith("gallery_") and values is not None]
    if lost:
        raise InputError(
            "{names} are given, but no gallery, and without one the queries are searched among themselves: give "
            "the gallery too (of a matrix its labels or ids), or leave these out; of a ready matrix say what it "
            "holds (--holds distances, in Python evaluate_matrix)",
            names=listed(lost),
        )
    if source.shape[0] != source.shape[1]:
        shape = " x ".join(map(str, source.shape))
        raise InputError(
            "without a gallery's labels or ids the queries are the gallery, but the matrix is {shape}", shape=shape
        )
    return replace(
        given,
        gallery_labels=given.query_labels,
        gallery_cameras=given.query_cameras,
        gallery_ids=given.query_ids,
    )


def _refuse(given: Given, both: Sides, rules: Rules, qrels: Qrels | None) -> None:
    """What cannot be evaluated, said before the work begins."""
    rules.by_query(message("vectors are evaluated query by query"))
    if qrels is None:
        _refuse_labels(both, rules)
    elif both.queries.is_labelled or both.queries.cameras is not None:
        raise InputError("qrels say what is right, and so do labels and cameras; give one of the two")
    elif given.query_ids is None or given.gallery_ids is None:
        raise InputError("qrels name queries and documents; give query_ids and gallery_ids to find them by")
    elif rules.single_shot_galleries:
        raise RulesError("random galleries with one entry per identity need labels, not qrels")


def _refuse_labels(both: Sides, rules: Rules) -> None:
    """A query must have an identity that the gallery can show."""
    labels = both.queries.labels
    if both.queries.classes is not None and rules.single_shot_galleries:
        raise RulesError("random galleries with one entry per identity need one label per entry, not several")
    if not both.queries.is_labelled:
        raise InputError("there are neither labels nor qrels to tell what is right; give one of them")
    if labels is None:  # several an entry: no identities
        return
    excluded = np.isin(labels, both.named((*rules.junk_identities, *rules.distractor_identities)))
    if excluded.any():
        name, count = printable(str(both.names[labels[excluded][0]])), int(excluded.sum())
        which = "junk" if (labels[excluded][0] == both.named(rules.junk_identities)).any() else "distractor"
        raise InputError(
            "{n:,} of the queries have the label {name}, which these rules keep for junk or "
            "distractors; where that is somebody, as identity 0 is in MSMT17, say --{which} none (in "
            "Python Rules.named(…).replace({which}_identities=[])), or choose other rules, e.g. truerank",
            n=count,
            name=name,
            which=which,
        )


def _selves(source: BlockSource, both: Sides, rules: Rules) -> int:
    """How many queries find themselves; none where that is the minority, as pictures may be twice in a gallery."""
    if source.own is None or rules.self_match != "keep":
        return 0
    without_camera = rules.same_camera == "ignore"
    number = int(found(source.own(), both.queries, both.gallery, without_camera=without_camera).sum())
    return number if number >= TELLING and 2 * number > len(both.queries) else 0


def _columns(both: Sides, rules: Rules) -> Ints:
    """The entries of the gallery that count, in the order of the tie rule."""
    ids, labels = both.gallery.ids, both.gallery.labels
    columns = np.arange(len(ids))
    if rules.ties != "input":
        by_id = sorted(range(len(ids)), key=ids.__getitem__, reverse=rules.ties == "doc-descending")
        columns = np.array(by_id, np.int64)
    return columns if labels is None else columns[~np.isin(labels[columns], both.named(rules.junk_identities))]


def _scored(reading: Reading, wanted: Chosen, own_camera: int) -> Scores:
    """What the measures say of a part of the queries."""
    scores = score(reading, wanted.measures, asked=wanted.asked)
    return replace(scores, ledger=replace(scores.ledger, own_camera=own_camera))


def concatenate(parts: list[Hits]) -> Hits:
    """The hits of parts whose queries differ, as one table; documents keep the numbers of their parts."""
    sizes = np.cumsum([0] + [len(part.queries) for part in parts])
    rows: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    rows["query"] = rows["query"] + np.repeat(sizes[:-1], list(map(len, parts)))
    judged = [p.judgements.query + shift for p, shift in zip(parts, sizes, strict=False)]
    return Hits(
        queries=tuple(name for part in parts for name in part.queries),
        returned=np.concatenate([part.returned for part in parts]),
        judgements=Judgements(np.concatenate(judged), np.concatenate([p.judgements.grade for p in parts])),
        max_grade=max(part.max_grade for part in parts),
        **rows,
    )


def _joined(parts: Sequence[Scores]) -> Scores:
    """One table of all; one value per query does not depend on where they were cut."""
    if len(parts) == 1:
        return parts[0]
    values = {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns}
    queries = tuple(query for part in parts for query in part.queries)
    return replace(parts[0], queries=queries, columns=values, ledger=added([part.ledger for part in parts]))
