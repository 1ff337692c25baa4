"""Qrels, a run, measures and rules in; scores out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.core._names import Names, Texts
from truerank.core.equal import are_equal
from truerank.core.errors import InputError, MeasureError, printable
from truerank.core.hits import Bools, Hits
from truerank.core.messages import Message, message
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.reading import EVERY_RANK, Keep, Reading, lacking, read
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import RunLike
from truerank.core.scores import Ledger, Scores
from truerank.core.swapped import are_swapped
from truerank.core.unjudged import with_unjudged
from truerank.core.vocabulary import asked_for, checked, unknown
from truerank.formats import read_qrels
from truerank.measures import Measure, MeasuresLike
from truerank.measures.definition import Definition
from truerank.measures.sums import PerQuery

DEFAULT = ("nDCG@10", "AP", "RR", "P@10", "R@100")
"""What is evaluated when neither the call nor the rules name measures."""

EXAMPLES = 5

NO_RUN = message("there is no run; give one, or a Reading in place of the qrels")


def evaluate(
    qrels: QrelsLike | Reading,
    run: RunLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = None,
    threads: int | None = None,
    as_written: bool = False,
) -> Scores:
    """How well a run answers the queries of the qrels.

    Args:
        qrels: a path, {query: {document: grade}}, {query: documents}, a DataFrame, or `Qrels`; or a `Reading`, with
            which the run is left out.
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
    under = rules_of(qrels, rules)
    asked = asked_for(measures if measures is not None else under.measures or DEFAULT, under)
    chosen = list(dict.fromkeys(asked.values()))
    if not chosen:
        raise MeasureError("no measure is named; leave measures out for the default, or name some: nDCG@10 AP")
    judged = qrels if isinstance(qrels, Reading) else read_qrels(qrels)
    if not len(judged):
        source = judged.qrels if isinstance(judged, Reading) else judged
        raise InputError("there are no judgements in it", source.name)
    scores = score(reading_of(judged, run, under, threads=threads), chosen)
    return replace(scores, asked={word: str(m) for word, m in asked.items()}, as_written=as_written)


def rank(
    qrels: QrelsLike | Reading,
    run: RunLike | None = None,
    *,
    rules: RulesLike | None = None,
    threads: int | None = None,
) -> Hits:
    """The hits table itself: the ranks of the judged documents. Arguments as for `evaluate`.

    >>> import truerank as tr
    >>> tr.rank({"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}).rank.tolist()
    [2, 3]
    """
    return ranked(reading_of(qrels, run, rules_of(qrels, rules), threads=threads))


def score(reading: Reading, measures: list[Measure]) -> Scores:
    """What a run scores that was read already, by whatever door it came in.

    Args:
        measures: as the rules read them: see `measures_under`.
    """
    rules = reading.rules
    hits = in_mean(reading.hits, rules, reading.name)
    final = hits.under(rules)
    tied = np.concatenate([_depends_on_ties(part, measures, rules) for part in hits.parts()])
    barren = _barren(reading.hits if rules.without_relevant == "skip" else hits, rules)
    ledger = replace(_ledger(reading, final, tied, barren), swapped=are_swapped(reading.hits))
    values = _values(measures, final, rules)  # last: of a million queries they are most of the memory
    ledger = replace(ledger, undefined=_undefined(values), foreign=unknown(measures, rules))
    return Scores(_named(hits.queries), tuple(measures), values, rules, ledger, reading.name)


def ranked(reading: Reading) -> Hits:
    """The hits of the queries that are in the mean, when all rules were applied."""
    return in_mean(reading.hits, reading.rules, reading.name).under(reading.rules)


def rules_of(qrels: object, rules: RulesLike | None) -> Rules:
    """The rules that are given, or else those of the reading that stands in place of the qrels."""
    return qrels.rules if rules is None and isinstance(qrels, Reading) else checked(Rules.of(rules))


def reading_of(
    qrels: QrelsLike | Reading | None,
    run: RunLike | None,
    rules: Rules,
    *,
    keep: Keep = "judged",
    threads: int | None = None,
) -> Reading:
    """The reading that is given in place of qrels and run, or that of a run against its qrels.

    Raises:
        InputError: there is no run, or one beside a reading; the reading has not the rows that are needed.
        RulesError: the reading would have to be another one under these rules.
    """
    if not isinstance(qrels, Reading):
        if run is None:
            raise InputError(NO_RUN)
        return read(qrels, run, rules=rules, keep=keep, threads=threads)
    if run is not None:
        raise InputError(
            "a Reading has its run already; leave the run out, and name measures by measures=", qrels.name
        )
    needed = keep if isinstance(keep, int) else {"judged": 0, "all": EVERY_RANK}[keep]
    if qrels.kept < needed:
        raise InputError(lacking(keep), qrels.name)
    return qrels if rules == qrels.rules else qrels.under(rules)


