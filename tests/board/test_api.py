"""What teams and hosts can do through the API, on both databases."""

from __future__ import annotations

import bz2
import gzip
import json
import re

import numpy as np
import pytest
import zstandard
from click.testing import CliRunner

import truerank as tr
from board_worlds import QRELS, Build, run
from truerank.board import api, submissions
from truerank.board.audit import SubmissionAudit
from truerank.board.client import LABEL
from truerank.board.errors import BoardError
from truerank.board.models import ACCEPTED, RECEIVED, Submission
from truerank.board.scoring import MOST_GROUPS, tie_groups
from truerank.board.standings import Standing, Standings
from truerank.cli import truerank
from truerank.stats import confidence_of_look, mean_sequence


def test_a_submission_is_scored_as_the_engine_scores_it(build: Build, address: str):
    world = build(address)
    answer = world.submit("A", run(good=12))
    assert answer.status_code == 201, answer.text
    said = answer.json()
    (world.folder / "mine.run").write_text(run(good=12))
    mean = tr.evaluate(world.folder / "truth.qrels", world.folder / "mine.run").mean
    assert said["strict"]["public"] == mean == said["official"]["public"]
    assert said["score"] == mean["nDCG@10"]
    assert said["interval"][0] < said["score"] < said["interval"][1]
    assert (said["state"], said["is_new"], said["attempts"]["left"]) == ("scored", True, 4)


def test_the_interval_of_a_measure_beyond_1_is_not_cut_at_1(build: Build, sqlite: str):
    world = build(sqlite, 'measures = ["DCG@10"]')
    said = world.submit("A", run(good=12)).json()
    row = world.board()["standings"][0]
    assert 1 < said["interval"][0] < said["score"] < said["interval"][1]
    assert (row["low"], row["score"], row["high"]) == (said["interval"][0], said["score"], said["interval"][1])


@pytest.mark.parametrize("measure", ["DCG@10", "nDCG@10"])
def test_one_query_tells_no_more_than_the_range_of_the_measure(build: Build, sqlite: str, measure: str):
    world = build(sqlite, f'measures = ["{measure}"]', qrels="q0 0 d00 2\n")
    said = world.submit("A", run(good=0, queries=1)).json()
    assert said["interval"] == ([0, 1] if measure == "nDCG@10" else [said["score"]] * 2)


def test_the_board_ranks_each_teams_best_entry(build: Build, address: str):
    world = build(address)
    for team, good in (("A", 5), ("B", 3), ("A", 18), ("A", 3), ("C", 15), ("B", 15)):
        world.clock[0] += 1
        assert world.submit(team, run(good=good, tag=f"{team}{good}")).status_code == 201
    rows = world.board()["standings"]
    assert [(row["rank"], row["team"], row["entries"]) for row in rows] == [(1, "A", 3), (2, "C", 1), (2, "B", 2)]


def test_teams_that_a_paired_test_cannot_tell_apart_share_a_letter(build: Build, address: str):
    world = build(address)
    for team, good in (("A", 20), ("B", 19), ("C", 2)):
        world.submit(team, run(good=good, tag=team))
    rows = world.settled()["standings"]
    assert [(row["team"], row["groups"]) for row in rows] == [("A", "a"), ("B", "a"), ("C", "b")]


def test_two_teams_are_told_apart_or_share_a_letter_and_one_alone_has_its_own():
    high, low = np.linspace(0.6, 0.9, 20), np.linspace(0.1, 0.3, 20)
    assert tie_groups([high, low]) == [[0], [1]]
    assert tie_groups([high, high]) == [[0, 1]]
    assert (tie_groups([high]), tie_groups([high, None])) == ([[0]], [])


def test_of_hundreds_of_teams_the_first_have_letters():
    """Of all 300 there would be more groups than could ever be listed."""
    rng = np.random.default_rng(0)
    rows = np.clip(rng.normal(np.linspace(0.9, 0.4, 300)[:, None] + rng.random(50) / 4, 0.15), 0, 1)
    rows = rows[np.argsort(-rows.mean(axis=1))]
    groups = tie_groups(list(rows))
    with_letters = {team for group in groups for team in group}
    assert len(groups) <= MOST_GROUPS
    assert with_letters == set(range(len(with_letters)))
    assert len(with_letters) > 50


