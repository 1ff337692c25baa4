"""Which nuggets answers and passages support: objects with `nuggets`, each with its assignment and importance."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from truerank.core.errors import InputError, quoted
from truerank.core.kernel.scanning import as_text
from truerank.core.mappings import distinct_ids, ids
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Ranked
from truerank.formats import names
from truerank.formats.rows import Numbered, checked_ids, keys_of

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0, "failed": -1.0}
"""The grade of an answer for a nugget, by its assignment; where the model failed to assign one it is not judged."""

IMPORTANCE = {"vital": 1.0, "okay": 0.5, "failed": 0.5}
"""The weight of a nugget; one of which the model failed to say is not vital, as nuggetizer counts it."""


def run_of(records: Iterable[Numbered], name: str) -> Iterator[Batch]:
    """A run: for each query its answer, as the document returned; or its passages, in the order of the records."""
    named = (_named(record, name, line) for line, record in records)
    for _, together in itertools.groupby(named, lambda each: (each.query, None if each.is_passage else each.line)):
        lines = list(together)
        yield Ranked(lines[0].query, [each.doc for each in lines], None, lines[0].line)


def qrels_of(records: Iterable[Numbered], name: str) -> Qrels:
    """Judgements: for each answer the nuggets that it supports; vital ones have weight 1, okay ones 0.5."""
    rows: list[tuple[str, str, str, float, int]] = []
    weights: dict[str, dict[str, float]] = {}
    firsts: dict[str, tuple[str, set[str]]] = {}
    for line, record in records:
        query, answer, *_ = _named(record, name, line)
        weights.setdefault(query, {})  # an answer may have no nuggets
        nuggets = _nuggets(record, name, line)
        for nugget in nuggets:
            text = _text(nugget, name, line)
            rows.append((query, answer, text, _value(nugget, "assignment", SUPPORT, name, line), line or 0))
            weight = _value(nugget, "importance", IMPORTANCE, name, line)
            if weights[query].setdefault(text, weight) != weight:
                raise InputError(
                    "a nugget of query {query} is vital in one line and okay in another",
                    name,
                    line,
                    query=quoted(query),
                )
        if nuggets:
            own = {_text(nugget, name, line) for nugget in nuggets}
            first, known = firsts.setdefault(query, (answer, own))
            _refuse_others(query, (first, answer), known, own, name, line)
    owners, answers, texts, grades, lines = zip(*rows, strict=True) if rows else ((),) * 5
    queries, place = distinct_ids(ids((*weights, *owners), name))
    aspects = distinct_ids(ids(texts, name))
    worth, where = np.array(grades, np.float64), np.array(lines)
    place, docs = place[len(weights) :], ids(answers, name)
    qrels = Qrels.from_rows(queries, place, docs, worth, name=name, lines=where, aspects=aspects)
    return qrels.weighted(weights, name) if rows else qrels


def _refuse_others(
    query: str, answers: tuple[str, str], known: set[str], own: set[str], name: str, line: int | None
) -> None:
    """Raise where two answers to a query were judged by different nuggets: their shares could not be compared."""
    if known != own:
        has, lacks = answers if known - own else answers[::-1]
        raise InputError(
            "the nuggets of query {query} are not the same for all of its answers: {has} is judged for {nugget}, "
            "and {lacks} is not",
            name,
            line,
            query=quoted(query),
            has=quoted(has),
            lacks=quoted(lacks),
            nugget=quoted(min(known - own or own - known)),
        )


class _Named(NamedTuple):
    """What a line judges: an answer to a query, called "answer" where it has no name, or a passage."""

    query: str
    doc: str
    is_passage: bool
    line: int | None


def _named(record: Any, name: str, line: int | None) -> _Named:
    keys = keys_of((line, record), name)
    query, run, passage = (names.find(keys, known) for known in (names.QUERY, names.ANSWER, names.PASSAGE))
    if query is None:
        raise InputError("no key holds the query id; name it qid", name, line)
    is_passage = run is None and passage is not None
    key = passage if is_passage else run
    pair = [record[keys[query]], "answer" if key is None else record[keys[key]]]
    of_query, of_answer = map(as_text, ids(checked_ids(pair, name, line), name))
    return _Named(of_query, of_answer, is_passage, line)


def _nuggets(record: Any, name: str, line: int | None) -> list[Any]:
    nuggets = record.get("nuggets")
    if not isinstance(nuggets, list):
        raise InputError("a list of nuggets should stand here, not {value}", name, line, value=quoted(nuggets))
    return nuggets


def _text(nugget: Any, name: str, line: int | None) -> str:
    text = nugget.get("id", nugget.get("text")) if isinstance(nugget, dict) else None
    if not isinstance(text, str) or not text:
        raise InputError("a nugget is an object with a text, not {value}", name, line, value=quoted(nugget))
    return text


def _value(nugget: dict[str, Any], key: str, known: dict[str, float], name: str, line: int | None) -> float:
    said = nugget.get(key)
    values = {names.folded(word): value for word, value in known.items()}
    if not isinstance(said, str) or names.folded(said) not in values:
        if said is None:
            raise InputError("a nugget has no {key}: one of {known}", name, line, key=key, known=", ".join(known))
        raise InputError(
            "a nugget's {key} is one of {known}, not {value}",
            name,
            line,
            key=key,
            known=", ".join(known),
            value=quoted(said),
        )
    return values[names.folded(said)]
