"""Every way to gain from a contest other than finding the right documents is refused, or gains nothing."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from board_worlds import Build, World, run
from truerank.board import ladder
from truerank.board.models import Submission
from truerank.board.split import public
from truerank.cli import truerank
from truerank.contest import audit

TRUTH = {str(q): [f"d{q}"] if q % 4 else [] for q in range(12)}
SCIENCE = 'rules = "science-qa"\nper_day = 100'


def lines(answers: list[tuple[Any, Any]]) -> str:
    return "".join(json.dumps({"eval_id": query, "topk": docs}) + "\n" for query, docs in answers)


def honest(right: int = 6) -> list[tuple[Any, Any]]:
    """Answers of which the first few are right."""
    return [(q, TRUTH[q] if int(q) < right else ["x"]) for q in TRUTH]


@pytest.fixture
def science(build: Build, sqlite: str) -> World:
    return build(sqlite, SCIENCE, qrels=json.dumps(TRUTH), truth="truth.json")


def kinds(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.text
    return [finding["kind"] for finding in answer.json()["findings"] if finding["refuses"]]


def test_an_honest_submission_has_the_official_score_twice(science: World):
    said = science.submit("A", lines(honest())).json()
    assert said["score"] == 0.5
    assert said["official"] == said["strict"]


def test_leaving_out_what_would_score_nothing_gains_nothing(science: World):
    whole = science.submit("A", lines(honest())).json()
    part = science.submit("B", lines(honest()[:6])).json()
    assert next(iter(part["official"]["public"].values())) == 1.0
    assert part["score"] == whole["score"] == 0.5


def test_repeating_an_easy_line_is_refused(science: World):
    assert kinds(science.submit("A", lines(honest() + [("0", [])] * 10))) == ["repeated-line"]


def test_naming_a_document_three_times_is_refused(science: World):
    answers = [(q, ["d1"] * 3 if q == "1" else docs) for q, docs in honest()]
    assert kinds(science.submit("A", lines(answers))) == ["repeated-document"]


def test_more_results_than_count_gain_nothing(science: World):
    buried = [(q, ["x", "y", "z", *docs] if docs else []) for q, docs in honest(12)]
    assert science.submit("A", lines(buried)).json()["score"] == 0.25


@pytest.mark.parametrize("sent", ["{}", "[]", "query_id,doc_id,score\n"])
def test_a_file_that_answers_no_query_is_refused_and_costs_no_attempt(build: Build, sqlite: str, sent: str):
    world = build(sqlite)
    answer = world.submit("A", sent)
    assert answer.status_code == 422
    assert [one["kind"] for one in answer.json()["findings"]] == ["empty", "missing-id"]
    assert world.client.get("/api/boards/main/attempts", headers=world.headers("A")).json()["total"] == 0
    assert world.submit("A", '{"q0": []}').status_code == 201, "a query without a result is an answer"


@pytest.mark.parametrize(
    ("settings", "status", "said"),
    [
        ("", 201, "1 published id without an answer, which scores 0: q3"),
        ('rules = "trec_eval-9"\nmeasures = "AP"', 201, "1 published id without an answer, which scores 0: q3"),
        ('rules = "trec_eval-9"\nmeasures = "AP"\nscore = "official"', 201, "1 published id without an answer: q3"),
        ('score = "official"', 201, "1 published id without an answer, which scores 0: q3"),
        ('rules = "trec_eval-10"\nmeasures = "AP"', 422, "1 published id without an answer: q3"),
        ("accept = []", 422, "1 published id without an answer: q3"),
    ],
)
def test_a_missing_id_is_said_to_score_0_only_where_it_does(
    build: Build, sqlite: str, settings: str, status: int, said: str
):
    world = build(sqlite, settings, qrels="q1 0 d 1\nq2 0 d 1\nq3 0 d 1\n")
    answer = world.submit("A", "q1 Q0 d 1 2 t\nq2 Q0 d 1 2 t\n")
    assert answer.status_code == status
    found = answer.json()["audit"]["findings"] if status == 201 else answer.json()["findings"]
    assert [one["message"] for one in found] == [said]
    if status == 201:
        assert answer.json()["score"] == (2 / 3 if said.endswith("scores 0: q3") else 1)


def test_a_missing_line_is_said_to_score_0_only_where_the_strict_score_ranks(build: Build, sqlite: str):
    world = build(sqlite, f'{SCIENCE}\nscore = "official"', qrels=json.dumps(TRUTH), truth="truth.json")
    (found,) = world.submit("A", lines(honest()[:-1])).json()["audit"]["findings"]
    assert found["message"] == "1 published id without an answer: 11"


def test_unknown_ids_wrong_types_and_nonsense_are_refused(science: World):
    assert kinds(science.submit("A", lines([*honest(), ("99", ["x"])]))) == ["unknown-id"]
    assert kinds(science.submit("A", lines([("1", "d1"), ("2", None), ("3", 7)]))) == ["wrong-type"]
    assert kinds(science.submit("A", lines([("1", ["d1"])]) + "{nonsense\n")) == ["unreadable"]
    assert kinds(science.submit("A", "")) == ["unreadable"]
    assert science.board()["standings"] == []


def test_long_ids_make_no_long_answer(science: World):
    sent = lines([*honest(), *((str(q) + "x" * 10**6, ["a", "y" * 10**6, "y" * 10**6]) for q in range(3))])
    said = science.submit("A", sent)
    assert kinds(said) == ["unknown-id", "repeated-document"]
    assert len(said.text) < 10_000


def test_where_repeats_are_accepted_they_gain_nothing(build: Build, sqlite: str):
    accept = 'accept = ["missing-id", "repeated-line", "repeated-document", "too-many"]'
    world = build(sqlite, f"{SCIENCE}\n{accept}", qrels=json.dumps(TRUTH), truth="truth.json")
    ten = world.submit("A", lines(honest() + [("0", [])] * 10)).json()
    assert next(iter(ten["official"]["public"].values())) > ten["score"]
    assert ten["score"] < 0.5
    thrice = [(q, ["x", "d1", "d1"] if q == "1" else docs) for q, docs in honest()]
    said = world.submit("B", lines(thrice)).json()
    assert next(iter(said["official"]["public"].values())) > said["score"]


@pytest.mark.parametrize("public", [1, 0.5])
def test_the_strict_score_of_a_board_is_that_of_eval(build: Build, sqlite: str, public: float):
    extra = f'{SCIENCE}\naccept = ["missing-id", "repeated-line"]\npublic = {public}'
    world = build(sqlite, extra, qrels=json.dumps(TRUTH), truth="truth.json")
    wrong = list(TRUTH)[:7]  # so that any half that is drawn to be public has some
    sent = [(q, TRUTH[q]) for q in TRUTH if q not in wrong] + [(q, ["x"]) for q in wrong] * 20
    world.submit("A", lines(sent))
    entry = world.board(as_="host")["standings"][0]["submission"]
    said = world.client.get(f"/api/submissions/{entry}", headers=world.headers("host")).json()
    found = audit(TRUTH, sent)
    assert found.official == found.strict_scores.mean["AP(divisor='hits')@3"] < 0.1
    assert said["strict"]["all"] == found.strict_scores.mean
    assert all(said["strict"][part] == said["official"][part] for part in ("all", "public"))
    assert said["interval"][0] <= said["score"] == said["strict"]["public"]["AP(divisor='hits')@3"]
    assert said["score"] <= said["interval"][1] < 0.5


def test_strictly_missing_queries_score_0_and_repeated_documents_count_once_whatever_the_rules(
    build: Build, sqlite: str
):
    """By the rules 3 of the first 4 results of the one query count; published ids may be without judgements."""
    lax = 'missing = "skip"\nduplicates = "count"\nextra = "error"\nmeasures = ["P@4"]\n'
    accepted = 'accept = ["missing-id", "repeated-document"]'
    files = {"lax.toml": lax, "ids.txt": "\n".join(f"q{q}" for q in range(21))}
    world = build(sqlite, f'rules = "lax.toml"\nqueries = "ids.txt"\n{accepted}', files=files)
    docs = enumerate(("d00", "d00", "x", "d01"), 1)
    lines = [f"q0 Q0 {doc} {rank} {9 - rank} t\n" for rank, doc in docs]
    said = world.submit("A", "".join(lines) + "q20 Q0 d 1 1 t\n").json()
    assert (said["official"]["public"], said["strict"]["public"]) == ({"P@4": 3 / 4}, {"P@4": 2 / 4 / 20})
    assert said["score"] == world.board()["standings"][0]["score"] == 2 / 4 / 20


def test_official_means_over_unlike_lines_are_not_compared(build: Build, sqlite: str):
    truth = {str(q): [f"d{q}"] for q in range(40)}
    world = build(sqlite, f'{SCIENCE}\nscore = "official"', qrels=json.dumps(truth), truth="truth.json")
    right = list(truth.items())
    world.submit("A", lines(right[:8]))
    world.submit("B", lines([*right[:28], ("28", ["x"])]))
    assert [row["groups"] for row in world.settled()["standings"]] == ["", ""]
    page = world.client.get("/boards/main").text
    options = ["--board", str(world.folder / "board.toml"), "--db", sqlite]
    table = CliRunner().invoke(truerank, ["board", "standings", "main", *options])
    for shown in (page, table.stdout):
        assert "Nothing is said of teams without a letter" in shown
    assert "more than chance" not in page


def test_a_run_in_columns_is_one_where_lines_are_scored(build: Build, sqlite: str):
    truth = {query: docs for query, docs in TRUTH.items() if docs}
    world = build(sqlite, SCIENCE, qrels=json.dumps(truth), truth="truth.json")
    rows = [f"{query} Q0 {doc} 1 1 t\n" for query, docs in truth.items() for doc in docs]
    assert world.submit("A", "".join(rows)).json()["score"] == 1.0


def test_official_means_over_all_queries_are_compared(build: Build, sqlite: str):
    truth = {str(q): [f"d{q}"] for q in range(40)}
    world = build(sqlite, f'{SCIENCE}\nscore = "official"', qrels=json.dumps(truth), truth="truth.json")
    right = list(truth.items())
    for team, good in (("A", 38), ("B", 37), ("C", 9)):
        world.submit(team, lines([*right[:good], *((q, ["x"]) for q in list(truth)[good:])][::-1]))
    assert [row["groups"] for row in world.settled()["standings"]] == ["a", "a", "b"]
    world.submit("D", lines(right[:5]))
    rows = world.settled()["standings"]
    assert [(row["team"], row["groups"]) for row in rows] == [("D", ""), ("A", "a"), ("B", "a"), ("C", "b")]


def test_a_null_tells_nothing_of_which_query_has_no_answer(science: World):
    answers = [kinds(science.submit("A", lines([(q, None)]))) for q in TRUTH]
    assert answers == [["wrong-type"]] * len(TRUTH)


def test_an_audit_does_not_depend_on_the_truth(build: Build, address: str, tmp_path: Path):
    """Of two boards with the same queries and other judgements, what they say of a bad file is the same."""
    (tmp_path / "other.qrels").write_text("q1 0 zz 2\nq2 0 D20 1\nq3 0 y 1\n")
    other = '[[boards]]\nname = "other"\ntruth = "other.qrels"'
    world = build(address, other, qrels="q1 0 d10 1\nq2 0 d20 0\nq3 0 d30 2\n")
    texts = [
        "q1 Q0 d10 1 2 t\nq1 Q0 d10 2 1 t\n",
        "q1 Q0 zz 1 2 t\nq1 Q0 zz 2 1 t\n",
        "q1 Q0 D10 1 2 t\nq9 Q0 d10 1 x t\n",
        "zz Q0 d10 1 2 t\n",
        run(queries=3) + "q3 Q0 d80\n",
    ]
    for text in texts:
        one, two = (world.submit("A", text, board=board) for board in ("main", "other"))
        assert one.status_code == 422
        assert one.content == two.content
        assert "d20" not in one.text


def test_ids_that_are_published_but_not_judged_are_taken_in_silence(build: Build, sqlite: str, tmp_path: Path):
    (tmp_path / "queries.txt").write_text("\n".join(f"q{q}" for q in range(40)))
    world = build(sqlite, 'queries = "queries.txt"')
    said = world.submit("A", run() + "q30 Q0 d 1 1 t\n").json()
    assert said["audit"]["missing"] == 19
    assert said["score"] == world.submit("B", run()).json()["score"]
    assert kinds(world.submit("A", run() + "q40 Q0 d 1 1 t\n")) == ["unknown-id"]


def test_the_private_score_shows_only_after_closing(build: Build, address: str):
    world = build(address, "public = 0.5\nper_day = 9")
    world.submit("A", run(good=5))
    said = world.submit("A", run(good=20)).json()
    assert set(said["strict"]) == set(said["official"]) == {"public"}
    assert "private" not in world.client.get("/boards/main").text.lower().replace("part-private", "")
    before = world.board()
    assert before["part"] == "public"
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    after = world.board()
    assert after["part"] == "private"
    seen = world.client.get(f"/api/submissions/{said['id']}", headers=world.headers("A")).json()
    assert set(seen["strict"]) == {"all", "public", "private"}
    assert after["standings"][0]["score"] == seen["strict"]["private"]["nDCG@10"]
    assert after["standings"][0]["public"] == before["standings"][0]["score"]


def test_a_split_is_by_the_key_and_the_id_alone():
    queries = [f"q{i}".encode() for i in range(4000)]
    sides = public(queries, b"one key", 0.3)
    assert 0.27 < sides.mean() < 0.33
    assert (public(queries[::-1], b"one key", 0.3)[::-1] == sides).all()
    assert (public(queries, b"another", 0.3) != sides).any()
    assert public(queries, b"one key", 1.0).all()
    assert (public(queries, b"one key", 0.5) >= sides).all()


def test_the_ladder_shows_only_real_improvements(build: Build, address: str):
    world = build(address, "ladder = 0.1\nper_day = 100")
    shown = [world.submit("A", run(good=good)).json() for good in (10, 11, 9, 18)]
    scores = [one["shown"] for one in shown]
    assert [(one["score"], one["public"], one["interval"]) for one in shown] == [(None, None, None)] * 4
    assert scores[0] == scores[1] == scores[2] < scores[3]
    assert all(round(score / 0.1) * 0.1 == pytest.approx(score) for score in scores)
    assert all(one["strict"] == one["official"] == one["queries"] == {} for one in shown)
    assert world.board()["standings"][0]["score"] == scores[3]
    seen = world.client.get(f"/api/submissions/{shown[0]['id']}", headers=world.headers("host")).json()
    assert seen["score"] == seen["strict"]["public"]["nDCG@10"] != scores[0]


def test_a_score_that_is_better_by_the_step_itself_does_not_climb():
    assert ladder.climbed(0.8, 0.7, 0.1) == 0.7
    assert ladder.climbed(0.81, 0.7, 0.1) == 0.8


def test_teams_whose_scores_differ_by_rounding_alone_share_a_rank(build: Build, sqlite: str):
    world = build(sqlite, 'measures = ["RR"]')
    ranks = [1, 2, 3, 5, 7, 3, 10, 6, 9, 4, 11, 3, 7, 8, 2, 3, 13, 6, 7, 9]
    for turn in range(len(ranks)):
        places = [*ranks[turn:], *ranks[:turn]]
        lists = [[f"x{n}" for n in range(1, place)] + [f"d{q}0"] for q, place in enumerate(places)]
        rows = [f"q{q} Q0 {doc} 1 {-n} t\n" for q, docs in enumerate(lists) for n, doc in enumerate(docs)]
        assert world.submit(f"team {turn}", "".join(rows)).status_code == 201
    rows = world.board()["standings"]
    assert len({row["score"] for row in rows}) > 1
    assert {row["rank"] for row in rows} == {1}


def test_of_entries_whose_scores_differ_by_rounding_alone_the_earliest_counts(build: Build, address: str):
    world = build(address, 'measures = ["RR"]\nper_day = 30\nfinals = 2')
    ranks = [1, 2, 3, 5, 7, 3, 10, 6, 9, 4, 11, 3, 7, 8, 2, 3, 13, 6, 7, 9]
    sent = []
    turned = ([*ranks[turn:], *ranks[:turn]] for turn in range(len(ranks)))
    in_order = sorted(range(len(ranks)), key=str)  # as the engine sums; sum() is nearer from Python 3.12 on
    for places in sorted(turned, key=lambda places: [*accumulate(1 / places[q] for q in in_order)][-1]):
        lists = [[f"x{n}" for n in range(1, place)] + [f"d{q}0"] for q, place in enumerate(places)]
        rows = [f"q{q} Q0 {doc} 1 {-n} t\n" for q, docs in enumerate(lists) for n, doc in enumerate(docs)]
        sent.append(world.submit("A", "".join(rows)).json())
    best = max(sent, key=lambda one: one["score"])
    assert best["score"] > sent[0]["score"]
    assert world.board(as_="A")["standings"][0]["submission"] == sent[0]["id"]
    assert len(world.client.get("/api/boards/main/history").json()["teams"]["A"]) == 1
    for one in (best, sent[0]):
        chosen = {"headers": world.headers("A"), "json": {"final": True}}
        assert world.client.put(f"/api/submissions/{one['id']}/final", **chosen).status_code == 200
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    assert world.board(as_="A")["standings"][0]["submission"] == sent[0]["id"]


def test_guessing_climbs_without_the_ladder_and_not_with_it():
    """Blum and Hardt's attack: the majority of the random guesses that scored well fits what scores them."""
    draw = np.random.default_rng(7)
    truth, guesses = draw.integers(0, 2, 400), draw.integers(0, 2, (300, 400))

    def climbed(seems_good: list[bool]) -> float:
        votes = np.where(seems_good, 1, -1) @ (2 * guesses - 1)
        return float(((votes > 0) == truth).mean())

    right = (guesses == truth).astype(np.float64)
    seems_good, best, shown = [], None, None
    for values in right:
        now = ladder.climbed_freely(float(values.mean()), values, best, shown)
        seems_good.append(now != shown)
        best, shown = (values, now) if now != shown else (best, shown)
    assert climbed([bool(mean > 0.5) for mean in right.mean(axis=1)]) > 0.7
    assert climbed(seems_good) < 0.6


