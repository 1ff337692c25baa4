"""Which rules applied to a query, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from truerank.analysis.explain.explanation import Note
from truerank.analysis.explain.ranking import Listed
from truerank.core.equal import is_equal
from truerank.core.evaluate import is_ruled
from truerank.core.ledger import RULED
from truerank.core.messages import Message, joined, message, plural
from truerank.core.presented import told_apart
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.parameters import canonical


class Spread(NamedTuple):
    """The lowest and the highest value that some order of equal scores gives, and whether none goes farther."""

    low: float
    high: float
    is_sure: bool = True


@dataclass(frozen=True)
class Found:
    """What the notes speak of.

    Attributes:
        measure, rules: what is explained, and under whose rules.
        value: what it comes to.
        documents: the list.
        is_answered: whether the run answers the query.
        lines: how many of its lines do, where the mean is over lines.
        repeated: how many rows repeat a document.
        relevant: how many relevant documents there are, by the rules' level.
        finds: whether there is something for the measure to find.
        spread: gives what other orders of equal scores come to.
        calls: how many lists the query has, where it may have several.
    """

    measure: Measure
    rules: Rules
    value: float
    documents: Sequence[Listed]
    is_answered: bool
    lines: int
    repeated: int
    relevant: int
    finds: bool
    spread: Callable[[], Spread]
    calls: int = 0

    @property
    def is_defined(self) -> bool:
        """Whether the measure has something to divide by."""
        return self.finds or not self.measure.definition.divides_by

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
        error = message(
            "The run does not answer this query, which is an error under these rules: `truerank eval` stops at it."
        )
        left_out = message("The run does not answer this query, so it is left out of the mean.")
        yield {"zero": _as_empty(found), "error": error}.get(found.rules.missing, left_out)
    elif found.lines > 1:
        yield message(
            "{n} lines of the run answer this query, and each counts; this is the first of them.", n=found.lines
        )


def _as_empty(found: Found) -> Message:
    """What an unanswered query comes to that no rule on unanswered queries leaves out."""
    if not found.is_counted:  # for what is relevant to it, which has a note of its own
        return message("The run does not answer this query.")
    if found.value:
        return message("The run does not answer this query, so it scores as an empty list does, and counts.")
    return message("The run does not answer this query, so it scores 0, and counts.")


def _without_relevant(found: Found) -> Iterator[str]:
    is_left_out = not found.is_answered and found.rules.missing != "zero"  # whatever there is to find
    if not found.relevant and not is_left_out:
        yield joined(" ", [_nothing_relevant(found), _without(found)])


def _nothing_relevant(found: Found) -> Message:
    """That there is nothing to find; where what was not returned is not judged, that may be there all the same."""
    if found.rules.unreturned == "ignore" and any(doc.place == "missing" for doc in found.documents):
        return message("No document that was returned is relevant to this query.")
    if found.rules.level == 1:
        return message("No document is relevant to this query.")
    level = canonical(found.rules.level)
    return message("No document of grade {level} or better is relevant to this query.", level=level)


def _without(found: Found) -> Message:
    """What a query without relevant documents comes to."""
    said = {
        "zero": message("Such a query scores 0, and counts."),
        "skip": message("Such a query is left out of the mean."),
        "empty-is-right": message("Such a query scores 1 when nothing is returned, else 0."),
        "one": message("Such a query scores 1, whatever is returned."),
        "error": message("That is an error under these rules: `truerank eval` stops at it."),
    }
    less = {
        "empty-is-right": message("Such a query scores 0, the best, when nothing is returned, else 1."),
        "one": message("Such a query scores 0, the best, whatever is returned."),
    }
    measure, rule = found.measure, found.rules.without_relevant
    is_ruling = rule not in ("empty-is-right", "one") or (not found.finds and is_ruled(measure, found.rules))
    if rule in said and is_ruling and not (rule == "zero" and found.value):
        return (less if measure.definition.lower_is_better else {}).get(rule, said[rule])
    if rule != "undefined" or found.is_defined:
        return message("{measure} has a value all the same.", measure=measure)
    return message("So {measure} has no value, and its mean leaves the query out.", measure=measure)


def _lost(found: Found) -> Iterator[str]:
    lost = sum(doc.place == "missing" for doc in found.documents)
    if not lost or not found.is_answered:
        return
    if found.rules.unreturned == "ignore":
        yield plural(
            "{n:,} relevant document was not returned; that counts as not judged.",
            "{n:,} relevant documents were not returned; that counts as not judged.",
            n=lost,
        )
    else:
        yield plural(
            "{n:,} relevant document was not returned.", "{n:,} relevant documents were not returned.", n=lost
        )


def _ties(found: Found) -> Iterator[str]:
    of_lists = found.measure.definition.sees_lists
    groups = sorted({doc.tied for doc in found.documents if doc.tied and (of_lists or doc.kind != "unjudged")})
    if not groups:
        return
    first, last = groups[0]
    where = {"first": first, "last": last, "order": RULED["ties"][found.rules.ties]}
    many = (
        message(
            "{n} groups have the same score each, the first at ranks {first} to {last}; they stand {order}.",
            n=len(groups),
            **where,
        )
        if of_lists
        else plural(
            "Ranks {first} to {last} have the same score, and {n:,} more such group holds judged documents; "
            "they stand {order}.",
            "Ranks {first} to {last} have the same score, and {n:,} more such groups hold judged documents; "
            "they stand {order}.",
            n=len(groups) - 1,
            **where,
        )
    )
    one = message("Ranks {first} to {last} have the same score; they stand {order}.", **where)
    yield joined(" ", [many if len(groups) > 1 else one, _order_matters(found, of_lists)])


def _order_matters(found: Found, of_lists: bool) -> Message:
    """What the order of equal scores is to a measure; of whole lists the reverse alone is tried."""
    least, most, is_sure = found.spread()
    is_same, (low, high) = is_equal(least, most), told_apart(least, most)
    values = {"measure": found.measure, "low": low, "high": high}
    if is_same and of_lists:
        return message("Their reverse order gives the same {measure}.", measure=found.measure)
    if of_lists:
        return message("This order and its reverse give {measure} from {low} to {high}.", **values)
    if is_same and is_sure:
        return message("Their order does not matter to {measure}.", measure=found.measure)
    if is_same:
        return message("No order that was tried gives another {measure}.", measure=found.measure)
    if is_sure:
        return message("Another order of equal scores gives {measure} from {low} to {high}.", **values)
    return message("Other orders that were tried give {measure} from {low} to {high}.", **values)


def _precision(found: Found) -> Iterator[str]:
    if found.rules.score_precision == "single" and found.is_answered:
        yield message("Scores are compared as 32-bit numbers.")


def _unjudged(found: Found) -> Iterator[str]:
    gone = sum(doc.place == "removed" for doc in found.documents)
    if gone:
        yield plural(
            "{n:,} unjudged document left the list before ranks were given.",
            "{n:,} unjudged documents left the list before ranks were given.",
            n=gone,
        )
    strange = sum(doc.place == "ranked" and doc.kind in ("unjudged", "pooled") for doc in found.documents)
    if strange:
        yield plural(
            "{n:,} unjudged document was returned and counts as {what}.",
            "{n:,} unjudged documents were returned and count as {what}.",
            n=strange,
            what=_as_what(found),
        )


def _as_what(found: Found) -> Message:
    if found.measure.definition.is_of_items and "level" not in found.measure.definition.parameters:
        return message("any other")
    if found.measure.definition.sees_judged:
        return message("unjudged")
    if found.rules.unjudged == "graded":
        return message("of grade {grade:g}", grade=found.rules.unjudged_grade)
    return message("not relevant")


def _duplicates(found: Found) -> Iterator[str]:
    if found.repeated:
        yield plural(
            "{n:,} row repeats a document: {how}.",
            "{n:,} rows repeat a document: {how}.",
            n=found.repeated,
            how=RULED["duplicates"][found.rules.duplicates],
        )


def _depth(found: Found) -> Iterator[str]:
    below = sum(doc.place == "below depth" for doc in found.documents)
    if below:
        yield message(
            "Only the first {depth:,} results count; {n:,} more were returned.", depth=found.rules.depth, n=below
        )


def _ignored(found: Found) -> Iterator[str]:
    ignored = sum(doc.place == "ignored" for doc in found.documents)
    if ignored:
        yield plural(
            "{n:,} document left the list: the query itself, or what the qrels ignore.",
            "{n:,} documents left the list: the query itself, or what the qrels ignore.",
            n=ignored,
        )


def _level(found: Found) -> Iterator[str]:
    given = dict(found.measure.params)
    left = found.measure.definition.left_open({"level": found.rules.level}, given)
    if "level" in found.measure.definition.parameters or "gain_from" in left:
        level = given.get("level", found.rules.level)
        if level != 1:
            yield message("Relevant is a grade of {level} or better.", level=canonical(level))
    elif (start := given.get("gain_from")) is not None:
        yield message("A grade below {level} gains nothing.", level=canonical(start))
    elif found.rules.level != 1 and "gain" in found.measure.definition.parameters:
        yield message(
            "{measure} weighs every grade, not only {level} or better.",
            measure=found.measure,
            level=canonical(found.rules.level),
        )


RECALL_POINTS = {
    "round": message("Which relevant document stands for recall r: r R rounded."),
    "up": message("Which relevant document stands for recall r: r R + 0.9 rounded down."),
    "definition": message("Which relevant document stands for recall r: the first at a recall of at least r."),
}


def _recall_points(found: Found) -> Iterator[str]:
    if "rounding" in found.measure.definition.parameters and "rounding" not in dict(found.measure.params):
        yield RECALL_POINTS[found.rules.recall_points]


def _calls(found: Found) -> Iterator[str]:
    if found.calls and found.rules.calls == "concatenated":
        yield plural(
            "The query has {n:,} list; a document counts where it came first.",
            "The query has {n:,} lists, one per call; a document counts where it came first.",
            n=found.calls,
        )


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
    "calls": _calls,
}
