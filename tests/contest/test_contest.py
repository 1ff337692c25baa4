"""The contest: the official number to the bit, the strict one beside it, and every way of gaming by its name."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank.cli import truerank
from truerank.contest import Audit, audit, judge

Record = dict[str, Any]
Truth = dict[Any, list[Any]]

SUBMISSIONS = 3000


def is_id(value: Any) -> bool:
    return type(value) in (str, int) and value != ""


def official(truth: Truth, records: list[Record]) -> float | None:
    """The mean over the submitted lines; None where the contest's code would end in an error."""
    relevant = {str(query): docs for query, docs in truth.items()}
    values: list[float] = []
    for record in records:
        if str(record["eval_id"]) not in relevant:
            return None
        right, answer = relevant[str(record["eval_id"])], record["topk"]
        if not right:
            values.append(0 if answer else 1)
        elif not isinstance(answer, list | str):
            return None
        else:
            hits, total = 0, 0.0
            for i in (0, 1, 2):
                if i < len(answer) and answer[i] in right:  # as Python has it: 5 is 5.0, but not "5"
                    hits += 1
                    total += hits / (i + 1)
            values.append(total / hits if hits else 0)
    if not values:
        return None
    score = 0.0
    for value in values:
        score += value
    return score / len(values)


def strict(truth: Truth, records: list[Record]) -> float:
    """Each judged id once, in the order of the ids as text: faulty answers 0, repeated documents once.

    No line is worth more than officially, nor is the mean.
    """
    whole = official(truth, records)
    score = 0.0
    for query in sorted(truth, key=lambda query: str(query).encode()):
        answers = [record["topk"] for record in records if str(record["eval_id"]) == str(query)]
        if len(answers) == 1 and isinstance(answers[0], list):
            seen: list[Any] = []
            once = []
            for doc in answers[0]:
                once.append(doc if is_id(doc) and doc not in seen else None)
                seen += [doc] if is_id(doc) else []
            alone = [official({query: truth[query]}, [{"eval_id": query, "topk": x}]) for x in (once, answers[0])]
            score += min(value or 0.0 for value in alone)
    return score / len(truth) if whole is None else min(score / len(truth), whole)


DOCS = ["a", "b", "c", "d", "e", "long-id", 7, "8", 1]


def random_truth(dice: random.Random) -> Truth:
    queries = dice.sample(range(1, 40), dice.randint(1, 8))
    sizes = dice.choices([0, 1, 2, 3, 5], k=len(queries))
    return {query: dice.sample(DOCS, size) for query, size in zip(queries, sizes, strict=True)}


def honest(truth: Truth, dice: random.Random) -> list[Record]:
    return [{"eval_id": query, "topk": dice.sample(DOCS, dice.randint(0, 5))} for query in truth]


def leave_out(records: list[Record], truth: Truth, dice: random.Random) -> None:
    del records[dice.randint(0, len(records)) :]


def leave_out_what_scores_0(records: list[Record], truth: Truth, dice: random.Random) -> None:
    records[:] = [record for record in records if official(truth, [record])]


def repeat_a_line(records: list[Record], truth: Truth, dice: random.Random) -> None:
    records += [dice.choice(records)] * dice.randint(1, 10) if records else []


def answer_twice(records: list[Record], truth: Truth, dice: random.Random) -> None:
    records.insert(0, {"eval_id": dice.choice(list(truth)), "topk": dice.sample(DOCS, 2)})


def repeat_a_document(records: list[Record], truth: Truth, dice: random.Random) -> None:
    for record in records:
        record["topk"] = [dice.choice(DOCS)] * 3


