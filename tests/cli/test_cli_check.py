"""`truerank check`: the exit status, what is read and written, and what is told of wrong calls."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import truerank as tr

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "compare"
QRELS, BM25, DENSE, HYBRID = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run"))


@pytest.fixture
def saved(invoke):
    """The scores of bm25, with the values of the queries, in main.json."""
    assert invoke("eval", QRELS, BM25, "-m", "nDCG@5 AP", "--per-query", "-o", "main.json").exit_code == 0
    return "main.json"


@pytest.mark.parametrize(
    ("arguments", "status", "verdicts"),
    [
        ((QRELS, HYBRID, "--min", "nDCG@5=0.6"), 0, ["pass"]),
        ((QRELS, BM25, "--min", "nDCG@5=0.6", "--min", "AP=0.1"), 1, ["fail", "pass"]),
        ((QRELS, BM25, "--min", "nDCG@5=0.4", "--sure"), 3, ["undecided"]),
        ((QRELS, HYBRID, "--no-worse-than", "main.json", "--margin", "0.01"), 0, ["pass", "pass"]),
        ((QRELS, DENSE, "--no-worse-than", "main.json", "--margin", "0.01"), 3, ["undecided", "undecided"]),
        ((QRELS, BM25, "--no-worse-than", HYBRID, "-m", "nDCG@5"), 1, ["fail"]),
        ((QRELS, DENSE, "--no-worse-than", "main.json", "--margin", "nDCG@5=0.2"), 0, ["pass"]),
        (("main.json", "--min", "AP=0.3", "--max", "nDCG@5=0.5"), 0, ["pass", "pass"]),
        (("main.json", "--no-worse-than", "main.json"), 0, ["pass", "pass"]),
    ],
)
def test_the_exit_status_is_0_1_or_3(invoke, saved, arguments, status, verdicts):
    result = invoke("check", *arguments, "-f", "json")
    assert result.exit_code == status
    found = json.loads(result.stdout)
    assert [gate["outcome"] for gate in found["gates"]] == verdicts
    assert found["outcome"] == {0: "pass", 1: "fail", 3: "undecided"}[status]


def test_the_table_shows_each_gate_and_how_it_was_decided(invoke, saved):
    result = invoke("check", QRELS, BM25, "--min", "nDCG@5=0.6", "--no-worse-than", saved, "-m", "AP")
    lines = result.stdout.splitlines()
    assert (result.stderr, lines[0]) == ("", "bm25.run: FAIL")
    assert lines[2].split() == ["gate", "value", "95", "%", "interval", "verdict"]
    assert lines[3].startswith("nDCG@5 >= 0.6 ")
    assert lines[3].endswith("FAIL")
    assert lines[4].split() == ["AP", "no", "worse", "than", "bm25.run", "+0.0000", "[0.0000,", "0.0000]", "pass"]
    assert "min and max are decided by the value, which may reach the limit." in lines
    assert "Remark: 40 queries; 50 or more are usual." in lines


def test_what_is_also_to_go_to_standard_output_is_printed_once(invoke):
    plain, twice = (invoke("check", QRELS, BM25, "--min", "AP=0.1", *more) for more in ((), ("-o", "-")))
    assert twice.stdout == plain.stdout


def test_intervals_are_drawn_and_numbers_rounded_as_is_asked(invoke):
    drawn = {"confidence": 0.8, "samples": 700, "seed": 3}
    options = [word for name, value in drawn.items() for word in (f"--{name}", str(value))]
    found = invoke("check", QRELS, BM25, "--min", "AP=0.1", *options, "-f", "json").stdout
    wanted = tr.check(tr.evaluate(QRELS, BM25, "AP"), min={"AP": 0.1}, **drawn).to_dict()
    assert json.loads(found)["gates"] == json.loads(json.dumps(wanted["gates"]))
    rounded = invoke("check", QRELS, BM25, "--min", "AP=0.1", "--digits", "2").stdout.splitlines()[3]
    assert rounded.split()[3] == "0.38"


def test_a_file_of_gates_says_all_and_the_command_line_wins(invoke, here, saved):
    (here / "ci").mkdir()
    (here / "ci" / "gates.toml").write_text(
        f'qrels = "{QRELS}"\nrun = "{BM25}"\nno_worse_than = "../main.json"\nmargin = {{ "AP" = 0.01 }}\n'
        '[min]\n"nDCG@5" = 0.4\n'
    )
    assert invoke("check", "ci/gates.toml").exit_code == 0
    assert invoke("check", "ci/gates.toml", "--min", "nDCG@5=0.5").exit_code == 1
    assert invoke("check", "ci/gates.toml", "--sure").exit_code == 3
    assert invoke("check", "ci/gates.toml", QRELS, HYBRID, "--min", "nDCG@5=0.6").exit_code == 0
    assert invoke("check", "ci/gates.toml", "main.json").exit_code == 0


def test_a_benchmark_is_checked(invoke, here):
    bench = tr.bench(lambda query: ["d1"], {f"q{n}": "x" for n in range(80)}, {"q1": {"d1": 1}}, measures="RR")
    bench.save("bench.json")
    p95 = bench.latency["p95"]
    assert invoke("check", "--bench", "bench.json", "--max", f"p95={p95 * 2}ms").exit_code == 0
    result = invoke(
        "check", "--bench", "bench.json", "--max", f"p95={p95 / 2}ms", "--min", "RR=0.001", "-f", "json"
    )
    found = json.loads(result.stdout)
    assert (result.exit_code, [gate["outcome"] for gate in found["gates"]]) == (1, ["pass", "fail"])
    assert found["gates"][1]["interval"] == "order statistics"
    assert invoke("check", "bench.json", "--min", "RR=0.001").exit_code == 0


def test_files_are_written_as_their_endings_say_beside_the_table(invoke, here, saved):
    outputs = ("-o", "report.xml", "-o", "summary.md", "-o", "check.json")
    result = invoke("check", QRELS, BM25, "--min", "nDCG@5=0.6", *outputs)
    assert result.exit_code == 1
    assert result.stdout.startswith("bm25.run: FAIL\n")
    assert ET.fromstring((here / "report.xml").read_text()).get("failures") == "1"
    assert (here / "summary.md").read_text().startswith("**")
    assert json.loads((here / "check.json").read_text())["outcome"] == "fail"


def test_what_is_remarkable_goes_to_standard_error_with_csv(invoke, saved):
    result = invoke("check", saved, "--min", "AP=0.1", "-f", "csv")
    assert result.stdout.splitlines()[0].startswith("name,kind,limit,value,low,high,unit")
    assert result.stderr.splitlines() == [
        "bm25.run: 1 decided by the order of equal scores (here by document id, descending): t28.",
        "Remark: 40 queries; 50 or more are usual.",
    ]


def test_different_queries_are_said(invoke, here):
    text = "\n".join(line for line in Path(BM25).read_text().splitlines() if not line.startswith("t0"))
    (here / "part.run").write_text(text + "\n")
    result = invoke("check", QRELS, "part.run", "--no-worse-than", BM25, "-m", "AP", "--set", "missing=skip")
    assert result.exit_code == 3
    assert "AP: 9 queries that only one of the two has were left out; the rules skip what" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "truerank: there is no gate"),
        (("main.json",), "truerank: there is no gate"),
        (("main.json", "--min", "P@5=0.1"), f"truerank: {BM25} has no P@5. It has nDCG@5, AP"),
        (("main.json", "--min", "NDGC=0.1"), "truerank: unknown measure 'NDGC'"),
        (("main.json", "--min", "AP"), "truerank: a gate is written like nDCG@10=0.40"),
        (("main.json", "--min", "AP>=0.4"), "truerank: a gate is written like nDCG@10=0.40"),
        (("main.json", "--max", "p95<=200ms"), "truerank: a gate is written like nDCG@10=0.40"),
        (("main.json", "--min", "AP==0.4"), "truerank: a gate is written like nDCG@10=0.40"),
        (("main.json", "--max", "p95=20"), "truerank: the limit of p95 needs a unit"),
        (("main.json", "--max", "p95=20ms"), "truerank: p95 is a figure of a benchmark"),
        (("main.json", "--no-worse-than", BM25), f"truerank: {BM25}: this is a run: name the qrels too"),
        (("main.json", "--no-worse-than", "no.json"), "truerank: no.json: there is no such file"),
        (("main.json", "--no-worse-than", "main.json", "--margin", "x"), "truerank: --margin takes a number"),
        (("main.json", "--min", "AP=0.1", "--bench", "main.json"), "truerank: main.json: this is no benchmark"),
        (("main.json", "--min", "AP=0.1", "-o", "main.json"), "truerank: main.json: this is what is read"),
        (("main.json", "--min", "AP=0.1", "--rules", "beir"), "truerank: --rules needs QRELS and RUNs ("),
        (("main.json", "--min", "AP=0.1", "--collapse", "max"), "truerank: --collapse needs QRELS and RUNs ("),
        (("main.json", "--min", "AP=0.1", "--items", BM25), "truerank: --items needs QRELS and RUNs ("),
        (("main.json", "--min", "AP=0.1", "--percentiles", "linear"), "truerank: --percentiles needs --bench ("),
        (("no.toml",), "truerank: no.toml: cannot read the gates"),
        ((QRELS, BM25, HYBRID, "--min", "AP=0.1"), "truerank: Give QRELS and RUN, or saved scores"),
        ((QRELS, "--min", "AP=0.1"), f"truerank: {QRELS}: these are no saved scores"),
        (
            ("gates.txt", QRELS, BM25),
            "truerank: Give QRELS and RUN, or saved scores, or only a file of gates (GATES.toml)",
        ),
        ((BM25, "--min", "AP=0.1"), f"truerank: {BM25}: these are no saved scores; `truerank eval --per-query"),
        (("-", "-", "--min", "AP=0.1"), "truerank: Standard input (-) can be only one"),
        ((QRELS, BM25, "--no-worse-than", "main.json", "--set", "level=2"), "truerank: "),
    ],
)
def test_wrong_input_is_status_2_in_one_line(invoke, saved, arguments, message):
    result = invoke("check", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_the_status_reaches_the_shell(shell):
    asked = f"truerank check {QRELS} {BM25} --min nDCG@5="
    assert [shell(asked + limit).returncode for limit in ("0.1", "0.9", "0.4 --sure")] == [0, 1, 3]


def test_bench_and_check_say_in_which_unit_a_bare_time_is(invoke):
    helped = {name: " ".join(invoke(name, "--help").stdout.split()) for name in ("bench", "check")}
    assert helped["bench"].count("2m or a number of seconds") == 2
    assert "A time has its unit, ms or s: a bare number could be either." in helped["check"]
    result = invoke("check", "qrels.txt", "first.run", "--max", "p95=200")
    assert result.exit_code == 2
    assert result.stderr == "truerank: the limit of p95 needs a unit: p95=200ms or p95=200s\n"


def test_what_a_file_of_gates_may_say_of_the_intervals_an_option_says(invoke, here):
    gates = f'qrels = "{QRELS}"\nrun = "{HYBRID}"\nno_worse_than = "{BM25}"\nmeasures = "AP"\nsamples = 200\n'
    (here / "gates.toml").write_text(gates)
    asked = (QRELS, HYBRID, "--no-worse-than", BM25, "-m", "AP")
    of_file = invoke("check", "gates.toml", "-f", "json").stdout
    assert invoke("check", *asked, "--samples", "200", "-f", "json").stdout == of_file
    assert invoke("check", "gates.toml", "--samples", "300", "-f", "json").stdout != of_file
    assert invoke("check", *asked, "--samples", "0").exit_code == 2
