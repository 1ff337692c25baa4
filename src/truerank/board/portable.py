"""A board.toml that can be taken elsewhere, with every file that it names."""

from __future__ import annotations

import copy
import os
import shutil
from pathlib import Path
from typing import Any

from truerank.board.settings import BoardSettings, ServiceSettings, parsed
from truerank.core.schema import written_toml

ORIGINAL = "board.original.toml"
"""The board.toml as it was, comments and all, where the copy had to become another one."""


def copy_settings(settings: ServiceSettings, folder: Path, is_sqlite: bool) -> int:
    """Copy board.toml and the rules, truths and lists of queries that it names; how many of these there are.

    A file below the board.toml keeps its place, one from elsewhere goes into elsewhere/. The copied board.toml
    says so, and that the data, SQLite's database among them, are beside it.

    Args:
        folder: a backup, which holds the data already.
    """
    before = parsed(settings.path)
    after = copy.deepcopy(before)
    moved: dict[Path, str] = {}
    for board, fields in zip(settings.boards, after["boards"], strict=True):
        for field, path in _files(board):
            if path not in moved:
                moved[path] = _copied(path, settings.path.parent, folder, f"elsewhere/{board.name}/{field}")
            if os.path.normpath(fields[field]) != moved[path]:
                fields[field] = moved[path]
    if os.path.normpath(after.get("data", "data")) != "data":
        after["data"] = "data"
    if is_sqlite:
        after.pop("database", None)
    shutil.copy2(settings.path, folder / ("board.toml" if before == after else ORIGINAL))
    if before != after:
        (folder / "board.toml").write_text(_toml(after), "utf-8")
    return len(moved)


def _files(board: BoardSettings) -> list[tuple[str, Path]]:
    """The files that a board names, as far as they are there."""
    rules = Path(board.rules) if board.rules.endswith(".toml") else None
    named = (("truth", board.truth), ("queries", board.queries), ("rules", rules), ("download", board.download))
    return [(field, Path(os.path.normpath(path))) for field, path in named if path and path.is_file()]


def _copied(path: Path, here: Path, there: Path, elsewhere: str) -> str:
    """Copy a file into a backup; where it is now. Its name stays: formats and rules are known by it."""
    name = os.path.relpath(path, here)
    if name.startswith(os.pardir) or (there / name).exists():
        name = f"{elsewhere}/{path.name}"
    (there / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, there / name)
    return name


def _toml(settings: dict[str, Any]) -> str:
    """Settings as text.

    >>> print(_toml({"workers": 2, "boards": [{"name": "a", "accept": ["missing-id"]}]}))
    # Written by `truerank board backup`; the original is board.original.toml.
    workers = 2
    <BLANKLINE>
    [[boards]]
    name = "a"
    accept = ["missing-id"]
    <BLANKLINE>
    """
    above = {key: value for key, value in settings.items() if key != "boards"}
    lines = [f"# Written by `truerank board backup`; the original is {ORIGINAL}.", *_pairs(above)]
    for fields in settings["boards"]:
        lines += ["", "[[boards]]", *_pairs(fields)]
    return "\n".join(lines) + "\n"


def _pairs(fields: dict[str, Any]) -> list[str]:
    return [f"{key} = {written_toml(value)}" for key, value in fields.items()]
