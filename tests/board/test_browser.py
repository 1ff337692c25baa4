"""The board in a real browser: a real server, a real contest, people who click."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Response, expect, sync_playwright

from board_site import HOSTILE, Site, Watched, axe, post, run, served

BEST = f"{(2 + 1 / math.log2(5)) / (2 + 1 / math.log2(3)):.4f}"
"""nDCG of a list with the documents graded 2 and 1 at ranks 1 and 4."""


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site of all tests that leave it as it is."""
    with served(tmp_path_factory.mktemp("common")) as found:
        yield found


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Site]:
    """A site of its own, for a test that changes the board."""
    with served(tmp_path) as found:
        yield found


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Site:
    """The site of this test: its own one if it asks for that."""
    found: Site = request.getfixturevalue("alone" if "alone" in request.fixturenames else "common")
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's browser; where there is none, CI fails and others skip."""
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is not installed: apt-get install chromium")
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


Open = Callable[..., Page]
Kept = dict[str, list[Page]]


@pytest.fixture
def watched() -> Watched:
    """What the pages of this test did."""
    return Watched()


@pytest.fixture(scope="module")
def kept(chromium: Browser) -> Kept:
    """Pages that no test uses now, by how they were made."""
    return {}


@pytest.fixture
def open_page(
    chromium: Browser, kept: Kept, site: Site, watched: Watched, request: pytest.FixtureRequest
) -> Iterator[Open]:
    """Opens a page as somebody sees it; at the end nothing went wrong and no other host was asked.

    With by_form, and without scripts, people sign in as people do; else by one request, which is faster. With
    clock, time can be made to pass. Pages of one site are used again, by people of whom the browser knows nothing.
    """
    opened: list[tuple[str, Page]] = []

    def make(path: str, who: str | None = None, by_form: bool = False, clock: bool = False, **options: Any) -> Page:
        once = clock or "alone" in request.fixturenames
        key = "" if once else repr(sorted(options.items()))
        page = kept[key].pop() if kept.get(key) else new_page(chromium, site, options)
        opened.append((key, page))
        watched.follow(page)
        if clock:
            page.clock.install()
        if who and (by_form or options.get("java_script_enabled") is False):
            sign_in(page, site.tokens[who])
        elif who:
            assert page.context.request.post("/login", form={"token": site.tokens[who]}).ok
        page.goto(path)
        return page

    yield make
    for key, page in opened:
        if key:
            watched.leave(page)
            page.context.clear_cookies()
            kept.setdefault(key, []).append(page)
        else:
            page.context.close()
    hosts = {urlsplit(url).netloc for url in watched.requests}
    assert hosts == {urlsplit(site.address).netloc}
    assert watched.complaints == []


def new_page(chromium: Browser, site: Site, options: dict[str, Any]) -> Page:
    page = chromium.new_context(**{"locale": "en-US", **options}, base_url=site.address).new_page()
    page.set_default_timeout(20_000)
    return page


LOOKS = 4_500
"""Milliseconds in which a page looks once at least whether the standings have changed."""


def shows_ties(page: Page) -> None:
    """Let time pass until the page shows the tie groups: a moment after they have been worked out."""
    live = page.locator("#live")
    for _ in range(200):
        if not str(live.get_attribute("data-state")).endswith("pending"):
            return
        page.clock.fast_forward(LOOKS)
    raise AssertionError("the tie groups are pending")


def sign_in(page: Page, token: str) -> None:
    page.goto("/login")
    page.get_by_label("Token").or_(page.get_by_label("토큰")).fill(token)
    with page.expect_navigation():
        page.locator("main button").click()


def send(page: Page, content: str | bytes, label: str = "", what: str = "submit") -> None:
    """Fill in the form and send a file."""
    page.goto("/boards/science/submissions")
    page.locator(f"input[value={what}]").check()
    page.locator("#label").fill(label)
    data = content.encode() if isinstance(content, str) else content
    page.locator("#file").set_input_files({"name": "a.run", "mimeType": "text/plain", "buffer": data})
    page.locator("#submit button").click()
    page.wait_for_load_state()


