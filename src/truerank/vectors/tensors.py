"""Tensors: the same by torch, on the device where they are. On the CPU they are arrays of NumPy's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from truerank.core.errors import InputError
from truerank.core.messages import Message, listed, message
from truerank.core.qrels import Floats, Ints
from truerank.vectors.placed import Placed
from truerank.vectors.source import PRODUCT, BlockSource, Scorer

Tensor = Any
"""A `torch.Tensor`: whoever passes one has imported torch."""


def vectors(queries: Tensor, gallery: Tensor, metric: str, single: bool) -> BlockSource:
    """The products of two tensors of one device, in 32 bits unless either has 64."""
    torch = _torch()
    if queries.device != gallery.device:
        raise InputError(
            "query vectors are on {one} and gallery vectors on {other}; move one",
            one=queries.device,
            other=gallery.device,
        )
    is_wide = torch.float64 in (queries.dtype, gallery.dtype) and not single
    real = torch.float64 if is_wide else torch.float32
    left, right = queries.detach().to(real), gallery.detach().to(real)
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
        raise InputError(
            "query and gallery vectors are two tables with rows of one length, not {shapes}",
            shapes=listed([str(tuple(side.shape)) for side in (left, right)]),
        )
    squares = _squares(left, metric, message("query")), _squares(right, metric, message("gallery"))
    if metric == "cosine":
        left, right = (side / square.sqrt()[:, None] for side, square in zip((left, right), squares, strict=True))

    def final(score: Any, rows: Ints) -> Floats:
        wide = np.asarray(score, np.float64)
        return 2 * wide - squares[0].cpu().numpy()[rows] if metric == "euclidean" else wide

    name = f"{metric}, float{64 if is_wide else 32} on {left.device}"
    half = squares[1] / 2 if metric == "euclidean" else None
    return BlockSource(
        (len(left), len(right)),
        name,
        left.element_size(),
        PRODUCT,
        lambda columns: _products(left, right, half, columns),
        final,
    )


def matrix(values: Tensor, holds: str, single: bool) -> BlockSource:
    """A ready matrix on a device."""
    torch = _torch()
    is_wide = values.dtype == torch.float64 and not single
    if values.ndim != 2 or not values.numel():
        raise InputError(
            "the matrix: a table of numbers is needed, not a tensor of shape {shape}", shape=tuple(values.shape)
        )
    if not torch.isfinite(values).all():
        raise InputError("the matrix holds a number that is not finite")

    def over(columns: Ints | None) -> Scorer:
        def score(rows: Ints) -> Tensor:
            block = values.detach()[_on(values, rows)].to(torch.float64 if is_wide else torch.float32)
            block = block if columns is None else block[:, _on(values, columns)]
            return -block if holds == "distances" else block

        return score

    name = f"{holds}, float{64 if is_wide else 32} on {values.device}"
    return BlockSource((values.shape[0], values.shape[1]), name, 8 if is_wide else 4, PRODUCT, over)


def find(block: Tensor, row: Ints, column: Ints, ignored: tuple[Ints, Ints]) -> Placed:
    """As `placed.find`, on the device: the first pair of every row at once, then the second, …"""
    torch = _torch()
    rows, columns = _on(block, row), _on(block, column)
    block[_on(block, ignored[0]), _on(block, ignored[1])] = -torch.inf
    score = block[rows, columns]
    nth = np.arange(len(row)) - np.searchsorted(row, row)
    counts = np.zeros((3, len(row)), np.int64)
    places = torch.arange(block.shape[1], device=block.device)
    for n in range(int(nth.max(initial=-1)) + 1):
        these = np.flatnonzero(nth == n)
        part, own = block[_on(block, row[these])], score[_on(block, these)][:, None]
        level = part == own
        left = level & (places < columns[_on(block, these)][:, None])
        for count, mask in zip(counts, (part > own, level, left), strict=True):
            count[these] = mask.sum(1).cpu().numpy()
    return Placed(score.cpu().numpy(), *counts)


def _products(left: Tensor, right: Tensor, half: Tensor | None, columns: Ints | None) -> Scorer:
    if columns is not None:
        chosen = _on(right, columns)
        right, half = right[chosen], None if half is None else half[chosen]

    def score(rows: Ints) -> Tensor:
        # The product of a single row may round otherwise than that of many, and equal vectors score unequal.
        block = left[_on(left, rows if len(rows) > 1 else np.repeat(rows, 2))] @ right.T
        if half is not None:
            block -= half
        return block[: len(rows)]

    return score


def _squares(table: Tensor, metric: str, side: Message) -> Tensor:
    squares = table.square().sum(1)
    bad = ~squares.isfinite()
    if metric == "cosine":
        bad |= squares == 0
    if bad.any():
        raise InputError(
            "{side} vector {row} (from 0) is all zeros, or holds a number that is not finite",
            side=side,
            row=int(bad.nonzero()[0]),
        )
    return squares


def _on(other: Tensor, places: Ints) -> Tensor:
    return _torch().as_tensor(places, device=other.device)


def _torch() -> Any:
    return import_module("torch")
