"""The ledger as plain sentences: what was counted, and what the mean hides."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.errors import shown
from truerank.report import audit
from truerank.scores import Scores

_MISSING = {"zero": "scored 0"}
_BARREN = {"zero": "scored 0", "empty-is-right": "scored 1 where nothing came back"}
_ORDERS = {
    "doc-descending": "by document id, descending",
    "doc-ascending": "by document id, ascending",
    "input": "as the run has them",
}
_REPEATED = {"first": "the first counts", "last": "the last counts", "count": "each counts"}


def notes(scores: Sequence[Scores], names: Sequence[str]) -> list[str]:
    """The rules, and for each run its ledger, a sentence a line; runs with the same one share it."""
    told: dict[str, list[str]] = {}
    for one, name in zip(scores, names, strict=True):
        told.setdefault("\n".join([counted(one), *remarks(one)]), []).append(name)
    rules = f"Rules: {shown(scores[0].rules.name)}."
    if len(told) == 1:
        return [f"{rules} {text}" for text in told]
    return [rules, *(f"{', '.join(who)}: {text}" for text, who in told.items())]


def counted(scores: Scores) -> str:
    """How many queries there were and how many were answered."""
    ledger = scores.ledger
    text = f"{_queries(ledger.judged)} judged, {ledger.answered:,} answered."
    if scores.rules.missing == "lines":
        text += f" The mean is over {ledger.evaluated:,} submitted line{'' if ledger.evaluated == 1 else 's'}."
    elif ledger.evaluated != ledger.judged:
        text += f" The mean is over {_queries(ledger.evaluated)}."
    return text


def remarks(scores: Scores) -> list[str]:
    """A sentence for each thing that a reader of the mean should know; none when all is as it should be."""
    ledger, rules = scores.ledger, scores.rules
    told = audit.TOLD if audit.is_audited(scores) else ()
    missing = _MISSING.get(rules.missing, "left out")
    barren = _BARREN.get(rules.without_relevant, "left out")
    said = {
        "missing": f"missing ({missing})",
        "extra": "answered but not judged (left out)",
        "without_relevant": f"without a relevant document ({barren})",
        "tied": f"decided by the order of equal scores (here {_ORDERS[rules.ties]})",
    }
    sentences = [
        f"{number:,} {text}: {_ids(ledger.examples.get(key, ()), number)}."
        for key, text in said.items()
        if (number := getattr(ledger, key)) and key not in told
    ]
    if ledger.duplicates and "duplicates" not in told:
        rows = "1 row repeats" if ledger.duplicates == 1 else f"{ledger.duplicates:,} rows repeat"
        sentences.append(f"{rows} a document of its query ({_REPEATED.get(rules.duplicates, 'refused')}).")
    if ledger.interleaved:
        sentences.append("The rows of some queries are scattered over the run; they were put together.")
    return sentences + audit.sentences(scores) if audit.is_audited(scores) else sentences


def _queries(number: int) -> str:
    return f"{number:,} {'query' if number == 1 else 'queries'}"


def _ids(examples: Sequence[str], number: int) -> str:
    return ", ".join(map(shown, examples)) + (", …" if len(examples) < number else "")
