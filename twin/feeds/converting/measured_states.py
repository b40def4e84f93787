"""What was measured at one instant at one queue manager, turned into facts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from twin import events
from twin.events import Origin
from twin.feeds.converting.evidence import digest_of
from twin.feeds.observed import DatedFact
from twin.model.instants import Instant
from twin.mqsc.masking import masked_text

_BEST_FIRST: Final = (
    *("RUNNING", "SWITCHING", "STARTING", "INITIALIZING", "BINDING", "REQUESTING", "INACTIVE"),
    *("DISCONNECTED", "PAUSED", "STOPPING", "RETRYING", "STOPPED"),
)
_BADNESS: Final = {status: place for place, status in enumerate(_BEST_FIRST)}
_SENDING: Final = frozenset({"CLUSSDR", "SDR", "SVR"})
_LONGEST: Final = 256


class SeenChannel(NamedTuple):
    """The state of one instance of a channel; None or '' means not measured.

    Attributes:
        status: a word of MQSC; '' of a channel that is shown for its saved state only.
        partner: the address of its partner.
        line: the line that says it.
        indoubt: whether a batch is in doubt.
        curmsgs: the messages in the batch.
        shortrts: the short retries that are left.
        longrts: the long retries that are left.
    """

    status: str
    partner: str
    line: int
    indoubt: bool | None = None
    curmsgs: int | None = None
    shortrts: int | None = None
    longrts: int | None = None


def is_status(word: str) -> bool:
    """Return whether a word is the status of a message channel."""
    return word in _BADNESS


def _rank(seen: SeenChannel) -> tuple[int, str]:
    """Return how bad a status is; the partner decides between equal ones."""
    return _BADNESS.get(seen.status, -1), seen.partner


def _batch(seen: SeenChannel) -> tuple[int, int]:
    """Return how much a row says of the batch: nothing, that none is in doubt, or how many are."""
    return -1 if seen.indoubt is None else int(seen.indoubt), seen.curmsgs or 0


def _left(seen: SeenChannel) -> tuple[float, float]:
    """Return the retries that a row shows to be left; a row that shows none comes last."""
    return (
        math.inf if seen.shortrts is None else seen.shortrts,
        math.inf if seen.longrts is None else seen.longrts,
    )


@dataclass(slots=True)
class MeasuredStates:
    """What was measured at one instant at one queue manager.

    Attributes:
        line: the first line of it.
        status: the status of the queue manager; '' if it was not measured.
        started: since when it runs.
        channels: the instances of channels: those that receive by name and partner, one each; of
            those that send, the worst of a name, with '' as the partner.
        depths: queue -> its depth and the age of its oldest message in seconds.
        suspended: cluster -> whether the queue manager is suspended from it.
        transmission_queues: channel -> the transmission queue that it uses.
        listed: generic name -> the channels with a status, of a complete answer about such names.
        listeners: generic name -> the listeners that run, of a complete answer about such names;
            of others under None.
    """

    line: int
    status: str = ""
    started: Instant | None = None
    channels: dict[tuple[str, str], SeenChannel] = field(default_factory=dict)
    depths: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    suspended: dict[str, bool] = field(default_factory=dict)
    transmission_queues: dict[str, str] = field(default_factory=dict)
    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    listeners: dict[str | None, set[str]] = field(default_factory=dict)

    def add_channel(self, name: str, channel_type: str, seen: SeenChannel) -> None:
        """Add an instance of a channel; of a channel that sends, the worst one counts.

        A batch in doubt counts whichever of its rows shows it, and so do the retries that are left:
        CLUSQMGR shows neither.
        """
        seen = seen._replace(partner=masked_text(seen.partner)[:_LONGEST])
        key = (name, "" if channel_type in _SENDING else seen.partner)
        known = self.channels.get(key)
        if known is None:
            self.channels[key] = seen
            return
        batch, left = max(known, seen, key=_batch), min(known, seen, key=_left)
        worst = seen if _rank(known) < _rank(seen) else known
        self.channels[key] = worst._replace(
            indoubt=batch.indoubt,
            curmsgs=batch.curmsgs,
            shortrts=left.shortrts,
            longrts=left.longrts,
        )

    def add_depth(self, queue: str, *, depth: int | None = None, oldest: int | None = None) -> None:
        """Add the depth of a queue, or the age of its oldest message."""
        known = self.depths.get(queue, (None, None))
        self.depths[queue] = (
            known[0] if depth is None else depth,
            known[1] if oldest is None else oldest,
        )

    def facts(self, qmgr: str, at: Instant, file: str | None, *, feed: str) -> Iterator[DatedFact]:
        """Yield the facts; their identities are made of the instant and of what they say."""
        for line, event in self.observations(qmgr):
            identity = f"{qmgr}/{feed}/{digest_of(f'{at}{event!r}')}"
            origin = None if file is None else Origin(file=file, line=line)
            yield DatedFact(at, replace(event, origin=origin), identity)

    def observations(self, qmgr: str) -> Iterator[tuple[int, events.Observation]]:
        """Yield the events with their lines, without origins."""
        line = self.line
        if self.status:
            yield (
                line,
                events.QueueManagerStatusObserved(
                    qmgr=qmgr, status=self.status, started=self.started
                ),
            )
        for cluster, suspended in sorted(self.suspended.items()):
            yield (
                line,
                events.SuspensionObserved(qmgr=qmgr, cluster=cluster, suspended=suspended),
            )
        for channel, queue in sorted(self.transmission_queues.items()):
            yield (
                line,
                events.TransmissionQueueObserved(qmgr=qmgr, channel=channel, queue=queue),
            )
        for pattern, names in sorted(self.listeners.items(), key=str):
            running = tuple(sorted(names))
            yield line, events.ListenersObserved(qmgr=qmgr, running=running, complete=pattern)
        if self.depths:
            yield line, events.DepthsObserved(qmgr=qmgr, depths=self._depths())
        for (channel, _), seen in sorted(self.channels.items()):
            yield (
                seen.line,
                events.ChannelObserved(
                    qmgr=qmgr,
                    channel=channel,
                    status=seen.status or None,
                    indoubt=seen.indoubt,
                    curmsgs=seen.curmsgs,
                    instance=seen.partner,
                    shortrts=seen.shortrts,
                    longrts=seen.longrts,
                ),
            )
        for complete, shown in sorted(self.listed.items()):
            yield line, events.ChannelsListed(qmgr=qmgr, complete=complete, shown=shown)

    def _depths(self) -> tuple[events.QueueDepth, ...]:
        return tuple(
            events.QueueDepth(queue=queue, depth=depth, oldest=oldest)
            for queue, (depth, oldest) in sorted(self.depths.items())
        )
