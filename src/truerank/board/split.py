"""The public and the private half: which query is in which is decided by a secret key."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


def public(queries: Sequence[bytes], key: bytes, share: float) -> Bools:
    """(queries,) whether each is public. Depends on nothing but its id and the key, so a query never changes side.

    >>> public([b"q1", b"q2", b"q3", b"q4"], b"key", 0.5).tolist()
    [False, True, True, True]
    """
    if share >= 1:
        return np.ones(len(queries), bool)
    return np.array([_draw(query, key) < share for query in queries], bool)


def _draw(query: bytes, key: bytes) -> float:
    """A number from 0 to 1 that only who has the key can tell."""
    digest = hmac.digest(key, query, hashlib.sha256)
    return int.from_bytes(digest[:7], "big") / (1 << 56)