def test_the_parameter_free_ladder_shows_no_other_number_than_the_score():
    """As where the official score is a mean over lines, some of which are left out."""
    low, high = np.zeros(20), np.ones(20)
    assert ladder.climbed_freely(0.25, low, None, None) == 0.25
    assert ladder.climbed_freely(0.75, high, low, 0.25) == 0.75
    assert ladder.climbed_freely(0.20, high, low, 0.25) == 0.25


def test_the_parameter_free_ladder_needs_more_than_a_standard_error(build: Build, address: str):
    world = build(address, "ladder = 0\nper_day = 100")
    scores = [world.submit("A", run(good=good)).json()["shown"] for good in (10, 11, 18)]
    assert scores[0] == scores[1] < scores[2]


@pytest.mark.parametrize(
    ("ladder_of_board", "multiple", "said"),
    [("0", 0.1, "multiple of 1/n, where n is the number of public queries."), ("0.05", 0.05, "multiple of 0.05.")],
)
def test_a_board_says_to_what_a_ladder_rounds(
    build: Build, sqlite: str, ladder_of_board: str, multiple: float, said: str
):
    world = build(sqlite, f"ladder = {ladder_of_board}\npublic = 0.5")
    shown = world.submit("A", run(good=7)).json()["shown"]
    row = world.board(as_="A")["standings"][0]
    with world.service.database.reading() as session:
        limits = json.loads(session.get_one(Submission, row["submission"]).results or "")["intervals"]
    assert shown == round(round(shown / multiple) * multiple, 12)
    assert [row["low"], row["high"]] == [round(round(end / multiple) * multiple, 12) for end in limits["public"]]
    host = world.client.get("/api/boards/main/export", headers=world.headers("host")).json()
    assert host["shown"] == shown != host["score"]
    assert f"What shows is rounded to a {said}" in world.client.get("/boards/main").text
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    row = world.board()["standings"][0]
    assert [row["low"], row["high"]] == limits["private"], "at the end nothing is rounded"


