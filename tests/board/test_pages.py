"""What the pages say of a board, and that their JSON says the same."""

from __future__ import annotations

import json
import re
import threading
from typing import Any

import pytest

from board_worlds import Build, World, run
from truerank.board import display, views
from truerank.board.pages import rules
from truerank.board.pages.rules import rules_in_words
from truerank.board.workers import WorkerLost
from truerank.measures import parse_measure
from truerank.present import lines

TIED = {"A": 20, "B": 20, "C": 20, "D": 20, "E": 4}


def page(world: World, path: str, language: str = "en") -> str:
    answer = world.client.get(path, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text))


def test_teams_that_share_the_first_rank_are_said_to_share_it(build: Build, sqlite: str):
    world = build(sqlite)
    for team, good in TIED.items():
        world.submit(team, run(good=good, tag=team))
    world.settled()
    for path, english, korean in (
        ("/boards/main", "Four teams share first place.", "4팀이 공동 1위입니다."),
        ("/", "First Four teams 0.9", "1위 공동 4팀 0.9"),
    ):
        assert english in page(world, path)
        assert korean in page(world, path, "ko")
    assert "is first, but" not in page(world, "/boards/main")
    assert [row["rank"] for row in world.board()["standings"]] == [1, 1, 1, 1, 5]


def test_the_list_of_boards_tells_in_json_what_its_page_tells(build: Build, sqlite: str):
    world = build(sqlite, '[[boards]]\nname = "new"')
    for team, good in (("A", 9), ("B", 12)):
        world.submit(team, run(good=good))
    new, main = sorted(world.client.get("/api/boards").json(), key=lambda one: one["name"], reverse=True)
    best = world.board()["standings"][0]["score"]
    assert (main["teams"], main["first"], main["best"]) == (2, ["B"], best)
    assert (new["teams"], new["first"], new["best"]) == (0, [], None)
    assert f"Teams 2 First B {best:.4f}" in page(world, "/")


def test_every_page_links_to_its_json_which_the_same_viewer_may_read(build: Build, sqlite: str):
    world = build(sqlite)
    id = world.submit("A", run()).json()["id"]
    expected = {
        "/": {"/api/boards"},
        "/boards/main": {"/api/boards/main", "/api/boards/main/history"},
        "/boards/main/submissions": {"/api/boards/main/submissions", "/api/boards/main/attempts"},
        f"/submissions/{id}": {f"/api/submissions/{id}"},
        "/host": {"/api/accounts", "/api/boards"},
    }
    for path, links in expected.items():
        world.sign_in("host" if path == "/host" else "A")
        foot = world.client.get(path).text.partition("<footer")[2]
        assert set(re.findall(r'href="(/api/[^"]+)"', foot)) == links
        assert {world.client.get(link).status_code for link in links} == {200}
    world.sign_in("A")
    assert world.client.get("/api/accounts").status_code == 403


def test_while_tie_groups_are_computed_the_answer_says_when_to_ask_again(build: Build, sqlite: str):
    world = build(sqlite)
    for team, good in (("A", 9), ("B", 12)):
        world.submit(team, run(good=good))
    said = world.client.get("/openapi.json").json()["paths"]
    for path in ("/api/boards/main", "/api/boards/main/version"):
        first = world.client.get(path)
        assert first.json()["pending"] == ("retry-after" in first.headers)
        documented = said[path.replace("main", "{board}")]["get"]["responses"]["200"]["headers"]
        assert "Retry-After" in documented
    world.submit("C", run(good=3))
    pending = world.client.get("/api/boards/main")
    assert (pending.json()["pending"], pending.headers["retry-after"]) == (True, "1")
    assert {row["groups"] for row in pending.json()["standings"]} == {None}
    settled = world.settled()
    assert not settled["pending"]
    assert None not in {row["groups"] for row in settled["standings"]}
    assert "retry-after" not in world.client.get("/api/boards/main").headers


def test_tie_groups_that_could_not_be_computed_are_computed_later(
    build: Build, sqlite: str, monkeypatch: pytest.MonkeyPatch
):
    """Until then they are pending; no other reason is given for it."""
    monkeypatch.setattr(display, "AGAIN", 0.0)
    world, failed = build(sqlite), threading.Event()
    done = world.service.pool.do

    async def fail(*args: Any, **options: Any) -> Any:
        if args[0] is not display.tie_groups or failed.is_set():
            return await done(*args, **options)
        failed.set()
        raise WorkerLost("the process ended")

    monkeypatch.setattr(world.service.pool, "do", fail)
    for team, good in (("A", 9), ("B", 12)):
        world.submit(team, run(good=good))
    while not failed.is_set():
        assert world.board()["pending"]
    assert "Nothing is said" not in world.client.get("/boards/main").text
    assert {row["groups"] for row in world.settled()["standings"]} == {"a"}


