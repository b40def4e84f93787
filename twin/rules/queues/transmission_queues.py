"""Which transmission queue a cluster-sender channel has, and which the definitions select for it.

A channel keeps its queue until it starts again, even if the definitions change before that. A
channel that was never started has the queue that the definitions select now. Nothing is recorded
for a channel that has always had SYSTEM.CLUSTER.TRANSMIT.QUEUE, which is the usual case.

The order of preference is: an exact name, a name with one asterisk at its end, any other pattern,
the default by DEFCLXQ. Patterns match the names of channels, not of clusters. IBM does not say
which of two patterns of the same kind is preferred. Here it is the one with more text before the
first asterisk, then the one with fewer asterisks, then the longer one. MQ chooses at random among
queues with the same pattern: see `Selection.candidates`.

Without the model queue, DEFCLXQ(CHANNEL) can make no queue. Decided here: such a channel uses
SYSTEM.CLUSTER.TRANSMIT.QUEUE, and at each start logs that the model queue cannot be opened.

The transmission queues of sender and server channels, and the triggers that start the channels.

A channel keeps its queue until it starts again, even if XMITQ is altered before that.

Sources: IBM MQ 9.4, "Planning how you use multiple cluster transmission queues", "Cluster channel
name (CLCHNAME)", "Working with cluster transmission queues and cluster-sender channels".

Sources: IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels"; 9.1,
"Conditions for a trigger event"; for INITQ and TRIGDATA of a transmission queue [memory,
unverified]. Decided here: the channel initiator has opened SYSTEM.CHANNEL.INITQ, and no other
initiation queue. With TRIGTYPE(FIRST) a channel that is INACTIVE starts whenever messages are on
its queue: MQ makes a trigger event for the first one, and again if a channel ends and leaves some.
TRIGTYPE(DEPTH) does not set NOTRIGGER.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from twin.events import ObjectDefined, Parcel
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import sparse
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, INITIATION_QUEUE, OWN_TRANSMISSION_QUEUES
from twin.model.objects import UNCLUSTERED, Definition, number_of, text_of
from twin.rules.draft import Draft

DEFAULT_QUEUE: Final = CLUSTER_TRANSMISSION_QUEUE
MODEL_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE"


def own_queue(channel: str) -> str:
    """Return the name of the transmission queue that a channel has with DEFCLXQ(CHANNEL)."""
    return OWN_TRANSMISSION_QUEUES + channel


class Pattern(NamedTuple):
    """The CLCHNAME of a transmission queue: its text, and the queue."""

    text: str
    queue: str

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """Return a sort key: the matching pattern with the lowest rank, the most specific, wins."""
        stars = self.text.count("*")
        simple = stars == 1 and self.text.endswith("*")
        kind = 0 if not stars else 1 if simple else 2
        return kind, -len(self.text.split("*", 1)[0]), stars, -len(self.text)

    def matches(self, channel: str) -> bool:
        """Return whether a channel name matches; an asterisk stands for any characters."""
        return _compiled(self.text).fullmatch(channel) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


@dataclass(frozen=True, slots=True)
class Selection:
    """The transmission queue that the definitions select for a channel.

    Attributes:
        queue: the queue; if several have the same pattern, the first by name.
        candidates: all queues with that pattern, by name.
        pattern: the CLCHNAME that matched; '' if the queue manager's default applies.
    """

    queue: str
    candidates: tuple[str, ...]
    pattern: str = ""

    @property
    def ambiguous(self) -> bool:
        """Whether MQ may use another queue at the next start of the channel."""
        return len(self.candidates) > 1


@dataclass(frozen=True, slots=True)
class TransmissionQueues:
    """The definitions of a queue manager that select transmission queues.

    Attributes:
        patterns: the patterns in CLCHNAME, most specific first.
        default: the value of DEFCLXQ, SCTQ or CHANNEL.
        made: the queues of single channels that exist, if the model queue is missing, so that no
            other one can be made; None if any can.
    """

    patterns: tuple[Pattern, ...]
    default: str
    made: frozenset[str] | None = None

    @classmethod
    def of(cls, qmgr: QueueManager) -> TransmissionQueues:
        """Collect the patterns and the default from the definitions of a queue manager."""
        patterns = [
            Pattern(str(definition.values["CLCHNAME"]), definition.name)
            for definition in qmgr.definitions.values()
            if "CLCHNAME" in definition.values  # tested first: few queues have it
            and definition.type == "QLOCAL"
            and definition.values["CLCHNAME"]
            and definition.is_transmission_queue
        ]
        ordered = sorted(patterns, key=lambda pattern: (pattern.rank, pattern))
        default, made = qmgr.text("DEFCLXQ"), None
        if default != "SCTQ" and ("QUEUE", MODEL_QUEUE) not in qmgr.definitions:
            made = frozenset(name for kind, name in qmgr.definitions if kind == "QUEUE")
        return cls(tuple(ordered), default, made)

    def select(self, channel: str) -> Selection:
        """Select the transmission queue of a cluster-sender channel."""
        matching = [pattern for pattern in self.patterns if pattern.matches(channel)]
        if not matching:
            own = own_queue(channel)
            has_own = self.default != "SCTQ" and (self.made is None or own in self.made)
            queue = own if has_own else DEFAULT_QUEUE
            return Selection(queue, (queue,))
        best = matching[0]
        equal = tuple(pattern.queue for pattern in matching if pattern.text == best.text)
        return Selection(best.queue, equal, best.text)


def lacks_model(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel has no queue of its own because the model queue is missing."""
    queues = TransmissionQueues.of(qmgr)
    selected = queues.select(channel)
    return queues.made is not None and not selected.pattern and selected.queue == DEFAULT_QUEUE


