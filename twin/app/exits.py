"""Calls of workload exits: limited in time, and remembered while a decision is repeated.

They are in this room because the rules have no clock. An exit is called in a thread of its own, so
that one that never answers does not hold the twin: it is interrupted, and has failed (2266). Only
foreign code that never lets another thread run cannot be limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any, Final

from twin.errors import TwinError
from twin.model.instants import SECOND, Instant
from twin.rules.workload.exits import MQWDR, MQWQR, MQWXP, WorkloadExit

__all__ = ["ALLOWED", "ExitCalls", "TooSlow", "WorkloadExit"]

ALLOWED: Final[Instant] = 1 * SECOND
"""The longest time that an exit may take for one choice, in microseconds; else it fails (2266)."""


class TooSlow(TwinError, TimeoutError, message=f"no answer within {ALLOWED // SECOND} s"):
    """An exit that exceeded its time limit; it is raised in the exit, too, which ends by it."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of an exit: which one, what it saw, and its answer or its failure."""

    name: str
    saw: tuple[Any, ...]
    answer: MQWXP | Exception

    def answered(self) -> MQWXP:
        """Return the answer, or raise the failure."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class ExitCalls:
    """The exits of one writer.

    A decision may be repeated because another process appended first. Its exits are asked again
    only from the first call on that sees something else than before.

    Attributes:
        exits: the exits, for the rules.
        missed: whether a call got no answer, because exits must not be asked now.
    """

    def __init__(self, exits: Mapping[str, WorkloadExit]) -> None:
        """Wrap these exits."""
        self.exits = {name: self._remembering(name, each) for name, each in exits.items()}
        self.missed = False
        self._calls: list[_Call] = []
        self._number = 0
        self._may_ask = True

    def forget(self) -> None:
        """Begin a new act: forget all calls."""
        self._calls.clear()

    def begin(self, *, may_ask: bool) -> None:
        """Begin a decision, or repeat it; without `may_ask`, only remembered answers are given."""
        self._number, self._may_ask, self.missed = 0, may_ask, False

    def _remembering(self, name: str, exit_: WorkloadExit) -> WorkloadExit:
        def call(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
            saw = (block, destinations, queues)
            number, self._number = self._number, self._number + 1
            known = self._calls[number] if number < len(self._calls) else None
            if known is None or (known.name, known.saw) != (name, saw):
                if not self._may_ask:
                    self.missed = True
                    return block
                known = _Call(name, saw, _answer(exit_, saw))
                self._calls[number:] = [known]
            return known.answered()

        return call


def _answer(exit_: WorkloadExit, saw: tuple[Any, ...]) -> MQWXP | Exception:
    """Call an exit; return its answer, or its failure."""
    said: list[MQWXP | Exception] = []

    def ask() -> None:
        try:
            said.append(exit_(*saw))
        except BaseException as problem:  # noqa: BLE001 - foreign code may fail in any way
            said.append(problem if isinstance(problem, Exception) else RuntimeError(repr(problem)))

    thread = Thread(target=ask, name="workload exit", daemon=True)
    thread.start()
    thread.join(ALLOWED / SECOND)
    if not thread.is_alive():
        return said[0]
    import ctypes  # noqa: PLC0415 - few exits need it

    raising = ctypes.py_object(TooSlow)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), raising)
    return TooSlow()