def test_after_closing_the_private_score_heads_a_submission_and_the_public_one_stands_beside(
    build: Build, sqlite: str
):
    world = build(sqlite, "public = 0.5")
    id = world.submit("A", run(good=7)).json()["id"]
    world.sign_in("A")
    before = world.board()["standings"][0]["score"]
    assert f"Public score {before:.4f}" in page(world, f"/submissions/{id}")
    assert "Private" not in page(world, f"/submissions/{id}")
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    row = world.board()["standings"][0]
    assert '<span class="move">' in world.client.get("/boards/main").text
    said = world.client.get(f"/api/submissions/{id}", headers=world.headers("A")).json()
    assert (said["part"], said["score"], said["public"]) == ("private", row["score"], before)
    assert said["interval"] == [row["low"], row["high"]]
    assert f"Private score {row['score']:.4f} Public score {before:.4f}" in page(world, f"/submissions/{id}")
    assert f"비공개 점수 {row['score']:.4f} 공개 점수 {before:.4f}" in page(world, f"/submissions/{id}", "ko")
    listed = page(world, "/boards/main/submissions")
    assert "Received Private score State" in listed
    assert f"UTC {row['score']:.4f} scored" in listed


def test_a_board_that_a_host_closed_tells_when_and_its_history_goes_on_until_then(build: Build, sqlite: str):
    world = build(sqlite, "closes = 2031-01-01T00:00:00Z")
    world.submit("A", run(good=7))
    world.clock[0] += 3600
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    world.clock[0] += 86400
    assert world.board()["closes"] == "2030-03-17T18:46:40Z"
    assert all("<dt>Closed</dt>" in world.client.get(address).text for address in ("/", "/boards/main"))
    corners = re.search(r'<polyline[^>]* points="([^"]+)"', world.client.get("/boards/main").text)
    assert corners
    assert [float(corner.partition(",")[0]) for corner in corners[1].split()] == [0, 1000]
    world.client.post("/api/boards/main/reopen", headers=world.headers("host"))
    assert world.board()["closes"] == "2031-01-01T00:00:00Z"
    assert all("<dt>Closes</dt>" in world.client.get(address).text for address in ("/", "/boards/main"))


def test_digits_round_the_private_scores_too(build: Build, sqlite: str):
    world = build(sqlite, "public = 0.5\ndigits = 2")
    id = world.submit("A", run(good=7)).json()["id"]
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    row = world.board()["standings"][0]
    said = world.client.get(f"/api/submissions/{id}", headers=world.headers("A")).json()
    assert all(value == round(value, 2) for value in (row["score"], row["low"], row["high"]))
    assert (said["score"], said["interval"]) == (row["score"], [row["low"], row["high"]])


@pytest.mark.parametrize("digits", [2, 6])
def test_pages_show_the_digits_that_the_board_says(build: Build, sqlite: str, digits: int):
    world = build(sqlite, f"digits = {digits}")
    id = world.submit("A", run(good=7)).json()["id"]
    row = world.board()["standings"][0]
    words = [f">{row['score']:.{digits}f}<", f">{row['low']:.{digits}f}<", f"{row['high']:.{digits}f}<"]
    world.client.post("/login", data={"token": world.accounts["A"]})
    for address in ("/boards/main", f"/submissions/{id}"):
        page = world.client.get(address).text
        assert [word for word in words if word not in page] == []
    assert words[0] in world.client.get("/").text


def test_under_a_ladder_a_submission_shows_the_boards_score_as_the_boards(build: Build, sqlite: str):
    world = build(sqlite, "ladder = 0.1")
    world.submit("A", run(good=15))
    worse = world.submit("A", run(good=2)).json()
    shown = world.board()["standings"][0]["score"]
    assert (worse["score"], worse["public"], worse["interval"], worse["shown"]) == (None, None, None, shown)
    world.sign_in("A")
    own = page(world, f"/submissions/{worse['id']}")
    assert f"Shown on the board {shown:.4f}" in own
    assert "Public score" not in own
    assert "Received Shown on the board State" in page(world, "/boards/main/submissions")
    raw = world.client.get(f"/api/submissions/{worse['id']}", headers=world.headers("host")).json()["score"]
    assert f"{raw:.4f}" not in own
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    assert f"Score {raw:.4f} Shown on the board {shown:.4f}" in page(world, f"/submissions/{worse['id']}")


def test_a_board_without_truth_is_not_open(build: Build, sqlite: str):
    world = build(sqlite, '[[boards]]\nname = "new"\ntitle = "No truth"')
    state = world.board("new")
    assert (state["is_open"], state["is_closed"]) == (False, False)
    assert "No truth not yet open" in page(world, "/boards/new")
    put = world.client.put("/api/boards/new/truth", content=b"q0 0 d 1\n", headers=world.headers("host"))
    assert put.status_code == 200
    assert world.board("new")["is_open"]


