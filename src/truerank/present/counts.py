"""Counts (true positives and the others), and the figures computed from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from truerank.analysis.confusion import Confusion, Counts, Sweep, weight_on_precision
from truerank.core.errors import printable
from truerank.core.messages import Message, joined, message, plural
from truerank.present import charts, few, ledger
from truerank.present.document import Document, Figure
from truerank.present.names import labels
from truerank.present.table import Cell, Table, drawn_digits

Row = tuple[tuple[Cell, ...], Confusion]
"""The cells that say whose counts these are, and the counts."""

RARE = 0.9
"""Where a larger share than this is not relevant, accuracy says little."""

WORDS = {
    "documents": (
        (message("relevant"), message("not relevant")),
        (message("retrieved"), message("not retrieved")),
    ),
    "results": ((message("right"), message("wrong")), (message("accepted"), message("rejected"))),
}
"""What the columns and the rows of the four counts are called."""

FIGURES = ("accuracy", "precision", "recall", "specificity", "f1")

HEADINGS: dict[str, str] = {
    "query": message("query"),
    "threshold": message("threshold"),
    "best": message("best"),
    "accuracy": message("accuracy"),
    "precision": message("precision"),
    "recall": message("recall"),
    "specificity": message("specificity"),
}
"""What people read in place of a program's name."""


@dataclass(frozen=True)
class Weight:
    """The weighted F that is shown beside F1, if one was asked for.

    Attributes:
        given_beta, given_alpha: how much more recall counts, or the weight on precision; at most one is given.
    """

    given_beta: float | None = None
    given_alpha: float | None = None

    @property
    def asked(self) -> bool:
        """Whether either was given."""
        return self.given_beta is not None or self.given_alpha is not None

    @property
    def alpha(self) -> float:
        """The weight on precision."""
        return weight_on_precision(self.given_beta, self.given_alpha)

    @property
    def beta(self) -> float | None:
        """How much more recall counts; None where precision does not count at all."""
        if self.given_beta is not None:
            return self.given_beta
        return math.sqrt((1 - self.alpha) / self.alpha) if self.alpha else None

    @property
    def name(self) -> str:
        """The name of this F."""
        if not self.asked:
            return "f1"
        return f"f (beta={self.given_beta:g})" if self.given_alpha is None else f"f (alpha={self.given_alpha:g})"

    def figures(self, counts: Confusion) -> dict[str, float | None]:
        """Accuracy and the other figures by name, with this F if it was asked for."""
        weighted = {self.name: counts.f(alpha=self.alpha)} if self.asked else {}
        return {**{name: getattr(counts, name) for name in FIGURES}, **weighted}

    def to_dict(self, counts: Confusion) -> dict[str, Any]:
        """The counts and figures, for JSON."""
        weighted = {"alpha": self.alpha, "beta": self.beta, "f_beta": counts.f(alpha=self.alpha)}
        return {**counts.to_dict(), **(weighted if self.asked else {})}


def document_of(
    result: Confusion | Counts | Sweep, digits: int | None = None, *, per_query: bool = False
) -> Document:
    """The document of counts: given ones, those of a run, or those at each threshold."""
    if isinstance(result, Confusion):
        return of_counts(result, Weight(), digits)
    if isinstance(result, Sweep):
        weight = Weight(given_alpha=result.alpha) if result.alpha != 0.5 else Weight()
        laid = of_sweep(result, weight, digits)
        return replace(laid, blocks=[*laid.blocks, sweep_figure(result, weight)]) if result.steps else laid
    return of_run(result, Weight(), digits, per_query=per_query)


def remarks_of(result: Confusion | Counts | Sweep) -> list[str]:
    """What the sums hide, and what must be known to read the figures."""
    if isinstance(result, Confusion):
        return remarks(result)
    return [*ledger.remarks(result), *_said(result)]


