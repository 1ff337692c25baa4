"""Checks of the options of random methods: test, correction, confidence, number of samples, seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank.core.errors import InputError, quoted
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import is_number, is_whole, plain

OTHERS = {
    "randomization": "permutation fisher randomisation fisher-randomization",
    "t": "student students-t ttest t-test ttest-rel paired-t paired-ttest",
    "wilcoxon": "signed-rank wilcoxon-signed-rank",
    "sign": "binomial binomtest mcnemar",
    "tukey": "hsd tukey-hsd anova",
    "holm": "h holm-bonferroni",
    "bonferroni": "b",
    "bh": "fdr fdr-bh benjamini-hochberg",
    "max-t": "westfall-young",
}
"""What SciPy, statsmodels, ranx and PyTerrier call tests and corrections, and papers do."""


def checked_drawing(confidence: Any, samples: Any, seed: Any) -> tuple[float, int, int]:
    """The confidence, the samples and the seed, checked, with NumPy's numbers as Python's own.

    Raises:
        InputError: one of them is not allowed.

    >>> checked_drawing(0.95, 10_000, 0)
    (0.95, 10000, 0)
    """
    check_confidence(confidence)
    if not (is_whole(samples) and is_whole(seed)) or samples < 1 or seed < 0:
        raise InputError("samples is a positive whole number, and seed is not negative")
    return plain(confidence), plain(samples), plain(seed)


def check_word(what: str, word: object, known: Sequence[str]) -> None:
    """Raise for a word that is not among the known ones.

    Raises:
        InputError: it is not.

    >>> check_word("test", "tt", ("t", "sign"))
    Traceback (most recent call last):
    truerank.core.errors.InputError: there is no test 'tt'. Did you mean t? There is t, sign
    """
    if word not in known:
        raise InputError(
            "there is no {what} {word}.{hint} There is {known}",
            what=what,
            word=quoted(word),
            hint=meant(word, known),
            known=", ".join(known),
        )


def meant(word: object, known: Sequence[str]) -> str:
    """' Did you mean t?' for another tool's name of a test or a correction, or for a misspelled one.

    >>> meant("student", ("t", "sign")), meant("sing", ("t", "sign")), meant("median", ("t", "sign"))
    (' Did you mean t?', ' Did you mean sign?', '')
    """
    folded = str(word).lower().replace("_", "-")
    name = next((name for name, words in OTHERS.items() if name in known and folded in words.split()), None)
    return message(" Did you mean {name}?", name=name) if name else did_you_mean(word, known)


def check_confidence(confidence: Any) -> None:
    """Raise for a confidence that is not from 0.5 to below 1.

    Raises:
        InputError: it is not.

    >>> check_confidence("0.95")
    Traceback (most recent call last):
    truerank.core.errors.InputError: confidence is at least 0.5 and below 1, e.g. 0.95; not '0.95'
    """
    if not (is_number(confidence) and 0.5 <= confidence < 1):
        raise InputError(
            "confidence is at least 0.5 and below 1, e.g. 0.95; not {confidence!r}", confidence=confidence
        )
