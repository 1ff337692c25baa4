"""What moved between two runs: the queries whose value changed most, and the documents that changed it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, overload

import numpy as np

from truerank.analysis.explain.explanation import Explanation
from truerank.analysis.explain.query import Answer, answers_in, is_one, several
from truerank.analysis.explain.ranking import Kind, Listed
from truerank.core.equal import as_one, difference, is_equal
from truerank.core.errors import InputError, no_such_query, printable
from truerank.core.evaluate import evaluate, opened, read_catalogue, rules_of
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.messages import alternatives, message
from truerank.core.presented import Presented, finite
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.reading import Keep, Reading, refuse_others, run_reading
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import RunLike
from truerank.core.schema import is_whole
from truerank.core.scores import Scores, distinct
from truerank.core.vocabulary import of_judged, resolve
from truerank.formats import read_qrels
from truerank.formats.texts import NOTHING, Snippets, locate, with_text
from truerank.measures import Measure, MeasuresLike

MOST = 10
"""How many queries are told of, unless said otherwise."""

Only = Literal["worse", "better"]
ONLY = get_args(Only)
"""Which queries are told of, where not all that moved are."""


@dataclass(frozen=True)
class Shift:
    """A document of a query, in two runs: a judged one, but where the measure sees all that is listed.

    Attributes:
        doc, grade, kind: the document and its judgement.
        before, after: its rank in each run; None where it has none.
        change: what it adds to the change of the measure; None where the measure is no sum over documents.
    """

    doc: str
    grade: float | None
    kind: Kind
    before: int | None
    after: int | None
    change: float | None


@dataclass(frozen=True)
class QueryDiff:
    """A query whose value differs between two runs.

    Attributes:
        query: its id.
        before, after: its value in each run.
        documents: those that moved it, the weightiest first.
        answered: whether each run answers it.
    """

    query: str
    before: float
    after: float
    documents: tuple[Shift, ...]
    answered: tuple[bool, bool]

    @property
    def change(self) -> float:
        """How much it rose; below 0: fell; NaN where a run has no value of it."""
        return math.nan if math.isnan(self.after - self.before) else float(difference(self.after, self.before))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        documents = [vars(shift) for shift in self.documents]
        return {
            "query": self.query,
            "before": finite(self.before),
            "after": finite(self.after),
            "change": finite(self.change),
            "answered": list(self.answered),
            "documents": documents,
        }


@dataclass(frozen=True, repr=False)
class Diff(Presented):
    """What moved between two runs under a measure.

    Attributes:
        before, after: the names of the runs.
        measure: what is compared.
        means: of each run, over the queries that the means of both include; nan if there are none.
        queries: those that moved most, the farthest first; or the one that was asked for.
        better, worse, same: how many queries rose, fell and stayed.
        uncommon: how many queries the mean of only one run includes.
        rules: under whose rules.
        texts: the beginnings of the texts of queries and documents, where these were given.
    """

    built_by = "explanation"

    before: str
    after: str
    measure: Measure
    means: tuple[float, float]
    queries: tuple[QueryDiff, ...]
    better: int
    worse: int
    same: int
    uncommon: int
    rules: Rules
    texts: Snippets = NOTHING

    def _summary(self) -> str:
        means = f"{self.measure}: {self.means[0]:.4f} to {self.means[1]:.4f}"
        counts = f"{self.better:,} better, {self.worse:,} worse, {self.same:,} the same"
        return f"Diff({self.before!r} to {self.after!r}, {means}; {counts}; rules {self.rules.name!r})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        counts = {name: getattr(self, name) for name in ("better", "worse", "same", "uncommon")}
        return {
            "rules": self.rules.to_dict(),
            "before": self.before,
            "after": self.after,
            "measure": str(self.measure),
            "means": list(map(finite, self.means)),
            **counts,
            "queries": [self._told(move) for move in self.queries],
        }

    def _told(self, move: QueryDiff) -> dict[str, Any]:
        """A query with its text, where there is one, and those of its documents."""
        plain = move.to_dict()
        plain["documents"] = [{**one, **with_text(self.texts.docs, one["doc"])} for one in plain["documents"]]
        return {**plain, **with_text(self.texts.queries, move.query)}


@overload
def diff(
    qrels: QrelsLike | None, run_a: RunLike | Reading, run_b: RunLike | Reading, measure: Measure = ..., *,
    query: str | int | bytes | None = ...,
    most: int = ..., only: Only | None = ..., rules: RulesLike | None = ..., threads: int | None = ...,
    queries: Any = ..., docs: Any = ..., items: Any = ...,
) -> Diff: ...  # fmt: skip


@overload
def diff(
    qrels: QrelsLike | None, run_a: RunLike | Reading, run_b: RunLike | Reading,
    measure: str | Iterable[str | Measure] = ..., *,
    query: str | int | bytes | None = ..., most: int = ..., only: Only | None = ..., rules: RulesLike | None = ...,
    threads: int | None = ..., queries: Any = ..., docs: Any = ..., items: Any = ...,
) -> Any: ...  # fmt: skip


def diff(
    qrels: QrelsLike | None,
    run_a: RunLike | Reading,
    run_b: RunLike | Reading,
    measure: MeasuresLike = "AP",
    *,
    query: str | int | bytes | None = None,
    most: int = MOST,
    only: Only | None = None,
    rules: RulesLike | None = None,
    threads: int | None = None,
    queries: Any = None,
    docs: Any = None,
    items: Any = None,
) -> Diff | list[Diff]:
    """The queries that moved most from one run to another, and the documents that moved them.

    Args:
        qrels, rules, threads: as for `evaluate`; the qrels are None where both runs are `Reading`s.
        run_a, run_b: the run before, and after; or a `Reading` each, of all rows where unjudged = "graded" or a
            measure sees whole lists.
        measure: one; of several, such as "nDCG@10 AP" or a list, there is a list.
        query: tell of this query alone, moved or not.
        most: how many queries to tell of.
        only: tell of those that got worse, or better, alone.
        queries, docs: the texts to show beside ids: a file or {id: text}, see `formats.texts`.
        items: what is known of the documents that could be listed, as for `evaluate`.

    >>> import truerank as tr
    >>> found = tr.diff({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, {"q": ["a", "b", "x"]}, "AP")
    >>> [(move.query, round(move.change, 4)) for move in found.queries]
    [('q', 0.1667)]
    >>> [(shift.doc, shift.before, shift.after, round(shift.change, 4)) for shift in found.queries[0].documents]
    [('b', 3, 2, 0.1667)]
    """
    chosen = several(measure)
    how: dict[str, Any] = {"query": query, "most": most, "only": only, "rules": rules, "threads": threads}
    diffs = diff_each(qrels, run_a, run_b, chosen, **how, queries=queries, docs=docs, items=items)
    return diffs[0] if is_one(measure, chosen) else diffs


def diff_each(
    qrels: QrelsLike | None,
    run_a: RunLike | Reading,
    run_b: RunLike | Reading,
    measures: Sequence[Measure],
    *,
    query: str | int | bytes | None = None,
    most: int = MOST,
    only: Only | None = None,
    rules: RulesLike | None = None,
    threads: int | None = None,
    queries: Any = None,
    docs: Any = None,
    items: Any = None,
) -> list[Diff]:
    """What `diff` tells, for each of any number of measures."""
    if only not in (None, *ONLY):
        raise InputError("only is {known}, not {only!r}", known=alternatives(ONLY), only=only)
    if not is_whole(most) or most < 1:
        raise InputError("most is a whole number of 1 or more, e.g. 10; not {most!r}", most=most)
    runs = opened(run_a), opened(run_b)
    under = rules_of(rules, *runs).by_query(message("runs are compared query by query"))
    judged = None if qrels is None else read_qrels(qrels)
    chosen = of_judged((resolve(measure, under).measure for measure in measures), lists=True)
    known = read_catalogue(items)
    refuse_others(judged, runs)
    a, b = (reading_for(judged, run, chosen, under, threads) for run in runs)
    both = evaluate(a, measures=chosen, items=known), evaluate(b, measures=chosen, items=known)
    one = [] if query is None else [_known(as_bytes(query), a.qrels, both)]
    changes = [_changes(both, measure) for measure in chosen]
    shown = [one or _farthest(m, rose, most, only) for m, rose in zip(chosen, changes, strict=True)]
    keys = list(dict.fromkeys(as_bytes(name) for names in shown for name in names))
    old, new = (answers_in(reading, keys, under) for reading in (a, b))
    answers = [[(old[k].knowing(known), new[k].knowing(known)) for k in map(as_bytes, names)] for names in shown]
    diffs = [_moved(both, *each, under) for each in zip(chosen, changes, answers, strict=True)]
    if queries is None and docs is None:
        return diffs
    asked = list(dict.fromkeys(move.query for each in diffs for move in each.queries))
    named = list(dict.fromkeys(s.doc for each in diffs for move in each.queries for s in move.documents))
    texts = locate(queries, docs, asked, named)
    return [replace(each, texts=texts) for each in diffs]


def reading_for(
    qrels: Qrels | None,
    run: RunLike | Reading,
    measures: Iterable[Measure],
    rules: Rules,
    threads: int | None = None,
) -> Reading:
    """A run with all its documents that can move a value: those that have a grade, or all that are listed."""
    sees_all = rules.unjudged == "graded" or any(measure.definition.sees_lists for measure in measures)
    keep: Keep = "all" if sees_all else "judged"
    return run_reading(qrels, run, rules, keep=keep, threads=threads)


def _went(measure: Measure, change: float) -> Only | None:
    """Which way a query went; None where it stayed."""
    if not change:
        return None
    return "better" if (change > 0) != measure.definition.lower_is_better else "worse"


def _changes(both: tuple[Scores, Scores], measure: Measure) -> dict[str, float]:
    """How much each query rose that is in both means."""
    first, second = (_counted(one, measure) for one in both)
    common = [name for name in first if name in second]
    rose = difference([second[name] for name in common], [first[name] for name in common])
    return dict(zip(common, rose.tolist(), strict=True))


def _counted(scores: Scores, measure: Measure) -> dict[str, float]:
    """The value of each query that the mean includes: a query may have none."""
    values = zip(scores.queries, scores[measure].tolist(), strict=True)
    return {query: value for query, value in values if not math.isnan(value)}


def _moved(
    both: tuple[Scores, Scores],
    measure: Measure,
    changes: dict[str, float],
    answers: Iterable[tuple[Answer, Answer]],
    rules: Rules,
) -> Diff:
    """What moved under one measure."""
    first, second = both
    went = [_went(measure, change) for change in changes.values()]
    before, after = distinct([first.run, second.run])
    return Diff(
        before=before,
        after=after,
        measure=measure,
        means=(_mean(first, measure, changes), _mean(second, measure, changes)),
        queries=tuple(_move(old, new, measure) for old, new in answers),
        better=went.count("better"),
        worse=went.count("worse"),
        same=went.count(None),
        uncommon=len(_counted(first, measure).keys() ^ _counted(second, measure).keys()),
        rules=rules,
    )


def _mean(scores: Scores, measure: Measure, queries: Collection[str]) -> float:
    """The mean over these queries alone; nan where there are none."""
    kept = np.array([query in queries for query in scores.queries], bool)
    return measure.mean(scores[measure][kept]) if kept.any() else math.nan


def _farthest(measure: Measure, changes: dict[str, float], most: int, only: Only | None) -> list[str]:
    """The queries that moved farthest, or farthest for the worse, or the better."""
    moving = sorted(query for query, change in changes.items() if change and only in (None, _went(measure, change)))
    sizes = as_one([abs(changes[query]) for query in moving])
    return [moving[place] for place in np.argsort(-sizes, kind="stable")[:most].tolist()]


def _known(query: bytes, qrels: Qrels, both: tuple[Scores, Scores]) -> str:
    """The id as the scores have it, if both runs have been scored on it."""
    name = as_text(query)
    if query not in qrels.queries:
        raise no_such_query(query, qrels.queries, qrels.name)
    if any(name not in one.queries for one in both):
        raise InputError(
            "query {query} is left out of the mean of a run, under these rules", qrels.name, query=printable(query)
        )
    return name


def _move(a: Answer, b: Answer, measure: Measure) -> QueryDiff:
    """The explanations of two answers to a query side by side."""
    before, after = (answer.explain([measure])[0] for answer in (a, b))
    old, new = _first_places(before), _first_places(after)
    adds = bool(before.shares or after.shares) and all(_is_sum(each) for each in (before, after))
    docs, shifts = list(old | new), []
    shares = ([each.shares.get(doc, 0.0) for doc in docs] for each in (after, before))
    changes = difference(*shares).tolist() if adds else [None] * len(docs)
    for doc, change in zip(docs, changes, strict=True):
        listed, was, now = old.get(doc) or new[doc], _rank(old.get(doc)), _rank(new.get(doc))
        can_move = listed.kind == "relevant" or before.measure.definition.sees_lists
        if change or (change is None and can_move and was != now):
            shifts.append(Shift(doc, listed.grade, listed.kind, was, now, change))
    documents = tuple(sorted(shifts, key=_weight))
    return QueryDiff(before.query, before.value, after.value, documents, (a.is_answered, b.is_answered))


def _is_sum(explanation: Explanation) -> bool:
    """Whether what its documents add comes to the value; Accuracy is 1 without any pair of documents."""
    return is_equal(sum(explanation.shares.values()), explanation.value)


def _first_places(explanation: Explanation) -> dict[str, Listed]:
    """Where each document stands; a repeated one, where it came first."""
    return {listed.doc: listed for listed in reversed(explanation.documents)}


def _rank(listed: Listed | None) -> int | None:
    return listed.rank if listed else None


def _weight(shift: Shift) -> tuple[float, float, str]:
    """Sorts the documents that add most first, and then those whose best rank is best."""
    best = min((rank for rank in (shift.before, shift.after) if rank), default=0)
    return -abs(shift.change or 0.0), best, shift.doc