def of_counts(counts: Confusion, weight: Weight, digits: int | None) -> Document:
    """Four counts that were given."""
    said = remarks(counts)
    plain = {**weight.to_dict(counts), "remarks": said}
    return Document(_square(counts, weight, digits, said), _flat([((), counts)], (), weight, digits), plain, said)


def of_run(counted: Counts, weight: Weight, digits: int | None = None, *, per_query: bool = False) -> Document:
    """The counts of a run: their sums and, if asked, those of each query."""
    size, said = len(counted.queries), _said(counted)
    plain = {**counted.to_dict(), **weight.to_dict(counted.micro), "remarks": said}
    square = _square(
        counted.micro, weight, digits, [*_about(counted, size, _retrieved(counted)), *said], counted.of
    )
    said = [*_hidden(counted), *said]
    if not per_query:
        flat = _flat(
            [((printable(counted.run), printable(counted.rules.name)), counted.micro)],
            ("run", "rules"),
            weight,
            digits,
        )
        return Document(square, flat, plain, said)
    queries = {name: weight.to_dict(counts) for name, counts in counted.queries.items()}
    rows: list[Row] = [((printable(name),), counts) for name, counts in counted.queries.items()]
    flat = _flat([*rows, (("all",), counted.micro)], ("query",), weight, digits)
    people = _flat([*rows, ((message("all"),), counted.micro)], ("query",), weight, digits)
    return Document([_for_people(people, digits), *square], flat, {**plain, "queries": queries}, said)


def of_sweep(sweep: Sweep, weight: Weight, digits: int | None) -> Document:
    """The counts at each threshold, of which the best is marked."""
    best_one = message("* has the highest {measure}", measure=weight.name)
    marked = best_one if sweep.steps else message("there is no threshold to try")
    about, said = _about(sweep, sweep.queries, joined("; ", [_swept(sweep), marked])), _said(sweep)
    steps = [{"threshold": step.threshold, **weight.to_dict(step.counts)} for step in sweep.steps]
    best = None if sweep.best is None else {"threshold": sweep.best.threshold, **weight.to_dict(sweep.best.counts)}
    people = replace(_for_people(_steps(sweep, weight, digits), digits), notes=(*about, *said))
    plain = {**sweep.to_dict(), "sweep": steps, "best": best, "remarks": said}
    return Document([people], _steps(sweep, weight, digits), plain, [*_hidden(sweep), *said])


def sweep_figure(sweep: Sweep, weight: Weight) -> Figure:
    """What precision, recall and F are at each threshold."""
    names = ["precision", "recall", weight.name]
    rows = [
        {"who": name, "threshold": step.threshold, "value": value}
        for name in names
        for step in sweep.steps
        if (value := weight.figures(step.counts)[name]) is not None
    ]
    threshold, title = message("threshold"), message("value")
    x = charts.axis("threshold", threshold, scale={"zero": False, "padding": charts.PADDING}, axis=charts.NUMBER)
    hints: charts.Hints = {"who": message("figure"), "threshold": (threshold, ".4f"), "value": (title, ".4f")}
    spec = charts.lines(rows, x, charts.shares("value", title), names, hints)
    alt = message("One line per figure: precision, recall and F of what scores at least the threshold.")
    return Figure("sweep", message("Precision, recall and F by threshold"), alt, spec)


def _steps(sweep: Sweep, weight: Weight, digits: int | None) -> Table:
    """One row per threshold, which has all its digits: rounded up it would miss documents."""
    rows: list[Row] = []
    for step in sweep.steps:
        rows += [((repr(step.threshold), "*" if step == sweep.best else ""), step.counts)]
    return _flat(rows, ("threshold", "best"), weight, digits)


