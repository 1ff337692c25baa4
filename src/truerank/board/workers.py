"""Processes that audit and score, so that pages are answered meanwhile and hostile files do no harm.

Each worker is one process with one pipe, looked after by one thread. A job that takes too long, too much of the
processor, or ends its process, is given up with a `WorkerLost`; the process is replaced and the other jobs never
notice.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, TypeVar

from truerank.board.turns import Turns

Result = TypeVar("Result")

_spawning = multiprocessing.get_context("spawn")


class WorkerLost(Exception):
    """A job ended its process or took too long."""


class OutOfTime(WorkerLost):
    """A job took more time, or more of the processor, than it may; done again it would again."""


class Abandoned(Exception):
    """What a worker followed is not wanted any more."""


class Worker:
    """One process and the pipe to it; started when it is first needed.

    Attributes:
        spent: seconds of processor time that the last job took.
    """

    def __init__(self, memory: int, seconds: float):
        self.memory, self.seconds = memory, seconds
        self.process: SpawnProcess | None = None
        self.pipe: Connection | None = None
        self.spent = 0.0
        self._processor = math.inf
        self._why = WorkerLost("the process ended")

    def do(self, work: Callable[..., Result], *args: Any, processor: float = math.inf) -> Result:
        """What `work` returns or raises there."""
        self.begin(work, *args, processor=processor)
        result: Result = self.end()
        return result

    def begin(self, work: Callable[..., Any], *args: Any, processor: float = math.inf) -> None:
        """Let it do something within a limit of processor time, in seconds; `end` waits for that.

        Raises:
            WorkerLost: there is no such process.
        """
        if self.process is None or not self.process.is_alive():
            self._start()
        self.spent, self._processor = 0.0, processor
        self.tell((work, args, processor))

    def tell(self, what: Any) -> None:
        """Send something into its pipe."""
        assert self.pipe is not None
        try:
            self.pipe.send(what)
        except OSError:
            raise self._lost() from None

    def end(self) -> Any:
        """What was begun returns or raises.

        Raises:
            OutOfTime: it took too long, or too much of the processor, and was stopped.
            WorkerLost: it ended its process.
        """
        if self.pipe is None:
            raise self._why
        try:
            if not self.pipe.poll(self.seconds):
                self.stop()
                self.spent = min(self._processor, self.seconds)
                raise OutOfTime(f"no answer after {self.seconds:g} seconds")
            is_error, value, self.spent = self.pipe.recv()
        except (EOFError, OSError):
            raise self._lost() from None
        if is_error:
            raise value
        return value

    def _lost(self) -> WorkerLost:
        """Why there is no process any more."""
        code = None
        if self.process is not None:
            self.process.join(1)
            code = self.process.exitcode
        self.stop()
        self._why = WorkerLost("the process ended")
        if code == -signal.SIGXCPU:
            self.spent = self._processor
            self._why = OutOfTime(f"stopped after {self._processor:g} seconds of processor time")
        return self._why

    def stop(self) -> None:
        """End the process."""
        process, pipe = self.process, self.pipe  # another thread may stop it too
        self.process = self.pipe = None
        if pipe is not None:
            pipe.close()
        if process is not None:
            process.kill()
            process.join()
            process.close()

    def _start(self) -> None:
        self.stop()
        self.pipe, theirs = _spawning.Pipe()
        self.process = _spawning.Process(target=_serve, args=(theirs, self.memory), daemon=True)
        self.process.start()
        theirs.close()


def _serve(pipe: Connection, memory: int) -> None:
    """The life of a worker: it ends with its pipe, and so with the service, however that ends."""
    import resource

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service stops its workers, not the terminal
    os.nice(5)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _Told.pipe = pipe
    with suppress(EOFError, OSError):
        while True:
            job = pipe.recv()
            if isinstance(job, bool):  # the end of a file whose fault was found before
                continue
            _Told.is_whole = None
            work, args, processor = job
            _allow(processor)
            pipe.send(_done(work, args))


def _allow(processor: float) -> None:
    """Let the system end this process when it has used this many more seconds of processor time."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    until = resource.RLIM_INFINITY if math.isinf(processor) else math.ceil(time.process_time() + processor)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (until, most))


class _Told:
    """What this process, a worker, knows of the file that it follows."""

    pipe: Connection
    is_whole: bool | None = None
    lock = threading.Lock()