@pytest.mark.parametrize("has_script", [True, False])
def test_a_team_signs_in_submits_and_sees_itself_on_the_board(open_page: Open, has_script: bool) -> None:
    page = open_page("/", java_script_enabled=has_script)
    page.get_by_role("link", name="Science search").click()
    expect(page.locator(".standings")).not_to_contain_text("latecomers")
    page.get_by_role("link", name="Sign in to submit").click()
    expect(page).to_have_url(re.compile(r"/login\?next=/boards/science/submissions$"))


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("has_script", [True, False])
def test_a_good_file_is_scored_and_changes_the_board(open_page: Open, has_script: bool) -> None:
    page = open_page("/boards/science", "latecomers", java_script_enabled=has_script)
    expect(page.locator(".standings")).not_to_contain_text("latecomers")
    send(page, run(40), "all of it")
    expect(page.locator("h1")).to_contain_text("all of it")
    expect(page.locator(".verdict.good")).to_contain_text("Your file was scored")
    expect(page.locator(".big strong")).to_have_text(BEST)
    expect(page.locator("section", has=page.locator("#audit"))).to_contain_text("Nothing is wrong with it")
    page.goto("/boards/science")
    own = page.locator(".standings tr.own")
    expect(own.locator("td.rank")).to_have_text("1")
    expect(own.locator("td.team")).to_have_text("latecomers your team")
    expect(own.locator("td.score")).to_have_text(BEST)


@pytest.mark.parametrize("has_script", [True, False])
def test_a_bad_file_is_told_why_line_by_line_and_costs_nothing(open_page: Open, has_script: bool) -> None:
    page = open_page("/", "latecomers", java_script_enabled=has_script)
    lines = run(5).splitlines()
    lines[2] = "q0 Q0 d00 3 6 tag"
    lines[6] = "q1 Q0 y"
    lines[9] = "q2 Q0 x 2 much tag"
    send(page, "\n".join(lines))
    expect(page.locator(".verdict.bad")).to_contain_text("It costs no attempt")
    found = page.locator(".findings .refuses")
    expect(found).to_have_count(3)
    assert [found.nth(n).locator(".at code").all_inner_texts() for n in range(3)] == [["3"], ["7"], ["10"]]
    assert found.locator("strong").all_inner_texts() == [
        "repeated document",
        "wrong number of columns",
        "score is no number",
    ]
    page.goto("/boards/science/submissions")
    expect(page.locator(".left")).to_have_text("3 submissions left now")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        (run(5) + "q999 Q0 d1 1 2 tag\n", "q999"),
        (b"\x1f\x8b\x08\x00 no gzip at all", "damaged"),
    ],
)
def test_other_bad_files_say_what_is_wrong(
    open_page: Open, watched: Watched, content: str | bytes, says: str
) -> None:
    page = open_page("/", "latecomers")
    send(page, content)
    expect(page.locator(".findings")).to_contain_text(says)
    watched.complaints[:] = [one for one in watched.complaints if "status of 422" not in one]


@pytest.mark.usefixtures("alone")
def test_only_checking_shows_the_audit_and_keeps_nothing(open_page: Open) -> None:
    page = open_page("/", "latecomers")
    send(page, run(5, queries=30), what="check")
    expect(page.locator(".verdict")).to_contain_text("This file is valid")
    expect(page.locator(".findings .remark")).to_contain_text("missing query")
    page.goto("/boards/science/submissions")
    expect(page.locator("main")).to_contain_text("There is no submission yet")


@pytest.mark.usefixtures("alone")
def test_the_last_attempt_is_the_last_one(open_page: Open, watched: Watched) -> None:
    page = open_page("/", "latecomers")
    for good in (1, 2, 3):
        send(page, run(good))
    send(page, run(4))
    expect(page.locator("h1")).to_have_text("No attempts are left")
    watched.complaints[:] = [one for one in watched.complaints if "status of 429" not in one]
    page.goto("/boards/science/submissions")
    expect(page.locator(".card.soft .bad")).to_have_text("No attempts are left now.")


def test_a_file_that_is_too_large_is_told_before_it_is_sent(open_page: Open) -> None:
    page = open_page("/boards/science/submissions", "latecomers")
    page.locator("#file").set_input_files({"name": "a", "mimeType": "text/plain", "buffer": b"x" * 1_100_000})
    expect(page.get_by_role("alert")).to_have_text("This file is larger than 1 MB.")
    page.locator("#submit button").click()
    assert page.url.endswith("/submissions")


