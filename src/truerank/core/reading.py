"""Reading: a run, read once against its qrels under rules. All that follows takes it in place of the run."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Literal

import numpy as np

from truerank.core.equal import difference
from truerank.core.errors import InputError, RulesError, SeveralCalls, quoted, truncated
from truerank.core.found import as_ruled, first_ranks, grades_to_find, hits_of, ignoring_selves, ranks_read
from truerank.core.hits import UNJUDGED, Bools, Hits
from truerank.core.ids import NO_IDS, Ids, is_later
from truerank.core.kernel.scanning import as_text
from truerank.core.mappings import is_length
from truerank.core.messages import Message, message
from truerank.core.qrels import NO_QRELS, Ints, Qrels, QrelsLike
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Run, RunLike
from truerank.core.saved import facts_of, judged_otherwise, scan_of, table_of, undamaged
from truerank.core.scan import EVERY_RANK, NO_LISTS, Scan, Scoring, answered, refuse_extra, scan
from truerank.core.schema import is_whole
from truerank.formats import open_run, read_qrels
from truerank.formats.saved import read_table, write_reading
from truerank.formats.source import as_source

if TYPE_CHECKING:
    import pyarrow

    from truerank.core.catalogue import Catalogue

Keep = Literal["judged", "all"] | int
"""Which rows of a run are kept: those of judged documents, all, or the unjudged ones of the first k ranks too."""

READ_UNDER = ("ties", "score_precision", "unit", "empty", "extra", "duplicates", "self_match", "iteration", "calls")
"""Rules that decide what is seen while a run is read; the others are applied to what was read."""


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """A run, read once against its qrels under rules.

    Attributes:
        name: of the run.
        rules: under which it was read.
        qrels: the judgements, as the rules have them.
        rows: one row per judged document that was returned, over all judged queries, and with `keep` one row per
            unjudged document of the first ranks, whose grade is `UNJUDGED`; -1 documents are returned where the
            query is not answered. A document that is returned twice has two rows, unless the rules count it once.
        unjudged: the ids of the unjudged documents among the rows.
        extra: the answered queries that are not judged.
        interleaved: whether the rows of some query were scattered over the run.
        kept: up to which rank unjudged documents are rows; 0 for none.
        repeats: (queries,) how many rows of each judged query repeat a document; None where no row of the run does.
        scoring: how the lists of the run are scored.

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
    interleaved: bool = False
    kept: int = 0
    repeats: Ints | None = None
    scoring: Scoring = NO_LISTS

    @classmethod
    def of(cls, qrels: Qrels, scan: Scan, rules: Rules, name: str, kept: int = 0) -> Reading:
        """The reading of what the kernel found in a run, or in rows of readings."""
        rows = hits_of(qrels, scan)
        extra = tuple(sorted(scan.extra))  # sorted, as parts of a run come in any order
        facts = extra, scan.interleaved, kept, scan.repeats, scan.scoring
        return cls(name, rules, qrels, rows, scan.unjudged, *facts)

    @classmethod
    def scanned(cls, qrels: Qrels, scan: Scan, rules: Rules, name: str, kept: int = 0) -> Reading:
        """The reading of queries that were read whole; applies the rules for empty answers and ignored ids."""
        reading = cls.of(qrels, answered(scan, rules), rules, name, kept)
        return replace(reading, rows=first_ranks(reading.rows, kept)) if kept else reading

    def __repr__(self) -> str:
        rows = f"{len(self.rows):,} rows of {int(self.rows.returned.clip(0).sum()):,}"
        return f"Reading({self.name!r}, rules {self.rules.name!r}, {len(self):,} queries, {rows})"

    def __len__(self) -> int:
        """The number of judged queries."""
        return len(self.rows.queries)

    @property
    def repeated(self) -> int:
        """How many rows of judged queries repeat a document."""
        return 0 if self.repeats is None else int(self.repeats.sum())

    @property
    def rising(self) -> bool:
        """Whether scores rise along every list; False where there are too few lists to tell."""
        return self.scoring.rises

    @cached_property
    def hits(self) -> Hits:
        """The rows of judged documents alone, each document once where the rules count it once."""
        rows = self.lists
        return rows.where(rows.grade > UNJUDGED) if self.kept else rows

    @cached_property
    def lists(self) -> Hits:
        """All rows that were kept, also those of unjudged documents; each document once where the rules say so."""
        is_once = self.rules.duplicates == "once" and bool(self.repeated)
        return self.rows.where(~is_later(self.rows.doc)) if is_once else self.rows

    def located(self, catalogue: Catalogue | None) -> Hits:
        """The lists with the items that their documents are."""
        from truerank.core.catalogue import Located

        qrels, numbers = self.qrels, None
        if len(self) < len(qrels):  # only their documents are looked up
            own = set(self.rows.queries)
            judged = np.repeat([query in own for query in qrels.queries], np.diff(qrels.start))
            numbers = np.union1d(np.flatnonzero(judged), self.rows.doc)
        docs = itertools.chain(qrels.docs(), self.unjudged) if numbers is None else self.docs(numbers)
        items = Located.of(catalogue, docs, numbers, qrels.queries, qrels.start, grades_to_find(qrels))
        return replace(self.lists, items=items)

    def doc(self, number: int) -> bytes:
        """The id of a document, judged or not, by the number that rows have."""
        judged = len(self.qrels.grades)
        return self.qrels.doc(number) if number < judged else self.unjudged[number - judged]

    def docs(self, numbers: Ints) -> list[bytes]:
        """(numbers,) the ids of documents, judged or not, by the numbers that rows have."""
        judged = len(self.qrels.grades)
        is_judged = numbers < judged
        known, others = numbers[is_judged], numbers[~is_judged] - judged
        ids = iter(self.qrels.docs(known))
        if not len(others):
            return list(ids)
        rest = iter(self.unjudged.some(others))
        return list(rest) if not len(known) else [next(ids if each else rest) for each in is_judged.tolist()]

    def under(self, rules: Rules) -> Reading:
        """The reading under other rules, which read a run in the same way and only differ in what follows.

        Raises:
            RulesError: the run would have to be read again.
        """
        for rule in READ_UNDER:
            own, wanted = getattr(self.rules, rule), getattr(rules, rule)
            if own != wanted:
                raise RulesError(
                    "{name} was read under {rule} = {own!r}; read it again for {wanted!r}",
                    name=self.name,
                    rule=rule,
                    own=own,
                    wanted=wanted,
                )
        return replace(self, rules=rules)

    def select(self, keep: Bools) -> Reading:
        """The reading of some of its queries only; the highest grade stays that of all.

        Args:
            keep: whether each query stays, in the order of `rows.queries`.
        """
        repeats = None if self.repeats is None else self.repeats[keep]
        return replace(self, rows=self.rows.select(keep), extra=(), repeats=repeats)

    def only(self, *queries: bytes) -> Reading:
        """The reading of these queries only."""
        return self.select(np.array([name in queries for name in self.rows.queries], bool))

    def within(self, budget: float, lengths: Mapping[str, float]) -> Reading:
        """The reading as if only the first documents of each query had been read, as many as fit into a budget.

        Args:
            budget: the total length of the documents that are read, at most: in characters, tokens or bytes.
            lengths: {document: length} of every document that was returned.

        Raises:
            InputError: the reading lacks rows (keep="all"); a document has no length, or one below 0; so has the
                budget.

        >>> import truerank as tr
        >>> reading = tr.read({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "b"]}, keep="all")
        >>> tr.evaluate(reading.within(1000, {"x": 300, "a": 700, "b": 50}), measures="SetR").mean
        {'SetR': 0.5}
        """
        if self.kept < EVERY_RANK:
            raise InputError(lacking("all"), self.name)
        rows = self.rows
        names = list(map(as_text, self.docs(rows.doc)))
        if not is_length(budget):
            raise InputError("a budget is a number from 0 on, not {budget}", self.name, budget=quoted(budget))
        if not isinstance(lengths, Mapping):
            raise InputError("lengths are {{document: length}}, not {lengths}", self.name, lengths=quoted(lengths))
        known = lengths if all(name in lengths for name in names) else {str(doc): n for doc, n in lengths.items()}
        given = [known.get(name) for name in names]
        sizes = np.array([each if is_length(each) else math.nan for each in given], np.float64)
        if not (sizes >= 0).all():
            doc = truncated(names[int(np.argmin(sizes >= 0))])
            raise InputError("document {doc} has no length; a length is a number from 0 on", self.name, doc=doc)
        read, repeats = rows.read_to(difference(rows.running_sum(sizes), budget) <= 0), self.repeats
        if repeats is not None and self.rules.duplicates in ("count", "once"):  # they are among the rows
            repeats = np.bincount(read.query[is_later(read.doc)], minlength=len(self))
        return replace(self, rows=read, repeats=repeats)

    def to_arrow(self, *, judgements: bool = True) -> pyarrow.Table:
        """One row per judged query: its id, how many documents it returned, its judgements, and its rows.

        Columns: query (binary), returned (int64; -1 where it is not answered), rows (list of doc, rank, first,
        last, score, best rank first), judgements (list of doc and grade; the grade of an ignored document is NaN),
        apart (the grade of an ignored document that is still to be found), of several lists per query also calls
        (list of number, end and again). A query that is answered and not judged has its id alone. Name, rules and
        counts are in the metadata of the schema.

        Args:
            judgements: False leaves them out, and queries that are not answered: what a part sends to where the
                qrels are, which `from_arrow` is given.
        """
        facts = {name: getattr(self, name) for name in ("name", "interleaved", "kept", "scoring")}
        facts |= {"rules": self.rules.to_dict()}
        docs = self.docs(self.rows.doc)
        return table_of(self.qrels, self.rows, docs, self.extra, self.repeats, facts, judgements)

    @classmethod
    def from_arrow(cls, table: pyarrow.Table, qrels: QrelsLike | None = None) -> Reading:
        """The reading from a table of `to_arrow`; queries may be left out.

        Args:
            qrels: the judgements, where the table has none: the qrels that the run was read with, before rules.

        Raises:
            InputError: the table is not one of a reading, or was made with other judgements.
        """
        return _of_table(table, None if qrels is None else read_qrels(qrels))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file in Arrow's format, which every command takes as a run.

        Args:
            path: compressed where it ends in .gz, .zst, …; "-" for standard output, or a URL.
        """
        write_reading(self.to_arrow(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Reading:
        """The reading that `save` or `truerank read` wrote.

        Raises:
            InputError: it is no such file, or was changed or cut since.
        """
        return _of_table(read_table(as_source(path)), None, os.fspath(path))


def _of_table(table: pyarrow.Table, qrels: Qrels | None, path: str | None = "table") -> Reading:
    facts = facts_of(table.schema, path)
    rules = facts["rules"]
    with undamaged(path):
        judged, scan = scan_of(table, None if qrels is None else as_ruled(qrels, rules), facts, path)
        return Reading.of(judged, scan, rules, facts["name"], facts["kept"])


def read(
    qrels: QrelsLike | None,
    run: RunLike | Reading,
    *,
    rules: RulesLike | None = None,
    keep: Keep = "judged",
    threads: int | None = None,
    name: str | None = None,
) -> Reading:
    """Read a run once, for whatever is asked of it: `evaluate`, `compare`, `bounds`, `explain` and others take it.

    A part of a run is read like a whole one; `merge` makes one reading of those of all parts.

    Args:
        qrels, run, rules, threads: as for `evaluate`; without qrels (None) every query is read, and none is judged.
        keep: "judged" keeps the rows of judged documents, which measures need; a number those of the unjudged
            documents of this many first ranks too; "all" every row, which bounds and agreement need.
        name: what to call the run, instead of its path.

    Raises:
        TruerankError: wrong input; the message says what, where and what now.
    """
    under, source = Rules.of(rules), run if isinstance(run, Reading) else open_run(run)
    path = source.name
    if isinstance(source, Run) and source.saved:
        source = _of_table(source.saved(), None, path)
    if isinstance(source, Reading):
        again = _again(source, qrels, source.rules if rules is None else under, keep, path)
        return again if name is None else replace(again, name=name)
    source = source if name is None else replace(source, name=name)
    if qrels is None:
        return _unjudged(source, under, keep, threads)
    judged = as_ruled(read_qrels(qrels), under)
    kept = ranks_kept(keep)
    judged, scan = scan_units(judged, source, under, threads, kept)
    refuse_extra(scan.extra, under, source.name)
    return Reading.scanned(judged, scan, under, source.name, kept)


def loaded(run: Run | Reading) -> Run | Reading:
    """The reading in a file that holds one in place of a run, named by its path; any other run, not yet read."""
    if isinstance(run, Reading) or not run.saved:
        return run
    return replace(_of_table(run.saved(), None, run.name), name=run.name)


def reading_of(
    qrels: QrelsLike | Reading | None,
    run: RunLike | Reading | None,
    rules: Rules,
    *,
    keep: Keep = "judged",
    threads: int | None = None,
) -> Reading:
    """The reading that is given in place of qrels and run, or that of a run against its qrels.

    Raises:
        InputError: the reading lacks rows that are needed.
        RulesError: under these rules the run would have to be read again.
    """
    if not isinstance(qrels, Reading):
        assert run is not None
        return read(qrels, run, rules=rules, keep=keep, threads=threads)
    if qrels.kept < ranks_kept(keep):
        raise InputError(lacking(keep), qrels.name)
    return qrels if rules == qrels.rules else qrels.under(rules)


def ranks_kept(keep: Keep) -> int:
    """The rank up to which unjudged documents become rows; raise for a value that is no `Keep`."""
    if keep in ("judged", "all"):
        return EVERY_RANK if keep == "all" else 0
    if isinstance(keep, str) or not is_whole(keep) or keep < 1:
        raise InputError("keep is 'judged', 'all' or a number of ranks, not {keep}", keep=quoted(keep))
    return min(EVERY_RANK, int(keep))


def run_reading(
    qrels: Qrels | None,
    run: RunLike | Reading,
    rules: Rules,
    *,
    keep: Keep = "judged",
    threads: int | None = None,
) -> Reading:
    """The reading of one of several runs, which may be given in place of the run; otherwise there are qrels.

    Raises:
        InputError, RulesError: as for `reading_of`; or there are no qrels.
    """
    if isinstance(run, Reading):
        return reading_of(run, None, rules, keep=keep)
    if qrels is None:
        raise InputError(
            "qrels are needed where a run is not read yet: give them, or a Reading with keep={keep!r}", keep=keep
        )
    return reading_of(qrels, run, rules, keep=keep, threads=threads)


def _again(reading: Reading, qrels: QrelsLike | None, rules: Rules, keep: Keep, path: str) -> Reading:
    """A reading in place of a run, if reading the run now would give the same."""
    if qrels is None:
        raise InputError(
            "this is a reading, which was made with judgements; give them too, or take Reading.load (for a "
            "command: the run that it was made of)",
            path,
        )
    judged = read_qrels(qrels)
    if reading.rules.unit == "line":  # its judgements are those of its lines
        judged = judged.only({*reading.qrels.queries, *reading.extra})
    if reading.kept < ranks_kept(keep):
        raise InputError(lacking(keep), path)
    refuse_others(judged, [replace(reading, name=path)], in_all=True)
    return reading.under(rules)


def refuse_others(qrels: Qrels | None, runs: Iterable[object], *, in_all: bool = False) -> None:
    """Raise where a reading among the runs was made with other judgements than these, or than the first one.

    Args:
        in_all: whether they must judge the same queries too; else queries that only one judges do not matter.
    """
    for run in runs:
        if not isinstance(run, Reading):
            continue
        from truerank.core.judgements import are_same  # not needed at every start

        qrels = run.qrels if qrels is None else qrels
        if not any(are_same(run.qrels, other, in_all) for other in (as_ruled(qrels, run.rules), qrels)):
            raise judged_otherwise(run.name, qrels)


def lacking(keep: Keep) -> Message:
    """The fault of a reading that lacks rows that are needed."""
    return message(
        "the reading lacks unjudged documents; read the run with keep={keep!r} (for a command: --keep {keep})",
        keep=keep,
    )


def scan_units(
    qrels: Qrels, run: Run, rules: Rules, threads: int | None = None, keep: int = 0
) -> tuple[Qrels, Scan]:
    """The judgements of what the mean is over (queries or submitted lines), and what the kernel finds in a run."""
    keep = ranks_read(qrels, keep)
    if rules.unit == "line":  # a domain's own way to a reading, from a layer above this one
        scanned: tuple[Qrels, Scan] = import_module("truerank.contest.lines").scan_lines(
            qrels, run, rules, threads, keep
        )
        return scanned
    try:
        return qrels, scan(run, qrels.judged, rules, threads, keep)
    except SeveralCalls:
        from truerank.core.call_lists import scan_calls  # rarely needed

        return qrels, scan_calls(run, qrels, rules, keep)


def _unjudged(run: Run, rules: Rules, keep: Keep, threads: int | None) -> Reading:
    """A reading without judgements, of every query that the run answers."""
    kept, has_selves = ranks_kept(keep), rules.self_match == "keep"
    scanned = scan(run, NO_QRELS.judged, rules, threads, kept if has_selves else EVERY_RANK, every=True)
    order = np.array(sorted(range(len(scanned.extra)), key=scanned.extra.__getitem__), np.int64)
    place = np.argsort(order)
    for table in scanned.tables:
        table["query"] = place[table["query"]]  # in place: a copy of all rows would take most of the memory
    qrels = Qrels.from_dict(dict.fromkeys((scanned.extra[i] for i in order.tolist()), ()), run.name)
    repeats = None if scanned.repeats is None else scanned.repeats[order]
    scanned = scanned._replace(returned=scanned.returned[order], extra=(), repeats=repeats)
    if has_selves:
        return Reading.of(qrels, scanned, rules, run.name, kept)
    reading = Reading.of(*ignoring_selves(qrels, scanned, rules.self_match), rules, run.name, kept)
    return replace(reading, rows=first_ranks(reading.rows, kept))
