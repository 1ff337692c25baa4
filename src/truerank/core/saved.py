"""Readings as Arrow tables, which travel between processes and are kept in files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.core.errors import InputError, TruerankError, arrow, first_line
from truerank.core.hits import Hits
from truerank.core.ids import Ids, starts_of
from truerank.core.kernel.scanning import HIT
from truerank.core.qrels import Ints, Qrels
from truerank.core.rules import Rules
from truerank.core.run import Columns, Run
from truerank.core.scan import EVERY_RANK, Scan, Scoring, scan

if TYPE_CHECKING:
    import pyarrow

    from truerank.core.aspects import Aspects
    from truerank.core.calls import Calls

KEY = b"truerank.reading"
"""Where the schema of a table keeps what is said of the reading as a whole."""

VERSION = 3

FOUND = ("rank", "first", "last", "score")
"""What is kept of each row beside its document."""

CALLS = ("number", "end", "again")
"""What is kept of each call."""


def table_of(
    qrels: Qrels,
    rows: Hits,
    docs: Sequence[bytes],
    extra: Sequence[bytes],
    repeats: Ints | None,
    facts: Mapping[str, Any],
    judgements: bool,
) -> pyarrow.Table:
    """The table of a reading; see `Reading.to_arrow`.

    Args:
        docs: the document id of each row.
        facts: everything else about the reading, as plain values.
    """
    import json

    pa = arrow("Reading.to_arrow")
    keep = np.ones(len(qrels), bool) if judgements else rows.returned >= 0
    names, n = [name for name, kept in zip(qrels.queries, keep.tolist(), strict=True) if kept], len(extra)
    listed = {"doc": pa.array(docs, pa.binary())}
    listed |= {name: pa.array(np.ascontiguousarray(getattr(rows, name))) for name in FOUND}
    counts = np.append(rows.count[keep], np.zeros(n, np.int64))
    columns = {
        "query": pa.array([*names, *extra], pa.binary()),
        "returned": pa.array([*rows.returned[keep].tolist(), *[None] * n], pa.int64()),
        "rows": _lists(pa, counts, listed),
    }
    if repeats is not None:
        columns["repeats"] = pa.array(np.append(repeats[keep], np.zeros(n, np.int64)))
    if rows.calls is not None:
        calls = rows.calls.select(keep)
        of_each = np.bincount(calls.query, minlength=len(names) + n)
        columns["calls"] = _lists(pa, of_each, {name: pa.array(getattr(calls, name)) for name in CALLS})
    if judgements:
        judged = {"doc": pa.array(qrels.docs(), pa.binary()), "grade": pa.array(qrels.grades, pa.float64())}
        sizes = np.append(np.diff(qrels.start), np.zeros(n, np.int64))
        own = [qrels.apart.get(query) for query in names] if qrels.apart else [None] * len(names)
        if qrels.aspects is not None:
            judged["aspects"] = _answers(pa, qrels.aspects)
            columns["aspects"] = _weights(pa, qrels.aspects, n)
        columns["judgements"] = _lists(pa, sizes, judged)
        columns["apart"] = pa.array([*own, *[None] * n], pa.float64())
    said = {
        **facts,
        "version": VERSION,
        "qrels": qrels.name,
        "digest": qrels.digest,
        "iterations": qrels.iterations,
        "second": None if qrels.second is None else qrels.second.decode("utf-8", "surrogateescape"),
        "named": qrels.aspects is None or qrels.aspects.is_named,
        "highest": qrels.highest,
    }
    return pa.table(columns).replace_schema_metadata({KEY: json.dumps(said)})


@contextmanager
def undamaged(name: str | None) -> Iterator[None]:
    """Turn any error inside into one about the table.

    Raises:
        InputError: something went wrong.
    """
    try:
        yield
    except TruerankError:
        raise
    except Exception as error:
        raise InputError(
            "this is no reading that was saved, or it is damaged or cut short ({error})",
            name,
            error=first_line(error),
        ) from None


def facts_of(schema: pyarrow.Schema, name: str | None) -> dict[str, Any]:
    """The facts about the reading as a whole, from the schema of its table.

    Raises:
        InputError: the table is not one of a reading, or of another version.
    """
    import json

    metadata = (schema.metadata or {}).get(KEY)
    if metadata is None:
        raise InputError("the table is not one of a reading: it lacks the metadata 'truerank.reading'", name)
    with undamaged(name):
        facts: dict[str, Any] = json.loads(metadata)
        if facts["version"] != VERSION:
            raise InputError("another version of truerank wrote this reading: read the run again by this one", name)
        return {**facts, "rules": Rules.from_dict(facts["rules"])}


def scan_of(
    table: pyarrow.Table, qrels: Qrels | None, facts: Mapping[str, Any], name: str | None
) -> tuple[Qrels, Scan]:
    """The judgements and what the kernel had found, from a table.

    Args:
        qrels: the judgements, where the table has none.
        facts: by `facts_of`.
    """
    table = table.combine_chunks()
    extra = tuple(table["query"].filter(table["returned"].is_null()).to_pylist())
    table = _of_judged(table, facts)
    judged, place = _judged(table, qrels, facts, name)
    sizes, found = _flat(table["rows"])
    rows = np.empty(int(sizes.sum()), HIT)
    rows["query"] = np.repeat(place, sizes)
    for field in FOUND:
        rows[field] = found.field(field).to_numpy()
    row = np.repeat(np.arange(len(sizes)), sizes)
    rows["doc"], unjudged = _numbered(*_told_apart(judged, table["query"], facts), row, found)
    returned = np.full(len(judged), -1, np.int64)
    returned[place] = table["returned"].to_numpy()
    repeats = np.zeros(len(judged), np.int64) if "repeats" in table.schema.names else None
    if repeats is not None:
        repeats[place] = table["repeats"].to_numpy()
    scoring = Scoring(*facts.get("scoring", Scoring(falls=True)))
    found = [rows], returned, extra, len(rows), facts["interleaved"]
    return judged, Scan(*found, unjudged, repeats, _calls(table, place), scoring)


def _calls(table: Any, place: Ints) -> Calls | None:
    """The calls of the queries, given the place of each row's query; None where there are none."""
    if "calls" not in table.schema.names:
        return None
    sizes, found = _flat(table["calls"])
    query = np.repeat(place, sizes)
    order = np.argsort(query, kind="stable")
    from truerank.core.calls import Calls

    return Calls(query[order], *(found.field(name).to_numpy()[order] for name in CALLS))


