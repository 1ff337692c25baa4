"""Search a collection with each of its retrievers, write runs and judgements as TREC files, evaluate the files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from truerank.cli.demo.collection import Collection, DemoOutcome
from truerank.core.evaluate import evaluate
from truerank.core.run import Ranked
from truerank.formats.target import writing
from truerank.formats.trec import write_qrels, write_run

OFTEN = 2.0
"""Seconds between two words about how far a search is."""


def search(collection: Collection, directory: Path, say: Callable[[str], None] = lambda _: None) -> DemoOutcome:
    """Search and evaluate.

    Args:
        directory: where the files go; made if it is not there.
        say: told what is being done.

    Raises:
        MissingPackage: a retriever's package is not installed.
        InputError: a file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    qrels, rules = _write(collection, directory)
    runs, scores = [], []
    for name, retriever in collection.retrievers.items():
        say(f"{collection.name}: indexing for {name}")
        runs.append(directory / f"{collection.name}.{name}.run")
        work = f"{collection.name}: searching with {name}"
        with writing(runs[-1]) as file:
            write_run(counted(retriever.search(), len(collection.queries), work, say), file, name)
        scores.append(evaluate(qrels, runs[-1], rules=collection.rules))
    arguments = ("eval", *map(str, (qrels, *runs)), "--rules", str(rules))
    known = {name: retriever.about for name, retriever in collection.retrievers.items()}
    return DemoOutcome(collection.title, collection.about, tuple(scores), arguments, known)


def counted(answers: Iterable[Ranked], total: int, work: str, say: Callable[[str], None]) -> Iterator[Ranked]:
    """The answers; every other second it is said how many there are, and how long the others will take."""
    start = said = 0.0
    for done, answer in enumerate(answers):
        yield answer
        now = time.monotonic()
        if not done:  # what comes before the first answer, such as loading, says nothing of the others
            start = said = now
        elif now - said >= OFTEN:
            left = (now - start) / done * (total - done - 1)
            say(f"{work}: {done + 1:,} of {total:,} queries, about {left:.0f} s left")
            said = now


def _write(collection: Collection, directory: Path) -> tuple[Path, Path]:
    """What is searched, searched for and right, and the rules; the paths of the last two."""
    qrels, rules = (directory / f"{collection.name}.{ending}" for ending in ("qrels", "toml"))
    for texts in ("docs", "queries"):
        with writing(directory / f"{collection.name}.{texts}.tsv") as file:
            _write_texts(getattr(collection, texts).items(), file)
    with writing(qrels) as file:
        write_qrels(collection.qrels, file)
    with writing(rules) as file:
        file.write(collection.rules.to_toml().encode())
    return qrels, rules


def _write_texts(texts: Iterable[tuple[str, str]], file: BinaryIO) -> None:
    file.write("".join(f"{name}\t{text}\n" for name, text in texts).encode())
