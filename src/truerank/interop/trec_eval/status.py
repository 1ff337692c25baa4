"""The exit statuses of the reference, which scripts may check."""

from __future__ import annotations

from truerank.core.errors import TruerankError

USAGE = 1
FILES = 2
CALCULATION = 4
NOTHING = 7


class TrecEvalError(TruerankError):
    """The reference would end here; the message says why.

    Attributes:
        status: USAGE (arguments), FILES (input, parameters of measures), CALCULATION (a topic that cannot be
            evaluated) or NOTHING (no topic in both files).
    """

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status
