"""What was returned for each query, from a folder of JSON files or any run, and which references the names mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from truerank.core.errors import InputError, printable
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import Message, message, plural
from truerank.core.rankings import rankings
from truerank.core.run import Batch, Columns, Progress, Ranked, Run, unreported
from truerank.formats import neighbours, open_run
from truerank.formats.names import NAME, PATTERN
from truerank.formats.neighbours import Folder
from truerank.formats.source import watching_bytes
from truerank.geo.names import UNKNOWN, NameForm, Names
from truerank.geo.packing import PackedAnswers, unpacked
from truerank.truth import Items, TruthNote
from truerank.truth.items import Floats, Ints
from truerank.truth.notes import examples

SAMPLE = 100
"""Answers of a run from which it is found out how the references are named."""


@dataclass(frozen=True, eq=False)
class Results:
    """What was returned for each query.

    Attributes:
        name: where it came from.
        answers: the names as they stand, one list per query; queries as the items call them, where these know them.
        form: how the names are read.
        references: what they name.
        start: (queries + 1,) query q's results are start[q] to start[q + 1] among the scores.
        scores: (results,) the higher the better; None: they stand best first.
        notes: how they were read, and what is remarkable.
        sign: 1 where the score is the value in the files, -1 where it is minus that: a distance.
    """

    name: str
    answers: PackedAnswers
    form: NameForm
    references: Items
    start: Ints
    scores: Floats | None
    notes: tuple[TruthNote, ...] = ()
    sign: int = 1

    @property
    def queries(self) -> Sequence[str]:
        """The queries that these are the results of."""
        return self.answers.queries

    @property
    def longest(self) -> int:
        """The most results that a query has."""
        return int(np.diff(self.start).max(initial=0))

    def ranked(self) -> Iterator[Ranked]:
        """Each query's results; references by their ids, whatever the results call them."""
        scores = None if self.scores is None else self.scores.tolist()
        ends = self.start.tolist()
        for q, (query, names) in enumerate(self.answers):
            yield Ranked(query, self._by_id(names), scores and scores[ends[q] : ends[q + 1]])

    def one(self, q: int) -> Ranked:
        """The results of one query."""
        part = slice(self.start[q], self.start[q + 1])
        names = self._by_id(unpacked(self.answers.docs[q]))
        return Ranked(self.queries[q], names, None if self.scores is None else self.scores[part].tolist())

    def _by_id(self, names: list[Any]) -> list[Any]:
        """The ids of the references; a name that none has stays, with a mark where it is another one's id."""
        named = self.form.read(names)
        if self.form.label == "id":
            return named
        find, ids, known = self.form.table.get, self.references.ids, self.references.rows
        pairs = [(name, find(name)) for name in map(str, named)]
        return [
            f"?{name}" if row is None and name in known else name if row is None else ids[row]
            for name, row in pairs
        ]

    def run(self) -> Run:
        """These results as a run for `tr.evaluate`."""
        return Run(self.name, self.ranked)


def read_results(
    source: Any,
    queries: Items,
    references: Items,
    *,
    pattern: str | None = None,
    name: str | None = None,
    better: str | None = None,
    format: str | None = None,
    progress: Progress = unreported,
) -> Results:
    """Results from a folder of JSON files, one per query, or from whatever `open_run` takes.

    Args:
        pattern, name: where the name of a folder's file has the query's id, and what the query is then called; by
            default a date, a time and a number between underscores, and that with .jpg; or any query's name in it.
        better: "lower", "higher" or "order", instead of what the value's key says, or of higher scores of a run.
        format: the format of a run.
        progress: called with how many bytes of a folder were read, and of how many.

    Raises:
        InputError: no query or no reference is known by the names in the results, a query has several lists, or
            what is said of them has no use.
    """
    if not (isinstance(source, str | os.PathLike) and os.fspath(source) and Path(source).is_dir()):
        run = open_run(source, format)
        if pattern is not None or name is not None:
            raise InputError("a pattern and a name are for the files of a folder, and this is none", run.name)
        return _of_run(run, queries, references, neighbours.checked_better(better, run.name))
    folder = neighbours.open_folder(source, Names(references).share).better(better)
    files, notes = _named(folder, queries, pattern, name)
    results = _of_folder(folder, files, references, watching_bytes(progress, source))
    turned, more = _turned(results, folder) if better is None else (results, [])
    return replace(turned, notes=(*notes, *results.notes, *more))


