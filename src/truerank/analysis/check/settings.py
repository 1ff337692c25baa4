"""A file of gates: TOML that names what is checked, and its limits."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from truerank.analysis.check.watching import LooksAt, Watch
from truerank.analysis.compare.sampling import RANDOM
from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean, message
from truerank.core.schema import LIST, NUMBER, TABLE, TEXT, TRUTH, Kind, is_whole, read_toml

FILES = ("qrels", "run", "scores", "bench", "no_worse_than", "watch", "judged_by", "predicted_by", "items")
"""Paths, which start where the file of gates is."""

_WHOLE = Kind(message("a whole number"), is_whole)

KINDS: dict[str, Kind] = {
    **dict.fromkeys((*FILES, "rules", "percentiles", "looks", "collapse", "ids"), TEXT),
    **dict.fromkeys(("min", "max", "range"), TABLE),
    "margin": NUMBER | TABLE,
    "measures": TEXT | LIST,
    "sure": TRUTH,
    "confidence": NUMBER,
    "seed": _WHOLE,
    "samples": _WHOLE,
    "sample": TEXT,
    "by": TEXT,
    "slices": TABLE,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is checked, and how.

    Attributes:
        qrels, run: what is evaluated under `rules`; or
        scores: what `truerank eval --per-query --format json` saved.
        judged_by, predicted_by: people's judgements of some queries and a model's of all, in place of `qrels`.
        sample: how the queries that people judged were chosen: "random", or the path of their probabilities.
        items: what is known of the documents that could be listed, for measures of whole lists.
        collapse, ids: how documents are made of the chunks in runs, and by which rule.
        bench: what `truerank bench` saved.
        no_worse_than: the baseline: saved scores, or a run.
        min, max: {measure or figure: limit}.
        margin: how much worse is not worse: one for all measures, or {measure: margin}.
        measures: what is compared to the baseline.
        sure: whether the interval decides about min and max.
        confidence, seed, samples: of the intervals.
        percentiles: of the benchmark: "nearest-rank" or "linear".
        watch: the file of earlier looks, which this one is added to.
        looks: at "new" or at the "same" queries; needed for the first look.
        range: {measure: "LOW:HIGH"} of measures that can lie outside of 0 to 1.
        by: FILE:COLUMN of the attribute that the queries are cut by.
        slices: the gates of single slices: {value: {"min": …, "max": …, "margin": …}}.
    """

    qrels: str | None = None
    run: str | None = None
    scores: str | None = None
    judged_by: str | None = None
    predicted_by: str | None = None
    sample: str | None = None
    items: str | None = None
    collapse: str | None = None
    ids: str | None = None
    bench: str | None = None
    no_worse_than: str | None = None
    rules: str | None = None
    min: Mapping[str, Any] = field(default_factory=dict)
    max: Mapping[str, Any] = field(default_factory=dict)
    margin: float | Mapping[str, float] = 0.0
    measures: str | list[str] | None = None
    sure: bool = False
    confidence: float | None = None
    seed: int = 0
    samples: int = 10_000
    percentiles: str | None = None
    watch: str | None = None
    looks: str | None = None
    range: Mapping[str, Any] = field(default_factory=dict)
    by: str | None = None
    slices: Mapping[str, Any] = field(default_factory=dict)

    def replace(self, **fields: Any) -> Settings:
        """These settings with the given fields replaced; None means that a field is not given."""
        return dataclasses.replace(self, **{key: value for key, value in fields.items() if value is not None})


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """The settings in a TOML file.

    Raises:
        InputError: the file cannot be read, is no TOML, or says something that no gate has.
    """
    values = read_toml(Path(path), message("the gates"))
    for key, value in values.items():
        _check(key, value, path)
    here = os.path.dirname(os.fspath(path))
    given: dict[str, Any] = {
        key: os.path.normpath(os.path.join(here, value)) if key in (*FILES, "by") else value
        for key, value in values.items()
    }
    if given.get("sample") not in (None, RANDOM):
        given["sample"] = os.path.normpath(os.path.join(here, given["sample"]))
    if "rules" in given and given["rules"].endswith(".toml"):
        given["rules"] = os.path.join(here, given["rules"])
    if os.path.isfile(table := os.path.join(here, given.get("ids", "").rpartition(":")[0])):
        given["ids"] = f"{table}:{given['ids'].rpartition(':')[2]}"
    return Settings(**given)


def _check(key: str, value: Any, path: str | os.PathLike[str]) -> None:
    if key not in KINDS:
        near = did_you_mean(key, KINDS)
        raise InputError(
            "a file of gates has no {key!r}.{near} It has {known}", path, key=key, near=near, known=", ".join(KINDS)
        )
    KINDS[key].checked(key, value, lambda said: InputError(said, path))


def watched(settings: Settings) -> Watch | None:
    """The looks so far, or the beginning of a new file; None where nothing is watched.

    Raises:
        InputError: the settings say something else than the file, or not what each look brings.
    """
    path, ranges = settings.watch, {name: _range(name, limits) for name, limits in settings.range.items()}
    if path is None:
        if settings.looks or ranges:
            raise InputError("--looks and --range are for --watch: name a file of looks, --watch looks.jsonl")
        return None
    if settings.looks not in (None, *get_args(LooksAt)):
        raise InputError("looks are at new or at the same queries, not {given!r}", path, given=settings.looks)
    if not os.path.exists(path):
        if settings.looks is None:
            raise InputError(
                "this file of looks is not there yet: say what each look brings. --looks new: queries that were "
                "not seen before, while the systems stay as they are; --looks same: the same queries, while the "
                "system changes",
                path,
            )
        confidence = 0.95 if settings.confidence is None else settings.confidence
        return Watch("new" if settings.looks == "new" else "same", confidence, ranges)
    watch = Watch.read(path)
    given = {"looks_at": settings.looks, "confidence": settings.confidence, "ranges": ranges or None}
    for key, value in given.items():
        if value not in (None, getattr(watch, key)):
            raise InputError(
                "its first look has {key} = {first}, which holds for all: begin another file for {value}",
                path,
                key=key,
                first=getattr(watch, key),
                value=value,
            )
    return watch


def _range(name: str, limits: Any) -> tuple[float, float]:
    low, colon, high = str(limits).partition(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = math.nan, math.nan
    if not (name and colon and math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < ends[1]):
        raise InputError(
            "a range is a measure and two numbers, the lower one first: DCG@10=0:100; not {given!r}",
            given=f"{name}={limits}" if name else limits,
        )
    return ends
