"""How good the answers of a benchmark are: the same ones that were timed, under the same rules as any run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from truerank.core.errors import InputError
from truerank.core.evaluate import evaluate, is_ruled
from truerank.core.kernel.scanning import as_bytes
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules, name_with
from truerank.core.run import Ranked, Run
from truerank.core.scores import Scores
from truerank.core.vocabulary import asked_for, measures_under
from truerank.live.retriever import Answer
from truerank.measures import Measure, MeasuresLike

MEND = "duplicates=first"


def as_run(name: str, queries: Iterable[str], answers: Mapping[str, Answer], of_calls: bool = False) -> Run:
    """The answers as a run; a query without one has an empty one.

    Args:
        of_calls: one list is that of one call, also where no answer has several.
    """
    nothing = Answer((), ())
    has_calls = of_calls or any(answer.ends is not None for answer in answers.values())
    parts = [
        Ranked(as_bytes(query), *_encoded(one), call=call if has_calls else None)
        for query in queries
        for call, one in enumerate(answers.get(query, nothing).lists, 1)
    ]
    return Run(name, lambda: iter(parts))


def _encoded(answer: Answer) -> tuple[list[bytes], list[float]]:
    return list(map(as_bytes, answer.docs)), list(answer.scores)


def only(qrels: Qrels, asked: Sequence[str]) -> Qrels:
    """The judgements of the queries that were asked.

    Raises:
        InputError: none of them is judged.
    """
    kept = qrels.only(set(map(as_bytes, asked)))
    if not len(kept):
        some = ", ".join(list(asked)[:3])
        raise InputError("none of the queries is judged: they are called {names} and so on", qrels.name, names=some)
    return kept


def unasked(qrels: Qrels, asked: Sequence[str]) -> int:
    """How many judged queries were not asked, and so are in no mean."""
    return len(set(qrels.queries) - set(map(as_bytes, asked)))


def score(
    qrels: Qrels,
    run: Run,
    asked: Sequence[str],
    failed: Iterable[str],
    measures: MeasuresLike | None,
    rules: Rules,
    items: Any = None,
) -> Scores:
    """The scores of the queries that were asked.

    Args:
        failed: queries without an answer, which score 0 even where an empty answer is right.
        items: as for `evaluate`.
    """
    judged = only(qrels, asked)
    failed = set(failed)
    measures_under(measures or (), rules, lists=True)
    scores = _without_failed(evaluate(judged, run, measures, rules=rules, items=items), judged, failed)
    lost = np.isin(scores.queries, list(failed))
    if not lost.any():
        return scores
    columns = {
        str(m): np.where(lost, _worst(m), scores.columns[str(m)]) if is_ruled(m, rules) else scores.columns[str(m)]
        for m in scores.measures
    }
    return replace(scores, columns=columns)


def _worst(measure: Measure) -> float:
    return float(measure.definition.lower_is_better)


def _without_failed(scores: Scores, judged: Qrels, failed: Collection[str]) -> Scores:
    """The scores with failed queries counted as unanswered: in the run they stand with an empty answer."""
    if not failed or scores.rules.empty == "missing":  # then they count as missing already
        return scores
    lost = len(set(judged.queries).intersection(map(as_bytes, failed)))
    return replace(scores, ledger=replace(scores.ledger, answered=scores.ledger.answered - lost))


class AnswerKinds(NamedTuple):
    """What is among answers that rules may refuse.

    Attributes:
        repeats: whether an answer repeats a document.
        calls: whether an answer has several lists.
        empty: whether an answer is empty, or a query failed.
    """

    repeats: bool = False
    calls: bool = False
    empty: bool = False


def lenient(rules: Rules, among: AnswerKinds) -> Rules:
    """The rules, changed to put up with such answers where they would refuse the whole run because of them."""
    fields = {"calls": "concatenated"} if among.calls and rules.calls == "error" else {}
    fields |= {"duplicates": "first"} if among.repeats and rules.duplicates == "error" else {}
    fields |= {"missing": "zero"} if among.empty and (rules.missing, rules.empty) == ("error", "missing") else {}
    if not fields:
        return rules
    changes = [f"{field}={value}" for field, value in fields.items()]
    return rules.replace(name=name_with(rules.name, changes), **fields)


def need_calls(measures: MeasuresLike | None, rules: Rules) -> bool:
    """Whether a measure that is asked for is about several lists per query."""
    asked = asked_for(measures if measures is not None else rules.measures, rules)
    return any(measure.definition.needs == "calls" for measure in asked.values())
