"""The pages in a language that has only a catalogue: a pseudo-locale, in which every letter has an accent."""

from __future__ import annotations

import json
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

import truerank as tr
from board_worlds import Build, World, run
from truerank.board.models import Submission
from truerank.core import languages
from truerank.core.languages import catalogue
from truerank.core.messages import from_plain, joined, message, plural, to_plain

LANGUAGE = "qpb"
ACCENTS = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "ÀƁĆĎÈƑĜĤÌĴĶĹḾŃÒṔɊŔŚŤÙṼŴẌÝŹàƀćďèƒĝĥìĵķĺḿńòṕɋŕśťùṽŵẍýź"
)
NAMES = {"JSON", "UTC", "English", LANGUAGE, "trec", "GB", "MB", "KB", "SHA", "truerank"}
"""Words that are names: of formats, units and languages."""

QUOTED = {"nan", "qid", "iter", "docid", "pid", "sim", "runid"}
"""Words of the files that are sent."""

TEAMS = ("가", "나", "다")
HOST = "주최자"
SETTINGS = 'title = "대회"\nabout = "설명"\n'


@pytest.fixture(scope="module")
def pseudo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one catalogue, which says of each text that there is the same with accents."""
    folder = tmp_path_factory.mktemp("locale")
    with (Path(languages._folder()) / "ko.po").open("rb") as file:
        known = read_po(file, locale="ko")
    made = Catalog(locale="en")  # its plural forms: one, and all others
    for entry in known:
        if entry.id:
            forms = [accented(entry.id)] if isinstance(entry.id, str) else list(map(accented, entry.id))
            made.add(entry.id, forms[0] if len(forms) == 1 else forms)
    with (folder / f"{LANGUAGE}.po").open("wb") as file:
        write_po(file, made)
    return folder


def accented(text: str) -> str:
    """The text with an accent on every letter outside braces."""
    return "".join(
        part if part.startswith("{") else part.translate(ACCENTS) for part in re.split(r"(\{.*?\})", text)
    )


class Words(HTMLParser):
    """What a page says to people, in its text and in attributes."""

    SAID = (
        "aria-label",
        "title",
        "alt",
        "placeholder",
        "data-said",
        "data-too-large",
        "data-sending",
        "data-copied",
    )
    SILENT = ("script", "style", "code", "pre")

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.coded: list[str] = []
        self.within: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.said += [value for name, value in attributes if name in self.SAID and value]
        if tag in self.SILENT:
            self.within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.SILENT:
            self.within.pop()

    def handle_data(self, data: str) -> None:
        (self.coded if self.within else self.said).append(data)


def untranslated(html: str) -> set[str]:
    """English words, of two letters or more, that a page says and does not show as code: ids and measures are."""
    words = Words()
    words.feed(html)
    said, coded = (set(re.findall("[A-Za-z]{2,}", " ".join(texts))) for texts in (words.said, words.coded))
    return said - coded - NAMES - QUOTED


class Visitor:
    """Somebody who looks at a board in the pseudo-locale; no page that is shown says an English word."""

    def __init__(self, world: World, name: str | None = None):
        self.world = world
        self.client = world.client
        self.client.cookies.clear()
        if name:
            if name not in world.accounts:
                world.add(name, "host" if name == HOST else "team")
            self.post("/login", {"token": world.accounts[name]}, 303)

    def get(self, path: str, status: int = 200) -> str:
        return self.checked(self.client.get(path, headers=LIKES, follow_redirects=False), status)

    def post(self, path: str, data: dict[str, str], status: int = 200, files: Any = None) -> str:
        return self.checked(
            self.client.post(path, data=data, files=files, headers=LIKES, follow_redirects=False), status
        )

    def checked(self, answer: Any, status: int) -> str:
        assert answer.status_code == status, answer.text
        if status != 303:
            assert answer.headers["content-language"] == LANGUAGE
            assert untranslated(answer.text) == set()
        return str(answer.text)

    def form(self, path: str) -> str:
        """The hidden value that forms of a page must send."""
        return re.findall(r'name="form" value="([^"]+)"', self.get(path))[0]

    def send(self, content: str, what: str = "submit", status: int = 303) -> str:
        fields = {"form": self.form("/boards/main/submissions"), "what": what, "label": "이름"}
        sent = self.client.post(
            "/boards/main/submissions",
            files=[*((name, (None, value)) for name, value in fields.items()), ("file", ("a", content))],
            headers=LIKES,
            follow_redirects=False,
        )
        self.checked(sent, status)
        return str(sent.headers.get("location", sent.text))


LIKES = {"Accept-Language": LANGUAGE}


@pytest.fixture
def world(build: Build, sqlite: str, pseudo: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Builds boards that there are only the pseudo-locale and English of."""
    monkeypatch.setenv("TRUERANK_LOCALE", str(pseudo))
    return partial(build, sqlite)


