"""What feeds last said of a queue manager, its channels and its queues."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from twin.model.instants import Instant
from twin.model.names import generic


class SeenStatus(NamedTuple):
    """A status as it was last observed.

    Attributes:
        at: the instant of the observation.
        status: the word of MQSC.
        position: the position of the observation.
    """

    at: Instant
    status: str
    position: int


class SeenDepth(NamedTuple):
    """The depth of a queue as it was last observed.

    Attributes:
        at: the instant of the observation.
        depth: the messages on the queue.
        position: the position of the observation.
    """

    at: Instant
    depth: int
    position: int


class SeenBatch(NamedTuple):
    """Whether a channel had a batch in doubt, as it was last observed.

    Attributes:
        at: the instant of the observation.
        in_doubt: whether it had one.
        messages: the messages in it; 0 if nothing said how many.
        position: the position of the observation.
    """

    at: Instant
    in_doubt: bool
    messages: int
    position: int


class SeenRetries(NamedTuple):
    """The retries that a channel had left, as they were last observed.

    Attributes:
        at: the instant of the observation.
        short: the short retries.
        long: the long retries.
    """

    at: Instant
    short: int
    long: int


class SeenStart(NamedTuple):
    """When a queue manager had started, as it was last observed.

    Attributes:
        at: the instant of the observation.
        started: the instant of the start.
    """

    at: Instant
    started: Instant


class SeenList(NamedTuple):
    """A complete list of channels with a status, as it was last observed.

    Attributes:
        at: the instant of the observation.
        shown: the channels in it.
        position: the position of the observation.
    """

    at: Instant
    shown: tuple[str, ...]
    position: int


_Seen = TypeVar("_Seen", SeenStatus, SeenStart, SeenDepth, SeenList)


@dataclass(slots=True)
class SeenStates:
    """The last observations at a queue manager, whether or not anything followed from them.

    Attributes:
        qmgr: the status of the queue manager itself, by its name; empty if it was never observed.
        channels: the status of channels by name. A channel with several instances has that of the
            instance that was observed last.
        depths: the depths of queues by name.
        listeners: the listeners that ran, by name, and the generic names of complete answers.
        lists: the complete lists of channels from before the queue manager was known, by the
            generic name that they are complete for.
        starts: when the queue manager itself had started, by its name; empty if nothing said it.
        batches: whether channels had a batch in doubt, by name; those that were seen to run since
            are left out, because that resolved it.
        retries: the retries that channels had left, by name.
    """

    qmgr: dict[str, SeenStatus] = field(default_factory=dict)
    channels: dict[str, SeenStatus] = field(default_factory=dict)
    depths: dict[str, SeenDepth] = field(default_factory=dict)
    listeners: dict[str, SeenStatus] = field(default_factory=dict)
    lists: dict[str, SeenList] = field(default_factory=dict)
    starts: dict[str, SeenStart] = field(default_factory=dict)
    batches: dict[str, SeenBatch] = field(default_factory=dict)
    retries: dict[str, SeenRetries] = field(default_factory=dict)

    def of_channel(self, name: str) -> SeenStatus | None:
        """Return the last status of a channel: it is INACTIVE if a complete list lacks it."""
        found = [self.channels[name]] if name in self.channels else []
        found += [
            SeenStatus(each.at, "INACTIVE", each.position)
            for pattern, each in self.lists.items()
            if name not in each.shown and generic(pattern, name)
        ]
        return max(found, default=None)


def note_batch(known: MutableMapping[str, SeenBatch], name: str, seen: SeenBatch) -> None:
    """Note whether a batch was in doubt; of two observations of one instant the greater counts."""
    before = known.get(name)
    if before is None or before[:3] < seen[:3]:
        known[name] = seen


def note(known: MutableMapping[str, _Seen], name: str, seen: _Seen) -> None:
    """Note an observation.

    Of two different ones of one instant the greater counts, so that their order decides nothing.
    """
    before = known.get(name)
    if before is None or before[:2] < seen[:2]:
        known[name] = seen
