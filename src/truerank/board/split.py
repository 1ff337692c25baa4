"""The public and the private half: which query is in which is decided by a secret key."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

import numpy as np

from truerank.core.hits import Bools


def public(queries: Sequence[bytes], key: bytes, share: float) -> Bools:
    """(queries,) whether each is public: exactly the share, rounded, of those whose keyed hash is lowest.

    The order of the queries plays no part, and a larger share only adds queries.

    >>> public([b"q1", b"q2", b"q3", b"q4"], b"key", 0.5).tolist()
    [False, False, True, True]
    """
    count = len(queries) if share >= 1 else round(share * len(queries))
    lowest = sorted(range(len(queries)), key=lambda q: (_draw(queries[q], key), queries[q]))[:count]
    chosen = np.zeros(len(queries), bool)
    chosen[lowest] = True
    return chosen


def drawn(queries: Sequence[bytes], key: bytes, share: float) -> Bools:
    """`public` as earlier versions split: each query by itself, so that the share is met only roughly.

    >>> drawn([b"q1", b"q2", b"q3", b"q4"], b"key", 0.5).tolist()
    [False, True, True, True]
    """
    return np.array([share >= 1 or _draw(query, key) < share for query in queries], bool)


SPLITS = {"exact": public, "drawn": drawn}
"""How a board's queries are split, by what its row says."""


def _draw(query: bytes, key: bytes) -> float:
    """A number from 0 to 1 that only who has the key can tell."""
    digest = hmac.digest(key, query, hashlib.sha256)
    return int.from_bytes(digest[:7], "big") / (1 << 56)
