"""Systems by name: a list, a dict, files, or scores and readings of runs all become {name: system}."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from truerank.analysis.compare.prediction_powered import Predicted
from truerank.analysis.compare.several import are_several
from truerank.core.errors import InputError, quoted
from truerank.core.messages import did_you_mean
from truerank.core.reading import Reading
from truerank.core.run import Run, RunLike
from truerank.core.schema import is_real, is_whole
from truerank.core.scores import Scores, distinct, short
from truerank.formats import open_run
from truerank.formats.matrices import is_sparse
from truerank.formats.objects import is_one_run
from truerank.formats.source import Source


def by_name(runs: Any, apart: Callable[[Sequence[str]], list[str]] = short) -> dict[str, Any]:
    """{name: what was given}: files by their last names where these differ; repeated names are numbered.

    Args:
        apart: makes the names of what is listed short.
    """
    if is_one(runs):
        runs = [runs]
    if isinstance(runs, Mapping):
        _refuse_one(runs)
        named = dict(zip(distinct(list(map(str, runs))), runs.values(), strict=True))
    elif not isinstance(runs, Iterable):
        raise InputError("runs are {{name: run}} or a list of runs, not {runs}", runs=quoted(runs))
    else:
        things = list(runs)
        named = dict(zip(distinct(apart(list(map(_name, things)))), things, strict=True))
    if not named:
        raise InputError("there is no run to compare")
    return named


def _refuse_one(runs: Mapping[Any, Any]) -> None:
    """Raise for {query: {document: score}}, which is no run by its name."""
    if runs and all(map(_are_scored, runs.values())):
        raise InputError("this is one run, {query: {document: score}}: give [run], or {name: run}")


def _are_scored(thing: Any) -> bool:
    is_mapping = isinstance(thing, Mapping) and not is_sparse(thing)  # of which one kind is a dict too
    return is_mapping and bool(thing) and all(map(is_real, thing.values()))


def is_one(thing: Any) -> bool:
    """Whether this is one run, or scores or a reading of one, and not several systems; both may be mappings."""
    return isinstance(thing, Scores | Reading | Predicted) or is_one_run(thing)


def _name(run: Any) -> str:
    if are_several(run):
        return _name(run[0])
    if isinstance(run, Scores | Predicted):
        return run.run
    if isinstance(run, Reading | Run):
        return run.name
    if isinstance(run, Iterator):
        return "run"
    return os.fspath(run) if isinstance(run, str | os.PathLike) else open_run(run).name


def opened(run: RunLike | Reading, name: str, format: str | None = None) -> Run | Reading:
    """The run, not yet read; messages name a file by its path, and a run in memory by this name.

    A reading is returned as it is.
    """
    if isinstance(run, Reading):
        return run
    return open_run(run, format, None if isinstance(run, str | os.PathLike | Source) else name)


def resolved(baseline: str | int | None, names: Sequence[str]) -> str | None:
    """The system that is meant: by its name, the path of its file, or its place from 0.

    >>> resolved("runs/bm25.run", ["bm25.run", "dense.run"])
    'bm25.run'
    """
    if baseline is None or (isinstance(baseline, str) and baseline in names):
        return baseline
    if is_whole(baseline):
        place = int(baseline)
        if not -len(names) <= place < len(names):
            raise InputError("there are {n} systems, none at place {baseline}", n=len(names), baseline=place)
        return names[place]
    last = os.path.basename(baseline) if isinstance(baseline, str | os.PathLike) else ""
    files = [name for name in names if last and os.path.basename(name) == last]
    if len(files) != 1:
        hint = did_you_mean(baseline, names)
        raise InputError(
            "there is no system {baseline} for a baseline.{hint} There is {names}",
            baseline=quoted(baseline),
            hint=hint,
            names=", ".join(names),
        )
    return files[0]
