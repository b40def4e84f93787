"""How many messages are on the local queues of a queue manager, and how many handles are open.

Source: IBM MQ, DISPLAY QUEUE (CURDEPTH, OPPROCS). Each repository command that waits for a channel
counts as one message on the transmission queue. An open handle counts at the local queue that its
name resolved to. IPPROCS is 1 of the command queue, which the repository manager has open, also
while it is GET(DISABLED); on z/OS it is 0 after a failure. Of other queues it is 0: in the twin an
application gets messages in single calls.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from twin.fold.estate import QueueManager
from twin.fold.messaging import Messaging
from twin.model.attributes import Value
from twin.model.names import COMMAND_QUEUE
from twin.model.objects import Definition
from twin.questions.sender_channels import SenderChannels, messaging_of


@dataclass(frozen=True, slots=True)
class Depths:
    """Messages, the positions of commands by transmission queue, and handles by local queue."""

    messaging: Messaging
    commands: dict[str, list[int]]
    handles: Counter[str]
    reads_commands: bool

    @classmethod
    def of(cls, qmgr: QueueManager) -> Depths:
        """Collect the depths of one queue manager."""
        messaging = messaging_of(qmgr)
        commands: dict[str, list[int]] = {}
        if qmgr.repository.waiting:
            senders = SenderChannels(qmgr)
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
        return cls(messaging, commands, local, qmgr.running and not stopped)

    def values(self, definition: Definition) -> dict[str, Value]:
        """Return the columns of a local queue that change without a command; else {}."""
        if definition.type != "QLOCAL":
            return {}
        name = definition.name
        return {
            "CURDEPTH": self.messaging.depth(name) + len(self.commands.get(name, ())),
            "IPPROCS": int(name == COMMAND_QUEUE and self.reads_commands),
            "OPPROCS": self.handles[name],
        }

    def evidence(self, name: str) -> tuple[int, ...]:
        """Return the positions of the puts and commands whose messages are on a queue."""
        on_queue = [*self.messaging.local.get(name, ()), *self.messaging.on(name)]
        return (*(parcel.put for parcel in on_queue), *self.commands.get(name, ()))
