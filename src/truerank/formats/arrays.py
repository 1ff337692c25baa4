"""Arrays: embeddings, identities, cameras and neighbours from files of arrays; lists from text files too."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, TruerankError, arrow, first_line, needs, quoted
from truerank.core.messages import message
from truerank.formats import vector_files
from truerank.formats.lines import text_lines
from truerank.formats.names import CAMERAS, ENTRIES, LABELS, SIDES, VECTORS, folded
from truerank.formats.source import Source, as_source

Array = NDArray[Any]

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_FLOAT = re.compile(r"-?[0-9]+\.[0-9]+(e[+-][0-9]+)?")

_REFUSED = {
    b"MATLAB 7": message("this is HDF5, as MATLAB's -v7.3 writes; save it with -v7, or as .npz"),
    b"\x80": message(
        "this is a pickle, which runs code when it is read; save the arrays with numpy.save or numpy.savez"
    ),
}


@dataclass(frozen=True, eq=False)
class Entries:
    """What a file says of the queries or of the gallery; None for what it does not say."""

    vectors: Any = None
    labels: Any = None
    cameras: Any = None


def read_sides(path: str) -> dict[str, Entries]:
    """What a file says of each side, by the names of its arrays: "query", "gallery", or "" where no side is named.

    Raises:
        InputError: the file cannot be read.
    """
    arrays = read_arrays(as_source(path))
    return {side: _entries(arrays, names) for side, names in _by_side(arrays).items()}


def read_lists(path: str, kind: tuple[str, ...]) -> dict[str, Any]:
    """One value per entry, of the kind `LABELS`, `CAMERAS` or `ENTRIES`, for each side: an array or lines of text.

    Raises:
        InputError: the file cannot be read, or it is not clear which of its arrays is meant.
    """
    source = as_source(path)
    if _opener(source) is None:
        return {"": _lines(source, are_names=kind is ENTRIES)}
    arrays = read_arrays(source)
    sides = _by_side(arrays).items()
    lists = {side: arrays[name] for side, names in sides if (name := _list(arrays, names, kind)) is not None}
    if not lists:
        known = ", ".join(map(quoted, arrays))
        raise InputError("none of the arrays is called {name} (there is {known})", path, name=kind[0], known=known)
    return lists


def _by_side(arrays: Iterable[str]) -> dict[str, dict[str, str]]:
    """{side: {folded name without the side: name}}; the side is "" for an array that names none."""
    sides: dict[str, dict[str, str]] = {}
    for name in arrays:
        side, kind = _split(folded(name))
        sides.setdefault(side, {})[kind] = name
    return sides


def _split(name: str) -> tuple[str, str]:
    """The side that a name begins with, and the rest of the name; a side alone is the name of its vectors."""
    known = ("", *VECTORS, *LABELS, *CAMERAS, *ENTRIES)
    for side, prefixes in SIDES.items():
        for prefix in prefixes:
            if name.startswith(prefix) and name.removeprefix(prefix) in known:
                return side, name.removeprefix(prefix) or VECTORS[0]
    return "", name


def _entries(arrays: Mapping[str, Array], names: Mapping[str, str]) -> Entries:
    if not any(names):  # an .npy file has one array without a name, of whatever shape
        return Entries(arrays[names[""]])
    vectors = _name(arrays, names, VECTORS, 2)
    vectors = _name(arrays, names, VECTORS, 3) if vectors is None else vectors
    keys = vectors, _name(arrays, names, LABELS), _name(arrays, names, CAMERAS)
    return Entries(*(None if name is None else arrays[name] for name in keys))


def _list(arrays: Mapping[str, Array], names: Mapping[str, str], kind: tuple[str, ...]) -> str | None:
    """The array with one value per entry; for labels also one with a row per entry, where entries have several."""
    name = _name(arrays, names, kind, 1)
    return _name(arrays, names, kind, 2) if name is None and kind is LABELS else name


def _name(
    arrays: Mapping[str, Array], names: Mapping[str, str], kind: tuple[str, ...], dimensions: int | None = None
) -> str | None:
    """The array of this kind: by its name, or the only one that has this many dimensions."""
    by_name = next((names[word] for word in kind if word in names), None)
    if by_name is not None or dimensions is None:
        return by_name
    fitting = [name for name in names.values() if _dimensions(arrays[name]) == dimensions]
    return fitting[0] if len(fitting) == 1 else None


def _dimensions(array: Array) -> int:
    """The number of dimensions; a list of MATLAB's has two, one of which is 1 long, and counts as one."""
    return 1 if array.ndim == 2 and 1 in array.shape else array.ndim


