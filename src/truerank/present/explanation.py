"""Why a number is what it is, as tables: the list, the sums, the steps to the result; what moved between runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from truerank.analysis.explain import Diff, Explanation, Listed, Note
from truerank.analysis.explain.worked import Sum, Term
from truerank.core.errors import printable, truncated
from truerank.core.messages import Message, joined, listed, message, plural
from truerank.formats.texts import Snippets
from truerank.measures.parameters import canonical
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.table import Cell, Table, drawn_digits, fixed

DEPTH = 20
"""How many results are listed; of those below, and of those that were not returned, as many relevant ones."""

DOCUMENTS = 5
"""How many documents of each query that moved are listed."""

MARKS = {
    "repeated": message("repeated"),
    "ignored": message("ignored"),
    "removed": message("unjudged, left out"),
}
"""What stands for what a document is, where it does not count at all."""

KINDS = {
    "relevant": message("relevant"),
    "not relevant": message("not relevant"),
    "unjudged": message("unjudged"),
    "pooled": message("pooled, unjudged"),
}
"""What a document is."""

FLAT = ("run", "query", "measure", "rank", "document", "score", "grade", "kind", "place", "first", "last", "adds")


def document(
    explanations: Sequence[Explanation], *, depth: int | None = DEPTH, digits: int | None = None
) -> Document:
    """One query of one run under some measures: the list at each level, then each measure worked out.

    Args:
        depth: how many results to list; None for all.
        digits: after the point.
    """
    first, places = explanations[0], drawn_digits(digits)
    lists: dict[tuple[Listed, ...], Explanation] = {}  # what is relevant depends on the level
    for explanation in explanations:
        lists.setdefault(explanation.documents, explanation)
    tables = [ranking_table(one, depth, places, is_one=len(lists) == 1) for one in lists.values()]
    for explanation in explanations:
        tables += [sum_table(part, explanation, depth, places) for part in explanation.worked.sums if part.terms]
        tables.append(lines_table(explanation, places))
    said = [*all_remarks(explanations), *first.texts.notes]
    tables[-1] = replace(tables[-1], notes=(message("Rules: {rules}.", rules=printable(first.rules.name)), *said))
    plain = [explanation.to_dict() for explanation in explanations]
    return Document(tables, flat_table(explanations, digits), plain[0] if len(plain) == 1 else plain, said)


def document_of(
    result: Explanation | Diff,
    digits: int | None = None,
    *,
    depth: int | None = DEPTH,
    most: int | None = DOCUMENTS,
) -> Document:
    """The document of an explanation, or of what moved between two runs."""
    if isinstance(result, Explanation):
        return document([result], depth=depth, digits=digits)
    return moves_document(result, most=most, digits=digits)


def remarks_of(result: Explanation | Diff) -> list[str]:
    """The rules that applied; for two runs, the queries that only one of the means includes."""
    return remarks(result) if isinstance(result, Explanation) else _uncommon(result)


def all_remarks(explanations: Sequence[Explanation]) -> list[str]:
    """Each remark once; one that does not concern every measure names those that it concerns."""
    about: dict[str, list[str]] = {}
    for explanation in explanations:
        for remark in remarks(explanation):
            about.setdefault(remark, []).append(str(explanation.measure))
    every = len(explanations)
    return [text if len(who) == every else joined(": ", [", ".join(who), text]) for text, who in about.items()]


def remarks(explanation: Explanation) -> list[str]:
    """Which rules applied, a sentence or two each."""
    return [_remark(note, explanation) for note in explanation.notes]


def _remark(note: Note, explanation: Explanation) -> str:
    value = getattr(explanation.rules, note.rule, None)
    is_own = note.rule == "level" and {"level", "gain_from"} & dict(explanation.measure.params).keys()
    return note.text if value is None or is_own else joined(" ", [note.text, f"({note.rule} = {value})"])


def ranking_table(explanation: Explanation, depth: int | None, digits: int, *, is_one: bool = True) -> Table:
    """The results, the relevant ones below, and those that were not returned.

    Args:
        is_one: whether it is the only list, as all measures have the same level.
    """
    chosen = _chosen(explanation.documents, depth)
    listed = [explanation.documents[place] for place in chosen]
    rows: list[tuple[Cell, ...]] = []
    best = set()
    for before, place, row in zip([-1, *chosen], chosen, _rows(listed, explanation.texts), strict=False):
        if place - before > 1:
            rows.append((None, None, _more(place - before - 1), "", None, "", "", ""))
        if explanation.documents[place].kind == "relevant":
            best |= {(len(rows), column) for column, cell in enumerate(row) if str(cell or "").strip()}
        rows.append(row)
    if rest := len(explanation.documents) - 1 - max(chosen, default=-1):
        rows.append((None, None, _more(rest), "", None, "", "", ""))
    names = {"query": asked(explanation.query, explanation.texts), "run": labels([explanation.run])[0]}
    level = canonical(explanation.level)
    several = message("Query {query} of {run}, relevant from grade {level} on", level=level, **names)
    title = message("Query {query} of {run}", **names) if is_one else several
    columns = (
        message("rank"),
        message("call"),
        message("document"),
        message("score"),
        message("grade"),
        message("judged"),
        message("tied"),
        message("text"),
    )
    table = Table(columns, tuple(rows), title=title, best=frozenset(best), digits=digits)
    returned = [doc.score for doc in explanation.documents if doc.place != "missing"]
    has_scores = not returned or any(score is not None for score in returned)
    needed = {
        "call": any(doc.call for doc in listed),
        "score": has_scores,
        "tied": any(doc.tied for doc in listed),
        "text": bool(explanation.texts.docs),
    }
    return table.only([place for place, name in enumerate(columns) if needed.get(name, True)])


def asked(query: str, texts: Snippets) -> str:
    """A query by its id, and by its text where that is known."""
    return f"{printable(query)} ({truncated(texts.queries[query])})" if query in texts.queries else printable(query)


def _chosen(documents: Sequence[Listed], depth: int | None) -> list[int]:
    """The documents to list: the first ones, then relevant ones, returned and not returned."""
    if depth is None:
        return list(range(len(documents)))
    returned = [place for place, doc in enumerate(documents) if doc.place != "missing"]
    below = [place for place in returned[depth:] if documents[place].kind == "relevant"]
    missing = range(len(returned), len(documents))
    return [*returned[:depth], *below[:depth], *missing[:depth]]


def _rows(documents: Sequence[Listed], texts: Snippets) -> Iterator[tuple[Cell, ...]]:
    for doc, score in zip(documents, _scores(documents), strict=True):
        mark = _mark(doc)
        tied = f"{doc.tied[0]}–{doc.tied[1]}" if doc.tied else ""
        text = truncated(texts.docs.get(doc.doc, ""))
        yield doc.rank, doc.call, printable(doc.doc), score, doc.grade, mark, tied, text


def _mark(doc: Listed) -> Message:
    """What a document is: relevant or not, unjudged, …; and, if so, why it does not count."""
    if doc.place == "below depth":
        return message("{kind}, too deep", kind=KINDS[doc.kind])
    if doc.place == "missing":
        return message("{kind}, missing", kind=KINDS[doc.kind])
    return MARKS.get(doc.place, KINDS[doc.kind])


def _more(n: int) -> Message:
    return message("… {n:,} more", n=n)


def _scores(documents: Sequence[Listed]) -> list[str]:
    """The scores with as many digits as it takes to tell different ones apart, right-aligned."""
    scores = [doc.score for doc in documents]
    different = {score for score in scores if score is not None}
    enough = (
        places for places in (2, 4, 6, 9, 12) if len({f"{s:.{places}f}" for s in different}) == len(different)
    )
    places = next(enough, None)
    texts = ["" if s is None else repr(s) if places is None else f"{s:.{places}f}" for s in scores]
    width = max(map(len, ["score", *texts]))
    return [text.rjust(width) for text in texts]


def sum_table(part: Sum, explanation: Explanation, depth: int | None, digits: int) -> Table:
    """What each document adds, and the sum so far."""
    rows = [_term(term, digits) for term in part.terms if term.rank is not None]
    if depth is not None and len(rows) > depth + 1:
        rows = [*rows[: depth - 1], _gap(_more(len(rows) - depth)), rows[-1]]
    if lost := sum(term.rank is None for term in part.terms):
        rows.append((None, message("{n:,} not found", n=lost), "", 0.0, part.value))
    name = message("the sum {name}", name=part.name) if part.is_added else part.name
    measure = str(explanation.measure)
    title = part.name if part.name == measure else joined(": ", [measure, name])
    if not part.is_added:
        columns = (message("rank"), message("document"), part.of, message("value"))
        return Table(columns, tuple(row[:4] for row in rows), title=title, digits=digits)
    heads = (message("rank"), message("document"), part.of, message("adds"), message("sum"))
    return Table(heads, tuple(rows), title=title, digits=digits)


def _term(term: Term, digits: int) -> tuple[Cell, ...]:
    return term.rank, printable(term.doc), term.text(digits), term.value, term.total


def _gap(text: str) -> tuple[Cell, ...]:
    return None, text, "", None, None


def lines_table(explanation: Explanation, digits: int) -> Table:
    """The steps to the result."""
    worked = explanation.worked.lines
    lines = (*worked, explanation.ruling) if explanation.ruling else worked
    rows = tuple((line.name, line.text(digits), line.value) for line in lines)
    best = frozenset((len(rows) - 1, column) for column in range(3))
    return Table((message("step"), message("how"), message("value")), rows, best=best, digits=digits)


def flat_table(explanations: Sequence[Explanation], digits: int | None = None) -> Table:
    """One row per document and measure."""
    rows = [row for explanation in explanations for row in _flat(explanation)]
    return _texted(Table((*FLAT, "text"), tuple(rows), digits=digits), explanations[0].texts)


def _texted(table: Table, texts: Snippets) -> Table:
    """The table without its last column where there are no texts for it."""
    return table if texts.docs else table.only(range(len(table.columns) - 1))


def _flat(explanation: Explanation) -> Iterator[tuple[Cell, ...]]:
    who = (printable(explanation.run), printable(explanation.query), str(explanation.measure))
    added = explanation.shares_at
    for doc in explanation.documents:
        tied = doc.tied or (None, None)
        adds = added.get((doc.doc, doc.rank), 0.0) if added else None
        text = explanation.texts.docs.get(doc.doc)
        yield (*who, doc.rank, printable(doc.doc), doc.score, doc.grade, doc.kind, doc.place, *tied, adds, text)


def several_moves_document(diffs: Sequence[Diff], *, most: int | None, digits: int | None) -> Document:
    """What moved, for each measure in turn."""
    documents = [moves_document(each, most=most, digits=digits) for each in diffs]
    if len(documents) == 1:
        return documents[0]
    flat = replace(documents[0].flat, rows=tuple(row for one in documents for row in one.flat.rows))
    remarks = dict.fromkeys(remark for one in documents for remark in one.remarks)
    tables = [table for one in documents for table in one.tables]
    return Document(tables, flat, [one.results for one in documents], list(remarks))


def moves_document(moves: Diff, *, most: int | None = DOCUMENTS, digits: int | None = None) -> Document:
    """The queries whose values moved most, and the documents that moved them.

    Args:
        most: how many documents to list for each query; None for all.
        digits: after the point.
    """
    places = drawn_digits(digits)
    tables = [_queries_table(moves, places)]
    if any(move.documents for move in moves.queries):
        tables.append(_documents_table(moves, most, places))
    last = replace(tables[-1], notes=tuple(_moves_notes(moves, places)))
    return Document(
        [*tables[:-1], last], _flat_moves(moves, digits), moves.to_dict(), _moves_notes(moves, places)[2:]
    )


def _queries_table(moves: Diff, digits: int) -> Table:
    texts = moves.texts.queries
    rows = [
        (printable(m.query), m.before, m.after, m.change, truncated(texts.get(m.query, ""))) for m in moves.queries
    ]
    title = message("{measure} from A to B", measure=moves.measure)
    columns = (message("query"), "A", "B", message("change"), message("text"))
    table = Table(columns, tuple(rows), title=title, digits=digits)
    return table if texts else table.only(range(4))


def _documents_table(moves: Diff, most: int | None, digits: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    texts = moves.texts.docs
    for move in moves.queries:
        shifts = move.documents[:most]
        rows += [
            (
                printable(move.query),
                printable(s.doc),
                s.grade,
                s.before,
                s.after,
                s.change,
                truncated(texts.get(s.doc, "")),
            )
            for s in shifts
        ]
        if more := move.documents[len(shifts) :]:
            rest = None if more[0].change is None else sum(shift.change or 0.0 for shift in more)
            rows.append((printable(move.query), _more(len(more)), None, None, None, rest, ""))
    columns = (
        message("query"),
        message("document"),
        message("grade"),
        message("rank in A"),
        message("rank in B"),
        message("change"),
        message("text"),
    )
    is_known = any(shift.change is not None for move in moves.queries for shift in move.documents)
    table = Table(columns, tuple(rows), title=_who_moved(moves, is_known=is_known), digits=digits)
    needed = {"change": is_known, "text": bool(texts)}
    return table.only([place for place, name in enumerate(columns) if needed.get(name, True)])


def _who_moved(moves: Diff, *, is_known: bool) -> str:
    """The heading of the documents; for a measure that is not a sum over them, what each adds is not known."""
    if is_known:
        return message("The documents that moved them")
    if moves.measure.definition.sees_lists:
        return message("Documents that changed their rank")
    return message("Relevant documents that changed their rank")


def _moves_notes(moves: Diff, digits: int) -> list[str]:
    """Which run is which, the means, and how many queries moved."""
    a, b = labels([moves.before, moves.after])
    before, after = moves.means
    counts = message(
        "{better:,} better, {worse:,} worse, {same:,} the same",
        better=moves.better,
        worse=moves.worse,
        same=moves.same,
    )
    common = moves.better + moves.worse + moves.same
    change = f"{before:.{digits}f} → {after:.{digits}f} ({fixed(after - before, digits, '+')})"
    is_known = common and math.isfinite(after - before)
    values = {"change": change if is_known else message("unknown"), "counts": counts, "n": common}
    number = message("Sum") if moves.measure.definition.average == "sum" else message("Mean")
    mean = (
        plural(
            "{number} over the {n:,} query that both have {change}; queries: {counts}.",
            "{number} over the {n:,} queries that both have {change}; queries: {counts}.",
            number=number,
            **values,
        )
        if moves.uncommon
        else message("{number} {change}; queries: {counts}.", number=number, **values)
    )
    said = message("A: {a}. B: {b}. Rules: {rules}.", a=a, b=b, rules=printable(moves.rules.name))
    return [said, mean, *_uncommon(moves), *_unanswered(moves), *moves.texts.notes]


def _uncommon(moves: Diff) -> list[str]:
    if not moves.uncommon:
        return []
    said = plural(
        "{n:,} query is in the mean of only one of the runs; the moves are those of the others.",
        "{n:,} queries are in the mean of only one of the runs; the moves are those of the others.",
        n=moves.uncommon,
    )
    return [said]


def _unanswered(moves: Diff) -> Iterator[str]:
    """The listed queries that a run does not answer, whose documents have no ranks there."""
    for place, name in enumerate("AB"):
        missing = [printable(move.query) for move in moves.queries if not move.answered[place]]
        if missing:
            yield message("Not answered by {run}: {queries}.", run=name, queries=listed(missing, 6))


def _flat_moves(moves: Diff, digits: int | None) -> Table:
    ids = ("query", "measure", "before", "after", "document", "grade", "rank_before", "rank_after", "change")
    texts = moves.texts.docs
    rows: list[tuple[Cell, ...]] = []
    for move in moves.queries:
        who = (printable(move.query), str(moves.measure), move.before, move.after)
        rows += [
            (*who, printable(s.doc), s.grade, s.before, s.after, s.change, texts.get(s.doc)) for s in move.documents
        ]
        if not move.documents:
            rows.append((*who, None, None, None, None, None, None))
    return _texted(Table((*ids, "text"), tuple(rows), digits=digits), moves.texts)
