"""Numbers in results: places in the lists, or names of the items."""

from __future__ import annotations

import numpy as np
from scipy import sparse

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
    references = [{"id": number, **place} for number, place in ((7, FAR), (1, HERE), (2, FAR))]
    assert geo.evaluate({"q": HERE}, references, ([[1, 7]], None), k=[1])["geo"].mean["R@1"] == 1.0


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
