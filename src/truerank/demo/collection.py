"""A collection: documents, queries, what is right, and under whose rules that is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truerank.qrels import Qrels
from truerank.rules import Rules


@dataclass(frozen=True)
class Collection:
    """Documents to search and queries to search for.

    Attributes:
        name: what its files are called.
        title: one line that says what it is.
        about: what is searched, where the judgements come from and what counts as right.
        docs, queries: text by id.
        qrels: what is right.
        rules: under which rules runs are evaluated; they name the measures.
    """

    name: str
    title: str
    about: str
    docs: Mapping[str, str]
    queries: Mapping[str, str]
    qrels: Qrels
    rules: Rules
