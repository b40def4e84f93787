"""One process for long computations: it carries out calls with a twin of its own.

A thread that computes for seconds would keep the interpreter from all other requests. A process
does not, and it can be ended at a deadline, which a thread cannot.
"""

from __future__ import annotations

import multiprocessing
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple, Self

from twin.errors import TwinError
from twin.web.errors import Busy, TookTooLong, WorkerEnded
from twin.web.estates.opening import LogOpening
from twin.web.estates.readers import Readers

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
