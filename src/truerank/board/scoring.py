"""What a valid submission scores: officially and strictly, on all queries and each part, and how sure that is."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank import __version__
from truerank.board.contests import PARTS, Contest
from truerank.board.split import Bools
from truerank.contest import audit as audited
from truerank.core._kernel import as_bytes
from truerank.core.errors import InputError
from truerank.core.evaluate import evaluate
from truerank.core.run import Run
from truerank.core.scores import Scores, intervals
from truerank.formats import open_run
from truerank.measures import Measure

Floats = NDArray[np.float64]
Means = dict[str, dict[str, float]]


@dataclass(frozen=True, eq=False)
class Result:
    """Everything that is kept of a scored submission.

    Attributes:
        official, strict: {part: {measure: mean}}; a part without any query is left out.
        intervals: {part: [low, high]} of the score that ranks.
        matrix: (measures, queries) the strict values; the queries are `Contest.evaluated`.
        rules: as JSON, with the version that read them.
    """

    official: Means
    strict: Means
    intervals: dict[str, list[float]]
    matrix: Floats
    rules: str
    version: str

    def to_json(self, **more: Any) -> str:
        """Numbers as they are, to the last bit."""
        own = {"official": self.official, "strict": self.strict, "intervals": self.intervals}
        return json.dumps({**own, **more})

    @property
    def blob(self) -> bytes:
        """The matrix as bytes, the same on every machine."""
        return self.matrix.astype("<f8").tobytes()


def matrix_of(blob: bytes, measures: int) -> Floats:
    """The matrix again."""
    return np.frombuffer(blob, "<f8").astype(np.float64).reshape(measures, -1)


def score(path: Path | Run, format: str, contest: Contest) -> Result:
    """What the submission in a file, or a run that is read already, scores.

    Raises:
        TruerankError: it cannot be read; an audited one can.
    """
    official, strict = (_of_lines if contest.by_lines else _of_run)(path, format, contest)
    ranking = strict if contest.settings.score == "strict" else official
    masks = {part: mask for part, mask in _masks(ranking, contest).items() if mask.any()}
    values, by = ranking[str(contest.rank_by)], contest.rank_by
    whole = _interval(values, by)
    limits = {part: whole if mask.all() else _interval(values[mask], by) for part, mask in masks.items()}
    return Result(
        _means(official, contest),
        _means(strict, contest),
        limits,
        np.array([strict[str(measure)] for measure in contest.measures]),
        json.dumps(contest.rules.to_dict(), sort_keys=True),
        __version__,
    )


def _of_run(path: Path | Run, format: str, contest: Contest) -> tuple[Scores, Scores]:
    run = open_run(path, format)
    officially = contest.rules.replace(extra="skip")
    once = "first" if officially.duplicates == "count" else officially.duplicates
    strictly = officially.replace(missing="zero", duplicates=once)
    official = evaluate(contest.qrels, run, contest.measures, rules=officially)
    if strictly == officially:
        return official, official
    return official, evaluate(contest.qrels, run, contest.measures, rules=strictly)


def _of_lines(path: Path | Run, format: str, contest: Contest) -> tuple[Scores, Scores]:
    assert isinstance(path, Path)
    audit = audited(contest.qrels, os.fspath(path), contest.measures, rules=contest.rules, format=format)
    if audit.official_scores is None:
        raise InputError("there is no official score")
    return audit.official_scores, audit.strict_scores


def _masks(scores: Scores, contest: Contest) -> dict[str, Bools]:
    return contest.masks(tuple(map(as_bytes, scores.queries)))


def _means(scores: Scores, contest: Contest) -> Means:
    masks = _masks(scores, contest)
    return {
        part: {str(m): float(m.mean(scores[str(m)][masks[part]])) for m in contest.measures}
        for part in PARTS
        if masks[part].any()
    }


def _interval(values: Floats, measure: Measure) -> list[float]:
    """The 95 % interval of the mean; of too few queries [0, 1] where values lie there, else from least to most."""
    interval = intervals([measure], values[:, None])[0]
    is_unit = measure.definition.unit
    if not np.isfinite([interval.low, interval.high]).all():
        return [0.0, 1.0] if is_unit else [float(values.min()), float(values.max())]
    return [max(interval.low, 0.0), min(interval.high, 1.0)] if is_unit else [interval.low, interval.high]


def watched(result: Result, contest: Contest, look: int) -> list[float] | None:
    """Where the public score may lie, at all entries of a team together, of which this is the so-manieth.

    None where no limits of the values are known, or what ranks is no mean of the values that are kept.
    """
    by, name = contest.rank_by, str(contest.rank_by)
    official, strict = (means.get("public", {}).get(name) for means in (result.official, result.strict))
    if not by.definition.unit or by.definition.average != "mean" or strict is None or official != strict:
        return None
    from truerank.stats import confidence_of_look, mean_sequence

    values = np.clip(part_values(result.blob, contest, "public"), 0.0, 1.0)
    interval = mean_sequence(values, confidence=confidence_of_look(0.95, look))[-1]
    return [min(interval.low, interval.high), max(interval.low, interval.high)]


def tie_groups(rows: list[Floats], alpha: float = 0.05) -> list[list[int]]:
    """Which systems cannot be told apart: groups of row numbers, by a paired test of all pairs at once.

    Args:
        rows: (queries,) the values of each system, the best system first.
    """
    from truerank.stats import groups, max_t

    if len(rows) < 2:
        return [[i] for i in range(len(rows))]
    values = np.stack(rows, axis=1)
    p = np.ones((len(rows), len(rows)))
    first, second = np.triu_indices(len(rows), 1)
    p[first, second] = p[second, first] = max_t(values)
    return [sorted(group) for group in groups(p, values.mean(axis=0), alpha)]


def part_values(blob: bytes, contest: Contest, part: str) -> Floats:
    """The strict values of the measure that ranks, on one part's queries."""
    row: Floats = matrix_of(blob, len(contest.measures))[contest.measures.index(contest.rank_by)]
    return row[contest.masks(contest.evaluated)[part]]


def describe(result: dict[str, Any], contest: Contest, part: str) -> float:
    """The score that ranks, out of what was kept."""
    values = result[contest.settings.score].get(part, {})
    return float(values.get(str(contest.rank_by), 0.0))
