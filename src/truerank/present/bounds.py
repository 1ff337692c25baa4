"""Bounds as tables: how far each mean could be off, and what to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truerank.analysis.bounds import Bounds, Range, ToJudge
from truerank.core.errors import printable
from truerank.core.messages import joined, message, plural
from truerank.present import ledger
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.table import Cell, Table, drawn_digits

BY_TIES = (message("worst tied"), message("expected"), message("best tied"))
BY_JUDGEMENT = (message("lowest"), message("highest"))


def document(bounds: Sequence[Bounds], candidates: ToJudge | None = None, digits: int | None = None) -> Document:
    """One row per measure of each run; then, if asked for, one row per document to judge."""
    drawn = drawn_digits(digits)
    tables = [bounds_table(bounds, drawn)]
    plain: dict[str, object] = {"bounds": [{**one.to_dict(), "remarks": remarks(one)} for one in bounds]}
    if candidates is None:
        return Document(tables, bounds_table(bounds, digits, named=True), plain, _all_remarks(bounds))
    tables.append(candidate_table(candidates, digits))
    plain["judge_next"] = candidates.to_dict()
    return Document(tables, _flat(candidates, digits), plain, _all_remarks(bounds))


def document_of(result: Bounds | ToJudge, digits: int | None = None) -> Document:
    """The document of bounds, or of a list of documents to judge."""
    if isinstance(result, Bounds):
        return document([result], digits=digits)
    table = candidate_table(result, digits)
    return Document([table], _flat(result, digits), result.to_dict(), remarks_of(result))


def _flat(to_judge: ToJudge, digits: int | None) -> Table:
    """`candidate_table` for programs: ranks are empty where a run has not returned the document."""
    rows = tuple(
        (printable(c.query), printable(c.doc), c.rank_a, c.rank_b, c.low, c.high, c.swing)
        for c in to_judge.candidates
    )
    return Table(("query", "document", "rank_a", "rank_b", "low", "high", "swing"), rows, digits=digits)


def remarks_of(result: Bounds | ToJudge) -> list[str]:
    """What is open, and what would decide."""
    return remarks(result) if isinstance(result, Bounds) else _decided(result)


def bounds_table(bounds: Sequence[Bounds], digits: int | None, *, named: bool = False) -> Table:
    """One row per run and measure; `named`: with the run even if there is but one."""
    names = labels([one.run for one in bounds])
    first = bounds[0]
    columns = (
        message("run"),
        message("measure"),
        message("value"),
        *(BY_TIES if first.ties else ()),
        *(BY_JUDGEMENT if first.unjudged else ()),
    )
    rows = [
        (name, str(measure), *_cells(one, str(measure)))
        for one, name in zip(bounds, names, strict=True)
        for measure in one.measures
    ]
    table = Table(columns, tuple(rows), notes=tuple(notes(bounds, names)), digits=digits)
    return table if named or len(bounds) > 1 else table.without_first_column()


def candidate_table(to_judge: ToJudge, digits: int | None = None) -> Table:
    """One row per document, first the one that could move the difference most."""
    a, b = labels([to_judge.run_a, to_judge.run_b])
    rows: list[tuple[Cell, ...]] = [
        (printable(c.query), printable(c.doc), _rank(c.rank_a), _rank(c.rank_b), c.low, c.high, c.swing)
        for c in to_judge.candidates
    ]
    columns = (
        message("query"),
        message("document"),
        message("rank in {run}", run=a),
        message("rank in {run}", run=b),
        message("lowest"),
        message("highest"),
        message("swing"),
    )
    title = message("What to judge next, by {measure}", measure=to_judge.measure)
    notes = tuple(_reading(to_judge, a, b))
    return Table(columns, tuple(rows), title, notes, digits=drawn_digits(digits, 6))


def notes(bounds: Sequence[Bounds], names: Sequence[str]) -> list[str]:
    """The rules, how to read the columns, and what is not exact."""
    first = bounds[0]
    sentences: list[str] = [
        message(
            "Rules: {rules}. {queries}.",
            rules=printable(first.rules.name),
            queries=ledger.queries(len(first.queries)),
        )
    ]
    if first.rerank is not None:
        sentences.append(
            message(
                "Tied: the worst, the expected and the best mean over all orders of the first {n:,} results, "
                "whatever their scores: the best is the most that a reranker of these candidates could reach.",
                n=first.rerank,
            )
        )
    elif first.ties:
        sentences.append(
            message("Tied: the worst, the expected and the best mean over all orders of equal scores.")
        )
    if first.unjudged:
        sentences.append(
            message(
                "Lowest, highest: the mean whatever the returned unjudged documents may be: "
                "each gets one of the grades {grades}, or stays unjudged.",
                grades=", ".join(f"{grade:g}" for grade in first.grades),
            )
        )
    for one, name in zip(bounds, names, strict=True):
        sentences += [joined(": ", [name, text]) if len(bounds) > 1 else text for text in remarks(one)]
    return sentences


def remarks(bounds: Bounds) -> list[str]:
    """How much is open in a run, and which numbers are not exact."""
    return [*_moved(bounds), *_open(bounds), *_sampled(bounds), *_searched(bounds)]


def _moved(bounds: Bounds) -> Iterator[str]:
    if bounds.rerank is not None:
        yield plural(
            "{n:,} query would score otherwise in another order.",
            "{n:,} queries would score otherwise in another order.",
            n=bounds.tied,
        )
    elif bounds.ties:
        none = message("No score depends on ties.")
        some = plural(
            "{n:,} query depends on the order of equal scores.",
            "{n:,} queries depend on the order of equal scores.",
            n=bounds.tied,
        )
        yield some if bounds.tied else none


def _open(bounds: Bounds) -> Iterator[str]:
    if bounds.open is not None:
        yield plural(
            "{n:,} returned document is unjudged.", "{n:,} returned documents are unjudged.", n=bounds.open
        )


def _sampled(bounds: Bounds) -> Iterator[str]:
    errors = {name: each.expected_error or 0.0 for name, each in bounds.ties.items()}
    if any(errors.values()):
        worst = max(errors, key=errors.__getitem__)
        yield message(
            "Expected values are in part means of {n:,} random orders (seed {seed}); "
            "the largest standard error is {error:.1g} ({measure}).",
            n=bounds.samples,
            seed=bounds.seed,
            error=errors[worst],
            measure=worst,
        )


def _searched(bounds: Bounds) -> Iterator[str]:
    for why, ranges in ((message("ties"), bounds.ties), (message("unjudged documents"), bounds.unjudged)):
        searched = {name: each.searched for name, each in ranges.items() if each.searched}
        if searched:
            named = [
                message("{where} ({queries})", where=name, queries=ledger.queries(n))
                for name, n in searched.items()
            ]
            yield message(
                "Searched, not exact, for {why}: {measures}. The true limits may lie a little farther apart.",
                why=why,
                measures=joined(", ", named),
            )


def _all_remarks(bounds: Sequence[Bounds]) -> list[str]:
    names = labels([one.run for one in bounds])
    return [joined(": ", [name, text]) for one, name in zip(bounds, names, strict=True) for text in remarks(one)]


def _cells(bounds: Bounds, name: str) -> list[Cell]:
    ties, unjudged = bounds.ties.get(name), bounds.unjudged.get(name)
    some: Range | None = ties or unjudged
    cells: list[Cell] = [some.mean if some else None]
    if ties:
        cells += [ties.worst, ties.expected_mean, ties.best]
    if unjudged:
        cells += [unjudged.lowest, unjudged.highest]
    return cells


def _reading(to_judge: ToJudge, a: str, b: str) -> list[str]:
    listed = len(to_judge.candidates)
    of = (
        message("{n:,} of {all:,} unjudged documents.", n=listed, all=to_judge.open)
        if listed
        else message("None of {n:,} documents matters.", n=to_judge.open)
    )
    difference = message(
        "The mean of {a} less that of {b} is {difference:+.6f}.", a=a, b=b, difference=to_judge.difference
    )
    return [
        joined(" ", [of, difference]),
        message("Lowest, highest: what the difference could be once this document alone is judged."),
        *_decided(to_judge),
    ]


def _decided(to_judge: ToJudge) -> list[str]:
    """Whether the listed judgements could turn the order of the two runs."""
    if not to_judge.candidates:
        return []
    if to_judge.turning == 1:
        return [message("One of these judgements could turn the order of the two runs.")]
    if to_judge.turning:
        said = message(
            "{n:,} of these judgements could turn the order of the two runs, if what each does alone adds up; of "
            "one query it may not.",
            n=to_judge.turning,
        )
        return [said]
    return [message("All of these together would hardly turn the order of the two runs.")]


def _rank(rank: int | None) -> Cell:
    return rank if rank is not None else "-"