def test_rounded_scores_tell_no_more_digits(build: Build, sqlite: str):
    world = build(sqlite, 'digits = 2\nreveal = "queries"')
    said = world.submit("A", run(good=7)).json()
    row = world.board()["standings"][0]
    numbers = [said["score"], *said["interval"], *said["strict"]["public"].values()]
    numbers += [row["score"], row["low"], row["high"]]
    assert all(number == round(number, 2) for number in numbers)
    assert said["queries"] == {}


def test_a_team_sees_what_the_board_reveals(build: Build, sqlite: str):
    other = '[[boards]]\nname = "{0}"\ntruth = "truth.qrels"\nreveal = "{0}"\n'
    world = build(sqlite, other.format("score") + other.format("queries"))
    seen = {}
    for board in ("score", "main", "queries"):
        said = world.submit("A", run(good=7), board=board).json()
        seen[board] = len(said["strict"].get("public", {})), len(said["queries"])
    assert seen == {"score": (0, 0), "main": (5, 0), "queries": (5, 20)}


def test_who_may_not_see_a_board_does_not(build: Build, sqlite: str):
    world = build(sqlite, 'visible = "teams"')
    assert world.client.get("/api/boards/main").status_code == 401
    assert world.client.get("/api/boards").json() == []
    assert "/boards/main" not in world.client.get("/").text
    assert world.board(as_="A")["standings"] == []


