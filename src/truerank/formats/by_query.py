"""{query: documents} and pairs of these: a query has documents, scores beside or among them, or several lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted
from truerank.core.mappings import no_documents, query_ids, refuse_no_ids
from truerank.core.messages import Message, message
from truerank.core.run import Batch, Ranked, Run
from truerank.formats.answers import LISTS, answer, answers, are_lists, is_answer
from truerank.formats.matrices import plain_array
from truerank.formats.rows import complete_answers, is_id, no_ids, plain_ids, refuse_empty

IDS = {str, int}
"""The types of ids: a list of these can be nothing but a query's documents, best first."""


def run_of_dict(run: Mapping[Any, Any], name: str) -> Run:
    """A run from {query: {document: score}} or {query: documents}, whatever its queries are called."""
    return Run(name, partial(_of_dict, run, name))


def _of_dict(run: Mapping[Any, Any], name: str) -> Iterator[Batch]:
    """A dict of dicts as it is, whatever class the outer one has; other mappings one answer at a time."""
    refuse_no_ids(run, name)
    run = dict(run) if isinstance(run, dict) else run
    are_scored = isinstance(run, dict) and set(map(type, run.values())) <= {dict}
    if are_scored and not is_answer(next(filter(None, run.values()), None)):
        if len(set(map(type, run))) > 1:
            query_ids(run, name)
        ids = [  # in a frame all are floats, or a missing one is pandas' only NaN
            None if None in docs else np.nan if np.nan in docs else next(iter(docs), "") for docs in run.values()
        ]
        refuse_no_ids(ids, name)
        yield complete_answers(run, name)
    else:
        for query, docs in run.items():
            yield from _answers(query, docs, name)


def of_pairs(pairs: Iterable[Any], name: str) -> Iterator[Batch]:
    """The answers in pairs (query, documents).

    Args:
        name: for errors.

    Raises:
        InputError: one of them is no such pair.
    """
    for pair in pairs:
        is_pair = isinstance(pair, Sequence) and len(pair) == 2
        if not is_pair or (isinstance(pair, list) and isinstance(pair[1], str | int)):
            said = message(
                "a list of answers has pairs (query, documents), or rows (query, document, score) that end in a "
                "number, not {pair}",
                pair=quoted(pair),
            )
            raise unread(said, pair, name)
        yield from _answers(pair[0], pair[1], name)


def _answers(query: Any, docs: Any, name: str) -> Iterator[Ranked]:
    """A query's list; its lists, one per call; or ids and their scores: fractions, or numbers beside text."""
    if type(docs) is list and set(map(type, docs)) <= IDS:
        refuse_empty(query, docs, name)
        yield Ranked(query, docs)
    elif is_answer(docs):
        yield from answers(query, docs, None, name)
    elif _are_ids_and_scores(docs):
        ids, scores = (plain_array(part, "ids and scores", name) for part in docs)
        if ids.shape != scores.shape or ids.ndim != 1:
            raise no_ids(query, docs, name)
        there = is_id(ids)
        yield Ranked(query, plain_ids(ids[there].tolist(), query, name), scores[there].tolist())
    elif are_lists(docs):
        yield from (_answer(query, each, name)._replace(call=call) for call, each in enumerate(docs, 1))
    else:
        yield _answer(query, docs, name)


def _are_ids_and_scores(docs: Any) -> bool:
    """Whether this is (ids, scores); both may be empty."""
    if not isinstance(docs, tuple) or len(docs) != 2:
        return False
    are_empty = all(isinstance(part, LISTS) and not len(part) for part in docs)
    ids, scores = docs
    of_text = _are(ids, "US", (str, bytes)) and _are(scores, "iuf", (int, float))
    return are_empty or of_text or (_are_fractions(scores) and not _are_fractions(ids))


def _may_be_short(docs: np.ndarray) -> bool:
    """Whether these may be numbers, among which -1 is no document; None, for a masked one, is refused."""
    return docs.ndim == 1 and docs.dtype.kind in "iuO" and not np.ma.is_masked(docs)


def _are_fractions(values: Any) -> bool:
    """Whether these are all floats."""
    return _are(values, "f", (float,))


def _are(values: Any, kinds: str, types: tuple[type, ...]) -> bool:
    """Whether these are all of some kinds of NumPy's, or of Python's types."""
    if isinstance(values, np.ndarray):
        return values.dtype.kind in kinds
    if not isinstance(values, list | tuple) or not values:
        return False
    return all(v.dtype.kind in kinds if isinstance(v, np.generic) else isinstance(v, types) for v in values)


def _is_pair(doc: Any) -> bool:
    return isinstance(doc, tuple | list) and len(doc) == 2


def _may_be_beside(docs: Any) -> bool:
    """Whether these two pairs of whole numbers may be two ids beside two scores."""
    return (
        isinstance(docs, tuple)
        and len(docs) == 2
        and all(isinstance(d, list) and _are(d, "iu", (int,)) for d in docs)
    )


def _answer(query: Any, docs: Any, name: str) -> Ranked:
    if isinstance(docs, Mapping):
        return Ranked(query, plain_ids(list(docs), query, name), list(docs.values()))
    if isinstance(docs, np.ndarray):
        docs = docs[is_id(docs)].tolist() if _may_be_short(docs) else docs.tolist()
    if isinstance(docs, str | bytes) or not isinstance(docs, Sequence):
        raise no_documents(query, docs, name)
    if isinstance(docs, list) and docs and isinstance(docs[0], dict):
        return answer(query, docs, None, name)
    scores = None
    if docs and all(map(_is_pair, docs)):
        if _may_be_beside(docs):
            raise no_ids(query, docs, name)
        docs, scores = zip(*docs, strict=True)
    return Ranked(query, plain_ids(docs, query, name), scores)


def unread(fault: Message, row: Any, name: str | None = None) -> InputError:
    """The error for a row; for lists beside lists, whose queries have no ids, it says how to give these."""
    if isinstance(row, list | set):
        fault = message("{fault}; lists of ids, one per query, become dicts: dict(enumerate(lists))", fault=fault)
    return InputError(fault, name)
