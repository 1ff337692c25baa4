"""`truerank collections`, and `truerank compare` of several."""

from __future__ import annotations

import json

import pytest

import truerank as tr

TWO = ("--collection", "web", "qrels.txt", "first.run", "second.run", "--collection", "law", "qrels.txt")
ONE = TWO[:4]
BOTH = (*TWO, "first.run", "second.run")

TOML = """
[collections.web]
qrels = "../qrels.txt"
runs = ["../*.run"]
[collections.law]
qrels = "../qrels.txt"
runs = {first = "../first.run", second = "../second.run"}
"""


@pytest.fixture
def file(here):
    (here / "sub").mkdir()
    (here / "sub" / "all.toml").write_text(TOML)
    return "sub/all.toml"


@pytest.mark.parametrize("command", ["collections", "compare"])
def test_a_file_and_options_are_what_python_finds(invoke, file, command):
    runs = ["first.run", "second.run"]
    expected = tr.collections(dict.fromkeys(("web", "law"), ("qrels.txt", runs)), "RR", samples=50).to_dict()
    for asked in ((file,), BOTH):
        printed = invoke(command, *asked, "-m", "RR", "--samples", 50, "-f", "json")
        assert (printed.exit_code, printed.stderr) == (0, "")
        found = json.loads(printed.stdout)
        assert found.pop("remarks")
        assert found == json.loads(json.dumps(expected))


def test_compare_finds_the_file_behind_options_but_not_in_them(invoke, file, here):
    for before in (("-m", "RR"), ("-m", "RR", "--partial")):
        assert "ranks" in invoke("compare", *before, file).stdout
    (here / "mine.toml").write_text("level = 1\n")
    for rules in (("--rules", "mine.toml"), ("--rules=mine.toml",), ("-rmine.toml",)):
        found = invoke("compare", "qrels.txt", "first.run", "second.run", *rules, "-m", "RR")
        assert (found.exit_code, found.stderr, "ranks" in found.stdout) == (0, "", False)


def test_collections_are_said_to_be_drawn_where_they_are(invoke):
    assert "Collections are drawn" in invoke("collections", *BOTH, "--collections", "random", "-m", "RR").stdout


def test_a_missing_run_is_named_and_left_out_of_ranks(invoke):
    asked = ("collections", *TWO, "first.run", "-m", "RR")
    assert "Warning: second has no run on law" in invoke(*asked).stdout
    assert "second *" not in invoke(*asked).stdout
    assert "second *" in invoke(*asked, "--partial").stdout
    csv = invoke(*asked, "-f", "csv")
    assert "second has no run on law" in csv.stderr
    assert "RR,second,,," not in csv.stdout


def test_the_picture_is_drawn(invoke, here):
    assert invoke("collections", *BOTH, "-m", "RR", "--plot", "heat.svg").exit_code == 0
    assert "web" in (here / "heat.svg").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a file of collections, or collections: --collection NAME QRELS RUN... (see truerank"),
        (("--collection", "web", "qrels.txt"), "it takes NAME QRELS RUN"),
        ((*BOTH, "--collection", "web", "qrels.txt", "first.run"), "--collection says web twice"),
        (("--collection", "web", "qrels.txt", "first.run", "./first.run"), "web has two runs of a system first"),
        (("--collection", "web", "qrels.txt", "none.run"), "none.run: "),
        (("none.toml",), "none.toml: cannot read the collections"),
        (("--collection", "web", "qrels.txt", "first.run", "--collections", "random"), "web is one collection"),
        ((*ONE, "--collection", "law", "qrels.txt", "third.run"), "no system has a run on all 2 collections"),
        ((*BOTH, "--plot", "heat.doc"), "heat.doc: a plot is a file that ends in"),
        ((*BOTH, "-m", "NumRet"), "is no mean over queries"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_one_line(invoke, here, words, said):
    (here / "third.run").write_text((here / "first.run").read_text())
    result = invoke("collections", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.startswith("truerank: ")
    assert result.stderr.count("\n") == 1


def test_a_collection_of_one_query_and_different_queries_are_told(invoke, here):
    (here / "one.txt").write_text("q1 0 a 1\n")
    printed = invoke("collections", *BOTH, "--collection", "tiny", "one.txt", "first.run", "second.run", "-m", "RR")
    assert printed.exit_code == 0
    assert "Warning: One query of tiny says nothing" in printed.stdout
    assert "first does not answer" in printed.stdout


def test_each_of_several_measures_has_a_picture(invoke, here):
    pytest.importorskip("vl_convert")
    assert invoke("collections", *BOTH, "-m", "RR nDCG@5", "--samples", 50, "--plot", "all.svg").exit_code == 0
    assert {path.name for path in here.glob("all*")} == {"all-RR.svg", "all-nDCG@5.svg"}
    assert "RR of each system" in (here / "all-RR.svg").read_text()
    assert invoke("collections", *BOTH, "-m", "RR", "--samples", 50, "--plot", "one.svg").exit_code == 0
    assert (here / "one.svg").exists()


def test_compare_of_several_names_the_help_that_has_its_options(invoke, file):
    said = invoke("compare", file, "--baseline", "first").stderr
    assert "No such option '--baseline'" in said
    assert "truerank collections --help" in said