def test_an_entry_that_is_put_back_makes_no_final_entry_too_many(build: Build, address: str):
    world = build(address, "finals = 1")
    first, second = (world.submit("A", run(good=good)).json()["id"] for good in (9, 12))

    def told(path: str, said: dict[str, Any], who: str) -> Any:
        return world.client.put(f"/api/submissions/{path}", json=said, headers=world.headers(who))

    def finals() -> list[bool]:
        own = world.client.get("/api/boards/main/submissions", headers=world.headers("A")).json()
        return [next(one["is_final"] for one in own if one["id"] == id) for id in (first, second)]

    out, back = {"mark": "withdrawn", "reason": "asked for"}, {"mark": None, "reason": ""}
    assert told(f"{first}/final", {"final": True}, "A").status_code == 200
    assert told(f"{first}/mark", out, "host").status_code == 200
    assert told(f"{first}/mark", back, "host").status_code == 200
    assert finals() == [True, False]
    told(f"{first}/mark", out, "host")
    assert told(f"{second}/final", {"final": True}, "A").status_code == 200
    assert told(f"{first}/mark", back, "host").status_code == 200
    assert finals() == [False, True]
    told(f"{second}/mark", out, "host")
    assert told(f"{second}/final", {"final": False}, "A").status_code == 200
    assert told(f"{second}/mark", back, "host").status_code == 200
    assert finals() == [False, False]
