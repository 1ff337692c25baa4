"""What is given twice where only the last one would count: an option with one value, or the value of a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import click

from truerank.core.messages import message

Value = TypeVar("Value")


def refusing_repeats(command: click.Command) -> click.Command:
    """Make the command, and those in it, refuse an option given twice that takes one value; return the command."""
    for inner in getattr(command, "commands", {}).values():
        refusing_repeats(inner)
    if getattr(command, "refuses_repeats", False):
        return command
    make = command.make_parser

    def make_parser(ctx: click.Context) -> Any:
        parser = make(ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            try:
                parsed = parse(args)
            except click.UsageError as error:
                error.ctx = error.ctx or ctx  # an option without its value does not know whose it is
                raise
            _refuse(parsed[2], ctx)
            return parsed

        parser.parse_args = parse_args  # type: ignore[method-assign]
        return parser

    command.make_parser = make_parser  # type: ignore[method-assign]
    command.refuses_repeats = True  # type: ignore[attr-defined]
    return command


def _refuse(given: Sequence[click.Parameter], ctx: click.Context) -> None:
    """Raise where an option stands twice among those that were given.

    Args:
        given: the parameters in the order of the command line, each as often as it was given.
    """
    seen: set[click.Parameter] = set()
    for param in given:
        if param in seen and not ctx.resilient_parsing:
            raise click.UsageError(
                message("{option} is given twice; it takes one value.", option=param.opts[-1]), ctx
            )
        if isinstance(param, click.Option) and _has_one_value(param):
            seen.add(param)


def _has_one_value(option: click.Option) -> bool:
    """Whether a second one would replace the first: not where all count, nor a flag that can only be on."""
    return not option.multiple and not option.count and (not option.is_flag or bool(option.secondary_opts))


def distinct(pairs: Iterable[tuple[str, Value]], option: str) -> dict[str, Value]:
    """The values by name; of an option NAME=VALUE that may be repeated, each name may come once."""
    by_name: dict[str, Value] = {}
    for name, value in pairs:
        if name in by_name:
            raise click.UsageError(
                message("{option} says {name} twice; only one would count.", option=option, name=name)
            )
        by_name[name] = value
    return by_name
