"""Judgements by several judges: of each topic there are groups of them, and each group judges by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truerank.core.errors import InputError, truncated
from truerank.core.hits import Bools, Hits, Judgements
from truerank.core.messages import message
from truerank.core.qrels import Floats, Ints, Qrels
from truerank.formats.source import as_source
from truerank.interop.trec_eval.numerals import decimal

COLUMNS = {
    4: message("a line has 4 columns: topic, group, document, grade"),
    5: message("a line has 5 columns: topic, group, subgroup, document, grade"),
}


@dataclass(frozen=True, eq=False)
class Groups:
    """What the groups said, a row a judgement.

    Attributes:
        pool: each document that some group judged, once a topic: what a run is looked through for.
        topics: which of the pool's topics there are.
        topic: (groups,) which of these is each one's; topics do not fall.
        names: (groups,) what each is called.
        group: (judgements,) the group of each; groups do not fall.
        part: (judgements,) the subgroup, numbered over all groups; one a group where the file has none.
        doc: (judgements,) which of the pool's judgements.
        grade: (judgements,)
        lines: (judgements,) the line of each.
    """

    pool: Qrels
    topics: Ints
    topic: Ints
    names: Sequence[bytes]
    group: Ints
    part: Ints
    doc: Ints
    grade: Floats
    lines: Ints

    def among(self, keep: Bools) -> Groups:
        """Those of some topics alone; the pool stays.

        Args:
            keep: (topics,) which.
        """
        is_kept = keep[self.topic]
        rows = is_kept[self.group]
        return replace(
            self,
            topics=self.topics[keep],
            topic=(np.cumsum(keep) - 1)[self.topic[is_kept]],
            names=[name for name, kept in zip(self.names, is_kept.tolist(), strict=True) if kept],
            group=(np.cumsum(is_kept) - 1)[self.group[rows]],
            part=self.part[rows],
            doc=self.doc[rows],
            grade=self.grade[rows],
            lines=self.lines[rows],
        )

    @cached_property
    def twice(self) -> tuple[Ints, Ints]:
        """Judgements, and later ones, of the same document by the same group."""
        key = self.group * len(self.pool.grades) + self.doc
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(np.diff(key[order]) == 0)
        return order[again], order[again + 1]

    def refuse_repeats(self) -> None:
        """A group judges a document once.

        Raises:
            InputError: it judges one twice.
        """
        first, second = self.twice
        if len(first):
            said = message(
                "document {doc} is judged twice by group {group} of topic {topic} (first in line {first}); "
                "keep one of them",
                first=int(self.lines[first[0]]),
                **self.named(int(second[0])),
            )
            raise InputError(said, self.pool.name, int(self.lines[second[0]]))

    def named(self, row: int) -> dict[str, str]:
        """The document, the group and the topic of a judgement, as messages name them."""
        group = int(self.group[row])
        topic = int(self.topics[self.topic[group]])
        doc = self.pool.doc(int(self.doc[row]))
        return {
            "doc": truncated(doc),
            "group": truncated(self.names[group]),
            "topic": truncated(self.pool.queries[topic]),
        }

    def found(self, hits: Hits) -> Ints:
        """(judgements,) the row of its document among the hits of the pool; -1 for one that was not returned."""
        row = np.full(len(self.pool.grades), -1)
        row[hits.doc] = np.arange(len(hits))
        return row[self.doc]

    def hits(self, pool: Hits) -> Hits:
        """The hits with a query a group: each group's judgements of the same lists.

        Args:
            pool: the hits of the pool.
        """
        at = self.found(pool)
        there = np.flatnonzero(at >= 0)
        order = there[np.lexsort((pool.rank[at[there]], self.group[there]))]
        best_first = np.lexsort((-self.grade, self.group))
        return replace(
            pool,
            queries=[pool.queries[topic] for topic in self.topic.tolist()],  # one topic as often as it has groups
            returned=pool.returned[self.topic],
            judgements=Judgements(self.group, self.grade[best_first]),
            max_grade=max(0.0, float(self.grade.max(initial=0))),
            beyond=None,
            query=self.group[order],
            grade=self.grade[order],
            doc=order,
            **{name: getattr(pool, name)[at[order]] for name in ("rank", "score", "first", "last")},
        )

    def mean(self, values: Floats) -> Floats:
        """(topics,) the mean of a value a group."""
        sums: Floats = np.bincount(self.topic, values)  # type: ignore[assignment]
        return sums / np.bincount(self.topic)


def read_groups(path: str, columns: int) -> Groups:
    """Judgements of four columns (topic, group, document, grade), or of five with a subgroup behind the group.

    Raises:
        InputError: a line that cannot be read.
    """
    source = as_source(path)
    rows: list[list[bytes]] = []
    for _, block in source.blocks():
        rows += map(bytes.split, block.removesuffix(b"\n").split(b"\n"))
    lines = [number for number, row in enumerate(rows, 1) if row and not row[0].startswith(b"#")]
    if len(lines) < len(rows):
        rows = [rows[number - 1] for number in lines]
    if not rows:
        raise InputError("there are no judgements in it", source.name)
    for number, row in zip(lines, rows, strict=True) if set(map(len, rows)) != {columns} else ():
        if len(row) != columns:
            said = message("{columns}; this one has {n}", columns=COLUMNS[columns], n=len(row))
            raise InputError(said, source.name, number)
    topics, names, *parts, docs, grades = zip(*rows, strict=True)
    texts = {text: decimal(text.decode("latin-1")) for text in set(grades)}
    if None in texts.values():
        where = next(n for n, text in zip(lines, grades, strict=True) if texts[text] is None)
        raise InputError("the grade is no number", source.name, where)
    values = np.array([texts[text] for text in grades], np.float64)
    return _grouped(topics, names, parts[0] if parts else None, docs, values, np.array(lines), source.name)


def _grouped(
    topics: Sequence[bytes],
    names: Sequence[bytes],
    parts: Sequence[bytes] | None,
    docs: Sequence[bytes],
    grade: Floats,
    lines: Ints,
    source: str,
) -> Groups:
    """Groups from one row a judgement, in any order."""
    topic_ids, topic = _numbered(topics)
    name_ids, name = _numbered(names)
    doc_ids, doc = _numbered(docs)
    pool, pooled = np.unique(topic * len(doc_ids) + doc, return_inverse=True)
    groups, group = np.unique(topic * len(name_ids) + name, return_inverse=True)
    part = group
    if parts is not None:
        part_ids, part = _numbered(parts)
        part = np.unique(group * len(part_ids) + part, return_inverse=True)[1]
    order = np.argsort(group, kind="stable")
    query, named = np.divmod(pool, len(doc_ids))
    every = [doc_ids[number] for number in named.tolist()]
    return Groups(
        Qrels.from_rows(topic_ids, query, every, np.zeros(len(pool)), name=source),
        np.arange(len(topic_ids)),
        groups // len(name_ids),
        [name_ids[number] for number in (groups % len(name_ids)).tolist()],
        group[order],
        part[order],
        pooled[order],
        grade[order],
        lines[order],
    )


def _numbered(names: Sequence[bytes]) -> tuple[list[bytes], Ints]:
    """The different names, sorted, and which of them each is."""
    known = sorted(set(names))
    place = dict(zip(known, range(len(known)), strict=True))
    return known, np.fromiter(map(place.__getitem__, names), np.int64, len(names))
