"""Binary files of vectors and of exact neighbours: what was written is read, and what is damaged is refused."""

from __future__ import annotations

import gzip
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import truerank as tr
from truerank.cli import truerank
from truerank.formats.arrays import read_arrays
from truerank.formats.source import Source
from truerank.formats.vector_files import HEADED, LED
from truerank.truth.neighbours import neighbours

EXACT = np.array([[4, 2, 9], [1, 0, 3]], np.int32)
FAR = np.array([[0.5, 1.0, 1.0], [0.25, 0.5, 2.0]], np.float32)
FOUND = {"0": ["2", "4", "7"], "1": ["3", "8", "9"]}


def led(table: np.ndarray[Any, Any]) -> bytes:
    """A row after a row, each after its length."""
    return b"".join(struct.pack("<i", len(row)) + row.tobytes() for row in table)


def headed(*tables: np.ndarray[Any, Any]) -> bytes:
    """The shape, then one table after the other."""
    return struct.pack("<II", *tables[0].shape) + b"".join(table.tobytes() for table in tables)


def hdf5(path: Path, **datasets: np.ndarray[Any, Any]) -> Path:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(path, "w") as file:
        for name, array in datasets.items():
            file[name] = array
    return path


def written(folder: Path, name: str) -> Path:
    """The exact neighbours in a file of this name."""
    path = folder / name
    if name.endswith(".hdf5"):
        return hdf5(path, neighbors=EXACT, distances=FAR, train=np.zeros((10, 2)), test=np.zeros((2, 2)))
    if name.endswith(".npz"):
        np.savez(path, I=EXACT, D=FAR)
    elif name.endswith(".npy"):
        np.save(path, EXACT)
    else:
        content = led(EXACT) if ".ivecs" in name else headed(*((EXACT,) if name == "x.ibin" else (EXACT, FAR)))
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


FILES = ("x.ivecs", "x.ivecs.gz", "x.ibin", "truth.ibin", "truth.bin", "GT_1B", "x.hdf5", "x.npz", "x.npy")


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_exact_neighbours_is_qrels_and_a_run(name, tmp_path):
    path = written(tmp_path, name)
    listed = {str(row): list(map(str, ids)) for row, ids in enumerate(EXACT.tolist())}
    assert tr.read_qrels(path).to_dict() == tr.read_qrels(listed).to_dict()
    assert tr.evaluate(path, FOUND, "P@3 RR").per_query() == tr.evaluate(listed, FOUND, "P@3 RR").per_query()
    judged = {"0": {"9": 1}, "1": {"0": 1}}
    ties = {"ties": "input"}
    assert (
        tr.evaluate(judged, path, "RR", rules=ties).per_query()
        == tr.evaluate(judged, listed, "RR", rules=ties).per_query()
    )


@pytest.mark.parametrize("name", FILES)
def test_the_command_line_reads_them(name, tmp_path):
    path = written(tmp_path, name)
    done = CliRunner().invoke(truerank, ["eval", str(path), str(path), "-m", "P@3 R@1"])
    assert done.exit_code == 0, done.output
    assert "1.0000  0.3333" in done.stdout


@pytest.mark.parametrize("suffix", [*LED, *HEADED])
@given(data=st.data())
def test_what_was_written_is_read(tmp_path_factory, suffix, data):
    kind = {**LED, **HEADED}[suffix]
    shape = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    table = data.draw(arrays.arrays(kind, shape))
    path = tmp_path_factory.mktemp("files") / f"x{suffix}"
    path.write_bytes(led(table) if suffix in LED else headed(table))
    (read,) = read_arrays(Source(str(path))).values()
    assert read.dtype == kind
    assert read.tobytes() == table.tobytes()


