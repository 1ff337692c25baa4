"""Arrays: the same numbers out of every file that holds embeddings, and what is said of files that do not."""

from __future__ import annotations

import gzip
import pickle
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.formats.arrays import read_lists, read_sides
from truerank.formats.names import CAMERAS, ENTRIES, LABELS

VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)
NUMBERS = np.array([3, 1, 2, 2])
BOTH = {
    "query_f": VECTORS[:1],
    "gallery_f": VECTORS,
    "query_label": NUMBERS[:1],
    "gallery_label": NUMBERS,
    "query_cam": NUMBERS[:1] + 1,
    "gallery_cam": NUMBERS + 1,
}


def npz(path: Path, arrays: dict[str, Any]) -> None:
    np.savez(path.with_suffix(".npz"), **arrays)
    path.with_suffix(".npz").rename(path)


def mat(path: Path, arrays: dict[str, Any]) -> None:
    scipy = pytest.importorskip("scipy.io")
    scipy.savemat(path, arrays, appendmat=False)


def parquet(path: Path, arrays: dict[str, Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({name: list(values) for name, values in arrays.items()}), path, row_group_size=3)


WRITERS: list[Callable[[Path, dict[str, Any]], None]] = [npz, mat, parquet]


@pytest.mark.parametrize("write", [npz, mat])
def test_a_file_that_names_both_sides_gives_both(tmp_path, write):
    write(tmp_path / "features", BOTH)
    sides = read_sides(str(tmp_path / "features"))
    assert set(sides) == {"query", "gallery"}
    assert np.array_equal(sides["gallery"].vectors, VECTORS)
    assert np.ravel(sides["gallery"].labels).tolist() == [3, 1, 2, 2]
    assert np.ravel(sides["query"].cameras).tolist() == [4]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    "names", [("embedding", "label", "camera"), ("features", "pids", "camids"), ("F", "Class", "cam_id")]
)
def test_a_file_of_one_side_is_known_by_the_usual_names(tmp_path, write, names):
    write(tmp_path / "features", dict(zip(names, (VECTORS, NUMBERS, NUMBERS + 1), strict=True)))
    (side,) = read_sides(str(tmp_path / "features")).values()
    assert np.array_equal(side.vectors, VECTORS)
    assert np.ravel(side.labels).tolist() == [3, 1, 2, 2]
    assert np.ravel(side.cameras).tolist() == [4, 2, 3, 3]


@pytest.mark.parametrize(
    ("name", "side"),
    [("qf", "query"), ("g_features", "gallery"), ("query", "query"), ("galleryEmbeddings", "gallery")],
)
def test_the_side_stands_before_the_name(tmp_path, name, side):
    npz(tmp_path / "features", {name: VECTORS})
    assert np.array_equal(read_sides(str(tmp_path / "features"))[side].vectors, VECTORS)


def test_the_only_table_is_the_one_that_is_meant(tmp_path):
    npz(tmp_path / "features", {"arr_0": VECTORS, "arr_1": NUMBERS})
    assert np.array_equal(read_sides(str(tmp_path / "features"))[""].vectors, VECTORS)
    assert read_lists(str(tmp_path / "features"), LABELS)[""].tolist() == [3, 1, 2, 2]


def test_a_plain_npy_file_is_mapped_and_not_read(tmp_path):
    np.save(tmp_path / "features.npy", VECTORS)
    vectors = read_sides(str(tmp_path / "features.npy"))[""].vectors
    assert isinstance(vectors, np.memmap)
    assert np.array_equal(vectors, VECTORS)


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (1, 1), (4,), (2, 1, 3)])
def test_the_array_of_an_npy_file_is_meant_whatever_its_shape(shape, tmp_path):
    np.save(tmp_path / "one.npy", np.ones(shape))
    assert read_sides(str(tmp_path / "one.npy"))[""].vectors.shape == shape


def test_a_compressed_file_is_read_as_the_plain_one(tmp_path):
    np.save(tmp_path / "features.npy", VECTORS)
    (tmp_path / "features.npy.gz").write_bytes(gzip.compress((tmp_path / "features.npy").read_bytes()))
    assert np.array_equal(read_sides(str(tmp_path / "features.npy.gz"))[""].vectors, VECTORS)


def test_lists_are_read_from_arrays_and_from_text(tmp_path):
    np.save(tmp_path / "labels.npy", NUMBERS)
    (tmp_path / "labels.txt").write_text("3\n1\n2\n2\n")
    (tmp_path / "names.txt").write_text("0003\n0001\n\ufeffx\n")
    npz(tmp_path / "both.npz", BOTH)
    assert read_lists(str(tmp_path / "labels.npy"), LABELS)[""].tolist() == [3, 1, 2, 2]
    assert read_lists(str(tmp_path / "labels.txt"), LABELS) == {"": [3, 1, 2, 2]}
    (tmp_path / "labels.txt").write_text("a\u2028b\nc\n", "utf-8")
    assert read_lists(str(tmp_path / "labels.txt"), LABELS) == {"": ["a\u2028b", "c"]}
    assert read_lists(str(tmp_path / "names.txt"), ENTRIES) == {"": ["0003", "0001", "\ufeffx"]}
    lists = read_lists(str(tmp_path / "both.npz"), CAMERAS)
    assert {side: values.tolist() for side, values in lists.items()} == {"query": [4], "gallery": [4, 2, 3, 3]}


