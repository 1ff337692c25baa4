"""Lint: everything in qrels and runs that would make numbers wrong or arbitrary, with its line.

A file is read once, tolerantly: no fault stops it, and only counts and the first few examples are kept. What
a check is, and how to add one, stands in `checks`; they are in `judgements`, `answers`, `ids`, `coverage` and
`ranks`, and where the queries or documents are given, in `collection`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from truerank.analysis.lint import answers, collection, coverage, ids, judgements, ranks  # noqa: F401 (they register their checks)
from truerank.analysis.lint.checks import (
    ANSWER_CHECKS,
    HITS_CHECKS,
    JUDGEMENT_CHECKS,
    LIST_CHECKS,
    Answer,
    Case,
    Grades,
    Watchers,
)
from truerank.analysis.lint.findings import SEVERITIES, Finding, Findings, Log, Severity, printed
from truerank.analysis.lint.opening import System, Truth, open_system, open_truth, read_before
from truerank.analysis.lint.reading import ScatteredError, batches_of, scattered_queries, whole
from truerank.core.errors import InputError, MeasureError
from truerank.core.evaluate import rank, ranked, rules_of
from truerank.core.hits import Hits
from truerank.core.kernel.rows import Rows
from truerank.core.messages import Message, message
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.reading import Reading, reading_of, refuse_others
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Progress, Run, unreported
from truerank.core.vocabulary import measures_under
from truerank.formats.source import watching_bytes
from truerank.measures import Measure, MeasuresLike

__all__ = ["SEVERITIES", "Finding", "Findings", "Severity", "lint"]


def lint(
    qrels: QrelsLike,
    *runs: Any,
    rules: RulesLike | None = None,
    measures: MeasuresLike | None = None,
    queries: Any = None,
    docs: Any = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    progress: Progress = unreported,
) -> Findings:
    """What is wrong with qrels and runs, worst first; an empty list when nothing is.

    Args:
        qrels, runs: as for `evaluate`; there may be no runs. A `Reading` in place of a run, as itself or in a
            file, has no lines: seen are which queries it answers, with how many results, and what ranks show.
        rules: under which they will be evaluated; some faults are none under some rules.
        measures: those whose ties matter, as for `evaluate`.
        queries, docs: all that can be asked and returned, to find what is judged and not there: a file, or
            {id: text}, as for `explain`.
        qrels_format, run_format: names of formats, instead of those that the files look like.
        progress: called with how many bytes were read, and of how many.

    Raises:
        InputError: a file that is not there, is empty, or is in no known format.

    >>> from truerank.analysis.lint import lint
    >>> for finding in lint({"q": {"a.txt": 1}}, {"q": {"A": 2.0, "b": 1.0}}):
    ...     print(finding.severity, finding.kind)
    error document-ids
    note unjudged
    """
    given = [read_before(run, run_format) for run in runs]
    rules = rules_of(rules, *given)
    chosen = [m for m in measures_under(measures or None, rules) if not m.definition.needs]
    watch = watching_bytes(progress, qrels, *given, is_unpacked=True)
    truth = open_truth(qrels, qrels_format, watch)
    systems = [
        run if isinstance(run, Reading) else open_system(run, run_format, f"run {i}", watch, rules.unit == "line")
        for i, run in enumerate(given, 1)
    ]
    judged, findings = _lint_truth(truth, rules, queries, docs)
    for system in systems:
        if isinstance(system, Reading):
            findings += _judged_otherwise(system, truth)
            findings += _lint_reading(system, judged, rules, chosen)
        else:
            findings += _lint_system(system, judged, rules, chosen)
    return Findings(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def _lint_truth(truth: Truth, rules: Rules, queries: Any, docs: Any) -> tuple[Grades, list[Finding]]:
    judged: dict[bytes, dict[bytes, float]] = {}
    log, by_aspect = Log(truth.name, truth.numbering), rules.iteration == "aspect"
    case = Case(log, judged, rules)
    watchers = Watchers(JUDGEMENT_CHECKS, case)
    try:
        for some in truth.judgements(log):
            watchers.see(some)
            graded = judged.setdefault(some.query, {})
            for doc, grade in zip(some.docs, some.grades, strict=True):
                first = graded.setdefault(doc, grade)
                if by_aspect:
                    graded[doc] = max(grade, first)
        watchers.end()
        if not judged and not log.findings():
            log.once("error", "no-rows", message("there is no judgement in it"))
    except InputError as error:
        _note_unreadable(log, error)
    collection.look(case, queries, docs)
    return judged, log.findings()


def _lint_system(system: System, judged: Grades, rules: Rules, measures: Sequence[Measure]) -> list[Finding]:
    try:
        return _inspected(system, judged, rules, measures, {})
    except ScatteredError:
        scattered = scattered_queries(system.stretches(Log(system.name)))
    return _inspected(system, judged, rules, measures, scattered)


def _inspected(
    system: System,
    judged: Grades,
    rules: Rules,
    measures: Sequence[Measure],
    scattered: Mapping[bytes, int | None],
) -> list[Finding]:
    """One pass: the checks see each answer on its way to the engine, and at the end the engine's hits."""
    log = Log(system.name, system.numbering)
    case = Case(log, judged, rules)
    watchers, of_lists = Watchers(ANSWER_CHECKS, case), Watchers(LIST_CHECKS, case)
    seen = 0

    def watched() -> Iterator[Answer | Rows]:
        nonlocal seen
        for answer in whole(system.stretches(log), scattered):
            seen += 1
            watchers.see(answer)
            if answer.size > 1:
                of_lists.see(answer)
            if answer.query in judged:
                yield answer

    for query, line in scattered.items():
        log.add("note", "interleaved", line, _scattered, query, unit="query")
    try:
        hits = rank(_qrels(judged), Run(system.name, lambda: batches_of(watched())), rules=_lenient(rules))
        if seen:
            watchers.end()
            of_lists.end()
            _look_at(hits, case, measures)
        elif not log.findings():
            log.once("error", "no-rows", message("there is no result in it"))
    except InputError as error:
        _note_unreadable(log, error)
    return log.findings()


