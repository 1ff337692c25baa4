"""Which files are the judgements and runs of each collection."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import read_toml
from truerank.formats.compression import unpacked_name
from truerank.formats.files import matching

KEYS = ("qrels", "runs")

Files = tuple[str, dict[str, str]]
"""The judgements of a collection, and the run of each system by its name."""


def read_collections(path: str | os.PathLike[str]) -> dict[str, Files]:
    """{collection: its files}, as a file of collections names them; paths are relative to that file.

    [collections.NAME] has `qrels`, a path, and `runs`: a list of paths, or of patterns such as "runs/*.run", whose
    systems are called as their files without the ending; or a table {system = path}.

    Raises:
        InputError: it cannot be read, names no collection, or says something else.
    """
    content = read_toml(path, message("the collections"))
    unknown = [key for key in content if key != "collections"]
    tables = content.get("collections")
    if unknown or not isinstance(tables, dict) or not tables:
        raise InputError(
            "a file of collections has a table [collections.NAME] for each, with qrels and runs{more}",
            path,
            more=message("; not {key!r}", key=unknown[0]) if unknown else "",
        )
    return {name: _files(name, table, path) for name, table in tables.items()}


def _files(name: str, table: Any, path: str | os.PathLike[str]) -> Files:
    here = os.path.dirname(os.fspath(path))
    if not isinstance(table, dict) or not isinstance(table.get("qrels"), str) or not table.get("runs"):
        raise InputError(
            "[collections.{name}] needs qrels, a path, and runs, a list of paths or a table of them",
            path,
            name=name,
        )
    for key in table:
        if key not in KEYS:
            hint = did_you_mean(key, KEYS)
            raise InputError("[collections.{name}] has no {key!r}.{hint}", path, name=name, key=key, hint=hint)
    runs = table["runs"]
    given = list(runs.values()) if isinstance(runs, dict) else runs
    if not isinstance(given, list) or not all(isinstance(run, str) for run in given):
        raise InputError('the runs of {name} are paths: ["a.run", "b.run"] or {{a = "a.run"}}', path, name=name)
    qrels = os.path.join(here, table["qrels"])
    if isinstance(runs, dict):
        return qrels, {system: os.path.join(here, run) for system, run in runs.items()}
    files: list[str] = []
    for pattern in (os.path.join(here, run) for run in given):
        found = matching(pattern)
        if not found:
            raise InputError("no file is like {pattern}", path, pattern=pattern)
        files += found
    return qrels, named(files, name)


def system_named(path: str) -> str:
    """The name of a run's system: that of its file without the endings.

    >>> system_named("scifact/bm25.run.gz"), system_named("runs/k1=0.9.trec"), system_named("dense")
    ('bm25', 'k1=0.9', 'dense')
    """
    name = os.path.basename(path)
    return os.path.splitext(unpacked_name(name))[0] or name


def named(runs: Sequence[str], collection: str) -> dict[str, str]:
    """The runs by the names of their systems.

    Raises:
        InputError: two have the same name.
    """
    by_system: dict[str, str] = {}
    for run in runs:
        first = by_system.setdefault(system_named(run), run)
        if first != run:
            raise InputError(
                "{collection} has two runs of a system {name}, {first} and {second}: name the systems in a file of "
                'collections, runs = {{one = "…", other = "…"}}',
                collection=collection,
                name=system_named(run),
                first=first,
                second=run,
            )
    return by_system
