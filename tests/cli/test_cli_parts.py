"""`truerank read` and `truerank merge`, and what they write in place of a run."""

from __future__ import annotations

import sys

import pytest

import truerank as tr
from truerank.formats import formats


def test_what_was_read_stands_in_place_of_the_run(invoke, here):
    said = invoke("read", "qrels.txt", "first.run", "-o", "first.arrow")
    assert (said.exit_code, said.stdout) == (0, "")
    assert said.stderr == (
        "first.run: 2 of 3 judged queries answered, 4 documents returned, 3 of them judged; rules truerank\n"
    )
    for command in ("eval", "confusion", "curve", "bounds --of ties"):
        one, other = (invoke(*command.split(), "qrels.txt", run) for run in ("first.run", "first.arrow"))
        assert one.exit_code == 0
        assert one.stdout == other.stdout
    assert invoke("eval", "first.arrow", "first.arrow").stdout == invoke("eval", "qrels.txt", "first.run").stdout


def test_comparing_and_reporting_take_it_too(invoke, here):
    for run, keep in (("first", "all"), ("second", 10**30)):
        assert invoke("read", "qrels.txt", f"{run}.run", "--keep", keep, "-o", f"{run}.arrow").exit_code == 0
    runs = [[f"{run}.{ending}" for run in ("first", "second")] for ending in ("run", "arrow")]
    one, other = (invoke("compare", "qrels.txt", *both) for both in runs)
    assert one.exit_code == 0
    assert one.stdout == other.stdout
    one, other = (invoke("bounds", "qrels.txt", *both, "-m", "AP", "--judge-next", 3) for both in runs)
    assert one.exit_code == 0
    assert one.stdout == other.stdout
    one, other = (invoke("agreement", *both, "-k", 2, "-f", "csv") for both in runs)
    assert one.exit_code == 0
    assert one.stdout == other.stdout
    found = invoke("lint", "qrels.txt", *runs[1], "--set", "missing=error")
    assert found.exit_code == 1
    assert "first.arrow: error: " in found.stdout
    assert invoke("report", "qrels.txt", *runs[1], "-o", "report.html").exit_code == 0
    assert (here / "report.html").stat().st_size > 1000


def test_its_rules_hold_where_none_are_asked_for(invoke):
    invoke("read", "qrels.txt", "first.run", "-o", "first.arrow", "--rules", "trec_eval-9", "--set", "level=2")
    assert "Rules: trec_eval-9 with level=2." in invoke("eval", "qrels.txt", "first.arrow", "-m", "AP").stdout
    assert (
        "Rules: trec_eval-9." in invoke("eval", "qrels.txt", "first.arrow", "-m", "AP", "-r", "trec_eval-9").stdout
    )
    refused = invoke("eval", "qrels.txt", "first.arrow", "-m", "AP", "-r", "trec_eval-10")
    assert refused.exit_code == 2
    assert "first.run was read under score_precision = 'single'; read it again for 'double'" in refused.stderr


@pytest.mark.parametrize(
    "line",
    [
        "eval qrels.txt {first} {second} -m AP",
        "compare qrels.txt {first} {second} -m AP --samples 10",
        "check qrels.txt {first} --no-worse-than {second} --min AP=0.1 -m AP",
        "check qrels.txt {first} --no-worse-than second.run -m AP",
        "power --like qrels.txt {first} {second} -m AP --difference 0.1",
        "curve qrels.txt {first} {second}",
        "confusion qrels.txt {first}",
        "bounds qrels.txt {first} --of ties",
        "explain qrels.txt {first} {second} -m AP",
    ],
)
def test_its_rules_hold_in_every_command(invoke, line):
    rules = ["--rules", "trec_eval-9", "--set", "level=2"]
    for run in ("first", "second"):
        invoke("read", "qrels.txt", f"{run}.run", "-o", f"{run}.arrow", *rules)
    of_runs, of_readings = (
        line.format(first=f"first.{ending}", second=f"second.{ending}").split() for ending in ("run", "arrow")
    )
    expected, found = invoke(*of_runs, *rules), invoke(*of_readings)
    assert expected.exit_code != 2
    assert (found.exit_code, found.stdout) == (expected.exit_code, expected.stdout)


def test_its_rules_hold_from_a_pipe_and_a_url_too(invoke, here, shell):
    invoke("read", "qrels.txt", "first.run", "-o", "first.arrow", "--set", "level=2")
    expected = invoke("eval", "qrels.txt", "first.arrow", "-m", "AP").stdout
    assert "Rules: truerank with level=2." in expected
    saved = (here / "first.arrow").read_bytes()
    assert invoke("eval", "qrels.txt", "-", "-m", "AP", input=saved).stdout == expected
    assert invoke("eval", "qrels.txt", (here / "first.arrow").as_uri(), "-m", "AP").stdout == expected
    assert shell("truerank eval qrels.txt <(cat first.arrow) -m AP").stdout.decode() == expected