def _judged_otherwise(reading: Reading, truth: Truth) -> list[Finding]:
    """The finding that a reading was made with other judgements, which other commands refuse; else none."""
    log = Log(reading.name)
    try:
        judged = truth.read()
    except InputError:  # a finding of the judgements
        return []
    try:
        refuse_others(judged, [reading], in_all=True)
    except InputError as error:
        log.once("error", "other-judgements", error.said)
    return log.findings()


def _lint_reading(reading: Reading, judged: Grades, rules: Rules, measures: Sequence[Measure]) -> list[Finding]:
    rules.by_query(message("a Reading is linted query by query; give the run in its place"))
    case = Case(Log(reading.name), judged, rules)
    coverage.of_reading(case, reading_of(reading, None, rules))
    lenient = dataclasses.replace(_lenient(rules), duplicates=rules.duplicates)
    hits = ranked(dataclasses.replace(reading, rules=lenient))
    _look_at(hits, case, measures)
    return case.log.findings()


def _look_at(hits: Hits, case: Case, measures: Sequence[Measure]) -> None:
    """The checks of hits."""
    for check in HITS_CHECKS if case.judged else ():
        with _noting_refused(case.log):
            check(case, hits, measures)


@contextmanager
def _noting_refused(log: Log) -> Iterator[None]:
    """Log it as a finding when a measure cannot be computed from what was read, instead of stopping there."""
    try:
        yield
    except MeasureError as error:
        log.once("error", "measure", error.said)


def _scattered(query: bytes) -> Message:
    return message("query {query} goes on here after others", query=printed(query))


def _qrels(judged: Grades) -> Qrels:
    """The judgements as the engine takes them."""
    query = np.repeat(np.arange(len(judged)), [len(docs) for docs in judged.values()])
    docs = [doc for docs in judged.values() for doc in docs]
    grades = [grade for docs in judged.values() for grade in docs.values()]
    return Qrels.from_rows(list(judged), query, docs, grades)


def _lenient(rules: Rules) -> Rules:
    """The rules, but nothing is refused, and lists stay as they are so that ties can be reordered."""
    return dataclasses.replace(
        rules,
        unit="query",
        duplicates="first" if rules.duplicates == "error" else rules.duplicates,
        missing="zero",
        extra="skip",
        without_relevant="zero",
        unjudged="not-relevant",
        depth=None,
    )


def _note_unreadable(log: Log, error: InputError) -> None:
    log.once("error", "unreadable", error.said, error.line, numbering="line")  # as errors name their places
