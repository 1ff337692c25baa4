"""What goes on while a retriever is asked: how far it is, and where its own words go."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from truerank.cli.output import spoken
from truerank.core.languages import translated
from truerank.core.messages import message
from truerank.core.run import Progress


@contextlib.contextmanager
def apart_from_stdout() -> Iterator[None]:
    """Let what a retriever prints, in Python or in C, go to standard error: the other is for the result."""
    sys.stdout.flush()
    with contextlib.ExitStack() as undoing:
        with contextlib.suppress(OSError):  # one of the two may be closed
            kept = os.dup(1)
            undoing.callback(os.close, kept)
            os.dup2(2, 1)
            undoing.callback(os.dup2, kept, 1)
        undoing.callback(_flush)
        undoing.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield


def _flush() -> None:
    """Write what was printed past `sys.stdout`, before that means standard output again."""
    with contextlib.suppress(OSError, ValueError):
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
    if os.name == "posix":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).fflush(None)


def leave_hanging(status: int) -> None:
    """End the process where Python would wait for calls that hang in asyncio's thread pool."""
    if any(thread.name.startswith("asyncio_") for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


SAME = 0.5
"""Seconds after an interrupt in which another one is the same: `timeout` sends each twice, and so do others."""


@contextlib.contextmanager
def interrupted_once() -> Iterator[None]:
    """Let an interrupt that comes twice at once count once: the second would lose what the first one keeps."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where no handler can be set
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    last = -SAME

    def heed(number: int, frame: Any) -> None:
        nonlocal last
        now, handler = time.monotonic(), handlers[signal.Signals(number)]
        if now - last >= SAME and callable(handler):  # since the last that counted: who keeps asking is heeded
            last = now
            handler(number, frame)

    ours = [number for number, handler in handlers.items() if callable(handler)]
    try:
        for number in ours:
            signal.signal(number, heed)
        yield
    finally:
        for number in ours:
            signal.signal(number, handlers[number])


class Asking:
    """A line on the terminal says how far the run is: a bar that is drawn would take its time."""

    def __init__(self) -> None:
        self.progress: Progress | None = self._say if sys.stderr.isatty() else None

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *error: object) -> None:
        if self.progress:
            self._write("")

    def _say(self, done: int, total: int) -> None:
        of = message("{done:,} of {total:,} calls", done=done, total=total)
        self._write(translated(of if total < 10_000_000 else message("{done:,} calls", done=done), spoken()))

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