def qrels_of(table: pyarrow.Table, name: str | None) -> Qrels:
    """The judgements in the table of a reading.

    Raises:
        InputError: there are none in it.
    """
    facts = facts_of(table.schema, name)
    if "judgements" not in table.schema.names:
        raise InputError("the reading was saved without its judgements: give the qrels that it was read with", name)
    with undamaged(name):
        return _qrels(_of_judged(table.combine_chunks(), facts), facts)


def _qrels(table: Any, facts: Mapping[str, Any]) -> Qrels:
    """The judgements in a table of judged queries, each of whose columns is in one chunk."""
    queries = table["query"].to_pylist()
    sizes, judged = _flat(table["judgements"])
    ends, text = _text(judged.field("doc"))
    grades = np.array(judged.field("grade").to_numpy(zero_copy_only=False), np.float64)
    query = np.repeat(np.arange(len(sizes)), sizes)
    of_lines = facts["rules"].unit == "line"
    ids = _line_ids(len(queries)) if of_lines else queries
    qrels = Qrels.build(ids, query, ends[:-1], ends[1:], text, grades, name=facts["qrels"])
    apart = zip(queries, table["apart"].to_pylist(), strict=True)
    aspects = _aspects(table, judged, facts) if "aspects" in table.schema.names else None
    own = {query: grade for query, grade in apart if grade is not None}
    own_facts = {name: facts[name] for name in ("iterations", "highest") if name in facts}
    own_facts["self_match"] = facts["rules"].self_match
    if (second := facts.get("second")) is not None:
        own_facts["second"] = second.encode("utf-8", "surrogateescape")
    names = queries if of_lines else qrels.queries
    return replace(qrels, queries=names, apart=own, aspects=aspects, **own_facts)


def _of_judged(table: Any, facts: Mapping[str, Any]) -> Any:
    """The rows of judged queries, in their order; a table that has no others, and is in order, is not copied.

    Lines stay as they were submitted.
    """
    some = table.filter(table["returned"].is_valid()) if table["returned"].null_count else table
    if facts["rules"].unit == "line":
        return some
    queries = some["query"].to_pylist()
    return some if queries == sorted(queries) else some.sort_by("query")


def _line_ids(n: int) -> list[bytes]:
    """Distinct ids for n lines, several of which may answer one query; they sort in the order of the lines."""
    return [b"%020d" % line for line in range(n)]


def _told_apart(qrels: Qrels, queries: Any, facts: Mapping[str, Any]) -> tuple[Qrels, Any]:
    """The judgements and the column of queries, with distinct ids in place of queries where lines are the unit."""
    if facts["rules"].unit != "line":
        return qrels, queries
    import pyarrow as pa

    ids = _line_ids(len(qrels))
    return replace(qrels, queries=ids), pa.chunked_array([ids], pa.binary())


