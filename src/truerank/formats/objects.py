"""Objects in memory: dicts, lists, arrays of ids and scores, DataFrames."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted
from truerank.core.mappings import FLOATS
from truerank.core.messages import message
from truerank.core.presented import Presented
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Run
from truerank.formats.answers import is_answer
from truerank.formats.by_query import IDS, of_pairs, run_of_dict, unread
from truerank.formats.columnar import judged_in, predicted_in, rows_of
from truerank.formats.frames import is_frame, is_lazy, qrels_from_frame, run_from_frame, run_from_frames
from truerank.formats.matrices import is_sparse, qrels_of_sparse, run_of_arrays, run_of_sparse
from truerank.formats.names import CALL, DOC, QUERY, RELEVANT, SCORE, find
from truerank.formats.records import kind, qrels_of_records, run_parts
from truerank.formats.rows import complete_judgements, unnumbered

NUMPY = (np.generic, np.ndarray)
"""What of NumPy's has `tolist`, which makes Python's own of it."""

ROW = ("query_id", "doc_id", "score")
"""What stands in a tuple of three."""

SCORES = FLOATS | {int}
"""Types of scores that the kernel reads; others are read row by row, or refused."""

PLAIN = {str, int, float}
"""Types of values that are not NumPy's."""

ONE = (Run, Presented)
"""A run, or what was made of one."""


def qrels_from_object(qrels: Any) -> Qrels:
    """Judgements from a dict of dicts or of documents, a list of records, a DataFrame or a sparse matrix."""
    qrels = _whole(qrels)
    if is_sparse(qrels):
        return qrels_of_sparse(qrels)
    if isinstance(qrels, Presented):
        raise InputError("qrels are judgements, not {kind}, which was made of them", kind=type(qrels).__name__)
    if isinstance(qrels, Mapping) and (table := rows_of(qrels, "qrels", "qrels")):
        return qrels_of_records(unnumbered(table()), "qrels")
    if isinstance(qrels, Mapping):
        return complete_judgements(Qrels.from_dict(judged_in(qrels, "qrels")))
    if is_frame(qrels):
        return qrels_from_frame(qrels)
    if isinstance(qrels, list | tuple) and not qrels:
        raise InputError("there are no judgements in it", "qrels")
    if isinstance(qrels, list) and all(map(_is_by_query, qrels)):
        raise InputError("this is a list of qrels: all queries stand in one dict")
    if isinstance(qrels, list | tuple) and (rows := _rows(qrels, "relevance")):
        iterations = {getattr(row, "iteration", None) for row in qrels}
        if len(iterations) > 1:
            return _by_iteration(rows())
        of_all = qrels_of_records(unnumbered(rows()), "qrels")
        second = iterations.pop()
        return replace(of_all, second=second.encode()) if isinstance(second, str) else of_all
    what = message(
        "a path, {query: {document: grade}}, {query: documents}, rows (query, document, grade) that end in a "
        "number, a DataFrame, a sparse matrix, or of arrays of exact neighbours truth.neighbours(ids, k=10)"
    )
    said = message("qrels are {what}, not {qrels}", what=what, qrels=quoted(qrels))
    raise unread(said, next(iter(qrels), None) if isinstance(qrels, list | tuple) else None)


def _by_iteration(records: Iterator[dict[str, Any]]) -> Qrels:
    """Judgements from ir_measures' Qrel, whose iteration is TREC's second column; the rules say what that means."""
    named = ({"aspect" if key == "iteration" else key: value for key, value in each.items()} for each in records)
    qrels = qrels_of_records(unnumbered(named), "qrels")
    return qrels if qrels.aspects is None else replace(qrels, aspects=replace(qrels.aspects, is_named=False))


def run_from_object(run: Any, name: str) -> Run:
    """A run from a dict of dicts or of documents, (query, documents) pairs, records, arrays, or DataFrames."""
    name = run.name if _is_ranx(run) and run.name else name
    run = _whole(run)
    if is_sparse(run):
        return run_of_sparse(run, name)
    if isinstance(run, Presented):
        if isinstance(getattr(run, "run", None), Run):
            raise InputError(
                "a run is what a system returned, as is the run of this {kind}: give its .run",
                kind=type(run).__name__,
            )
        raise InputError(
            "a run is what a system returned, not {kind}, which was made of one", kind=type(run).__name__
        )
    if isinstance(run, Mapping):
        run = run if (predicted := predicted_in(run, name)) is None else predicted
        if table := rows_of(run, "run", name):
            return Run(name, partial(_of_records, table, name))
        _refuse_several(run)
        return run_of_dict(run, name)
    if is_frame(run):
        return run_from_frame(run, name)
    if isinstance(run, tuple) and len(run) in (2, 3):
        return run_of_arrays(run, name)
    if isinstance(run, list) and run and all(map(is_frame, run)):
        return run_from_frames(run, name)
    if isinstance(run, list) and run and all(isinstance(one, ONE) or _is_by_query(one) for one in run):
        raise InputError(
            "this is a list of runs: compare(qrels, runs) takes them all, evaluate(qrels, runs[0]) one; all "
            "queries of a run stand in one dict"
        )
    if isinstance(run, list) and (places := _places(run)):
        return Run(name, partial(_tuples, run, *places, name))
    if isinstance(run, list) and (rows := _rows(run, "score")):
        return Run(name, partial(_of_records, rows, name))
    if isinstance(run, Sequence) and not isinstance(run, str | bytes):
        return Run(name, partial(of_pairs, run, name))
    what = message("a path, {query: {document: score}}, {query: documents}, rows (query, document, score)")
    raise InputError(
        "a run is {what}, arrays (ids, scores), (ids, None) where ids stand best first, a sparse matrix or a "
        "DataFrame, not {run}",
        what=what,
        run=quoted(run),
    )


