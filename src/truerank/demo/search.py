"""Search a collection with every retriever, write runs and judgements as TREC files, evaluate the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from truerank.demo.collection import Collection
from truerank.demo.retrievers import bm25, ngram_cosine
from truerank.evaluate import evaluate
from truerank.formats.target import writing
from truerank.formats.trec import write_qrels, write_run
from truerank.run import Ranked
from truerank.scores import Scores

Retriever = Callable[[Mapping[str, str], Mapping[str, str]], Iterator[Ranked]]

RETRIEVERS: dict[str, tuple[str, Retriever]] = {
    "bm25": ("BM25 over words; scripts without blanks, and Hangul, as pairs of characters (bm25s)", bm25),
    "ngrams": ("character 2- and 3-grams, tf-idf cosine (SciPy)", ngram_cosine),
}
"""What each is called in file names, what it is, and the function."""


@dataclass(frozen=True)
class Outcome:
    """A searched and evaluated collection.

    Attributes:
        files: of the qrels, the rules, and a run a retriever.
        scores: of each run, in the order of `RETRIEVERS`.
    """

    collection: Collection
    qrels: Path
    rules: Path
    runs: tuple[Path, ...]
    scores: tuple[Scores, ...]

    @property
    def arguments(self) -> list[str]:
        """Of the command that evaluates the files again."""
        return ["eval", *map(str, (self.qrels, *self.runs)), "--rules", str(self.rules)]


def search(collection: Collection, directory: Path, say: Callable[[str], None] = lambda _: None) -> Outcome:
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
    for name, (_, retriever) in RETRIEVERS.items():
        say(f"{collection.name}: searching with {name}")
        runs.append(directory / f"{collection.name}.{name}.run")
        with writing(runs[-1]) as file:
            write_run(retriever(collection.docs, collection.queries), file, name)
        scores.append(evaluate(qrels, runs[-1], rules=collection.rules))
    return Outcome(collection, qrels, rules, tuple(runs), tuple(scores))


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
