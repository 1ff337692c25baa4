"""Z scores: how many standard deviations a value lies from the mean of other systems on its topic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from truerank.core.errors import InputError
from truerank.core.qrels import Floats
from truerank.formats.source import as_source
from truerank.interop.trec_eval.numerals import decimal

UNKNOWN = -1000000.0
"""The score where nothing is known of a topic and measure, or where only this system differs."""

Norms = Mapping[tuple[bytes, bytes], tuple[float, float]]


def read(path: str) -> Norms:
    """{(topic, measure): (mean, deviation)} from lines with these four."""
    norms = {}
    for number, line in enumerate(as_source(path).read().split(b"\n"), 1):
        fields = line.split()
        if not fields:
            continue
        values = [_number(field.decode("latin-1")) for field in fields[2:]]
        if len(fields) != 4 or values[0] is None or values[1] is None:
            raise InputError("a line has four columns: topic, measure, mean, deviation", path, number)
        norms[fields[0], fields[1]] = (values[0], values[1])
    return norms


def _number(text: str) -> float | None:
    """A number, or the nan that the reference writes where a single system has no deviation."""
    return float(text) if re.fullmatch(r"[+-]?nan", text.lower()) else decimal(text)


def standardized(values: Floats, measure: str, topics: Sequence[bytes], norms: Norms) -> Floats:
    """The values of a measure as z scores."""
    name = measure.encode()
    known = [norms.get((topic, name)) for topic in topics]
    mean, deviation = np.array([norm or (0.0, 1.0) for norm in known]).reshape(-1, 2).T
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = (values - mean) / deviation
    scores = np.where(deviation == 0, np.where(values == mean, 0.0, UNKNOWN), scores)
    return np.where([norm is None for norm in known], UNKNOWN, scores)
