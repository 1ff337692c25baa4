"""What goes on while a retriever is asked: how far it is, and where its own words go."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator

from truerank.cli.output import spoken
from truerank.core.languages import translated
from truerank.core.messages import message


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


class Asking:
    """Once a second a line on the terminal says how far the run is: a bar that is drawn would take its time."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._tell: Callable[[], tuple[int, int]] = lambda: (0, 0)
        self._thread = threading.Thread(target=self._say, daemon=True)

    def __enter__(self) -> Asking:
        if sys.stderr.isatty():
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def follow(self, tell: Callable[[], tuple[int, int]]) -> None:
        """From now on this is the run."""
        self._tell = tell

    def _say(self) -> None:
        while not self._over.wait(1.0):
            done, total = self._tell()
            of = message("{done:,} of {total:,} calls", done=done, total=total)
            said = of if total < 10_000_000 else message("{done:,} calls", done=done)
            sys.stderr.write(f"\r{translated(said, spoken())}\x1b[K")
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
