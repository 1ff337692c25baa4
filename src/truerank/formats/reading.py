"""Judgements and runs out of whatever holds them."""

from __future__ import annotations

import os
from typing import Any

from truerank.errors import InputError
from truerank.formats.objects import qrels_from_object, run_from_object
from truerank.formats.registry import SPOKEN, named, sniffed
from truerank.formats.source import as_source
from truerank.qrels import Qrels
from truerank.run import Run


def read_qrels(qrels: Any, format: str | None = None) -> Qrels:
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
    chosen = named(format) if format else sniffed(source, "qrels")
    if chosen.read_qrels is None:
        raise InputError(f"the format {chosen.name} cannot hold {SPOKEN['qrels']}", source.name)
    read = chosen.read_qrels(source)
    if not len(read):
        raise InputError("there are no judgements in it", source.name)
    return read


def open_run(run: Any, format: str | None = None, name: str | None = None) -> Run:
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
    chosen = named(format) if format else sniffed(source, "run")
    if chosen.read_run is None:
        raise InputError(f"the format {chosen.name} cannot hold {SPOKEN['run']}", source.name)
    read = chosen.read_run
    return Run(name or source.name, lambda: read(source), source.path if chosen.name == "trec" else None)
