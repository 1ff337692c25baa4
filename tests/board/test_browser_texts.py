"""The words of the pages: each is there in every language, and each is used."""

from __future__ import annotations

import re
from importlib import resources

import pytest
from jinja2 import nodes

from truerank.board.audit import CLOSELY, SAID
from truerank.board.pages import environment
from truerank.board.texts import TEXTS

MADE = ("finding-", "mend-", "problem-", "state-", "part-", "role-", "language-", "verdict-", "mark-")
"""Keys that templates put together begin so."""

TEMPLATES = sorted(
    entry.name for entry in (resources.files("truerank.board") / "pages").iterdir() if entry.name.endswith(".html")
)


def words(template: str) -> set[str]:
    """The constants of a template: keys among them."""
    environment().get_template(template)
    tree = environment().parse((resources.files("truerank.board") / "pages" / template).read_text("utf-8"))
    return {node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str)}


def called(template: str) -> set[str]:
    """What a template asks for by t("…")."""
    text = (resources.files("truerank.board") / "pages" / template).read_text("utf-8")
    return set(re.findall(r"""\bt\(["']([^"']+)["']\)""", text))


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_asks_only_for_words_that_there_are(template: str) -> None:
    assert called(template) - set(TEXTS) == set()


def test_every_word_is_used() -> None:
    used = set().union(*map(words, TEMPLATES)) | {f"{ranks}-note" for ranks in ("strict", "official")}
    elsewhere = {"in-days", "in-hours", "in-minutes", "strict", "official"}
    assert {key for key in TEXTS if not key.startswith(MADE)} - used - elsewhere == set()


def test_a_word_is_there_in_every_language_with_the_same_things_filled_in() -> None:
    for key, (english, korean) in TEXTS.items():
        assert english, key
        assert korean, key
        assert sorted(re.findall("{[a-z]*}", english)) == sorted(re.findall("{[a-z]*}", korean)), key


@pytest.mark.parametrize("kind", sorted({*SAID, *CLOSELY} - {"duplicate-document"}))
def test_everything_that_an_audit_finds_has_a_name(kind: str) -> None:
    assert f"finding-{kind}" in TEXTS
