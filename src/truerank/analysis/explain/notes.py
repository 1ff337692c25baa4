"""Which rules applied to a query, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from truerank.analysis.explain.explanation import Note
from truerank.analysis.explain.ranking import Listed
from truerank.core.equal import is_equal
from truerank.core.rules import Rules
from truerank.measures import Measure

ORDERS = {
    "doc-descending": "by document id, descending",
    "doc-ascending": "by document id, ascending",
    "input": "as the run has them",
}

REPEATED = {
    "first": "the first counts",
    "last": "the last counts",
    "count": "each counts",
    "once": "the first counts",
}


@dataclass(frozen=True)
class Found:
    """What the notes speak of.

    Attributes:
        measure, rules: what is explained, and under whose rules.
        documents: the list.
        is_answered: whether the run answers the query.
        lines: how many of its lines do, where the mean is over lines.
        repeated: how many rows repeat a document.
        relevant: how many relevant documents there are, by the rules' level.
        is_defined: whether the measure has something to divide by.
        spread: the lowest and the highest value that some order of equal scores gives.
    """

    measure: Measure
    rules: Rules
    documents: Sequence[Listed]
    is_answered: bool
    lines: int
    repeated: int
    relevant: int
    is_defined: bool
    spread: tuple[float, float]

    @property
    def is_counted(self) -> bool:
        """Whether the mean over queries includes this one."""
        answered = self.is_answered or self.rules.missing == "zero"
        if self.rules.without_relevant == "undefined":
            return answered and self.is_defined
        return answered and (self.relevant > 0 or self.rules.without_relevant not in ("skip", "error"))


def notes(found: Found) -> tuple[Note, ...]:
    """A note for each rule that did something here."""
    return tuple(Note(rule, text) for rule, say in TELLERS.items() for text in say(found))


def _missing(found: Found) -> Iterator[str]:
    if not found.is_answered:
        said = {
            "zero": "so it scores 0, and counts",
            "error": "which is an error under these rules: `truerank eval` stops at it",
        }
        what = said.get(found.rules.missing, "so it is left out of the mean")
        yield f"The run does not answer this query, {what}."
    elif found.lines > 1:
        yield f"{found.lines} lines of the run answer this query, and each counts; this is the first of them."


def _without_relevant(found: Found) -> Iterator[str]:
    if not found.relevant:
        said = {
            "zero": "Such a query scores 0, and counts.",
            "skip": "Such a query is left out of the mean.",
            "empty-is-right": "Such a query scores 1 when nothing comes back, else 0.",
            "one": "Such a query scores 1, whatever is returned.",
            "undefined": f"{found.measure} has a value all the same."
            if found.is_defined
            else f"So {found.measure} has no value, and its mean leaves the query out.",
            "error": "That is an error under these rules: `truerank eval` stops at it.",
        }
        level = "" if found.rules.level == 1 else f" of grade {found.rules.level:g} or better"
        yield f"No document{level} is relevant to this query. {said[found.rules.without_relevant]}"


def _lost(found: Found) -> Iterator[str]:
    lost = sum(doc.place == "missing" for doc in found.documents)
    if lost and found.is_answered:
        ignored = "; that counts as not judged" if found.rules.unreturned == "ignore" else ""
        yield f"{_documents(lost, 'relevant ')} did not come back{ignored}."


def _ties(found: Found) -> Iterator[str]:
    groups = sorted({doc.tied for doc in found.documents if doc.tied and doc.kind != "unjudged"})
    if not groups:
        return
    first, last = groups[0]
    where = f"Ranks {first} to {last} have the same score"
    others = f", and {len(groups) - 1} more such groups hold judged documents" if len(groups) > 1 else ""
    low, high = found.spread
    matter = (
        f"Another order of equal scores gives {found.measure} from {low:.4f} to {high:.4f}."
        if not is_equal(low, high)
        else f"Their order does not matter to {found.measure}."
    )
    yield f"{where}{others}; they stand {ORDERS[found.rules.ties]}. {matter}"


def _precision(found: Found) -> Iterator[str]:
    if found.rules.score_precision == "single" and found.is_answered:
        yield "Scores are compared as 32-bit numbers."


def _unjudged(found: Found) -> Iterator[str]:
    gone = sum(doc.place == "removed" for doc in found.documents)
    if gone:
        yield f"{_documents(gone, 'unjudged ')} left the list before ranks were given."
    strange = sum(doc.place == "ranked" and doc.kind in ("unjudged", "pooled") for doc in found.documents)
    if strange:
        as_what = "unjudged" if found.measure.definition.sees_judged else "not relevant"
        if found.rules.unjudged == "graded" and not found.measure.definition.sees_judged:
            as_what = f"of grade {found.rules.unjudged_grade:g}"
        yield f"{_documents(strange, 'unjudged ')} came back and count{'s' if strange == 1 else ''} as {as_what}."


def _duplicates(found: Found) -> Iterator[str]:
    if found.repeated:
        yield f"{_rows(found.repeated)} a document: {REPEATED.get(found.rules.duplicates, 'an error')}."


def _depth(found: Found) -> Iterator[str]:
    below = sum(doc.place == "below depth" for doc in found.documents)
    if below:
        yield f"Only the first {found.rules.depth:,} results count; {below:,} more came back."


def _ignored(found: Found) -> Iterator[str]:
    ignored = sum(doc.place == "ignored" for doc in found.documents)
    if ignored:
        yield f"{_documents(ignored, '')} left the list: the query itself, or what the qrels ignore."


def _level(found: Found) -> Iterator[str]:
    if "level" in found.measure.definition.parameters:
        level = dict(found.measure.params).get("level", found.rules.level)
        if level != 1:
            yield f"Relevant is a grade of {level:g} or better."
    elif (start := dict(found.measure.params).get("gain_from")) is not None:
        yield f"A grade below {start:g} gains nothing."
    elif found.rules.level != 1 and "gain" in found.measure.definition.parameters:
        yield f"{found.measure} weighs every grade, not only {found.rules.level:g} or better."


RECALL_POINTS = {
    "round": "r R rounded",
    "up": "r R + 0.9 rounded down",
    "definition": "the first at a recall of at least r",
}


def _recall_points(found: Found) -> Iterator[str]:
    if "rounding" in found.measure.definition.parameters and "rounding" not in dict(found.measure.params):
        how = RECALL_POINTS[found.rules.recall_points]
        yield f"Which relevant document stands for recall r: {how}."


def _documents(number: int, kind: str) -> str:
    return f"{number:,} {kind}document{'' if number == 1 else 's'}"


def _rows(number: int) -> str:
    return f"{number:,} row{' repeats' if number == 1 else 's repeat'}"


TELLERS: dict[str, Callable[[Found], Iterator[str]]] = {
    "missing": _missing,
    "without_relevant": _without_relevant,
    "level": _level,
    "ties": _ties,
    "score_precision": _precision,
    "unjudged": _unjudged,
    "self_match": _ignored,
    "duplicates": _duplicates,
    "depth": _depth,
    "unreturned": _lost,
    "recall_points": _recall_points,
}