def read_arrays(source: Source) -> Mapping[str, Array]:
    """The arrays by name; from Parquet, HDF5 and .npz they are read when they are asked for."""
    opener = _opener(source)
    if opener is None:
        why = next((why for head, why in _REFUSED.items() if source.head.startswith(head)), None)
        raise InputError(why or message("this is no .npy, .npz, .mat, HDF5, Parquet or .fvecs file"), source.name)
    try:
        return opener(source)  # type: ignore[no-any-return]
    except TruerankError:
        raise
    except Exception as error:  # whatever a parser meets in a damaged file
        raise InputError("the arrays cannot be read: {error}", source.name, error=first_line(error)) from None


def _opener(source: Source) -> Any:
    """The function that reads a file with this name, or with these first bytes."""
    if vector_files.has_suffix(source.name):
        return vector_files.read
    openers = {b"\x93NUMPY": _npy, b"PK": _npz, b"MATLAB 5": _mat, b"PAR1": _parquet, b"\x89HDF": _hdf5}
    known = next((opener for head, opener in openers.items() if source.head.startswith(head)), None)
    return known or (vector_files.read if vector_files.is_truth(source.head, source.name) else None)


def _npy(source: Source) -> Mapping[str, Array]:
    """One array without a name; mapped, not read, where the file is a plain one."""
    if b"'descr': '|O'" in source.head[:128]:
        raise InputError(
            "the arrays cannot be read: they hold Python objects, such as lists of different lengths, which run "
            "code when they are read; save lists as JSON, {query: [documents]}, and numbers with a dtype",
            source.name,
        )
    array = np.load(source.path or BytesIO(source.read()), "r" if source.path else None, allow_pickle=False)
    return {"": _lettered(array)}


def _lettered(array: Array) -> Array:
    """The array, if its texts are valid.

    Raises:
        ValueError: a text has a character beyond Unicode, which Python cannot convert.
    """
    if array.dtype.kind == "U" and array.nbytes:
        letters = np.ascontiguousarray(array).view(f"{array.dtype.byteorder}u4")
        if letters.max() > sys.maxunicode:
            raise ValueError("a text in it is damaged")
    return array


def _npz(source: Source) -> Mapping[str, Array]:
    file = source.path or BytesIO(source.read())
    try:
        with zipfile.ZipFile(file) as members:  # NumPy would leave the file open after an error
            is_pickled = any(name.endswith("/data.pkl") for name in members.namelist())
    except Exception:
        raise InputError("the arrays cannot be read: the archive is damaged or cut short", source.name) from None
    if is_pickled:  # torch.save's
        raise InputError(_REFUSED[b"\x80"], source.name)
    if isinstance(file, BytesIO):
        file.seek(0)
    archive = np.load(file, allow_pickle=False)
    return _Arrays(source.name, tuple(archive.files), lambda name: _lettered(np.asarray(archive[name])))


def _mat(source: Source) -> Mapping[str, Array]:
    with needs(message("reading {source}", source=source.name), "vectors"):
        from scipy.io import loadmat  # type: ignore[import-untyped]
    arrays = loadmat(str(source.path) if source.path else BytesIO(source.read()), appendmat=False)
    return {name: _unpadded(array) for name, array in arrays.items() if not name.startswith("__")}


def _unpadded(array: Array) -> Array:
    """Text without the spaces that pad the rows of a char array; a cell array of texts as an array of texts."""
    cells = array.ravel().tolist() if array.dtype.kind == "O" else []
    if cells and all(isinstance(cell, np.ndarray) and cell.dtype.kind == "U" and cell.size < 2 for cell in cells):
        return np.array(["".join(cell) for cell in cells])
    return np.char.rstrip(array, " ") if array.dtype.kind == "U" else array


