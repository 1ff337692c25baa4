"""`truerank submit`: a file to a leaderboard."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

import click

from truerank.cli import options
from truerank.cli.output import spoken, write
from truerank.core.errors import needs
from truerank.core.languages import translated
from truerank.core.messages import Message, joined, message, plural
from truerank.formats import convert
from truerank.formats.source import as_source
from truerank.present.lines import named_cell
from truerank.present.names import cells
from truerank.present.table import Cell, as_text, drawn_digits


@click.command("submit")
@click.argument("file", type=options.FILE)
@click.option("--board", "url", required=True, metavar="URL", help="The board's address.")
@click.option("--token", envvar="TRUERANK_TOKEN", help="Yours [default: the variable TRUERANK_TOKEN].")
@click.option("--label", default="", help="What you call it; only you and the hosts see it.")
@click.option("--check", is_flag=True, help="Only ask what is wrong with it, which costs no attempt.")
@click.option(
    "--format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the scores.",
)
def command(file: str, url: str, token: str | None, label: str, check: bool, format: str) -> None:
    """Submit a run to a leaderboard and print what it scores.

    An invalid file is told why and costs no attempt. When the connection breaks it is sent again, and counts
    once. A folder with a JSON file a query is sent as one run, and "-" is standard input; a file that takes long is
    followed until it is scored.

    \b
    Examples:
      truerank submit bm25.run.gz --board https://host/boards/science
      truerank submit answers.jsonl --board https://host/boards/science --check
    """
    if not token:
        raise click.UsageError(message("No token; give --token or set TRUERANK_TOKEN."))
    with needs("truerank submit", "http"):
        import httpx  # noqa: F401
    from truerank.board.client import NotTaken, submit

    try:
        with _one_file(file) as sent, _progress() as follow:
            said = submit(sent, url, token, label=label, check=check, follow=follow)
    except NotTaken as refused:
        if format == "json":
            write(json.dumps(refused.problem, ensure_ascii=False) + "\n")
        else:
            _print_findings(refused.problem.get("findings") or [])
        raise
    if format == "json":
        write(json.dumps(said, ensure_ascii=False) + "\n")
    else:
        _print_findings((said if check else said["audit"])["findings"])
        if not check and not said["is_new"]:
            click.echo(translated(_repeated(said), spoken()), err=True)
        write(translated(_checked(said) if check else _scored(said), spoken()) + "\n")
    if check and not said["valid"]:
        raise click.exceptions.Exit(1)


STATES = {
    "received": message("received; it waits to be audited"),
    "accepted": message("valid; it is being scored"),
}

PARTS = {
    "all": message("all queries"),
    "public": message("public queries"),
    "private": message("private queries"),
}

SCORES = {"strict": message("strict score"), "official": message("official score")}


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show the state of a submission that takes long: on a terminal with the time; else when it changes."""
    began, shown = time.monotonic(), ""
    is_terminal = sys.stderr.isatty()

    def follow(state: str) -> None:
        nonlocal shown
        words = f"truerank: {translated(STATES[state], spoken())}"
        if is_terminal:
            click.echo(f"\r\033[K{words}, {time.monotonic() - began:.0f} s", err=True, nl=False)
        elif state != shown:
            click.echo(words, err=True)
        shown = state

    try:
        yield follow
    finally:
        if shown and is_terminal:
            click.echo("\r\033[K", err=True, nl=False)


@contextmanager
def _one_file(path: str) -> Iterator[str]:
    """The file; what comes through a pipe, or a folder with a JSON file a query, as one: boards take files."""
    if os.path.isfile(path):
        yield path
        return
    with TemporaryDirectory() as folder:
        run = os.path.join(folder, f"{os.path.basename(os.path.realpath(path))}.json")
        if os.path.isdir(path):
            convert(path, run, what="run")
        else:
            with as_source(path).raw() as sent, open(run, "xb") as kept:
                copyfileobj(sent, kept)
        yield run


def _print_findings(findings: list[dict[str, Any]]) -> None:
    """Print what is wrong, one fault per line."""
    for finding in findings:
        kind = message("invalid") if finding["refuses"] else message("note")
        click.echo(translated(joined(": ", [kind, finding["message"]]), spoken()), err=True)


def _checked(said: dict[str, Any]) -> Message:
    """The verdict; nothing was counted in a file that cannot be read."""
    verdict = message("valid") if said["valid"] else message("invalid")
    rows = plural("{n:,} row", "{n:,} rows", n=said["rows"])
    queries = plural("{n:,} query answered", "{n:,} queries answered", n=said["answered"])
    return joined(": ", [verdict, joined(", ", [rows, queries])]) if said["rows"] else verdict


def _repeated(said: dict[str, Any]) -> Message:
    """True too of a file that this command sent again because the connection broke."""
    before = {"id": said["id"], "minute": _minute(said["received_at"])}
    if said["score"] is None:
        return message(
            "note: these same bytes were already accepted as submission {id} of {minute}; they count once", **before
        )
    return message(
        "note: these same bytes were already accepted as submission {id} of {minute}, which scores {score}; "
        "they count once",
        score=_shown(said, said["score"]),
        **before,
    )


def _minute(at: str) -> str:
    return f"{at[:16].replace('T', ' ')} UTC"


def _scored(said: dict[str, Any]) -> Message:
    """The score, each measure by the official and by the strict rules, what ranks, and what is left to the team."""
    rows: list[list[str]] = []
    if said["score"] is not None:
        rows.append([SCORES[said["ranks"]], _shown(said, said["score"])])
    if said["interval"]:
        low, high = (_shown(said, end) for end in said["interval"])
        rows.append([message("interval"), message("{low} to {high}", low=low, high=high)])
    if said["shown"] is not None:
        rows.append([message("shown on the board"), _shown(said, said["shown"])])
    for part, strict in said["strict"].items():
        official = said["official"].get(part, {})
        rows.append([PARTS[part], message("official"), message("strict")])
        means = {m: [named_cell(m, each[m]) if m in each else "-" for each in (official, strict)] for m in strict}
        rows += [[m, *(_shown(said, mean) for mean in both)] for m, both in means.items()]
    rows += [[message("ranked by"), said["rank_by"]], [message("submission"), said["id"]]]
    texts = [[translated(cell, spoken()) for cell in row] for row in rows]
    wide = max(cells(row[0]) for row in texts)
    lines = ["  ".join([_padded(row[0], wide), *(_padded(cell, 8) for cell in row[1:])]).rstrip() for row in texts]
    return joined("\n", [*lines, _left(said["attempts"])])


def _shown(said: dict[str, Any], value: Cell) -> str:
    """A value with the digits that its board shows."""
    return as_text(value, drawn_digits(said.get("digits")))


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - cells(text))


def _left(attempts: dict[str, Any]) -> Message:
    left = plural("{n:,} submission left now", "{n:,} submissions left now", n=attempts["left"])
    if attempts["left"] or attempts["total"] >= attempts["most"] or attempts["resets"] is None:
        return left
    return message("{left}; the next day begins at {minute}", left=left, minute=_minute(attempts["resets"]))
