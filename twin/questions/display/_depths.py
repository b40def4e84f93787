"""How many messages are on the local queues of a queue manager, and how many handles are open.

Source: IBM MQ, DISPLAY QUEUE (CURDEPTH, OPPROCS). Each repository command that waits for a channel
counts as one message on the transmission queue. An open handle counts at the local queue that its
name resolved to. IPPROCS is 1 of the command queue and the repository queue (a dump of 9.3), which
the repository manager has open, also while they are GET(DISABLED); on z/OS it is 0 after a failure.
Of a transmission queue it is the number of running channels that use it. Of other queues it is 0:
in the twin an application gets messages in single calls.

What MQ itself keeps on its system queues is not modelled, nor who else has these queues or a
transmission queue open. These numbers are None. Of an observed queue manager, on main, a depth is
the one that was last seen, and what nobody saw is None (design decision 45).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Final

from twin.fold.estate import QueueManager
from twin.fold.messaging import Messaging
from twin.fold.seen_states import SeenCells, SeenDepth
from twin.model.attributes import Value
from twin.model.instants import Instant
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE, REPOSITORY_QUEUE
from twin.model.objects import Definition
from twin.model.system_objects import system_objects
from twin.model.words import QUEUE_NUMBERS
from twin.questions.display._definitions import as_shown
from twin.questions.sender_channels import SenderChannels, messaging_of
from twin.rules.channels import channel_status

_BLANK_PAIR: Final = ","
"""How a reader takes a QTIME of which both parts are blank."""

_COUNTED: Final = frozenset(
    {
        COMMAND_QUEUE,
        CLUSTER_TRANSMISSION_QUEUE,
        "SYSTEM.DEAD.LETTER.QUEUE",
        "SYSTEM.DEFAULT.LOCAL.QUEUE",
    }
)
"""The system queues whose messages are all modelled."""


@dataclass(frozen=True, slots=True)
class Depths:
    """Messages, commands, handles and channels of the local queues of a queue manager.

    Attributes:
        messaging: the messages of applications, and commands on the command queue.
        commands: transmission queue -> the positions of the repository commands on it.
        handles: local queue -> how many handles applications have open.
        channels: transmission queue -> how many running channels get from it.
        system: the names of default objects of the queue manager.
        reads_commands: whether the repository manager has its queues open.
        seen: the depths that were last seen, if nothing else is known of the queues; else None.
        cells: the other columns of QSTATUS that were last seen, if nothing else is known.
    """

    messaging: Messaging
    commands: dict[str, list[int]]
    handles: Counter[str]
    channels: Counter[str]
    system: Container[tuple[str, str]]
    reads_commands: bool
    seen: Mapping[str, SeenDepth] | None = None
    cells: Mapping[str, SeenCells] = field(default_factory=dict)

    @classmethod
    def of(cls, qmgr: QueueManager, at: Instant) -> Depths:
        """Collect the depths of one queue manager at an instant."""
        messaging, senders = messaging_of(qmgr), SenderChannels(qmgr)
        running = Counter(
            senders.association(channel).queue
            for channel in qmgr.activity.channels
            if (state := channel_status.current_state(qmgr, channel, at))
            and state.status == "RUNNING"
        )
        commands: dict[str, list[int]] = {}
        if qmgr.repository.waiting:
            for channel, waiting in qmgr.repository.waiting.items():
                queue = senders.association(channel).queue
                commands.setdefault(queue, []).extend(each.position for each in waiting)
        local = Counter(
            handle.base or handle.queue
            for handle in messaging.handles.values()
            if handle.to in ("", qmgr.name) and (handle.bound is None or not handle.bound.channel)
        )
        trouble = qmgr.repository.trouble
        stopped = trouble is not None and trouble.ends is None  # on z/OS
        system, reads_commands = system_objects(qmgr.cmdlevel), qmgr.running and not stopped
        known = messaging, commands, local, running, system, reads_commands
        if not qmgr.is_only_observed:
            return cls(*known)
        return cls(*known, qmgr.activity.seen.depths, qmgr.activity.seen.queues)

    def values(self, definition: Definition) -> dict[str, Value | None]:
        """Return the columns of a local queue that change without a command; else {}.

        They are None where the twin does not model them.
        """
        if definition.type != "QLOCAL":
            return {}
        name = definition.name
        if self.seen is not None:
            shown = self.shown(name)
            return {each: shown.get(each) for each in ("CURDEPTH", "IPPROCS", "OPPROCS")}
        internal = ("QUEUE", name) in self.system and name not in _COUNTED
        depth, getters, putters = (
            (None, None, None)
            if internal
            else (
                self.messaging.depth(name) + len(self.commands.get(name, ())),
                self.channels[name],
                self.handles[name],
            )
        )
        if name in (COMMAND_QUEUE, REPOSITORY_QUEUE):
            getters, putters = int(self.reads_commands), None
        if definition.is_transmission_queue:
            putters = None
        return {"CURDEPTH": depth, "IPPROCS": getters, "OPPROCS": putters}

    def shown(self, name: str) -> dict[str, Value | None]:
        """Return the columns of a queue as they were last seen; a blank number is unknown.

        Beside a later depth, the other columns no longer say anything.
        """
        depth, cells = (self.seen or {}).get(name), self.cells.get(name)
        values: dict[str, Value | None] = {} if depth is None else {"CURDEPTH": depth.depth}
        if cells is None or (depth is not None and depth.at > cells.at):
            return values
        pairs = {each for each, text in cells.cells.items() if text.strip() == _BLANK_PAIR}
        values |= as_shown(cells.cells, QUEUE_NUMBERS, blank="")
        return values | dict.fromkeys(pairs, f" {_BLANK_PAIR} ")

    def only_seen(self, qmgr: QueueManager) -> list[str]:
        """Return the queues of which captures show a state, and nothing a definition."""
        defined = {name for kind, name in qmgr.definitions if kind == "QUEUE"}
        return sorted({*(self.seen or ()), *self.cells} - defined)

    def evidence(self, name: str) -> tuple[int, ...]:
        """Return the positions of what says how many messages are on a queue.

        They are those of puts and commands, or of the observation of its depth.
        """
        if self.seen is not None:
            seen = (self.seen.get(name), self.cells.get(name))
            return tuple(each.position for each in seen if each is not None)
        on_queue = [*self.messaging.local.get(name, ()), *self.messaging.on(name)]
        return (*(parcel.put for parcel in on_queue), *self.commands.get(name, ()))
