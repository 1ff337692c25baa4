"""The commands as a whole: their list, their help, their versions and what they say of mistakes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

import truerank
from truerank.analysis.claims.power import PLAIN
from truerank.cli import COMMANDS
from truerank.cli import truerank as group
from truerank.core.vocabulary import DEFAULT
from truerank.measures import parse_measures
from truerank.vectors.protocol import DEFAULT as OF_VECTORS


def commands() -> dict[str, click.Command]:
    ctx = click.Context(group)
    found = {name: group.get_command(ctx, name) for name in COMMANDS}
    return {name: command for name, command in found.items() if command is not None}


def test_every_command_in_the_list_is_there():
    assert list(commands()) == list(COMMANDS)
    assert {name: command.name for name, command in commands().items()} == {name: name for name in COMMANDS}


def test_the_list_says_what_the_commands_say_of_themselves():
    assert {name: command.get_short_help_str(200) for name, command in commands().items()} == COMMANDS


def test_help_lists_the_commands(invoke):
    result = invoke("--help")
    assert result.exit_code == 0
    for name, meaning in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(meaning[:40])}", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "trec_eval"])
def test_the_examples_in_a_command_s_help_are_accepted_by_it(name):
    command = commands()[name]
    lines = re.findall(rf"^ +.*?truerank {name}( .*)?$", command.help or "", re.MULTILINE)
    assert lines, f"the help of {name} has no example"
    for line in lines:
        words = shlex.split(re.split(r"[|>]", line)[0])
        command.make_context(name, words, parent=click.Context(group))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(invoke, name):
    result = invoke(name, "-h" if name == "trec_eval" else "--help")
    assert result.exit_code == 0
    assert f"truerank {name}" in result.stdout


def options_of(command: click.Command, name: str) -> Iterator[tuple[str, click.Option]]:
    """The options of a command and of those below it, with their names."""
    yield from ((f"{name} {each.opts[0]}", each) for each in command.params if isinstance(each, click.Option))
    if isinstance(command, click.Group):
        for below, each in command.commands.items():
            yield from options_of(each, f"{name} {below}")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "trec_eval"])
def test_every_option_says_what_it_is_and_what_holds_without_it(name):
    for option, each in options_of(commands()[name], name):
        assert each.help, option
        if isinstance(each.default, str | int | float) and each.default not in ("", False):
            said = each.show_default or re.search(r"\[default: |instead of printing|without it", each.help)
            assert said, option


@pytest.mark.parametrize(
    ("name", "usual"), [("eval", DEFAULT), ("lint", DEFAULT), ("power", PLAIN), ("vectors", OF_VECTORS)]
)
def test_the_help_names_the_measures_that_are_taken_where_nothing_names_them(name, usual):
    help = dict(options_of(commands()[name], name))[f"{name} -m"].help
    said = help.removesuffix("].").rpartition("without it " if name == "power" else "or else ")[2]
    assert [str(measure) for measure in parse_measures(said)] == list(usual)


def test_the_version_is_the_package_s(invoke):
    result = invoke("--version")
    assert (result.exit_code, result.stdout) == (0, f"truerank, version {truerank.__version__}\n")


def test_an_unknown_command_is_status_2_with_a_suggestion(invoke):
    result = invoke("evl")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "There is no command 'evl'. Did you mean eval?" in result.stderr


def test_an_unknown_option_is_status_2(invoke):
    result = invoke("eval", "qrels.txt", "first.run", "--measure-s")
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (truerank.InputError("is wrong", "some.run", 7), 2, "truerank: some.run:7: is wrong\n"),
        (truerank.TruerankError("two\nlines"), 2, "truerank: two lines\n"),
        (OSError(28, "No space left on device"), 2, "truerank: No space left on device\n"),
        (PermissionError(13, "Permission denied", "x"), 2, "truerank: x: Permission denied\n"),
        (MemoryError(), 2, "truerank: there is not enough memory for this\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_what_goes_wrong_is_a_status_and_at_most_a_line(invoke, monkeypatch, error, status, said):
    def fails(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("truerank.cli.eval.read_qrels", fails)
    result = invoke("eval", "qrels.txt", "first.run")
    assert (result.exit_code, result.stderr, result.stdout) == (status, said, "")


def test_our_own_mistakes_are_not_hidden(invoke, monkeypatch):
    def fails(*arguments: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr("truerank.cli.eval.read_qrels", fails)
    assert isinstance(invoke("eval", "qrels.txt", "first.run").exception, ZeroDivisionError)


@pytest.mark.parametrize(
    "line",
    [
        *("eval '' first.run", "eval qrels.txt first.run -o ''", "eval qrels.txt first.run --items ''"),
        *("fuse first.run second.run -o ''", "check qrels.txt first.run --min AP=0 --no-worse-than ''"),
        *(
            "check qrels.txt first.run --min AP=0 -o ''",
            "bench --show ''",
            "report qrels.txt first.run --figures ''",
            "geo --results ''",
            "lint qrels.txt ''",
            "collections ''",
        ),
    ],
)
def test_an_empty_name_of_a_file_is_refused(invoke, line):
    result = invoke(*shlex.split(line))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "an empty name is that of no file" in result.stderr


@pytest.mark.parametrize(
    "asked",
    [
        "power -n 50",
        "power --like qrels.txt first.run second.run -m AP",
        "agreement first.run second.run",
        "bounds qrels.txt first.run -m AP",
        "confusion qrels.txt first.run -k 2",
        "curve qrels.txt first.run",
        "explain qrels.txt first.run q1 -m AP",
        "judges qrels.txt second.qrels --run first.run",
    ],
)
def test_a_result_is_written_as_its_file_s_ending_or_rather_the_format_says(invoke, here, asked):
    (here / "second.qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 1\nq3 0 z 1\n")
    words = shlex.split(asked)
    for ending, more, format in (("md", (), "markdown"), ("tex", (), "latex"), ("md", ("-f", "csv"), "csv")):
        said = invoke(*words, "-o", f"out.{ending}", *more)
        assert (said.exit_code, said.stdout) == (0, "")
        assert (here / f"out.{ending}").read_bytes() == invoke(*words, "-f", format).stdout_bytes
