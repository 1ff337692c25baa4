"""Tables drawn by each renderer, on their own."""

from __future__ import annotations

import csv as readers
import io
import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.present.comparison_cells import limits
from truerank.present.renderers import csv, fragment, json, latex, markdown, terminal
from truerank.present.table import Table, p_cell
from truerank.stats import Interval

TABLE = Table(
    ("run", "AP", "found"),
    (("one", 0.12345, 3), ("two", 1.0, None)),
    title="Two runs",
    notes=("First note.\nIts second sentence.", "Second note."),
    best=frozenset({(1, 1)}),
    across="measure",
)


def test_plain_text_is_aligned_and_has_nothing_else():
    assert terminal.draw(TABLE) == (
        "Two runs\n"
        "\n"
        "run      AP  found\n"
        "one  0.1235      3\n"
        "two  1.0000\n"
        "\n"
        "First note.\n"
        "  Its second sentence.\n"
        "Second note.\n"
    )


def test_letters_stand_above_a_cell_in_papers_and_behind_it_on_a_terminal_where_no_column_says_them():
    raised = replace(TABLE, raised={(0, 1): "b", (1, 1): "ab"})
    assert r"one & 0.1235$^{b}$ & 3 \\" in latex.draw(raised)
    assert r"two & \textbf{1.0000}$^{ab}$ &  \\" in latex.draw(raised)
    assert "| one | 0.1235<sup>b</sup> | 3 |" in markdown.draw(raised)
    assert "| two | **1.0000**<sup>ab</sup> |  |" in markdown.draw(raised)
    assert terminal.draw(replace(raised, is_spelled=True)) == terminal.draw(TABLE)
    assert [line.split() for line in terminal.draw(raised).splitlines()[3:5]] == [
        ["one", "0.1235", "b", "3"],
        ["two", "1.0000", "ab"],
    ]
    assert ">Two runs</caption>" in fragment.draw(raised)
    assert "First note.<br>&#8195;Its second sentence.<br>Second note.</p>" in fragment.draw(raised)
    assert "<p" not in fragment.draw(replace(raised, notes=()))
    assert "<sup>" not in fragment.draw(replace(raised, is_spelled=True))
    assert "<b>1.0000</b><sup>ab</sup>" in fragment.draw(raised)
    assert "| AP | 0.1235<sup>b</sup> | **1.0000**<sup>ab</sup> |" in markdown.draw(raised.turned())
    assert "| 0.1235<sup>b</sup> | one |" in markdown.draw(raised.only((1, 0)))


def test_wide_characters_take_two_cells():
    table = Table(("run", "AP"), (("검색", 0.5), ("a", 0.25)))
    assert terminal.draw(table) == "run       AP\n검색  0.5000\na     0.2500\n"


def test_a_terminal_gets_the_best_in_bold():
    text = terminal.draw(TABLE, styled=True, width=60)
    assert "\x1b[1m1.0000\x1b[0m" in text
    assert "\x1b[1m0.1235" not in text
    assert "Its second sentence." in text


@pytest.mark.parametrize("width", [20, 60])
def test_a_terminal_has_columns_three_cells_apart_and_numbers_at_the_right(width):
    drawn = (replace(TABLE, title=title, notes=()) for title in (TABLE.title, ""))
    titled, bare = (re.sub(r"\x1b\[\d*m", "", terminal.draw(one, styled=True, width=width)) for one in drawn)
    rows = ["run       AP   found", "─" * 20, "one   0.1235       3", "two   1.0000        ", ""]
    assert bare.split("\n") == rows
    assert titled.split("\n") == ["      Two runs      ", *rows]
    noted = terminal.draw(replace(TABLE, notes=("Short.",)), styled=True, width=width).split("\n")
    assert noted[5] == ""
    assert "Short." in noted[6]


def test_a_terminal_s_width_folds_texts_and_not_numbers():
    table = Table(("run", "AP"), (("a long name " * 8, 0.5),))
    lines = terminal.draw(table, styled=True, width=40).split("\n")
    assert max(len(re.sub(r"\x1b\[\d+m", "", line)) for line in lines) <= 40
    assert any("0.5000" in line for line in lines)


def test_nothing_in_a_cell_is_markup_for_a_terminal():
    assert "[red]x[/red]" in terminal.draw(Table(("run",), (("[red]x[/red]",),)), styled=True, width=40)


def test_markdown_has_title_table_and_notes():
    assert markdown.draw(TABLE) == (
        "**Two runs**\n\n"
        "| run | AP | found |\n"
        "|:--|--:|--:|\n"
        "| one | 0.1235 | 3 |\n"
        "| two | **1.0000** |  |\n\n"
        "First note. Its second sentence.\n\n"
        "Second note.\n"
    )


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("a\\b", r"a\\b"),
        ("*a*", r"\*a\*"),
        ("_a_", r"\_a\_"),
        ("ndcg_cut_10", "ndcg_cut_10"),
        ("<b>", r"\<b>"),
        ("[a](b)", r"\[a](b)"),
        ("`a`", r"\`a\`"),
        ("nDCG(gain='exp')@10", "nDCG(gain='exp')@10"),
    ],
)
def test_markdown_takes_nothing_in_a_cell_for_a_mark(text, escaped):
    assert markdown.escape(text) == escaped