def test_after_z_come_letters_with_a_prime():
    rows = (Standing(n, str(n), n, 1.0, 1.0, 1.0, 1.0, 1, 0, "", {}) for n in range(54))
    found = Standings(1, "public", tuple(rows)).with_groups([[n] for n in range(54)])
    assert [found.rows[n].groups for n in (0, 25, 26, 51, 52)] == ["a", "z", "aʹ", "zʹ", "aʹʹ"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress], ids=["gz", "bz2", "zst"])
def test_a_compressed_submission_scores_the_same(build: Build, sqlite: str, pack):
    world = build(sqlite)
    plain, packed = run(good=7), pack(run(good=7).encode())
    one, two = world.submit("A", plain).json(), world.submit("A", packed).json()
    assert one["strict"] == two["strict"]
    assert one["sha256"] != two["sha256"]


def test_a_label_is_as_long_as_the_client_lets_it_be(build: Build, sqlite: str):
    world = build(sqlite)
    path = "/api/boards/main/submissions"
    for letters, status in ((LABEL, 201), (LABEL + 1, 422)):
        sent = world.client.post(path, params={"label": "x" * letters}, content=run(), headers=world.headers("A"))
        assert sent.status_code == status


def test_of_teams_with_one_score_who_had_it_first_stands_first(build: Build, sqlite: str):
    world = build(sqlite)
    for name in "CBA":
        world.add(name)
    for team in ("B", "A", "C"):
        world.submit(team, run(good=7))
        world.clock[0] += 60
    rows = world.board()["standings"]
    assert [(row["team"], row["rank"]) for row in rows] == [("B", 1), ("A", 1), ("C", 1)]
    assert [row["last"][-6:] for row in rows] == ["46:40Z", "47:40Z", "48:40Z"]


def test_a_document_twice_in_a_large_submission_is_told_as_in_a_small_one(
    build: Build, sqlite: str, monkeypatch: pytest.MonkeyPatch
):
    world = build(sqlite)
    twice = run(good=4) + "q3 Q0 x 9 1 t\n"
    for small in (1 << 20, 0):
        monkeypatch.setattr("truerank.board.audit.SMALL", small)
        said = world.submit("A", twice).json()["findings"]
        assert [(one["kind"], one["lines"]) for one in said if one["refuses"]] == [("repeated-document", [81])]


def test_an_invalid_submission_says_why_with_its_lines_and_costs_nothing(build: Build, address: str):
    world = build(address)
    answer = world.submit("A", "q0 Q0 d 1 2 t\nq0 Q0 e 1\nnope Q0 c 1 x t\n")
    assert answer.status_code == 422
    said = answer.json()
    assert [(one["kind"], one["lines"]) for one in said["findings"] if one["refuses"]] == [
        ("columns", [2]),
        ("score-no-number", [3]),
    ]
    assert "line 2" in said["message"]
    assert str(world.folder) not in answer.text
    attempts = world.client.get("/api/boards/main/attempts", headers=world.headers("A")).json()
    assert (attempts["total"], attempts["left"]) == (0, 5)
    assert world.board()["standings"] == []
    assert list((world.folder / "data/files").glob("*/*")) == []


def test_a_check_tells_the_same_without_submitting(build: Build, address: str):
    world = build(address)
    bad = world.client.post("/api/boards/main/audits", content="q0 Q0 e 1\n", headers=world.headers("A")).json()
    assert not bad["valid"]
    good = world.client.post("/api/boards/main/audits", content=run(queries=3), headers=world.headers("A")).json()
    assert good["valid"]
    assert (good["rows"], good["answered"], good["missing"]) == (12, 3, 17)
    assert world.client.get("/api/boards/main/submissions", headers=world.headers("A")).json() == []


