"""trec_eval's own arguments in, its own bytes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from truerank.interop.trec_eval.columns import columns
from truerank.interop.trec_eval.help import help_text
from truerank.interop.trec_eval.options import Options
from truerank.interop.trec_eval.reading import read
from truerank.interop.trec_eval.report import Report
from truerank.interop.trec_eval.status import TrecEvalError

__all__ = ["Options", "TrecEvalError", "help_text", "trec_eval"]


def trec_eval(options: Options, watch: Callable[[int], None] = lambda size: None) -> Iterator[bytes]:
    """What the reference prints, a piece at a time.

    Everything is read and evaluated before the first piece: nothing is printed when something is wrong.

    Args:
        watch: told how many bytes more of the run were read, for a progress bar.

    Raises:
        TrecEvalError: where the reference would end, with its exit status.
        TruerankError: a file cannot be read.
    """
    chosen = columns(options.measures, options.compat)
    return Report(chosen, read(options, watch), options).pieces()