@given(content=st.binary(max_size=64), suffix=st.sampled_from([*LED, *HEADED, ".bin"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content, suffix):
    path = tmp_path_factory.mktemp("files") / f"x{suffix}"
    path.write_bytes(content)
    with suppress(tr.InputError):
        tr.read_qrels(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.ivecs", led(EXACT)[:-1], "cut short, or of another kind: 31 bytes are no whole number of rows of 16"),
        ("x.ivecs", struct.pack("<i", -3) + b"\0" * 12, "its rows would have -3 numbers"),
        ("x.ivecs", led(EXACT)[:16] + struct.pack("<4i", 2, 1, 0, 3), "row 2 has 2 numbers, and the first one 3"),
        ("x.ivecs", led(np.array([[1, 1]], np.int32)), "document 1 of query 0 is judged twice"),
        ("x.ibin", headed(EXACT)[:-2], "it says that it has 2 rows of 3 numbers, which take 32 bytes, or 56 with"),
        ("x.ibin", b"\1\0\0", "0 rows of 0 numbers"),
        ("x.ibin", led(EXACT), "cut short, or of another kind"),
        ("x.ibin", bytes(8), "it begins with no shape: it would have 0 rows of 0 numbers"),
        ("x.ibin", struct.pack("<ii", -1, 3) + bytes(24), "it would have -1 rows of 3 numbers"),
        ("x.fvecs", led(FAR), "none of the arrays is that of the ids"),
        ("x.u8bin", headed(EXACT.astype(np.uint8)), "none of the arrays is that of the ids"),
        ("x.hdf5", b"\x89HDF\r\n\x1a\n nothing", "the arrays cannot be read"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_by_name(tmp_path, name, content, said):
    if name.endswith("hdf5"):
        pytest.importorskip("h5py", reason="h5py is not installed")
    (tmp_path / name).write_bytes(content)
    done = CliRunner().invoke(truerank, ["eval", str(tmp_path / name), str(tmp_path / name), "-m", "R@1"])
    assert done.exit_code == 2
    assert f"{name}: " in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_an_id_beyond_the_documents_is_refused(dtype, tmp_path):
    exact, vectors = EXACT.astype(dtype), {"test": np.zeros((2, 2))}
    path = hdf5(tmp_path / "x.hdf5", neighbors=exact, distances=FAR, train=np.zeros((9, 2)), **vectors)
    with pytest.raises(tr.InputError, match="row 1 has the id 9, but there are only 9 documents"):
        tr.read_qrels(path)
    exact[exact == 9] = np.array(-1).astype(dtype)  # which fills up a short row
    path = hdf5(tmp_path / "y.hdf5", neighbors=exact, distances=FAR, train=np.zeros((9, 2)), **vectors)
    assert tr.read_qrels(path).to_dict()["0"] == {"4": 1, "2": 1}


@pytest.mark.parametrize("train", [np.arange(4), np.array([["a"], ["b"]])], ids=["a list", "text"])
def test_arrays_called_as_vectors_are_that_are_none_are_passed_over(train, tmp_path):
    np.savez(tmp_path / "x.npz", I=EXACT, D=FAR, train=train, test=np.zeros((2, 1)))
    np.savez(tmp_path / "y.npz", I=EXACT, D=FAR)
    assert tr.read_qrels(tmp_path / "x.npz").to_dict() == tr.read_qrels(tmp_path / "y.npz").to_dict()


def test_packed_datasets_are_read_as_plain_ones_are(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "x.hdf5", "w") as file:
        file.create_dataset("neighbors", data=EXACT, chunks=(1, 3), compression="gzip")
        file.create_group("metrics")
    assert tr.read_qrels(tmp_path / "x.hdf5").to_dict() == tr.read_qrels(written(tmp_path, "x.ivecs")).to_dict()


def test_text_of_any_length_in_hdf5_is_ids_as_other_text_is(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    ids, scores = [["a", "문서"], ["c", "d"]], [[0.9, 0.8], [0.7, 0.1]]
    path = hdf5(tmp_path / "x.hdf5", ids=np.array(ids, h5py.string_dtype()), scores=scores, queries=["x", "y"])
    assert tr.evaluate({"x": {"문서": 1}, "y": {"c": 1}}, path, "RR").mean == {"RR": (1 / 2 + 1) / 2}
    assert tr.read_qrels(path).to_dict() == {"x": {"a": 1, "문서": 1}, "y": {"c": 1, "d": 1}}


def test_hdf5_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    (tmp_path / "x.hdf5").write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(tr.MissingPackage, match=r'needs: pip install "truerank\[hdf5\]"'):
        tr.read_qrels(tmp_path / "x.hdf5")


@pytest.mark.parametrize(
    ("format", "right"),
    [
        ("{}(k=1)", {"0": ["4"], "1": ["1"]}),
        ("{}(k=2)", {"0": ["4", "2", "9"], "1": ["1", "0"]}),
        ("{}(k=2, tie=None)", {"0": ["4", "2"], "1": ["1", "0"]}),
        ("{}(k=2, epsilon=1.5)", {"0": ["4", "2", "9"], "1": ["1", "0", "3"]}),
        ("{}(k=1, epsilon=1.0, relative=True)", {"0": ["4", "2", "9"], "1": ["1", "0"]}),
    ],
)
@pytest.mark.parametrize("name", ["truth.ibin", "x.npz", "x.hdf5", "pair.ivecs", "pair.npy"])
def test_options_of_the_format_say_how_many_are_right_and_what_ties(format, right, name, tmp_path):
    path = written(tmp_path, name)
    kind = {".ibin": "ibin", ".npz": "numpy", ".npy": "numpy", ".hdf5": "hdf5", ".ivecs": "ivecs"}[path.suffix]
    if name.startswith("pair"):
        beside = tmp_path / ("d.fvecs" if name.endswith("vecs") else "d.npy")
        beside.write_bytes(led(FAR))
        if beside.suffix == ".npy":
            np.save(beside, FAR)
        format = format.replace(")", f", distances={str(beside)!r})")
    assert tr.read_qrels(path, format.format(kind)).to_dict() == tr.read_qrels(right).to_dict()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("k=4", "k is 4, but only 3 neighbours of each query are listed"),
        ("k=0", "k is a positive whole number, not 0"),
        ("k=1, epsilon=-1", "epsilon is a number from 0 on, not -1"),
        ("epsilon=0.5", "tie and epsilon are about the k-th neighbour"),
        ("k=1, tie=0.5", "tie and epsilon need distances, and there are only ids"),
        ("distances=3", "distances of ivecs is a file, not 3"),
        ("distances='x.ivecs'", "are two arrays|should be of one|there are ids of shape"),
        ("depth=3", "ivecs has no option 'depth'"),
    ],
)
def test_an_option_that_cannot_be_is_refused(options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "truth.ivecs")
    (tmp_path / "x.ivecs").write_bytes(led(EXACT[:, :2]))
    with pytest.raises(tr.InputError, match=said):
        tr.read_qrels(path, f"ivecs({options})")


@given(
    ids=arrays.arrays(np.int32, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=st.integers(-1, 6)),
)
def test_judgements_are_those_of_sets_in_a_loop(ids):
    rows = [[doc for doc in row if doc >= 0] for row in ids.tolist()]
    if any(len(set(row)) < len(row) for row in rows):
        with pytest.raises(tr.InputError, match="is judged twice"):
            neighbours(ids, k=ids.shape[1])
        return
    for k in range(1, ids.shape[1] + 1):
        wanted = {str(q): {str(doc): 1.0 for doc in row[:k] if doc >= 0} for q, row in enumerate(ids.tolist())}
        assert neighbours(ids, k=k).to_dict() == wanted
