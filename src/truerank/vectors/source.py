"""What scores queries against a gallery, a block of queries at a time, whatever library computes it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from truerank.core.qrels import Floats, Ints

Scorer = Callable[[Ints], Any]
"""The scores of the queries in these rows, in any thread: a new block, or one that its next call overwrites."""

PRODUCT = 1 << 26
"""Bytes of a block of products: many rows, or the product wastes its time on the gallery."""

READY = 1 << 22
"""Bytes of a block of a ready matrix: few, so that they stay in the cache."""

NOTHING = nullcontext()


@dataclass(frozen=True, eq=False)
class BlockSource:
    """What scores every query against every entry of the gallery.

    Attributes:
        shape: (queries, gallery).
        name: what it computes, and in which precision.
        size: bytes of a score.
        most: bytes of a block.
        over: a scorer over these entries of the gallery, in this order; over all for None.
        final: the scores of some rows as they are told to people.
        threads: how many may score at the same time; 1 where a library uses all processors by itself.
        together: what holds while several do.
        own: (queries,) the entry of the gallery that each query is itself by its vector, -1 without one; None where
            that is not known.
    """

    shape: tuple[int, int]
    name: str
    size: int
    most: int
    over: Callable[[Ints | None], Scorer]
    final: Callable[[Any, Ints], Floats] = lambda score, rows: np.asarray(score, np.float64)
    threads: int = 1
    together: AbstractContextManager[Any] = NOTHING
    own: Callable[[], Ints] | None = None


class Buffer(threading.local):
    """A block of scores for each thread, so that none is made anew."""

    def __init__(self, width: int, real: DTypeLike) -> None:
        self._block = np.empty((0, width), real)

    def rows(self, count: int) -> NDArray[Any]:
        """(count, width) whatever they held before."""
        if len(self._block) < count:
            self._block = np.empty((count, self._block.shape[1]), self._block.dtype)
        return self._block[:count]


class OneThreadEach:
    """While anybody is inside, BLAS computes each product by the thread that asks for it alone.

    Its own threads go on running for some milliseconds after a product, in vain, and wait for one another in each.
    """

    def __init__(self) -> None:
        self._lock, self._inside, self._limit = threading.Lock(), 0, None

    def __enter__(self) -> None:
        from threadpoolctl import threadpool_limits

        with self._lock:  # the limit is the process's: the first sets it, and the last takes it back
            if not self._inside:
                self._limit = threadpool_limits(1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._limit is not None:
                self._limit.restore_original_limits()


ONE_THREAD_EACH = OneThreadEach()