def send_letters(records: list[Record], truth: Truth, dice: random.Random) -> None:
    for record in dice.sample(records, len(records) // 2):
        record["topk"] = dice.choice(["", "abc", "long-id", "78"])


def send_nothing(records: list[Record], truth: Truth, dice: random.Random) -> None:
    for record in records:
        record["topk"] = record["topk"] if truth.get(record["eval_id"]) else dice.choice([None, 0, 5, {}, False])


def send_what_is_no_id(records: list[Record], truth: Truth, dice: random.Random) -> None:
    for record in records:
        odd = dice.choice([None, 1.5, ["a"], {"a": 1}, True, ""])
        record["topk"] = [odd, *record["topk"]] if isinstance(record["topk"], list) else [odd]


def send_numbers_for_text(records: list[Record], truth: Truth, dice: random.Random) -> None:
    for record in records:
        if isinstance(record["topk"], list):
            record["topk"] = [dice.choice([7, "7", 7.0, 8, "8", 1, True, "a"]), *record["topk"]]


def send_impossible_types(records: list[Record], truth: Truth, dice: random.Random) -> None:
    for record in records[-1:]:
        record["topk"] = dice.choice([None, 3, {"a": 1}])


def answer_the_unknown(records: list[Record], truth: Truth, dice: random.Random) -> None:
    records.insert(dice.randint(0, len(records)), {"eval_id": 99, "topk": ["a"]})


GAMES: list[Callable[[list[Record], Truth, random.Random], None]] = [
    leave_out,
    leave_out_what_scores_0,
    repeat_a_line,
    answer_twice,
    repeat_a_document,
    send_letters,
    send_nothing,
    send_what_is_no_id,
    send_numbers_for_text,
]
ENDS = [send_impossible_types, answer_the_unknown]


def random_submission(seed: int) -> tuple[Truth, list[Record]]:
    dice = random.Random(seed)
    truth = random_truth(dice)
    records = honest(truth, dice)
    dice.shuffle(records)
    games = dice.sample(GAMES, dice.choice([0, 1, 1, 2, 3])) + dice.choices(ENDS, k=dice.random() < 0.1)
    for game in games:
        game(records, truth, dice)
        records[:] = [dict(record) for record in records]
    for record in records:
        record["eval_id"] = dice.choice([int, str])(record["eval_id"])
    return truth, records


def lines_of(records: list[Record]) -> str:
    return "".join(json.dumps({**record, "answer": "…"}, ensure_ascii=False) + "\n" for record in records)


def test_both_scores_of_thousands_of_submissions_equal_the_conventions_to_the_bit() -> None:
    impossible = 0
    for seed in range(SUBMISSIONS):
        truth, records = random_submission(seed)
        found = audit(truth, records)
        assert (found.official, found.strict) == (official(truth, records), strict(truth, records)), seed
        impossible += found.official is None
    assert 0 < impossible < SUBMISSIONS / 3


def test_a_repeated_document_gains_nothing_where_a_second_hit_would_have_lowered_the_score() -> None:
    found = audit({1: ["a"]}, [(1, ["a", "x", "a"])])
    assert (found.official, found.strict) == (pytest.approx(5 / 6), found.official)


@pytest.mark.parametrize(
    "other",
    [(99, ["a"]), (2, None), (2, 5), (None, ["a"]), (2, ["a"])],
    ids=["id", "null", "number", "no id", "none"],
)
def test_what_a_line_is_worth_does_not_depend_on_where_the_official_code_stops(other: Any) -> None:
    found = audit({1: ["b", 0], 2: ["c"], 3: ["d"]}, [(1, ["b", "0", "b"]), other])
    strictly = found.strict_scores
    assert strictly["AP(divisor='hits')@3"].tolist() == [pytest.approx(5 / 6), 0.0, 0.0]
    assert found.strict == strictly["AP(divisor='hits')@3"].mean()


RESULTS = st.lists(st.sampled_from("abcd"), max_size=5)
ANSWERS = st.lists(st.tuples(st.sampled_from([1, 2, 3]), RESULTS), min_size=1, max_size=6)


@settings(max_examples=200)
@given(st.fixed_dictionaries(dict.fromkeys((1, 2, 3), st.lists(st.sampled_from("abc"), unique=True))), ANSWERS)
def test_the_strict_score_never_exceeds_the_official_one(truth: Truth, sent: list[tuple[int, list[str]]]) -> None:
    found = audit(truth, sent, "MAP AP(divisor='relevant')@3 RR@3 P@2 nDCG@3 Unjudged@3")
    assert found.official_scores is not None
    once = [query for query, _ in sent if sum(query == other for other, _ in sent) == 1]
    for m in found.strict_scores.measures:
        officially, strictly = found.official_scores, found.strict_scores
        sign = -1 if m.definition.lower_is_better else 1
        assert sign * strictly.mean[str(m)] <= sign * officially.mean[str(m)]
        for query in map(str, once):
            pair = [one[m][one.queries.index(query)] for one in (strictly, officially)]
            assert sign * pair[0] <= sign * pair[1]


@pytest.mark.parametrize("seed", range(SUBMISSIONS, SUBMISSIONS + 40))
def test_a_file_scores_as_its_records_do(seed: int, tmp_path: Path) -> None:
    truth, records = random_submission(seed)
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "submission.csv").write_text(lines_of(records))
    found = audit(tmp_path / "truth.json", tmp_path / "submission.csv")
    assert (found.official, found.strict) == (official(truth, records), strict(truth, records))


