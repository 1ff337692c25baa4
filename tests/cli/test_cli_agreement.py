"""`truerank agreement`: the coefficients, those of each query, and what equal scores and unseen ends are."""

from __future__ import annotations

import json

import pytest

import truerank as tr

BOTH = ("agreement", "first.run", "second.run")


@pytest.mark.parametrize(
    "how",
    [{}, {"p": 0.5}, {"ties": "a"}, {"ties": "b", "unseen": "min"}, {"unseen": "res", "rules": {"depth": 2}}],
    ids=str,
)
def test_it_prints_what_python_finds(invoke, how):
    named = {"p": "-p", "ties": "--ties", "unseen": "--unseen"}
    words = [word for key, name in named.items() if key in how for word in (name, how[key])]
    words += ["--set", "depth=2"] if "rules" in how else []
    found = tr.agreement("first.run", "second.run", **how)
    printed = invoke(*BOTH, *words)
    assert (printed.exit_code, printed.stderr) == (0, "")
    assert f"{found.coefficient} (p = {found.p:g})" in printed.stdout
    assert f"{found.mean_rbo:.4f}" in printed.stdout
    plain = json.loads(invoke(*BOTH, *words, "-f", "json").stdout)
    assert plain["queries"] == found.to_dict()["queries"]


@pytest.mark.parametrize("words", [("-p", 1), ("--ties", "c"), ("--unseen", "mid"), ("--set", "depth=0")])
def test_what_is_asked_wrongly_is_told_in_one_line(invoke, words):
    result = invoke(*BOTH, *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("truerank: ")
    assert result.stderr.count("\n") == 1


def test_of_three_runs_it_prints_a_matrix_and_of_files_all_pairs_or_the_picture(invoke, tmp_path):
    runs = ("first.run", "second.run", "first.run")
    found = tr.agreements({"first.run": "first.run", "second.run": "second.run"})
    printed = invoke("agreement", *runs, "--coefficient", "overlap", "-k", 2)
    assert (printed.exit_code, printed.stderr) == (0, "")
    assert printed.stdout.startswith("overlap@2\n")
    rows = json.loads(invoke("agreement", *runs, "-f", "json").stdout)["pairs"]
    assert len(rows) == 3
    assert rows[0]["rbo"] == found.rbo[0, 1]
    assert rows[1]["tau"] == 1
    assert invoke("agreement", *runs, "-o", tmp_path / "all.html").exit_code == 0
    assert "<img" in (tmp_path / "all.html").read_text()


def test_one_run_agrees_with_nothing(invoke):
    result = invoke("agreement", "first.run")
    assert result.exit_code == 2
    assert "give two or more" in result.stderr
