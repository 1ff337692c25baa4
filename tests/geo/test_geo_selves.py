"""Queries that are references too: a sequence that is searched for its own pictures."""

from __future__ import annotations

import random

import numpy as np
import pytest

import truerank as tr
from truerank import geo
from truerank.geo.evaluation import RULES
from truerank.truth.distances import geodesic

REMOVED = RULES.replace(self_match="remove")


def sequence(n: int, seed: int = 0) -> dict[str, dict[str, float]]:
    rng = random.Random(seed)
    return {
        f"f{row:03}": {"lat": 37.5 + rng.random() * 0.001, "lon": 127 + rng.random() * 0.001} for row in range(n)
    }


def place(step: int) -> dict[str, float]:
    """So many times 111 metres to the north."""
    return {"lat": 37.5 + 0.001 * step, "lon": 127.0}


def by_chance(n: int, seed: int = 0) -> np.ndarray:
    """(n, n) each picture's list of all, itself first."""
    rng = np.random.default_rng(seed)
    lists = np.array([rng.permutation(n) for _ in range(n)])
    return np.array([[row, *(place for place in one if place != row)] for row, one in enumerate(lists.tolist())])


@pytest.mark.parametrize("are_places", [True, False])
def test_without_itself_a_query_has_the_numbers_of_a_loop_over_the_others(are_places):
    frames, found = sequence(30), by_chance(30)
    ids, places = list(frames), np.array([list(place.values()) for place in frames.values()])
    results = (found, None) if are_places else {ids[row]: [ids[i] for i in one] for row, one in enumerate(found)}
    view = geo.evaluate(frames, frames, results, k=[1, 5], truth="within(metres=30)", rules=REMOVED)["geo"]
    for row, query in enumerate(ids):
        metres = geodesic(np.repeat(places[row : row + 1], 30, axis=0), places)
        others = [i for i in found[row].tolist() if i != row]
        right = {i for i in others if metres[i] <= 30}
        at = view.scores.queries.index(query)
        wanted = len(right.intersection(others[:5])) / len(right) if right else 0.0
        assert view.scores["R@5"][at] == wanted
        assert view.error[at] == metres[others[0]]
        assert (query in view.truth.without_relevant) == (not right)
    assert all(one.query not in one.truths for one in view.found())


@pytest.mark.parametrize("rule", ["identity", "listed"])
def test_what_leaves_a_list_is_no_first_result_however_near_it_is(rule, tmp_path):
    flight = [{"id": "q", **place(0), "label": "gate", "camera": 1}, {"id": "r", **place(2), "label": "gate"}]
    references = [
        {"id": "a", **place(0), "label": "gate", "camera": 1},
        {"id": "b", **place(1), "label": "gate", "camera": 2},
    ]
    (tmp_path / "pairs.json").write_text('{"q": {"a": null, "b": 1}, "r": {"a": 1, "b": 1}}')
    truth = rule if rule == "identity" else f"listed({str(tmp_path / 'pairs.json')!r})"
    view = geo.evaluate(flight, references, {"q": ["a", "b"], "r": ["a", "b"]}, k=[1, 2], truth=truth)["geo"]
    assert view.mean["Success@1"] == 1.0
    assert view.errors.round().tolist() == [[111.0, np.inf], [222.0, 111.0]]
    assert view.ma["MA@50"] == view.surface["R@1"]["50"] == 0.0
    assert [(one.rank, one.top1) for one in view.found()] == [(1, "b"), (1, "a")]


def test_most_queries_that_are_references_too_are_asked_after_unless_the_rules_take_them_out():
    frames, results = sequence(30), (by_chance(30), None)
    assert [note.kind for note in geo.evaluate(frames, frames, results)["geo"].notes] == ["selves"]
    for few, notes in ((4, []), (5, ["selves"])):
        told = geo.evaluate(sequence(few), sequence(few), (by_chance(few), None))["geo"].notes
        assert [note.kind for note in told] == notes
    rule = "nearest(n=2)"
    assert geo.evaluate(frames, frames, results, truth=rule, rules=REMOVED)["geo"].notes == ()
    elsewhere = {name: {**place, "lon": place["lon"] + 1e-6} for name, place in frames.items()}
    assert geo.evaluate(frames, elsewhere, results)["geo"].notes == ()


def test_a_rule_by_which_a_query_has_only_itself_is_refused_where_it_is_taken_out():
    frames = sequence(5)
    with pytest.raises(tr.InputError, match=r"but itself.*nearest\(n=2\)"):
        geo.evaluate(frames, frames, (by_chance(5), None), rules=REMOVED)


def test_a_name_of_no_reference_is_not_taken_for_another_ones_id():
    here, far = {"lat": 37.5, "lon": 127.0}, {"lat": 37.6, "lon": 127.0}
    references = [{"id": "5", **here}, {"id": "a", **far}, {"id": "b", **far}]
    places = geo.evaluate({"q": here}, references, {"q": ["1", "2", "0", "5"]}, k=[1, 4])
    assert places["geo"].mean["R@4"] == 1.0
    assert places["geo"].hits.rank.tolist() == [3]