def test_without_faults_the_engine_alone_gives_the_same_number() -> None:
    for seed in range(100):
        dice = random.Random(seed)
        truth = random_truth(dice)
        records = honest(truth, dice)
        alone = tr.evaluate(truth, [(r["eval_id"], r["topk"]) for r in records], rules="science-qa")
        found = audit(truth, records)
        assert list(alone.mean.values()) == [found.official] == [official(truth, records)]


TRUTH: Truth = {1: ["a", "b"], 2: ["c"], 3: ["d"], 4: []}
HONEST = [
    {"eval_id": 1, "topk": ["a", "x", "b"]},
    {"eval_id": 2, "topk": ["y", "c", "z"]},
    {"eval_id": 3, "topk": ["x", "y", "z"]},
    {"eval_id": 4, "topk": []},
]


def kinds(found: Audit) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {finding.kind: (finding.count, finding.lines) for finding in found.findings}


def message(found: Audit, kind: str) -> str:
    return next(finding.message for finding in found.findings if finding.kind == kind)


def test_an_honest_submission_scores_the_same_either_way_and_nothing_is_said() -> None:
    found = audit(TRUTH, HONEST)
    assert found.official == found.strict == ((1 + 2 / 3) / 2 + 0.5 + 0 + 1) / 4
    assert found.findings == ()


def test_left_out_lines_raise_the_official_score_only_and_their_ids_are_named() -> None:
    found = audit(TRUTH, [record for record in HONEST if record["eval_id"] != 3])
    assert found.official == ((1 + 2 / 3) / 2 + 0.5 + 1) / 3
    assert found.strict == audit(TRUTH, HONEST).strict
    assert kinds(found) == {"missing-id": (1, ())}
    assert message(found, "missing-id").endswith(": 3.")


def test_a_left_out_line_that_should_be_empty_is_strictly_0_too() -> None:
    assert audit({1: ["a"], 2: []}, [{"eval_id": 1, "topk": ["a"]}]).strict == 0.5


def test_a_repeated_easy_line_raises_the_official_score_and_strictly_scores_0() -> None:
    found = audit(TRUTH, [*HONEST, *[{"eval_id": "4", "topk": []}] * 7])
    assert found.official == pytest.approx(((1 + 2 / 3) / 2 + 0.5 + 8) / 11)
    assert found.strict == ((1 + 2 / 3) / 2 + 0.5) / 4
    assert kinds(found) == {"repeated-line": (1, (4, 5, 6, 7, 8))}
    assert "4 in lines 4, 5, 6, 7, 8, …" in message(found, "repeated-line")
    assert message(audit(TRUTH, HONEST[3:] * 5), "repeated-line").endswith("4 in lines 1, 2, 3, 4, 5.")


def test_a_document_named_three_times_counts_once_strictly() -> None:
    found = audit({1: ["a", "b"]}, [{"eval_id": 1, "topk": ["x", "a", "a"]}])
    assert found.official == (1 / 2 + 2 / 3) / 2
    assert found.strict == 1 / 2
    assert kinds(found) == {"repeated-document": (1, (1,))}
    assert "line 1: a 2 times" in message(found, "repeated-document")


def test_the_place_of_a_repeated_document_stays_taken() -> None:
    assert audit({1: ["a", "b"]}, [{"eval_id": 1, "topk": ["a", "a", "b"]}]).strict == (1 + 2 / 3) / 2


