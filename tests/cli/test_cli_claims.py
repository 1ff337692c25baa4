"""`truerank power` and `truerank audit-table`: what they print, and what is told of tables as users have them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "compare"
QRELS, BM25, DENSE = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))
TABLE = "System,nDCG@10,Success@1\nBM25,0.412,0.48\nDense,0.431,0.52\nOurs,0.502,0.62\n"


def test_power_prints_a_row_a_spread(invoke):
    result = invoke("power", "--queries", "50", "--difference", "0.02", "--sd", "0.2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[1].split() == ["0.2000", "0.1066", "0.0568", "0.0808", "787"]
    assert "two-sided paired t-test at 5 %" in result.stdout


def test_power_takes_the_spread_of_runs(invoke):
    result = invoke("power", "-n", "50", "--like", QRELS, BM25, DENSE, "-m", "nDCG@5", "-f", "json")
    plain = json.loads(result.stdout)
    assert [row["measure"] for row in plain["rows"]] == ["nDCG@5"]
    assert plain["rows"][0]["needed"] is None
    assert "from query to query; the pair of runs." in plain["remarks"][1]


def test_power_counts_the_queries_of_the_runs_where_nothing_is_asked(invoke, here):
    kept = [line for line in Path(BM25).read_text().splitlines() if not line.startswith("t01 ")]
    (here / "some.run").write_text("\n".join(kept) + "\n")
    answered = [{line.split()[0] for line in lines} for lines in (kept, Path(DENSE).read_text().splitlines())]
    shared = len(set.intersection(*answered))
    skipping = ("power", "--like", QRELS, "some.run", DENSE, "-m", "AP", "--set", "missing=skip", "-f", "json")
    counted, typed = invoke(*skipping), invoke(*skipping, "-n", shared)
    assert (counted.exit_code, counted.stderr, counted.stdout) == (0, "", typed.stdout)
    assert json.loads(counted.stdout)["queries"] == shared
    assert json.loads(invoke(*skipping, "-d", "0.1").stdout)["queries"] is None


def test_power_of_a_geometric_mean_is_said_to_be_of_logarithms(invoke):
    said = "all that is said of GMAP is of differences of natural logarithms."
    asked = ("power", "-n", "50", "--difference", "0.1", "--like", QRELS, BM25, DENSE, "-m")
    assert said in invoke(*asked, "GMAP AP").stdout
    assert "logarithms" not in invoke(*asked, "AP").stdout


def test_power_takes_items_where_runs_list_them(invoke, here):
    (here / "items.csv").write_text("id,popularity\n" + "".join(f"d{n:02},{n}\n" for n in range(1, 31)))
    asked = ("-n", "50", "-m", "Novelty@5", "--items", "items.csv")
    assert invoke("power", *asked, "--like", QRELS, BM25, DENSE).stdout.splitlines()[1].startswith("Novelty@5")
    assert invoke("power", *asked).stderr.startswith("truerank: --items needs QRELS and RUNs")


def test_a_table_comes_from_a_file_or_from_standard_input(invoke, here):
    (here / "table.csv").write_text(TABLE, "utf-8")
    read = invoke("audit-table", "table.csv", "-n", "50", "-f", "csv")
    piped = invoke("audit-table", "-", "-n", "50", "-f", "csv", input=TABLE)
    assert read.exit_code == piped.exit_code == 0
    assert read.stdout == piped.stdout
    rows = [line.split(",") for line in read.stdout.splitlines()]
    assert rows[0][-1] == "told"
    assert len(rows) == 7
    text = invoke("audit-table", "table.csv", "-n", "50").stdout
    assert "what 50 queries could have shown" in text
    assert max(map(len, text.split("Told apart")[0].splitlines())) <= 80


def test_with_a_baseline_all_that_are_compared_to_it_are_listed_however_many(invoke):
    table = "System,AP\n" + "".join(f"s{n},0.{100 + n}\n" for n in range(20))
    all_pairs, with_baseline = (
        invoke("audit-table", "-", "-n", "50", *asked, input=table).stdout for asked in ((), ("--baseline", "s0"))
    )
    assert "Pairs of the best system by AP" in all_pairs
    lines = [line.split() for line in with_baseline.splitlines()]
    assert [line[0] for line in lines if line[1:2] == ["s0"]] == [f"s{n}" for n in range(19, 0, -1)]
    assert "best system" not in with_baseline


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", (), "bad.csv: there is no table in it"),
        ("System,AP\nBM25,0.4\n", (), "two systems or more"),
        ("System,AP\nBM25,0.4\nDense,0.5,0.6\n", (), "bad.csv:3: this row has 3 cells, the first has 2"),
        ("0.3,0.4\n0.5,0.6\n0.7,0.8\n", (), "bad.csv:1: the first row names the columns"),
        ("System,note\nBM25,good\nDense,bad\n", (), "no column of means"),
        ("AP,RR\n0.1,0.2\n0.3,0.4\n", (), "no column that names the systems"),
        ("System,AP\nBM25,0.4\nDense,x\n", ("-m", "AP"), "bad.csv:3: 'x' in column AP is no number"),
        ("System,AP\nBM25,0.4\nDense,412\n", ("-m", "AP"), "'412' in column AP is no mean from 0 to 1"),
        ("System,AP\nBM25,0.4\nDense,0.5\n", ("-m", "nDCG"), "it has no column 'nDCG'. It has AP"),
        ("System,AP\nBM25,0.4\nDense,0.5\n", ("--baseline", "BM52"), "no system 'BM52'. Did you mean BM25?"),
        ("System,AP\nBM25,0.4\nDense,0.5\n", ("--binary", "RR"), "no column 'RR'"),
        ("System,AP\nBM25,0.4\nDense,0.5\n", ("--sd", "0"), "above 0"),
        ("System,AP\nBM25,0.4\nDense,0.5\n", ("--alpha", "2"), "between 0 and 1"),
        ("System,AP\nBM25,0.4\nDense,0.5\n", ("-n", "1"), "2 queries or more"),
    ],
)
def test_a_bad_table_is_told_in_one_line(invoke, here, text, options, words):
    (here / "bad.csv").write_text(text, "utf-8")
    counted = () if "-n" in options else ("-n", "50")
    result = invoke("audit-table", "bad.csv", *counted, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_bytes_that_are_no_text_are_told(invoke, here):
    (here / "bad.csv").write_bytes(b"System,AP\nBM25,\xff\xfe\n")
    result = invoke("audit-table", "bad.csv", "-n", "50")
    assert result.exit_code == 2
    assert "text in UTF-8" in result.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "say how many queries there are"),
        (("-n", "50", "--like", QRELS), "Runs are judged by qrels"),
        (("-n", "50", BM25), "Runs are judged by qrels"),
        (("-n", "50", "--sd", "0.1", "--like", QRELS, BM25), "not both"),
        (("-n", "0"), "2 queries or more"),
        (("-n", "50", "--like", "none.txt", BM25), "none.txt"),
        (("-n", "50", "-d", "5%"), "'5%' is a percentage; give a fraction: 0.05 is 5 %"),
    ],
)
def test_power_tells_what_was_asked_wrongly(invoke, options, words):
    result = invoke("power", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
