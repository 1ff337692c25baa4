"""What was probably meant by a name that no measure has: near in meaning first, then in letters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from truerank.core.messages import did_you_mean, message
from truerank.measures.registry import find

CALLED = {
    "P@10": ("precision at", "precision", "prec", "positive predictive value"),
    "R@100": ("recall at", "recall", "sensitivity", "true positive rate", "coverage of relevant documents"),
    "Success@10": (
        *("hit rate", "hit ratio", "hits", "hr", "success rate", "hit at", "top accuracy", "accuracy at", "acc"),
        *("top", "answer coverage", "match rate"),
    ),
    "RR": ("mean reciprocal rank", "reciprocal rank", "inverse rank", "first relevant rank"),
    "AP": ("mean average precision", "average precision"),
    "GMAP": ("geometric mean average precision",),
    "nDCG@10": ("normalized discounted cumulative gain", "normalised discounted cumulative gain", "normalized dcg"),
    "DCG@10": ("discounted cumulative gain",),
    "CG@10": ("cumulative gain", "cumulated gain"),
    "NCG@100": ("normalized cumulative gain", "normalised cumulative gain"),
    "ERR@20": ("expected reciprocal rank",),
    "RBP": ("rank biased precision",),
    "SetF": ("f measure", "f score", "fscore", "dice"),
    "IPrec@0.5": ("interpolated precision",),
    "AUPRC": ("area under the precision recall curve", "average precision area", "auc pr", "prauc"),
    "Bpref": ("binary preference",),
    "Prefs": ("pairwise preferences", "preference pairs", "concordant pairs"),
    "infAP": ("inferred average precision",),
    "Judged@10": ("judged share", "judgement coverage", "share of judged"),
    "Rprec": ("r precision", "precision at r"),
    "Compat": ("maximum similarity to an ideal ranking", "likeness to an ideal list"),
    "mINP": ("inverse negative penalty", "mean inverse negative penalty"),
}
"""What measures are called in words, beside their names and aliases."""

NEAR = 0.6
"""The share of words that have to agree."""

ALIKE = 0.8
"""Words as alike as this are one with a slip of the pen."""


def suggestion(text: str, known: Iterable[str], cut: str | None = None) -> str:
    """' Did you mean RR (mean reciprocal rank)?', or nothing where no measure is near.

    >>> suggestion("hit rate", []), suggestion("precission", []), suggestion("NDGC", ["nDCG"])
    (' Did you mean Success@10 (hit rate)?', ' Did you mean P@10 (precision)?', ' Did you mean nDCG?')

    What stands before a name, as a similarity does in sentence-transformers' results, is left out; a number behind
    one, or in the text, is the cutoff where there is no `cut`:

    >>> suggestion("cosine_ndcg", ["nDCG", "SessionDCG"]), suggestion("MRR10", [])
    (' Did you mean nDCG?', ' Did you mean MRR@10?')
    >>> suggestion("precision at 5", []), suggestion("top_5_accuracy", [])
    (' Did you mean P@5 (precision at)?', ' Did you mean Success@5 (top accuracy)?')
    """
    known = list(known)
    glued = re.fullmatch(r"(.*[^\W\d_])(\d+)", text, re.ASCII)
    entry = glued and (find(f"{glued[1]}@") or find(glued[1]))
    if glued and entry and entry[0].at in entry[0].parameters:
        return message(" Did you mean {name}?", name=f"{glued[1]}@{glued[2]}")
    words = _words(text)
    likeness, name, phrase = max(
        (_likeness(words, _words(phrase)), name, phrase) for name, phrases in CALLED.items() for phrase in phrases
    )
    last = re.split("[_-]", text)[-1]
    is_name = len(last) > 1 and last.lower() in map(str.lower, known)
    if likeness < 1 and (by_letters := did_you_mean(last if is_name else text, known)):
        return by_letters
    cutoffs = re.findall(r"(?<![0-9.])[1-9][0-9]*(?![0-9.])", cut or text)
    name = re.sub(r"@[0-9]+$", f"@{cutoffs[0]}", name) if len(cutoffs) == 1 else name
    return message(" Did you mean {name} ({phrase})?", name=name, phrase=phrase) if likeness >= NEAR else ""


def is_phrase(text: str) -> bool:
    """Whether these are the words for a measure."""
    words = _words(text)
    return len(words) > 1 and any(
        _likeness(words, _words(phrase)) == 1 for phrases in CALLED.values() for phrase in phrases
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _likeness(one: list[str], two: list[str]) -> float:
    """The share of the words of either that the other has too."""
    both = sum(any(_is_same(word, other) for other in two) for word in one)
    return both / max(len(one), len(two)) if one else 0.0


def _is_same(one: str, two: str) -> bool:
    from difflib import SequenceMatcher

    return one == two or (min(len(one), len(two)) > 4 and SequenceMatcher(None, one, two).ratio() >= ALIKE)
