"""Select the transmission queue of a cluster-sender channel from the definitions.

The order of preference is: an exact name, a name with one asterisk at its end, any other pattern,
the default by DEFCLXQ. Patterns match the names of channels, not of clusters. IBM does not say
which of two patterns of the same kind is preferred. Here it is the one with more text before the
first asterisk, then the one with fewer asterisks, then the longer one. MQ chooses at random among
queues with the same pattern: see `Selection.candidates`.

Source: IBM MQ 9.4, "Planning how you use multiple cluster transmission queues", and "Cluster
channel name (CLCHNAME)".

Without the model queue, DEFCLXQ(CHANNEL) can make no queue. Decided here: such a channel uses
SYSTEM.CLUSTER.TRANSMIT.QUEUE, and at each start logs that the model queue cannot be opened.

A channel changes to the selected queue only when it starts: see `transmission_queues`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from twin.fold.estate import QueueManager
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE

DEFAULT_QUEUE: Final = CLUSTER_TRANSMISSION_QUEUE
MODEL_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE"
_OWN_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT."


def own_queue(channel: str) -> str:
    """Return the name of the transmission queue that a channel has with DEFCLXQ(CHANNEL)."""
    return _OWN_QUEUE + channel


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
            and definition.values.get("USAGE") == "XMITQ"
        ]
        ordered = sorted(patterns, key=lambda pattern: (pattern.rank, pattern))
        default, made = str(qmgr.values.get("DEFCLXQ", "SCTQ")), None
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
