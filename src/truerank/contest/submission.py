"""A submission as it is: every line with its number, however malformed."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from truerank.core.errors import InputError, truncated
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.reading import Reading
from truerank.core.run import Batch, Ranked, Run
from truerank.formats import open_run
from truerank.formats.records import LONGEST
from truerank.formats.registry import chosen
from truerank.formats.source import Source, as_source

NO_DOC = b"\0"
"""Begins what stands for a result that is no document's id."""


@dataclass(frozen=True)
class Written:
    """How the truth writes the documents of an id: the official code takes 5 and "5" for two documents.

    Attributes:
        docs: {document: whether it is a number there, not text}.
        kinds: which of both occur in the whole truth.
    """

    docs: Mapping[bytes, bool]
    kinds: frozenset[bool]

    def is_strange(self, value: Any) -> bool:
        """Whether an id is a number where the truth has text, or text where it has numbers."""
        if isinstance(value, bytes):  # out of a format that does not tell them apart
            return False
        doc = as_bytes(value)
        kinds = {self.docs[doc]} if doc in self.docs else self.kinds
        return bool(kinds) and (type(value) is int) not in kinds

    def equal(self, value: Any) -> bytes | None:
        """The number that a fraction or a truth value equals in the official code, as 5.0 does 5 and true 1."""
        if not isinstance(value, bool | float) or not float(value).is_integer():
            return None
        doc = as_bytes(int(value))
        return doc if self.docs.get(doc) else None


@dataclass(frozen=True)
class Line:
    """One answer of a submission.

    Attributes:
        number: its line, 1-based; where there are no lines, its place.
        query: the id that it answers; None where none can be read.
        answer: what stands where the list of results should.
        scores: a score for each result, in files that have them.
        fault: why nothing can be read here.
        written: how the truth writes the documents; None where it does not tell numbers from text.
    """

    number: int
    query: bytes | None
    answer: Any
    scores: Sequence[float] | None = None
    fault: str = ""
    written: Written | None = None

    @property
    def is_list(self) -> bool:
        """Whether the results are a list, as they should be."""
        return isinstance(self.answer, list)

    @cached_property
    def results(self) -> list[bytes]:
        """What the official code goes through: the results, the letters of a text, nothing or something."""
        if isinstance(self.answer, list | str):
            return [_result(value, place, self.written) for place, value in enumerate(self.answer)]
        return [NO_DOC] if self.answer else []

    @cached_property
    def counts(self) -> Counter[Any]:
        """How often each document is in the list of results."""
        return Counter(filter(is_id, self.answer)) if self.is_list else Counter()

    @property
    def strange(self) -> Iterator[Any]:
        """The results that are ids, but of another type than those of the truth."""
        known = self.written
        return (value for value in self.answer if known and is_id(value) and known.is_strange(value))

    @property
    def ranked(self) -> Ranked:
        """The answer as the engine takes it."""
        return Ranked(self.query, self.results, self.scores, self.number)


def _result(value: Any, place: int, written: Written | None) -> bytes:
    """The document that a result is to the official code; what is none can be no hit either."""
    if written and (equal := written.equal(value)):
        return equal
    if not is_id(value) or (written and written.is_strange(value)):
        return NO_DOC + b"%d" % place
    return as_bytes(value)


def is_id(value: Any) -> bool:
    """Whether a value can be an id: text or a whole number, and no half of a character."""
    if type(value) not in (str, int, bytes) or value in ("", b""):
        return False
    try:
        return bool(as_bytes(value))
    except ValueError:
        return False


@dataclass(frozen=True, eq=False)
class Submission:
    """The lines of a submission, and what its name is."""

    name: str
    lines: tuple[Line, ...]

    @property
    def run(self) -> Run:
        """What the official code sees of this submission, in the form that the engine takes."""
        return Run(self.name, self._batches)

    def beside(self, truth: Qrels) -> Submission:
        """This submission, with numbers and text told apart among its ids as the truth writes them."""
        if truth.is_number is None:
            return self
        kinds, start = truth.is_number.tolist(), truth.start.tolist()
        docs = {
            query: {truth.doc(row): kinds[row] for row in range(first, end)}
            for query, first, end in zip(truth.queries, start, start[1:], strict=False)
        }
        both = frozenset(kinds)
        lines = (replace(line, written=Written(docs.get(line.query or b"", {}), both)) for line in self.lines)
        return replace(self, lines=tuple(lines))

    def _batches(self) -> Iterator[Batch]:
        return (line.ranked for line in self.lines if not line.fault)