def has_ended(seconds: float) -> bool:
    """In a worker: whether the followed file is whole; waits up to this many seconds for it.

    Raises:
        Abandoned: the file is not wanted any more.
    """
    with _Told.lock:
        if _Told.is_whole is None and _Told.pipe.poll(seconds):
            _Told.is_whole = _Told.pipe.recv()
    if _Told.is_whole is False:
        raise Abandoned
    return bool(_Told.is_whole)


def _done(work: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any, float]:
    """Whether the job failed, its result or error, and the seconds of processor time that it took."""
    began = time.process_time()
    try:
        failed, value = False, work(*args)
    except Exception as error:
        failed, value = True, error
    return failed, value, time.process_time() - began


class Followed(Generic[Result]):
    """A job about a file that still arrives, in a worker that is its own until the job is over.

    Attributes:
        spent: seconds of processor time that it took, once it is over.
    """

    spent = 0.0

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
            self.spent = self._worker.spent
            self._free()

    def give_up(self) -> None:
        """End the job without its result."""
        self.tell(False)
        with suppress(Exception):
            self.result()


@dataclass(frozen=True)
class Job:
    """What waits for a worker.

    Attributes:
        processor: seconds of processor time that it may take.
        charge: called with the seconds that it took, however it ended.
    """

    future: Future[Any]
    work: Callable[..., Any]
    args: tuple[Any, ...]
    processor: float
    charge: Callable[[float], None]


class ProcessPool:
    """A few workers, and one that follows files; with none, jobs are done by one thread of this process.

    Those who wait take turns, and none occupies the last worker as well: it stays free for another.
    """

    def __init__(self, workers: int, memory: int = 4 << 30, seconds: float = 300.0):
        self._all = [Worker(memory, seconds) for _ in range(workers)]
        self._turns: Turns[Job] = Turns(at_once=max(1, workers - 1))
        served: Sequence[Worker | None] = self._all or [None]
        self._threads = [threading.Thread(target=self._work, args=(worker,), daemon=True) for worker in served]
        for thread in self._threads:
            thread.start()
        self._follower = Worker(memory, seconds) if workers else None
        self._following = threading.Lock()
        self.waiting = 0

    def warm(self, work: Callable[..., object], *args: Any) -> None:
        """Start every process now, and let it load what it will need, so that no request waits for that."""
        for worker in self._all:
            self._turns.put(worker, Job(Future(), work, args, math.inf, lambda spent: None))
        if self._follower is not None and (first := self.follow(work, *args)):
            threading.Thread(target=first.give_up, daemon=True).start()

    def follow(
        self, work: Callable[..., Result], *args: Any, processor: float = math.inf
    ) -> Followed[Result] | None:
        """Begin a job about a file that still arrives; None when another one is followed."""
        if self._follower is None or not self._following.acquire(blocking=False):
            return None
        try:
            self._follower.begin(work, *args, processor=processor)
        except WorkerLost:
            self._following.release()
            return None
        return Followed(self._follower, self._following.release)

    async def do(
        self,
        work: Callable[..., Result],
        *args: Any,
        who: Hashable = "",
        processor: float = math.inf,
        charge: Callable[[float], None] = lambda spent: None,
    ) -> Result:
        """What `work` returns or raises in a worker, when it is the turn of who asks and a worker is free.

        Args:
            who: who takes turns with others.
            processor: the most seconds of processor time.
            charge: called with the seconds that it took, however it ended.

        Raises:
            OutOfTime: the job took too long, or too much of the processor.
            WorkerLost: it ended its process.
        """
        job = Job(Future(), work, args, processor, charge)
        self.waiting += 1
        try:
            self._turns.put(who, job)
            result: Result = await asyncio.wrap_future(job.future)
            return result
        finally:
            self.waiting -= 1

    def _work(self, worker: Worker | None) -> None:
        """The life of a thread: one job after another."""
        while taken := self._turns.take():
            who, job = taken
            try:
                if job.future.set_running_or_notify_cancel():
                    _carry_out(job, worker)
            finally:
                self._turns.done(who)

    def close(self) -> None:
        """Finish what is under way and end the processes."""
        for job in self._turns.close():
            job.future.cancel()
        for thread in self._threads:
            thread.join()
        for worker in (*self._all, *([self._follower] if self._follower else ())):
            worker.stop()


def _carry_out(job: Job, worker: Worker | None) -> None:
    began = time.thread_time()
    try:
        value = worker.do(job.work, *job.args, processor=job.processor) if worker else job.work(*job.args)
    except BaseException as error:
        finish: Callable[[], None] = partial(job.future.set_exception, error)
    else:
        finish = partial(job.future.set_result, value)
    job.charge(worker.spent if worker else time.thread_time() - began)
    finish()
