"""`truerank trec_eval`: trec_eval's own arguments and output."""

from __future__ import annotations

import click

from truerank.cli.failures import Failure, tell
from truerank.cli.progress import ReadingBar
from truerank.formats.target import writing
from truerank.interop.trec_eval import Options, TrecEvalError, help_text, trec_eval


class Ended(Failure):
    """A failure with the exit status of the reference."""

    def __init__(self, error: TrecEvalError):
        super().__init__(f"trec_eval: {error}")
        self.exit_code = error.status  # type: ignore[misc]


class Verbatim(click.Command):
    """A command that gets its arguments as they were written, options and files mixed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep all of them."""
        ctx.params["arguments"] = tuple(args)
        return []


def _note(words: str) -> None:
    """A word beside the results."""
    tell(f"truerank: trec_eval: {words}")


@click.command("trec_eval", cls=Verbatim, add_help_option=False)
def command(arguments: tuple[str, ...]) -> None:
    """Print what trec_eval prints, byte for byte, for its own arguments."""
    try:
        options = Options.parse(arguments)
        if options.wants == "version":
            tell(f"trec_eval version {options.version}")
        elif options.wants == "help":
            click.echo(help_text(options), nl=False)
        else:
            with ReadingBar() as reading:
                pieces = trec_eval(options, reading.reach, _note)
            with writing("-") as out:
                out.writelines(pieces)
    except TrecEvalError as error:
        raise Ended(error) from None
