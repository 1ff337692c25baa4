"""What is given twice where only the last one would count is refused, by every command."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from truerank.cli import COMMANDS, truerank
from truerank.cli.repeats import distinct


def commands() -> list[tuple[str, ...]]:
    """The commands, and the commands in them, by the words that call them."""
    found: list[tuple[str, ...]] = []
    with click.Context(truerank) as ctx:
        for name in COMMANDS:
            command = truerank.get_command(ctx, name)
            inner = getattr(command, "commands", {})
            found += [(name, other) for other in inner] or [(name,)]
    return found


def options_of(words: tuple[str, ...]) -> list[click.Option]:
    with click.Context(truerank) as ctx:
        command = truerank.get_command(ctx, words[0])
        assert command is not None
        for word in words[1:]:
            command = command.commands[word]  # type: ignore[attr-defined]
        return [param for param in command.params if isinstance(param, click.Option)]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_an_option_with_one_value_is_refused_when_it_is_given_twice(words):
    for option in options_of(words):
        if option.multiple or option.count or option.is_flag:
            continue
        given = [option.opts[-1], *["1"] * option.nargs]
        result = CliRunner().invoke(truerank, [*words, *given, *given])
        assert result.exit_code == 2
        assert f"{option.opts[-1]} is given twice; it takes one value" in result.output, option.opts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eval", "q", "r", "--set", "level=1", "--set", "level=2"], "--set says level twice"),
        (["check", "q", "r", "--min", "AP=.1", "--min", "AP=.2"], "--min says AP twice"),
        (
            ["check", "q", "r", "--no-worse-than", "b", "--margin", "AP=0", "--margin", "AP=1"],
            "--margin says AP twice",
        ),
        (["truth", "nearest", "q", "r", "--key", "lat=a", "--key", "lat=b"], "--key says lat twice"),
        (
            ["geo", "--queries", "q", "--references", "r", "--results", "a", "--results", "b"],
            "--results is given twice",
        ),
    ],
)
def test_options_of_names_and_values_say_each_name_once(arguments, message):
    result = CliRunner().invoke(truerank, arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_what_may_be_repeated_and_flags_stay_as_they_were():
    result = CliRunner().invoke(truerank, ["eval", "no.qrels", "no.run", "-q", "-q", "-m", "AP", "-m", "RR"])
    assert "no.qrels: there is no such file" in result.output
    assert distinct([("a", 1), ("b", 2)], "--set") == {"a": 1, "b": 2}


def test_an_option_without_its_value_points_to_the_help_of_its_own_command():
    result = CliRunner().invoke(truerank, ["eval", "qrels", "run", "-m"])
    assert result.exit_code == 2
    assert "requires an argument (see truerank eval --help)" in result.stderr
