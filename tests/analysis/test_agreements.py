"""How much every two of many runs agree: what `agreement` says of each two, as a matrix and a picture."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.present.agreement_matrix import document_of

RUNS = 5


def world(seed: int) -> dict[str, dict[str, float]]:
    """Answers with equal scores, of any length, not to all queries."""
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(15)]
    return {
        f"q{number}": {doc: chance.randint(0, 4) / 2 for doc in chance.sample(docs, chance.randint(0, 12))}
        for number in chance.sample(range(8), 6)
    }


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"p": 0.5, "k": 3, "depth": 4},
        {"ties": "w"},
        {"ties": "a", "unseen": "min"},
        {"ties": "b", "unseen": "max", "depth": 5},
        {"unseen": "res", "rules": {"ties": "doc-ascending"}},
    ],
    ids=str,
)
def test_every_two_agree_as_they_do_alone(how: dict[str, Any]) -> None:
    runs = {f"run {seed}": world(seed) for seed in range(RUNS)}
    found = tr.agreements(runs, **how)
    assert found.systems == tuple(runs)
    for i, j in itertools.permutations(range(RUNS), 2):
        alone = tr.agreement(runs[f"run {i}"], runs[f"run {j}"], **how)
        assert found.queries[i, j] == len(alone.queries)
        ours = [getattr(found, name)[i, j] for name in ("rbo", "tau", "tau_ap", "overlap")]
        theirs = [alone.mean_rbo, alone.mean_tau, alone.mean_tau_ap, alone.mean_overlap]
        assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    assert np.isnan(np.diag(found.rbo)).all()


def test_files_and_readings_are_compared_alike(tmp_path: Any) -> None:
    runs = [world(seed) for seed in range(3)]
    expected = tr.agreements({str(i): run for i, run in enumerate(runs)})
    readings = [tr.read(None, run, keep="all") for run in runs]
    again = tr.agreements(readings)
    assert (again.rbo[0, 1], again.tau[0, 2]) == (expected.rbo[0, 1], expected.tau[0, 2])


def test_runs_that_agree_stand_together_and_programs_get_every_pair() -> None:
    lists = {"a1": "abcde", "z1": "zyxwv", "a2": "abced", "z2": "zyxvw", "a3": "bacde"}
    found = tr.agreements({name: {"q": list(docs)} for name, docs in lists.items()})
    assert [name[0] for name in found.order] == [*"aaazz"]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["order"] == list(found.order)
    assert plain["pairs"][0]["tau"] is None, "nothing in common"
    assert (
        len(plain["pairs"]) == len(found.to_pandas()) == found.to_polars().height == found.to_arrow().num_rows == 10
    )


def test_the_picture_and_the_matrix_are_as_wide_as_there_is_room_for() -> None:
    for many, wide in ((3, 80), (12, 100), (40, 80), (70, 80)):
        runs = {f"system{n:02}": {"q": ["a", *map(str, range(n % 7))]} for n in range(many)}
        found = tr.agreements(runs)
        text = found.to_text()
        assert max(map(len, text.split("\n\n")[1].splitlines())) <= wide
        assert f"{many} runs, 1 query; whole lists." in text
        (figure,) = document_of(found, coefficient="overlap").figures
        assert len(figure.specification["data"]["values"]) == many * (many - 1)
    assert "agree least and most" in text
    assert "overlap@10" in found.to_text(coefficient="overlap")


def test_pairs_without_a_query_in_common_are_named() -> None:
    runs = {"a": {"q": ["x"]}, "b": {"q": ["x"]}, "c": {"r": ["x"]}}
    found = tr.agreements(runs)
    assert "2 pairs of runs have no query in common: a and c; b and c." in found.to_text()
    many = tr.agreements({**runs, **{f"d{n}": {f"q{n}": ["x"]} for n in range(9)}})
    assert "a and c; a and d0; a and d1; a and d2; a and d3; …." in many.to_text()


@pytest.mark.parametrize(
    ("runs", "how", "says"),
    [
        ([{"q": ["a"]}], {}, "1 run: nothing to agree with"),
        ([], {}, "there is no run to compare"),
        ("one.run", {}, "1 run: nothing to agree with"),
        (None, {}, "runs are {name: run} or a list of runs, not None"),
        ([{"q": ["a"]}, {"q": ["a"]}], {"k": None}, "k is a whole number"),
        ([{"q": ["a"]}, {"q": ["a"]}], {"p": "0.9"}, "p is a number between 0 and 1"),
        ([{"q": ["a"]}, {"r": ["a"]}], {}, "no two of these runs answer the same query"),
        ([{"q": ["a"]}, {"q": ["a"]}], {"k": 0}, "k is a whole number"),
        ([{"q": ["a"]}, {"q": ["a"]}], {"p": 1}, "p is a number between 0 and 1"),
        ([{"q": [["a"], ["b"]]}, {"q": ["a"]}], {}, "several lists per query, one per call"),
    ],
)
def test_what_cannot_be_compared_is_said(runs: Any, how: dict[str, Any], says: str) -> None:
    with pytest.raises(tr.TruerankError, match=says):
        tr.agreements(runs, **how)
    with pytest.raises(tr.TruerankError, match="a coefficient is rbo or tau or tau_ap or overlap"):
        tr.agreements([{"q": ["a"]}] * 2).to_text(coefficient="kappa")


@pytest.mark.parametrize("ties", ["w", "a", "b", None])
def test_empty_lists_agree_as_they_do_pair_by_pair(ties: Any) -> None:
    runs: list[Any] = [{"q": {}}, {"q": {"a": 1.0, "b": 2.0}}, {"q": {}, "r": {"a": 1.0}}]
    found = tr.agreements(runs, ties=ties)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert found.rbo[i, j] == tr.agreement(runs[i], runs[j], ties=ties).mean_rbo