def test_the_limit_of_a_day_ends_at_midnight_where_the_board_is(build: Build, address: str):
    world = build(address, 'per_day = 2\nzone = "Asia/Seoul"')
    world.clock[0] = 1_900_000_000 // 86400 * 86400 + 14 * 3600  # 23:00 in Seoul
    answers = [world.submit("A", run(good=good)) for good in (1, 2, 3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert answers[2].json()["error"] == "no-attempts"
    world.clock[0] += 3600
    assert [world.submit("A", run(good=good)).status_code for good in (3, 4, 5)] == [201, 201, 429]


def test_the_limit_in_all_holds(build: Build, address: str):
    world = build(address, "total = 2")
    assert [world.submit("A", run(good=good)).status_code for good in (1, 2, 3)] == [201, 201, 429]


def test_the_same_key_or_the_same_bytes_are_the_same_submission(build: Build, address: str):
    world = build(address)
    headers = {"Idempotency-Key": "k1"}
    one = world.submit("A", run(good=4), **headers)
    again = world.submit("A", run(good=4), **headers)
    bytes_again = world.submit("A", run(good=4))
    assert (one.status_code, again.status_code, bytes_again.status_code) == (201, 200, 200)
    assert one.json()["id"] == again.json()["id"] == bytes_again.json()["id"]
    assert again.json()["attempts"]["total"] == 1
    other = world.submit("A", run(good=5), **headers)
    assert (other.status_code, other.json()["error"]) == (409, "key-used")
    assert world.submit("B", run(good=4)).status_code == 201


def test_a_board_takes_nothing_before_it_opens_and_after_it_closes(build: Build, address: str):
    world = build(address, "opens = 2030-03-17T00:00:00Z\ncloses = 2030-03-18T00:00:00Z")
    world.clock[0] = 1_899_849_600.0  # 2030-03-16
    assert world.submit("A", run()).json()["error"] == "not-open"
    world.clock[0] += 1.5 * 86400
    assert world.submit("A", run()).status_code == 201
    world.clock[0] += 86400
    assert world.submit("A", run(good=3)).json()["error"] == "not-open"
    state = world.board()
    assert (state["is_open"], state["is_closed"]) == (False, True)


def test_a_host_closes_and_reopens_a_board(build: Build, address: str):
    world = build(address)
    assert world.client.post("/api/boards/main/close", headers=world.headers("A")).status_code == 403
    assert world.client.post("/api/boards/main/close", headers=world.headers("host")).status_code == 200
    assert world.submit("A", run()).status_code == 409
    world.clock[0] -= 3600  # the system's clock was put right
    assert world.submit("A", run()).status_code == 409
    assert world.client.post("/api/boards/main/reopen", headers=world.headers("host")).status_code == 200
    assert world.submit("A", run()).status_code == 201


def test_teams_see_their_own_submissions_and_hosts_see_all(build: Build, address: str):
    world = build(address)
    mine, theirs = world.submit("A", run(good=3)).json()["id"], world.submit("B", run(good=4)).json()["id"]
    seen = world.client.get("/api/boards/main/submissions", headers=world.headers("A")).json()
    assert [one["id"] for one in seen] == [mine]
    assert world.client.get(f"/api/submissions/{theirs}", headers=world.headers("A")).status_code == 404
    assert world.client.get(f"/api/submissions/{theirs}").status_code == 401
    assert world.client.get(f"/api/submissions/{theirs}", headers=world.headers("host")).status_code == 200
    every = world.client.get("/api/boards/main/submissions", headers=world.headers("host")).json()
    assert {one["id"] for one in every} == {mine, theirs}


def test_a_host_lets_teams_in_and_out(build: Build, address: str):
    world = build(address)
    made = world.client.post("/api/accounts", json={"name": "New"}, headers=world.headers("host"))
    assert made.status_code == 201
    token = {"Authorization": f"Bearer {made.json()['token']}"}
    assert world.client.get("/api/boards/main/attempts", headers=token).status_code == 200
    listed = world.client.get("/api/accounts", headers=world.headers("host"))
    assert made.json()["token"] not in listed.text
    id = next(one for one in listed.json() if one["name"] == "New")["tokens"][0]["id"]
    assert world.client.delete(f"/api/tokens/{id}", headers=world.headers("host")).status_code == 200
    assert world.client.get("/api/boards/main/attempts", headers=token).status_code == 401
    again = world.client.post("/api/accounts", json={"name": "New"}, headers=world.headers("host"))
    assert (again.status_code, again.json()["error"]) == (409, "name-taken")
    assert world.client.post("/api/accounts", json={"name": "X"}, headers=world.headers("A")).status_code == 403


def test_a_host_hands_in_the_truth_while_nothing_was_submitted(build: Build, address: str):
    world = build(address, '[[boards]]\nname = "new"')
    empty = world.submit("A", run(), board="new")
    assert (empty.status_code, empty.json()["error"]) == (409, "no-truth")
    bad = world.client.put("/api/boards/new/truth", content=b"\0\1", headers=world.headers("host"))
    assert (bad.status_code, bad.json()["error"]) == (422, "bad-truth")
    mine = world.client.put("/api/boards/new/truth", content=QRELS, headers=world.headers("A"))
    assert mine.status_code == 403
    worse = QRELS.replace(" 2", " 0")
    put = world.client.put("/api/boards/new/truth", content=worse, headers=world.headers("host"))
    assert put.status_code == 200, put.text
    assert world.submit("A", run(), board="new").json()["score"] < world.submit("A", run()).json()["score"]
    late = world.client.put("/api/boards/new/truth", content=QRELS, headers=world.headers("host"))
    assert (late.status_code, late.json()["error"]) == (409, "too-late")
    assert "run `truerank board rescore new`" in late.json()["message"]


def test_a_truth_that_any_of_the_measures_cannot_be_computed_from_is_refused(build: Build, sqlite: str):
    with pytest.raises(BoardError, match=r"board 'main': .*alpha_nDCG@5"):
        build(sqlite, 'measures = ["AP", "alpha_nDCG@5"]')
    world = build(sqlite, '[[boards]]\nname = "new"\nmeasures = ["AP", "xinfAP"]')
    put = world.client.put("/api/boards/new/truth", content=QRELS, headers=world.headers("host"))
    assert (put.status_code, put.json()["error"]) == (422, "bad-truth")
    assert "xinfAP" in put.json()["message"]


@pytest.mark.parametrize(
    ("settings", "truth", "before", "after"),
    [
        ('rules = "science-qa"', "truth.json", '{"1": [5], "2": [6]}', '{"1": ["5"], "2": ["6"]}'),
        (
            'measures = ["nERR_IA@5"]',
            "truth.csv",
            "query,doc,grade,aspect,weight\n1,5,1,a,1\n1,7,1,b,1\n2,6,1,a,1\n",
            "query,doc,grade,aspect,weight\n1,5,1,a,1\n1,7,1,b,3\n2,6,1,a,1\n",
        ),
        (
            'measures = ["nERR_IA@5"]',
            "truth.csv",
            "query,doc,grade,aspect\n1,5,1,a\n1,7,1,b\n2,6,1,a\n",
            "query,doc,grade,aspect\n1,5,1,a\n1,7,1,a\n2,6,1,a\n",
        ),
    ],
    ids=["text for numbers", "weights", "aspects"],
)
def test_another_truth_of_the_same_documents_is_another_truth(
    build: Build, sqlite: str, settings: str, truth: str, before: str, after: str
):
    world = build(sqlite, settings, qrels=before, truth=truth)
    sent = '{"eval_id": 1, "topk": [5]}\n{"eval_id": 2, "topk": [6]}\n'
    assert world.submit("A", sent).status_code == 201
    (world.folder / truth).write_text(after)
    answer = world.submit("B", sent)
    assert (answer.status_code, answer.json()["error"]) == (503, "changed")


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "submissions"), ("POST", "audits"), ("PUT", "truth")], ids=lambda part: part
)
def test_a_file_in_a_form_is_told_to_be_the_body(build: Build, sqlite: str, method: str, path: str):
    world = build(sqlite)
    form = {"file": ("a.run", run())}
    said = world.client.request(method, f"/api/boards/main/{path}", files=form, headers=world.headers("host"))
    assert (said.status_code, said.json()["error"]) == (415, "a-form")
    assert "curl --data-binary @FILE" in said.json()["message"]


