"""What goes wrong, told in one line on standard error; never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from truerank.core.errors import TruerankError

INTERRUPTED = 128 + 2
CLOSED_PIPE = 128 + 13
"""What a shell reports for a program that SIGINT or SIGPIPE ended."""


class Failure(click.ClickException):
    """Something about the input is wrong."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """One line on standard error."""
        click.echo(f"truerank: {self.message}", file=file or sys.stderr)


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn errors into an exit status and, where a person can do something about them, a line."""
    if sys.stderr is None:  # the shell's 2>&-: nobody wants to know
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    try:
        yield
    except TruerankError as error:
        raise Failure(_translated(error)) from None
    except click.UsageError as error:
        raise _in_one_line(error) from None
    except BrokenPipeError:
        _drop_unwritten()
        raise click.exceptions.Exit(CLOSED_PIPE) from None
    except OSError as error:
        _drop_unwritten()
        where = f"{error.filename}: " if error.filename else ""
        raise Failure(where + (error.strerror or str(error))) from None
    except MemoryError:
        raise Failure("there is not enough memory for this") from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None


def _translated(error: TruerankError) -> str:
    """Where and what, in one line and in the language that is asked for, if that can be had."""
    from truerank.core.messages import language_asked, translated

    try:
        said = translated(error.said, language_asked(of_locale=False))
    except TruerankError:  # there is no such language, or no package that reads its catalogue
        said = error.said
    return " ".join(f"{error.where}{said}".split("\n"))


def _in_one_line(error: click.UsageError) -> Failure:
    """What is wrong with the call, and where its help is."""
    command = error.ctx.command_path if error.ctx else "truerank"
    message = " ".join(_said(error).split()).removesuffix(".")
    return Failure(f"{message} (see {command} --help)")


def _said(error: click.UsageError) -> str:
    """What click says; of an option that there is not, with what was meant where that is known."""
    if isinstance(error, click.NoSuchOption) and error.ctx:
        from truerank.cli import suggestions

        meant = suggestions.option(error.option_name, error.ctx.command)
        return f"{error.message.rstrip('.')}.{meant}" if meant else error.format_message()
    return error.format_message()


def _drop_unwritten() -> None:
    """Let go of what standard output would not take, lest Python tries again at its end and complains."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
