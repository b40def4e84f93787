"""Find what a receiver would do with messages that arrive over a channel; `inbound` does it.

Messages from outside the clusters, and messages put for this queue manager by name, are for the
local object of their name. The cluster chooses only if a definition leads into it, such as a queue
manager alias with a blank RQMNAME.

Sources: IBM MQ 9.0, "CLWLUSEQ queue attribute" (messages from a cluster channel stay at a local
instance); 9.4, "Queue manager aliases and clusters"; USEDLQ and NPMSPEED of "Channel attributes".
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.events import Parcel
from twin.fold.beliefs import Names
from twin.fold.estate import QueueManager
from twin.model.amounts import MOST_AT_ONCE
from twin.model.objects import Definition, text_of
from twin.model.reasons import NOT_AUTHORIZED
from twin.rules import membership
from twin.rules.draft import Draft
from twin.rules.messages import authority, destinations
from twin.rules.messages.destinations import UNRESOLVED, Candidates, Resolver
from twin.rules.path.resolved import Resolved
from twin.rules.queues.local_queues import NO_ROOM, dead_letter_queue, depth_left

_STAYS: Final = frozenset({*NO_ROOM, NOT_AUTHORIZED})
"""The reason codes for which messages are not sent to another instance."""

MOST_HOPS: Final = 16
"""How many queue managers forward a message before the twin says that it circulates.

MQ has no such limit: each arrival is an MQOPEN and MQPUT of its own, so a message in a loop of
definitions goes round for ever [inferred].
"""


class CommandQueueReached(NamedTuple):
    """A happening: messages have arrived on the command queue of a queue manager."""

    receiver: QueueManager


class Arrival(NamedTuple):
    """A delivery: the sender, the receiver, and the channel between them."""

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
        """Whether the channel may discard nonpersistent messages (NPMSPEED(FAST))."""
        sending = self.sender.definitions.get(("CHANNEL", self.channel))
        end = sending if sending is not None and sending.type != "CLUSSDR" else self.receiving
        return end is None or text_of(end, "NPMSPEED") == "FAST"

    @property
    def is_clustered(self) -> bool:
        """Whether the channel is a cluster channel."""
        return self.receiver.channels.get(self.channel) == "CLUSRCVR"

    @property
    def dead_letter_queue(self) -> str:
        """The dead-letter queue that the channel may use; '' if there is none."""
        return dead_letter_queue(self.receiver, self.receiving)

    def is_free(self, parcel: Parcel) -> bool:
        """Return whether messages may go to another instance.

        They may if they arrived over a cluster channel, are not bound, and were not redirected to
        another instance before [inferred].
        """
        return self.is_clustered and not parcel.fixed and not parcel.redirected

    def goes_elsewhere(self, parcel: Parcel, reason: int) -> bool:
        """Return whether another instance is looked for if messages cannot be put with a reason.

        The sources name a queue that is put-disabled or gone, and an alias whose target is not here
        ("What happens if I put-disable a cluster queue?"; "Re-allocation"). A full queue (2053) is
        no reason, nor is a lack of authority (2035): the messages go to the dead-letter queue
        (decisions 14 and 76).
        """
        return reason not in _STAYS and self.is_free(parcel)

    def candidates(self, resolved: Resolved, reason: int) -> Candidates:
        """Return the candidates for messages that are forwarded.

        With a reason code, the messages cannot stay here, so the receiver is not a candidate.
        """
        without = {self.receiver.qmid} if reason else set()
        return destinations.candidates(
            self.receiver, resolved, arrived=self.is_clustered, without=without
        )

    def resolve(self, resolver: Resolver, first: Parcel) -> tuple[Resolved, int]:
        """Resolve the queue name of the messages at the receiver; also return the reason code."""
        resolved = resolver.arrived(first.queue, first.named, bound=bool(first.fixed))
        if (caller := first.caller) is not None:
            found = authority.on_arrival(self.receiver, self.receiving, resolved, caller)
            if found is not None and found.granted is False:
                return resolved, NOT_AUTHORIZED
        reason = resolved.refusal
        is_local = first.named in ("", self.receiver.name)
        if is_local and not reason and resolved.local and self.is_free(first):
            resolved = _higher_ranked(self, resolver, first) or resolved
        return resolved, reason

    def asks_for(self, parcel: Parcel) -> Names:
        """Ask for the name of messages that are about to arrive, as an MQOPEN does.

        Return the names for whose answers the channel has to wait; () if it need not. A message of
        a cluster channel that is not bound waits at a gateway even if the name is defined there,
        because a cluster may have an instance with a higher rank [inferred].
        """
        return self._awaited(Resolver(self.draft, self.receiver), parcel)

    def may_wait_for(self, parcel: Parcel) -> bool:
        """Return whether the channel may have to wait before such messages are put; ask nothing."""
        resolver = Resolver(self.draft, self.receiver, asks=False)
        return bool(self._awaited(resolver, parcel)) or resolver.unasked

    def _awaited(self, resolver: Resolver, parcel: Parcel) -> Names:
        local = self.receiver.definitions.get(("QUEUE", parcel.queue))
        here = local is not None and local.type == "QLOCAL" and not local.is_put_inhibited
        if here and not self.looks_further(parcel, local):
            return ()
        resolved, reason = self.resolve(resolver, parcel)
        if reason and self.goes_elsewhere(parcel, reason):
            resolved = resolver.instances(parcel.queue)
        return resolver.awaited(failed=resolved.reason in UNRESOLVED)

    def looks_further(self, parcel: Parcel, local: Definition | None) -> bool:
        """Return whether messages for a local object are a gateway's to route.

        A gateway is in more clusters than the one that the messages came by. In one cluster, the
        sender has made the same choice already [inferred].
        """
        return (
            local is not None
            and self.is_free(parcel)
            and len(membership.clusters_joined(self.receiver)) > 1
            and bool(membership.clusters(self.receiver, local))
        )

    def space_for(self, parcel: Parcel) -> int:
        """Return how many such messages the receiver can surely put before it returns one.

        That is the free space on their queue and on the dead-letter queue. No records are
        requested.
        """
        if not parcel.persistent and self.is_fast:
            return MOST_AT_ONCE
        resolved, reason = self.resolve(Resolver(self.draft, self.receiver, asks=False), parcel)
        queues = {resolved.local if not reason else "", self.dead_letter_queue}
        definitions = self.receiver.definitions
        return sum(depth_left(self.receiver, definitions["QUEUE", name]) for name in queues if name)


def _higher_ranked(arrival: Arrival, resolver: Resolver, parcel: Parcel) -> Resolved | None:
    """Return the instances of a name if a remote one is preferred to the local one, else None.

    The choice is made again where messages arrive. Since 8.0, rank is applied before the local
    instance, so a gateway forwards them ("Cluster Workload management attributes and algorithm",
    the example with two clusters). Only a gateway requests the records of other instances.
    """
    local = arrival.receiver.definitions.get(("QUEUE", parcel.queue))
    if not arrival.looks_further(parcel, local):
        resolver = Resolver(arrival.draft, arrival.receiver, asks=False)
    resolved = resolver.resolve(parcel.queue)
    if not resolved.instances[1:]:
        return None
    plan = destinations.candidates(arrival.receiver, resolved, arrived=True).plan()
    if plan.reason or any(route.local for route in plan.left):
        return None
    return resolved
