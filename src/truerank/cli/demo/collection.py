"""A collection: documents, queries, retrievers, what is right, and under whose rules that is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Ranked
from truerank.core.scores import Scores

Search = Callable[[str, int], list[tuple[str, float]]]
"""From a text and how many documents are wanted: (document, score), best first."""


@dataclass(frozen=True)
class DemoRetriever:
    """What searches a collection.

    Attributes:
        about: what it is, in a line.
        search: the best documents of each query.
        ready: gives what answers any text, from an index that is made once; None where no text is asked.
    """

    about: str
    search: Callable[[], Iterator[Ranked]]
    ready: Callable[[], Search] | None = None


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
        retrievers: what searches it, by the name that their files have.
    """

    name: str
    title: str
    about: str
    docs: Mapping[str, str]
    queries: Mapping[str, str]
    qrels: Qrels
    rules: Rules
    retrievers: Mapping[str, DemoRetriever]


@dataclass(frozen=True)
class DemoOutcome:
    """A collection that was searched and evaluated.

    Attributes:
        title, about: those of the collection.
        scores: of each run.
        arguments: of the command that evaluates the files again.
        retrievers: what each is, by name.
    """

    title: str
    about: str
    scores: tuple[Scores, ...]
    arguments: tuple[str, ...]
    retrievers: Mapping[str, str]
