"""Bounds as tables: how far each mean could be off, and what to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truerank.analysis.bounds import Bounds, Range, ToJudge
from truerank.core.errors import counted, shown
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.table import Cell, Table

BY_TIES = ("worst tied", "expected", "best tied")
BY_JUDGEMENT = ("lowest", "highest")


def document(found: Sequence[Bounds], candidates: ToJudge | None = None, digits: int | None = None) -> Document:
    """A row a measure of each run; then, if asked for, a row a document to judge."""
    drawn = 4 if digits is None else digits
    tables = [bounds_table(found, drawn)]
    plain: dict[str, object] = {"bounds": [{**one.to_dict(), "remarks": remarks(one)} for one in found]}
    if candidates is None:
        return Document(tables, bounds_table(found, digits, named=True), plain, _all_remarks(found))
    tables.append(candidate_table(candidates, max(drawn, 6) if digits is None else digits))
    plain["judge_next"] = candidates.to_dict()
    return Document(tables, candidate_table(candidates, digits), plain, _all_remarks(found))


def document_of(found: Bounds | ToJudge, digits: int | None = None) -> Document:
    """What bounds, or a list of documents to judge, show of themselves."""
    if isinstance(found, Bounds):
        return document([found], digits=digits)
    rows = tuple(
        (shown(c.query), shown(c.doc), c.rank_a, c.rank_b, c.low, c.high, c.swing) for c in found.candidates
    )
    flat = Table(("query", "document", "rank_a", "rank_b", "low", "high", "swing"), rows, digits=digits)
    table = candidate_table(found, 6 if digits is None else digits)
    return Document([table], flat, found.to_dict(), remarks_of(found))


def remarks_of(found: Bounds | ToJudge) -> list[str]:
    """What is open, and what would decide."""
    return remarks(found) if isinstance(found, Bounds) else _decided(found)


def bounds_table(found: Sequence[Bounds], digits: int | None = 4, *, named: bool = False) -> Table:
    """A row a run and measure; `named`: with the run even if there is but one."""
    names = labels([one.run for one in found])
    first = found[0]
    columns = (
        "run",
        "measure",
        "value",
        *(BY_TIES if first.ties else ()),
        *(BY_JUDGEMENT if first.unjudged else ()),
    )
    rows = [
        (name, str(measure), *_cells(one, str(measure)))
        for one, name in zip(found, names, strict=True)
        for measure in one.measures
    ]
    table = Table(columns, tuple(rows), notes=tuple(notes(found, names)), digits=digits)
    return table if named or len(found) > 1 else table.without_first_column()


def candidate_table(found: ToJudge, digits: int | None = 6) -> Table:
    """A row a document, the one that could move the difference most first."""
    a, b = labels([found.run_a, found.run_b])
    rows: list[tuple[Cell, ...]] = [
        (shown(c.query), shown(c.doc), _rank(c.rank_a), _rank(c.rank_b), c.low, c.high, c.swing)
        for c in found.candidates
    ]
    columns = ("query", "document", f"rank in {a}", f"rank in {b}", "lowest", "highest", "swing")
    return Table(
        columns, tuple(rows), f"What to judge next, by {found.measure}", tuple(_reading(found, a, b)), digits=digits
    )


def notes(found: Sequence[Bounds], names: Sequence[str]) -> list[str]:
    """Under whose rules, how to read the columns, and what is not exact."""
    first = found[0]
    told = [f"Rules: {shown(first.rules.name)}. {counted(len(first.queries), 'query', 'queries')}."]
    if first.ties:
        told.append("Tied: the worst, the expected and the best mean over all orders of equal scores.")
    if first.unjudged:
        told.append(f"Lowest, highest: the mean whatever the returned unjudged documents may be: {_choice(first)}.")
    for one, name in zip(found, names, strict=True):
        told += [f"{name}: {text}" if len(found) > 1 else text for text in remarks(one)]
    return told


def remarks(found: Bounds) -> list[str]:
    """How much is open in a run, and which numbers are not exact."""
    return [*_moved(found), *_open(found), *_sampled(found), *_searched(found)]


def _moved(found: Bounds) -> Iterator[str]:
    if found.ties:
        queries = counted(found.tied, "query depends", "queries depend")
        yield f"{queries} on the order of equal scores." if found.tied else "No score depends on ties."


def _open(found: Bounds) -> Iterator[str]:
    if found.open is not None:
        documents = counted(found.open, "returned document is", "returned documents are")
        yield f"{documents} unjudged."


def _sampled(found: Bounds) -> Iterator[str]:
    errors = {name: each.expected_error or 0.0 for name, each in found.ties.items()}
    if any(errors.values()):
        worst = max(errors, key=errors.__getitem__)
        yield (
            f"Expected values are in part means of {found.samples:,} random orders (seed {found.seed}); "
            f"the largest standard error is {errors[worst]:.1g} ({worst})."
        )


def _searched(found: Bounds) -> Iterator[str]:
    for why, ranges in (("ties", found.ties), ("unjudged documents", found.unjudged)):
        searched = {name: each.searched for name, each in ranges.items() if each.searched}
        if searched:
            listed = ", ".join(f"{name} ({counted(n, 'query', 'queries')})" for name, n in searched.items())
            yield f"Searched, not counted out, by {why}: {listed}. The true limits may lie a little farther apart."


def _all_remarks(found: Sequence[Bounds]) -> list[str]:
    names = labels([one.run for one in found])
    return [f"{name}: {text}" for one, name in zip(found, names, strict=True) for text in remarks(one)]


def _cells(found: Bounds, name: str) -> list[Cell]:
    ties, unjudged = found.ties.get(name), found.unjudged.get(name)
    some: Range | None = ties or unjudged
    cells: list[Cell] = [some.mean if some else None]
    if ties:
        cells += [ties.worst, ties.expected_mean, ties.best]
    if unjudged:
        cells += [unjudged.lowest, unjudged.highest]
    return cells


def _choice(found: Bounds) -> str:
    grades = [f"{grade:g}" for grade in found.grades]
    return f"each gets one of the grades {', '.join(grades)}, or stays unjudged"


def _reading(found: ToJudge, a: str, b: str) -> list[str]:
    listed = len(found.candidates)
    of = (
        f"{listed:,} of {found.open:,} unjudged documents"
        if listed
        else f"None of {found.open:,} documents matters"
    )
    return [
        f"{of}. The mean of {a} less that of {b} is {found.difference:+.6f}.",
        "Lowest, highest: what the difference could be once this document alone is judged.",
        *_decided(found),
    ]


def _decided(found: ToJudge) -> list[str]:
    """Whether the listed judgements could turn the order of the two runs."""
    if not found.candidates:
        return []
    if found.turning:
        return [f"{found.turning:,} of these judgements could turn the order of the two runs."]
    return ["All of these together would hardly turn the order of the two runs."]


def _rank(rank: int | None) -> Cell:
    return rank if rank is not None else "-"
