"""trec_eval's own arguments in, its own bytes out."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.run import Progress, unreported, watching
from truerank.formats.source import bytes_of
from truerank.interop.trec_eval.columns import columns
from truerank.interop.trec_eval.help import help_text
from truerank.interop.trec_eval.options import Options
from truerank.interop.trec_eval.reading import read
from truerank.interop.trec_eval.report import Report
from truerank.interop.trec_eval.status import TrecEvalError

__all__ = ["Options", "TrecEvalError", "help_text", "trec_eval"]


def trec_eval(options: Options, progress: Progress = unreported) -> Iterator[bytes]:
    """What the reference prints, a piece at a time.

    Everything is read and evaluated before the first piece: nothing is printed when something is wrong.

    Args:
        progress: called with how many bytes of the run were read, and of how many.

    Raises:
        TrecEvalError: where the reference would end, with its exit status.
        TruerankError: a file cannot be read.
    """
    chosen = columns(options.measures, options.compat)
    return Report(chosen, read(options, watching(progress, bytes_of(options.run))), options).pieces()