@pytest.mark.parametrize(
    ("good", "settings"),
    [
        ((20, 20, 4), "public = 0.5\ndigits = 3\nfinals = 2\ncloses = 2031-01-01T00:00:00Z"),
        ((20, 18, 2), "ladder = 0.01\npublic = 0.5"),
        ((20, 0, 0), "score = 'official'\nopens = 2030-01-01T00:00:00Z"),
        ((), "opens = 2030-03-20T00:00:00Z\ncloses = 2030-03-21T00:00:00Z"),
        ((), "closes = 2030-03-17T18:00:00Z"),
    ],
)
def test_a_board_and_its_list_say_no_english_word(world: Any, good: tuple[int, ...], settings: str) -> None:
    board = world(SETTINGS + settings)
    for team, number in zip(TEAMS, good, strict=False):
        assert board.submit(team, run(good=number, tag=team)).status_code == 201
    visitor = Visitor(board)
    pages = "/", "/boards/main", "/login", "/login?next=/boards/main"
    for path in pages:
        visitor.get(path)
    board.settled()
    if good:
        own = Visitor(board, "가")
        for path in (*pages, "/boards/main/submissions"):
            own.get(path)
        board.client.post("/api/boards/main/close", headers=board.headers("host"))
        board.settled()
        for path in (*pages, "/boards/main/submissions"):
            own.get(path)


@pytest.mark.parametrize("rules", ["truerank", "trec_eval-9", "haystack", "mlflow", "torchmetrics", "beir", "ranx"])
def test_rules_and_measures_say_no_english_word(world: Any, rules: str) -> None:
    measures = '["nDCG@10", "AP(depth=10)", "GMAP", "P@5", "Judged@10", "ERR@10"]'
    Visitor(world(SETTINGS + f'rules = "{rules}"\nmeasures = {measures}')).get("/boards/main")


BAD_RUN = "q0 Q0 d 1 2 t\nq0 Q0 e 1\nq0 Q0 c 1 x t\nq0 Q0 c 2 nan t\nq0 Q0 d 3 1 t\nq7 Q0 d 1 2 s\r\nq1 0 d 1\n"
HEADED = "qid iter docid pid sim runid\nq0 Q0 a 1 1 t\nq0 Q0 b 2 2 t\nq0 Q0 c 3 3 t\nq1 Q0 a 1 1 t\n"


@pytest.mark.parametrize(
    "content", [BAD_RUN, HEADED, run(good=5, queries=3), "q99 Q0 d 1 2 t\n", " \n", "q0 0 d\n"]
)
def test_an_audit_says_no_english_word(world: Any, content: str) -> None:
    team = Visitor(world(SETTINGS), "가")
    team.send(content, "check", 200)
    where = team.send(content)
    team.get(where)
    team.get("/boards/main/submissions")


def test_a_submission_says_no_english_word_to_its_team_and_to_a_host(world: Any) -> None:
    board = world(SETTINGS + 'public = 0.5\nfinals = 1\nreveal = "queries"\nper_day = 2')
    team = Visitor(board, "가")
    first = team.send(run(good=5))
    team.get(first)
    team.post(first, {"form": team.form(first), "what": "choose"}, 303)
    assert accented("This entry counts at the end.") in team.get(first)
    host = Visitor(board, HOST)
    host.get(first)
    host.post(first, {"form": host.form(first), "what": "disqualified", "reason": ""}, 422)
    host.post(first, {"form": host.form(first), "what": "disqualified", "reason": "까닭"}, 303)
    for path in (first, "/boards/main", "/boards/main/submissions"):
        host.get(path)
    team = Visitor(board, "가")
    team.get(first)
    team.send(run(good=6))
    team.send(run(good=7), status=429)


