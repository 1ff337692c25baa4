"""What a board's rules decide and its measures mean, as sentences; and which findings make a file invalid."""

from __future__ import annotations

from functools import lru_cache

from truerank.core.errors import TruerankError
from truerank.core.messages import Message, message, plural
from truerank.core.rules import Rules
from truerank.measures import parse_measure
from truerank.measures.parameters import canonical

SENTENCES: dict[str, dict[str, Message]] = {
    "ties": {
        "doc-descending": message(
            "Documents with equal scores are ordered by their id, from the last to the first."
        ),
        "doc-ascending": message("Documents with equal scores are ordered by their id."),
        "input": message("Results count in the order in which you list them."),
    },
    "missing": {
        "zero": message("A query that you do not answer scores 0."),
        "skip": message(
            "The official mean leaves out queries that you do not answer; in the strict one they score 0."
        ),
        "error": message("Every query must be answered."),
    },
    "unit": {
        "line": message(
            "The official mean is over the lines that you send; in the strict one a missing line scores 0."
        ),
    },
    "without_relevant": {
        "zero": message("A query for which nothing is relevant scores 0."),
        "skip": message("Queries for which nothing is relevant are left out."),
        "empty-is-right": message("Where nothing is relevant, an empty answer scores 1 and any other 0."),
        "one": message("A query for which nothing is relevant scores 1, whatever is returned."),
        "undefined": message(
            "A query for which nothing is relevant is left out of the means of measures "
            "that would divide by 0 there."
        ),
    },
    "unjudged": {
        "graded": message("Each unjudged document counts as if it had one and the same grade."),
        "not-relevant": message("An unjudged document counts as not relevant."),
        "removed": message("Unjudged documents are removed before ranks are counted."),
    },
    "unreturned": {"ignore": message("Judged documents that you do not return are ignored.")},
    "duplicates": {
        "error": message("A document may be returned only once for a query."),
        "first": message("A document that is returned twice counts at its first place."),
        "last": message("A document that is returned twice counts at its last place."),
        "count": message(
            "Officially a document that is returned twice counts twice; in the strict score it counts once."
        ),
        "once": message("A document that is returned twice counts once."),
    },
    "self_match": {
        "remove": message("A document whose id is the query's own is removed."),
        "remove-from-answers": message(
            "A document whose id is the query's own is removed from the answers; its judgement stays."
        ),
    },
    "score_precision": {"single": message("Scores are compared in single precision.")},
}
"""What each value of a rule means to a team; of values without a sentence there is nothing to know."""

RUN_KINDS = ("unreadable", "unknown-id", "missing-id", "repeated-document")
LINE_KINDS = (*RUN_KINDS, "wrong-type", "repeated-line", "too-many")
"""What an audit finds in a run, and in a file with an answer on each line."""


@lru_cache(maxsize=256)
def rules_in_words(rules: str, accept: tuple[str, ...]) -> tuple[Message, ...]:
    """What the rules decide, one sentence for each question that a team may ask.

    Args:
        rules: a preset's name or the path of a rules file.
        accept: the findings that the board lets pass; what it refuses cannot count in any way.

    >>> rules_in_words("science-qa", ())[1]
    'Results count in the order in which you list them.'
    """
    under = Rules.of(rules)
    refused = {"duplicates": "repeated-document", "missing": "missing-id"}
    decided = under.to_dict() | {field: "error" for field, kind in refused.items() if kind not in accept}
    said = [message("A grade of {level} or more counts as relevant.", level=canonical(under.level))]
    for field, value in decided.items():
        if field == "depth" and value is not None:
            said.append(
                plural(
                    "Only the first {n} result of each query counts.",
                    "Only the first {n} results of each query count.",
                    n=value,
                )
            )
        elif field != "missing" or under.unit != "line":  # over lines, what is missing is in the unit's sentence
            said += [sentence for name, sentence in SENTENCES.get(field, {}).items() if name == value]
    return tuple(said)


@lru_cache(maxsize=1024)
def measure_in_words(measure: str) -> str:
    """What a measure means; empty where the host's rules have one that is not known here.

    >>> measure_in_words("RR@10")
    'How soon the first relevant document comes: 1 at rank 1, 1/2 at rank 2, 0 when none comes.'
    """
    try:
        return parse_measure(measure).meaning
    except TruerankError:
        return ""


@lru_cache(maxsize=256)
def faults(rules: str, accept: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which findings make a submission invalid, and which a board lets pass.

    >>> faults("truerank", ("missing-id", "too-many"))
    (('unreadable', 'unknown-id', 'repeated-document'), ('missing-id',))
    """
    under = Rules.of(rules)
    kinds = LINE_KINDS if under.unit == "line" else RUN_KINDS
    strictly = {"unreadable", "wrong-type"}
    strictly |= {"missing-id"} if under.missing == "error" else set()
    strictly |= {"unknown-id"} if under.extra == "error" or kinds is LINE_KINDS else set()
    strictly |= {"repeated-document"} if under.duplicates == "error" else set()
    passed = tuple(kind for kind in kinds if kind in accept and kind not in strictly)
    return tuple(kind for kind in kinds if kind not in passed), passed