def _of_folder(folder: Folder, files: dict[str, str], references: Items, watch: Callable[[int], None]) -> Results:
    spread = list(files)[:: max(1, len(files) // neighbours.SAMPLE)]
    sample = [name for answer in folder.read(spread) for name in answer.ids]
    form, notes = _form(Names(references), sample, folder.name)
    answers = PackedAnswers(folder.name)
    for answer in folder.read(files, watch):
        answers.add(files[answer.file], answer.ids, answer.values)
    return _results(folder.name, answers, form, references, folder.shape.sign if folder.shape else 1, notes)


def _named(
    folder: Folder, queries: Items, pattern: str | None, name: str | None
) -> tuple[dict[str, str], list[TruthNote]]:
    """The query of each file, as the items call it, and what to say about it."""
    notes = []
    files = neighbours.queries(folder.files, pattern or PATTERN, name or NAME)
    names = Names(queries)
    if pattern is None and name is None and not names.share(list(files.values())):
        inside = {file: part for file in folder.files if (part := names.inside(file))}
        if inside:
            notes = [TruthNote("query names", message("The queries are known by their names in the files' names."))]
        files = inside or files
    if not files:
        raise InputError(
            "no file's name has a query's id: the pattern {pattern!r} finds nothing in {name}; "
            "say where it is with a pattern",
            folder.name,
            pattern=pattern or PATTERN,
            name=printable(folder.files[0]),
        )
    skipped = [file for file in folder.files if file not in files]
    if skipped:
        said = plural(
            "{n:,} file has no query's id in the name and was not read: {names}.",
            "{n:,} files have no query's id in the name and were not read: {names}.",
            n=len(skipped),
            names=examples(skipped),
        )
        notes.append(TruthNote("skipped", said))
    known, more = _known(list(files.values()), names, folder.name)
    named = {file: known[query] for file, query in files.items()}
    neighbours.one_file_each(named, folder.name)
    return named, [*notes, *more]


def _turned(results: Results, folder: Folder) -> tuple[Results, list[TruthNote]]:
    """The results, the other way round where every list runs against what its values are called."""
    if results.scores is None or folder.shape is None:
        return results, []
    value = folder.shape.value
    rising, falling = neighbours.trend(results.scores, results.start)
    if neighbours.is_against(rising, falling):
        is_less = folder.shape.sign < 0
        said = message(
            "{value!r} runs the other way in every list, so the {side} is taken for the better; "
            "--better {named} forbids that.",
            value=value,
            side=message("higher") if is_less else message("lower"),
            named="lower" if is_less else "higher",
        )
        return replace(results, scores=-results.scores, sign=-results.sign), [TruthNote("direction", said)]
    if rising:
        return results, [
            TruthNote("order", message("Some lists are not in the order of {value!r}, which decides.", value=value))
        ]
    return results, []


def _of_run(run: Run, queries: Items, references: Items, better: str | None) -> Results:
    told: list[tuple[bool, bool, bool, bool]] = []

    def watched(batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            told.append(_told(batch))
            yield batch

    lists = _lists(run.through(watched), better)
    if not lists:
        raise InputError("there are no results in it", run.name)
    are_rows, are_places, are_ranks, are_distances = map(all, zip(*told, strict=True))
    if are_ranks and better in neighbours.BETTER:
        raise InputError(_no_scores(next(iter(lists)), better), run.name)
    known, notes = _known(list(lists), Names(queries), run.name, are_places=are_rows)
    few = None if are_places else SAMPLE
    sample = [doc for docs, _ in list(lists.values())[:few] for doc in docs]
    form, more = _form(Names(references), sample, run.name, are_places=are_places)
    answers = PackedAnswers(run.name)
    for query, (docs, scores) in lists.items():
        if are_ranks:
            docs = [docs[place] for place in sorted(range(len(docs)), key=lambda place: -scores[place])]
        values = [-score for score in scores] if are_distances else scores
        has_values = better != "order" and not are_ranks
        answers.add(known[query], docs, values if has_values else None)
    sign = neighbours.sign_of(better or ("lower" if are_distances else None))
    return _results(run.name, answers, form, references, sign, [*notes, *more])


def _told(batch: Batch) -> tuple[bool, bool, bool, bool]:
    """Whether queries are rows without names, documents places, scores ranks or distances: see `Columns`."""
    if isinstance(batch, Columns):
        return batch.are_rows, batch.are_places, batch.are_ranks, batch.are_distances
    if isinstance(batch, Ranked):
        return False, False, batch.are_ranks or batch.scores is None, batch.are_distances
    return False, False, False, False


def _no_scores(query: str | bytes, better: str) -> Message:
    return message(
        "query {query} has no scores for better = {better} to compare",
        query=printable(query),
        better=better,
    )


def _lists(run: Run, better: str | None) -> dict[str, tuple[list[str], list[float]]]:
    """The documents and the scores of each query.

    Raises:
        InputError: a query has several lists, or no scores to compare.
    """
    lists: dict[str, tuple[list[str], list[float]]] = {}
    for part in rankings(run.batches(), run.name):
        if part.call not in (None, 1):
            raise InputError(
                "query {query} has several lists, one per call: places are found by one list per query",
                run.name,
                query=printable(part.query),
            )
        if part.docs and part.scores is None and better in neighbours.BETTER:
            raise InputError(_no_scores(part.query, better), run.name)
        docs, scores = lists.setdefault(as_text(part.query), ([], []))
        docs += map(as_text, part.docs)
        scores += part.numbers()
    return lists


def _known(
    queries: Sequence[str], names: Names, source: str, *, are_places: bool = False
) -> tuple[dict[str, str], list[TruthNote]]:
    """What the items call each query; names that they do not know stay.

    Args:
        are_places: the names are the numbers of an array's rows.
    """
    form, items = names.places if are_places else names.best(queries), names.items
    rows = form.rows(queries)
    if set(rows) <= {UNKNOWN}:
        raise InputError(
            "no query is known by the results' names: {example}", source, example=_example(queries[0], items)
        )
    known = {name: items.ids[row] if row != UNKNOWN else name for name, row in zip(queries, rows, strict=True)}
    other = None if are_places else names.other(form, queries)
    if other is None:
        return known, []
    said = message(
        "The results name queries by their {label}; by their {other} they would be others.",
        label=form.label,
        other=other.label,
    )
    return known, [TruthNote("query names", said)]


def _form(
    names: Names, sample: Sequence[Any], source: str, *, are_places: bool = False
) -> tuple[NameForm, list[TruthNote]]:
    """How the references are named, and what to say about it.

    Args:
        are_places: the names are the numbers of an array: places, if none is beyond the list.
    """
    form = names.places if are_places and names.places.share(sample) == 1 else names.best(sample)
    if sample and not form.share(sample):
        raise InputError(
            "no reference is known by the results' names: {example}",
            source,
            example=_example(sample[0], names.items),
        )
    if (other := names.other(form, sample)) is not None:
        said = message(
            "The results name references by their {label}; by their {other} they would be others.",
            label=form.label,
            other=other.label,
        )
        return form, [TruthNote("reference names", said)]
    if form.label == "id":
        return form, []
    return form, [
        TruthNote("reference names", message("The results name references by their {label}.", label=form.label))
    ]


def _example(name: Any, items: Items) -> Message:
    """One name of each."""
    return message(
        "the results have {name}, {items} has {id}",
        name=printable(str(name)),
        items=items.name,
        id=printable(items.ids[0]),
    )


def _results(
    name: str, answers: PackedAnswers, form: NameForm, references: Items, sign: int, notes: list[TruthNote]
) -> Results:
    return Results(name, answers, form, references, answers.start, answers.scores(sign), tuple(notes), sign)