@pytest.mark.parametrize("form", ["%d.0", "%.18e", "%.1f"])
def test_labels_that_pandas_or_numpy_wrote_as_fractions_are_whole_numbers_and_ids_stay(form, tmp_path):
    np.savetxt(tmp_path / "list.txt", [3, 1, -1], form)
    assert read_lists(str(tmp_path / "list.txt"), LABELS) == {"": [3, 1, -1]}
    assert read_lists(str(tmp_path / "list.txt"), ENTRIES)[""] == [form % number for number in (3, 1, -1)]


@pytest.mark.parametrize("text", ["1.0\n0.5", "1.0\n2", "9007199254740993.0\n1.0", "v1.0\n1.0"])
def test_labels_that_are_not_all_whole_numbers_stay_text(text, tmp_path):
    (tmp_path / "list.txt").write_text(text)
    assert read_lists(str(tmp_path / "list.txt"), LABELS) == {"": text.split()}


@pytest.mark.parametrize("kind", [np.str_, object])
def test_text_of_matlab_has_no_spaces_that_make_it_one_length(kind, tmp_path):
    mat(tmp_path / "names.mat", {"labels": np.array(["ann", "robert", ""], kind), "camera": NUMBERS})
    assert read_lists(str(tmp_path / "names.mat"), LABELS)[""].tolist() == ["ann", "robert", ""]


@pytest.mark.parametrize("cell", [np.array(["x", "y"]), np.array([1.0])], ids=["several texts", "a number"])
def test_cells_of_matlab_that_are_no_text_each_are_not_joined(cell, tmp_path):
    cells = np.empty(2, object)
    cells[:] = ["ab", cell]
    mat(tmp_path / "names.mat", {"labels": cells})
    kept = read_lists(str(tmp_path / "names.mat"), LABELS)[""].ravel()[1]
    assert kept.ravel().tolist() == cell.tolist()


def test_text_columns_of_parquet_are_lists(tmp_path):
    parquet(tmp_path / "names", {"label": ["ann", "bob"], "embedding": [[1.0], [2.0]]})
    assert read_lists(str(tmp_path / "names"), LABELS)[""].tolist() == ["ann", "bob"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"MATLAB 7.3 MAT-file, Platform: GLNXA64", "this is HDF5, as MATLAB's -v7.3 writes"),
        (pickle.dumps([1.0]), "this is a pickle, which runs code when it is read"),
        (b"1 2 3\n", "this is no .npy, .npz, .mat, HDF5, Parquet or .fvecs file"),
        (b"\x93NUMPY\x01\x00", "the arrays cannot be read"),
        (b"PK\x03\x04 nothing", "the arrays cannot be read"),
        (b"PAR1PAR1", "the Parquet data is damaged or cut short"),
        (b"MATLAB 5.0 MAT-file", "the arrays cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, message):
    (tmp_path / "features").write_bytes(content)
    with pytest.raises(tr.InputError, match=f"features: .*{message}"):
        read_sides(str(tmp_path / "features"))


def test_what_torch_saved_is_refused_as_the_pickle_that_it_holds(tmp_path):
    with zipfile.ZipFile(tmp_path / "features.pt", "w") as archive:
        archive.writestr("features/data.pkl", pickle.dumps([1.0]))
    with pytest.raises(tr.InputError, match="this is a pickle, which runs code when it is read"):
        read_sides(str(tmp_path / "features.pt"))


def test_a_column_of_damaged_parquet_is_named(tmp_path):
    parquet(tmp_path / "features", {"embedding": VECTORS.tolist()})
    content = (tmp_path / "features").read_bytes()
    (tmp_path / "features").write_bytes(content[:4] + b"\xff" * 40 + content[44:])
    with pytest.raises(tr.InputError, match="features: the array 'embedding' cannot be read: "):
        read_sides(str(tmp_path / "features"))


def test_an_array_of_objects_is_refused(tmp_path):
    np.save(tmp_path / "features.npy", np.array([{}, []], dtype=object))
    npz(tmp_path / "features.npz", {"features": np.array([{}, []], dtype=object)})
    fields = BytesIO()
    np.save(fields, np.array([({}, 1)], dtype=[("a", object), ("b", int)]))
    (tmp_path / "fields.npy.gz").write_bytes(gzip.compress(fields.getvalue()))
    for name in ("features.npy", "features.npz", "fields.npy.gz"):
        with pytest.raises(tr.InputError, match=r"cannot be read: .*(allow_pickle|objects|pickled)"):
            read_sides(str(tmp_path / name))
    with pytest.raises(tr.InputError, match=r"lists of different lengths, .* save lists as JSON, \{query: "):
        tr.read_qrels(str(tmp_path / "features.npy"))


def test_lists_of_different_lengths_are_refused(tmp_path):
    parquet(tmp_path / "features", {"embedding": [[1.0], [1.0, 2.0]]})
    with pytest.raises(tr.InputError, match="column 'embedding' has lists of 1 to 2 numbers"):
        read_sides(str(tmp_path / "features"))


def test_an_unclear_list_is_refused_with_what_there_is(tmp_path):
    npz(tmp_path / "lists", {"a": NUMBERS, "b": NUMBERS})
    with pytest.raises(tr.InputError, match=r"none of the arrays is called labels \(there is 'a', 'b'\)"):
        read_lists(str(tmp_path / "lists"), LABELS)


def test_a_list_that_is_no_text_is_named(tmp_path):
    (tmp_path / "labels.txt").write_bytes(b"a\n\xff\n")
    with pytest.raises(tr.InputError, match="this is neither an array nor UTF-8 text"):
        read_lists(str(tmp_path / "labels.txt"), LABELS)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(tr.InputError, match="there is no such file"):
        read_sides(str(tmp_path / "nothing.npy"))
