"""Whether channels that were started began to run: decided by what the log says afterwards.

A message that a channel program started (AMQ9002, CSQX500) is written before the negotiation, and
at every retry. It says that the channel runs only if nothing denies it within the connect time: a
failure, a stop, another attempt, or the end of the queue manager. A failure without a channel name
is that of the attempt of the same process and thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from twin.feeds.converting.log_records import Wording
from twin.feeds.errorlog.record import LogRecord
from twin.model.instants import MINUTE, Instant

CONNECT_TIME: Final = 3 * MINUTE
"""The time within which an attempt fails, if it does: Linux gives up a connection after 127 s."""


class Attempt(NamedTuple):
    """A channel program that started.

    Attributes:
        at: the instant.
        record: the record that says it.
        identity: the identity of the record.
        qmgr: the queue manager.
        wording: what the record says.
    """

    at: Instant
    record: LogRecord
    identity: str
    qmgr: str
    wording: Wording

    @property
    def channel(self) -> str:
        """The channel."""
        return self.wording.channel


class Attempts:
    """The attempts of one log that are not decided: one for each channel at most."""

    def __init__(self, connect_time: int) -> None:
        """Start with none; attempts fail within the connect time, in microseconds."""
        self._connect_time = connect_time
        self._waiting: dict[str, dict[str, Attempt]] = {}

    def run_by(self, qmgr: str, now: Instant) -> Sequence[Attempt]:
        """Take out the attempts of a queue manager that nothing denied for long enough."""
        attempts = self._waiting.get(qmgr)
        before = now - self._connect_time
        if not attempts or next(iter(attempts.values())).at >= before:
            return ()
        due = list(takewhile(lambda each: each.at < before, attempts.values()))
        for attempt in due:
            del attempts[attempt.channel]
        return due

    def add(self, attempt: Attempt) -> None:
        """Await what follows an attempt; take out an earlier one of its channel first."""
        self._waiting.setdefault(attempt.qmgr, {})[attempt.channel] = attempt

    def take(self, qmgr: str, channel: str) -> Attempt | None:
        """Take out the attempt of a channel."""
        return self._waiting.get(qmgr, {}).pop(channel, None)

    def take_thread(self, qmgr: str, process: str) -> list[Attempt]:
        """Take out the attempts of one process and thread."""
        attempts = self._waiting.get(qmgr, {})
        found = [each for each in attempts.values() if process and each.record.process == process]
        for each in found:
            del attempts[each.channel]
        return found

    def take_all(self, qmgr: str | None = None) -> list[Attempt]:
        """Take out all attempts of a queue manager, or of all."""
        if qmgr is not None:
            return list(self._waiting.pop(qmgr, {}).values())
        found = [each for attempts in self._waiting.values() for each in attempts.values()]
        self._waiting.clear()
        return found
