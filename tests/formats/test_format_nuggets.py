"""Nuggets with their support, as qrels and as the run that they are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import truerank as tr

SAID = [("support", "vital"), ("partial_support", "vital"), ("not_support", "okay"), ("support", "okay")]


def answer(qid: str, said: list[tuple[str, str]]) -> dict[str, Any]:
    nuggets = [{"text": f"n{i}", "importance": how, "assignment": what} for i, (what, how) in enumerate(said)]
    return {"query": "what?", "qid": qid, "answer_text": "…", "nuggets": nuggets}


def written(folder: Path, *answers: dict[str, Any]) -> str:
    path = folder / "assigned.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in answers))
    return str(path)


def test_the_four_averages_are_those_of_trec_rag(tmp_path: Path) -> None:
    none = answer("2", [("partial_support", "okay")])
    path = written(tmp_path, answer("1", SAID), none)
    scores = tr.evaluate(path, path, "vital_score all_score strict_vital_score strict_all_score")
    assert [scores[name].tolist() for name in scores] == [[0.75, 0.0], [0.625, 0.5], [0.5, 0.0], [0.5, 0.0]]


def test_nuggets_are_read_from_lists_of_objects_and_where_the_first_answers_have_none(tmp_path: Path) -> None:
    answers = [answer("0", []), answer("1", SAID), answer("2", [("partial_support", "okay")])]
    (tmp_path / "assigned.json").write_text(json.dumps(answers))
    passages = [{"qid": "3", "docid": doc, "nuggets": answer("3", SAID)["nuggets"]} for doc in "ab"]
    for given in (written(tmp_path, *answers), tmp_path / "assigned.json", answers):
        scores = tr.evaluate(given, given, "all_score vital_score")
        assert [scores[name].tolist() for name in scores] == [[0.0, 0.625, 0.5], [0.0, 0.75, 0.0]]
    one = [{"query_id": "1", "docs": ["answer"]}]
    assert tr.evaluate(answers, one, "all_score")["all_score"].tolist() == [0.0, 0.625, 0.0]
    assert tr.open_run(passages).to_dict() == {"3": {"a": 0.0, "b": -1.0}}


def test_an_id_of_bytes_is_that_of_its_text():
    said = answer("1", SAID)
    assert tr.read_qrels([{**said, "qid": b"1"}]).to_dict() == tr.read_qrels([said]).to_dict()


def test_a_system_that_is_not_in_a_run_has_no_part_in_its_nuggets(tmp_path: Path) -> None:
    both = [{**answer("1", SAID), "run_id": "a"}, {**answer("1", SAID[::-1]), "run_id": "b"}]
    both[1]["nuggets"] = [{**both[0]["nuggets"][i], "assignment": "not_support"} for i in range(4)]
    path = written(tmp_path, *both)
    assert tr.evaluate(path, {"1": ["b"]}, "all_score").mean == {"NuggetRecall": 0.0}
    assert tr.evaluate(path, {"1": ["a"]}, "all_score").mean == {"NuggetRecall": 0.625}


@pytest.mark.parametrize(
    ("nugget", "said"),
    [
        ({"importance": "vital", "assignment": "support"}, ":1: a nugget is an object with a text"),
        (
            {"text": "n", "importance": "so-so", "assignment": "support"},
            ":1: a nugget's importance is one of vital",
        ),
        (
            {"text": "n", "importance": "vital", "assignment": None},
            ":1: a nugget has no assignment: one of support",
        ),
        ("n", ":1: a nugget is an object with a text"),
    ],
)
def test_what_is_no_nugget_is_refused(nugget: Any, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"qid": "1", "nuggets": [nugget], "seen": {"assignment": ""}})
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate(path, path, "all_score")


def test_a_nugget_is_vital_or_okay_throughout(tmp_path: Path) -> None:
    other = [{"text": "n0", "importance": "okay", "assignment": "support"}]
    path = written(tmp_path, answer("1", SAID), {"qid": "1", "run_id": "b", "nuggets": other})
    with pytest.raises(tr.InputError, match=":2: a nugget of query '1' is vital in one line and okay in another"):
        tr.evaluate(path, path, "all_score")


def test_a_nugget_without_an_assignment_is_named(tmp_path):
    path = tmp_path / "n.jsonl"
    path.write_text('{"qid": "q", "nuggets": [{"text": "n", "importance": "vital"}]}\n')
    with pytest.raises(tr.InputError, match=r"n.jsonl:1: a nugget has no assignment: one of support"):
        tr.read_qrels(str(path))


def test_an_answer_without_nuggets_scores_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, answer("1", []), answer("2", [("support", "okay")]))
    scores = tr.evaluate(path, path, "all_score")
    assert (scores.queries, scores["all_score"].tolist()) == (("1", "2"), [0.0, 1.0])


def test_what_the_model_failed_to_say_is_not_judged_and_counts_as_nuggetizer_counts_it(tmp_path: Path) -> None:
    said = [("support", "vital"), ("failed", "vital"), ("support", "failed"), ("failed", "okay")]
    path = written(tmp_path, answer("1", said), answer("2", [("failed", "failed")]))
    scores = tr.evaluate(path, path, "vital_score all_score strict_vital_score strict_all_score")
    assert [scores[name].tolist() for name in scores] == [[0.5, 0.0]] * 4
    assert tr.judges([path, path], samples=50).pairs[0].both == 2


def test_passages_with_nuggets_are_judged_and_are_a_run_in_the_order_of_their_lines(tmp_path: Path) -> None:
    other = [(what, how) for (what, _), (_, how) in zip(SAID[::-1], SAID, strict=True)]
    passages = [{**answer("1", SAID), "docid": "d7"}, {**answer("1", other), "docid": "d3"}]
    path = written(tmp_path, *passages, {**answer("2", SAID), "docid": "d7"})
    scores = tr.evaluate(path, path, "NuggetRecall@1 NuggetRecall@2")
    assert [scores[name].tolist() for name in scores] == [[0.625, 0.625], [0.75, 0.625]]
    assert tr.evaluate(path, {"1": ["x", "d3"], "2": []}, "NuggetRecall").mean == {"NuggetRecall": 0.3125}


def test_answers_of_several_systems_in_one_file_are_no_run(tmp_path: Path) -> None:
    path = written(tmp_path, *({**answer("1", SAID), "run_id": name} for name in "ab"))
    with pytest.raises(tr.InputError, match="query 1 comes twice"):
        tr.evaluate(path, path, "all_score")


def test_answers_that_were_held_against_different_nuggets_are_refused(tmp_path: Path) -> None:
    whole, part = answer("1", SAID), answer("1", SAID[:3])
    for one, other in ((whole, part), (part, whole)):
        path = written(tmp_path, {**one, "run_id": "a"}, {**other, "run_id": "b"})
        has, lacks = ("a", "b") if one is whole else ("b", "a")
        with pytest.raises(tr.InputError, match=f":2: .* '{has}' is judged for 'n3', and '{lacks}' is not"):
            tr.read_qrels(path)
    path = written(tmp_path, {**whole, "run_id": "a"}, {**answer("1", []), "run_id": "b"})
    assert tr.evaluate(path, {"1": ["b"]}, "all_score").mean == {"NuggetRecall": 0.0}
