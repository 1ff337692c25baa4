"""Judgements in groups: each topic has groups of judgements, such as one per judge, which stand by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truerank.core.errors import InputError, Refused, truncated
from truerank.core.hits import Bools, Hits, Judgements
from truerank.core.kernel.names import Names, fields, numbered
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
    """The judgements of groups, one row per judgement.

    Attributes:
        pool: every document that some group judged, once per topic: what is looked for in a run.
        topics: which topics of the pool are here.
        topic: (groups,) the place of each group's topic among these, in ascending order.
        names: the distinct names of groups.
        name: (groups,) the place of each group's name among these.
        group: (judgements,) the group of each, in ascending order.
        part: (judgements,) the subgroup, numbered over all groups; one per group where the file has none.
        doc: (judgements,) the document, as the number of its judgement in the pool.
        grade: (judgements,) the grade.
        lines: (judgements,) the line of each.
    """

    pool: Qrels
    topics: Ints
    topic: Ints
    names: Sequence[bytes]
    name: Ints
    group: Ints
    part: Ints
    doc: Ints
    grade: Floats
    lines: Ints

    def among(self, keep: Bools) -> Groups:
        """Only the groups of some topics; the pool stays.

        Args:
            keep: (topics,) whether each topic stays.
        """
        is_kept = keep[self.topic]
        rows = is_kept[self.group]
        return replace(
            self,
            topics=self.topics[keep],
            topic=(np.cumsum(keep) - 1)[self.topic[is_kept]],
            name=self.name[is_kept],
            group=(np.cumsum(is_kept) - 1)[self.group[rows]],
            part=self.part[rows],
            doc=self.doc[rows],
            grade=self.grade[rows],
            lines=self.lines[rows],
        )

    @cached_property
    def twice(self) -> tuple[Ints, Ints]:
        """Pairs of judgements, the first and a later one, of the same document by the same group."""
        key = self.group * len(self.pool.grades) + self.doc
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(np.diff(key[order]) == 0)
        return order[again], order[again + 1]

    def refuse_repeats(self) -> None:
        """Raise where a group judges a document twice.

        Raises:
            InputError: a group does.
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
            "group": truncated(self.names[int(self.name[group])]),
            "topic": truncated(self.pool.queries[topic]),
        }

    def found(self, hits: Hits) -> Ints:
        """(judgements,) the row of each one's document among the hits of the pool; -1 if it was not returned."""
        row = np.full(len(self.pool.grades), -1)
        row[hits.doc] = np.arange(len(hits))
        return row[self.doc]

    def hits(self, pool: Hits) -> Hits:
        """The hits with one query per group: each group's judgements of the same lists.

        Args:
            pool: the hits of the pool.
        """
        at = self.found(pool)
        there = np.flatnonzero(at >= 0)
        order = there[np.lexsort((pool.rank[at[there]], self.group[there]))]
        best_first = np.lexsort((-self.grade, self.group))
        return replace(
            pool,
            queries=[pool.queries[topic] for topic in self.topic.tolist()],  # each topic once per group
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
        """(topics,) the mean of one value per group."""
        sums: Floats = np.bincount(self.topic, values)  # type: ignore[assignment]
        return sums / np.bincount(self.topic)


def read_groups(path: str, columns: int) -> Groups:
    """Judgements of four columns (topic, group, document, grade), or of five with a subgroup after the group.

    Raises:
        InputError: a line that cannot be read.
    """
    source = as_source(path)
    text = b"".join(block for _, block in source.blocks())
    begin, end, lines = _fields(text, columns, source.name)
    ids = [numbered(text, *map(np.ascontiguousarray, each)) for each in zip(begin.T, end.T, strict=True)]
    (topics, topic), (names, name), (docs, doc) = (_sorted(*ids[place]) for place in (0, 1, -2))
    pool, first, pooled = np.unique(topic * len(docs) + doc, return_index=True, return_inverse=True)
    groups, group = np.unique(topic * len(names) + name, return_inverse=True)
    part = group
    if columns > 4:
        parts, own = _sorted(*ids[2])
        part = np.unique(group * len(parts) + own, return_inverse=True)[1]
    grade = _grades(*ids[-1], lines, source.name)
    order = np.argsort(group, kind="stable")
    of_doc = begin[first, -2], end[first, -2]
    return Groups(
        Qrels.build(topics, pool // len(docs), *of_doc, text, np.zeros(len(pool)), name=source.name),
        np.arange(len(topics)),
        groups // len(names),
        names,
        groups % len(names),
        group[order],
        part[order],
        pooled[order],
        grade[order],
        lines[order],
    )


def _fields(text: bytes, columns: int, source: str) -> tuple[Ints, Ints, Ints]:
    """(rows, columns) where each field begins and ends in the text; (rows,) the lines."""
    try:
        rows = fields(text, columns)
    except Refused as refused:
        said = message("{columns}; this one has {n}", columns=COLUMNS[columns], n=refused.columns)
        raise InputError(said, source, refused.line) from None
    if not len(rows[-1]):
        raise InputError("there are no judgements in it", source)
    return rows


def _sorted(names: Names, which: Ints) -> tuple[Names, Ints]:
    """The distinct names in order, and the place of each name among them."""
    in_order, place = names.in_order()
    return in_order, which if place is None else place[which]


def _grades(texts: Names, which: Ints, lines: Ints, source: str) -> Floats:
    """(rows,) the grades as numbers."""
    numbers = [decimal(text.decode("latin-1")) for text in texts]
    for place in (place for place, number in enumerate(numbers) if number is None):
        where = int(lines[np.argmax(which == place)])
        raise InputError("the grade is no number", source, where)
    return np.array(numbers, np.float64)[which]
