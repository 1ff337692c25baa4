"""Qrels, a run, measures and rules in; scores out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truerank.errors import InputError, MeasureError, shown
from truerank.formats import open_run, read_qrels
from truerank.hits import Bools, Hits, build
from truerank.measures import Measure, parse_measures
from truerank.measures.sums import PerQuery
from truerank.qrels import Qrels
from truerank.rules import Rules
from truerank.run import Batch, Ranked, Run, Scan, rankings, scan
from truerank.scores import Ledger, Scores
from truerank.swapped import are_swapped

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
) -> Scores:
    """How well a run answers the queries of the qrels.

    Args:
        qrels: a path, {query: {document: grade}}, {query: documents}, a DataFrame, or `Qrels`.
        run: a path ("-" for standard input), {query: {document: score}}, {query: documents, best first},
            a DataFrame, arrays (ids, scores), or a `Run`.
        measures: names such as "nDCG@10"; by default those that the rules name, else `DEFAULT`.
        rules: a preset's name, a TOML file, fields that differ from the default, or `Rules`.
        threads: how many may read a large plain file.

    Raises:
        TruerankError: wrong input, an unknown measure or rule; the message says what, where and what now.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}, "RR AP").mean
    {'RR': 0.5, 'AP': 0.5833333333333333}
    """
    rules = Rules.of(rules)
    chosen = parse_measures(measures if measures is not None else rules.measures or DEFAULT)
    if not chosen:
        raise MeasureError("no measure is named; leave measures out for the default, or name some: nDCG@10 AP")
    judged = read_qrels(qrels)
    if not len(judged):
        raise InputError("there are no judgements in it", judged.name)
    judged, run, found = look_up(judged, run, rules, threads)
    return score(judged, found, chosen, rules, run.name)


def score(qrels: Qrels, found: Scan, measures: list[Measure], rules: Rules, name: str) -> Scores:
    """What a run scores whose judged documents were found already, by whatever door it came in."""
    everyone = build(qrels, found)
    hits = _kept(everyone, rules, name)
    final = hits.under(rules)
    values = {str(m): valued(m, final, rules) for m in measures}
    tied = _depends_on_ties(hits, measures, rules)
    barren = _barren(everyone if rules.without_relevant == "skip" else hits, rules)
    ledger = replace(_ledger(qrels, found, final, tied, barren, rules), swapped=are_swapped(everyone))
    return Scores(_names(hits.queries, rules), tuple(measures), values, rules, ledger, name)


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
    qrels, run = read_qrels(qrels), open_run(run)
    if rules.missing == "lines":
        qrels, run = _by_line(qrels, run, rules)
    if rules.self_match == "remove":
        qrels = qrels.ignoring_self()
    found = scan(run, qrels.judged, rules, threads)
    if rules.empty == "missing":
        found = replace(found, returned=np.where(found.returned == 0, -1, found.returned))
    if found.extra and rules.extra == "error":
        first = shown(_names(found.extra[:1], rules)[0])
        raise InputError(f"query {first} is not judged; {MEND_EXTRA}", run.name)
    return qrels, run, found


def _kept(hits: Hits, rules: Rules, name: str) -> Hits:
    """The hits of the queries that the rules let into the mean."""
    missing = hits.returned < 0
    if missing.any() and rules.missing == "error":
        first = shown(hits.queries[int(np.argmax(missing))])
        raise InputError(f"query {first} is judged but not answered; {MEND_MISSING}", name)
    keep = np.ones(len(hits.queries), bool)
    if rules.missing in ("skip", "lines"):
        keep &= ~missing
    if rules.without_relevant in ("skip", "error"):
        answerable = hits.relevant_total(rules.level) > 0
        if rules.without_relevant == "error" and not answerable.all():
            first = shown(hits.queries[int(np.argmin(answerable))])
            raise InputError(f"query {first} has no relevant document; {MEND_BARREN}", name)
        keep &= answerable
    hits = replace(hits, returned=np.maximum(hits.returned, 0))
    return hits if keep.all() else hits.select(keep)


def valued(measure: Measure, hits: Hits, rules: Rules) -> PerQuery:
    """The measure under the rules: what it leaves open, and queries that have nothing to find."""
    values = measure.values(hits, level=rules.level, rounding=rules.recall_points)
    if rules.without_relevant == "empty-is-right" and measure.definition.unit:
        nothing = hits.relevant_total(rules.level) == 0
        values = np.where(nothing, (hits.returned == 0).astype(np.float64), values)
    return values


def _depends_on_ties(hits: Hits, measures: list[Measure], rules: Rules) -> Bools:
    """(queries,) whether some measure changes when equal scores are put in their best or worst order."""
    tied = np.bincount(hits.query[hits.tied], minlength=len(hits.queries)) > 0
    if tied.any():
        part = hits.select(tied)
        best, worst = (part.reordered(order).under(rules) for order in (True, False))
        differ = [valued(m, best, rules) != valued(m, worst, rules) for m in measures]
        tied[tied] = np.any(differ, axis=0)
    return tied


def _barren(hits: Hits, rules: Rules) -> list[bytes]:
    """The queries that have nothing to find."""
    nothing = hits.relevant_total(rules.level) == 0
    return [hits.queries[i] for i in np.flatnonzero(nothing)]


def _ledger(qrels: Qrels, found: Scan, hits: Hits, tied: Bools, barren: list[bytes], rules: Rules) -> Ledger:
    groups: dict[str, Sequence[bytes]] = {
        "missing": [qrels.queries[q] for q in np.flatnonzero(found.returned < 0)],
        "extra": found.extra,
        "without_relevant": barren,
        "tied": [hits.queries[q] for q in np.flatnonzero(tied)],
    }
    counts: dict[str, Any] = {key: len(names) for key, names in groups.items()}
    returned = int(hits.returned.sum())
    return Ledger(
        judged=len(qrels),
        evaluated=len(hits.queries),
        answered=int((found.returned >= 0).sum()),
        returned=returned,
        unjudged=returned - int((hits.grade >= 0).sum()),
        duplicates=found.repeated,
        interleaved=found.interleaved,
        examples={key: _names(names[:EXAMPLES], rules) for key, names in groups.items() if len(names)},
        **counts,
    )


_LINE = b"%012d\t"


def _by_line(qrels: Qrels, run: Run, rules: Rules) -> tuple[Qrels, Run]:
    """The same with a query of its own for each line of the run, named so that they sort in the run's order."""
    lines = list(rankings(run.batches()))
    judged = qrels.to_dict()
    names: list[bytes] = []
    queries: dict[bytes, dict[bytes, float]] = {}
    for number, line in enumerate(lines):
        names.append(_LINE % number + line.query)
        if line.query in judged:
            queries[names[-1]] = judged[line.query]

    def batches() -> Iterator[Batch]:
        for name, line in zip(names, lines, strict=True):
            yield Ranked(name, line.docs, line.scores)

    return Qrels.from_dict(queries, qrels.name), replace(run, batches=batches, path=None)


def _names(queries: Iterable[bytes], rules: Rules) -> tuple[str, ...]:
    skip = len(_LINE % 0) if rules.missing == "lines" else 0
    return tuple(name[skip:].decode("utf-8", "surrogateescape") for name in queries)
