"""Items whose names say where they are: @easting@northing@zone@letter@latitude@longitude@…@.jpg, or a pattern."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from truerank.core.errors import InputError, printable
from truerank.formats.names import ITEM

PARTS = ("x", "y", "zone", "letter", "lat", "lon")
"""What stands between the @ of a name, as the collections of visual place recognition write it."""


def files(folder: str | os.PathLike[str]) -> list[str]:
    """The names of the files in a folder and the folders in it, sorted, with / between their parts."""
    root = Path(folder)
    paths = sorted(path for path in root.rglob("*") if path.is_file() and not path.name.startswith("."))
    if not paths:
        raise InputError("there are no files in this folder", os.fspath(folder))
    return [path.relative_to(root).as_posix() for path in paths]


def columns(names: Sequence[str], pattern: str | None, source: str) -> dict[str, Sequence[Any]]:
    """The ids and what the names say of each.

    Args:
        pattern: a regular expression with named groups, such as `(?P<label>-?\\d+)_c(?P<camera>\\d)`.

    Raises:
        InputError: a name does not say it.
    """
    match = _by_pattern(pattern, source) if pattern else _by_at
    said = [match(name) for name in names]
    for name, own in zip(names, said, strict=True):
        if own is None and pattern:
            raise InputError(
                "the name {name!r} is not like the pattern {pattern}", source, name=printable(name), pattern=pattern
            )
        if own is None:
            raise InputError("the name {name!r} is not like @easting@northing@…", source, name=printable(name))
    roles = dict.fromkeys(role for own in said if own for role in own)
    return {"id": list(names), **{role: [(own or {}).get(role) for own in said] for role in roles}}


GPS = re.compile(r"(\S.*?)\s+([EW])\s*([-+]?[0-9.]+)\s+([NS])\s*([-+]?[0-9.]+)(?:\s+[-+]?[0-9.]+)?", re.IGNORECASE)
"""A line of DenseUAV's Dense_GPS_ALL.txt: a path, E and degrees, N and degrees, and perhaps a height."""


def gps_columns(lines: Sequence[str], source: str) -> dict[str, Sequence[Any]]:
    """The paths and the degrees after E (W: west, less than 0) and N (S: south); a path's folder is its label.

    Raises:
        InputError: a line is not like that.
    """
    rows: dict[str, list[Any]] = {"id": [], "lat": [], "lon": [], "label": []}
    for number, line in enumerate(lines, 1):
        match = GPS.fullmatch(line)
        if match is None:
            raise InputError("{text!r:.60} is not like path E127.0 N37.5", source, number, text=line)
        path, east, lon, north, lat = match.groups()
        rows["id"].append(path)
        rows["lon"].append(_degrees(lon, east in "Ww", source, number))
        rows["lat"].append(_degrees(lat, north in "Ss", source, number))
        rows["label"].append(Path(path.replace("\\", "/")).parent.name or None)
    return {**rows}


def _degrees(text: str, is_negative: bool, source: str, line: int) -> float:
    try:
        return -float(text) if is_negative else float(text)
    except ValueError:
        raise InputError("{text!r} is no number of degrees", source, line, text=text) from None


def _by_at(name: str) -> dict[str, str] | None:
    parts = name.rsplit("/", 1)[-1].split("@")
    if len(parts) < 3 or not (parts[1] and parts[2]):
        return None
    return {role: part for role, part in zip(PARTS, parts[1:-1], strict=False) if part}


def _by_pattern(pattern: str, source: str) -> Any:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(
            "{pattern!r} is no regular expression: {error}", source, pattern=pattern, error=error
        ) from None
    roles = [role for role in compiled.groupindex if role in ITEM]
    if not roles:
        raise InputError(
            "the pattern {pattern!r} names nothing: write (?P<lat>…), one of {known}",
            source,
            pattern=pattern,
            known=", ".join(ITEM),
        )

    def match(name: str) -> dict[str, str] | None:
        groups = compiled.search(name)
        return {role: groups[role] for role in roles if groups[role]} if groups else None

    return match