def test_an_unknown_id_ends_the_official_code_and_is_named_with_its_line() -> None:
    found = audit(TRUTH, [HONEST[0], {"eval_id": 77, "topk": ["a"]}, *HONEST[1:]])
    assert found.official is None
    assert found.strict == audit(TRUTH, HONEST).strict
    assert kinds(found) == {"unknown-id": (1, (2,))}
    assert "(the official code stops there; --set extra=skip leaves them out): line 2: 77" in message(
        found, "unknown-id"
    )


def test_rules_may_leave_unknown_ids_out() -> None:
    records = [HONEST[0], {"eval_id": 77, "topk": ["a"]}, *HONEST[1:]]
    found = audit(TRUTH, records, rules=tr.Rules.named("science-qa").replace(extra="skip"))
    assert found.official == audit(TRUTH, HONEST).official
    assert kinds(found) == {"unknown-id": (1, (2,))}
    assert "(left out): line 2: 77" in message(found, "unknown-id")


def test_a_text_in_place_of_a_list_is_read_letter_by_letter_and_strictly_scores_0() -> None:
    found = audit({1: ["a"], 2: []}, [{"eval_id": 1, "topk": "xa"}, {"eval_id": 2, "topk": ""}])
    assert found.official == (1 / 2 + 1) / 2
    assert found.strict == 0.0
    assert kinds(found) == {"wrong-type": (2, (1, 2))}
    assert 'the text "xa"' in message(found, "wrong-type")


@pytest.mark.parametrize("answer", [None, 5, True, {"a": 1.0}])
def test_what_is_no_list_ends_the_official_code_where_something_is_relevant(answer: Any) -> None:
    found = audit(TRUTH, [{"eval_id": 1, "topk": answer}])
    assert (found.official, found.strict) == (None, 0.0)
    assert kinds(found)["wrong-type"] == (1, (1,))
    assert len(kinds(found)) == len(found.findings)


def test_nothing_is_relevant_where_all_grades_are_below_the_level() -> None:
    scores = judge({1: {"a": 0}, 2: {"b": 1}}, [{"eval_id": 1, "topk": None}, {"eval_id": 2, "topk": ["b"]}])
    assert (scores.audit.official, scores.ledger.without_relevant) == (1.0, 1)


@pytest.mark.parametrize(("answer", "score"), [(None, 1.0), (0, 1.0), ({}, 1.0), (5, 0.0), ({"a": 1.0}, 0.0)])
def test_what_is_no_list_is_something_or_nothing_where_nothing_is_relevant(answer: Any, score: float) -> None:
    found = audit({4: []}, [{"eval_id": 4, "topk": answer}])
    assert (found.official, found.strict) == (score, 0.0)
    assert kinds(found) == {"wrong-type": (1, (1,))}


@pytest.mark.parametrize("odd", [None, 1.5, ["a"], {"a": 1}, True, ""])
def test_a_result_that_is_no_id_takes_its_place_and_is_no_hit(odd: Any) -> None:
    found = audit({1: ["a", "None", "1.5", "True"]}, [{"eval_id": 1, "topk": [odd, "a"]}])
    assert found.official == found.strict == 1 / 2
    assert kinds(found) == {"wrong-type": (1, (1,))}
    assert "among the results" in message(found, "wrong-type")


def test_more_than_three_results_are_named_and_only_three_count() -> None:
    found = audit({1: ["a"]}, [{"eval_id": 1, "topk": ["x", "y", "z", "a"]}])
    assert found.official == found.strict == 0.0
    assert kinds(found) == {"too-many": (1, (1,))}
    assert "more than three results (the first 3 count): line 1: 4 results" in message(found, "too-many")


def test_the_limit_is_that_of_the_measures() -> None:
    records = [{"eval_id": 1, "topk": ["x", "y", "z", "a"]}]
    assert kinds(audit({1: ["a"]}, records, "AP(divisor='hits')@5")) == {}
    assert "more than 2 results" in message(audit({1: ["a"]}, records, "R@2 R@1"), "too-many")
    lists_of_two = tr.Rules.named("science-qa").replace(depth=2)
    assert "the first 2 count" in message(audit({1: ["a"]}, records, "R@5 R@3", rules=lists_of_two), "too-many")
    assert kinds(audit({1: ["a"]}, records, "R@2 RR")) == {}