def test_latex_is_a_booktabs_table():
    assert latex.draw(TABLE) == (
        "\\begin{table}\n"
        "\\centering\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "run & AP & found \\\\\n"
        "\\midrule\n"
        "one & 0.1235 & 3 \\\\\n"
        "two & \\textbf{1.0000} &  \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\caption{Two runs. First note. Its second sentence. Second note.}\n"
        "\\end{table}\n"
    )


def test_a_latex_caption_is_what_there_is_to_say():
    assert "\\caption{Two runs}\n" in latex.draw(replace(TABLE, notes=()))
    assert "\\caption{Two runs? One.}\n" in latex.draw(replace(TABLE, title="Two runs?", notes=("One.",)))
    assert "\\caption" not in latex.draw(replace(TABLE, title="", notes=()))
    assert "{tabular}{ll}" in latex.draw(Table(("run", "AP"), (("one", None), ("two", None))))


def test_no_row_of_latex_begins_as_an_argument_of_the_line_above_it():
    rows = latex.draw(Table(("[run]", "AP"), (("[one]", 0.5), (" *two", -0.5), ("a*", 1.0)))).splitlines()[4:9]
    assert [row for row in rows if "&" in row] == [
        r"{}[run] & AP \\",
        r"{}[one] & 0.5000 \\",
        r"{} *two & $-$0.5000 \\",
        r"a* & 1.0000 \\",
    ]


@given(st.text(alphabet="\\{}$&#%_~^<>|ab", max_size=20))
def test_latex_escapes_every_special_character_once(text):
    names = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^"}
    names |= {r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|"}
    names |= {"\\" + letter: letter for letter in "{}$&#%_"}
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    assert re.sub(pattern, lambda match: names[match[0]], latex.escape(text)) == text
    assert not re.search(r"[$&#%_~^<>|]", re.sub(pattern, "", latex.escape(text)))


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs", "Cc"])), st.floats(0, 1)), min_size=1))
def test_csv_reads_back_as_it_was(rows):
    text = csv.draw(Table(("query, odd", "AP"), tuple(rows), digits=None))
    head, *read = readers.reader(io.StringIO(text, newline=""))
    assert head == ["query, odd", "AP"]
    assert [(query, float(value)) for query, value in read] == rows


def test_json_writes_the_same_with_and_without_odd_ids():
    plain = json.dumps({"q": [0.1, 1e-7, 1.0, None, True]})
    odd = json.dumps({"\udcff": [0.1, 1e-7, 1.0, None, True]})
    assert odd.replace("\\udcff", "q").replace("1e-07", "1e-7") == plain


def test_a_turned_table_has_its_rows_as_columns_and_keeps_the_best():
    turned = TABLE.turned()
    assert turned.columns == ("measure", "one", "two")
    assert turned.rows == (("AP", 0.12345, 1.0), ("found", 3, None))
    assert turned.best == {(0, 2)}
    assert turned.turned() == TABLE


def test_a_melted_table_has_a_row_a_cell_and_keeps_the_best_and_the_letters():
    melted = replace(TABLE, raised={(0, 2): "b", (1, 1): "a"}).melted(1)
    assert melted.rows == (
        ("one", "AP", 0.12345),
        ("one", "found", 3),
        ("two", "AP", 1.0),
        ("two", "found", None),
    )
    assert melted.best == {(2, 2)}
    assert melted.raised == {(1, 2): "b", (2, 2): "a"}


def test_a_terminal_that_is_too_narrow_gets_the_table_turned():
    names = tuple(f"nDCG(gain='exp')@{k}" for k in (5, 10, 20))
    table = Table(("run", *names), (("one", 0.1, 0.2, 0.3),), across="measure")
    wide, narrow = (terminal.draw(table, styled=True, width=width) for width in (100, 50))
    assert wide.split("\n")[0].count("nDCG") == 3
    assert narrow.split("\n")[0].count("nDCG") == 0
    assert all(name in narrow for name in names)


def test_numbers_never_fold():
    table = Table(("query", *(f"a long heading {i}" for i in range(6))), (("q", *(0.12345,) * 6),))
    assert terminal.draw(table, styled=True, width=60).count("0.1235") == 6
    heading = "nDCG(gain='exp', level=2)@1000"
    assert heading in terminal.draw(Table(("query", heading), (("q", 0.5),)), styled=True, width=20)


def test_limits_have_a_digit_less_than_what_they_are_of_but_two_and_are_unknown_where_they_are_not_finite():
    known = Interval(0.5, 0.4, 0.61, 0.95, "bca")
    assert [limits(known, digits) for digits in (5, 4, 3, 2, 1)] == [
        "[0.4000, 0.6100]",
        "[0.400, 0.610]",
        *2 * ["[0.40, 0.61]"],
        "[0.4, 0.6]",
    ]
    unknown = [None, replace(known, low=math.nan), replace(known, high=math.inf)]
    assert [limits(one, 4) for one in unknown] == 3 * ["unknown"]


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0001, "0.0001"), (0.00009, "<.0001"), (0.05, "0.0500"), (0.050001, "0.050001"), (math.nan, "unknown")],
)
def test_p_is_small_below_a_ten_thousandth_and_told_apart_from_the_level(p, shown):
    assert p_cell(p, 0.05) == shown
