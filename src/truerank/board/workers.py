"""Processes that audit and score, so that pages are answered meanwhile and hostile files harm nobody.

Each worker is one process with one pipe, looked after by one thread. A job that takes too long, or ends its
process, is given up with a `WorkerLost`; the process is replaced and the other jobs never notice.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

_spawning = multiprocessing.get_context("spawn")


class WorkerLost(Exception):
    """A job ended its process or took too long."""


class Abandoned(Exception):
    """What a worker followed is not wanted any more."""


class Worker:
    """One process and the pipe to it; started when it is first needed."""

    def __init__(self, memory: int, seconds: float):
        self.memory, self.seconds = memory, seconds
        self.process: SpawnProcess | None = None
        self.pipe: Connection | None = None

    def do(self, work: Callable[..., Result], *args: Any) -> Result:
        """What `work` returns or raises there."""
        self.begin(work, *args)
        result: Result = self.end()
        return result

    def begin(self, work: Callable[..., Any], *args: Any) -> None:
        """Let it do something; `end` waits for that.

        Raises:
            WorkerLost: there is no such process.
        """
        if self.process is None or not self.process.is_alive():
            self._start()
        self.tell((work, args))

    def tell(self, what: Any) -> None:
        """Send something into its pipe."""
        assert self.pipe is not None
        try:
            self.pipe.send(what)
        except OSError:
            self.stop()
            raise WorkerLost("the process ended") from None

    def end(self) -> Any:
        """What was begun returns or raises."""
        if self.pipe is None:
            raise WorkerLost("the process ended")
        try:
            if not self.pipe.poll(self.seconds):
                raise WorkerLost(f"no answer after {self.seconds:g} seconds")
            is_error, value = self.pipe.recv()
        except (EOFError, OSError):
            self.stop()
            raise WorkerLost("the process ended") from None
        except WorkerLost:
            self.stop()
            raise
        if is_error:
            raise value
        return value

    def stop(self) -> None:
        """End the process."""
        if self.pipe is not None:
            self.pipe.close()
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process.close()
        self.process = self.pipe = None

    def _start(self) -> None:
        self.stop()
        self.pipe, theirs = _spawning.Pipe()
        self.process = _spawning.Process(target=_serve, args=(theirs, self.memory), daemon=True)
        self.process.start()
        theirs.close()


def _serve(pipe: Connection, memory: int) -> None:
    """The life of a worker: it ends with its pipe, and so with the service, however that ends."""
    import resource
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service stops its workers, not the terminal
    os.nice(5)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _Told.pipe = pipe
    with suppress(EOFError, OSError):
        while True:
            job = pipe.recv()
            if isinstance(job, bool):  # the end of a file whose fault was found before
                continue
            _Told.is_whole = None
            pipe.send(_done(*job))


class _Told:
    """What this process, a worker, knows of the file that it follows."""

    pipe: Connection
    is_whole: bool | None = None
    lock = threading.Lock()


def has_ended(seconds: float) -> bool:
    """In a worker: whether the followed file is whole; waits up to so many seconds for it.

    Raises:
        Abandoned: the file is not wanted any more.
    """
    with _Told.lock:
        if _Told.is_whole is None and _Told.pipe.poll(seconds):
            _Told.is_whole = _Told.pipe.recv()
    if _Told.is_whole is False:
        raise Abandoned
    return bool(_Told.is_whole)


def _done(work: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return False, work(*args)
    except Exception as error:
        return True, error


class Followed(Generic[Result]):
    """A job about a file that still arrives, in a worker that is its own until the job is over."""

    def __init__(self, worker: Worker, free: Callable[[], None]):
        self._worker, self._free = worker, free

    def tell(self, is_whole: bool) -> None:
        """The file is whole, or not wanted any more."""
        with suppress(WorkerLost):
            self._worker.tell(is_whole)

    def result(self) -> Result:
        """What the job returns or raises; to be asked for once."""
        try:
            result: Result = self._worker.end()
            return result
        finally:
            self._free()

    def give_up(self) -> None:
        """End the job without its result."""
        self.tell(False)
        with suppress(Exception):
            self.result()


class Pool:
    """A few workers, and one that follows files; with none, jobs are done by one thread of this process."""

    def __init__(self, workers: int, memory: int = 4 << 30, seconds: float = 300.0):
        self._free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._all = [Worker(memory, seconds) for _ in range(workers)]
        for worker in self._all:
            self._free.put(worker)
        self._threads = ThreadPoolExecutor(max(1, workers), "work")
        self._follower = Worker(memory, seconds) if workers else None
        self._following = threading.Lock()
        self.waiting = 0

    def warm(self, work: Callable[..., object], *args: Any) -> None:
        """Start every process now, and let it load what it will need, so that nobody waits for that."""

        for _ in self._all:
            self._threads.submit(self._turn, work, args)
        if self._follower is not None and (first := self.follow(work, *args)):
            threading.Thread(target=first.give_up, daemon=True).start()

    def follow(self, work: Callable[..., Result], *args: Any) -> Followed[Result] | None:
        """Begin a job about a file that still arrives; None when another one is followed."""
        if self._follower is None or not self._following.acquire(blocking=False):
            return None
        try:
            self._follower.begin(work, *args)
        except WorkerLost:
            self._following.release()
            return None
        return Followed(self._follower, self._following.release)

    async def do(self, work: Callable[..., Result], *args: Any) -> Result:
        """What `work` returns or raises in a worker, as soon as one is free.

        Raises:
            WorkerLost: the job ended its process or took too long.
        """
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._turn, work, args)
        finally:
            self.waiting -= 1

    def _turn(self, work: Callable[..., Result], args: tuple[Any, ...]) -> Result:
        if not self._all:
            return work(*args)
        worker = self._free.get()
        try:
            return worker.do(work, *args)
        finally:
            self._free.put(worker)

    def close(self) -> None:
        """Finish what is under way and end the processes."""
        self._threads.shutdown(cancel_futures=True)
        for worker in (*self._all, *([self._follower] if self._follower else ())):
            worker.stop()
