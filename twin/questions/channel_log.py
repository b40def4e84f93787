"""The lines of an error log about the runs of a sending channel: it starts, ends, is stopped.

They follow from the changes of its status (no event records them): AMQ9002 at each start that is
recorded, also if it fails (of a BINDING channel before it fails); AMQ9545 and AMQ9001 when it
disconnects; AMQ9528 and AMQ9001 when it is stopped. If a channel that messages waited for fails
after its disconnect interval, the twin takes it for disconnected.

Sources: captures of error logs (AMQ9001, AMQ9002, AMQ9528, AMQ9545); a channel program writes
AMQ9002 before it negotiates [memory].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.fold.estate import DISCINT, Estate
from twin.model.instants import Instant
from twin.model.messages import Message
from twin.rules.channels import disconnecting

ENDED: Final = "AMQ9001"
STARTING: Final = "AMQ9002"
STOPPED_BY_USER: Final = "AMQ9528"
DISCONNECTED: Final = "AMQ9545"

CHANNEL_RUNS: Final = frozenset({ENDED, STARTING, STOPPED_BY_USER, DISCONNECTED})
"""The messages that only say that a channel starts and ends."""

READS: Final = frozenset(
    {
        events.ChannelStatusChanged,
        events.MessagesSent,
        events.QueueManagerEnded,
        events.QueueManagerRestored,
    }
)
"""The events from which the runs of channels follow."""


class LogLine(NamedTuple):
    """One line of an error log, with its evidence."""

    at: Instant
    position: int
    qmgr: str
    message: Message


class _Run(NamedTuple):
    """A channel that runs: its disconnect interval, when it was last used, and the evidence."""

    discint: Instant
    used: Instant
    position: int

    def has_disconnected(self, at: Instant) -> bool:
        return bool(self.discint) and at >= self.used + self.discint


_Key: TypeAlias = tuple[str, str]


class ChannelRuns:
    """The runs of channels, by the events that are read in fold order.

    `before` is the estate just before the first event; None if that is the first of the log.
    """

    def __init__(self, before: Estate | None, begin: Instant | None) -> None:
        """Begin with the channels that ran before the first event."""
        self._runs: dict[_Key, _Run] = {}
        self._binding: set[_Key] = set()
        if before is None or begin is None:
            return
        for qmgr in before.qmgrs.values():
            for channel in qmgr.activity.channels:
                state = disconnecting.current_state(qmgr, channel, begin - 1)
                if state is not None and state.status == "RUNNING":
                    used = state.since if state.used is None else state.used
                    self._runs[qmgr.name, channel] = _Run(state.discint, used, state.position)
                elif state is not None and state.status == "BINDING":
                    self._binding.add((qmgr.name, channel))

    def lines_after(self, at: Instant, position: int, event: events.Event) -> Iterator[LogLine]:
        """Yield the lines that follow from an event, in the order of time."""
        match event:
            case events.ChannelStatusChanged():
                yield from self._changed(at, position, event)
            case events.MessagesSent():
                key = (event.qmgr, event.over or event.channel)
                if (run := self._runs.get(key)) is not None:
                    self._runs[key] = run._replace(used=at, position=position)
            case events.QueueManagerEnded() | events.QueueManagerRestored():
                self._binding = {key for key in self._binding if key[0] != event.qmgr}
                for key in [key for key in self._runs if key[0] == event.qmgr]:
                    run = self._runs.pop(key)
                    yield from self._ended(key, run, at)
                    if not run.has_disconnected(at):
                        yield LogLine(at, position, event.qmgr, Message(ENDED, key[1]))

    def _changed(
        self, at: Instant, position: int, event: events.ChannelStatusChanged
    ) -> Iterator[LogLine]:
        key = (event.qmgr, event.channel)
        run = self._runs.pop(key, None)
        ran = (run is not None and not run.has_disconnected(at)) or key in self._binding
        self._binding.discard(key)
        if run is not None:
            yield from self._ended(key, run, at)
        ids: tuple[str, ...] = ()
        if event.status == "RUNNING":
            discint = DISCINT if event.discint is None else event.discint
            self._runs[key] = _Run(discint, at, position)
            ids = () if ran else (STARTING,)
        elif event.status == "BINDING":
            self._binding.add(key)
            ids = (STARTING,)
        elif event.reason:
            ids = () if ran else (STARTING,)
        elif ran:
            asked = event.status == "STOPPED" or event.requested
            ids = (STOPPED_BY_USER, ENDED) if asked else (ENDED,)
        for id_ in ids:
            yield LogLine(at, position, event.qmgr, Message(id_, event.channel))

    def _ended(self, key: _Key, run: _Run, at: Instant) -> Iterator[LogLine]:
        """Yield the lines of a run that has ended by the disconnect interval, if it has."""
        if run.has_disconnected(at):
            yield from _disconnected(key, run.used + run.discint, run.position)

    def disconnected(self, estate: Estate, at: Instant) -> Iterator[LogLine]:
        """Yield the lines of the channels that have disconnected since they were last used."""
        for (name, channel), run in self._runs.items():
            qmgr = estate.qmgrs.get(name)
            if qmgr is None:
                continue
            end = disconnecting.disconnected_at(qmgr, channel, at)
            if end is not None:
                yield from _disconnected((name, channel), end, run.position)


def _disconnected(key: _Key, at: Instant, position: int) -> Iterator[LogLine]:
    for id_ in (DISCONNECTED, ENDED):
        yield LogLine(at, position, key[0], Message(id_, key[1]))