def run_reading(
    qrels: Qrels | None,
    run: RunLike | Reading,
    rules: Rules,
    *,
    keep: Keep = "judged",
    threads: int | None = None,
) -> Reading:
    """The reading of one of several runs, which may be given in place of the run; otherwise there are qrels.

    Raises:
        InputError, RulesError: as for `reading_of`; or there are no qrels.
    """
    if isinstance(run, Reading):
        return reading_of(run, None, rules, keep=keep)
    if qrels is None:
        raise InputError(
            "qrels are needed where a run is not read yet: give them, or a Reading with keep={keep!r}", keep=keep
        )
    return reading_of(qrels, run, rules, keep=keep, threads=threads)


def in_mean(hits: Hits, rules: Rules, name: str) -> Hits:
    """The hits of the queries that the rules let into the mean."""
    missing = hits.returned < 0
    if missing.any() and rules.missing == "error":
        first = printable(hits.queries[int(np.argmax(missing))])
        raise InputError(
            "query {query} is judged but not answered; missing = 'zero' in the rules scores it 0, 'skip' leaves it "
            "out (for a command: --set missing=zero)",
            name,
            query=first,
        )
    keep = np.ones(len(hits.queries), bool)
    if rules.missing == "skip":
        keep &= ~missing
    if rules.without_relevant in ("skip", "error"):
        answerable = hits.relevant_total(rules.level) > 0
        if rules.without_relevant == "error" and not answerable.all():
            first = printable(hits.queries[int(np.argmin(answerable))])
            raise InputError(
                "query {query} has no relevant document; without_relevant = 'zero' in the rules scores it 0, "
                "'skip' leaves it out (for a command: --set without_relevant=zero)",
                name,
                query=first,
            )
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
    return np.where(nothing, is_right != measure.definition.lower_is_better, values)


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
            "{measure} cannot be had where the depth ({depth}) cuts lists before unjudged documents are "
            "removed: which of a group of equal scores are cut depends on its order. Say depth_of = "
            "'left' in the rules (--set depth_of=left), or leave the depth out and name a cutoff: nDCG@10",
            measure=measure,
            depth=rules.depth,
        )
    if rules.unjudged != "graded" or (definition.sees_judged and not definition.divides_by):
        return hits
    if not definition.takes_grades:
        raise MeasureError(
            "{measure} cannot be had under unjudged = 'graded': {why}",
            measure=measure,
            why=_why_not(definition),
        )
    return with_unjudged(hits, rules.unjudged_grade, dict(measure.params).get("k"))


def cuts_first(rules: Rules) -> bool:
    """Whether lists are cut before unjudged documents leave them."""
    return rules.unjudged == "removed" and rules.depth_of == "returned" and rules.depth is not None


def _why_not(definition: Definition) -> Message:
    if definition.sees_judged:
        return message(
            "it tells documents judged wrong from unjudged ones, and under these rules none are unjudged"
        )
    if definition.divides_by:
        return message(
            "it is about all that could be found, and nobody knows how many unjudged documents there are; those of "
            "the first results can be had: nDCG@10, P@10, RR@10, ERR@10"
        )
    return message("it does not say that it looks at the list alone (takes_grades=True where it is registered)")


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


def _ledger(reading: Reading, final: Hits, tied: Bools, barren: _Few) -> Ledger:
    everyone = reading.hits
    groups: dict[str, _Few] = {
        "missing": _few(everyone.queries, everyone.returned < 0),
        "extra": (len(reading.extra), reading.extra[:EXAMPLES]),
        "without_relevant": barren,
        "tied": _few(final.queries, tied),
    }
    counts: dict[str, Any] = {key: count for key, (count, _) in groups.items()}
    returned = int(final.returned.sum())
    return Ledger(
        judged=len(everyone.queries),
        evaluated=len(final.queries),
        answered=int((everyone.returned >= 0).sum()),
        returned=returned,
        unjudged=returned - int((final.grade >= 0).sum()),
        duplicates=reading.repeated,
        interleaved=reading.interleaved,
        iterations=reading.qrels.iterations,
        examples={key: _names(names) for key, (count, names) in groups.items() if count},
        **counts,
    )


def _named(queries: Sequence[bytes]) -> Sequence[str]:
    return Texts(queries) if isinstance(queries, Names) else _names(queries)


def _names(queries: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "surrogateescape") for name in queries)