def _answers(pa: Any, aspects: Aspects) -> Any:
    """For each judgement, the aspects that the document answers, by their numbers among all, and their grades."""
    answers = {"aspect": pa.array(aspects.aspect, pa.int64()), "grade": pa.array(aspects.grade, pa.float64())}
    return _lists(pa, np.diff(aspects.start), answers)


def _weights(pa: Any, aspects: Aspects, extra: int) -> Any:
    """For each query, the numbers, names and weights of its aspects."""
    number = np.arange(len(aspects.names))
    columns = {"aspect": pa.array(number), "name": pa.array(aspects.names, pa.binary())}
    columns["weight"] = pa.array(aspects.weight, pa.float64())
    return _lists(pa, np.append(aspects.end - aspects.begin, np.zeros(extra, np.int64)), columns)


def _aspects(table: Any, judged: Any, facts: Mapping[str, Any]) -> Aspects:
    """The aspects in the table of a reading, whose rows are in the order of the queries.

    Args:
        judged: its judgements.
    """
    from truerank.core.aspects import Aspects

    sizes, found = _flat(table["aspects"])
    ends = np.cumsum(sizes)
    number = found.field("aspect").to_numpy()
    place = np.empty(int(number.max(initial=-1)) + 1, np.int64)
    place[number] = np.arange(len(number))
    counts, answers = _flat(judged.field("aspects"))
    return Aspects(
        found.field("name").to_pylist(),
        found.field("weight").to_numpy(),
        ends - sizes,
        ends,
        starts_of(counts),
        place[answers.field("aspect").to_numpy()],
        answers.field("grade").to_numpy(),
        facts.get("named", True),
    )


def _judged(table: Any, qrels: Qrels | None, facts: Mapping[str, Any], name: str | None) -> tuple[Qrels, Ints]:
    """The judgements, and for each row of the table its query's number in them."""
    if qrels is None:
        judged = qrels_of(table, name)
        return judged, np.arange(len(judged))
    if qrels.digest != facts["digest"]:
        raise judged_otherwise(name, qrels)
    places = {query: place for place, query in enumerate(qrels.queries)}
    return qrels, np.array([places[query] for query in table["query"].to_pylist()], np.int64)


def judged_otherwise(name: str | None, qrels: Qrels) -> InputError:
    """The error for a reading of this name that was made with other judgements than these."""
    return InputError(
        "this reading was made with other judgements than {qrels}; give those, or read the run again",
        name,
        qrels=qrels.name,
    )


def _lists(pa: Any, sizes: Ints, fields: dict[str, Any]) -> Any:
    """A column of lists of structs."""
    struct = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    starts = pa.array(starts_of(sizes), pa.int64())
    return pa.LargeListArray.from_arrays(starts, struct)


def _flat(column: Any) -> tuple[Ints, Any]:
    """How many entries each list of a column has, and the entries."""
    lists = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    lists = lists.chunk(0) if hasattr(lists, "chunk") else lists
    sizes = lists.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    return sizes, lists.flatten()


def _numbered(qrels: Qrels, queries: Any, row: Ints, found: Any) -> tuple[Ints, Ids]:
    """The number of each document, and the ids of the unjudged ones.

    The kernel looks them up: it scans the rows as a run, in their order.

    Args:
        row: for each row found, the row of its query in `queries`.
    """
    import pyarrow as pa

    query, doc = _text(queries.combine_chunks().take(pa.array(row))), _text(found.field("doc"))
    columns = Columns(*query, *doc, -np.arange(len(row), dtype=np.float64))
    rules = Rules(ties="input", duplicates="count")
    again = scan(Run("rows", lambda: iter([columns])), qrels.judged, rules, keep=EVERY_RANK)
    return again.table["doc"].copy(), again.unjudged


def _text(column: Any) -> tuple[Ints, bytes]:
    """The (ids + 1,) ends and the bytes of a column of ids."""
    import pyarrow as pa

    column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    column = (column.chunk(0) if hasattr(column, "chunk") else column).cast(pa.large_binary())
    _, offsets, data = column.buffers()
    if not len(column):
        return np.zeros(1, np.int64), b""
    ends = np.frombuffer(offsets, np.int64, len(column) + 1, 8 * column.offset)
    text = bytes(memoryview(data)[ends[0] : ends[-1]]) if data else b""
    return ends - ends[0], text
