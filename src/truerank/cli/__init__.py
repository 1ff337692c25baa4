"""The command line: one file per command, which is imported when the command is called for."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import click

from truerank import __version__
from truerank.cli.failures import Terminated, reported_in_one_line
from truerank.cli.repeats import refusing_repeats
from truerank.core.messages import message

COMMANDS = {
    "eval": "Tell how well runs answer the queries of the qrels.",
    "compare": "Tell which system is better, and how sure that is.",
    "collections": "Tell which system is better over several collections, and which ranks each may have.",
    "explain": "Tell why a number is what it is.",
    "report": "Write everything that there is to say of runs as one page that people can send around.",
    "read": "Read a run, or a part of one, once, and keep what every measure needs of it.",
    "merge": "Make one reading of those of the parts of a run: the same bits as if it had been read at once.",
    "agreement": "Tell how much runs agree, without judgements.",
    "power": "Tell what a set of queries can show: power, the smallest difference, how many are needed.",
    "audit-table": "Tell which systems of a published table so many queries could have told apart.",
    "interleaving": "Tell which system users prefer, by their clicks on interleaved lists.",
    "ips": "Tell what runs would score, by clicks on lists that other systems returned.",
    "judges": "Tell how much judges agree, and whether systems keep their order whoever judges.",
    "bounds": "Tell how far scores could be off: by ties, and by unjudged documents.",
    "check": "Tell whether a change may be merged: pass, fail or undecided.",
    "trec_eval": "Print what trec_eval prints, byte for byte, for its own arguments.",
    "measures": "List the measures, or explain one.",
    "rules": "List the presets of rules, or print one as a rules file.",
    "formats": "List the file formats.",
    "lint": "Tell what in qrels and runs would make numbers wrong or arbitrary, with line numbers.",
    "curve": "Tell how precision falls as recall rises.",
    "confusion": "Tell what was retrieved against what is relevant, in four counts and what is made of them.",
    "bench": "Tell how fast a retriever answers, and how well, from the same calls.",
    "convert": "Write a run or qrels in another format.",
    "fuse": "Fuse several runs into one.",
    "truth": "Write qrels that a rule makes of queries and references.",
    "geo": "Tell how well places are recognised in pictures.",
    "vectors": "Tell how well embeddings find the same person, building or thing in a gallery.",
    "serve": "Serve leaderboards: teams submit runs, are scored and see where they stand.",
    "board": "Look after leaderboards: accounts, standings, exports, rescoring, backups.",
    "submit": "Submit a run to a leaderboard and print what it scores.",
    "demo": "Search real collections with real retrievers, and evaluate them.",
    "completion": "Print the script that completes truerank's commands in a shell.",
}
"""The commands and what their own help says first; `truerank --help` need not import them."""

MODULES = 100_000
"""More objects than modules have: none of those is garbage, and looking for some would be a tenth of each start."""


class Commands(click.Group):
    """The commands, each imported when it is called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, the most useful first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, from the module that is called like it."""
        if name not in COMMANDS:
            return None
        if name not in ("vectors", "demo"):  # only these multiply: NumPy starts sooner without its pool of threads
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        module = name.replace("-", "_")
        command: click.Command = importlib.import_module(f"{__name__}.{module}").command
        return refusing_repeats(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the arguments before the command; whatever goes wrong is told in one line."""
        with reported_in_one_line():
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; whatever goes wrong is told in one line."""
        with reported_in_one_line():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with, or what was probably meant."""
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            from truerank.cli import suggestions

            hint = suggestions.command(args[0], COMMANDS)
            raise click.UsageError(message("There is no command {word!r}.{hint}", word=args[0], hint=hint), ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="truerank")
def truerank() -> None:
    """Tell whether a retrieval system finds the right things.

    \b
    Examples:
      truerank eval qrels.txt bm25.run
      truerank eval qrels.txt *.run.gz -m "nDCG@10 AP R@100" --rules trec_eval-9
      truerank measures nDCG
    """


def main() -> None:
    """Run the command line."""
    gc.set_threshold(MODULES)
    if threading.current_thread() is threading.main_thread():
        _handle("SIGTERM", _terminated)
        _handle("SIGHUP", _hung_up)
    try:
        truerank(prog_name="truerank")
    except SystemExit as end:
        if isinstance(end.code, int) and _is_alone():
            _leave(end.code)
        raise


def _handle(name: str, handler: Callable[[int, object], None]) -> None:
    """Let a signal be handled, unless it is already, or ignored as by nohup; Windows has not all of them."""
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_DFL:
        signal.signal(number, handler)


def _terminated(number: int, frame: object) -> None:
    raise Terminated


def _hung_up(number: int, frame: object) -> None:
    """The terminal was closed: end as at SIGTERM, which a service and a benchmark have their own ways for."""
    signal.raise_signal(signal.SIGTERM)


def _is_alone() -> bool:
    """Whether installed modules alone run, in one thread: the files of others may wait for their objects' ends."""
    if threading.active_count() > 1 or _is_watched() or sys.flags.interactive:
        return False
    known = (sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(__file__)))
    files = {name: getattr(module, "__dict__", {}).get("__file__") for name, module in list(sys.modules.items())}
    return files["__main__"] is not None and all(each.startswith(known) for each in files.values() if each)


def _is_watched() -> bool:
    """Whether a profiler, a debugger or the like looks on, which has something to write at the end."""
    if sys.version_info >= (3, 12) and any(map(sys.monitoring.get_tool, range(6))):
        return True
    return bool(sys.getprofile() or sys.gettrace())


def _leave(status: int) -> None:
    """End the process without taking objects apart, unless it cannot write: the system frees them sooner."""
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        return
    os._exit(status)