def test_readings_under_different_rules_are_refused(invoke):
    for rules in ("level=2", "missing=skip"):
        invoke("read", "qrels.txt", "first.run", "-o", f"{rules}.arrow", "--set", rules)
    for line in ("eval qrels.txt", "compare qrels.txt"):
        refused = invoke(*line.split(), "level=2.arrow", "missing=skip.arrow", "-m", "AP")
        assert refused.exit_code == 2
        assert "scores can be compared only under the same rules" in refused.stderr
        assert "a reading takes others that are asked for (rules=; for a command: --rules)" in refused.stderr
    runs = ["level=2.arrow", "missing=skip.arrow", "-m", "AP"]
    assert "Rules: truerank." in invoke("eval", "qrels.txt", *runs, "--rules", "truerank").stdout
    settled = invoke("eval", "qrels.txt", *runs, "--set", "level=1", "--set", "missing=skip")
    assert "Rules: truerank with missing=skip." in settled.stdout


def test_parts_are_merged_and_scattered_queries_read_again(invoke, here):
    lines = (here / "first.run").read_text().splitlines(keepends=True)
    for part in (0, 1):
        (here / f"{part}.run").write_text("".join(lines[part::2]))
        invoke("read", "qrels.txt", f"{part}.run", "-o", f"{part}.arrow.gz")
    parts = ["0.arrow.gz", "1.arrow.gz"]
    refused = invoke("merge", *parts)
    assert refused.exit_code == 2
    assert "query q1 is answered in two parts" in refused.stderr
    again = ["--again", "0.run", "--again", "1.run"]
    assert invoke("merge", *parts[::-1], *again, "--name", "first.run", "-o", "whole.arrow").exit_code == 0
    whole = tr.Reading.load(here / "whole.arrow")
    assert whole.hits.rank.tolist() == tr.read("qrels.txt", "first.run").hits.rank.tolist()
    invoke("read", "qrels.txt", "0.run", "1.run", "--name", "first.run", "-o", "both.arrow")
    assert tr.Reading.load("both.arrow").to_arrow() == whole.to_arrow()
    piped = invoke("eval", "qrels.txt", "-", "-f", "json", input=(here / "whole.arrow").read_bytes())
    assert piped.stdout == invoke("eval", "qrels.txt", "whole.arrow", "-f", "json").stdout


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("eval other.txt first.arrow", "first.arrow: this reading was made with other judgements than other.txt"),
        ("bounds qrels.txt first.arrow", "first.arrow: the reading lacks unjudged documents"),
        (
            "explain qrels.txt first.arrow q1",
            "first.arrow: the reading lacks unjudged documents; read the run with keep='all'",
        ),
        (
            "convert first.arrow first.jsonl --as run",
            "first.arrow: this is a reading, which is no run any more",
        ),
        ("agreement first.arrow first.arrow", "first.arrow: the reading lacks unjudged documents"),
        (
            "fuse first.run first.arrow",
            "first.arrow: this is a reading, which has no lists any more",
        ),
        ("merge first.run", "first.run: this is no reading that was saved"),
        ("read qrels.txt first.run --keep 0", "--keep is judged, all or a number of ranks, not '0'"),
        ("merge cut.arrow", "cut.arrow: this is no reading that was saved, or it is damaged"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(invoke, here, line, why):
    invoke("read", "qrels.txt", "first.run", "-o", "first.arrow")
    (here / "other.txt").write_text("q1 0 a 3\n")
    (here / "cut.arrow").write_bytes((here / "first.arrow").read_bytes()[:-40])
    refused = invoke(*line.split())
    assert refused.exit_code == 2
    assert why in refused.stderr


def test_a_board_takes_no_readings(invoke, here):
    invoke("read", "qrels.txt", "first.run", "-o", "first.arrow")
    run = tr.open_run("first.arrow")
    assert run.saved
    with pytest.raises(tr.InputError, match="this is a reading"):
        list(run.batches())
    assert formats()["reading"].write_run is None


def test_a_reading_of_all_rows_is_explained_as_its_run_is(invoke, here):
    invoke("read", "qrels.txt", "first.run", "--keep", "all", "--set", "depth=2", "-o", "first.arrow")
    asked = ("q1", "-m", "AP nDCG@10")
    expected = invoke("explain", "qrels.txt", "first.run", *asked, "--set", "depth=2")
    assert expected.exit_code == 0
    assert invoke("explain", "qrels.txt", "first.arrow", *asked).stdout == expected.stdout


@pytest.mark.parametrize("line", ["read qrels.txt missing.run -o run.arrow", "merge missing.arrow -o run.arrow"])
def test_without_the_package_that_writes_readings_nothing_is_read(invoke, monkeypatch, line):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = invoke(*line.split())
    assert (said.exit_code, said.stderr) == (
        2,
        'truerank: writing a reading needs: pip install "truerank[parquet]"\n',
    )