def test_hosting_and_registering_say_no_english_word(world: Any) -> None:
    board = world(SETTINGS, more='registration = true\ntitle = "사이트"')
    visitor = Visitor(board)
    visitor.get("/register")
    made = visitor.post("/register", {"name": "새 팀", "contact": "연락처"}, 201)
    token = re.findall(r'id="made">([^<]+)<', made)[0]
    visitor.post("/login", {"token": token}, 403)
    visitor.post("/login", {"token": "tr_1"}, 401)
    host = Visitor(board, HOST)
    form = host.form("/host")
    host.post("/host", {"form": form, "what": "add", "name": "나", "role": "team"})
    host.post("/host", {"form": form, "what": "add", "name": "나", "role": "team"}, 409)
    host.post("/host", {"form": form, "what": "revoke", "name": board.accounts[HOST][3:9]}, 404)
    host.post("/host", {"form": form, "what": "close", "name": "main"}, 303)
    host.get("/host")


def test_every_page_that_says_no_says_no_english_word(world: Any) -> None:
    board = world(SETTINGS + "upload = 1000\nper_day = 1\n")
    visitor = Visitor(board)
    visitor.get("/nowhere", 404)
    visitor.get("/boards/none", 404)
    visitor.get("/host", 401)
    visitor.post("/boards/main/submissions", {}, 401)
    assert board.client.delete("/", headers=LIKES).status_code == 405
    assert untranslated(board.client.delete("/", headers=LIKES).text) == set()
    team = Visitor(board, "가")
    team.get("/host", 403)
    team.post("/logout", {"form": "old"}, 403)
    team.post("/boards/main/submissions", {"form": "old"}, 415)
    team.send("x" * 2000, status=413)
    form = team.form("/boards/main/submissions")
    team.post("/boards/main/submissions", {}, 422, files=[("form", (None, form))])
    board.client.post("/api/boards/main/close", headers=board.headers("host"))
    board.client.cookies.clear()
    team = Visitor(board, "나")
    fields = [("form", (None, form_of(team))), ("file", ("a", run(good=1, queries=1)))]
    team.post("/boards/main/submissions", {}, 409, files=fields)


def form_of(visitor: Visitor) -> str:
    return visitor.form("/boards/main/submissions")


def test_a_finding_of_an_older_version_is_shown_as_it_was_kept(build: Build, sqlite: str) -> None:
    world = build(sqlite)
    id = world.submit("A", "q0 Q0 d 1 x t\n").headers.get("location")
    assert id is None
    with world.service.database.writing() as session:
        (found,) = session.query(Submission)
        kept = json.loads(found.audit)
        assert all("said" in finding for finding in kept["findings"])
        found.audit = json.dumps(
            {**kept, "findings": [{k: v for k, v in one.items() if k != "said"} for one in kept["findings"]]}
        )
        id = found.id
    said = world.client.get(f"/api/submissions/{id}", headers=world.headers("A")).json()["audit"]["findings"]
    assert said == [{k: v for k, v in finding.items() if k != "said"} for finding in kept["findings"]]
    assert (
        world.client.post("/login", data={"token": world.accounts["A"]}, follow_redirects=False).status_code == 303
    )
    html = world.client.get(f"/submissions/{id}?lang=ko").text
    assert '<bdi lang="en">line 1: the score x is no number</bdi>' in html


def test_a_message_goes_to_json_and_back() -> None:
    said = joined("; ", [message("a {b}", b=plural("{n} c", "{n} d", n=2)), "plain"])
    back = from_plain(json.loads(json.dumps(to_plain(said))))
    assert (back, type(back), to_plain(back)) == (said, type(said), to_plain(said))


def test_each_meaning_of_a_measure_is_translated() -> None:
    korean = catalogue("ko")
    for definition in tr.measures().values():
        for sentence in (definition.meaning, *definition.meanings.values()):
            assert korean.gettext(sentence) != sentence, sentence


def test_languages_are_those_that_there_are_catalogues_of(world: Any) -> None:
    html = Visitor(world(SETTINGS)).get("/")
    assert re.findall(r'hreflang="([^"]+)"', html) == ["en", LANGUAGE]