def _square(
    counts: Confusion, weight: Weight, digits: int | None, notes: Sequence[str], of: str = "documents"
) -> list[Table]:
    """The four counts, and the figures below them."""
    (right, wrong), (taken, left) = WORDS[of]
    square = Table(("", right, wrong), ((taken, counts.tp, counts.fp), (left, counts.fn, counts.tn)))
    rows = tuple(
        (HEADINGS.get(name, name), value) for name, value in weight.figures(counts).items() if value is not None
    )
    return [
        square,
        Table((message("measure"), message("value")), rows, notes=tuple(notes), digits=drawn_digits(digits)),
    ]


def _flat(rows: Sequence[Row], names: Sequence[str], weight: Weight, digits: int | None) -> Table:
    """One row per set of counts, after cells that say whose they are."""
    columns = (*names, "tp", "fp", "fn", "tn", *weight.figures(Confusion(0, 0, 0)))
    cells = tuple((*who, c.tp, c.fp, c.fn, c.tn, *weight.figures(c).values()) for who, c in rows)
    return Table(columns, cells, digits=digits)


def _for_people(flat: Table, digits: int | None) -> Table:
    """The table rounded, without columns in which nothing is known."""
    kept = [i for i in range(len(flat.columns)) if any(row[i] is not None for row in flat.rows)]
    few_columns = flat.only(kept)
    columns = tuple(HEADINGS.get(name, name) for name in few_columns.columns)
    return replace(few_columns, columns=columns, digits=drawn_digits(digits))


def _about(counted: Counts | Sweep, queries: int, retrieved: str) -> list[str]:
    """The rules, what the sums hide, and what they are of."""
    over = ledger.queries(queries)
    said = message("Counts summed over {queries} (micro); {retrieved}.", queries=over, retrieved=retrieved)
    return [*ledger.notes([counted], [printable(counted.run)]), said]


def _hidden(counted: Counts | Sweep) -> list[str]:
    """What the sums hide, for a format without notes."""
    return ledger.named_remarks([counted], labels([counted.run]))


def _retrieved(counts: Counts) -> Message:
    if counts.of == "results":
        what = _scored(message("all"), counts.threshold)
        return message("of {results} of each query; accepted: {what}", results=_first(counts.k), what=what)
    if counts.k is None and counts.threshold is None:
        return message("retrieved: all returned documents")
    results = message("results") if counts.k is None else _first(counts.k)
    return message("retrieved: {what}", what=_scored(results, counts.threshold))


def _scored(what: Message, threshold: float | None) -> Message:
    """What is counted as retrieved: these documents, or those of them with a high enough score."""
    if threshold is None:
        return what
    return message("{what} with a score of at least {score!r}", what=what, score=threshold)


def _first(k: int | None) -> Message:
    if k is None:
        return message("all results")
    return plural("the first result", "the first {n:,} results", n=k)


def _swept(sweep: Sweep) -> Message:
    what = message("what scores at least that")
    if sweep.of == "results":
        return message("of {results} of each query; accepted: {what}", results=_first(sweep.k), what=what)
    if sweep.k is None:
        return message("retrieved: {what}", what=what)
    return message("retrieved: of {results} {what}", results=_first(sweep.k), what=what)


def _said(result: Counts | Sweep) -> list[str]:
    """What must be known to read the figures, where there are any, and whether there are enough queries."""
    if isinstance(result, Counts):
        return [*remarks(result.micro, result.of), *few.remarks(len(result.queries))]
    figures = remarks(result.steps[-1].counts, result.of) if result.steps else []
    return [*figures, *few.remarks(result.queries)]


def remarks(counts: Confusion, of: str = "documents") -> list[str]:
    """What must be known to read the figures rightly."""
    if of == "results":
        return []
    if counts.tn is None:
        return [message("TN, accuracy and specificity need the number of documents: --documents N.")]
    documents, relevant = counts.tp + counts.fp + counts.fn + counts.tn, counts.tp + counts.fn
    idle = (documents - relevant) / documents if documents else 0.0
    if idle < RARE:
        return []
    return [
        message(
            "Accuracy misleads where little is relevant: retrieving nothing at all would reach {share:.4f}.",
            share=idle,
        )
    ]