def select(qmgr: QueueManager, channel: str) -> Selection:
    """Select the transmission queue of one cluster-sender channel of a queue manager."""
    return TransmissionQueues.of(qmgr).select(channel)


def in_use(qmgr: QueueManager, channel: str, *, queues: TransmissionQueues | None = None) -> str:
    """Return the transmission queue that a cluster-sender channel has until it starts again.

    A channel that was stopped before it ever ran keeps the queue that its first message was put
    on. If its queue was deleted while it was stopped, or if it never had one, the definitions
    select the queue [inferred]. The caller may pass `queues` if it has collected them already.
    """
    assigned = qmgr.messaging.assigned.get(channel) if qmgr.has_messaging else None
    if assigned is None:
        assigned = DEFAULT_QUEUE if was_started(qmgr, channel) else _first_put_on(qmgr, channel)
    if assigned is not None and _exists(qmgr, assigned, channel):
        return assigned
    return (queues or TransmissionQueues.of(qmgr)).select(channel).queue


def _first_put_on(qmgr: QueueManager, channel: str) -> str | None:
    waiting = qmgr.messaging.waiting if qmgr.has_messaging else {}
    return next((queue for queue, channels in waiting.items() if channel in channels), None)


def was_started(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel was ever started, even if it did not find its partner then."""
    return channel in qmgr.activity.saved or channel in qmgr.activity.tried


def _exists(qmgr: QueueManager, queue: str, channel: str) -> bool:
    """Return whether a queue exists, or can be made for the channel."""
    is_own = queue == own_queue(channel)
    return ("QUEUE", queue) in qmgr.definitions or (
        is_own and ("QUEUE", MODEL_QUEUE) in qmgr.definitions
    )


def queues(qmgr: QueueManager, channel: str) -> tuple[str, ...]:
    """Return the transmission queues from which a cluster-sender channel gets messages.

    While the channel is being switched, these are the new queue and the old one, in this order.
    Messages that were left on another queue (runswchl -n) stay there until the channel has that
    queue again.
    """
    switch = qmgr.messaging.switching.get(channel) if qmgr.has_messaging else None
    return (in_use(qmgr, channel),) if switch is None else (switch.to, switch.queue)


def is_switching(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a switch of a channel has not ended.

    New messages and repository commands are then put on the old queue, from which none is sent.
    """
    return qmgr.has_messaging and channel in qmgr.messaging.switching


def waiting(qmgr: QueueManager, channel: str) -> Iterator[tuple[str, Parcel]]:
    """Yield the messages that wait for a cluster-sender channel, with their queue, in order."""
    by_queue = qmgr.messaging.waiting
    for queue in queues(qmgr, channel):
        yield from ((queue, parcel) for parcel in by_queue.get(queue, {}).get(channel, ()))


def ensure_in_use(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue of a channel; create it if it is the channel's own queue.

    Source: IBM MQ 9.4, "Planning how you use multiple cluster transmission queues": with
    DEFCLXQ(CHANNEL) each channel has a permanent dynamic queue of its own. It is created from the
    model queue when it is first needed.
    """
    queue = in_use(qmgr, channel)
    create_own_queue(draft, qmgr, channel, queue)
    return queue


def create_own_queue(draft: Draft, qmgr: QueueManager, channel: str, queue: str) -> None:
    """Create a channel's own transmission queue from the model queue, unless it exists.

    Do nothing if `queue` is not the channel's own, or if there is no model queue.
    """
    model = qmgr.definitions.get(("QUEUE", MODEL_QUEUE))
    if queue != own_queue(channel) or ("QUEUE", queue) in qmgr.definitions or model is None:
        return
    values: Values = {
        **sparse("QLOCAL", dict(model.values)),
        "DEFTYPE": "PERMDYN",
        "USAGE": "XMITQ",
    }
    values.pop("CLCHNAME", None)  # with CLCHNAME the queue would always be selected
    draft.emit(
        ObjectDefined(
            qmgr=qmgr.name,
            kind="QUEUE",
            name=queue,
            type="QLOCAL",
            values=values,
        )
    )


def is_sender(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel is a sender or server channel."""
    return qmgr.channels.get(channel) in UNCLUSTERED


def defined_queue(qmgr: QueueManager, channel: str) -> str:
    """Return the XMITQ of a sender or server channel: the queue that it opens when it starts."""
    return text_of(qmgr.definitions["CHANNEL", channel], "XMITQ")


def queue_of(qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue that a sender or server channel gets from."""
    kept = qmgr.messaging.kept.get(channel) if qmgr.has_messaging else None
    return defined_queue(qmgr, channel) if kept is None else kept


def servers(qmgr: QueueManager, queue: str) -> list[str]:
    """Return the sender and server channels that get from a queue, or will when they start."""
    return [
        name
        for name, channel_type in qmgr.channels.items()
        if channel_type in UNCLUSTERED
        and queue in (queue_of(qmgr, name), defined_queue(qmgr, name))
    ]


def is_triggered(qmgr: QueueManager, channel: str) -> bool:
    """Return whether messages on its queue start a sender or server channel that is INACTIVE."""
    queue = qmgr.definitions.get(("QUEUE", defined_queue(qmgr, channel)))
    if queue is None or text_of(queue, "GET") == "DISABLED":
        return False
    return triggers(queue) and text_of(queue, "TRIGDATA") in ("", channel) and _deep(qmgr, queue)


def triggers(queue: Definition) -> bool:
    """Return whether messages on a transmission queue make trigger events for its channel."""
    return (
        text_of(queue, "TRIGGER") == "YES"
        and text_of(queue, "TRIGTYPE") != "NONE"
        and text_of(queue, "INITQ") == INITIATION_QUEUE
    )


def _deep(qmgr: QueueManager, queue: Definition) -> bool:
    if text_of(queue, "TRIGTYPE") != "DEPTH":
        return True
    return qmgr.messaging.depth(queue.name) >= number_of(queue, "TRIGDPTH")
