"""Judgements and runs out of whatever holds them."""

from __future__ import annotations

import os
from functools import partial

from truerank.core.errors import InputError
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.run import Run, RunLike
from truerank.formats.objects import qrels_from_object, run_from_object
from truerank.formats.registry import chosen
from truerank.formats.source import as_source


def read_qrels(qrels: QrelsLike, format: str | None = None) -> Qrels:
    """Judgements from a path, a dict, a DataFrame, or themselves.

    Args:
        format: the name of a format, instead of the one that the file looks like.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    if isinstance(qrels, Qrels):
        return qrels
    if not isinstance(qrels, str | os.PathLike):
        return qrels_from_object(qrels)
    source = as_source(qrels)
    read = chosen(source, "qrels", format).read_qrels
    assert read is not None
    found = read(source)
    if not len(found):
        raise InputError("there are no judgements in it", source.name)
    return found


def open_run(run: RunLike, format: str | None = None, name: str | None = None) -> Run:
    """A run from a path, a dict, a DataFrame, arrays (ids, scores), or itself; a file is not yet read.

    Args:
        format: the name of a format, instead of the one that the file looks like.
        name: what to call it instead of its path.

    Raises:
        InputError: the file cannot be opened, or holds something else.
    """
    if isinstance(run, Run):
        return run
    if not isinstance(run, str | os.PathLike):
        return run_from_object(run, name or "run")
    source = as_source(run)
    found = chosen(source, "run", format)
    read = found.read_run
    assert read is not None
    path, saved = source.path if found.name == "trec" else None, found.read_saved
    return Run(name or source.name, lambda: read(source), path, saved=partial(saved, source) if saved else None)
