"""Messages that wait for a channel are chosen another route for, as it stops or fails.

Sources: IBM, "When does re-allocation occur?" (when a cluster-sender channel stops, and again at
each retry that fails; what is bound stays, and so does what still has the best destination); IBM MQ
9.4, "Example of a cluster with more than one instance of a queue" (what is in doubt stays; on z/OS
a forced stop interrupts a pass); "Working with cluster transmission queues and cluster-sender
channels" (the other route may have another transmission queue).

A pass that is interrupted looks at the first half of what it could [inferred]. Messages of several
puts that are chosen for together go one destination after the other, first things first: their
order is not kept by MQ either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from twin.events import MessagesReallocated, Move, Parcel, Share
from twin.fold.estate import ChannelState, QueueManager
from twin.model.instants import Instant
from twin.rules import association, destinations, forwarding
from twin.rules.destinations import Favourites
from twin.rules.draft import Draft
from twin.rules.workload.rules import VERSION

Cause: TypeAlias = Literal["stop", "retry"]


class Eligible(NamedTuple):
    """Messages that a pass looks at, and the transmission queue they lie on."""

    queue: str
    parcel: Parcel


def eligible(qmgr: QueueManager, channel: str) -> Iterator[Eligible]:
    """Go through the messages waiting for a channel that may go another way, first things first.

    Those may not that are bound, for a queue manager that was named, in doubt, or sent outside
    syncpoint already.
    """
    messaging = qmgr.messaging
    doubtful = messaging.in_doubt.get(channel, 0)
    risky = messaging.at_risk.get(channel, 0)
    for queue, parcel in association.waiting(qmgr, channel):
        count = parcel.count
        kept = min(doubtful, count)
        doubtful -= kept
        if not parcel.persistent:
            sent = min(risky, count - kept)
            risky -= sent
            kept += sent
        if parcel.to and not parcel.fixed and count > kept:
            yield Eligible(queue, parcel if not kept else replace(parcel, count=count - kept))


def run(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    cause: Cause,
    *,
    interrupted: bool = False,
    quiet: bool = False,
) -> None:
    """Make a pass: choose for all that may go another way, and let what does go at once.

    A `quiet` one that moves nothing is not recorded: it can be told from the channel's retries.
    """
    found = list(eligible(qmgr, channel))
    if interrupted:
        found = _first_half(found)
    going: dict[tuple[str, str], None] = {}
    stayed: dict[str, int] = {}
    for (queue, *_), parcels in _alike(found).items():
        count = sum(parcel.count for parcel in parcels)
        again = destinations.choose_again(draft, qmgr, parcels[0], count=count)
        if not again.shares:
            stayed[queue] = stayed.get(queue, 0) + count
            continue
        draft.emit(
            MessagesReallocated(
                qmgr=qmgr.name,
                channel=channel,
                queue=queue,
                cause=cause,
                moves=tuple(_moves(parcels, again.shares)),
                interrupted=interrupted,
                profile=again.profile,
                version=VERSION,
            )
        )
        going |= {(share.channel, share.to): None for share in again.shares if share.channel}
    for queue, count in stayed.items() if going or not quiet else ():
        draft.emit(
            MessagesReallocated(
                qmgr=qmgr.name,
                channel=channel,
                queue=queue,
                cause=cause,
                moves=(),
                stayed=count,
                interrupted=interrupted,
                version=VERSION,
            )
        )
    for other, to in going:
        forwarding.forward(draft, qmgr, other, to)


class Prospects:
    """What a pass of now would do at a queue manager; each name is chosen for once."""

    def __init__(self, draft: Draft, qmgr: QueueManager) -> None:
        """Look at nothing yet."""
        self._draft = draft
        self._qmgr = qmgr
        self._best: dict[tuple[str, str], Favourites] = {}

    def move(self, channel: str) -> bool:
        """Say whether anything that waits for a channel would be chosen another route for."""
        return any(
            not self._of(parcel.queue, parcel.named).keeps(parcel)
            for _, parcel in eligible(self._qmgr, channel)
        )

    def _of(self, queue: str, named: str) -> Favourites:
        found = self._best.get((queue, named))
        if found is None:
            found = destinations.favourites(self._draft, self._qmgr, queue, named)
            self._best[queue, named] = found
        return found


def last_pass(state: ChannelState, at: Instant) -> Instant | None:
    """Return the instant of the last pass for a channel up to an instant, None where none was.

    A stopped channel has one as it stops; a retrying one as it fails, and at each retry since.
    """
    if state.status == "STOPPED":
        return state.since
    return state.retries.last(state.since, at) if state.status == "RETRYING" else None


def put_at(draft: Draft, qmgr: QueueManager, channel: str, parcel: Parcel) -> Instant:
    """Return the instant that PutDate and PutTime of waiting messages show.

    Each pass that leaves them where they are renews it; one at which the choice fails does not, as
    it fails now.
    """
    state = qmgr.activity.channels.get(channel)
    last = last_pass(state, draft.at) if state is not None else None
    if state is None or last is None or last <= parcel.at:
        return parcel.at
    if last == state.since and parcel.put > state.position:
        return parcel.at
    best = destinations.favourites(draft, qmgr, parcel.queue, parcel.named)
    return last if best.keeps(parcel) and not best.reason else parcel.at


_Kind: TypeAlias = tuple[str, str, str, str]
"""What messages lie on, the queue and queue manager they are for, and their destination."""


def _alike(found: Iterable[Eligible]) -> dict[_Kind, list[Parcel]]:
    """Group messages for which the choice is the same, in the order in which they come."""
    groups: dict[_Kind, list[Parcel]] = {}
    for queue, parcel in found:
        groups.setdefault((queue, parcel.queue, parcel.named, parcel.to), []).append(parcel)
    return groups


def _first_half(found: list[Eligible]) -> list[Eligible]:
    left = sum(parcel.count for _, parcel in found) // 2
    half: list[Eligible] = []
    for queue, parcel in found:
        taken = min(parcel.count, left)
        left -= taken
        if taken:
            half.append(Eligible(queue, replace(parcel, count=taken)))
    return half


def _moves(parcels: Iterable[Parcel], shares: Iterable[Share]) -> Iterator[Move]:
    """Divide shares between the puts that the messages came from; each is counted once."""
    coming = iter(parcels)
    put, left = 0, 0
    for share in shares:
        rest = share
        while rest.count:
            if not left:
                parcel = next(coming)
                put, left = parcel.put, parcel.count
            taken = min(left, rest.count)
            yield Move(put=put, share=replace(rest, count=taken))
            left -= taken
            rest = destinations.uncounted(rest, rest.count - taken)
