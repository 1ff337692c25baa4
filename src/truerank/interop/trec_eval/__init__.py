"""trec_eval's own arguments in, its own bytes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from truerank.core.run import Progress, unreported
from truerank.formats.source import watching_bytes
from truerank.interop.trec_eval.columns import OF_RECALLS, Column, columns, read_otherwise
from truerank.interop.trec_eval.help import help_text
from truerank.interop.trec_eval.options import FORMATS, Options
from truerank.interop.trec_eval.reading import read
from truerank.interop.trec_eval.report import Report
from truerank.interop.trec_eval.status import CALCULATION, TrecEvalError
from truerank.measures import parse_measure

__all__ = ["Options", "TrecEvalError", "help_text", "trec_eval"]


def trec_eval(
    options: Options, progress: Progress = unreported, say: Callable[[str], object] = lambda words: None
) -> Iterator[bytes]:
    """What the reference prints, piece by piece.

    Everything is read and evaluated before the first piece: nothing is printed if something is wrong.

    Args:
        progress: called with how many bytes of the run were read, and of how many.
        say: called with a sentence for each argument that is not read as it is written.

    Raises:
        TrecEvalError: where the reference would end, with its exit status.
        TruerankError: a file cannot be read.
    """
    chosen = columns(options.measures, options.compat)
    _refuse_unfit(chosen, options)
    for words in read_otherwise(options.measures):
        say(words)
    return Report(chosen, read(options, watching_bytes(progress, options.run)), options).pieces()


def _refuse_unfit(chosen: Sequence[Column], options: Options) -> None:
    """Raise for measures of another kind of judgements, and for recalls that are not from 0 to 1."""
    for column in chosen:
        if column.listed.name in OF_RECALLS:
            parse_measure(str(column.measure))
    for listed in (column.listed for column in chosen):
        if listed.of not in ("", options.holds):
            fitting = " or ".join(f"-R {name}" for name, of in FORMATS.items() if of == listed.of)
            said = f"-m {listed.name} needs {fitting}; -R {options.format} has measures of its own, which -h lists"
            raise TrecEvalError(said, CALCULATION)
