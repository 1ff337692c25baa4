"""`truerank measures`, `rules`, `formats`, `convert` and `completion`."""

from __future__ import annotations

import json
from shutil import which

import pytest

import truerank as tr
from truerank.core.rules import MEANINGS, Rules, presets
from truerank.formats import formats
from truerank.present.definitions import aliases


def test_every_measure_is_listed_with_its_meaning_and_other_names(invoke):
    output = invoke("measures").stdout
    for definition in tr.measures().values():
        line = next(line for line in output.splitlines() if line.startswith(definition.spelling + " "))
        assert definition.meaning in line
        assert all(name in line for name in aliases(definition))


def test_a_measure_is_explained_in_full(invoke):
    output = invoke("measures", "R").stdout
    assert output.startswith("R@k: The share of the relevant documents that is among the first k results.\n")
    assert "Σ_{i≤k} rel_i / R" in output
    assert "relative_P (capped=True)" in output
    assert "a positive whole number; must be given" in output
    assert "a number; the rules' level if not given" in output
    assert ">>> import truerank as tr" in output


@pytest.mark.parametrize("name", ["ndcg", "NDCG", "ndcg_cut", "nDCG@10", "nDCG(gain='exp')@5"])
def test_a_measure_is_found_by_any_of_its_names(invoke, name):
    assert invoke("measures", name).stdout.startswith("nDCG[@k]: ")


def test_every_measure_can_be_explained(invoke):
    for name, definition in tr.measures().items():
        result = invoke("measures", name)
        assert result.exit_code == 0
        assert definition.formula in result.stdout


def test_an_unknown_measure_is_status_2_with_a_suggestion(invoke):
    result = invoke("measures", "ndgc")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Did you mean nDCG?" in result.stderr


def test_every_preset_is_listed_with_what_it_is_for(invoke):
    lines = invoke("rules").stdout.splitlines()[1:]
    assert [line.split()[0] for line in lines] == list(presets())
    assert all(len(line.split(None, 1)[1]) > 20 for line in lines)


@pytest.mark.parametrize("name", presets())
def test_printed_rules_are_a_rules_file_that_says_the_same(invoke, here, name):
    text = invoke("rules", name).stdout
    (here / f"{name}.toml").write_text(text)
    assert Rules.of(here / f"{name}.toml") == Rules.named(name)
    assert all(meaning in text for field, meaning in MEANINGS.items() if field != "depth")


def test_unknown_rules_are_status_2_with_a_suggestion(invoke):
    result = invoke("rules", "trec_eval")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Did you mean trec_eval-" in result.stderr


def test_every_format_is_listed_with_what_it_can_do(invoke):
    output = invoke("formats").stdout
    for name, format in formats().items():
        line = next(line for line in output.splitlines() if line.startswith(name + " "))
        assert format.meaning in line
        assert line.count("read") >= (format.read_run is not None) + (format.read_qrels is not None)
        assert line.count("write") >= (format.write_run is not None) + (format.write_qrels is not None)


def test_a_run_is_converted_and_scores_the_same(invoke, here):
    result = invoke("convert", "first.run", "first.json", "--as", "run", "--from", "trec", "--to", "json")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert json.loads((here / "first.json").read_text())["q1"].keys() == {"x", "a", "b"}
    assert tr.evaluate("qrels.txt", "first.json").mean == tr.evaluate("qrels.txt", "first.run").mean


def test_qrels_are_converted_to_standard_output(invoke, here):
    result = invoke("convert", "qrels.txt", "-", "--as", "qrels", "--to", "trec")
    assert result.exit_code == 0
    assert sorted(result.stdout.splitlines()) == sorted((here / "qrels.txt").read_text().splitlines())


def test_a_conversion_that_fails_leaves_nothing(invoke, here):
    (here / "bad.run").write_text("q1 Q0 x 1 3.0 t\nq1 Q0 a 2 two t\n")
    before = sorted(here.iterdir())
    result = invoke("convert", "bad.run", "out.json", "--as", "run")
    assert result.exit_code == 2
    assert "bad.run:2: " in result.stderr
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_script_of_a_shell(invoke, shell):
    result = invoke("completion", shell)
    assert result.exit_code == 0
    assert f"_TRUERANK_COMPLETE={shell}_complete" in result.stdout


def test_zsh_completes_what_follows_an_equals_sign(invoke):
    script = invoke("completion", "zsh").stdout
    assert "() {\n    compset -P 1 '--*='\n" in script
    assert script.count(' -U -i "$IPREFIX"') == script.count(" -U") == 2


@pytest.mark.skipif(which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_where_nothing_else_began_its_completion(invoke, shell, here):
    (here / "truerank.zsh").write_text(invoke("completion", "zsh").stdout)
    begun = "ZDOTDIR=$PWD HOME=$PWD zsh -f -c 'source ./truerank.zsh; print $_comps[truerank]'"
    done = shell(begun)
    assert (done.stdout.decode(), done.stderr.decode()) == ("_truerank_completion\n", "")


def test_bash_completes_what_follows_an_equals_or_an_at_sign(invoke, shell, here):
    (here / "truerank.bash").write_text(invoke("completion", "bash").stdout)

    def completed(line: str, last: str) -> list[str]:
        typed = f"COMP_LINE={line!r} COMP_POINT={len(line)}; source truerank.bash"
        shown = "printf '%s\\n' \"${COMPREPLY[@]}\""
        return shell(f"{typed}; _truerank_completion truerank '{last}'; {shown}").stdout.decode().splitlines()

    assert completed("truerank eval --set ties=i", "i") == ["input"]
    assert completed("truerank eval --set ties=", "")[1:] == ["doc-descending", "doc-ascending", "input"]
    assert completed("truerank eval -m nDCG@10,rpr", "10,rpr")[0] == "10,Rprec"
    assert completed("truerank eval --rules=msm", "msm") == ["msmarco"]
    assert completed("truerank eval --rules=msm", "--rules=msm") == ["msmarco"]
    assert "level=" in completed("truerank eval --set ", "")
    assert completed("truerank for", "for") == ["formats"]


@pytest.mark.skipif(which("fish") is None, reason="fish is not installed")
def test_fish_completes_what_follows_an_equals_sign(invoke, shell, here):
    (here / "mine.toml").touch()
    (here / "truerank.fish").write_text(invoke("completion", "fish").stdout)

    def completed(typed: str) -> list[str]:
        line = f"source truerank.fish; complete -C 'truerank eval {typed}'"
        return shell(f'fish --no-config -c "{line}"').stdout.decode().split()

    assert completed("--rules=trec_e") == ["--rules=trec_eval-9", "--rules=trec_eval-10"]
    assert completed("--rules trec_e") == ["trec_eval-9", "trec_eval-10"]
    assert completed("--import=mi") == ["--import=mine.toml"]
    assert completed("-m nDCG@10,rpr") == ["nDCG@10,Rprec", "nDCG@10,RprecMult"]


@pytest.mark.skipif(which("fish") is None, reason="fish is not installed")
def test_fish_completes_files_in_folders_with_a_comma_and_shows_what_is_said_behind_one(invoke, shell, here):
    (here / "may,june").mkdir()
    (here / "may,june" / "a.run").touch()
    (here / "truerank.fish").write_text(invoke("completion", "fish").stdout)

    def completed(typed: str) -> str:
        line = f"source truerank.fish; complete -C 'truerank {typed}'"
        return shell(f'fish --no-config -c "{line}"').stdout.decode()

    assert completed("eval may,june/") == "may,june/a.run\n"
    assert completed("board stand") == "standings\tWho stands where, and who cannot be told...\n"
