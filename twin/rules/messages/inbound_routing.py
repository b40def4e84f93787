"""What came over a channel goes on: as definitions here say, or to another instance.

Sources: IBM MQ 9.4, "Queue manager aliases and clusters"; IBM MQ, "Cluster-administration
considerations", "What happens if I put-disable a cluster queue?". As many go as there is room for
on the queues they go on by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from twin.events import MessagesRedirected, Parcel, Share
from twin.fold.estate import QueueManager
from twin.fold.queue_contents import split
from twin.model.objects import Definition, text_of
from twin.rules.draft import Draft
from twin.rules.messages import capacity, destinations, dividing, outbound
from twin.rules.messages.resolved import Resolved
from twin.rules.workload.context import profile_of
from twin.rules.workload.rules import VERSION


class Arrival(NamedTuple):
    """The way on which messages came: who sent them to whom, over which channel."""

    draft: Draft
    receiver: QueueManager
    sender: QueueManager
    channel: str

    @property
    def receiving(self) -> Definition | None:
        """The receiving end of the channel."""
        return self.receiver.definitions.get(("CHANNEL", self.channel))

    @property
    def is_fast(self) -> bool:
        """Whether non-persistent messages may be discarded, as NPMSPEED says."""
        sending = self.sender.definitions.get(("CHANNEL", self.channel))
        by = sending if sending is not None and sending.type != "CLUSSDR" else self.receiving
        return by is None or text_of(by, "NPMSPEED") == "FAST"

    @property
    def is_clustered(self) -> bool:
        """Whether the channel is one of a cluster."""
        return self.receiver.channels.get(self.channel) == "CLUSRCVR"

    def is_free(self, parcel: Parcel) -> bool:
        """Say whether messages may go to another instance."""
        return self.is_clustered and not parcel.fixed and not parcel.redirected


def send_on(
    came: Arrival, resolved: Resolved, parcels: list[Parcel], reason: int
) -> tuple[list[Parcel], int]:
    """Send alike messages on: as definitions say, or for a reason to another instance than this.

    Return those for which there is no way on, or no room, and the reason code of that.
    """
    if resolved.reason:
        return parcels, resolved.reason
    division = _division(came, resolved, reason)
    while parcels and not division.reason:
        lying = partial(capacity.as_laid, _like(parcels[0], resolved, reason))
        shares = cache(division.shares)
        count = sum(parcel.count for parcel in parcels)
        laid, fits, full = capacity.portion(came.draft, came.receiver, shares, count, lying)
        going, parcels = split(parcels, laid)
        if going:
            _redirect(came, resolved, going, shares(laid), reason)
        if laid == fits:
            return parcels, full.reason
        division = division.behind(laid)
    return parcels, division.reason


def candidates(came: Arrival, resolved: Resolved, reason: int) -> destinations.Candidates:
    """Collect what there is to choose from for messages that go on; for a reason not this."""
    receiver = came.receiver
    without = {receiver.qmid} if reason else set()
    return destinations.candidates(receiver, resolved, arrived=came.is_clustered, without=without)


def _division(came: Arrival, resolved: Resolved, reason: int) -> dividing.Division:
    """Say how messages that go on divide; for a reason they do not stay here."""
    draft, receiver = came.draft, came.receiver
    if not resolved.clustered:
        return dividing.along(draft, destinations.unclustered(receiver, resolved, 1))
    plan = candidates(came, resolved, reason).plan()
    division = dividing.by_plan(draft, receiver, resolved, plan).at_bases(receiver)
    return division._replace(reason=plan.reason)


def _like(parcel: Parcel, resolved: Resolved, reason: int) -> Parcel:
    """Give messages as they are once they go on from here."""
    return replace(
        parcel,
        hops=parcel.hops + 1,
        redirected=parcel.redirected or bool(reason),
        fixed=parcel.fixed or resolved.fixed,
    )


def _redirect(
    came: Arrival, resolved: Resolved, parcels: list[Parcel], shares: Sequence[Share], reason: int
) -> None:
    """Record which way messages go on, and let them leave."""
    draft, receiver = came.draft, came.receiver
    draft.emit(
        MessagesRedirected(
            qmgr=receiver.name,
            sender=came.sender.name,
            channel=came.channel,
            parcels=tuple(parcels),
            shares=tuple(shares),
            reason=reason,
            profile=profile_of(receiver.cmdlevel) if resolved.clustered else "",
            version=VERSION,
            fixed=resolved.fixed,
        )
    )
    for channel, to in dict.fromkeys((share.channel, share.to) for share in shares):
        if channel:
            outbound.forward(draft, receiver, channel, to)