@pytest.mark.parametrize("who", [None, "A"])
def test_a_board_for_hosts_is_as_unknown_to_others_as_none_at_all(build: Build, sqlite: str, who: str | None):
    world = build(sqlite, 'visible = "hosts"')
    headers = world.headers(who) if who else {}
    world.client.cookies.clear()
    for method, path in (
        *(("GET", f"/api/boards/{{}}{end}") for end in ("", "/version", "/history", "/submissions", "/attempts")),
        *(("POST", f"/api/boards/{{}}/{end}") for end in ("submissions", "audits", "close", "reopen")),
        *(("GET", "/api/boards/{}/export"), ("PUT", "/api/boards/{}/truth"), ("GET", "/boards/{}")),
        ("GET", "/boards/{}/submissions"),
    ):
        there, nowhere = (
            world.client.request(method, path.format(name), headers=headers, follow_redirects=False)
            for name in ("main", "none")
        )
        assert there.status_code == nowhere.status_code != 200, path
        assert there.text.replace("main", "none") == nowhere.text.replace("main", "none"), path
    assert world.client.get("/api/boards/main", headers=headers).status_code == 404


def test_the_day_that_is_used_up_says_when_the_next_begins(build: Build, sqlite: str):
    world = build(sqlite, 'per_day = 1\nzone = "Asia/Seoul"')
    world.clock[0] = 1_900_000_000 // 86400 * 86400 + 14 * 3600 + 60  # 23:01 in Seoul on 2030-03-17
    first = world.submit("A", run(good=1)).json()
    assert first["attempts"]["resets"] == "2030-03-17T15:00:00Z"
    over = world.submit("A", run(good=2))
    assert "2030-03-17 15:00 UTC" in over.json()["message"]
    assert (over.status_code, over.headers["retry-after"]) == (429, str(59 * 60))


def test_an_interval_without_width_is_said_to_say_nothing_of_other_queries(build: Build, sqlite: str):
    world = build(sqlite, "public = 1")
    same, others = (world.submit(team, run(good=good)).json()["id"] for team, good in (("A", 20), ("B", 9)))
    said = "Where all values are equal, the interval has no width"
    assert said in page(world, "/boards/main")
    for team, id, is_said in (("A", same, True), ("B", others, False)):
        world.sign_in(team)
        assert (said in page(world, f"/submissions/{id}")) == is_said


def test_nothing_is_left_of_a_board_that_is_closed_and_no_next_day_begins(build: Build, sqlite: str):
    world = build(sqlite, "opens = 2030-03-17T12:00:00Z\ncloses = 2030-03-18T12:00:00Z")
    noon = 1_900_000_000 // 86400 * 86400 + 43200

    def left(hours: int) -> tuple[int, str | None]:
        world.clock[0] = noon + hours * 3600
        found = world.client.get("/api/boards/main/attempts", headers=world.headers("A")).json()
        return found["left"], found["resets"]

    assert [left(hours) for hours in (-1, 1, 13, 25)] == [
        (0, "2030-03-18T00:00:00Z"),
        (5, "2030-03-18T00:00:00Z"),
        (5, None),
        (0, None),
    ]
    world.client.post("/login", data={"token": world.accounts["A"]})
    page = world.client.get("/boards/main/submissions").text
    assert "Nothing is taken now." in page
    assert "left now" not in page


def test_a_board_of_answers_says_what_it_takes_to_who_sends_something_else(build: Build, sqlite: str):
    world = build(sqlite, 'rules = "science-qa"', qrels=json.dumps({"1": ["d1"]}), truth="truth.json")
    said = world.client.post("/api/boards/main/audits", content="hello\n{broken", headers=world.headers("A")).json()
    found = said["findings"][0]
    assert (found["kind"], found["count"], found["lines"]) == ("unreadable", 2, [1, 2])
    assert "JSON object with eval_id and topk" in found["message"]
    assert "columns" not in found["message"]
    for other in ("1 d1 0.5\n", "Id,Predicted\n1,d1 d2\n", "{1: [d1, d2]}\n{2: [d1, d3]}\n"):
        wide = world.client.post("/api/boards/main/audits", content=other, headers=world.headers("A")).json()
        assert "eval_id" in wide["findings"][0]["message"]
    run = world.client.post("/api/boards/main/audits", content="1 Q0 d1 1 2 t\n", headers=world.headers("A")).json()
    assert run["valid"]


