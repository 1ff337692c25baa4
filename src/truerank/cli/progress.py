"""A bar on the terminal for what takes longer than a second; nothing anywhere else."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, TypeVar

from truerank.cli.output import spoken
from truerank.core.languages import translated
from truerank.core.messages import message

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

Self = TypeVar("Self", bound="ReadingBar")

PATIENCE = 1.0
"""Seconds before a bar shows."""


class ReadingBar:
    """How much has been read; drawn on standard error when it takes long.

    Attributes:
        total: the bytes that there are, or None when that is unknown.
    """

    def __init__(self) -> None:
        self.total: int | None = None
        self.read = 0
        self._bar: Progress | None = None
        self._timer = threading.Timer(PATIENCE, self._draw)
        self._timer.daemon = True

    def __enter__(self: Self) -> Self:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._timer.ident is not None:
            self._timer.cancel()
            self._timer.join()
        if self._bar:
            self._bar.stop()

    def advance(self, size: int) -> None:
        """This many bytes more; several threads may say so."""
        self.read += size
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=self.read)

    def reach(self, done: int, total: int) -> None:
        """This many are done now, of this many, or of an unknown number (0)."""
        self.total = total or None
        if self._bar:
            self._bar.update(self._bar.task_ids[0], total=self.total)
        self.advance(done - self.read)

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        bar = Progress(*self._columns(), console=Console(stderr=True), transient=True)
        task = bar.add_task("", total=self.total, completed=self.read)
        bar.tasks[task].start_time = bar.get_time() - PATIENCE
        bar.start()
        self._bar = bar

    def _columns(self) -> tuple[ProgressColumn, ...]:
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeElapsedColumn

        return (
            TextColumn(translated(message("reading"), spoken())),
            BarColumn(),
            DownloadColumn(),
            TimeElapsedColumn(),
        )


class Counting(ReadingBar):
    """How many parts of the work are done; drawn on standard error when it takes long.

    Args:
        text: what is being done.
    """

    def __init__(self, text: str):
        super().__init__()
        self.text = text

    def _columns(self) -> tuple[ProgressColumn, ...]:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        return TextColumn(translated(self.text, spoken())), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
