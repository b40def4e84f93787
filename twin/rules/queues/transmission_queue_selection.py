"""Which transmission queue a cluster-sender channel uses, by the definitions as they stand.

Source: IBM MQ 9.4, "Planning how you use multiple cluster transmission queues", and "Cluster
channel name (CLCHNAME)": an exact name goes before a name with one asterisk at its end, that before
any other pattern, and a pattern before the default of DEFCLXQ. Patterns match the names of
channels, not of clusters. Which of two patterns of one class fits best is not documented; here it
is the longer text before the first asterisk, then fewer asterisks, then the longer pattern. Queues
with the very same pattern are chosen from at random: see `Selection.candidates`.

The association changes only when a channel starts; that is not decided here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from twin.fold.estate import QueueManager

DEFAULT_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
_OWN_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT."


def own_queue(channel: str) -> str:
    """Return the name of the queue that DEFCLXQ(CHANNEL) gives a channel."""
    return _OWN_QUEUE + channel


class Pattern(NamedTuple):
    """The CLCHNAME of a transmission queue."""

    text: str
    queue: str

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """Say how specific it is; of those that match, the lowest is used."""
        stars = self.text.count("*")
        simple = stars == 1 and self.text.endswith("*")
        kind = 0 if not stars else 1 if simple else 2
        return kind, -len(self.text.split("*", 1)[0]), stars, -len(self.text)

    def matches(self, channel: str) -> bool:
        """Say whether the queue is for this channel; an asterisk stands for any characters."""
        return _compiled(self.text).fullmatch(channel) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


@dataclass(frozen=True, slots=True)
class Selection:
    """The transmission queue of a channel.

    Attributes:
        queue: the queue; where the definitions leave it open, the first of them by name.
        candidates: all queues that the definitions allow equally, by name.
        pattern: the CLCHNAME that chose, '' for the default of the queue manager.
    """

    queue: str
    candidates: tuple[str, ...]
    pattern: str = ""

    @property
    def ambiguous(self) -> bool:
        """Whether the queue may be another at the next start of the channel."""
        return len(self.candidates) > 1


@dataclass(frozen=True, slots=True)
class TransmissionQueues:
    """What decides at one queue manager: the patterns, most specific first, and DEFCLXQ."""

    patterns: tuple[Pattern, ...]
    default: str

    @classmethod
    def of(cls, qmgr: QueueManager) -> TransmissionQueues:
        """Collect what decides from the definitions of a queue manager."""
        found = [
            Pattern(str(definition.values["CLCHNAME"]), definition.name)
            for definition in qmgr.definitions.values()
            if "CLCHNAME" in definition.values  # few have, and this is asked at every choice
            and definition.type == "QLOCAL"
            and definition.values["CLCHNAME"]
            and definition.values.get("USAGE") == "XMITQ"
        ]
        ordered = sorted(found, key=lambda pattern: (pattern.rank, pattern))
        return cls(tuple(ordered), str(qmgr.values.get("DEFCLXQ", "SCTQ")))

    def select(self, channel: str) -> Selection:
        """Choose the transmission queue of a cluster-sender channel."""
        matching = [pattern for pattern in self.patterns if pattern.matches(channel)]
        if not matching:
            queue = DEFAULT_QUEUE if self.default == "SCTQ" else own_queue(channel)
            return Selection(queue, (queue,))
        best = matching[0]
        equal = tuple(pattern.queue for pattern in matching if pattern.text == best.text)
        return Selection(best.queue, equal, best.text)


def select(qmgr: QueueManager, channel: str) -> Selection:
    """Choose the transmission queue of one cluster-sender channel of a queue manager."""
    return TransmissionQueues.of(qmgr).select(channel)