def test_a_file_that_is_too_large_gets_a_page_without_javascript(open_page: Open, watched: Watched) -> None:
    page = open_page("/", "latecomers", java_script_enabled=False)
    send(page, b"q0 Q0 x 1 2 t\n" * 100_000)
    expect(page.locator("h1")).to_have_text("Too large")
    watched.complaints[:] = [one for one in watched.complaints if "status of 413" not in one]


@pytest.mark.usefixtures("alone")
def test_the_standings_renew_themselves(open_page: Open, site: Site) -> None:
    page = open_page("/boards/science", clock=True)
    shows_ties(page)
    expect(page.locator(".standings td.tie.on").first).to_have_text("a")
    page.evaluate("window.isTheSamePage = true")
    table = page.get_by_text("The same as a table")
    table.focus()
    post(site, "latecomers", run(40))
    page.clock.fast_forward(LOOKS)
    expect(page.locator(".standings")).to_contain_text("latecomers")
    expect(page.get_by_role("status")).to_have_text("The standings have changed.")
    assert page.evaluate("window.isTheSamePage")
    expect(table).to_be_focused()


def test_a_wrong_token_is_told_and_a_good_one_can_be_signed_out(open_page: Open, watched: Watched) -> None:
    page = open_page("/")
    sign_in(page, "tr_nonsense")
    expect(page.get_by_role("alert")).to_contain_text("This token is not valid.")
    watched.complaints[:] = [one for one in watched.complaints if "status of 401" not in one]
    page = open_page("/", "latecomers", by_form=True)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("navigation")).to_contain_text("Sign in")


def test_the_ends_of_an_interval_are_not_crossed_by_lines(open_page: Open) -> None:
    page = open_page("/boards/science", "Blue Whales")
    clear = "element => getComputedStyle(element).backgroundColor"
    for row in page.locator(".standings tbody tr").all():
        ends, behind = row.locator(".ends").evaluate(clear), row.locator("td").first.evaluate(clear)
        assert ends == ("rgb(255, 255, 255)" if behind == "rgba(0, 0, 0, 0)" else behind)


@pytest.mark.usefixtures("alone")
def test_who_guesses_tokens_is_told_to_wait(open_page: Open, watched: Watched) -> None:
    page = open_page("/")
    for _ in range(20):
        page.request.post("/login", form={"token": "tr_nonsense"})
    sign_in(page, "tr_nonsense")
    expect(page.locator("h1")).to_have_text("Too often")
    watched.complaints[:] = [one for one in watched.complaints if "status of 429" not in one]


@pytest.mark.usefixtures("alone")
def test_a_host_lets_a_team_in_shows_its_token_once_and_ends_it(open_page: Open, watched: Watched) -> None:
    page = open_page("/host", "the host")
    page.get_by_label("Name").fill("Newcomers & <i>friends</i>")
    page.get_by_role("button", name="Add").click()
    token = page.locator("#made").inner_text()
    assert token.startswith("tr_")
    other = open_page("/")
    sign_in(other, token)
    expect(other.get_by_role("navigation")).to_contain_text("Newcomers & <i>friends</i>")
    page.goto("/host")
    assert token not in page.content()
    account = page.locator(".accounts > li", has_text="Newcomers")
    account.locator("summary", has_text="Revoke").click()
    account.get_by_role("button", name="Yes, revoke").click()
    expect(page.locator(".accounts > li", has_text="Newcomers")).to_contain_text("revoked")
    other.goto("/")
    expect(other.get_by_role("navigation")).to_contain_text("Sign in")


@pytest.mark.usefixtures("alone")
def test_closing_shows_the_private_scores_and_takes_no_more(open_page: Open) -> None:
    page = open_page("/host", "the host")
    card = page.locator(".card", has_text="Science search")
    card.locator("summary", has_text="Close").click()
    with page.expect_navigation():
        card.get_by_role("button", name="Yes, close").click()
    team = open_page("/boards/science", "latecomers")
    expect(team.locator(".standings th.score")).to_have_text("Private score")
    expect(team.locator(".standings th.public")).to_have_text("Public score")
    team.goto("/boards/science/submissions")
    expect(team.locator("main")).to_contain_text("Nothing is taken now.")
    assert team.locator("#submit").count() == 0


