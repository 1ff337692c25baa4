"""The reference's lines, many at once: one per topic and measure, then the rows "all"."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from truerank.core.qrels import Floats

TOPIC = "\0"  # stands for the topic in a template: no id contains it

AT_ONCE = 256
"""How many topics make one piece of output."""

SCALE = 10_000
NEAR_HALF = 0.5 - 1e-6


@lru_cache(maxsize=1)
def _texts() -> Any:
    """The texts from 0.0000 to 1.0000."""
    return np.array([f"{i // SCALE}.{i % SCALE:04d}" for i in range(SCALE + 1)], dtype=object)


def decimals(values: Floats) -> list[str]:
    """Each value as C prints it with %6.4f.

    A value from 0 to 1 has one of 10,001 texts, and it is clear which, unless the fourth decimal is followed by a 5
    and zeros; such values, and all others, are formatted one by one.

    >>> decimals(np.array([0.25, 0.00005, -0.0, 12.3]))
    ['0.2500', '0.0001', '-0.0000', '12.3000']
    """
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = values * SCALE
        nearest = np.rint(scaled)
        plain = (values >= 0) & (values <= 1) & ~np.signbit(values) & (np.abs(scaled - nearest) < NEAR_HALF)
    texts = _texts()[np.where(plain, nearest, 0).astype(np.int64)]
    odd = np.flatnonzero(~plain)
    texts[odd] = list(map(printed, values[odd].tolist()))
    return texts.tolist()  # type: ignore[no-any-return]


def printed(value: float) -> str:
    """A value as C prints it with %6.4f; a nan has a sign there.

    >>> printed(0.12345), printed(-float("nan"))
    ('0.1235', '  -nan')
    """
    return f"{value:6.4f}" if value == value or math.copysign(1, value) > 0 else "  -nan"


def wholes(values: Floats) -> list[str]:
    """Each value as C prints it when cast to a whole number."""
    return list(map(str, values.astype(np.int64).tolist()))


def rows(names: Sequence[str], topics: Sequence[bytes], columns: Sequence[Sequence[str]]) -> Iterator[bytes]:
    """The lines of all topics, topic by topic; each name, padded to its column's width, has one list of texts."""
    form = "".join(f"{name}\t{TOPIC}\t%s\n" for name in names)
    values = zip(topics, zip(*columns, strict=True), strict=bool(names))
    lines = ((form % row).replace(TOPIC, topic.decode("latin-1")) for topic, row in values)
    while piece := "".join(itertools.islice(lines, AT_ONCE)):
        yield piece.encode("latin-1")
