"""Nuggets as nuggetizer and TREC RAG write them: an answer a line, and how far it supports each nugget."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted
from truerank.core.mappings import distinct_ids, ids
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Ranked
from truerank.formats import jsonl, names
from truerank.formats.records import checked_ids, keys_of
from truerank.formats.registry import Format, register
from truerank.formats.source import Source

SUPPORT = {"support": 1.0, "partialsupport": 0.5, "notsupport": 0.0}
"""The grade of an answer for a nugget, by its assignment."""

IMPORTANCE = {"vital": 1.0, "okay": 0.5}
"""The weight of a nugget."""

_MARKS = re.compile(rb'"(assignment|importance)"')


def sniff(head: bytes, name: str) -> float:
    """Lines whose objects have nuggets with assignments."""
    first = head.lstrip().split(b"\n", 1)[0]
    return 1.0 if first.startswith(b"{") and b'"nuggets"' in first and _MARKS.search(head) else 0.0


def read_run(source: Source) -> Iterator[Batch]:
    """Of each query the answer, which is what its system returned."""
    for line, record in jsonl.records(source):
        query, answer = _named(record, source.name, line)
        yield Ranked(query, [answer], None, line)


def read_qrels(source: Source) -> Qrels:
    """Of each answer, the nuggets that it supports; vital ones have weight 1, okay ones 0.5."""
    rows: list[tuple[str, str, str, float, int]] = []
    weights: dict[str, dict[str, float]] = {}
    for line, record in jsonl.records(source):
        query, answer = _named(record, source.name, line)
        weights.setdefault(query, {})  # an answer may have no nuggets
        for nugget in _nuggets(record, source.name, line):
            text = _text(nugget, source.name, line)
            rows.append((query, answer, text, _value(nugget, "assignment", SUPPORT, source.name, line), line or 0))
            weight = _value(nugget, "importance", IMPORTANCE, source.name, line)
            if weights[query].setdefault(text, weight) != weight:
                raise InputError(
                    "a nugget of query {query} is vital in one line and okay in another",
                    source.name,
                    line,
                    query=quoted(query),
                )
    owners, answers, texts, grades, lines = zip(*rows, strict=True) if rows else ((),) * 5
    queries, place = distinct_ids(ids((*weights, *owners), source.name))
    aspects = distinct_ids(ids(texts, source.name))
    worth, where = np.array(grades, np.float64), np.array(lines)
    place, docs = place[len(weights) :], ids(answers, source.name)
    qrels = Qrels.from_rows(queries, place, docs, worth, name=source.name, lines=where, aspects=aspects)
    return qrels.weighted(weights, source.name) if rows else qrels


def _named(record: Any, name: str, line: int | None) -> tuple[str, str]:
    """The query and the answer of a line; an answer that is not named is called so."""
    keys = keys_of((line, record), name)
    query, run = names.find(keys, names.QUERY), names.find(keys, names.ANSWER)
    if query is None:
        raise InputError("no key holds the query id; name it qid", name, line)
    pair = [record[keys[query]], "answer" if run is None else record[keys[run]]]
    of_query, of_run = map(str, checked_ids(pair, name, line))
    return of_query, of_run


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
    if not isinstance(said, str) or names.folded(said) not in known:
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
    return known[names.folded(said)]


register(
    Format(
        "nuggets",
        message(
            'an answer a line, with its nuggets: {"qid": …, "nuggets": [{"text": …, "importance": "vital", '
            '"assignment": "support"}]}'
        ),
        sniff,
        read_run=read_run,
        read_qrels=read_qrels,
    )
)
