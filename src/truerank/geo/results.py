"""What came back for each query, as rows of the references: out of a folder of JSON files, or any run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from truerank._kernel import as_bytes, as_text
from truerank.errors import InputError, shown
from truerank.formats import neighbours, open_run
from truerank.formats.neighbours import NAME, PATTERN, Folder
from truerank.geo.names import UNKNOWN, Form, Names
from truerank.run import Ranked, Run, rankings
from truerank.truth import Items, Note
from truerank.truth.items import Floats, Ints
from truerank.truth.result import counted, listed

TELLING = 10
"""So many neighbouring scores that all run against their name tell that the name is wrong."""


@dataclass(frozen=True, eq=False)
class Results:
    """What came back, a row a result, ordered by query and then as given.

    Attributes:
        name: where they came from.
        queries: whose they are: ids of the items where they are known, else as they stand in the results.
        start: (queries + 1,) query q's results are start[q] to start[q + 1].
        found: (results,) the row of the reference; from `len(references)` on: a name that no reference has.
        strangers: those names.
        scores: (results,) the higher the better; None: as they stand, best first.
        notes: how they were read, and what is remarkable.
    """

    name: str
    queries: tuple[str, ...]
    start: Ints
    found: Ints
    strangers: tuple[str, ...]
    scores: Floats | None
    notes: tuple[Note, ...] = ()

    def run(self, references: Items) -> Run:
        """The same for `tr.evaluate`."""
        names = list(map(as_bytes, (*references.ids, *self.strangers)))
        return Run(self.name, lambda: self._ranked(names))

    def _ranked(self, names: Sequence[bytes]) -> Iterator[Ranked]:
        scores = None if self.scores is None else self.scores.tolist()
        found, start = self.found.tolist(), self.start.tolist()
        for q, query in enumerate(self.queries):
            part = slice(start[q], start[q + 1])
            yield Ranked(query, [names[row] for row in found[part]], scores and scores[part])


def read_results(
    source: Any,
    queries: Items,
    references: Items,
    *,
    pattern: str | None = None,
    name: str | None = None,
    better: str | None = None,
    format: str | None = None,
    watch: Callable[[int], None] | None = None,
) -> Results:
    """Results from a folder of JSON files, one a query, or from whatever `open_run` takes.

    Args:
        pattern, name: where a file's name has the query's id, and what the query is then called; by default
            a date, a time and a number between underscores, and that with .jpg; or any query's name in it.
        better: "lower", "higher" or "order", instead of what the value's key says.
        format: the format of a run.
        watch: told how many bytes more were read.

    Raises:
        InputError: no query or no reference is known by the names in the results.
    """
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        return _of_folder(os.fspath(source), queries, references, pattern, name, better, watch)
    return _of_run(open_run(source, format), queries, references)


# --- a folder -----------------------------------------------------------------------------------------


def _of_folder(
    path: str,
    queries: Items,
    references: Items,
    pattern: str | None,
    name: str | None,
    better: str | None,
    watch: Callable[[int], None] | None,
) -> Results:
    names = Names(references)
    folder = neighbours.open_folder(path, names.share).better(better)
    files, notes = _named(folder, queries, pattern, name)
    sample = [each for found in folder.read(_spread(list(files))) for each in found.ids]
    form = _form(names, sample, folder.name)
    gathered = _Gathered(form, len(references))
    for found in folder.read(files, watch):
        gathered.add(files[found.file], found.ids, found.scores)
    results = gathered.results(folder.name)
    value = folder.shape.value if folder.shape and not better else None
    turned, more = _turned(results, value, "lower" if folder.shape and folder.shape.sign < 0 else "higher")
    said = (*notes, *_read_by(form, folder), *more, *_strange(results))
    return replace(turned, notes=said)


def _named(
    folder: Folder, queries: Items, pattern: str | None, name: str | None
) -> tuple[dict[str, str], list[Note]]:
    """The query of each file, as the items call it, and what to say about it."""
    notes = []
    files = neighbours.queries(folder.files, pattern or PATTERN, name or NAME)
    if not files and pattern is None:
        names = Names(queries)
        files = {file: part for file in folder.files if (part := names.inside(file))}
        notes = [Note("query names", "The queries are known by their names in the files' names.")] if files else []
    if not files:
        wanted = f"the pattern {pattern or PATTERN!r} finds nothing in {shown(folder.files[0])}"
        raise InputError(f"no file's name has a query's id: {wanted}; say where it is with a pattern", folder.name)
    skipped = [file for file in folder.files if file not in files]
    if skipped:
        many = counted(len(skipped), "file has", "files have")
        notes.append(Note("skipped", f"{many} no query's id in the name and were not read: {listed(skipped)}."))
    known = _known(list(files.values()), queries, folder.name)
    named = {file: known[query] for file, query in files.items()}
    neighbours.one_file_each(named, folder.name)
    return named, notes


def _known(names: Sequence[str], queries: Items, source: str) -> dict[str, str]:
    """What the items call each query; names that they do not know stay."""
    form = Names(queries).best(names)
    rows = form.rows(names)
    if set(rows) <= {UNKNOWN}:
        example = f"the results have {shown(names[0])}, {queries.name} has {shown(queries.ids[0])}"
        raise InputError(f"no query is known by the results' names: {example}", source)
    return {name: queries.ids[row] if row != UNKNOWN else name for name, row in zip(names, rows, strict=True)}


def _spread(files: Sequence[str]) -> Sequence[str]:
    return files[:: max(1, len(files) // neighbours.SAMPLE)]


def _read_by(form: Form, folder: Folder) -> Iterator[Note]:
    shape = f" (at {folder.shape})" if folder.shape else ""
    if form.label != "id":
        yield Note("reference names", f"The results name references by their {form.label}{shape}.")


def _turned(results: Results, value: str | None, better: str) -> tuple[Results, list[Note]]:
    """The results, the other way round where every list runs against what its values are called.

    Lists are written best first. Scores that rise down every list, or distances that fall, have the wrong name:
    FAISS calls inner products distances too.
    """
    if value is None or results.scores is None:
        return results, []
    steps = np.diff(results.scores)
    inside = np.ones(len(steps), bool)
    inside[results.start[1:-1][(results.start[1:-1] > 0) & (results.start[1:-1] < len(results.scores))] - 1] = False
    rising, falling = int((steps[inside] > 0).sum()), int((steps[inside] < 0).sum())
    if rising >= TELLING and not falling:
        other = "higher" if better == "lower" else "lower"
        what = f"{value!r} runs the other way in every list, so the {other} was taken for the better"
        return replace(results, scores=-results.scores), [
            Note("direction", f"{what}; --better {better} forbids that.")
        ]
    if rising:
        return results, [Note("order", f"Some lists are not in the order of {value!r}, which decides.")]
    return results, []


# --- a run --------------------------------------------------------------------------------------------


def _of_run(run: Run, queries: Items, references: Items) -> Results:
    answers: dict[str, tuple[list[str], list[float]]] = {}
    for part in rankings(run.batches(), run.name):
        docs, scores = answers.setdefault(as_text(part.query), ([], []))
        docs += map(as_text, part.docs)
        scores += part.numbers()
    if not answers:
        raise InputError("there are no results in it", run.name)
    known = _known(list(answers), queries, run.name)
    form = _form(Names(references), [doc for docs, _ in list(answers.values())[:100] for doc in docs], run.name)
    gathered = _Gathered(form, len(references))
    for query, (docs, scores) in answers.items():
        gathered.add(known[query], docs, scores)
    results = gathered.results(run.name)
    notes = [Note("reference names", f"The results name references by their {form.label}.")]
    return replace(results, notes=(*(notes if form.label != "id" else ()), *_strange(results)))


# --- both ---------------------------------------------------------------------------------------------


def _form(names: Names, sample: Sequence[Any], source: str) -> Form:
    form = names.best(sample)
    if sample and not form.share(sample):
        example = f"the results have {shown(str(sample[0]))}, {names.items.name} has {shown(names.items.ids[0])}"
        raise InputError(f"no reference is known by the results' names: {example}", source)
    return form


class _Gathered:
    """Results of one query after another, as they become rows."""

    def __init__(self, form: Form, references: int):
        self.form = form
        self.references = references
        self.queries: list[str] = []
        self.found: list[Ints] = []
        self.scores: list[Any] = []
        self.strangers: dict[str, int] = {}

    def add(self, query: str, ids: Sequence[Any], scores: Any) -> None:
        """One query's results; the names that no reference has are numbered after the references."""
        rows = self.form.rows(ids)
        if UNKNOWN in rows:
            rows = [self._number(str(name)) if row == UNKNOWN else row for name, row in zip(ids, rows, strict=True)]
        self.queries.append(query)
        self.found.append(np.array(rows, np.int64))
        if ids:
            self.scores.append(scores)

    def _number(self, name: str) -> int:
        return self.strangers.setdefault(name, self.references + len(self.strangers))

    def results(self, name: str) -> Results:
        start = np.concatenate([[0], np.cumsum([len(rows) for rows in self.found])]).astype(np.int64)
        found = np.concatenate(self.found) if self.found else np.empty(0, np.int64)
        is_scored = self.scores and all(scores is not None for scores in self.scores)
        scores = np.concatenate(self.scores).astype(np.float64) if is_scored else None
        return Results(name, tuple(self.queries), start, found, tuple(self.strangers), scores)


def _strange(results: Results) -> Iterator[Note]:
    if results.strangers:
        many = counted(len(results.strangers), "name in the results is", "names in the results are")
        yield Note("strangers", f"{many} no reference's: {listed(results.strangers)}.")
