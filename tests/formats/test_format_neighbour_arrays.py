"""FAISS's arrays as runs and as judgements: distances or products, short rows, ids of one's own."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank import truth
from truerank.cli import truerank

IDS = np.array([[3, 1, -1], [2, 5, 9]])
RANKED = {"0": ["3", "1"], "1": ["2", "5", "9"]}
TRUTH = {"0": {"1": 1}, "1": {"2": 1, "9": 1}}
DISTANCES = np.array([[0.1, 0.5, 3.4e38], [0.2, 0.3, 0.4]], np.float32)
MEASURES = "AP RR R@2"


def values(run: object, qrels: object = TRUTH) -> dict[str, dict[str, float]]:
    return tr.evaluate(qrels, run, MEASURES).per_query()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_an_array_of_ids_alone_is_a_run_best_first():
    np.save("run.npy", IDS)
    assert values("run.npy") == values(RANKED)


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_numbers_below_minus_one_are_documents_in_files_as_in_arrays(dtype):
    ids, far = np.array([[-5, 3, -1], [7, -128, -2]], dtype), np.array([[1.0, 2, 9], [1, 2, 2]])
    np.save("ids.npy", ids)
    np.savez("far.npz", I=ids, D=far)
    near = {"lims": [0, 2, 5], "I": ids[ids != -1]}
    np.savez("near.npz", **near, D=far[ids != -1])
    exact = {"0": {"-5": 1.0, "3": 1.0}, "1": {"7": 1.0, "-128": 1.0, "-2": 1.0}}
    for name in ("ids.npy", "far.npz", "near.npz"):
        assert tr.read_qrels(name).to_dict() == exact
        assert values(name) == values((ids, -far))
        assert values(name, "ids.npy") == values((ids, -far), truth.neighbours((ids, far), k=3))
    assert truth.neighbours("far.npz", k=2, found=(ids, far)).to_dict()["1"] == exact["1"]


def test_numbers_from_two_to_the_63_on_are_documents_of_a_range_search():
    np.savez("near.npz", lims=[0, 2], I=np.array([2**63 + 1, 4], np.uint64))
    assert tr.evaluate({"0": {str(2**63 + 1): 1}}, "near.npz", "RR").mean == {"RR": 1.0}
    assert tr.read_qrels("near.npz").to_dict() == {"0": {"4": 1.0, "9223372036854775809": 1.0}}


@pytest.mark.parametrize("name", ["D", "distances", "dist"])
def test_the_lower_distance_is_the_better(name):
    shuffled = [1, 0, 2]  # neither rising nor falling: the name decides
    np.savez("run.npz", I=IDS[:, shuffled], **{name: DISTANCES[:, shuffled]})
    assert values("run.npz") == values(RANKED)


def test_the_higher_score_is_the_better_where_rows_are_in_no_order():
    np.savez("run.npz", I=[[3, 1, 7], [2, 5, 9]], scores=[[0.5, 0.9, 0.1], [0.8, 0.7, 0.6]])
    assert values("run.npz") == values({"0": ["1", "3", "7"], "1": ["2", "5", "9"]})


def test_distances_in_arrays_are_not_added_up_as_scores():
    arrays = {"rows": {"I": IDS}, "near": {"lims": [0, 2], "I": [3, 1]}}
    for name, ids in arrays.items():
        distances = DISTANCES if name == "rows" else DISTANCES[0, :2]
        np.savez(f"{name}.npz", **ids, D=distances)
        np.savez(f"{name}-scores.npz", **ids, scores=-distances)
        with pytest.raises(tr.InputError, match="there are ranks or distances here and no scores"):
            values(tr.fuse([f"{name}.npz"] * 2, "combsum", norm=None))
        fused = tr.fuse([f"{name}-scores.npz"] * 2, "combsum", norm=None)
        assert values(fused) == values(f"{name}.npz")


def test_a_row_best_first_tells_products_from_distances():
    np.savez("run.npz", I=IDS, D=-DISTANCES)
    assert values("run.npz") == values(RANKED)


@pytest.mark.parametrize("names", [("ids", "scores", "queries"), ("docs", "similarities", "query_ids")])
def test_ids_of_text_and_of_queries_are_taken(names):
    arrays = np.array([["b", "a"], ["c", "d"]]), np.array([[0.9, 0.8], [0.7, 0.1]]), np.array(["x", "y"])
    np.savez_compressed("run.npz", **dict(zip(names, arrays, strict=True)))
    assert values("run.npz", {"x": {"a": 1}, "y": {"c": 1}}) == values(
        {"x": ["b", "a"], "y": ["c", "d"]}, {"x": {"a": 1}, "y": {"c": 1}}
    )


@pytest.mark.parametrize("name", ["D", "dist", "distance", "Distances", "scores"])
def test_the_distances_of_a_file_that_is_said_stand_for_those_that_are_there(name):
    np.savez("run.npz", I=IDS[:, :2], **{name: np.array([[0.5, 0.1], [0.1, 0.5]])})
    np.save("far.npy", np.array([[0.1, 0.5], [0.5, 0.1]]))
    formatted = "numpy(distances='far.npy')"
    tr.formats.convert("run.npz", "swapped.json", what="run", format=formatted)
    assert values("swapped.json") == values({"0": ["3", "1"], "1": ["5", "2"]})


def test_arrays_are_judgements_too():
    np.save("truth.npy", np.array([[1, -1], [2, 9]]))
    np.savez("graded.npz", ids=np.array([[1, -1], [2, 9]]), relevance=np.array([[2, 0], [1, 0]]))
    assert values(RANKED, "truth.npy") == values(RANKED)
    assert tr.read_qrels("graded.npz").to_dict() == {"0": {"1": 2.0}, "1": {"2": 1.0, "9": 0.0}}


@pytest.mark.parametrize("name", ["relevance", "grade", "grades", "gains", "relevances", "ratings"])
def test_an_array_of_grades_tells_that_arrays_are_judgements(name):
    np.savez("graded.npz", ids=np.array([[1, -1], [2, 9]]), **{name: np.array([[2, 0], [3, 0]])})
    tr.formats.convert("graded.npz", "graded.json")
    assert tr.read_qrels("graded.json").to_dict() == {"0": {"1": 2.0}, "1": {"2": 3.0, "9": 0.0}}


def test_the_command_line_reads_and_converts_them():
    np.save("truth.npy", np.array([[1, -1], [2, 9]]))
    np.savez("run.npz", I=IDS, D=DISTANCES)
    done = CliRunner().invoke(truerank, ["eval", "truth.npy", "run.npz", "-m", "RR"])
    assert (done.exit_code, "0.7500" in done.stdout) == (0, True)
    assert CliRunner().invoke(truerank, ["convert", "run.npz", "a.run"]).exit_code == 0
    assert values("a.run") == values(RANKED)


def test_what_is_no_result_is_refused_with_what_there_is():
    np.save("d.npy", DISTANCES)
    np.savez("two.npz", I=IDS, D=DISTANCES[:, :2])
    with pytest.raises(
        tr.InputError, match=r"d.npy: none of the arrays is that of the ids.*there is float32 \(2, 3\)"
    ):
        values("d.npy")
    with pytest.raises(tr.InputError, match="are two arrays of one shape"):
        values("two.npz")


def test_another_zip_archive_is_refused_by_name():
    with zipfile.ZipFile("runs.zip", "w") as archive:
        archive.writestr("a.run", "q Q0 d 1 1 t\n")
    with pytest.raises(tr.InputError, match=r"runs.zip: this is a .zip archive.*unpack it"):
        values("runs.zip")


NEAR = [[4, 1], [], [2], []]
RETURNED = {"0": {"1": -0.1, "9": -0.3}, "2": {"2": -0.2}, "3": {"7": -0.2}}


def near_file(kind: str) -> str:
    """What is near to each query in a file, as FAISS or big-ann has it."""
    lims, ids, far = [0, 2, 2, 3, 3], np.array([4, 1, 2]), np.array([0.2, 0.1, 0.3], np.float32)
    if kind == "npz":
        np.savez("near.npz", lims=lims, I=ids, D=far)
    elif kind == "hdf5":
        with pytest.importorskip("h5py").File("near.hdf5", "w") as file:
            file["lims"], file["neighbors"], file["distances"] = lims, ids, far
    else:
        head = np.array([len(NEAR), len(ids), *map(len, NEAR), *ids], "<i4")
        Path("near.rangeres").write_bytes(head.tobytes() + far.tobytes())
    return f"near.{kind}"


@pytest.mark.parametrize("kind", ["npz", "hdf5", "rangeres"])
def test_documents_within_a_radius_are_judgements_of_every_query_and_a_run(kind):
    near = near_file(kind)
    assert tr.read_qrels(near).to_dict() == {"0": {"4": 1, "1": 1}, "1": {}, "2": {"2": 1}, "3": {}}
    scores = tr.evaluate(near, RETURNED, "SetR microAP", rules="big-ann")
    assert scores.per_query() == {q: {"SetR": value} for q, value in zip("0123", (0.5, 0, 1, 0), strict=True)}
    assert scores.mean["microAP"] == pytest.approx((1 / 1 + 2 / 3) / 3)  # 7 is as near as 2, and both count
    assert tr.evaluate({"0": {"4": 1}, "2": {"2": 1}}, near, "RR").mean == {"RR": 0.75}  # 1 is nearer than 4


def test_within_a_radius_products_are_called_scores_and_ids_alone_stand_best_first():
    np.savez("scores.npz", lims=[0, 2], I=[4, 1], scores=[0.2, 0.1])
    np.savez("ids.npz", lims=[0, 2], I=[4, 1])
    for name in ("scores.npz", "ids.npz"):
        assert tr.evaluate({"0": {"4": 1}}, name, "RR").mean == {"RR": 1.0}
    with pytest.raises(tr.TruerankError, match="scores"):
        tr.evaluate({"0": {"4": 1}}, "ids.npz", "microAP")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (
            {"lims": [0, 2], "I": np.array([2**64 - 1, 2], np.uint64)},
            f"the id {2**64 - 1}, which fills up short rows",
        ),
        ({"lims": [0, 3], "I": [1, 2]}, "lims rises from 0 to the number of ids, 2,"),
        ({"lims": [0, 2, 1, 2], "I": [1, 2]}, "lims rises from 0"),
        ({"lims": [1, 2], "I": [1, 2]}, "lims rises from 0"),
        ({"lims": [0, 2], "I": [1, 2], "D": [0.1]}, "as many distances or scores"),
        ({"lims": [0, 2], "I": [1, -1]}, "there is the id -1"),
        ({"lims": [0, 1], "I": [[1]]}, "there is no single list of ids"),
        ({"lims": [0, 1]}, "there is no single list of ids"),
        ({"lims": [0, 1], "I": [0.5]}, "there is no single list of ids"),
        ({"lims": [0, 1], "I": [1], "queries": ["a"]}, "queries are their row numbers, from 0"),
        ({"lims": [0, 1], "I": [1], "relevance": [2]}, "and have no grades"),
        ({"lims": [0, 2], "I": [1, 1]}, "document 1 of query 0 is judged twice"),
    ],
)
def test_arrays_of_a_range_search_that_do_not_go_together_are_refused(arrays, said):
    np.savez("near.npz", **arrays)
    with pytest.raises(tr.InputError, match=said):
        tr.read_qrels("near.npz")


def test_how_many_neighbours_are_right_is_refused_where_rows_are_of_any_length():
    sparse = pytest.importorskip("scipy.sparse")
    sparse.save_npz("sparse.npz", sparse.csr_array([[1.0, 0.5]]))
    for name in (near_file("npz"), "sparse.npz"):
        with pytest.raises(tr.InputError, match="k, tie and epsilon are of tables with a row"):
            tr.read_qrels(name, "numpy(k=1)")


def test_a_distance_that_is_a_signalling_nan_is_refused_without_a_warning():
    bits = DISTANCES.view(np.uint32).copy()
    bits[1, 1] = 0x7FA00000
    np.savez("run.npz", I=IDS, distances=bits.view(np.float32))
    with pytest.raises(tr.InputError, match="document 5 has the score nan, which is not a finite number"):
        values("run.npz")


def test_ids_of_letters_beyond_unicode_are_damaged():
    ids = np.array([["a", "b"], ["c", "d"]])
    ids.view(np.uint32)[1, 1] = 0x110000
    np.save("run.npy", ids)
    np.savez("run.npz", ids=ids)
    for name, said in (("run.npy", "the arrays"), ("run.npz", "the array 'ids'")):
        with pytest.raises(tr.InputError, match=f"{name}: {said} cannot be read: a text in it is damaged"):
            values(name)
