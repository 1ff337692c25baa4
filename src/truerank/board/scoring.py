"""What a valid submission scores: officially and strictly, on all queries and each part, and how sure that is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from truerank import __version__
from truerank.board.contests import PARTS, Contest
from truerank.contest import audit as audited
from truerank.contest import worse
from truerank.core.equal import is_equal
from truerank.core.errors import InputError
from truerank.core.evaluate import evaluate
from truerank.core.hits import Bools
from truerank.core.kernel.scanning import as_bytes
from truerank.core.qrels import Floats
from truerank.core.run import Run
from truerank.core.scores import Scores, intervals
from truerank.formats import open_run
from truerank.measures import Measure

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
    """The matrix of values that `Result.blob` made these bytes of."""
    return np.frombuffer(blob, "<f8").astype(np.float64).reshape(measures, -1)


def score(path: Path | Run, format: str, contest: Contest) -> Result:
    """What the submission in a file, or a run that is read already, scores.

    Raises:
        TruerankError: it cannot be read; an audited one can.
    """
    official, strict = (_of_lines if contest.by_lines else _of_run)(path, format, contest)
    officially, strictly = _means(official, contest), _means(strict, contest)
    if contest.by_lines:
        strictly = _no_better(strictly, officially, contest)
    limits = _limits(strict, strictly, contest) if contest.settings.score == "strict" else {}
    if contest.settings.score == "official" or len(limits) < len(strictly):
        limits = {**_limits(official, officially, contest), **limits}
    return Result(
        officially,
        strictly,
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
    rules = contest.rules.replace(extra="skip")  # its audit knew all ids; the truth may have lost some since
    audit = audited(contest.qrels, os.fspath(path), contest.measures, rules=rules, format=format)
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


def _no_better(strict: Means, official: Means, contest: Contest) -> Means:
    """The strict means, none better than the official one: what `StrictScores.mean` is of all queries."""
    of_two = {str(m): worse(m) for m in contest.measures}
    return {
        part: {name: float(of_two[name](mean, official.get(part, means)[name])) for name, mean in means.items()}
        for part, means in strict.items()
    }


def _limits(scores: Scores, means: Means, contest: Contest) -> dict[str, list[float]]:
    """The interval of the measure that ranks, of each part whose mean is that of these values."""
    values, by = scores[str(contest.rank_by)], contest.rank_by
    masks = {part: mask for part, mask in _masks(scores, contest).items() if part in means}
    is_own = {part: is_equal(by.mean(values[mask]), means[part][str(by)]) for part, mask in masks.items()}
    whole = _interval(values, by)
    return {
        part: whole if mask.all() else _interval(values[mask], by) for part, mask in masks.items() if is_own[part]
    }


def _interval(values: Floats, measure: Measure) -> list[float]:
    """The 95 % interval of the mean; of too few queries [0, 1] where values lie there, else from least to most."""
    interval = intervals([measure], values[:, None])[0]
    is_unit = measure.definition.unit
    if not np.isfinite([interval.low, interval.high]).all():
        return [0.0, 1.0] if is_unit else [float(values.min()), float(values.max())]
    shown = interval.within(0.0, 1.0) if is_unit else interval
    return [shown.low, shown.high]


def watched(result: Result, contest: Contest, look: int) -> list[float] | None:
    """Where the public score may lie, at all entries of a team together, of which this is number `look`.

    None where no limits of the values are known, or what ranks is no mean of the values that are kept.
    """
    by, name = contest.rank_by, str(contest.rank_by)
    official, strict = (means.get("public", {}).get(name) for means in (result.official, result.strict))
    if not by.definition.unit or strict is None or official != strict:
        return None
    from truerank.stats import confidence_of_look, mean_sequence

    values = part_values(result.blob, contest, "public")
    if not is_equal(by.mean(values), strict):
        return None
    interval = mean_sequence(np.clip(values, 0.0, 1.0), confidence=confidence_of_look(0.95, look))[-1]
    return [min(interval.low, interval.high), max(interval.low, interval.high)]


MOST_GROUPS = 4 * 26
"""Of hundreds of teams there can be thousands of groups, and nobody reads a hundred letters of one team."""


def tie_groups(rows: Sequence[Floats | None]) -> list[list[int]]:
    """Which systems cannot be told apart: groups of row numbers, by a paired test of all pairs at once.

    Where there are more groups than `MOST_GROUPS`, the last systems are in none.

    Args:
        rows: (queries,) the values of each system, the best system first; None of one that is in no group.
    """
    from truerank.stats import groups, max_t

    known = {row: values for row, values in enumerate(rows) if values is not None}
    tested = list(known)
    if len(tested) < 2:
        return [tested] if len(rows) == 1 else []
    values = np.stack(list(known.values()), axis=1)
    p = np.ones((len(tested), len(tested)))
    first, second = np.triu_indices(len(tested), 1)
    p[first, second] = p[second, first] = max_t(values)
    found = groups(p, values.mean(axis=0), most=MOST_GROUPS)
    return [sorted(tested[system] for system in group) for group in found]


def part_values(blob: bytes, contest: Contest, part: str) -> Floats:
    """The strict values of the measure that ranks, on one part's queries."""
    row: Floats = matrix_of(blob, len(contest.measures))[contest.measures.index(contest.rank_by)]
    return row[contest.masks(contest.evaluated)[part]]


def paired_values(blob: bytes, result: dict[str, Any], contest: Contest, part: str) -> Floats | None:
    """`part_values`; None where the score that ranks is not their mean, so that they tell nothing of it."""
    values = part_values(blob, contest, part)
    return values if is_equal(contest.rank_by.mean(values), describe(result, contest, part)) else None


def describe(result: dict[str, Any], contest: Contest, part: str) -> float:
    """The score that ranks, out of what was kept."""
    values = result[contest.settings.score].get(part, {})
    return float(values.get(str(contest.rank_by), 0.0))