def test_the_export_has_everything_and_is_for_hosts(build: Build, address: str):
    world = build(address)
    world.submit("A", run(good=3))
    world.clock[0] += 1
    world.submit("B", "nonsense")
    assert world.client.get("/api/boards/main/export", headers=world.headers("A")).status_code == 403
    lines = world.client.get("/api/boards/main/export", headers=world.headers("host")).text.splitlines()
    found = [json.loads(line) for line in lines]
    assert [(one["team"], one["state"]) for one in found] == [("A", "scored"), ("B", "refused")]
    assert found[0]["rules"]["name"] == "truerank"
    assert found[0]["version"] == tr.__version__


def test_a_long_list_of_submissions_goes_on_where_it_ends(
    build: Build, address: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(api, "MOST", 2)
    world = build(address)
    sent = []
    for good in range(5):
        world.clock[0] += good % 2  # some at the same moment
        sent.append(world.submit("A" if good else "B", run(good=good)).json()["id"])
    for name, count in (("host", 5), ("A", 4)):
        path, found, lists = "/api/boards/main/submissions", [], 0
        while path:
            answer = world.client.get(path, headers=world.headers(name))
            found += [one["id"] for one in answer.json()]
            path, lists = answer.links.get("next", {}).get("url", ""), lists + 1
        assert sorted(found) == sorted(sent[-count:])
        assert lists == (count + 1) // 2
    other = world.client.get(f"/api/boards/main/submissions?before={sent[0]}", headers=world.headers("A"))
    assert other.status_code == 404
    world.client.post("/login", data={"token": world.accounts["A"]})
    page = world.client.get("/boards/main/submissions").text
    earlier = re.search(r'href="([^"#]*[?]before=[^"#]*)#own"', page)
    assert earlier
    assert "?before=" not in world.client.get(earlier[1]).text


@pytest.mark.parametrize("is_over", [False, True], ids=["public", "private"])
def test_the_standings_are_a_table_too(build: Build, address: str, is_over: bool):
    """The command says what the API does, and the other measures of each entry on the same queries."""
    world = build(address, 'measures = ["nDCG@10", "AP"]\npublic = 0.5\ntitle = "Cities"\nladder = 0.01')
    for team, good in (("A", 20), ("B", 3), ("B", 18), ("C", 2)):
        world.submit(team, run(good=good))
    if is_over:
        world.client.post("/api/boards/main/close", headers=world.headers("host"))
    options = ["--board", str(world.folder / "board.toml"), "--db", address]

    def call(*args: str) -> str:
        done = CliRunner().invoke(truerank, ["board", "standings", "main", *args, *options])
        assert done.exit_code == 0, done.output
        return done.stdout

    said, board = json.loads(call("--format", "json")), world.settled()
    for row, shown in zip(said["standings"], board["standings"], strict=True):
        same = ("rank", "team", "score", "low", "high", "groups", "public", "entries")
        assert {name: row[name] for name in same} == {name: shown[name] for name in same}
        entry = world.client.get(f"/api/submissions/{row['submission']}", headers=world.headers("host")).json()
        assert row["means"] == entry["strict"][board["part"]]
    heads = call("--format", "csv").splitlines()[0]
    assert heads == "rank,team,score,low,high,groups,public,entries,last,submission,AP"
    table = call()
    assert table.startswith(f"Cities: {board['part']} queries\n")
    assert ("public score" in table, "real improvement" in table) == (is_over, not is_over)


def test_the_table_has_the_digits_of_the_board_where_none_are_asked_for(build: Build, sqlite: str):
    world = build(sqlite, 'measures = ["AP", "RR"]\ndigits = 2')
    world.submit("A", run(good=13))
    options = ["--board", str(world.folder / "board.toml"), "--db", sqlite]
    for more, shown in (([], ["0.63", "0.77"]), (["--digits", "3"], ["0.630", "0.767"])):
        done = CliRunner().invoke(truerank, ["board", "standings", "main", *more, *options])
        assert [word for word in done.stdout.split() if word in shown] == shown
        assert ("95 % interval" in done.stdout, "share a letter" in done.stdout) == (True, False)


@pytest.mark.parametrize("command", ["export", "standings"])
def test_no_command_writes_over_what_a_board_is_made_of(build: Build, sqlite: str, command: str):
    world = build(sqlite)
    options = ["--board", str(world.folder / "board.toml"), "--db", sqlite]
    files = ("board.toml", "board.sqlite", "truth.qrels")
    (world.folder / "board.csv").symlink_to("board.toml")
    for name in (*files, "board.csv"):
        before = (world.folder / name).read_bytes()
        done = CliRunner().invoke(truerank, ["board", command, "main", "-o", str(world.folder / name), *options])
        assert (done.exit_code, "this is what is read: write to another file" in done.stderr) == (2, True)
        assert (world.folder / name).read_bytes() == before


def test_the_history_rises_with_each_teams_best(build: Build, address: str):
    world = build(address)
    for good, tag in ((5, "t"), (3, "t"), (5, "u"), (9, "t")):
        world.clock[0] += 60
        world.submit("A", run(good=good, tag=tag))
    points = world.client.get("/api/boards/main/history").json()["teams"]["A"]
    assert len(points) == 2
    assert points[0]["score"] < points[1]["score"]
    assert points[0]["at"] < points[1]["at"]


def test_the_intervals_of_the_history_hold_at_all_entries_of_a_team(build: Build, address: str):
    world = build(address)
    for good in (5, 3, 9):
        world.clock[0] += 60
        world.submit("A", run(good=good))
    first, second = world.client.get("/api/boards/main/history").json()["teams"]["A"]
    assert first["low"] <= first["score"] <= first["high"]
    assert second["low"] <= second["score"] <= second["high"]
    world.submit("B", run(good=9))
    only = world.client.get("/api/boards/main/history").json()["teams"]["B"][0]
    assert second["high"] - second["low"] > only["high"] - only["low"], "a third look has less error left"
    (world.folder / "mine.run").write_text(run(good=9))
    values = tr.evaluate(world.folder / "truth.qrels", world.folder / "mine.run", "nDCG@10")["nDCG@10"]
    end = mean_sequence(values, confidence=confidence_of_look(0.95, 1))[-1]
    assert (only["low"], only["high"]) == (end.low, end.high)


@pytest.mark.parametrize(
    ("settings", "queries"),
    [
        ('measures = ["DCG@10"]\ndigits = 2', 20),
        ('rules = "trec_eval-9"\nmeasures = ["AP"]\nscore = "official"', 19),
    ],
)
def test_the_history_has_intervals_only_of_means_of_known_values_from_0_to_1(
    build: Build, sqlite: str, settings: str, queries: int
):
    world = build(sqlite, settings)
    score = world.submit("A", run(good=12, queries=queries)).json()["score"]
    (point,) = world.client.get("/api/boards/main/history").json()["teams"]["A"]
    assert (point["score"], point["low"], point["high"]) == (score, None, None)


def test_health_and_numbers_are_told(build: Build, address: str):
    world = build(address)
    world.submit("A", run())
    health = world.client.get("/healthz").json()
    assert (health["status"], health["database"]) == ("ok", address.partition("+")[0].partition(":")[0])
    text = world.client.get("/metrics").text
    assert 'truerank_submissions_total{board="main",state="scored"} 1.0' in text
    assert 'route="/api/boards/{board}/submissions",status="201"' in text


def test_what_came_before_midnight_is_of_that_day_however_late_it_is_accepted(build: Build, address: str):
    world = build(address, "per_day = 2")
    midnight = 1_900_022_400.0
    world.clock[0] = midnight - 10
    sent = [world.submit("A", run(good=good)).json()["id"] for good in (3, 5)]
    with world.service.database.writing() as session:
        late = session.get_one(Submission, sent[1])
        late.state, late.accepted_at = RECEIVED, None
    world.clock[0] = midnight + 10
    assert [world.submit("A", run(good=good)).status_code for good in (7, 9)] == [201, 201]
    with world.service.database.writing() as session:
        board = world.service.board("main")
        accepted = submissions.accept(session, world.service.storage, sent[1], SubmissionAudit(()), board)
        assert accepted.state == ACCEPTED


def test_what_went_over_the_limit_may_be_sent_with_its_key_the_next_day(build: Build, address: str):
    """Another file took the last attempt while this one was audited."""
    world = build(address, "per_day = 1")
    world.submit("A", run(good=3))
    check, world.service.check_new = world.service.check_new, lambda *_: None  # type: ignore[method-assign]
    assert world.submit("A", run(good=4), **{"Idempotency-Key": "k"}).status_code == 429
    world.service.check_new = check  # type: ignore[method-assign]
    assert world.submit("A", run(good=4), **{"Idempotency-Key": "k"}).status_code == 429
    world.clock[0] += 86400
    assert world.submit("A", run(good=4), **{"Idempotency-Key": "k"}).status_code == 201
