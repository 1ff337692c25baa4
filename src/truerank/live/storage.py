"""Benchmarks as JSON: every call and answer, so that all figures can be made again without a retriever."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

import numpy as np

from truerank.core.errors import InputError, TruerankError
from truerank.core.ledger import Ledger
from truerank.core.rules import Rules
from truerank.core.scores import Scores
from truerank.core.vocabulary import under
from truerank.formats.records import parsed, written
from truerank.formats.source import as_source
from truerank.live import latency
from truerank.live.collector import Pause
from truerank.live.indexing import Indexing
from truerank.live.plan import Load
from truerank.live.retriever import Answer, FirstAnswers
from truerank.live.samples import OUTCOMES, PHASES, Harness, Samples
from truerank.stats.quantiles import NEAREST

FORMAT = "truerank bench 1"
"""The first key says what this is, and how it is written."""

ODD = ("repeated", "overlong", "unordered", "changing")
"""What may be odd about answers, as `FirstAnswers` and `Tally` call it."""


def setting(value: object) -> object:
    """A setting as JSON has it; of anything else what it calls itself."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def dumped(benches: Sequence[Mapping[str, Any]]) -> bytes:
    """One benchmark as an object, several as an array of such."""
    return written(benches[0] if len(benches) == 1 else benches)


def loaded(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The arguments of each `Bench` in a file.

    Raises:
        InputError: the file holds something else, or a part is missing.
    """
    source = as_source(path)
    whole = _parsed(source.read(), source.name)
    values = whole if isinstance(whole, list) else [whole]
    for value in values:
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise InputError("this is no benchmark: 'format' should be {wanted!r}", source.name, wanted=FORMAT)
    if not values:
        raise InputError("there are no benchmarks in it", source.name)
    try:
        return [_checked(_parts(value)) for value in values]
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError, TruerankError) as error:
        raise InputError(
            "this benchmark is damaged: {kind}: {error}", source.name, kind=type(error).__name__, error=error
        ) from None


def _parsed(text: bytes, name: str) -> Any:
    """JSON; with escaped bytes of an id that is no UTF-8, which only Python's own reader takes."""
    import json

    if rb"\udc" in text:
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return parsed(text, name)


def _checked(parts: dict[str, Any]) -> dict[str, Any]:
    """Check that the parts of a saved file agree with each other, and return them unchanged.

    Raises:
        ValueError: they do not.
    """
    s, answers, queries = parts["samples"], parts["answers"].by_query, len(parts["queries"])
    columns = [getattr(s, field.name) for field in fields(s)]
    _demand(all(column.shape == (len(s),) for column in columns), "the samples are not all as many")
    for name, column, count in (
        ("query", s.query, queries),
        ("phase", s.phase, len(PHASES)),
        ("outcome", s.outcome, len(OUTCOMES)),
    ):
        _demand(bool(((column >= 0) & (column < count)).all()), f"a sample's {name} is none that there is")
    _demand(bool((s.begin <= s.end).all()), "a call ends before it begins")
    _demand(bool(parts["pauses"]) or not s.paused.any(), "a call met a pause that there is not")
    latency.checked(parts["percentiles"])
    _demand(all(isinstance(query, str) for query in parts["queries"]), "an id is no text")
    _demand(set(answers) <= set(parts["queries"]), "there is an answer to what was not asked")
    for one in answers.values():
        _demand(len(one.docs) == len(one.scores), "an answer has not a score for each document")
        _demand(all(isinstance(doc, str) for doc in one.docs), "a document's id is no text")
        _demand(all(isinstance(score, int | float) for score in one.scores), "a score is no number")
        ends = [0, *(() if one.ends is None else one.ends)]
        _demand(
            all(isinstance(end, int) for end in ends) and ends == sorted(ends), "the calls of an answer do not end"
        )
        _demand(one.ends is None or ends[-1] == len(one.docs), "an answer has documents of no call")
    _demand(all(isinstance(count, int) for count in parts["faults"].values()), "a count is no number")
    texts = (parts[name] for name in ("name", "begun", "stopped", "beside"))
    _demand(all(isinstance(text, str) for text in (*texts, *parts["machine"].values())), "a name is no text")
    _demand({"python", "system", "processor", "processors"} <= set(parts["machine"]), "the machine is not told")
    return parts


def _demand(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise ValueError(otherwise)


def _parts(value: Mapping[str, Any]) -> dict[str, Any]:
    kept = {q: _answer(a) for q, a in value["answers"].items()}
    return {
        "name": value["name"],
        "load": Load(**value["load"]),
        "queries": tuple(value["queries"]),
        "samples": Samples.from_dict(value["samples_ns"]),
        "answers": FirstAnswers(kept, **{name: int(value["odd"][name]) for name in ODD}),
        "faults": dict(value["faults"]),
        "scores": _scores(value["scores"]) if value["scores"] else None,
        "pauses": tuple(Pause(*map(int, pause)) for pause in value["pauses_ns"]),
        "harness": Harness(*(float(value["harness_ns"][name]) for name in ("call", "clock"))),
        "describe": dict(value["describe"]),
        "machine": dict(value["machine"]),
        "begun": value["begun"],
        "stopped": value["stopped"],
        "beside": value["beside"],
        "settings": dict(value["settings"]),
        "unasked": int(value.get("unasked", 0)),
        "percentiles": value.get("percentiles", NEAREST),
        "indexing": _indexing(value.get("indexing")),
    }


def answer(one: Answer) -> dict[str, Any]:
    """An answer as plain values; of several lists also where each ends."""
    return {"docs": one.docs, "scores": one.scores, **({} if one.ends is None else {"ends": one.ends})}


def _answer(value: Mapping[str, Any]) -> Answer:
    ends = value.get("ends")
    return Answer(tuple(value["docs"]), tuple(value["scores"]), None if ends is None else tuple(ends))


def _indexing(value: Mapping[str, Any] | None) -> Indexing | None:
    if value is None:
        return None
    indexing = Indexing(str(value["name"]), int(value["documents"]), int(value["nanoseconds"]))
    _demand(
        min(indexing.documents, indexing.nanoseconds) >= 0, "an indexing has fewer than no documents, or no time"
    )
    return indexing


def _scores(value: Mapping[str, Any]) -> Scores:
    """Scores as they were: per query, under their rules, with their ledger."""
    queries, asked = value["queries"], dict(value.get("asked") or {})
    rules = Rules.from_dict(value["rules"])
    scores = Scores(
        queries=tuple(queries),
        measures=tuple(under(name, rules) for name in value["mean"]),
        columns={name: np.array([row[name] for row in queries.values()], np.float64) for name in value["mean"]},
        rules=rules,
        ledger=Ledger.from_dict(value["ledger"]),
        run=value["run"],
        asked=asked | {name: name for name in value["mean"] if name not in asked.values()},
    )
    _demand(len(scores.measures) > 0, "there are scores of no measure")
    known = (
        each[~np.isnan(each)] if name in scores.ledger.undefined else each for name, each in scores.columns.items()
    )
    _demand(all(np.isfinite(each).all() for each in known), "a query's value is no number")
    names = scores.rules.name, scores.run, *scores.asked.values()
    _demand(all(isinstance(name, str) for name in names), "a name is no text")
    return scores
