"""Judgements and runs from whatever holds them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import Any

from truerank.core.errors import InputError
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.run import Run, RunLike
from truerank.formats.files import joined, runs_of
from truerank.formats.registry import chosen, run_of
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
        from truerank.formats.objects import qrels_from_object

        return qrels_from_object(qrels)
    source = as_source(qrels)
    read = chosen(source, "qrels", format).read_qrels
    assert read is not None
    judgements = read(source)
    if not len(judgements):
        raise InputError("there are no judgements in it", source.name)
    return judgements


def open_run(run: RunLike, format: str | None = None, name: str | None = None) -> Run:
    """A run from a path, a dict, a DataFrame, arrays (ids, scores), or itself; a file is not yet read.

    A path may be a folder of files, or a glob that matches several; a list of paths is one run too.

    Args:
        format: the name of a format, instead of the one that the file looks like.
        name: what to call it instead of its path.

    Raises:
        InputError: the file cannot be opened, or holds something else.
    """
    if isinstance(run, Run):
        return run
    if isinstance(run, list | tuple) and _are_paths(run):
        return joined(runs_of(list(map(as_source, run)), format), name or "run")
    if not isinstance(run, str | os.PathLike):
        from truerank.formats.objects import run_from_object

        return run_from_object(run, name or "run")
    source = as_source(run)
    return run_of(source, chosen(source, "run", format), name)


_PATH = (str, os.PathLike)


def _are_paths(things: Sequence[Any]) -> bool:
    """Whether these are paths or URLs, of which one at least is there."""
    texts = [os.fspath(thing) for thing in itertools.takewhile(lambda thing: isinstance(thing, _PATH), things)]
    is_there = (isinstance(text, str) and ("://" in text or os.path.exists(text)) for text in texts)
    return len(texts) == len(things) and any(is_there)
