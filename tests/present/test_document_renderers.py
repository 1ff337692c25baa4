"""A document in each format: nasty names survive, nothing breaks out, the same input gives the same bytes."""

from __future__ import annotations

import base64
import itertools
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import platformdirs
import pytest

from truerank.analysis.report import evaluated
from truerank.core.errors import InputError, MissingPackage
from truerank.present import build
from truerank.present.data import ReportData, Runs
from truerank.present.document import Block, Caution, Command, Document, Figure, Heading, Prose, Queries
from truerank.present.renderers import FORMATS, REPORTS, figures, html, of_report, pdf, terminal, to_bytes
from truerank.present.renderers import json as renderer
from truerank.present.renderers.latex import escape
from truerank.present.table import Table

NASTY = (
    "</script><img onerror=alert(1) src=x>",
    "_%&|$#{}~^\\",
    "שלום مرحبا",
    "--><!-- {{7*7}} {% raw %}",
    "**bold** [link](javascript:alert(1)) `code`",
    "서울\u2028\u202e\u0007",
)


def nasty(lang: str = "en") -> Document:
    queries = [*NASTY, *(f"q{n}" for n in range(6))]
    qrels = {query: {f"{query} a": 1, f"{query} b": 2} for query in queries}
    runs = {
        name: {query: [f"{query} {'ab'[(i + n) % 2]}", f"{query} c"] for n, query in enumerate(queries)}
        for i, name in enumerate(NASTY)
    }
    found = Runs.of(evaluated(qrels, runs, "nDCG@10 AP"))
    return build.make(ReportData(runs=found, command=NASTY[0], versions={"a": "1"}), NASTY[0], lang)


@pytest.fixture(scope="module")
def document() -> Document:
    return nasty()


SAID = {
    Heading: Heading("above", "anchor"),
    Prose: Prose(("sentence",)),
    Caution: Caution("beware"),
    Command: Command("typed"),
    Table: Table(("run", "AP"), (("measured", 0.5),)),
    Figure: Figure(
        "picture", "of points", "alternative", {"mark": "point"}, Table(("run", "AP"), (("drawn", 0.5),))
    ),
    Queries: Queries(
        "every query", ("differing",), ("a",), 0, {}, {}, None, Table(("query", "a"), (("differing", 1.0),))
    ),
}
"""A block of each kind."""


@pytest.mark.parametrize("format", [each for each in FORMATS if each != "csv"])
@pytest.mark.parametrize("kind", get_args(Block), ids=lambda kind: kind.__name__)
def test_each_kind_of_block_is_shown_in_each_format(kind: type[Block], format: str):
    words = ["above", "sentence", "beware", "typed", "measured", "drawn", "differing"]
    word = words[list(SAID).index(kind)]
    blocks = [SAID[Heading], SAID[kind], *([SAID[Prose]] if kind is Heading else [])]
    text = Document(blocks, title="All").render(format)
    shown = " ".join(Page(text.partition('id="data">')[0]).texts) if format == "html" else text
    assert word in shown


class Page(HTMLParser):
    """What a browser would make of a page: the elements, and the text outside scripts."""

    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: dict[str, str] = {}
        self._script: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self._script = dict(attributes).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._script = None

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        else:
            self.texts.append(data)


@pytest.fixture(scope="module")
def page(document: Document) -> Page:
    return Page(html.render(document))


def test_no_name_becomes_an_element_of_the_page(page: Page):
    known = (
        "a bdi body button caption code details dialog div figcaption figure footer h1 h2 h3 head header html li "
    )
    known += (
        "link main meta nav noscript p pre script section span style summary table tbody td th thead title tr ul"
    )
    assert {tag for tag, _ in page.elements} <= set(known.split())
    assert [name for _, attributes in page.elements for name in attributes if name.startswith("on")] == []


def test_every_name_stands_in_the_page_as_text(document: Document, page: Page):
    text = "".join(page.texts)
    for name in document.blocks and next(b for b in document.blocks if isinstance(b, Queries)).systems:
        assert name in text


