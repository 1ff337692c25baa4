"""A file of gates: TOML that names what is checked, and its limits."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truerank.core import toml
from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import LIST, NUMBER, TABLE, TEXT, TRUTH, Kind, is_whole

FILES = ("qrels", "run", "scores", "bench", "no_worse_than")
"""Paths, which start where the file of gates is."""

_WHOLE = Kind(message("a whole number"), is_whole)

KINDS: dict[str, Kind] = {
    **dict.fromkeys((*FILES, "rules", "percentiles"), TEXT),
    "min": TABLE,
    "max": TABLE,
    "margin": NUMBER | TABLE,
    "measures": TEXT | LIST,
    "sure": TRUTH,
    "confidence": NUMBER,
    "seed": _WHOLE,
    "samples": _WHOLE,
    "by": TEXT,
    "slices": TABLE,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is checked, and how.

    Attributes:
        qrels, run: what is evaluated under `rules`; or
        scores: what `truerank eval --per-query --format json` saved.
        bench: what `truerank bench` saved.
        no_worse_than: the baseline: saved scores, or a run.
        min, max: {measure or figure: limit}.
        margin: how much worse is not worse: one for all measures, or {measure: margin}.
        measures: what is compared to the baseline.
        sure: whether the interval decides about min and max.
        confidence, seed, samples: of the intervals.
        percentiles: of the benchmark: "nearest-rank" or "linear".
        by: FILE:COLUMN of the attribute that the queries are cut by.
        slices: the gates of single slices: {value: {"min": …, "max": …, "margin": …}}.
    """

    qrels: str | None = None
    run: str | None = None
    scores: str | None = None
    bench: str | None = None
    no_worse_than: str | None = None
    rules: str | None = None
    min: Mapping[str, Any] = field(default_factory=dict)
    max: Mapping[str, Any] = field(default_factory=dict)
    margin: float | Mapping[str, float] = 0.0
    measures: str | list[str] | None = None
    sure: bool = False
    confidence: float = 0.95
    seed: int = 0
    samples: int = 10_000
    percentiles: str | None = None
    by: str | None = None
    slices: Mapping[str, Any] = field(default_factory=dict)

    def replace(self, **fields: Any) -> Settings:
        """The same with what is given in place; None: not given."""
        return dataclasses.replace(self, **{key: value for key, value in fields.items() if value is not None})


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """The settings in a TOML file.

    Raises:
        InputError: the file cannot be read, is no TOML, or says something that no gate has.
    """
    found = toml.read(Path(path), message("the gates"))
    for key, value in found.items():
        _check(key, value, path)
    here = os.path.dirname(os.fspath(path))
    given: dict[str, Any] = {
        key: os.path.normpath(os.path.join(here, value)) if key in (*FILES, "by") else value
        for key, value in found.items()
    }
    if "rules" in given and given["rules"].endswith(".toml"):
        given["rules"] = os.path.join(here, given["rules"])
    return Settings(**given)


def _check(key: str, value: Any, path: str | os.PathLike[str]) -> None:
    if key not in KINDS:
        near = did_you_mean(key, KINDS)
        raise InputError(
            "a file of gates has no {key!r}.{near} It has {known}", path, key=key, near=near, known=", ".join(KINDS)
        )
    KINDS[key].checked(key, value, lambda said: InputError(said, path))
