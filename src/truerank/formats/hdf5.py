"""HDF5: the datasets of a file by name, as ann-benchmarks has them (train, test, neighbors, distances)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, needs, quoted
from truerank.core.messages import message
from truerank.formats.source import Source

Array = NDArray[Any]


@dataclass(frozen=True)
class Datasets(Mapping[str, Array]):
    """The datasets at the top of a file, each read when it is asked for, and mapped where it lies in one piece."""

    source: Source
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Array:
        if name not in self.names:
            raise KeyError(name)
        with _opened(self.source) as file:
            try:
                return self._array(file[name])
            except Exception as error:
                raise unreadable(name, error, self.source.name) from None

    def _array(self, dataset: Any) -> Array:
        path, offset = self.source.path, dataset.id.get_offset()  # None where it is packed or in pieces
        if path is None or offset is None or dataset.dtype.kind not in "iuf":
            return np.asarray(dataset[...])
        mapped: Array = np.memmap(path, dataset.dtype, "r", offset, dataset.shape)
        return mapped

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def unreadable(name: str, error: Exception, path: str) -> InputError:
    """The error to raise for an array that cannot be read, whatever a parser met in a damaged file."""
    said = str(error) or type(error).__name__
    return InputError("the array {name} cannot be read: {error}", path, name=quoted(name), error=said)


def read(source: Source) -> Datasets:
    """The datasets at the top of a file.

    Raises:
        MissingPackage: h5py is not installed.
    """
    with _opened(source) as file:
        return Datasets(source, tuple(name for name, item in file.items() if hasattr(item, "shape")))


def _opened(source: Source) -> Any:
    with needs(message("reading {source}", source=source.name), "hdf5"):
        import h5py  # type: ignore[import-not-found,import-untyped,unused-ignore]
    return h5py.File(source.path or BytesIO(source.read()), "r")
