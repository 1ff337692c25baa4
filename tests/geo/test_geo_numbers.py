"""Numbers in results: places in the lists, or names of the items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import truerank as tr
from truerank import geo

HERE, FAR = {"lat": 37.5, "lon": 127.0}, {"lat": 37.6, "lon": 127.0}


def line(count: int) -> dict[str, dict[str, float]]:
    """Places along a line, called by the numbers of their files, in the order in which a folder lists these."""
    names = sorted(f"{number}.jpg" for number in range(count))
    return {name: {"lat": 37.5 + 0.001 * row, "lon": 127.0} for row, name in enumerate(names)}


FLIGHT, REFERENCES = line(12), line(24)


def test_numbers_in_arrays_are_places_in_the_lists_whatever_the_files_are_called(tmp_path):
    found, scores = np.arange(12)[:, None] + [0, 1], np.tile([2.0, 1.0], (12, 1))
    np.save(tmp_path / "I.npy", found)
    stored = sparse.csr_matrix((scores.ravel(), found.ravel(), np.arange(0, 25, 2)), shape=(12, 24))
    for results in (tmp_path / "I.npy", (found, scores), (found, None), (found, scores, list(FLIGHT)), stored):
        places = geo.evaluate(FLIGHT, REFERENCES, results, k=[1])
        assert places["geo"].mean["R@1"] == 1.0
        assert [note.message for note in places.notes] == [
            "The results name references by their place in the list, from 0; by their name without ending they "
            "would be others."
        ]


def test_numbers_in_arrays_that_are_beyond_the_list_are_names_of_references():
    references = [{"id": number, **place} for number, place in ((7, FAR), (2, FAR), (1, HERE))]
    assert geo.evaluate({"q": HERE}, references, ([[1, 7]], None), k=[1])["geo"].mean["R@1"] == 1.0


def test_a_folder_of_lists_that_are_all_empty_finds_nothing(tmp_path):
    (tmp_path / "0.json").write_text("[]")
    assert geo.evaluate(FLIGHT, REFERENCES, tmp_path, k=[1])["geo"].mean["R@1"] == 0.0


def test_names_that_could_be_places_of_other_items_are_told_in_a_note():
    results = {row: [row, row + 1] for row in range(12)}
    assert [note.message for note in geo.evaluate(FLIGHT, REFERENCES, results, k=[1]).notes] == [
        f"The results name {side} by their name without ending; by their place in the list, from 0 they would be "
        "others."
        for side in ("queries", "references")
    ]


def test_distances_in_arrays_that_are_taken_for_scores_are_asked_after_unless_it_is_said_what_is_better():
    found, far = np.array([[0, 1]] * 12), np.array([[0.1, 0.2]] * 12)
    assert geo.evaluate(FLIGHT, REFERENCES, (found, far))["geo"].scores.ledger.rising
    assert not geo.evaluate(FLIGHT, REFERENCES, (found, far), better="lower")["geo"].scores.ledger.rising
    assert not geo.evaluate(FLIGHT, REFERENCES, (found, -far))["geo"].scores.ledger.rising


def saved(tmp_path, **arrays):
    path = tmp_path / "found.npz"
    np.savez(path, **arrays)
    return path


def test_distances_of_a_file_of_arrays_are_what_is_accepted_and_of_which_the_lower_is_better(tmp_path):
    found = np.arange(12)[:, None] + [0, 1]
    path = saved(tmp_path, I=found, D=np.tile([0.25, 0.75], (12, 1)))
    for better, recall in ((None, 1.0), ("lower", 1.0), ("higher", 0.0), ("order", 1.0)):
        assert geo.evaluate(FLIGHT, REFERENCES, path, k=[1], better=better)["geo"].mean["R@1"] == recall
    assert geo.evaluate(FLIGHT, REFERENCES, path).threshold(0.5) == -0.5
    products = saved(tmp_path, I=found, D=np.tile([0.75, 0.25], (12, 1)))
    places = geo.evaluate(FLIGHT, REFERENCES, products, k=[1])
    assert (places["geo"].mean["R@1"], places.threshold(0.5)) == (1.0, 0.5)


def test_distances_beside_names_and_in_lists_that_are_cut_are_distances_too(tmp_path):
    names = np.array([[near, [*REFERENCES][-1]] for near in [*REFERENCES][:12]])
    path = saved(tmp_path, ids=names, distances=np.tile([0.25, 0.75], (12, 1)), queries=np.array([*FLIGHT]))
    for results in (path, tr.open_run(path).cut(2)):
        for better, recall in ((None, 1.0), ("lower", 1.0), ("higher", 0.0)):
            assert geo.evaluate(FLIGHT, REFERENCES, results, k=[1], better=better)["geo"].mean["R@1"] == recall
        assert geo.evaluate(FLIGHT, REFERENCES, results).threshold(0.5) == -0.5


def test_lists_without_scores_have_none_that_are_better_or_accepted(tmp_path):
    np.save(tmp_path / "I.npy", np.arange(12)[:, None] + [0, 1])
    for results in (tmp_path / "I.npy", {"0.jpg": ["0.jpg", "1.jpg"]}):
        places = geo.evaluate(FLIGHT, REFERENCES, results, k=[1])
        assert places["geo"].mean["R@1"] == 1.0
        with pytest.raises(tr.InputError, match="has no scores to compare with a threshold"):
            places.threshold(0.5)
        for better in ("lower", "higher"):
            with pytest.raises(tr.InputError, match=f"has no scores for better = {better} to compare"):
                geo.evaluate(FLIGHT, REFERENCES, results, better=better)


def test_ranks_of_a_run_decide_where_it_has_no_scores(tmp_path):
    (tmp_path / "run.csv").write_text("query_id,doc_id,rank\n0.jpg,1.jpg,2\n0.jpg,0.jpg,1\n")
    for run in (tmp_path / "run.csv", tr.open_run(tmp_path / "run.csv").cut(2)):
        places = geo.evaluate(FLIGHT, REFERENCES, run, k=[1])
        assert places["geo"].mean["R@1"] == 1.0
        with pytest.raises(tr.InputError, match="has no scores"):
            places.threshold(0.5)


def test_the_median_error_is_that_of_numpy_and_long_distances_are_whole_numbers():
    for count in (1, 2, 5, 6):
        asked = dict.fromkeys(list(REFERENCES)[:count], HERE)
        places = geo.evaluate(asked, REFERENCES, {name: [name] for name in asked}, k=1, within=[50, 2.5e6])["geo"]
        assert places.error_curve["median"] == pytest.approx(np.median(places.error))
        assert list(places.ma) == ["MA@50", "MA@2500000"]