def is_one_run(thing: Any) -> bool:
    """Whether this is one run and not several, although it can be iterated: a path, a table, arrays."""
    if isinstance(thing, tuple) and len(thing) in (2, 3) and not is_one_run(thing[0]):
        return getattr(thing[0], "ndim", 0) == 2
    return isinstance(thing, str | os.PathLike | Run) or is_frame(thing) or is_sparse(thing) or _is_ranx(thing)


def _whole(thing: Any) -> Any:
    """The rows of objects that give them by a call: lazy polars frames, Hugging Face Datasets, ranx's Qrels, Run.

    Also all rows of iterators such as generators, the qrels of a dataset of ir_datasets, the body of a response of
    Elasticsearch's client, and the rows of a database's cursor. Anything else as it is.
    """
    if type(thing) is dict:
        return thing
    if hasattr(thing, "readline"):
        raise InputError("this is an open file: give its path, or '-' for standard input")
    if hasattr(thing, "meta") and type(getattr(thing, "body", None)) is dict:
        return thing.body
    if _is_ranx(thing):
        return thing.to_dict()
    if _is_series(thing):
        return _of_series(thing)
    if hasattr(thing, "with_format") and hasattr(thing, "column_names"):
        if isinstance(thing, Mapping):
            raise InputError(
                "this has several splits, {names}: give one of them", names=", ".join(map(quoted, thing))
            )
        return thing.with_format("arrow")[:]
    if is_lazy(thing):
        return thing.collect()
    if hasattr(thing, "fetchone") and getattr(thing, "description", None) and not is_frame(thing):
        return _of_cursor(thing)
    return list(thing) if _is_of_rows(thing) else thing


def _of_cursor(cursor: Any) -> list[Any]:
    """The remaining rows of a database's cursor, by the names of the columns where these are known."""
    names, rows = [column[0] for column in cursor.description], list(iter(cursor.fetchone, None))
    are_bare = bool(rows) and not hasattr(rows[0], "keys") and not hasattr(rows[0], "_asdict")
    are_known = len(set(names)) == len(names) and None not in (find(names, QUERY), find(names, DOC))
    return [dict(zip(names, row, strict=True)) for row in rows] if are_bare and are_known else rows


def _is_of_rows(thing: Any) -> bool:
    """Whether these are named tuples, or an ordered iterable of which nothing else is known."""
    if isinstance(thing, tuple):
        return bool(thing) and hasattr(thing[0], "_asdict")
    known = isinstance(thing, str | bytes | Mapping | Sequence | Set | Presented) or hasattr(thing, "ndim")
    return isinstance(thing, Iterable) and not known and not is_frame(thing) and not is_sparse(thing)


def _is_ranx(thing: Any) -> bool:
    return type(thing).__module__.partition(".")[0] == "ranx" and hasattr(thing, "to_dict")


def _is_series(thing: Any) -> bool:
    """Whether this is a Series of pandas, which is a column with an index."""
    return getattr(thing, "ndim", 0) == 1 and hasattr(thing, "index") and hasattr(thing, "to_dict")


def _of_series(series: Any) -> Any:
    """{query: its documents}, as from `groupby`; one row per document where the index has query and document."""
    if series.index.nlevels > 1:
        return series.reset_index()
    if not series.index.is_unique:
        twice = series.index[series.index.duplicated()][0]
        raise InputError(
            "query {query} stands twice in the index; give the documents of a query as one list, or a "
            "DataFrame with one row per document",
            query=quoted(twice),
        )
    return series.to_dict()


def _of_records(records: Callable[[], Iterator[Any]], name: str) -> Iterator[Batch]:
    return run_parts(unnumbered(records()), name)


def _refuse_several(run: Mapping[Any, Any]) -> None:
    """Raise for {name: run}, which only functions of several runs take."""
    names, values = list(run), list(run.values())
    if values and all(map(_is_run, values)):
        several = ", ".join(map(quoted, names[:3]))
        raise InputError(
            "these are several runs ({names}), by their names: compare(qrels, runs) takes them all, "
            "evaluate(qrels, runs[{first!r}]) one",
            names=several,
            first=names[0],
        )


def _is_run(value: Any) -> bool:
    """Whether this is a run and not a query's documents; a Series, which Arrow takes too, is of one type."""
    if isinstance(value, Mapping):
        are_answers = all(isinstance(docs, Mapping | list | tuple) for docs in value.values())
        return bool(value) and are_answers and not is_answer(value)
    if isinstance(value, str | os.PathLike):
        return os.path.exists(value)
    return isinstance(value, ONE) or _is_ranx(value) or (is_frame(value) and not hasattr(value, "dtype"))


