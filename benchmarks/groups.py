"""Judgements of groups, for a run of 100 MB: three groups a query, of which one has two subgroups."""

from __future__ import annotations

from pathlib import Path

import data

QUERIES = 2700
"""With 1,000 rows each, that many make 100 MB."""

EVERY = 100
"""Of so many rows one is judged, by each group."""

FORMATS = {"qrels_jg": "qrels_jg", "prefs": "all_prefs"}
"""The formats of judgements, and the measures asked for."""


def files(directory: Path, form: str) -> tuple[Path, Path]:
    """The judgements and the run, made when they are not there."""
    directory = directory / "groups"
    directory.mkdir(parents=True, exist_ok=True)
    data.big(directory, QUERIES)
    run, judged = directory / "big.run", directory / f"big.{form}"
    if not judged.exists():
        data.say(f"writing {judged}")
        part = judged.with_suffix(".part")
        with run.open() as rows, part.open("w") as file:
            file.writelines(
                line for number, row in enumerate(rows) if number % EVERY == 0 for line in _lines(row, form)
            )
        part.replace(judged)
    return judged, run


def _lines(row: str, form: str) -> list[str]:
    """What each group says of one row."""
    query, _, doc, rank, *_ = row.split()
    number = int(rank) // EVERY
    grades = [(number * (group + 3)) % 4 for group in range(3)]
    if form == "qrels_jg":
        return [f"{query} {group} {doc} {grade}\n" for group, grade in enumerate(grades)]
    return [f"{query} {group} {number % 2 * (group == 2)} {doc} {grade}\n" for group, grade in enumerate(grades)]
