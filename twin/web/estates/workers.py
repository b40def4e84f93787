"""The pool of processes for long computations: bounded in number and in time.

A call that waits for a process is shared: who makes an equal call meanwhile gets its result. The
call has read neither the log nor the clock yet, so the result is as new for each of them as that of
a call of their own. That holds for instants relative to now, too.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from queue import Empty, LifoQueue
from time import monotonic
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, Self, TypeVar, cast

from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.instants import MAIN
from twin.web.errors import Busy, TookTooLong, WorkerEnded
from twin.web.estates.readers import LogOpening, Readers

Result = TypeVar("Result")

Arguments = ParamSpec("Arguments")

PLACES: Final = 64
"""How many calls are computed, or wait, at the same time; each keeps a thread waiting."""

_ENDS_WITHIN: Final = 2.0
"""Seconds that an idle process gets to end by itself."""

_START: Final = multiprocessing.get_context("spawn")
"""How processes are started: one forked from a process with threads may inherit a held lock."""


class Unforeseen(Exception):
    """An error in a worker that nobody foresaw; its text is the traceback there."""


class FailedCall(NamedTuple):
    """An error of a call, taken apart: most errors cannot be made from their message alone."""

    kind: type[Exception]
    message: str
    fields: dict[str, Any]

    @classmethod
    def of(cls, error: Exception) -> Self:
        """Take an error apart."""
        if isinstance(error, TwinError):
            return cls(type(error), str(error), vars(error))
        import traceback  # noqa: PLC0415 - only errors need it

        return cls(Unforeseen, "".join(traceback.format_exception(error)), {})

    def error(self) -> Exception:
        """Return the error again."""
        made = self.kind.__new__(self.kind, self.message)
        made.args = (self.message,)
        vars(made).update(self.fields)
        return made


class Worker:
    """One process that carries out calls, one after the other."""

    def __init__(self, opening: LogOpening) -> None:
        """Start a process that opens a twin at its first call."""
        self._calls, theirs = _START.Pipe()
        self._process = _START.Process(
            target=serve_calls, args=(theirs, opening), name="twin-worker", daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def lives(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    def answer(self, call: bytes, deadline: float) -> Any:
        """Carry out a pickled call; return its result in a tuple, or what failed.

        Raises:
            TookTooLong: if it takes more seconds than the deadline.
            WorkerEnded: if the process ends before.
        """
        try:
            self._calls.send_bytes(call)
            if not self._calls.poll(deadline):
                raise TookTooLong(deadline)
            return self._calls.recv()
        except (EOFError, OSError):
            raise WorkerEnded from None

    def end(self, *, within: float = 0.0) -> None:
        """End the process; an idle one ends by itself when it has the time."""
        self._calls.close()
        self._process.join(within)
        self._process.kill()
        self._process.join()


class Workers:
    """A pool of processes. Each is started at its first call, and replaced after a failure."""

    def __init__(
        self, opening: LogOpening, size: int, *, deadline: float, waiting: int | None = None
    ) -> None:
        """Run at most `size` calls at the same time, each for at most `deadline` seconds.

        At most `waiting` more calls wait for a process, and for at most as long; by default as
        many as there are `PLACES`.
        """
        self._opening = opening
        self._deadline = deadline
        self._idle: LifoQueue[Worker | None] = LifoQueue()
        for _ in range(size):
            self._idle.put(None)
        places = max(PLACES, size) if waiting is None else size + waiting
        self._accepted = threading.BoundedSemaphore(places)
        self._lock = threading.Lock()
        self._started: set[Worker] = set()
        self._waiting: dict[bytes, Future[Any]] = {}
        self._closed = False

    def run(
        self,
        function: Callable[Concatenate[Twin, Arguments], Result],
        /,
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Call a function of a module with a read-only twin of branch main, in another process.

        The arguments and the result are pickled.

        Raises:
            Busy: if too many calls wait already, or no process becomes free within the deadline.
            TookTooLong: if the function has not returned at its deadline.
            WorkerEnded: if the process ends before the function returns.
            Exception: what the function raises.
        """
        return self.run_on(MAIN, function, *arguments, **options)

    def run_on(
        self,
        branch: str,
        function: Callable[Concatenate[Twin, Arguments], Result],
        /,
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Do the same with a twin of a branch.

        Raises:
            NoSuchBranch: if the branch does not exist; else as `run`.
        """
        if not self._accepted.acquire(blocking=False):
            raise Busy
        try:
            answer = self._shared(
                bytes(ForkingPickler.dumps((function, arguments, options, branch)))
            )
        finally:
            self._accepted.release()
        if isinstance(answer, FailedCall):
            raise answer.error()
        return cast("Result", answer[0])

    def _shared(self, call: bytes) -> Any:
        """Return the answer to an equal call that waits, or else to this one.

        Each call waits for a process for its own time: if the other one's is over, this one's is
        made.
        """
        until = monotonic() + self._deadline
        while True:
            with self._lock:
                waiting = self._waiting.get(call)
                if waiting is None:
                    mine = self._waiting[call] = Future()
            if waiting is None:
                return self._made(call, mine, until)
            answer = waiting.result()
            if not is_busy(answer) or monotonic() >= until:
                return answer

    def _made(self, call: bytes, mine: Future[Any], until: float) -> Any:
        """Return the answer to a call, also to those who share it."""
        answer: Any = FailedCall.of(WorkerEnded())
        try:
            answer = self._answer(call, mine, until)
        except TwinError as error:
            answer = FailedCall.of(error)
        finally:
            self._begin(call, mine)
            mine.set_result(answer)
        return answer

    def _begin(self, call: bytes, mine: Future[Any]) -> None:
        """Share a call no more: equal ones are calls of their own from now on."""
        with self._lock:
            if self._waiting.get(call) is mine:
                del self._waiting[call]

    def _answer(self, call: bytes, mine: Future[Any], until: float) -> Any:
        """Let a process that is free in time carry out a call, which is shared until then."""
        try:
            worker = self._idle.get(timeout=max(until - monotonic(), 0))
        except Empty:
            raise Busy from None
        try:
            if worker is None or not worker.lives:
                self._forget(worker)
                worker = None
                worker = self._new()
            self._begin(call, mine)
            return worker.answer(call, self._deadline)
        except BaseException:
            self._forget(worker)
            worker = None
            raise
        finally:
            self._idle.put(worker)

    def _new(self) -> Worker:
        with self._lock:
            if self._closed:
                raise Busy
            worker = Worker(self._opening)
            self._started.add(worker)
            return worker

    def _forget(self, worker: Worker | None) -> None:
        if worker is not None:
            with self._lock:
                self._started.discard(worker)
            worker.end()

    def close(self) -> None:
        """End all processes; calls that still run end with an error."""
        with self._lock:
            self._closed = True
            workers, self._started = self._started, set()
        for worker in workers:
            worker.end(within=_ENDS_WITHIN)


def serve_calls(calls: Connection, opening: LogOpening) -> None:
    """Carry out calls until the other end closes; the twins stay open between them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which ends this
    readers = Readers(opening, 1)
    with suppress(EOFError, OSError):
        while True:
            function, arguments, options, branch = calls.recv()
            try:
                with readers.borrow(branch) as twin:
                    answer: Any = (function(twin, *arguments, **options),)
            except Exception as error:  # noqa: BLE001 - it is raised where the call came from
                answer = FailedCall.of(error)
            _send(calls, answer)


def _send(calls: Connection, answer: Any) -> None:
    try:
        calls.send(answer)
    except (EOFError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - what cannot be sent may fail in any way
        calls.send(FailedCall(Unforeseen, f"the result cannot be sent: {error}", {}))


def is_busy(answer: Any) -> bool:
    """Return whether a call failed because no process was free."""
    return isinstance(answer, FailedCall) and issubclass(answer.kind, Busy)
