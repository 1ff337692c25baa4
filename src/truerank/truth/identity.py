"""References of the same identity are right."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from truerank.core.errors import InputError, RulesError, printable
from truerank.core.ids import stretches
from truerank.core.mappings import IGNORED
from truerank.core.schema import is_whole
from truerank.truth.items import Ints, Items, Texts
from truerank.truth.registry import rule
from truerank.truth.result import Pairs


@rule("identity")
def identity(
    queries: Items, references: Items, *, ignore_same: str | None = "camera", ignore_label: str | int | None = "-1"
) -> Pairs:
    """The references that show the same identity are right, but for those of the query's own camera.

    As Market-1501 has it (Zheng et al., 2015): what is ignored leaves the query's list before ranks exist.

    Args:
        ignore_same: "camera": pairs of the same identity and the same camera are ignored, where both sides have
            cameras; of one side alone they are refused. None: they are right.
        ignore_label: references with this label, which are no one, are ignored for every query; None: none are.

    >>> from truerank import truth
    >>> queries = [{"id": "q", "label": 7, "camera": 1}]
    >>> gallery = [{"id": "a", "label": 7, "camera": 1}, {"id": "b", "label": 7, "camera": 2}]
    >>> truth.identity(queries, [*gallery, {"id": "c", "label": -1}]).to_dict()
    {'q': {'a': nan, 'b': 1.0, 'c': nan}}
    """
    if ignore_same not in ("camera", None):
        raise RulesError("identity: ignore_same is 'camera' or None, not {ignore_same!r}", ignore_same=ignore_same)
    if ignore_label is not None and not (isinstance(ignore_label, str) or is_whole(ignore_label)):
        raise RulesError(
            "identity: ignore_label is text, a whole number or None, not {ignore_label!r}",
            ignore_label=ignore_label,
        )
    asked, there = _labels(queries), _labels(references)
    query, reference = _same(asked, there)
    grade = np.ones(len(query))
    if ignore_same and (queries.camera or references.camera):
        own, other = _coded(*_cameras(queries, references))
        grade[(own[query] == other[reference]) & (own[query] >= 0)] = IGNORED
    junk = np.array([ignore_label is not None and label == str(ignore_label) for label in there])
    kept = ~junk[reference]
    rows, columns = np.nonzero(np.ones((len(queries), int(junk.sum())), bool))
    query = np.concatenate([query[kept], rows])
    reference = np.concatenate([reference[kept], np.flatnonzero(junk)[columns]])
    grade = np.concatenate([grade[kept], np.full(len(rows), IGNORED)])
    return Pairs(query, reference, np.full(len(query), np.nan), grade)


def _cameras(queries: Items, references: Items) -> tuple[Texts, Texts]:
    """The cameras of both sides: with those of one side alone, nothing could be left out."""
    if queries.camera and references.camera:
        return queries.camera, references.camera
    given, lacking = (queries, references) if queries.camera else (references, queries)
    raise InputError(
        "there are cameras of {given}, and none here: name them, camera=…, or say that pairs of one camera count, "
        "identity(ignore_same=None)",
        lacking.name,
        given=given.name,
    )


def _labels(items: Items) -> Texts:
    if items.label is None:
        raise InputError("the items have no labels; name them: label=…", items.name)
    if None in items.label:
        row = items.label.index(None)
        raise InputError("{item} has no label", items.name, item=printable(items.ids[row]))
    return items.label


def _same(asked: Texts, there: Texts) -> tuple[Ints, Ints]:
    """(query, reference) of all pairs with one label."""
    one, other = _coded(asked, there)
    order = np.argsort(other, kind="stable")
    first, last = (np.searchsorted(other[order], one, side=side) for side in ("left", "right"))
    place, query = stretches(first, last - first)
    return query, order[place]


def _coded(one: Sequence[Hashable], other: Sequence[Hashable]) -> tuple[Ints, Ints]:
    """Both as numbers, the same for equal texts; -1 for None."""
    codes = {text: number for number, text in enumerate(dict.fromkeys([*one, *other])) if text is not None}
    coded = [np.array([codes.get(text, -1) for text in texts], np.int64) for texts in (one, other)]
    return coded[0], coded[1]