def test_the_measures_are_those_asked_for_or_of_the_rules_or_the_contests() -> None:
    truth, records = {1: ["a"]}, [{"eval_id": 1, "topk": ["x", "y", "z", "a"]}]
    contest = tr.Rules.named("science-qa")
    assert audit(truth, records, rules=contest.replace(measures=("RR",))).official == 1 / 4
    assert audit(truth, records, rules=contest.replace(measures=())).official == 0.0
    assert audit(truth, records, (name for name in ("RR", "P@2"))).official_scores.mean == {"RR": 1 / 4, "P@2": 0.0}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("eval_id: 2", "it is no JSON"),
        ('{"topk": ["a"]}', "it has no eval_id"),
        ('{"eval_id": 2}', "it has no topk"),
        ('{"eval_id": null, "topk": ["a"]}', "its id is null"),
        ('{"eval_id": 2.0, "topk": ["a"]}', "its id is 2.0"),
        ("[2]", "it holds [2], not an object"),
    ],
)
def test_an_unreadable_line_ends_the_official_code_and_is_named(line: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "submission.jsonl"
    path.write_text('{"eval_id": 1, "topk": ["a"]}\n\n' + line + "\n")
    found = audit({1: ["a"], 2: []}, path)
    assert (found.official, found.strict) == (None, 0.5)
    assert kinds(found) == {"unreadable": (1, (3,)), "missing-id": (1, ())}
    assert f"line 3: {fault}" in message(found, "unreadable")


@pytest.mark.parametrize("name", ["submission.jsonl", "submission.json"])
def test_lines_in_the_encoding_of_korean_windows_are_said_to_be_no_utf_8(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"eval_id": 1, "topk": ["문서"]}\n', encoding="cp949")
    found = audit({1: ["문서"]}, tmp_path / name)
    assert "line 1: it is not UTF-8 text" in message(found, "unreadable")


def test_an_empty_submission_has_no_official_score(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    for submission in ([], {}, tmp_path / "empty.jsonl"):
        found = audit(TRUTH, submission)
        assert (found.official, found.strict) == (None, 0.0)
        assert kinds(found) == {"empty": (1, ()), "missing-id": (4, ())}


def test_five_examples_are_kept_and_the_rest_is_counted() -> None:
    scores = judge({q: ["a"] for q in range(20)}, [{"eval_id": q, "topk": ["a", "a"]} for q in range(9)])
    assert scores.ledger.examples["missing"] == ("10", "11", "12", "13", "14")
    found = scores.audit
    assert kinds(found) == {"missing-id": (11, ()), "repeated-document": (9, (1, 2, 3, 4, 5))}
    assert all(len(finding.examples) == 5 for finding in found.findings)
    assert message(found, "missing-id").endswith(": 10; 11; 12; 13; 14; ….")
    assert message(audit({q: ["a"] for q in range(5)}, []), "missing-id").endswith(": 0; 1; 2; 3; 4.")


def test_long_ids_are_cut_wherever_they_are_named() -> None:
    ids = [str(place) + "é" * 100_000 for place in range(6)]
    sent = [(ids[0], ["a", "a"]), (ids[1], ids[2:3] * 2), (ids[2], ["a"]), (ids[2], ["a"]), (ids[3], ids[4])]
    found = audit({id: ["a"] for id in [*ids[:3], ids[5]]}, sent)
    assert set(kinds(found)) == {"unknown-id", "wrong-type", "missing-id", "repeated-line", "repeated-document"}
    assert max(len(example) for finding in found.findings for example in finding.examples) < 120
    assert f"line 5: {ids[3][:79]}…" in message(found, "unknown-id")


def test_the_ids_of_questions_are_the_same_as_numbers_and_as_text() -> None:
    records = [{"eval_id": "1", "topk": [7]}, {"eval_id": 2, "topk": ["x"]}]
    assert audit({1: [7], "2": ["x"]}, records).official == 1.0


@pytest.mark.parametrize(
    ("right", "sent", "fault"),
    [
        ("5", 5, "line 1: 5 among the results, where the truth has text"),
        (5, "5", 'line 1: "5" among the results, where the truth has numbers'),
    ],
)
def test_a_document_of_another_type_than_the_truths_is_no_hit_and_named(right: Any, sent: Any, fault: str) -> None:
    found = audit({"1": [right]}, [{"eval_id": "1", "topk": [sent]}])
    assert found.official == official({"1": [right]}, [{"eval_id": "1", "topk": [sent]}]) == found.strict == 0.0
    assert kinds(found) == {"wrong-type": (1, (1,))}
    assert fault in message(found, "wrong-type")


def test_a_document_of_another_type_is_named_wherever_the_truth_has_but_one() -> None:
    assert kinds(audit(TRUTH, [*HONEST[:3], {"eval_id": 4, "topk": [77]}])) == {"wrong-type": (1, (4,))}
    assert kinds(audit({1: ["a", 7]}, [{"eval_id": 1, "topk": ["x", 77, 7]}])) == {}


def test_what_a_number_equals_is_a_hit_to_the_official_code_only() -> None:
    found = audit({1: [5]}, [{"eval_id": 1, "topk": [5.0]}])
    assert (found.official, found.strict) == (1.0, 0.0)
    assert "line 1: 5.0 among the results" in message(found, "wrong-type")


def test_where_a_format_has_no_types_documents_are_compared_as_they_print(tmp_path: Path) -> None:
    (tmp_path / "truth.txt").write_text("1 0 7 1\n")
    (tmp_path / "sent.run").write_text("1 Q0 7 1 1.0 t\n")
    assert audit(tmp_path / "truth.txt", [{"eval_id": 1, "topk": [7]}]).official == 1.0
    assert audit({1: [7]}, tmp_path / "sent.run").official == 1.0


def test_truth_is_an_object_or_lines(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    lines = [json.dumps({"eval_id": query, "relevant": docs}) for query, docs in TRUTH.items()]
    (tmp_path / "truth.jsonl").write_text("\n".join(lines))
    for truth in ("truth.json", "truth.jsonl"):
        assert audit(tmp_path / truth, HONEST).official == audit(TRUTH, HONEST).official


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("submission.jsonl", lines_of(HONEST)),
        ("submission.csv", lines_of(HONEST)),
        ("long-first.jsonl", "".join(json.dumps({"references": [1], **record}) + "\n" for record in HONEST)),
        ("nan.jsonl", "".join(json.dumps({**record, "score": math.nan}) + "\n" for record in HONEST)),
        ("list.json", json.dumps(HONEST)),
        ("object.json", json.dumps({record["eval_id"]: record["topk"] for record in HONEST})),
    ],
)
def test_a_submission_is_lines_a_list_or_an_object_whatever_the_file_is_called(
    name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    found = audit(TRUTH, tmp_path / name)
    assert (found.official, found.findings) == (audit(TRUTH, HONEST).official, ())


@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_of_one_record_is_that_line(indent: int | None, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps({"eval_id": 1, "topk": ["a"]}, indent=indent))
    found = audit({1: ["a"]}, tmp_path / "one.json")
    assert (found.official, found.findings) == (1.0, ())


def test_a_submission_is_a_dict_pairs_or_a_run() -> None:
    pairs = [(record["eval_id"], record["topk"]) for record in HONEST]
    for submission in (dict(pairs), pairs, tr.open_run(pairs)):
        assert audit(TRUTH, submission).official == audit(TRUTH, HONEST).official


def test_a_run_with_scores_is_ranked_by_them(tmp_path: Path) -> None:
    scored = {"1": {"x": 1.0, "a": 3.0}, "2": {"c": 0.5}}
    (tmp_path / "scored.json").write_text(json.dumps(scored))
    (tmp_path / "scored.run").write_text("1 Q0 x 1 1.0 t\n1 Q0 a 2 3.0 t\n2 Q0 c 1 0.5 t\n")
    for submission in (scored, tmp_path / "scored.json", tmp_path / "scored.run"):
        found = audit({1: ["a"], 2: ["c"]}, submission)
        assert (found.official, found.strict) == (1.0, 1.0)
        assert kinds(audit({1: ["a"]}, submission))["unknown-id"] == (1, (2,))


@pytest.mark.parametrize(
    "other",
    [
        {"scores": [0.1, 0.9]},
        {"sims": [0.1, 0.9]},
        {"similarities": [0.1, 0.9]},
        {"scores": 0.9},
        {"qid": 2, "query_id": 2, "queryid": 2},
        {"TOPK": ["a"], "top_k": ["a"], "results": ["a"]},
        {"Eval_ID": 2, "relevant": ["a"], "call": 1},
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_other_keys_have_no_effect(other: Record, is_first: bool, tmp_path: Path) -> None:
    own = {"eval_id": 1, "topk": ["x", "a"]}
    record = {**other, **own} if is_first else {**own, **other}
    (tmp_path / "sent.jsonl").write_text(json.dumps(record) + "\n" + json.dumps(record | {"eval_id": 3}) + "\n")
    (tmp_path / "sent.json").write_text(json.dumps([record, record | {"eval_id": 3}]))
    (tmp_path / "one.json").write_text(json.dumps(record))
    truth = {1: ["a"], 3: ["a"]}
    for sent in ([record, record | {"eval_id": 3}], tmp_path / "sent.jsonl", tmp_path / "sent.json"):
        found = audit(truth, sent)
        assert (found.official, found.strict, found.findings) == (0.5, 0.5, ())
    assert audit({1: ["a"]}, tmp_path / "one.json").official == 0.5


def test_a_line_whose_brackets_are_nested_too_deeply_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    deep = '{"eval_id": 2, "topk": ' + "[" * 100_000 + "]" * 100_000 + "}"
    (tmp_path / "sent.jsonl").write_text('{"eval_id": 1, "topk": ["a"]}\n' + deep + "\n")
    found = audit({1: ["a"], 2: ["b"]}, tmp_path / "sent.jsonl")
    assert (found.strict, kinds(found)["unreadable"]) == (0.5, (1, (2,)))


@pytest.mark.parametrize("record", [{"qid": 1, "topk": ["a"]}, {"eval_id": 1, "TOPK": ["a"]}])
def test_other_spellings_of_the_keys_are_not_read(record: Record) -> None:
    found = audit({1: ["a"]}, [record])
    assert (found.official, kinds(found)["unreadable"]) == (None, (1, (1,)))


def test_an_audit_becomes_plain_values() -> None:
    found = audit(TRUTH, HONEST[:1])
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["official"] == {"AP(divisor='hits')@3": (1 + 2 / 3) / 2}
    assert plain["strict"] == {"AP(divisor='hits')@3": (1 + 2 / 3) / 2 / 4}
    assert found.strict_scores.mean["AP"] == found.strict
    assert [(finding["kind"], finding["count"], finding["stops"]) for finding in plain["findings"]] == [
        ("missing-id", 3, False)
    ]


def test_the_judge_gives_scores_whose_ledger_counts_judged_ids() -> None:
    scores = judge(TRUTH, [*HONEST[:2], *HONEST[:1], {"eval_id": 4, "topk": ["x", "x"]}])
    ledger = scores.ledger
    assert (ledger.judged, ledger.answered, ledger.missing, ledger.evaluated) == (4, 3, 1, 4)
    assert (ledger.without_relevant, ledger.duplicates) == (1, 1)
    assert scores.queries == ("1", "2", "1", "4")


def test_the_ledger_counts_an_id_once_however_many_lines_it_has() -> None:
    rules = tr.Rules.named("science-qa").replace(extra="skip")
    lines = [(4, []), (9, ["a"]), (1, ["a"]), (4, ["x", "x"]), (9, []), (1, []), (4, [])]
    ledger = judge(TRUTH, lines, rules=rules).ledger
    assert (ledger.judged, ledger.answered, ledger.missing, ledger.evaluated) == (4, 2, 2, 5)
    assert (ledger.extra, ledger.without_relevant, ledger.duplicates) == (1, 1, 1)
    assert (ledger.examples["extra"], ledger.examples["missing"]) == (("9",), ("2", "3"))


def test_the_judge_refuses_what_the_official_code_cannot_score() -> None:
    with pytest.raises(tr.InputError, match=r":?2: There is no official score. 1 line .* line 2: 77"):
        judge(TRUTH, [HONEST[0], {"eval_id": 77, "topk": []}])
    with pytest.raises(tr.InputError, match=r"There is no official score. There is no line in it") as told:
        judge(TRUTH, [])
    assert told.value.line is None


def test_the_judge_reads_the_format_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_text('{"eval_id": 1, "topk": ["a"]}')
    assert judge({1: ["a"]}, tmp_path / "answers.txt").audit.official == 1.0
    with pytest.raises(tr.InputError):
        judge({1: ["a"]}, tmp_path / "answers.txt", format="trec")


def test_the_first_line_at_which_the_official_code_stops_is_named_and_what_stops_it_before_the_rest() -> None:
    sent = [
        {"topk": ["a", "a"], "eval_id": 1},
        {"eval_id": 2, "topk": 5},
        {"eval_id": 77, "topk": []},
        {"topk": []},
    ]
    with pytest.raises(tr.InputError) as told:
        judge(TRUTH, sent)
    assert told.value.line == 2
    parts = ("cannot be read", "unknown to the truth", "of a wrong type", "missing", "repeated document")
    places = [str(told.value).index(part) for part in parts]
    assert places == sorted(places)
    assert audit(TRUTH, sent).to_dict()["official"] is None


@pytest.fixture
def run_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`truerank eval truth.json submission.csv --rules science-qa` over these records."""
    monkeypatch.chdir(tmp_path)
    Path("truth.json").write_text(json.dumps(TRUTH))

    def run(records: list[Record], *arguments: str) -> Any:
        Path("submission.csv").write_text(lines_of(records))
        line = ["eval", "truth.json", "submission.csv", "--rules", "science-qa", *arguments]
        return CliRunner().invoke(truerank, line)

    return run


GAMED = [HONEST[0], {"eval_id": 4, "topk": []}, {"eval_id": 4, "topk": []}, {"eval_id": 2, "topk": ["c"] * 4}]


def test_the_command_prints_the_official_number_to_the_last_digit_beside_the_strict_one(run_eval) -> None:
    result = run_eval(GAMED)
    found = audit(TRUTH, GAMED)
    assert result.exit_code == 0
    assert f"official {found.official!r}, strict {found.strict!r}." in result.stdout
    assert all(finding.message in result.stdout for finding in found.findings)
    assert {finding.kind for finding in found.findings} == {
        "missing-id",
        "repeated-line",
        "repeated-document",
        "too-many",
    }
    assert "4 queries judged, 3 answered. The mean is over 4 submitted lines." in result.stdout


def test_json_has_the_strict_means_and_the_audit(run_eval) -> None:
    answer = json.loads(run_eval(GAMED, "--format", "json").stdout)
    found = audit(TRUTH, GAMED)
    assert answer["mean"] == {"AP(divisor='hits')@3": official(TRUTH, GAMED)}
    assert answer["strict"] == {"AP(divisor='hits')@3": strict(TRUTH, GAMED)}
    assert answer["audit"] == [finding.to_dict() for finding in found.findings]


def test_csv_has_a_row_for_the_strict_score_and_the_audit_is_told_on_standard_error(run_eval) -> None:
    result = run_eval(GAMED, "--format", "csv")
    assert all(finding.message in result.stderr for finding in audit(TRUTH, GAMED).findings)
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["rules"], float(row["AP(divisor='hits')@3"])) for row in rows] == [
        ("science-qa", official(TRUTH, GAMED)),
        ("science-qa, strictly", strict(TRUTH, GAMED)),
    ]


def test_without_an_official_score_the_command_says_why_in_one_line_with_status_2(run_eval) -> None:
    result = run_eval([*GAMED, {"eval_id": 77, "topk": ["a"]}])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("truerank: submission.csv:5: There is no official score. 1 line with an id")
    assert f"The strict score is AP(divisor='hits')@3 {strict(TRUTH, GAMED)!r}." in result.stderr


def test_unknown_ids_may_be_left_out(run_eval) -> None:
    result = run_eval([*GAMED, {"eval_id": 77, "topk": ["a"]}], "--set", "extra=skip", "--format", "json")
    assert json.loads(result.stdout)["mean"] == {"AP(divisor='hits')@3": official(TRUTH, GAMED)}
