"""`truerank submit`: a file to a leaderboard."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from truerank.cli import options
from truerank.cli.output import write
from truerank.errors import InputError, MissingPackage


@click.command("submit")
@click.argument("file", type=options.FILE)
@click.option("--board", "url", required=True, metavar="URL", help="The board's address.")
@click.option("--token", envvar="TRUERANK_TOKEN", help="Yours [default: the variable TRUERANK_TOKEN].")
@click.option("--label", default="", help="What you call it; only you and the hosts see it.")
@click.option("--check", is_flag=True, help="Only ask what is wrong with it, which costs no attempt.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(file: str, url: str, token: str | None, label: str, check: bool, format: str) -> None:
    """Submit a run to a leaderboard and print what it scores.

    An invalid file is told why and costs no attempt. When the connection breaks it is sent again, and counts
    once.

    \b
    Examples:
      truerank submit bm25.run.gz --board https://host/boards/science
      truerank submit answers.jsonl --board https://host/boards/science --check
    """
    if not token:
        raise click.UsageError("No token; give --token or set TRUERANK_TOKEN.")
    try:
        import httpx  # noqa: F401
    except ModuleNotFoundError:
        raise MissingPackage("truerank submit", "http") from None
    from truerank.board.client import NotTaken, submit

    if not os.path.isfile(file):
        raise InputError("there is no such file", file)
    try:
        said = submit(file, url, token, label=label, check=check)
    except NotTaken as refused:
        if format == "json":
            write(json.dumps(refused.problem, ensure_ascii=False) + "\n")
        raise
    if format == "json":
        write(json.dumps(said, ensure_ascii=False) + "\n")
        return
    for finding in (said if check else said["audit"])["findings"]:
        click.echo(f"{'invalid' if finding['refuses'] else 'note'}: {finding['message']}", err=True)
    write(_checked(said) if check else _scored(said))
    if check and not said["valid"]:
        raise click.exceptions.Exit(1)


def _checked(said: dict[str, Any]) -> str:
    word = "valid" if said["valid"] else "invalid"
    return f"{word}: {said['rows']:,} rows, {said['answered']:,} queries answered\n"


def _scored(said: dict[str, Any]) -> str:
    lines = [f"score     {said['score']:.4f}"]
    if said["interval"]:
        lines.append("interval  {:.4f} to {:.4f}".format(*said["interval"]))
    for part, means in said["strict"].items():
        lines += [f"{measure}  {mean:.4f}  ({part} queries)" for measure, mean in means.items()]
    lines.append(f"{said['attempts']['left']} submissions left now")
    return "\n".join(lines) + "\n"