def test_what_is_private_is_not_in_the_source_of_the_page(open_page: Open, site: Site, watched: Watched) -> None:
    page = open_page("/boards/science", "Blue Whales")
    own = page.locator("tr.own td.score a").get_attribute("href")
    assert own
    assert page.locator(".standings td.score a").count() == 1
    other = open_page("/boards/science", "latecomers")
    for path in ("/", "/boards/science", "/boards/science/submissions"):
        answer = other.goto(path)
        assert answer
        source = answer.text()
        assert own not in source
        assert "secret of" not in source
        assert "A secret board" not in source
        assert "truth.qrels" not in source
        assert "Private" not in source
    assert status(other.goto(own)) == 404
    assert status(other.goto("/boards/hosts-only")) == 404
    assert status(other.goto("/host")) == 403
    watched.complaints[:] = [one for one in watched.complaints if "status of 40" not in one]


def status(answer: Response | None) -> int:
    assert answer
    return answer.status


def test_a_hostile_name_is_only_a_name(open_page: Open) -> None:
    page = open_page("/boards/science", HOSTILE)
    expect(page.locator("tr.own td.team bdi")).to_have_text(HOSTILE)
    assert page.locator("img").count() == 0
    for path in ("/boards/science/submissions", "/boards/science?lang=ko"):
        page.goto(path)
        assert page.locator("img").count() == 0
    host = open_page("/host", "the host")
    expect(host.locator(".accounts")).to_contain_text(HOSTILE)
    assert host.locator("img").count() == 0


def test_the_language_follows_the_browser_and_then_the_choice(open_page: Open) -> None:
    page = open_page("/boards/science", locale="ko-KR")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.locator("#standings")).to_have_text("순위표")
    page.get_by_role("link", name="English").click()
    expect(page.locator("#standings")).to_have_text("Standings")
    page.goto("/boards/science")
    expect(page.locator("#standings")).to_have_text("Standings")


def test_tie_groups_show_by_letters_and_brackets_not_by_colour(open_page: Open) -> None:
    page = open_page("/boards/science", clock=True)
    shows_ties(page)
    expect(page.locator(".standings td.tie").first).to_be_visible()
    groups = [row.locator("td.tie.on").all_inner_texts() for row in page.locator(".standings tbody tr").all()]
    assert groups == [["a"], ["a"], ["a"], ["b"]]
    brackets = page.locator(".standings td.tie.on")
    width = "element => getComputedStyle(element, '::before').borderLeftWidth"
    assert {bracket.evaluate(width) for bracket in brackets.all()} <= {"1px", "1.5px"}


LOOK = [(scheme, width) for scheme in ("light", "dark") for width in (390, 1280)]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_pages_fit_their_screen_and_please_axe(open_page: Open, watched: Watched, language: str) -> None:
    page = open_page("/", "Blue Whales", by_form=True, locale=language)
    host = open_page("/host", "the host", by_form=True, locale=language)
    own = "/boards/science/submissions"
    for shown, path in ((page, "/"), (page, "/boards/science"), (page, own), (page, "/nowhere"), (host, "/host")):
        shown.goto(path)
        fits_and_pleases(shown)
    page.goto(own)
    host.goto(own)
    for shown in (page, host):
        table = shown.locator(".scroll:has(.own-submissions)")
        for scheme in ("light", "dark"):
            look_at(shown, scheme, 1280)
            assert table.evaluate("element => element.scrollWidth - element.clientWidth") == 0
    page.locator("td a").first.click()
    page.wait_for_url("**/submissions/*")
    fits_and_pleases(page)
    watched.complaints[:] = [one for one in watched.complaints if "status of 404" not in one]


def look_at(page: Page, scheme: str, width: int) -> None:
    """No script of the board asks for either, so nothing has to be loaded again."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})


def fits_and_pleases(page: Page) -> None:
    """On a phone and on a desk, by day and by night."""
    for scheme, width in LOOK:
        look_at(page, scheme, width)
        is_dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
        assert is_dark == (scheme == "dark")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert axe(page) == [], (scheme, width)


def test_the_keyboard_reaches_everything_and_skips_to_the_content(open_page: Open) -> None:
    page = open_page("/boards/science", "Blue Whales")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    reached = []
    for _ in range(4):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert reached[0] == "Submit to this board"
    assert "The same as a table" in reached
