"""Weights of aspects, such as the probabilities of intents, from a file of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from truerank.core.errors import InputError
from truerank.core.qrels import Qrels
from truerank.formats import names
from truerank.formats.cells import Header, header
from truerank.formats.delimited import Reader, without_header
from truerank.formats.names import Layout
from truerank.formats.opening import read_qrels
from truerank.formats.rows import qrels_of, weights_of
from truerank.formats.source import as_source


def weighted(qrels: Qrels, weights: Any) -> Qrels:
    """Judgements with the weights that a file or an object has for their aspects.

    Args:
        weights: {query: {aspect: weight}}; a CSV or TSV file with the columns query_id, aspect and weight; or what
            `read_qrels` takes, where the aspect stands in the document's place and the weight in the grade's.

    Raises:
        InputError: no such columns; or as for `Qrels.weighted`, with the line.
    """
    given = _read(weights)
    aspects = given.docs(), np.arange(len(given.grades))
    owners = [given.queries[query] for query in given.query.tolist()]
    own, lines = weights_of(owners, aspects, given.grades.tolist(), given.name, given.lines)
    return qrels.weighted(own, given.name, lines)


def _read(weights: Any) -> Qrels:
    """The weights as judgements whose documents are the aspects."""
    if not isinstance(weights, str | os.PathLike):
        with _told_of_documents():
            return read_qrels(weights)
    source = as_source(weights)
    first = header(source.head)
    layout = _layout(first, source.name)
    with _told_of_documents():
        if layout is None:
            return read_qrels(weights)
        reader = Reader(source.name, first.delimiter, first.names, layout)
        return qrels_of(reader.parts(without_header(source)), source.name)


@contextmanager
def _told_of_documents() -> Iterator[None]:
    """Say in errors about weights that the aspect is called a document there, and the weight a grade."""
    try:
        yield
    except InputError as error:
        raise InputError(
            "{why} (of weights: the aspect is called a document here, and the weight a grade)",
            error.path,
            error.line,
            why=error.said,
        ) from None


def _layout(first: Header, name: str) -> Layout | None:
    """The columns of a header of weights; None where the first line is not a header, or names documents."""
    groups = (names.QUERY, names.ASPECT, (*names.WEIGHT, *names.GRADE))
    query, aspect, weight = (names.find(first.names, group) for group in groups)
    if query is not None and aspect is not None and weight is not None:
        return Layout(query, aspect, weight)
    is_header = not any(cell.replace(".", "").isdecimal() for cell in first.names)
    if query is None or not is_header or first.is_known:
        return None
    raise InputError(
        "weights of aspects need the columns query_id, aspect and weight (there is {known})",
        name,
        1,
        known=names.few(first.names),
    )
