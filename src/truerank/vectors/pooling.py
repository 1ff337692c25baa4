"""Pooling: one vector a tracklet, out of one a frame."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean
from truerank.vectors.sides import array_of

Pool = Literal["mean", "max"]

AT_ONCE = 1 << 10
"""Tracklets whose frames are in memory as 64-bit numbers at once."""


def pooled(queries: Any, gallery: Any, pool: Pool | None) -> tuple[Any, Any]:
    """Both sides with one vector per entry: (tracklets, frames, numbers) become their mean or maximum over frames.

    Raises:
        InputError: frames without a word on how to pool them, or a word without frames.
    """
    has_frames = [_dimensions(side) == 3 for side in (queries, gallery)]
    if pool is None:
        if any(has_frames):
            raise InputError(
                "the vectors are (tracklets, frames, numbers): say how frames become one vector, "
                "by --pool mean or --pool max (in Python pool='mean' or 'max')"
            )
        return queries, gallery
    if pool not in get_args(Pool):
        raise InputError(
            "there is no pooling {pool!r}.{hint} There is mean, max",
            pool=pool,
            hint=did_you_mean(pool, get_args(Pool)),
        )
    if not any(has_frames):
        raise InputError(
            "there is nothing to pool by {pool}: the vectors are not (tracklets, frames, numbers)", pool=pool
        )
    first, second = (
        _over_frames(side, pool) if has else side for side, has in zip((queries, gallery), has_frames, strict=True)
    )
    return first, second


def _dimensions(values: Any) -> int:
    return int(values.ndim) if hasattr(values, "ndim") else array_of(values).ndim


def _over_frames(values: Any, pool: Pool) -> Any:
    if 0 in values.shape if hasattr(values, "shape") else not len(values):
        raise InputError("there is nothing in the vectors: a tracklet has at least one frame and one number")
    if hasattr(values, "detach"):
        wide = values.double()
        return (wide.mean(dim=1) if pool == "mean" else wide.amax(dim=1)).to(values.dtype)
    return _of_array(array_of(values), pool)


def _of_array(frames: NDArray[Any], pool: Pool) -> NDArray[Any]:
    """A sum runs over the frames in their order, in 64 bits; the precision is that of the vectors."""
    if frames.dtype.kind not in "biuf":
        raise InputError("vectors are numbers, not {dtype}", dtype=frames.dtype)
    count, length, width = frames.shape
    real = np.result_type(frames.dtype, np.float16 if frames.dtype.kind == "f" else np.float32)
    out = np.empty((count, width), real)
    for start in range(0, count, AT_ONCE):
        part = frames[start : start + AT_ONCE].astype(np.float64)
        one = part[:, 0].copy()
        for frame in range(1, length):
            one = one + part[:, frame] if pool == "mean" else np.maximum(one, part[:, frame])
        out[start : start + AT_ONCE] = one / length if pool == "mean" else one
    return out
