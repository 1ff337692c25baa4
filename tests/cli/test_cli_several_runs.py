"""`--system NAME=RUN,RUN` of `compare` and `eval`: several runs as one system, and what is told of wrong ones."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import truerank as tr

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "compare"
QRELS, BM25 = EXAMPLES / "qrels.txt", EXAMPLES / "bm25.run"


@pytest.fixture
def seeds() -> list[str]:
    """Three runs of a system, the files of the working folder."""
    for seed in (1, 2, 3):
        dice = random.Random(seed)
        lines = [line.split() for line in (EXAMPLES / "dense.run").read_text().splitlines()]
        moved = [
            f"{q} Q0 {doc} 1 {float(score) * (1 + dice.gauss(0, 0.2)):.5f} s{seed}\n"
            for q, _, doc, _, score, _ in lines
        ]
        Path(f"seed{seed}.run").write_text("".join(moved))
    return ["seed1.run", "seed2.run", "seed3.run"]


def test_compare_takes_runs_and_systems(invoke, seeds):
    result = invoke("compare", QRELS, BM25, "--system", "dense=" + ",".join(seeds), "-m", "nDCG@5", "-f", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    wanted = tr.compare(QRELS, {"bm25.run": BM25, "dense": seeds}, "nDCG@5")
    assert found["systems"] == {"bm25.run": "a", "dense": "b"}
    assert found["outcomes"][0]["spreads"] == wanted.to_dict()["outcomes"][0]["spreads"]


def test_systems_alone_and_patterns_are_enough(invoke, seeds):
    result = invoke(
        "compare", QRELS, "--system", "dense=seed?.run", "--system", f"bm25={BM25}", "--baseline", "dense"
    )
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith(("a  ", "b  "))]
    assert [(row[0], row[1]) for row in rows if "baseline" in row][:1] == [("a", "dense")]
    assert "bm25: one run, so that nothing is known" in result.stdout


def test_a_baseline_may_be_a_system_by_its_number(invoke, seeds):
    common = ("compare", QRELS, BM25, "--system", "dense=seed?.run", "-m", "AP", "-f", "json")
    by_number, by_name = (invoke(*common, "--baseline", which).stdout for which in ("2", "dense"))
    assert by_number == by_name
    assert json.loads(by_name)["procedure"]["baseline"] == "dense"


def test_eval_prints_the_mean_over_runs_and_how_far_they_lie_apart(invoke, seeds):
    result = invoke("eval", QRELS, BM25, "--system", "dense=" + ",".join(seeds), "-m", "AP")
    means = [tr.evaluate(QRELS, seed, "AP").mean["AP"] for seed in seeds]
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"dense     {sum(means) / 3:.4f}" in result.stdout
    assert (
        f"dense: means over 3 runs; those of the runs lie between: AP {min(means):.4f} to {max(means):.4f}"
        in result.stdout
    )
    percent = invoke("eval", QRELS, "--system", "dense=seed?.run", "-m", "AP NumRet", "--percent").stdout
    assert f"AP {100 * min(means):.2f} to {100 * max(means):.2f} (sd " in percent
    assert "NumRet 312.0000 to 312.0000 (sd 0.0000)" in percent
    fine = invoke("eval", QRELS, "--system", "dense=seed?.run", "-m", "AP", "--digits", 6).stdout
    assert f"AP {min(means):.6f} to {max(means):.6f} (sd " in fine
    plain = json.loads(invoke("eval", QRELS, "--system", "dense=seed?.run", "-m", "AP", "-f", "json").stdout)
    assert plain["run"] == "dense"
    assert plain["runs"] == {seed: {"AP": mean} for seed, mean in zip(seeds, means, strict=True)}


@pytest.mark.parametrize("command", ["compare", "eval"])
@pytest.mark.parametrize(
    ("system", "said"),
    [
        (
            "dense=seed1.run,seed1.run",
            "truerank: seed1.run: it is given twice among the runs of dense; name each run once",
        ),
        ("dense=seed1.run,./seed1.run", "truerank: seed1.run: it is given twice among the runs of dense"),
        (
            "dense=seed1.run,",
            "truerank: --system takes NAME=RUN,RUN, e.g. dense=seed1.run,seed2.run; not 'dense=seed1.run,'",
        ),
        ("seed1.run", "truerank: --system takes NAME=RUN,RUN"),
        ("=seed1.run", "truerank: --system takes NAME=RUN,RUN"),
        ("dense=none.run,seed1.run", "truerank: none.run: there is no such file"),
        ("dense=none-*.run", "truerank: none-*.run: "),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_status_2(invoke, seeds, command, system, said):
    result = invoke(command, QRELS, "--system", system)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--test", "sign"), "truerank: the test sign knows queries alone, and there are several runs of dense"),
        (("--correction", "max-t"), "truerank: max-t knows queries alone"),
        (("--system", "dense=seed1.run"), "truerank: --system says dense twice; only one would count"),
        (("-o", "seed1.run"), "truerank: seed1.run: this is what is read"),
    ],
)
def test_what_does_not_go_with_several_runs_is_told(invoke, seeds, more, said):
    result = invoke("compare", QRELS, BM25, "--system", "dense=seed1.run,seed2.run,seed3.run", *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(said)


def test_without_a_run_there_is_nothing_to_do(invoke):
    for command in ("compare", "eval"):
        result = invoke(command, QRELS)
        assert result.exit_code == 2
        assert result.stderr.startswith("truerank: Missing argument")


def test_a_run_that_answers_none_of_the_queries_is_refused_among_the_runs_too(invoke, seeds):
    Path("other.run").write_text("elsewhere Q0 d1 1 1.0 x\n")
    result = invoke("compare", QRELS, BM25, "--system", "dense=seed1.run,other.run")
    assert result.exit_code == 2
    assert result.stderr.startswith("truerank: other.run: no query of the run is judged")


def test_check_takes_several_runs_for_one(invoke, seeds):
    dense = "dense=" + ",".join(seeds)
    result = invoke("check", QRELS, dense, "--no-worse-than", BM25, "--margin", 0.3, "-m", "AP", "-f", "json")
    gate = json.loads(result.stdout)["gates"][0]
    pair = tr.compare(QRELS, {"bm25": BM25, "dense": seeds}, "AP")["AP"].pairs[0].difference
    assert (result.exit_code, gate["low"], gate["high"]) == (0, pytest.approx(pair.low), pytest.approx(pair.high))
    turned = invoke("check", QRELS, BM25, "--no-worse-than", "dense=seed*.run", "-m", "AP", "-f", "json")
    assert json.loads(turned.stdout)["gates"][0]["low"] == pytest.approx(-pair.high)
    missing = invoke("check", QRELS, "dense=seed1.run,none.run", "--min", "AP=0.1")
    assert (missing.exit_code, missing.stderr) == (2, "truerank: none.run: there is no such file\n")


TOPICS = f"{EXAMPLES / 'topics.csv'}:language"
ESTIMATED = ("--judged-by", QRELS, "--predicted-by", EXAMPLES / "crowd.txt", "--sample", "random")


def test_several_runs_are_checked_slice_by_slice(invoke, seeds):
    given = (QRELS, "dense=" + ",".join(seeds), "--min", "nDCG@5=0.1", "--sure")
    result = invoke("check", *given, "--by", TOPICS, "-f", "json")
    gates = json.loads(result.stdout)["gates"]
    assert [gate.get("slice", "") for gate in gates] == ["", "de", "en"]
    assert all(gate["low"] < gate["value"] < gate["high"] for gate in gates)


def test_several_runs_and_estimates_are_not_watched(invoke, seeds):
    watching = ("--watch", "looks.jsonl", "--looks", "same", "--min", "nDCG@5=0.1")
    for given in ((QRELS, "dense=" + ",".join(seeds)), (*ESTIMATED, BM25)):
        result = invoke("check", *given, *watching)
        assert result.exit_code == 2
        assert "only scores of one run can be watched" in result.stderr


def test_estimates_have_no_slices_and_no_systems(invoke, seeds):
    result = invoke("check", *ESTIMATED, BM25, "--min", "nDCG@5=0.1", "--by", TOPICS)
    assert (result.exit_code, "slices are of plain scores" in result.stderr) == (2, True)
    result = invoke("compare", *ESTIMATED, BM25, "--system", "dense=" + ",".join(seeds))
    assert (result.exit_code, "--system is not for --judged-by" in result.stderr) == (2, True)
