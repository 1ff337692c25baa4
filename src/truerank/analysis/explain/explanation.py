"""Why a query scores what it scores: the list, the measure worked out, and the rules that applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from truerank.analysis.explain.ranking import Listed
from truerank.analysis.explain.worked import Line, Worked
from truerank.core.presented import Presented, finite
from truerank.core.rules import Rules
from truerank.formats.texts import NOTHING, Snippets, with_text
from truerank.measures import Measure


@dataclass(frozen=True)
class Note:
    """A rule that applied, and what it did.

    Attributes:
        rule: the field of `Rules`.
        text: a sentence or two.
    """

    rule: str
    text: str


@dataclass(frozen=True, repr=False)
class Explanation(Presented):
    """Why a run scores what it scores on one query.

    Attributes:
        run: the name of the run.
        query: the id of the query.
        measure: what is explained.
        value: what `evaluate` gives for it, to the last bit; NaN where it has none.
        is_counted: whether the mean over queries includes this one.
        level: the lowest grade that is relevant here.
        documents: all that was returned, best first, then the relevant ones that were not.
        worked: the measure worked out line by line.
        ruling: the rule that sets the value in place of the measure, if one does.
        notes: the rules that applied.
        rules: under whose rules.
        texts: the beginnings of the texts of the query and of documents, where these were given.

    >>> import truerank as tr
    >>> why = tr.explain({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "b"]}, "q", "AP")
    >>> [(line.name, line.text(2), round(line.value, 2)) for line in why.worked.lines]
    [('Σ', 'the sum', 1.67), ('R', 'relevant documents, found or not', 2), ('AP', '1.67 / 2', 0.83)]
    >>> [(doc.rank, doc.doc, doc.kind) for doc in why.documents]
    [(1, 'a', 'relevant'), (2, 'x', 'unjudged'), (3, 'b', 'relevant')]
    """

    built_by = "explanation"

    run: str
    query: str
    measure: Measure
    value: float
    is_counted: bool
    level: float
    documents: tuple[Listed, ...]
    worked: Worked
    ruling: Line | None
    notes: tuple[Note, ...]
    rules: Rules
    texts: Snippets = NOTHING

    def _summary(self) -> str:
        what = f"query {self.query!r}, {self.measure}: {self.value:.4f}"
        return f"Explanation({self.run!r}, {what}, {len(self.documents):,} documents, rules {self.rules.name!r})"

    @property
    def shares(self) -> dict[str, float]:
        """What each document adds to the value, where the measure is a sum; else nothing."""
        return {} if self.ruling else self.worked.shares

    @property
    def shares_at(self) -> dict[tuple[str, int | None], float]:
        """The same by document and rank, as a repeated one adds at each; None: where no document is ranked."""
        added: dict[tuple[str, int | None], float] = {}
        ranks = {doc.rank for doc in self.documents}
        for term in self.worked.sums[0].terms if self.shares else ():
            place = term.doc, term.rank if term.rank in ranks else None
            added[place] = added.get(place, 0.0) + (term.share or 0.0)
        return added

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rules": self.rules.to_dict(),
            "run": self.run,
            "query": self.query,
            **with_text(self.texts.queries, self.query),
            "measure": str(self.measure),
            "value": finite(self.value),
            "is_counted": self.is_counted,
            "level": self.level,
            "documents": [{**doc.to_dict(), **with_text(self.texts.docs, doc.doc)} for doc in self.documents],
            "worked": self.worked.to_dict(),
            "ruling": self.ruling.to_dict() if self.ruling else None,
            "notes": [vars(note) for note in self.notes],
        }
