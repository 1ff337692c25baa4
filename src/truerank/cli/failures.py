"""What goes wrong, told in one line on standard error; never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from truerank.core.errors import TruerankError
from truerank.core.messages import Message, message

INTERRUPTED = 128 + 2
CLOSED_PIPE = 128 + 13
TERMINATED = 128 + 15
"""What a shell reports for a program that SIGINT, SIGPIPE or SIGTERM ended."""


class Terminated(KeyboardInterrupt):
    """SIGTERM came: what is half written goes away, as at Ctrl-C."""


class Failure(click.ClickException):
    """Something about the input is wrong."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """One line on standard error."""
        tell(f"truerank: {self.message}")


def tell(text: str) -> None:
    """A line on standard error; where there is no room for it, the result and the status count all the same."""
    try:
        click.echo(text, err=True)
    except OSError:
        _let_go(sys.stderr)


@contextmanager
def reported_in_one_line() -> Iterator[None]:
    """Turn errors into an exit status and, where a person can do something about them, a line."""
    if sys.stderr is None:  # the shell's 2>&-: nobody wants to know
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    try:
        if "TRUERANK_LANG" in os.environ:
            from truerank.cli import click_texts

            click_texts.translate(_translated)
        yield
    except TruerankError as error:
        raise Failure((error.where + _translated(error.said)).replace("\n", " ")) from None
    except click.exceptions.NoArgsIsHelpError:
        raise  # whose message is the help of a group, in many lines
    except click.UsageError as error:
        raise Failure(_of_call(error)) from None
    except BrokenPipeError:
        _drop_unwritten()
        raise click.exceptions.Exit(CLOSED_PIPE) from None
    except OSError as error:
        _drop_unwritten()
        where = f"{error.filename}: " if error.filename else ""
        raise Failure(where + (error.strerror or str(error))) from None
    except MemoryError:
        raise Failure(_translated(message("there is not enough memory for this"))) from None
    except KeyboardInterrupt as stop:
        raise click.exceptions.Exit(TERMINATED if isinstance(stop, Terminated) else INTERRUPTED) from None


def _translated(said: str) -> str:
    """A message in the language that is asked for, if that can be had."""
    from truerank.core.languages import language_asked, translated

    try:
        return translated(said, language_asked(of_locale=False))
    except TruerankError:  # there is no such language, or no package that reads its catalogue
        return said


def _of_call(error: click.UsageError) -> str:
    """What is wrong with the call, and where its help is."""
    said = " ".join(_translated(_said(error)).split())
    said = said if said.endswith("...") else said.removesuffix(".")
    command = error.ctx.command_path if error.ctx else "truerank"
    return _translated(message("{said} (see {command} --help)", said=said, command=command))


def _said(error: click.UsageError) -> str:
    """What is wrong; of an option that there is not, with what was meant where that is known."""
    if isinstance(error, click.NoSuchOption) and error.ctx:
        from truerank.cli import suggestions

        meant = suggestions.option(error.option_name, error.ctx.command)
        return message("No such option {option!r}.{hint}", option=error.option_name, hint=meant)
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Argument):
        return message("Missing argument {name}.", name=error.param.get_error_hint(error.ctx))
    if isinstance(error.message, Message) and isinstance(error, click.BadParameter) and error.param:
        option = error.param.get_error_hint(error.ctx) if error.ctx else error.param.opts[-1]
        return message("Invalid value for {option}: {said}", option=option, said=error.message)
    return error.message if isinstance(error.message, Message) else error.format_message()


def _drop_unwritten() -> None:
    """Let go of what standard output would not take, lest Python tries again at its end and complains."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        _let_go(sys.stdout)


def _let_go(stream: IO[Any]) -> None:
    """What the stream holds and what is still to come goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
