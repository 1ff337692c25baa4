"""Reading: a run, read once against its qrels under rules. All that follows takes it; nothing reads a run again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truerank.core._kernel import HIT, as_bytes, as_text
from truerank.core.build import build, is_later
from truerank.core.errors import InputError, MissingPackage, RulesError, printable
from truerank.core.hits import COLUMNS, UNJUDGED, Hits
from truerank.core.ids import NO_IDS, Ids
from truerank.core.qrels import Ints, Qrels, QrelsLike
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Run, RunLike
from truerank.core.scan import Scan, scan
from truerank.formats import open_run, read_qrels

if TYPE_CHECKING:
    import pyarrow

Keep = Literal["judged", "all"] | int
"""Which rows of a run are kept: those of judged documents, all, or the unjudged ones of the first k ranks too."""

EVERY_RANK = 2**62

READ_UNDER = ("ties", "score_precision", "unit", "empty", "extra", "duplicates", "self_match")
"""Rules that decide what is seen while a run is read; the others are applied to what was read."""

MEND_EXTRA = "extra = 'skip' in the rules leaves it out (for a command: --set extra=skip)"


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """A run, read once against its qrels under rules.

    Attributes:
        name: of the run.
        rules: under which it was read.
        qrels: the judgements, as the rules have them.
        rows: a row a judged document that was returned, over all judged queries, and with `keep` a row a unjudged
            document of the first ranks, whose grade is `UNJUDGED`; -1 documents are returned where the query is not
            answered. A document that is returned twice has two rows, unless the rules count it once.
        unjudged: the ids of the unjudged documents among the rows.
        extra: the answered queries that are not judged.
        repeated: how many rows of the run repeat a document of their query.
        interleaved: whether the rows of some query were scattered over the run.
        kept: up to which rank unjudged documents are rows; 0 for none.

    >>> import truerank as tr
    >>> reading = tr.read({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, keep="all")
    >>> reading.hits.rank.tolist(), reading.docs(reading.rows.doc)
    ([1, 3], [b'a', b'x', b'b'])
    """

    name: str
    rules: Rules
    qrels: Qrels
    rows: Hits
    unjudged: Ids = NO_IDS
    extra: tuple[bytes, ...] = ()
    repeated: int = 0
    interleaved: bool = False
    kept: int = 0

    @classmethod
    def of(cls, qrels: Qrels, found: Scan, rules: Rules, name: str, kept: int = 0) -> Reading:
        """A reading of what the kernel found, by whatever door it came in."""
        rows = build(qrels, found)
        extra = tuple(sorted(found.extra))  # not as they come: parts of a run come in any order
        return cls(name, rules, qrels, rows, found.unjudged, extra, found.repeated, found.interleaved, kept)

    def __repr__(self) -> str:
        rows = f"{len(self.rows):,} rows of {int(self.rows.returned.clip(0).sum()):,}"
        return f"Reading({self.name!r}, rules {self.rules.name!r}, {len(self):,} queries, {rows})"

    def __len__(self) -> int:
        """The number of judged queries."""
        return len(self.rows.queries)

    @cached_property
    def hits(self) -> Hits:
        """The rows of judged documents alone, each document once where the rules count it once."""
        rows = self.rows
        if self.rules.duplicates == "once" and self.repeated:
            rows = rows.where(~is_later(rows.doc) & (rows.grade > UNJUDGED))
        return rows.where(rows.grade > UNJUDGED) if self.kept else rows

    def doc(self, number: int) -> bytes:
        """The id of a document, judged or not, by the number that rows have."""
        judged = len(self.qrels.grades)
        return self.qrels.doc(number) if number < judged else self.unjudged[number - judged]

    def docs(self, numbers: Ints) -> list[bytes]:
        """(numbers,) the ids of documents, judged or not, by the numbers that rows have."""
        judged = len(self.qrels.grades)
        is_judged = numbers < judged
        known, others = numbers[is_judged], numbers[~is_judged] - judged
        ids = iter(_cut(self.qrels.text, self.qrels.begin[known], self.qrels.end[known]))
        if not len(others):
            return list(ids)
        rest = iter(self.unjudged.some(others))
        return list(rest) if not len(known) else [next(ids if each else rest) for each in is_judged.tolist()]

    def under(self, rules: Rules) -> Reading:
        """The same under rules that read the run alike, and differ in what they make of it.

        Raises:
            RulesError: the run would have to be read again.
        """
        for field_name in READ_UNDER:
            if getattr(rules, field_name) != getattr(self.rules, field_name):
                raise RulesError(
                    f"{self.name} was read under {field_name} = {getattr(self.rules, field_name)!r}; "
                    f"read it again for {getattr(rules, field_name)!r}"
                )
        return replace(self, rules=rules)

    def only(self, query: bytes) -> Reading:
        """The same for one query alone; the highest grade stays that of all."""
        keep = np.array([name == query for name in self.rows.queries], bool)
        return replace(self, rows=self.rows.select(keep), extra=())

    def to_arrow(self) -> pyarrow.Table:
        """One row a judged query: its id, how many documents it returned, its judgements, and its rows.

        Columns: query (binary), returned (int64; -1 where it is not answered), judgements (list of doc and grade;
        the grade of an ignored document is NaN), rows (list of doc, rank, first, last, score, best rank first).
        """
        return _to_arrow(self)

    @classmethod
    def from_arrow(cls, table: pyarrow.Table) -> Reading:
        """The reading that `to_arrow` made a table of; tables of parts may be put together, and queries left out.

        Raises:
            InputError: the table is not one of a reading.
        """
        return _from_arrow(table)


def _cut(text: bytes, begin: Ints, end: Ints) -> list[bytes]:
    return [text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]


def read(
    qrels: QrelsLike | None,
    run: RunLike,
    *,
    rules: RulesLike | None = None,
    keep: Keep = "judged",
    threads: int | None = None,
) -> Reading:
    """Read a run once, for whatever is asked of it: `evaluate`, `compare`, `bounds`, `explain` and others take it.

    Args:
        qrels, run, rules, threads: as for `evaluate`; without qrels (None) every query is read, and none is judged.
        keep: "judged" keeps the rows of judged documents, which measures need; a number those of the unjudged
            documents of this many first ranks too; "all" every row, which bounds and agreement need.

    Raises:
        TruerankError: wrong input; the message says what, where and what now.
    """
    under, source = Rules.of(rules), open_run(run)
    if qrels is None:
        return _unjudged(source, under, keep, threads)
    judged = as_ruled(read_qrels(qrels), under)
    kept = kept_rows(keep, judged)
    judged, found = scan_units(judged, source, under, threads, kept)
    return of_scan(judged, found, under, source.name, kept)


def of_scan(qrels: Qrels, found: Scan, rules: Rules, name: str, kept: int) -> Reading:
    """The reading of what the kernel found in a whole run.

    Raises:
        InputError: the run answers a query that is not judged, and the rules refuse that.
    """
    if rules.empty == "missing":
        found = replace(found, returned=np.where(found.returned == 0, -1, found.returned))
    if found.extra and rules.extra == "error":
        raise InputError(f"query {printable(as_text(found.extra[0]))} is not judged; {MEND_EXTRA}", name)
    return Reading.of(qrels, found, rules, name, kept)


def as_ruled(qrels: Qrels, rules: Rules) -> Qrels:
    """The qrels as the rules have them: what of a document that has the query's own id."""
    if rules.self_match == "keep":
        return qrels
    return qrels.ignoring_self(keeping=rules.self_match == "remove-from-answers")


def scan_units(
    qrels: Qrels, run: Run, rules: Rules, threads: int | None = None, keep: int = 0
) -> tuple[Qrels, Scan]:
    """The judgements of what the mean is over, queries or a contest's lines, and what the kernel finds in a run."""
    if rules.unit == "line":  # a domain's own way to a reading, which stands above this room
        found: tuple[Qrels, Scan] = import_module("truerank.contest.lines").scan_lines(
            qrels, run, rules, threads, keep
        )
        return found
    return qrels, scan(run, qrels.judged, rules, threads, keep)


def kept_rows(keep: Keep, qrels: Qrels) -> int:
    """Up to which rank unjudged documents become rows: ignored ones before them leave the list later."""
    if keep in ("judged", "all"):
        return EVERY_RANK if keep == "all" else 0
    if not isinstance(keep, int) or isinstance(keep, bool) or keep < 1:
        raise InputError(f"keep is 'judged', 'all' or a number of ranks, not {keep!r}")
    ignored = np.isnan(qrels.grades)
    return keep + (int(np.bincount(qrels.query[ignored]).max()) if ignored.any() else 0)


def _unjudged(run: Run, rules: Rules, keep: Keep, threads: int | None) -> Reading:
    """A reading without judgements, of every query that the run answers."""
    kept = kept_rows(keep, NO_QRELS)
    found = scan(run, NO_QRELS.judged, rules, threads, kept, every=True)
    order = np.array(sorted(range(len(found.extra)), key=found.extra.__getitem__), np.int64)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    table = found.table.copy()
    table["query"] = place[table["query"]]
    table = table[np.argsort(table["query"], kind="stable")]
    qrels = Qrels.from_dict(dict.fromkeys((found.extra[i] for i in order.tolist()), ()), run.name)
    found = replace(found, table=table, returned=found.returned[order], extra=())
    return Reading.of(qrels, found, rules, run.name, kept)


NO_QRELS = Qrels.from_dict({})


KEY = b"truerank.reading"
"""Where the schema of a table keeps what is said of the reading as a whole."""

VERSION = 1


def _to_arrow(reading: Reading) -> pyarrow.Table:
    pa = _pyarrow("Reading.to_arrow")
    qrels, rows = reading.qrels, reading.rows
    judged = [qrels.doc(row) for row in range(len(qrels.grades))]
    judgements = {"doc": pa.array(judged, pa.binary()), "grade": pa.array(qrels.grades, pa.float64())}
    found = {"doc": pa.array(reading.docs(rows.doc), pa.binary())}
    found |= {name: pa.array(getattr(rows, name)) for name in COLUMNS if name not in ("query", "doc", "grade")}
    starts = np.concatenate([[0], np.cumsum(rows.count)])
    columns = {
        "query": pa.array(rows.queries, pa.binary()),
        "returned": pa.array(rows.returned),
        "judgements": _lists(pa, qrels.start, judgements),
        "rows": _lists(pa, starts, found),
    }
    return pa.table(columns).replace_schema_metadata({KEY: json.dumps(_facts(reading))})


def _from_arrow(table: pyarrow.Table) -> Reading:
    _pyarrow("Reading.from_arrow")
    metadata = (table.schema.metadata or {}).get(KEY)
    if metadata is None:
        raise InputError("the table is not one of a reading: it lacks the metadata 'truerank.reading'", "table")
    facts = json.loads(metadata)
    if facts["version"] != VERSION:
        raise InputError(f"the reading was written by another version of truerank ({facts['version']})", "table")
    table = table.combine_chunks().sort_by("query")
    queries = table["query"].to_pylist()
    _, judged = _flat(table["judgements"])
    qrels = _qrels(queries, table["judgements"], judged, facts)
    query, found = _flat(table["rows"])
    rows = np.empty(len(query), HIT)
    rows["query"] = query
    for name in ("rank", "first", "last", "score"):
        rows[name] = found.field(name).to_numpy()
    rows["doc"], unjudged = _numbered(qrels, query, found.field("doc").to_pylist())
    returned = table["returned"].to_numpy().astype(np.int64)
    extra = tuple(map(as_bytes, facts["extra"]))
    scan = Scan(rows, returned, extra, len(rows), facts["repeated"], facts["interleaved"], unjudged)
    return Reading.of(qrels, scan, Rules.from_dict(facts["rules"]), facts["name"], facts["kept"])


def _facts(reading: Reading) -> dict[str, Any]:
    return {
        "version": VERSION,
        "name": reading.name,
        "qrels": reading.qrels.name,
        "rules": reading.rules.to_dict(),
        "extra": list(map(as_text, reading.extra)),
        "apart": {as_text(query): grade for query, grade in reading.qrels.apart.items()},
        "repeated": reading.repeated,
        "interleaved": reading.interleaved,
        "kept": reading.kept,
    }


def _lists(pa: Any, starts: Ints, fields: dict[str, Any]) -> Any:
    """A column of lists of structs."""
    struct = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    return pa.LargeListArray.from_arrays(pa.array(starts, pa.int64()), struct)


def _flat(column: Any) -> tuple[Ints, Any]:
    """The query of each entry of a column of lists, and the entries."""
    lists = column.combine_chunks()
    lists = lists.chunk(0) if hasattr(lists, "chunk") else lists
    sizes = lists.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    return np.repeat(np.arange(len(sizes)), sizes), lists.flatten()


def _qrels(queries: Sequence[bytes], column: Any, judged: Any, facts: dict[str, Any]) -> Qrels:
    query, _ = _flat(column)
    grades = np.array(judged.field("grade").to_numpy(zero_copy_only=False), np.float64)
    apart = {as_bytes(query): grade for query, grade in facts["apart"].items()}
    qrels = Qrels.from_rows(queries, query, judged.field("doc").to_pylist(), grades, name=facts["qrels"])
    return replace(qrels, apart={query: grade for query, grade in apart.items() if query in set(queries)})


def _numbered(qrels: Qrels, query: Ints, docs: Sequence[bytes]) -> tuple[Ints, Ids]:
    """The number of each document, and the ids of those that are not judged."""
    known = {
        (q, qrels.doc(row)): row for q in range(len(qrels)) for row in range(qrels.start[q], qrels.start[q + 1])
    }
    judged = len(known)
    pairs = zip(query.tolist(), docs, strict=True)
    numbers = np.array([known.setdefault(pair, len(known)) for pair in pairs], np.int64)
    names = [doc for _, doc in list(known)[judged:]]
    return numbers, Ids(np.cumsum(list(map(len, names)), dtype=np.int64), b"".join(names))


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise MissingPackage(what, "parquet") from None
    return pyarrow