def read(submission: Any, format: str | None = None) -> Submission:
    """A submission from a path, {id: results}, (id, results) pairs, records, or anything that holds a run.

    Args:
        format: the name of a format, instead of the one that the file looks like.

    Raises:
        InputError: the file cannot be read at all, or holds something else; its lines were read into a `Reading`.
    """
    if isinstance(submission, Reading):
        raise InputError(
            "this is a reading, which is no run any more; give the run that it was made of", submission.name
        )
    if isinstance(submission, str | os.PathLike):
        return _from_source(as_source(submission), format)
    if isinstance(submission, Mapping) and not _is_scored(submission):
        return Submission("submission", tuple(_from_pairs(submission.items())))
    if isinstance(submission, list) and not _are_files(submission):
        pairs = all(isinstance(entry, tuple) for entry in submission)
        return Submission("submission", tuple((_from_pairs if pairs else _from_records)(submission)))
    return _from_run(open_run(submission, name=None if isinstance(submission, Run) else "submission"))


def _are_files(submission: list[Any]) -> bool:
    """Whether these are the files of one run."""
    return bool(submission) and all(isinstance(each, str | os.PathLike) for each in submission)


def _from_source(source: Source, format: str | None) -> Submission:
    if source.is_folder:
        return _from_run(open_run(source, format))
    if not source.head.strip():
        return Submission(source.name, ())
    kind = chosen(source, "run", format).name
    if kind == "jsonl":
        return Submission(source.name, tuple(_from_lines(source)))
    if kind != "json":
        return _from_run(open_run(source, format))
    try:
        value = _parsed(source.text())
    except (ValueError, RecursionError):  # several values: a file of lines whose first one looked like the whole
        return Submission(source.name, tuple(_from_lines(source)))
    if isinstance(value, dict) and _is_scored(value):
        return _from_run(open_run(source, format))
    is_mapping = isinstance(value, dict) and not {"eval_id", "topk"} <= value.keys()
    return Submission(source.name, tuple(_from_pairs(value.items()) if is_mapping else _from_records(value)))


def _is_scored(answers: Mapping[Any, Any]) -> bool:
    """Whether this is {query: {document: score}}."""
    return bool(answers) and all(isinstance(docs, Mapping) for docs in answers.values())


def _from_lines(source: Source) -> Iterator[Line]:
    for first, block in source.blocks(LONGEST):
        for number, text in enumerate(block.split(b"\n"), first):
            if text.strip():
                yield _line(number, text)


def _line(number: int, text: bytes) -> Line:
    try:
        return _record(number, _parsed(text))
    except UnicodeDecodeError:
        return Line(number, None, None, fault=message("it is not UTF-8 text"))
    except ValueError:
        return Line(number, None, None, fault=message("it is no JSON"))
    except RecursionError:
        return Line(number, None, None, fault=message("its brackets are nested too deeply"))


def _parsed(text: bytes) -> Any:
    """A JSON value, with the NaN that Python writes and other readers refuse."""
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


def _from_run(run: Run) -> Submission:
    ranked = enumerate(rankings(run.batches(), run.name), 1)
    lines = (Line(r.line or place, r.query, list(r.docs), r.scores) for place, r in ranked)
    return Submission(run.name, tuple(lines))


def _from_pairs(pairs: Iterable[tuple[Any, Any]]) -> Iterator[Line]:
    return (_answered(place, query, docs) for place, (query, docs) in enumerate(pairs, 1))


def _from_records(records: Any) -> Iterator[Line]:
    entries = records if isinstance(records, list) else [records]
    return (_record(place, record) for place, record in enumerate(entries, 1))


def _record(number: int, record: Any) -> Line:
    """A line from an object, of which the official code reads these two keys and no other."""
    if not isinstance(record, dict):
        return Line(number, None, None, fault=message("it holds {value}, not an object", value=short(record)))
    if "eval_id" not in record:
        return Line(number, None, None, fault=message("it has no eval_id"))
    if "topk" not in record:
        return Line(number, None, None, fault=message("it has no topk"))
    return _answered(number, record["eval_id"], record["topk"])


def _answered(number: int, query: Any, docs: Any) -> Line:
    if not is_id(query):
        return Line(number, None, None, fault=message("its id is {value}", value=short(query)))
    return Line(number, as_bytes(query), list(docs) if isinstance(docs, tuple) else docs)


def short(value: Any) -> str:
    """A value as JSON writes it, cut where it is long."""
    try:
        text = truncated(json.dumps(value, ensure_ascii=False, default=repr))
    except UnicodeEncodeError:  # half of a character, which no file can hold but escaped
        text = json.dumps(value, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 40 else text[:39] + "…"
