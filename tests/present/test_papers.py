"""LaTeX and Markdown as their own readers would see them: no row, letter or link that nobody wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.analysis.report import evaluated
from truerank.present import build
from truerank.present.data import ReportData, Runs
from truerank.present.document import Command, Document, Heading, Prose, Queries
from truerank.present.renderers import REPORTS, latex, markdown, terminal, to_bytes
from truerank.present.table import Table

NASTY = (
    "[a] first",
    "*b* ~~x~~ $y$",
    "a--b ''c'' ,,d",
    "@user #12 http://x.org",
    "שלום [1]",
    "서울",
    r"\end{tabular} % &",
)
MARKED = ("# a", "- a", "+ a", "1. a", "12) a", "> a", "&lt;b&gt;", "<b>", "===", "![a](b)", "a@b.org", "www.x.org")


def document(lang: str = "en", names: tuple[str, ...] = NASTY) -> Document:
    qrels = {f"{name} {n}": {"a": 1, "b": 2} for n, name in enumerate(names)}
    runs = {
        name: {query: ["ab"[(i + n) % 2], "c"] for n, query in enumerate(qrels)} for i, name in enumerate(names)
    }
    found = Runs.of(evaluated(qrels, runs, "nDCG@10 AP P@1 R@1"))
    command = "truerank report 'a -- b' --title \"it's\" runs/a/very/long/path/one.run"
    return build.make(ReportData(runs=found, command=command, versions={"a": "1"}), lang=lang)


DOCUMENT = document()


TOKEN = re.compile(r"\\(?:[a-zA-Z]+\*?|.)|[{}&%$#_~^\n]|[^\\{}&%$#_~^\n]+", re.DOTALL)


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def check(text: str) -> list[str]:
    """A reader of LaTeX that knows groups, environments, rows and nothing else; the faults that it finds."""
    faults, open_groups, environments = [], 0, []
    math = False
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            environments.append(name)
        elif not environments or environments.pop() != name:
            faults.append(f"{name} ends where it did not begin")
    for token in tokens(text):
        open_groups += (token == "{") - (token == "}")
        math ^= token == "$"
        if open_groups < 0:
            faults.append("a group ends too often")
        if token in "%#~" or (token in "_^" and not math):
            faults.append(f"a bare {token}")
    faults += [f"open: {environments}"] * bool(environments) + ["an open group"] * bool(open_groups)
    taken = re.findall(r"(?:\\\\|\\\w+rule)\s*([\[*].*)", text)
    faults += [f"an argument of the line above: {row}" for row in taken]
    return [*faults, *(fault for table in tables(text) for fault in table)]


def tables(text: str) -> Iterator[list[str]]:
    """Of each table the rows that have not as many cells as it has columns."""
    for columns, body in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL):
        rows = [row for row in re.split(r"\\\\", re.sub(r"\\\w+rule", "", body)) if row.strip()]
        yield [f"cells: {row}" for row in rows if tokens(row).count("&") + 1 != len(columns)]


def test_the_checker_finds_what_is_wrong():
    row = r"\begin{tabular}{lr}" + "\n" + r"\toprule a & b \\" + "\n%s\n" + r"\end{tabular}"
    assert check(row % r"c & d \\") == []
    for wrong in (r"[c] & d \\", r"* & d \\", r"c \\", r"{c & d \\", r"50 % & d \\", r"a_b & d \\"):
        assert check(row % wrong), wrong
    assert check(r"\begin{table}x")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_paper_has_whole_groups_tables_and_rows(lang):
    assert check(document(lang).to_latex()) == []


@given(st.lists(st.text(alphabet="a[]*-'`,{}\\&%$#_~^ …<>|", max_size=8), min_size=2, max_size=2))
def test_no_cell_breaks_a_table_in_latex(cells):
    assert check(latex.draw(Table(("x", "y"), (tuple(cells), tuple(cells)), title=cells[0]))) == []


def test_letters_that_latex_joins_stay_apart():
    assert latex.escape("a--b---c ''d'' ,,e `f") == "a-{}-b-{}-{}-c '{}'d'{}' ,{},e \\textasciigrave{}f"


def test_a_command_in_a_paper_is_what_is_to_be_typed_and_may_be_broken():
    text = to_bytes(DOCUMENT, REPORTS[".tex"]).decode()
    [line] = [line for line in text.splitlines() if "ttfamily" in line]
    assert "'" not in line
    assert "--" not in line
    inner = line.removeprefix(r"{\raggedright\noindent\ttfamily ").removesuffix(r"\par}")
    inner = inner.replace(r"\textquotesingle{}", "'").replace(r"\allowbreak{}", "").replace("{}", "")
    [command] = [block.text for block in DOCUMENT.blocks if isinstance(block, Command)]
    assert inner == command
    assert line.count(r"/\allowbreak{}") == 5


def test_a_paper_loads_what_draws_korean_where_there_is_some_alone():
    kotex = rb"\usepackage{kotex}"
    for names, lang, wanted in [(NASTY, "en", 1), (NASTY[:2], "en", 0), (NASTY[:2], "ko", 1)]:
        text = to_bytes(document(lang, names), REPORTS[".tex"])
        assert text.partition(rb"\begin{document}")[0].count(kotex) == wanted == text.count(kotex)


def drawn(text: str) -> str:
    """The text of a page as a reader of Markdown sees it, from an implementation that is not ours."""
    markdown_it = pytest.importorskip("markdown_it")
    reader = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])

    def words(parts: list[Any]) -> str:
        return "".join(words(part.children) if part.children else seen(part) for part in parts)

    def seen(part: Any) -> str:
        return "" if part.type.startswith("html") else part.content

    kinds = [part.type for part in reader.parse(text)]
    assert not {"heading_open", "bullet_list_open", "ordered_list_open", "blockquote_open", "hr"} & set(kinds)
    inner = [child.type for part in reader.parse(text) for child in part.children or ()]
    assert set(inner) <= {"text", "html_inline", "text_special"}
    return words(reader.parse(text))


@pytest.mark.parametrize(
    "name",
    [*NASTY[:6], *MARKED],
)
def test_a_name_is_drawn_as_it_is(name):
    assert drawn(markdown.escape(name)) == name


@given(st.text(alphabet="ab1 ~$@#:/.&;<>[]()*_`!|\\+-=", min_size=1, max_size=12))
def test_every_text_is_drawn_as_it_is(text):
    text = " ".join(text.split()) or "a"
    assert drawn(markdown.escape(text)) == text


def test_github_finds_nobody_no_issue_and_no_address():
    text = "@user (@user) #12 http://x.org https://x.org www.x.org a@b.org :tada: $a$ ~~b~~"
    bare = re.sub(r"\\.", "", markdown.escape(text))
    for link in (r"(?<!\w)@\w", r"#\d", r"://", r"www\.\w", r"@b\.", r":tada:", r"\$", "~"):
        assert re.search(link, bare) is None, link


def test_measures_and_numbers_stay_as_they_are_written():
    for text in ("nDCG(gain='exp')@10", "P@5", "0.25", "a-b", "95 % interval", "[0.1, 0.2]"):
        assert markdown.escape(text).replace("\\[", "[") == text


def test_words_from_right_to_left_turn_nothing_around():
    table = Table(("run", "AP"), (("שלום 1", 0.5), ("bm25", 0.25)), title="على", notes=("שלום: 40 queries.",))
    for styled in (False, True):
        text = terminal.draw(table, styled=styled)
        assert "\u2068שלום 1\u2069" in text
        assert "\u2068على\u2069" in text
        assert "\u2068שלום\u2069: 40" in text
        assert text.count("\u2068") == text.count("\u2069") == 3
    lines = terminal.draw(table).splitlines()
    assert len({terminal._cells(line) for line in lines[2:5]}) == 1


def test_sentences_with_such_names_keep_their_order_too():
    text = terminal.render(DOCUMENT)
    assert "\u2068שלום\u2069" in text
    assert text.count("\u2068") == text.count("\u2069")


def test_only_the_page_says_what_to_click():
    [told] = [block.paragraphs[0] for block in DOCUMENT.blocks if isinstance(block, Prose) and block.is_for_page]
    for ending in (".md", ".tex", ".txt"):
        assert told.encode() not in to_bytes(DOCUMENT, REPORTS[ending]), ending
    assert told.encode() in to_bytes(DOCUMENT, REPORTS[".html"])


def test_a_heading_that_nothing_follows_is_left_out_of_text():
    found = Document([Heading("one", "1"), Heading("two", "2"), Prose(("said",)), Heading("three", "3")], title="t")
    for ending in (".md", ".tex", ".txt"):
        text = to_bytes(found, REPORTS[ending]).decode()
        assert "two" in text
        assert "one" not in text
        assert "three" not in text


def test_many_systems_are_told_in_few_words():
    names = tuple(f"system{n}" for n in range(12))
    found = document(names=names)
    sentences = [p for block in found.blocks if isinstance(block, Prose) for p in block.paragraphs]
    assert all(sum(name in text for name in names) < 6 or ": 12 queries judged" in text for text in sentences)
    assert re.search(r"and \d more", sentences[0])
    ends = re.compile(r"Unjudged among the first 2 returned results: [\d.]+ % \(\w+\) to [\d.]+ % \(\w+\)\.")
    assert any(map(ends.fullmatch, sentences))


def test_a_measure_is_not_drawn_against_one_that_is_the_same():
    qrels = {f"q{n}": {"a": 1} for n in range(4)}
    run = {f"q{n}": ["a", "b"][:: 1 if n % 2 else -1] for n in range(4)}
    for measures, title in [("R@1 P@1 Success@1 RR", "RR against R@1"), ("R@1 P@1", None)]:
        made = build.make(ReportData(runs=Runs.of(evaluated(qrels, {"one": run}, measures))), lang="en")
        assert next((figure.title for figure in made.figures if figure.name == "measures"), None) == title


def test_a_report_from_python_tells_no_command(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    runs = {"own": {"q": ["a"]}}
    made = build.write_report(tmp_path / "qrels.txt", runs, tmp_path / "report.txt", "AP", lang="en")
    assert not any(isinstance(block, Command) for block in made.blocks)
    assert "truerank report" not in (tmp_path / "report.txt").read_text()
    assert any(isinstance(block, Queries) for block in made.blocks)
