"""What is suggested for options and commands that there are not."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from truerank.cli import COMMANDS, suggestions, truerank

PARAMS = {
    name: {opt for param in command.params if isinstance(param, click.Option) for opt in param.opts}
    for name in COMMANDS
    if (command := truerank.get_command(click.Context(truerank), name))
}


def said(*arguments: str) -> str:
    found = CliRunner().invoke(truerank, list(arguments))
    assert found.exit_code == 2
    return found.stderr


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *(
            ("evaluate", "eval"),
            ("score", "eval"),
            ("metrics", "measures"),
            ("diff", "compare"),
            ("ttest", "compare"),
        ),
        *(("plot", "report"), ("latency", "bench"), ("validate", "lint"), ("upload", "submit"), ("evla", "eval")),
    ],
)
def test_a_command_is_suggested_by_its_meaning(word, meant):
    assert f"There is no command '{word}'. Did you mean {meant}? (see truerank --help)" in said(word, "q", "r")


@pytest.mark.parametrize(
    ("command", "word", "meant"),
    [
        *(("eval", word, "--measures") for word in ("--metric", "--metrics", "--measure")),
        *(("eval", word, "--output") for word in ("--out", "--outfile", "--output-file", "--output_file")),
        *(("compare", word, "--baseline") for word in ("--baseline-run", "--base", "--reference")),
        ("compare", "--alpha", "--confidence"),
        ("compare", "--bootstrap", "--samples"),
        ("compare", "--random-state", "--seed"),
        ("check", "--threshold", "--min"),
        ("eval", "--preset", "--rules"),
        ("eval", "--json", "--format json"),
        ("eval", "--relevance-level", "--set level=2"),
        ("explain", "--qid", "--query"),
        ("report", "--language", "--lang"),
        ("bench", "--qps", "--rate"),
    ],
)
def test_an_option_is_suggested_by_its_meaning(command, word, meant):
    text = said(command, "q", "r", word, "x")
    assert f"No such option '{word}'. Did you mean {meant}? (see truerank {command} --help)" in text


def test_what_is_no_option_at_all_gets_a_hint():
    assert "No such option '--cutoff'. A cutoff belongs to the measure: -m nDCG@10 (see" in said(
        "eval", "--cutoff", "3"
    )
    assert "are given without an option: truerank compare QRELS RUN" in said("compare", "--runs", "x")


@pytest.mark.parametrize(
    ("command", "word"),
    [("curve", "--measures"), ("confusion", "--mesures"), ("confusion", "--colour"), ("report", "--wordy")],
)
def test_what_is_far_from_all_options_of_a_command_gets_no_suggestion(command, word):
    assert said(command, "q", "r", word) == (f"truerank: No such option '{word}' (see truerank {command} --help)\n")


def test_what_is_near_in_letters_alone_is_suggested_too():
    assert "'--digts'. Did you mean --digits?" in said("eval", "--digts", "3")
    assert said("eval", "--xyzzy", "3") == "truerank: No such option '--xyzzy' (see truerank eval --help)\n"


@pytest.mark.parametrize(
    ("option", "word", "hint"),
    [
        ("--test", "student", ". Did you mean t?"),
        ("--test", "Fisher", ". Did you mean randomization?"),
        ("--test", "tukey_hsd", ". Did you mean tukey?"),
        ("--correction", "fdr_bh", ". Did you mean bh?"),
        ("--correction", "hulm", ". Did you mean holm?"),
        ("--correction", "xyzzy", ""),
    ],
)
def test_tests_and_corrections_are_suggested_by_the_names_that_they_have_elsewhere(option, word, hint):
    text = said("compare", "q", "r", option, word)
    assert text.startswith(f"truerank: Invalid value for '{option}': {word!r} is not one of ")
    assert text.endswith(f"{hint} (see truerank compare --help)\n")


def test_what_is_suggested_is_there_and_its_other_words_are_not():
    assert set(suggestions.COMMANDS) <= set(COMMANDS)
    for words in suggestions.COMMANDS.values():
        assert not set(words.split()) & set(COMMANDS)
    for written in suggestions.OPTIONS:
        assert any(written.split()[0] in known for known in PARAMS.values()), written
