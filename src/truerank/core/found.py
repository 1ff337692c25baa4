"""From what the kernel found in a run to hits, with the grades of the judgements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from truerank.core.errors import RulesError
from truerank.core.hits import COLUMNS, EXACT, PART, UNJUDGED, Hits, Judgements
from truerank.core.kernel.scanning import in_columns
from truerank.core.qrels import Floats, Ints, Qrels
from truerank.core.rules import Rules
from truerank.core.scan import EVERY_RANK, Scan

if TYPE_CHECKING:
    from truerank.core.aspects import Aspects


def hits_of(qrels: Qrels, scan: Scan) -> Hits:
    """The hits of a run, over all judged queries; an unanswered one has -1 documents returned."""
    grades = qrels.grades
    columns: dict[str, Any]
    if len(qrels) > PART and len(scan.tables) == 1 and not _fall(scan.table["query"]):
        columns = {name: scan.table[name] for name in COLUMNS if name != "grade"}  # `parts` copies a few at a time
    else:
        columns = in_columns(scan.tables, len(qrels))
    hits = Hits(
        queries=qrels.queries,
        returned=scan.returned,
        judgements=_judgements(qrels),
        max_grade=qrels.max_grade,
        grade=_graded(grades, columns["doc"]),
        aspects=_with_ids(qrels),
        calls=scan.calls,
        **columns,
    )
    return _without_ignored(hits) if np.count_nonzero(np.isnan(grades)) else hits


def _fall(numbers: Ints) -> bool:
    """Whether some number is less than the one before it."""
    return bool(np.count_nonzero(numbers[1:] < numbers[:-1]))


MANY = 1 << 10
"""Judgements whose sorting takes longer than finding out that a faster way will do."""

_JUDGEMENTS: WeakKeyDictionary[Qrels, Judgements] = WeakKeyDictionary()
"""What was sorted once: the same qrels are often asked for many runs."""


def _judgements(qrels: Qrels) -> Judgements:
    """All grades, best first within each query."""
    if qrels not in _JUDGEMENTS:
        query, grade = qrels.to_find
        best = _best_first(query, grade)
        best.setflags(write=False)  # every measure reads them, also measures of other packages
        _JUDGEMENTS[qrels] = Judgements(query, best)
    return _JUDGEMENTS[qrels]


def _with_ids(qrels: Qrels) -> Aspects | None:
    """The aspects, with the ids of their documents."""
    aspects = qrels.aspects
    return None if aspects is None else replace(aspects, ids=(qrels.begin, qrels.end, qrels.text))


def _best_first(query: Ints, grade: Floats) -> Floats:
    """(judgements,) the grades sorted, best first, within each query; queries do not fall."""
    if not np.count_nonzero((query[1:] == query[:-1]) & ~(grade[1:] <= grade[:-1])):
        return grade  # in order already, as where each query has one judgement: no copy
    if len(grade) < MANY or not np.isfinite(grade).all():
        return grade[np.lexsort((-grade, query))]
    top = float(grade.max())
    span = top - float(grade.min()) + 1  # of Python's floats, which overflow without a warning
    if (grade != np.floor(grade)).any() or not span * (int(query.max()) + 1) < EXACT:
        return grade[np.lexsort((-grade, query))]
    keys = np.asarray(query * span, np.float64)  # whole numbers that floats hold: one array to sort
    keys += top - grade
    keys.sort()
    keys -= query * span
    sorted_grades: Floats = top - keys
    return sorted_grades


def _graded(grades: Floats, doc: Ints) -> Floats:
    """The grade of each document; `UNJUDGED` for those numbered after the judged ones."""
    is_judged = doc < len(grades)
    if np.count_nonzero(is_judged) == len(doc):
        return grades[doc]
    graded = np.full(len(doc), UNJUDGED)
    graded[is_judged] = grades[doc[is_judged]]
    return graded


def _without_ignored(hits: Hits) -> Hits:
    """The hits when the documents graded NaN had never been in the lists."""
    ignored = np.isnan(hits.grade)
    if not np.count_nonzero(ignored):
        return hits
    width = int(hits.last.max()) + 2
    gone = hits.query[ignored] * width + hits.rank[ignored]
    tied_gone = np.sort(hits.query[ignored] * width + hits.first[ignored])
    base = np.searchsorted(gone, hits.query * width)

    calls = hits.calls
    if calls is not None:
        calls = replace(calls, end=calls.end - calls.up_to(hits.query[ignored], hits.rank[ignored]))

    def before(rank: Ints, keys: Ints) -> Ints:
        return np.searchsorted(keys, hits.query * width + rank, side="left") - base

    moved = replace(
        hits,
        rank=hits.rank - before(hits.rank, gone),
        first=hits.first - before(hits.first, tied_gone),
        last=hits.last - before(hits.last + 1, tied_gone),
        returned=hits.returned - np.bincount(hits.query[ignored], minlength=len(hits.queries)),
        calls=calls,
    )
    return moved.where(~ignored)


_RULED: WeakKeyDictionary[Qrels, dict[tuple[str, str], Qrels]] = WeakKeyDictionary()
"""Judgements as rules have them: many parts are read with the same."""


def as_ruled(qrels: Qrels, rules: Rules) -> Qrels:
    """The qrels under the rules for the second column, and for a document with the query's own id.

    Raises:
        RulesError: such documents have been ignored under another rule, so that their grades are not known.
    """
    if qrels.self_match not in ("keep", rules.self_match):
        raise RulesError(
            "{name}: documents with the query's own id were ignored when a run was read with these judgements, "
            "under self_match = {own!r}; for {wanted!r} give the qrels as they were",
            name=qrels.name,
            own=qrels.self_match,
            wanted=rules.self_match,
        )
    is_own = qrels.aspects is None or qrels.aspects.is_named or rules.iteration == "aspect"
    is_one = qrels.aspects is None and qrels.second is not None and rules.iteration == "aspect"
    if rules.self_match == "keep" and is_own and not is_one:
        return qrels  # and is not known of itself, which would keep it for ever
    known = _RULED.setdefault(qrels, {})
    key = rules.self_match, rules.iteration
    if key not in known:
        used = qrels.of_one_aspect() if is_one else qrels if is_own else qrels.without_aspects()
        known[key] = used if rules.self_match == "keep" else used.ignoring_self(rules.self_match)
    return known[key]


def grades_to_find(qrels: Qrels) -> Floats:
    """(judgements,) the grades, also of ignored documents that still count as to be found."""
    grades = qrels.grades.copy()
    for row in np.flatnonzero(np.isnan(grades)).tolist() if qrels.apart else ():
        query = qrels.queries[qrels.query[row]]
        if qrels.doc(row) == query:
            grades[row] = qrels.apart.get(query, np.nan)
    return grades


def ignoring_selves(qrels: Qrels, scan: Scan, rule: str) -> tuple[Qrels, Scan]:
    """Qrels that have no judgements, and a scan of all rows, with documents of the query's own id ignored."""
    ignoring, ids, table = qrels.ignoring_self(rule), scan.unjudged, scan.table.copy()
    query, doc = table["query"].copy(), table["doc"].copy()
    own = ignoring.judged.find_each(query, np.append(0, ids.ends)[doc], ids.ends[doc], ids.text)
    table["doc"] = np.where(own < 0, doc + len(ignoring.grades), own)
    return ignoring, scan._replace(tables=[table])


def ranks_read(qrels: Qrels, kept: int) -> int:
    """The rank down to which unjudged documents are read, so that `kept` ranks remain without ignored documents."""
    if not kept or not (ignored := np.isnan(qrels.grades)).any():
        return kept
    return min(EVERY_RANK, kept + int(np.bincount(qrels.query[ignored]).max()))


def first_ranks(rows: Hits, kept: int) -> Hits:
    """The hits, with unjudged documents only in the first `kept` ranks; ignored documents have left by now."""
    return rows if kept == EVERY_RANK else rows.where((rows.grade > UNJUDGED) | (rows.rank <= kept))