BAD_RUN = "q0 Q0 d 1 2 t\nq0 Q0 e 1\nq0 Q0 c 1 x t\nq0 Q0 c 2 nan t\nq0 Q0 d 3 1 t\n"
BAD_LINES = '{"eval_id": "9", "topk": ["a", "a"]}\n{"eval_id": "1", "topk": 3}\n{"eval_id": "1", "topk": []}\n{\n'


@pytest.mark.parametrize(
    ("settings", "qrels", "truth", "sent"),
    [
        ("", "q0 0 d 1\nq1 0 d 1", "truth.qrels", BAD_RUN),
        ("", "q0 0 d 1\nq1 0 d 1", "truth.qrels", "q7 Q0 d 1 2 t\n"),
        ("", "q0 0 d 1", "truth.qrels", " \n"),
        ('rules = "science-qa"', '{"1": ["d1"], "2": []}', "truth.json", BAD_LINES),
    ],
)
def test_a_korean_audit_is_korean(build: Build, sqlite: str, settings: str, qrels: str, truth: str, sent: str):
    world = build(sqlite, settings, qrels=qrels, truth=truth)
    said = world.client.post("/api/boards/main/audits", content=sent, headers=world.headers("A")).json()
    assert any(finding["refuses"] for finding in said["findings"])
    world.sign_in("A")
    world.submit("A", sent)
    listed = world.client.get("/boards/main/submissions").text
    source = world.client.get(re.findall(r'href="(/submissions/[^"]+)"', listed)[0] + "?lang=ko").text
    audit = source.partition('class="findings"')[2].partition("</ul>")[0]
    assert 'class="refuses"' in audit
    assert not re.search(r'class="refuses".*?lang="en".*?</li>', audit, re.DOTALL)


@pytest.mark.parametrize(
    ("accept", "said"),
    [
        (("missing-id",), "A document may be returned only once for a query."),
        (("missing-id", "repeated-document"), "A document that is returned twice counts once."),
        (("repeated-document",), "Every query must be answered."),
    ],
)
def test_what_a_board_refuses_does_not_count_in_its_rules(accept, said, tmp_path):
    (tmp_path / "rules.toml").write_text('duplicates = "once"\n')
    sentences = rules_in_words(str(tmp_path / "rules.toml"), accept)
    assert said in sentences
    assert len(sentences) == len(rules_in_words("truerank", ("missing-id",)))


def test_a_board_of_runs_says_how_lists_in_a_table_are_to_be_written(build: Build, sqlite: str):
    world = build(sqlite)
    said = world.submit("A", "Id,Predicted\nq1,d1 d2\n").json()["findings"]
    assert [finding["lines"] for finding in said] == [[1]]
    assert "one document per row, or one query per row with its list as JSON" in said[0]["message"]


def test_counts_are_whole_numbers_on_a_page(build: Build, sqlite: str):
    world = build(sqlite, 'measures = ["AP", "NumRet"]\npublic = 0.5\nreveal = "queries"')
    id = world.submit("A", run(good=7)).json()["id"]
    for who in ("A", "host"):
        world.headers(who)
        world.client.post("/login", data={"token": world.accounts[who]})
        page = world.client.get(f"/submissions/{id}").text
        assert '<td class="number">40</td>' in page
        assert '<td class="number">4</td>' in page
        assert not re.search(r"\b[48]0?\.0000\b", page)


def test_others_are_answered_while_a_page_with_all_queries_is_written(
    build: Build, sqlite: str, monkeypatch: pytest.MonkeyPatch
):
    world = build(sqlite, 'reveal = "queries"')
    id = world.submit("A", run()).json()["id"]
    world.sign_in("A")
    begun, answered, write = threading.Event(), threading.Event(), views.page

    def slow(*args: Any, **more: Any) -> Any:
        begun.set()
        assert answered.wait(20), "nobody else was answered meanwhile"
        return write(*args, **more)

    monkeypatch.setattr(views, "page", slow)
    statuses: list[int] = []
    looking = threading.Thread(target=lambda: statuses.append(world.client.get(f"/submissions/{id}").status_code))
    looking.start()
    assert begun.wait(20)
    assert world.client.get("/healthz").status_code == 200
    answered.set()
    looking.join(20)
    assert statuses == [200]


def test_a_page_with_all_queries_reads_the_name_of_each_measure_once(
    build: Build, sqlite: str, monkeypatch: pytest.MonkeyPatch
):
    world = build(sqlite, 'reveal = "queries"\nmeasures = ["AP(level=2)@7", "NumRet"]')
    id = world.submit("A", run()).json()["id"]
    world.sign_in("A")
    read: list[str] = []

    def reading(text: str) -> Any:
        read.append(text)
        return parse_measure(text)

    for module in (lines, rules):
        monkeypatch.setattr(module, "parse_measure", reading)
    assert "AP(level=2)@7" in world.client.get(f"/submissions/{id}").text
    assert len(read) <= 2
