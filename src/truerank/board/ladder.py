"""The Ladder (Blum and Hardt 2015): a board shows a new best only when it is a real improvement.

Who may submit often can climb by chance: each score that is shown tells a little of the truth. When only real
improvements show, and those rounded, what is revealed stays small however many submissions there are.
"""

from __future__ import annotations

import math

from truerank.core.equal import difference
from truerank.core.qrels import Floats


def climbed(score: float, shown: float | None, step: float) -> float:
    """What the board shows after a score, with a fixed step: the old value unless the new one exceeds it by more.

    >>> climbed(0.537, None, 0.01), climbed(0.545, 0.54, 0.01), climbed(0.561, 0.54, 0.01)
    (0.54, 0.54, 0.56)
    """
    if shown is not None and difference(score, shown + step) <= 0:
        return shown
    return on_step(score, step)


def climbed_freely(score: float, values: Floats, best: Floats | None, shown: float | None) -> float:
    """What the board shows after a score, without a fixed step.

    The old value, unless the mean rises by more than the standard error of the paired differences.
    What shows is rounded to a multiple of 1/n, as in the paper: more digits would tell more of the truth.

    Args:
        score: of the new submission; where it is not the mean of its values, it must be above `shown` too.
        values: (n,) of the new submission.
        best: (n,) of the submission that set `shown`.
    """
    if best is not None and shown is not None:
        apart = values - best
        error = float(apart.std(ddof=1)) / math.sqrt(len(apart)) if len(apart) > 1 else math.inf
        gain = float(values.mean()) - float(best.mean())
        if not gain > error * (1 + 1e-9) or score <= shown:  # one query's gain is its own standard error
            return shown
    return on_step(score, 1 / len(values))


def on_step(score: float, step: float) -> float:
    """The nearest multiple of the step.

    >>> on_step(0.537, 0.02)
    0.54
    """
    return round(round(score / step) * step, 12)