def _parquet(source: Source) -> Mapping[str, Array]:
    pyarrow = arrow(message("reading Parquet"))
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(source.path or BytesIO(source.read()))
    except pyarrow.ArrowException as error:
        raise InputError("the Parquet data is damaged or cut short ({error})", source.name, error=error) from None
    return _Arrays(source.name, tuple(table.schema_arrow.names), partial(_column, table, source.name))


def _column(table: Any, path: str, name: str) -> Array:
    """A column of Parquet; one of lists of the same length as a table."""
    column = table.read([name]).column(0)
    if column.null_count:
        raise InputError("column {name} has rows without a value", path, name=quoted(name))
    if not hasattr(column.type, "value_type") or hasattr(column.type, "index_type"):
        return np.asarray(column.to_numpy())
    from pyarrow import compute

    lengths = compute.unique(compute.list_value_length(column)).to_pylist()
    if len(lengths) > 1:
        raise InputError(
            "column {name} has lists of {least} to {most} numbers",
            path,
            name=quoted(name),
            least=min(lengths),
            most=max(lengths),
        )
    return np.concatenate([np.asarray(chunk.flatten()) for chunk in column.chunks]).reshape(-1, *lengths)


def _hdf5(source: Source) -> Mapping[str, Array]:
    """The datasets at the top of a file, as ann-benchmarks has them (train, test, neighbors, distances)."""
    with _opened(source) as file:
        names = tuple(name for name, item in file.items() if hasattr(item, "shape"))
    return _Arrays(source.name, names, partial(_dataset, source))


def _opened(source: Source) -> Any:
    with needs(message("reading {source}", source=source.name), "hdf5"):
        import h5py  # type: ignore[import-not-found,import-untyped,unused-ignore]
    return h5py.File(source.path or BytesIO(source.read()), "r")


def _dataset(source: Source, name: str) -> Array:
    """A dataset of HDF5, memory-mapped where it is stored in one piece."""
    with _opened(source) as file:
        dataset = file[name]
        if (dataset.dtype.metadata or {}).get("vlen") in (str, bytes):  # text of any length
            return np.asarray(dataset.asstr()[...], np.str_)
        path, offset = source.path, dataset.id.get_offset()  # None where it is compressed or in chunks
        if path is None or offset is None or dataset.dtype.kind not in "iuf":
            return np.asarray(dataset[...])
        mapped: Array = np.memmap(path, dataset.dtype, "r", offset, dataset.shape)
        return mapped


@dataclass(frozen=True, eq=False)
class _Arrays(Mapping[str, Array]):
    """The arrays of a file by name, each read when it is asked for."""

    path: str
    names: tuple[str, ...]
    read: Callable[[str], Array]

    def __getitem__(self, name: str) -> Array:
        if name not in self.names:
            raise KeyError(name)
        try:
            return self.read(name)
        except InputError:
            raise
        except Exception as error:  # whatever a parser meets in a damaged file
            said = str(error) or type(error).__name__
            raise InputError(
                "the array {name} cannot be read: {error}", self.path, name=quoted(name), error=said
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _lines(source: Source, *, are_names: bool) -> list[str] | list[int]:
    """One value per line; whole numbers if all are, and written as such: 0012 is a name.

    Args:
        are_names: else 1.0 and 1.000e+00, as pandas and NumPy write labels, are whole numbers too.
    """
    try:
        lines = list(text_lines(source.read().decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise InputError("this is neither an array nor UTF-8 text", source.name) from None
    values = [line.strip() for line in lines if line.strip()]
    if all(map(_WHOLE.fullmatch, values)):
        return list(map(int, values))
    if are_names or not all(_FLOAT.fullmatch(value) and _is_whole(float(value)) for value in values):
        return values
    return [int(float(value)) for value in values]


def _is_whole(number: float) -> bool:
    """Whether it is a whole number, and no other one is written as this float."""
    return abs(number) < 2**53 and number % 1 == 0