def test_the_page_asks_for_nothing(page: Page):
    for tag, attributes in page.elements:
        for name in ("src", "href", "data", "action", "poster", "srcset"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy


def test_headings_are_in_order_and_tables_have_captions_and_scopes(page: Page):
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    names = [tag for tag, _ in page.elements]
    assert names.count("table") == names.count("caption")
    assert all(a.get("scope") in ("row", "col") for tag, a in page.elements if tag == "th")


def test_the_data_of_the_page_are_those_of_the_json(document: Document, page: Page):
    packed = json.loads(zlib.decompress(base64.b64decode(page.scripts["queries-data"])))
    plain = json.loads(renderer.render(document))
    block = next(block for block in plain["blocks"] if block["kind"] == "queries")
    assert packed == {key: block[key] for key in packed}
    whole = json.loads(page.scripts["data"])
    drawn = {block["name"]: block["specification"] for block in plain["blocks"] if block["kind"] == "figure"}
    assert whole["figures"] == drawn


def test_each_number_in_a_table_of_the_page_is_the_whole_number_of_the_json(document: Document, page: Page):
    numbers = [float(a["data-value"] or "") for _, a in page.elements if "data-value" in a]
    expected: list[float] = []
    for block in json.loads(renderer.render(document))["blocks"]:
        table = block if block["kind"] == "table" else block.get("numbers")
        if block["kind"] == "queries":
            continue
        expected += [
            cell for row in (table or {"rows": []})["rows"] for cell in row if isinstance(cell, int | float)
        ]
    differing = next(block for block in document.blocks if isinstance(block, Queries)).differing
    others = [cell for row in differing.rows for cell in row if isinstance(cell, int | float)]
    assert sorted(numbers) == sorted([*expected, *others])


def test_markdown_has_no_html_and_no_link_of_a_name(document: Document):
    text = to_bytes(document, REPORTS[".md"]).decode()
    bare = re.sub(r"\\.", "", "\n".join(line for line in text.splitlines() if not line.startswith("    ")))
    assert "<" not in bare
    assert "[" not in bare
    assert "*bold*" not in bare.replace("**", "")
    assert "שלום" in text


def test_latex_has_no_command_of_a_name(document: Document):
    text = to_bytes(document, REPORTS[".tex"]).decode()
    for name in NASTY[:5]:
        assert escape(name) in text
    body = text.partition(r"\begin{document}")[2]
    assert re.search(r"(?<!\\)[$#~^]", body.replace(r"\_", "").replace("$-$", "")) is None
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")


def test_latex_takes_pictures_from_the_folder(document: Document):
    text = to_bytes(document, REPORTS[".tex"], "figs").decode()
    assert text.count(r"\includegraphics") == len(document.figures)
    assert r"\detokenize{figs/precision-recall.png}" in text
    assert r"\includegraphics" not in to_bytes(document, REPORTS[".tex"]).decode()


def test_plain_text_folds_sentences_and_keeps_every_name(document: Document):
    text = terminal.render(document)
    lines = re.sub("[\u2068\u2069]", "", text).splitlines()  # which take no room
    assert all(len(line) <= 100 for line in lines if line and "  " not in line)
    for name in NASTY[:5]:
        assert name in text


def test_control_characters_are_never_written_raw(document: Document, page: Page):
    for ending, format in REPORTS.items():
        if ending in (".md", ".tex", ".txt"):
            assert re.search("[\u202e\u2028\x07]", to_bytes(document, format).decode()) is None, ending
    assert re.search("[\u202e\u2028\x07]", "".join(page.texts)) is None


@pytest.mark.parametrize("ending", [".html", ".md", ".tex", ".json", ".txt"])
def test_the_same_inputs_give_the_same_bytes(document: Document, ending):
    assert to_bytes(nasty(), REPORTS[ending]) == to_bytes(document, REPORTS[ending])


def test_the_page_says_its_language():
    korean = Page(html.render(nasty("ko")))
    assert dict(korean.elements)["html"]["lang"] == "ko"
    assert "결과" in korean.texts


def test_another_ending_is_refused():
    with pytest.raises(InputError, match=r"ends in \.txt, .*\.html, .*\.pdf"):
        of_report("report.docx")


def test_figures_are_written_as_svg_and_png(document: Document, tmp_path: Path):
    small = Document(document.figures[:2], title="t")
    figures.save(small, str(tmp_path / "figs"))
    names = {path.name for path in (tmp_path / "figs").iterdir()}
    assert names == {f"{figure.name}{ending}" for figure in small.figures for ending in (".svg", ".png")}
    first = small.figures[0]
    svg = (tmp_path / "figs" / f"{first.name}.svg").read_text("utf-8")
    assert svg.startswith("<svg")
    assert "<img" not in svg
    assert (tmp_path / "figs" / f"{first.name}.png").read_bytes().startswith(b"\x89PNG")


def test_without_a_browser_a_pdf_is_refused_in_a_sentence(document: Document, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    with pytest.raises(InputError, match="printed by Chromium, which is not installed"):
        pdf.render(document)


@pytest.mark.parametrize("home", ["new", "a file", "no home"])
def test_the_libraries_of_figures_are_bundled_once_and_kept_where_there_is_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    places = {"new": tmp_path / "cache", "a file": tmp_path / "file", "no home": Path("~")}
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: places[home] / name)
    bundled = figures.libraries.__wrapped__()
    assert bundled == figures.libraries()
    kept = sorted(path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size)
    assert [path.suffix for path in kept] == ([".js"] if home == "new" else [])
    for path in kept:
        path.write_text("kept")
    assert figures.libraries.__wrapped__() == ("kept" if home == "new" else bundled)


@pytest.mark.parametrize("package", ["jinja2", "vl_convert", "platformdirs"])
def test_a_missing_package_is_named(document: Document, package: str, monkeypatch: pytest.MonkeyPatch):
    import builtins

    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == package:
            raise ModuleNotFoundError(name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(figures, "libraries", figures.libraries.__wrapped__)  # not what was found before
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPackage, match=r"truerank\[report\]"):
        html.render(document)


def test_a_report_of_runs_names_its_own_extra_where_scipy_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import sys

    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingPackage, match=r'a report needs: pip install "truerank\[report\]"'):
        build.write_report({"q": {"a": 1}}, {"one": {"q": {"a": 1.0}}}, tmp_path / "report.md")
