"""The ledger as plain sentences in either language: what was counted, and what the mean hides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from truerank.core.errors import brief, shown
from truerank.core.rules import Rules
from truerank.core.scores import Ledger
from truerank.present import audit
from truerank.present.texts import ENGLISH, Texts

RULED = {
    "missing": "missing",
    "extra": "extra",
    "without_relevant": "without_relevant",
    "tied": "ties",
    "duplicates": "duplicates",
}
"""What a ledger counts, and the rule that decides what becomes of it."""


class HasLedger(Protocol):
    """Scores, a curve, counts: what has a ledger, and the rules that say what becomes of what it counts."""

    @property
    def rules(self) -> Rules:
        """Under whose rules."""

    @property
    def ledger(self) -> Ledger:
        """What the means hide."""


def notes(scores: Sequence[HasLedger], names: Sequence[str]) -> list[str]:
    """The rules, and for each run its ledger, a sentence a line; runs with the same one share it."""
    told = {"\n".join(sentences): who for sentences, who in shared(scores, names).items()}
    rules = f"Rules: {shown(scores[0].rules.name)}."
    if len(told) == 1:
        return [f"{rules} {text}" for text in told]
    return [rules, *(f"{', '.join(who)}: {text}" for text, who in told.items())]


def shared(
    scores: Sequence[HasLedger], names: Sequence[str], texts: Texts = ENGLISH
) -> dict[tuple[str, ...], list[str]]:
    """The sentences of each ledger, with the names of the runs that have it."""
    told: dict[tuple[str, ...], list[str]] = {}
    for one, name in zip(scores, names, strict=True):
        told.setdefault((counted(one, texts), *remarks(one, texts)), []).append(name)
    return told


def named_remarks(scores: Sequence[HasLedger], names: Sequence[str]) -> list[str]:
    """What is remarkable, each with the name of its run: for formats that have no place for it."""
    return [f"{name}: {remark}" for one, name in zip(scores, names, strict=True) for remark in remarks(one)]


def counted(scores: HasLedger, texts: Texts = ENGLISH) -> str:
    """How many queries there were and how many were answered."""
    ledger = scores.ledger
    text = texts("judged", queries=texts("queries", n=ledger.judged), answered=ledger.answered)
    if scores.rules.unit == "line":
        return f"{text} {texts('mean over lines', n=ledger.evaluated)}"
    if ledger.evaluated != ledger.judged:
        return f"{text} {texts('mean over', queries=texts('queries', n=ledger.evaluated))}"
    return text


def remarks(scores: HasLedger, texts: Texts = ENGLISH) -> list[str]:
    """A sentence for each thing that a reader of the mean should know; none when all is as it should be."""
    ledger, rules = scores.ledger, scores.rules
    told = audit.TOLD if audit.is_audited(scores) else ()
    sentences = [
        texts(rule, n=n, how=texts.ruled(rule, getattr(rules, rule)), ids=_ids(ledger, key, texts))
        for key, rule in RULED.items()
        if (n := getattr(ledger, key)) and key not in told
    ]
    sentences += [texts("undefined", n=n, measure=measure) for measure, n in ledger.undefined.items()]
    if ledger.swapped:
        sentences.insert(0, texts("swapped"))
    if ledger.foreign:
        sentences.append(texts("foreign", measures=texts.listed(ledger.foreign), rules=shown(rules.name)))
    if ledger.interleaved:
        sentences.append(texts("interleaved"))
    return sentences + audit.sentences(scores, texts) if audit.is_audited(scores) else sentences


def _ids(ledger: Ledger, key: str, texts: Texts) -> str:
    """The first few, and how many more there are."""
    examples = ledger.examples.get(key, ())
    more = getattr(ledger, key) - len(examples)
    return ", ".join(map(brief, examples)) + (f" {texts('and more', n=f'{more:,}')}" if more else "")
