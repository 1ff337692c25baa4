"""Where results go: standard output or a file, styled only for a terminal that wants it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from truerank.cli.failures import tell
from truerank.core.languages import in_language, language_asked, translated
from truerank.core.messages import plural
from truerank.formats.target import writing

if TYPE_CHECKING:
    from truerank.present.table import Table


def write(text: str, path: str = "-") -> None:
    """The text to standard output ("-") or, all or nothing, to a file."""
    with writing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def show(table: Table) -> None:
    """The table on standard output, in the language that is asked for."""
    from truerank.present.renderers import terminal

    write(terminal.draw(in_language(table, spoken()), styled=is_styled("-")))


def say(said: str) -> None:
    """What was done or is remarkable, on standard error in the language that is asked for."""
    tell(f"truerank: {translated(said, spoken())}")


def say_left_out(queries: int) -> None:
    """How many queries without a document were not written, as the format has no place for them."""
    if queries:
        say(
            plural(
                "{n:,} query has no document, which this format cannot say: it is left out; json and jsonl keep it",
                "{n:,} queries have no document, which this format cannot say: they are left out; json and jsonl "
                "keep them",
                n=queries,
            )
        )


def spoken() -> str:
    """The language of tables and of what is said beside them: scripts read them, so a locale is not enough."""
    return language_asked(of_locale=False)


def width(path: str) -> int | None:
    """How many columns the terminal has; None where what is written there goes to none."""
    from shutil import get_terminal_size

    return get_terminal_size().columns or 80 if is_styled(path) else None  # 0 is said by Python 3.10


def is_styled(path: str) -> bool:
    """Whether what is written there may be bold: only on a terminal, and not against NO_COLOR."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return path == "-" and sys.stdout is not None and sys.stdout.isatty() and not plain
