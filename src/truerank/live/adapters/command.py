"""Commands: a child process that answers a JSON line on its stdin with a JSON line on its stdout."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import subprocess
import threading
import weakref
from collections import deque
from typing import IO

import orjson

from truerank.core.errors import InputError, TruerankError
from truerank.core.messages import message
from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.json_answers import JsonAnswer
from truerank.live.adapters.registry import adapter
from truerank.live.retriever import Retriever

PREFIX = "cmd:"
TAIL = 200  # bytes of stderr that an error shows
LONGEST = 1 << 26  # bytes that an answer may have
PIECE = 1 << 16  # bytes that are read at a time
PATIENCE = 1.0  # seconds that a process has to end by itself


@adapter("a command", lambda target: float(isinstance(target, str) and target.startswith(PREFIX)))
def command(
    target: str,
    *,
    ids: IdReader,
    asynchronous: bool | None = None,
    results: str | None = None,
    score: str = "score",
    scores: str | None = None,
) -> Retriever:
    """A command that answers {"query": …, "k": …} on a line of its stdin with JSON on a line of its stdout.

    Args:
        results, score, scores: paths in the answer, see `JsonAnswer`; `ids` may be a path within a result.
    """
    if asynchronous:
        raise InputError("a command answers one line at a time: it cannot be called asynchronously")
    words = _words(target.removeprefix(PREFIX))
    child = Child(words)
    return Retriever(
        name=os.path.basename(words[0]),
        call=lambda query, k: child.ask(orjson.dumps({"query": query, "k": k})),
        read=JsonAnswer(ids, results, score, scores).read,
        close=child.close,
        describe={
            "kind": "command",
            "command": target.removeprefix(PREFIX).strip(),
            "concurrency": "one process, which answers one line at a time",
            "timed": "from writing the line to reading the answer's, both pipes included",
            "ids": ids.describe("the result's id"),
            "k": "sent with the query",
        },
    )


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(
            "the command cannot be read: {error}: {command}", error=error, command=command.strip()
        ) from None
    if not words:
        raise InputError("a command is 'cmd: PROGRAM ARGUMENTS…'")
    return words


class Child:
    """A process that is asked line by line. It is killed when closed, and at the latest when Python ends.

    It has a process group of its own: Ctrl-C reaches the benchmark first, and its own children end with it.
    """

    def __init__(self, words: list[str]) -> None:
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(
                "the command cannot be started: {why}: {program}", why=error.strerror, program=words[0]
            ) from None
        self._one = threading.Lock()
        self._stray = b""
        self._tail: deque[int] = deque(maxlen=TAIL)
        self._listener = threading.Thread(target=_keep, args=(self._process.stderr, self._tail), daemon=True)
        self._listener.start()
        self.close = weakref.finalize(self, _end, self._process, self._listener, self._one)

    def ask(self, line: bytes) -> bytes:
        """The line that answers this one.

        Raises:
            TruerankError: the process has ended, and the message has the end of its stderr; or it wrote something
                else than one answer, after which answers cannot be told apart.
        """
        with self._one:
            answer = b"" if self._stray else self._asked(line)
            if answer.endswith(b"\n") and not _is_one_answer(answer):
                self._stray = answer
        if self._stray:
            raise TruerankError(
                "the command writes more than answers on its stdout: {output!r}", output=self._stray[:80]
            )
        if not answer.endswith(b"\n"):
            raise self._ended()
        return answer

    def _asked(self, line: bytes) -> bytes:
        """All that the process writes up to the end of a line; nothing when it has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        answer = bytearray()
        try:
            self._stray = _unasked(stdout)
            if self._stray:
                return b""
            stdin.write(line + b"\n")
            stdin.flush()
            while not answer.endswith(b"\n") and (piece := os.read(stdout.fileno(), PIECE)):
                answer += piece
                if len(answer) > LONGEST:
                    self._stray = bytes(answer[:TAIL])
                    return b""
        except (OSError, ValueError):  # a broken pipe; a closed one
            return b""
        return bytes(answer)

    def _ended(self) -> TruerankError:
        try:
            how = message("status {status}", status=self._process.wait(PATIENCE))
        except subprocess.TimeoutExpired:
            how = message("its stdout closed")
        self._listener.join(PATIENCE)
        said = " | ".join(bytes(self._tail).decode("utf-8", "replace").splitlines())
        if said:
            return TruerankError("the command ended ({how}); its stderr ends: {said}", how=how, said=said)
        return TruerankError(
            "the command ended ({how}); it is started once, and answers a line with a line", how=how
        )


def _is_one_answer(written: bytes) -> bool:
    """Whether it can be a list or an object on one line; whether it is JSON is seen when it is read."""
    text = written.strip()
    return b"\n" not in text and text[:1] + text[-1:] in (b"[]", b"{}")


def _unasked(stdout: IO[bytes]) -> bytes:
    """What has been written before anything was asked; Windows cannot tell."""
    waits = os.name == "posix" and select.select([stdout], [], [], 0)[0]
    return os.read(stdout.fileno(), PIECE) if waits else b""


def _keep(stream: IO[bytes], tail: deque[int]) -> None:
    """Read stderr, so that the process never waits for a reader, and keep its end."""
    with stream:
        for line in stream:
            tail.extend(line)


def _end(process: subprocess.Popen[bytes], listener: threading.Thread, one: threading.Lock) -> None:
    """Let an idle process end by itself when its stdin does; kill a busy or lasting one and what it started."""
    assert process.stdin is not None
    assert process.stdout is not None
    if one.acquire(blocking=False):
        with contextlib.suppress(OSError):  # it no longer reads
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        one.release()
    if process.poll() is None:
        _kill(process)
    process.wait()
    listener.join(PATIENCE)
    if one.acquire(timeout=PATIENCE):  # whoever waited for an answer has found the end and gone
        one.release()
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stdout.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
