"""Compat is ir_measures' on a thousand random cases, but where its ideal list is not the one most like the run."""

from __future__ import annotations

import pytest
from peer_asking import ask, assert_near
from peer_cases import Case, Kind, by_id, cases

import truerank as tr

ASKED = ["Compat", "Compat(p=0.8)", "Compat(p=0.5,normalize=False)"]

UNDER = {"ties": "doc-ascending"}
"""Its own code sorts equal scores by id, ascending, as its Judged does."""


@pytest.mark.parametrize("grades", [(0, 1), (-1, 0, 1, 2, 3, 7)], ids=["binary", "preferences"])
def test_it_is_that_of_ir_measures(grades: tuple[int, ...]) -> None:
    asked = [by_id(case) for case in cases(Kind(grades=grades, more={"measures": ASKED}), 500)]
    for case, theirs in zip(asked, ask("ir_measures", asked), strict=True):
        scores = tr.evaluate(case.qrels, case.given(), ASKED, rules=UNDER)
        means = {str(tr.parse_measure(name)): mean for name, mean in theirs["mean"].items()}
        assert scores.mean == pytest.approx(means, rel=0, abs=1e-12)
        for name, column in theirs["values"].items():
            mine = dict(zip(scores.queries, scores[name].tolist(), strict=True))
            assert_near(mine, column, name)


@pytest.mark.parametrize(
    ("qrels", "run", "theirs"),
    [
        ({"b": 1, "a": 1}, {"a": 1.0, "b": 1.0}, 1 / 3),  # the ideal list has equals as the judgements do: b, a
        ({"a": 1, "b": 1}, {"a": -1.0}, 1 / 6),  # b, which was not returned, counts as one that scores 0
    ],
    ids=["ties", "scores below 0"],
)
def test_it_is_the_most_that_it_can_be_where_that_of_ir_measures_is_not(
    qrels: dict[str, int], run: dict[str, float], theirs: float
) -> None:
    case = Case({"q": qrels}, {"q": list(run.items())}, more={"measures": ["Compat(p=0.5)"]})
    assert ask("ir_measures", [case])[0]["mean"] == pytest.approx({"Compat(p=0.5)": theirs})
    ours = tr.evaluate(case.qrels, case.given(), "Compat(p=0.5)", rules=UNDER).mean["Compat(p=0.5)"]
    assert ours == pytest.approx(1.0 if len(run) == 2 else (1 + 0.25) / (1 + 0.5))
