"""What was measured at one instant at one queue manager, turned into facts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple

from twin import events
from twin.feeds.converting.identities import digest_of
from twin.feeds.observed import DatedFact
from twin.model.instants import Instant
from twin.model.objects import SENDING
from twin.model.words import STATUSES
from twin.mqsc.masking import masked_text

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
        kind: its type, such as CLUSSDR.
        qmgr: the queue manager at its other end.
        job: what runs it: two instances may have one partner.
        began: when the status began.
        repeated: whether CLUSQMGR says it, and not CHSTATUS.
        saved: whether it is a SAVED row, which has no status.
        cells: other columns as they were shown, '' for blank.
    """

    status: str
    partner: str
    line: int
    indoubt: bool | None = None
    curmsgs: int | None = None
    shortrts: int | None = None
    longrts: int | None = None
    kind: str = ""
    qmgr: str = ""
    job: str = ""
    began: Instant | None = None
    repeated: bool = False
    saved: bool = False
    cells: Mapping[str, str] = MappingProxyType({})


def is_status(word: str) -> bool:
    """Return whether a word is the status of a message channel."""
    return word in STATUSES


def _rank(seen: SeenChannel) -> tuple[bool, str, str]:
    """Return how a row ranks: CHSTATUS is the status of a channel, and CLUSQMGR may lag behind.

    Of two rows of equal rank the order of their words decides, and never that of the file
    [decided here]. Source: APAR PH47945 (CLUSQMGR shows INACTIVE for a running channel).
    """
    return bool(seen.status) and not seen.repeated, seen.status, seen.partner


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
        cells: the columns of DISPLAY QMSTATUS as they were shown.
        channels: the instances of channels: those that receive by name and partner, one each; of
            those that send, the row of the highest rank of a name, with '' as the partner.
        saved: name, address and transmission queue -> the SAVED row of a channel.
        depths: queue -> its depth, the age of its oldest message in seconds, and other columns.
        suspended: cluster -> whether the queue manager is suspended from it.
        transmission_queues: channel -> the transmission queue that it uses.
        listed: generic name -> the channels with a status, of a complete answer about such names.
        listeners: generic name -> the listeners that run, of a complete answer about such names;
            of others under None.
        listener_cells: listener -> the columns of DISPLAY LSSTATUS as they were shown.
    """

    line: int
    status: str = ""
    started: Instant | None = None
    cells: Mapping[str, str] = field(default_factory=dict)
    channels: dict[tuple[str, str], SeenChannel] = field(default_factory=dict)
    saved: dict[tuple[str, str, str], SeenChannel] = field(default_factory=dict)
    depths: dict[str, events.QueueDepth] = field(default_factory=dict)
    suspended: dict[str, bool] = field(default_factory=dict)
    transmission_queues: dict[str, str] = field(default_factory=dict)
    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    listeners: dict[str | None, set[str]] = field(default_factory=dict)
    listener_cells: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def add_channel(self, name: str, channel_type: str, seen: SeenChannel) -> None:
        """Add an instance of a channel; of one that sends, the row of the highest rank counts.

        A batch in doubt counts whichever of its rows shows it, and so do the retries that are left:
        CLUSQMGR shows neither. An instance that receives is known by both partners and what runs it
        [decided here: a row without a partner's name is another one].
        """
        seen = seen._replace(partner=masked_text(seen.partner)[:_LONGEST], kind=channel_type)
        sends = channel_type in SENDING
        if seen.saved:
            self.saved[name, seen.partner, seen.cells.get("XMITQ", "")] = seen
        key = (name, "" if sends else f"{seen.partner} {seen.qmgr} {seen.job}".rstrip())
        known = self.channels.get(key)
        if known is None:
            self.channels[key] = seen
            return
        batch, left = max(known, seen, key=_batch), min(known, seen, key=_left)
        counts = seen if _rank(known) < _rank(seen) else known
        self.channels[key] = counts._replace(
            indoubt=batch.indoubt,
            curmsgs=batch.curmsgs,
            shortrts=left.shortrts,
            longrts=left.longrts,
        )

    def add_depth(
        self,
        queue: str,
        *,
        depth: int | None = None,
        oldest: int | None = None,
        cells: Mapping[str, str] | None = None,
    ) -> None:
        """Add the depth of a queue, the age of its oldest message, or other columns."""
        known = self.depths.get(queue, events.QueueDepth(queue=queue))
        self.depths[queue] = replace(
            known,
            depth=known.depth if depth is None else depth,
            oldest=known.oldest if oldest is None else oldest,
            cells={**(known.cells or {}), **(cells or {})} or None,
        )

    def facts(self, qmgr: str, at: Instant, file: str | None, *, feed: str) -> Iterator[DatedFact]:
        """Yield the facts; their identities are made of the instant and of what they say."""
        for line, event in self.observations(qmgr):
            same = event  # an identity says nothing that earlier versions did not keep
            if isinstance(event, events.ChannelObserved):
                same = replace(event, kind=None)
            identity = f"{qmgr}/{feed}/{digest_of(f'{at}{same!r}')}"
            origin = None if file is None else events.Origin(file=file, line=line)
            yield DatedFact(at, replace(event, origin=origin), identity)

    def observations(self, qmgr: str) -> Iterator[tuple[int, events.Observation]]:
        """Yield the events with their lines, without origins."""
        line = self.line
        if self.status:
            yield (
                line,
                events.QueueManagerStatusObserved(
                    qmgr=qmgr,
                    status=self.status,
                    started=self.started,
                    cells=dict(self.cells) or None,
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
            cells = {each: dict(self.listener_cells.get(each, {})) for each in running}
            yield (
                line,
                events.ListenersObserved(
                    qmgr=qmgr,
                    running=running,
                    complete=pattern,
                    cells={each: shown for each, shown in cells.items() if shown} or None,
                ),
            )
        if self.depths:
            depths = tuple(depth for _, depth in sorted(self.depths.items()))
            yield line, events.DepthsObserved(qmgr=qmgr, depths=depths)
        for (channel, _), seen in sorted(self.channels.items()):
            yield seen.line, _observed(qmgr, channel, seen)
        for (channel, *_), seen in sorted(self.saved.items()):
            if seen not in self.channels.values():
                yield seen.line, _observed(qmgr, channel, seen._replace(indoubt=None, curmsgs=None))
        for complete, shown in sorted(self.listed.items()):
            yield line, events.ChannelsListed(qmgr=qmgr, complete=complete, shown=shown)


def _observed(qmgr: str, channel: str, seen: SeenChannel) -> events.ChannelObserved:
    """Return the observation of one instance of a channel, without an origin."""
    return events.ChannelObserved(
        qmgr=qmgr,
        channel=channel,
        status=seen.status or None,
        indoubt=seen.indoubt,
        curmsgs=seen.curmsgs,
        instance=seen.partner,
        shortrts=seen.shortrts,
        longrts=seen.longrts,
        kind=seen.kind or None,
        partner=seen.qmgr or None,
        began=seen.began,
        repeated=seen.repeated or None,
        saved=seen.saved or None,
        cells=dict(seen.cells) or None,
    )