def _is_by_query(value: Any) -> bool:
    """Whether this is {query: {document: score}} or {query: documents}, not a record of lists; or ranx's own."""
    if not isinstance(value, Mapping) or not value:
        return _is_ranx(value)
    if all(isinstance(docs, Mapping) for docs in value.values()):
        return True
    keys = list(map(str, value))
    is_record = kind(keys) is not None or find(keys, RELEVANT) is not None
    return not is_record and all(isinstance(docs, list | tuple) for docs in value.values())


def _rows(things: Sequence[Any], value: str) -> Callable[[], Iterator[Any]] | None:
    """Iterates over a list of dicts, named tuples, or (query, document, value); None for other lists.

    Rows of databases that have names, such as `sqlite3.Row`, are taken as dicts.
    """
    first = things[0] if things else None
    if hasattr(first, "_asdict"):
        return partial(_named, things)
    if hasattr(first, "keys") and not hasattr(first, "columns"):  # a frame has both
        _refuse_columns(first)
        return partial(_dicts, things)
    if isinstance(first, tuple | list) and len(first) == 3 and (isinstance(first, tuple) or _ends_in_number(first)):
        return partial(_triples, things, value)
    return None


def _refuse_columns(record: Any) -> None:
    """Raise for {column: values} in a list, as the metrics of Hugging Face have it."""
    keys = [key for key in record.keys() if isinstance(key, str)]  # noqa: SIM118, a row has no other
    ids = [keys[at] for at in (find(keys, QUERY), find(keys, DOC)) if at is not None]
    if len(ids) == 2 and all(isinstance(record[key], list) for key in ids):
        raise InputError("this is a list with a table of columns in it: give the table itself")


def _ends_in_number(row: list[Any]) -> bool:
    """Whether a list is (query, document, value), as in `DataFrame.values.tolist()`, and not three ids."""
    _, doc, value = row
    return isinstance(value, float) or (isinstance(doc, str) and type(value) is int)


def _dicts(things: Sequence[Any]) -> Iterator[Any]:
    for thing in things:
        if isinstance(thing, dict):
            yield _record(thing)
        else:
            yield _record(dict(thing)) if hasattr(thing, "keys") else thing


def _named(things: Sequence[Any]) -> Iterator[Any]:
    for thing in things:
        if not hasattr(thing, "_asdict"):
            raise _unlike(things[0], thing)
        yield _record(thing._asdict())


def _triples(things: Sequence[Any], value: str) -> Iterator[Any]:
    for thing in things:
        if not isinstance(thing, tuple | list) or len(thing) != len(ROW):
            raise _unlike(things[0], thing)
        yield _record({"query_id": thing[0], "doc_id": thing[1], value: thing[2]})


def _unlike(first: Any, row: Any) -> InputError:
    return InputError(
        "the rows of a list are all alike, not {first} and {row}", first=quoted(first), row=quoted(row)
    )


def _places(things: list[Any]) -> tuple[int, int, int] | None:
    """The places of query, document and score in tuples of one type, such as ir_measures' ScoredDoc.

    None for other rows, and where the rows of a query are scattered.
    """
    first = things[0] if things else None
    fields = getattr(first, "_fields", ROW if type(first) is tuple and len(first) == len(ROW) else None)
    if fields is None or find(fields, CALL) is not None or set(map(type, things)) != {type(first)}:
        return None
    if set(map(len, things)) != {len(fields)}:
        return None
    query, doc, score = (find(fields, names) for names in (QUERY, DOC, SCORE))
    if query is None or doc is None or score is None:
        return None
    queries = [key for key, _ in itertools.groupby(things, itemgetter(query))]
    is_plain = set(map(type, queries)) <= IDS
    return (query, doc, score) if is_plain and len(set(queries)) == len(queries) else None


def _tuples(things: list[Any], query: int, doc: int, score: int, name: str) -> Iterator[Batch]:
    """A dict of each query's documents; records where a document comes twice or something is no id or score."""
    pair, end = itemgetter(doc, score), 0
    for key, group in itertools.groupby(things, itemgetter(query)):
        rows = list(group)
        begin, end = end, end + len(rows)
        try:
            docs = dict(map(pair, rows))
        except TypeError:  # something is not an id; reading records names it
            docs = {}
        are_scored = set(map(type, docs)) <= IDS and set(map(type, docs.values())) <= SCORES
        if len(docs) == len(rows) and key != "" and "" not in docs and are_scored:
            yield {key: docs}
        else:
            records = _rows(rows, "score")
            assert records is not None  # the rows are tuples
            yield from run_parts(enumerate(records(), begin + 1), name)


def _record(values: dict[str, Any]) -> dict[str, Any]:
    """The values, with NumPy's scalars as Python's own."""
    if PLAIN.issuperset(map(type, values.values())):
        return values
    return {key: value.tolist() if isinstance(value, NUMPY) else value for key, value in values.items()}
