"""Qrels, a run, measures and rules in; scores out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.core._names import Names, Texts
from truerank.core.build import build
from truerank.core.equal import are_equal
from truerank.core.errors import InputError, MeasureError, shown
from truerank.core.hits import Bools, Hits
from truerank.core.qrels import Qrels
from truerank.core.reading import scan_units
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.core.scan import Scan
from truerank.core.scores import Ledger, Scores
from truerank.core.swapped import are_swapped
from truerank.core.vocabulary import asked_for, unknown
from truerank.formats import open_run, read_qrels
from truerank.measures import Measure
from truerank.measures.definition import Definition
from truerank.measures.sums import PerQuery

DEFAULT = ("nDCG@10", "AP", "RR", "P@10", "R@100")
"""What is evaluated when neither the call nor the rules name measures."""

EXAMPLES = 5

MEND_MISSING = "missing = 'zero' in the rules scores it 0, 'skip' leaves it out (for a command: --set missing=zero)"
MEND_BARREN = (
    "without_relevant = 'zero' in the rules scores it 0, 'skip' leaves it out "
    "(for a command: --set without_relevant=zero)"
)
MEND_EXTRA = "extra = 'skip' in the rules leaves it out (for a command: --set extra=skip)"


def evaluate(
    qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    rules: Rules | str | dict[str, Any] | None = None,
    threads: int | None = None,
    as_written: bool = False,
) -> Scores:
    """How well a run answers the queries of the qrels.

    Args:
        qrels: a path, {query: {document: grade}}, {query: documents}, a DataFrame, or `Qrels`.
        run: a path ("-" for standard input), {query: {document: score}}, {query: documents, best first},
            a DataFrame, arrays (ids, scores), or a `Run`.
        measures: names such as "nDCG@10", read as the rules read them, or with parameters, which say what they
            mean under any rules; by default those that the rules name, else `DEFAULT`.
        rules: a preset's name, a TOML file, fields that differ from the default, or `Rules`.
        threads: how many may read a large plain file.
        as_written: columns are headed by the names as they were asked for, not by what they became.

    Raises:
        TruerankError: wrong input, an unknown measure or rule; the message says what, where and what now.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}, "RR AP").mean
    {'RR': 0.5, 'AP': 0.5833333333333333}
    """
    rules = Rules.of(rules)
    asked = asked_for(measures if measures is not None else rules.measures or DEFAULT, rules)
    chosen = list(dict.fromkeys(asked.values()))
    if not chosen:
        raise MeasureError("no measure is named; leave measures out for the default, or name some: nDCG@10 AP")
    judged = read_qrels(qrels)
    if not len(judged):
        raise InputError("there are no judgements in it", judged.name)
    judged, run, found = look_up(judged, run, rules, threads)
    scores = score(judged, found, chosen, rules, run.name)
    return replace(scores, asked={word: str(m) for word, m in asked.items()}, as_written=as_written)


def score(qrels: Qrels, found: Scan, measures: list[Measure], rules: Rules, name: str) -> Scores:
    """What a run scores whose judged documents were found already, by whatever door it came in.

    Args:
        measures: as the rules read them: see `measures_under`.
    """
    everyone = build(qrels, found)
    hits = _kept(everyone, rules, name)
    swapped = are_swapped(everyone)
    barren = _barren(everyone if rules.without_relevant == "skip" else hits, rules)
    del everyone
    final = hits.under(rules)
    tied = np.concatenate([_depends_on_ties(part, measures, rules) for part in hits.parts()])
    ledger = _ledger(qrels, found, final, tied, barren, rules)
    values = _values(measures, final, rules)  # last: of a million queries they are most of the memory
    ledger = replace(ledger, swapped=swapped, undefined=_undefined(values), foreign=unknown(measures, rules))
    return Scores(_named(hits.queries), tuple(measures), values, rules, ledger, name)


def rank(
    qrels: Any, run: Any, *, rules: Rules | str | dict[str, Any] | None = None, threads: int | None = None
) -> Hits:
    """The hits table itself: where the judged documents came back. Arguments as for `evaluate`.

    >>> import truerank as tr
    >>> tr.rank({"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}).rank.tolist()
    [2, 3]
    """
    rules = Rules.of(rules)
    qrels, run, found = look_up(qrels, run, rules, threads)
    return ranked(qrels, found, rules, run.name)


def ranked(qrels: Qrels, found: Scan, rules: Rules, name: str) -> Hits:
    """The hits of a run whose judged documents were found already, by whatever door it came in."""
    return _kept(build(qrels, found), rules, name).under(rules)


def look_up(qrels: Any, run: Any, rules: Rules, threads: int | None = None) -> tuple[Qrels, Run, Scan]:
    """The judgements and the run as the rules have them, and where the judged documents came back."""
    qrels, run = as_ruled(read_qrels(qrels), rules), open_run(run)
    qrels, found = scan_units(qrels, run, rules, threads)
    if rules.empty == "missing":
        found = replace(found, returned=np.where(found.returned == 0, -1, found.returned))
    if found.extra and rules.extra == "error":
        first = shown(found.extra[0])
        raise InputError(f"query {first} is not judged; {MEND_EXTRA}", run.name)
    return qrels, run, found


def as_ruled(qrels: Qrels, rules: Rules) -> Qrels:
    """The qrels as the rules have them: what of a document that has the query's own id."""
    if rules.self_match == "keep":
        return qrels
    return qrels.ignoring_self(keeping=rules.self_match == "remove-from-answers")


def _kept(hits: Hits, rules: Rules, name: str) -> Hits:
    """The hits of the queries that the rules let into the mean."""
    missing = hits.returned < 0
    if missing.any() and rules.missing == "error":
        first = shown(hits.queries[int(np.argmax(missing))])
        raise InputError(f"query {first} is judged but not answered; {MEND_MISSING}", name)
    keep = np.ones(len(hits.queries), bool)
    if rules.missing == "skip":
        keep &= ~missing
    if rules.without_relevant in ("skip", "error"):
        answerable = hits.relevant_total(rules.level) > 0
        if rules.without_relevant == "error" and not answerable.all():
            first = shown(hits.queries[int(np.argmin(answerable))])
            raise InputError(f"query {first} has no relevant document; {MEND_BARREN}", name)
        keep &= answerable
    hits = replace(hits, returned=np.maximum(hits.returned, 0))
    return hits if keep.all() else hits.select(keep)


def _values(measures: list[Measure], hits: Hits, rules: Rules) -> dict[str, PerQuery]:
    values = {str(measure): np.empty(len(hits.queries)) for measure in measures}
    done = 0
    for part in hits.parts():
        rows = slice(done, done := done + len(part.queries))
        for measure in measures:
            values[str(measure)][rows] = valued(measure, part, rules)
    return values


def valued(measure: Measure, hits: Hits, rules: Rules) -> PerQuery:
    """The measure under the rules: what it leaves open, and queries that have nothing to find.

    NaN where the rules say that the measure has no value.
    """
    values = measure.values(seen_by(measure, hits, rules), level=rules.level, rounding=rules.recall_points)
    if rules.without_relevant == "undefined":
        return np.where(measure.is_defined(hits, rules.level), values, np.nan)
    if not is_ruled(measure, rules):
        return values
    is_right = np.ones(len(values), bool) if rules.without_relevant == "one" else hits.returned == 0
    nothing = hits.relevant_total(rules.level) == 0
    return np.where(nothing, is_right != measure.definition.is_less_better, values)


def is_ruled(measure: Measure, rules: Rules) -> bool:
    """Whether the rules set the value of a query that has nothing to find; one of what was judged stays."""
    says = rules.without_relevant in ("empty-is-right", "one")
    return says and measure.definition.unit and not measure.definition.is_of_judgements


def seen_by(measure: Measure, hits: Hits, rules: Rules) -> Hits:
    """The hits as a measure sees them: where unjudged documents have a grade, with a row for each.

    Raises:
        MeasureError: the measure cannot be had of documents that were given a grade, or of cut groups of ties.
    """
    definition = measure.definition
    if cuts_first(rules) and dict(measure.params).get("ties", "ordered") != "ordered":
        raise MeasureError(
            f"{measure} cannot be had where the depth ({rules.depth}) cuts lists before unjudged documents are "
            "removed: which of a group of equal scores are cut depends on its order. Say depth_of = 'left' in the "
            "rules (--set depth_of=left), or leave the depth out and name a cutoff: nDCG@10"
        )
    if rules.unjudged != "graded" or (definition.sees_judged and not definition.divides_by):
        return hits
    if not definition.takes_grades:
        raise MeasureError(f"{measure} cannot be had under unjudged = 'graded': {_why_not(definition)}")
    return hits.with_unjudged(rules.unjudged_grade, dict(measure.params).get("k"))


def cuts_first(rules: Rules) -> bool:
    """Whether lists are cut before unjudged documents leave them."""
    return rules.unjudged == "removed" and rules.depth_of == "returned" and rules.depth is not None


def _why_not(definition: Definition) -> str:
    if definition.sees_judged:
        return "it tells documents judged wrong from unjudged ones, and under these rules none are unjudged"
    if definition.divides_by:
        return (
            "it is about all that could be found, and nobody knows how many unjudged documents there are; those of "
            "the first results can be had: nDCG@10, P@10, RR@10, ERR@10"
        )
    return "it does not say that it looks at the list alone (takes_grades=True where it is registered)"


def _depends_on_ties(hits: Hits, measures: list[Measure], rules: Rules) -> Bools:
    """(queries,) whether some measure changes when equal scores are put in their best or worst order."""
    tied = np.bincount(hits.query[hits.tied], minlength=len(hits.queries)) > 0
    if tied.any():
        part = hits.select(tied)
        asking = [m for m in measures if m.definition.sees_judged]
        moved = _moved(measures, part.reordered(True), part.reordered(False), rules)
        tied[tied] = moved | _moved(asking, part.judged_together(True), part.judged_together(False), rules)
    return tied


def _moved(measures: list[Measure], one: Hits, other: Hits, rules: Rules) -> Bools:
    """(queries,) whether some measure differs between two orders."""
    moved = np.zeros(len(one.queries), bool)
    if measures:
        first, second = one.under(rules), other.under(rules)
        for m in measures:
            moved |= ~are_equal(valued(m, first, rules), valued(m, second, rules))
    return moved


def _undefined(values: dict[str, PerQuery]) -> dict[str, int]:
    """How many queries have no value of a measure, of those measures that lack some."""
    lacking = {name: int(np.isnan(each).sum()) for name, each in values.items()}
    return {name: number for name, number in lacking.items() if number}


def _barren(hits: Hits, rules: Rules) -> _Few:
    """The queries that have nothing to find."""
    return _few(hits.queries, np.concatenate([part.relevant_total(rules.level) == 0 for part in hits.parts()]))


_Few = tuple[int, Sequence[bytes]]
"""How many queries there are of a kind, and the first of them."""


def _few(queries: Sequence[bytes], which: Bools) -> _Few:
    rows = np.flatnonzero(which)
    return len(rows), [queries[i] for i in rows[:EXAMPLES].tolist()]


def _ledger(qrels: Qrels, found: Scan, hits: Hits, tied: Bools, barren: _Few, rules: Rules) -> Ledger:
    groups: dict[str, _Few] = {
        "missing": _few(qrels.queries, found.returned < 0),
        "extra": (len(found.extra), found.extra[:EXAMPLES]),
        "without_relevant": barren,
        "tied": _few(hits.queries, tied),
    }
    counts: dict[str, Any] = {key: count for key, (count, _) in groups.items()}
    returned = int(hits.returned.sum())
    return Ledger(
        judged=len(qrels),
        evaluated=len(hits.queries),
        answered=int((found.returned >= 0).sum()),
        returned=returned,
        unjudged=returned - int((hits.grade >= 0).sum()),
        duplicates=found.repeated,
        interleaved=found.interleaved,
        examples={key: _names(names) for key, (count, names) in groups.items() if count},
        **counts,
    )


def _named(queries: Sequence[bytes]) -> Sequence[str]:
    return Texts(queries) if isinstance(queries, Names) else _names(queries)


def _names(queries: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "surrogateescape") for name in queries)
