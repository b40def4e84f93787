"""The ledger of a sandbox: what each event does to the number of messages, and to their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tests.sandbox import Sandbox
from twin import events
from twin.events import Parcel
from twin.fold.estate import Estate, QueueManager
from twin.fold.parcels import count_of
from twin.fold.replay import apply
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE
from twin.model.objects import number_of
from twin.rules.queues.local_queues import local_queue


class Entry(NamedTuple):
    """What one event says of the number of messages.

    Attributes:
        on_queues: how many more messages are on queues after it.
        accounts: how many more are in each account.
    """

    on_queues: int
    accounts: dict[str, int]


def _of_shares(event: Any) -> int:
    return sum(share.count for share in event.shares)


def _put(event: events.MessagesPut) -> Entry:
    return Entry(_of_shares(event), {"put": _of_shares(event)})


def _arrived(event: events.MessagesArrived | events.MessagesReturned) -> Entry:
    count = count_of(event.parcels)
    return Entry(count, {"in flight": -count})


def _circulated(event: events.MessagesCirculated) -> Entry:
    count = count_of(event.parcels)
    return Entry(0, {"in flight": -count, "circulating": count})


def _redirected(event: events.MessagesRedirected) -> Entry:
    return Entry(_of_shares(event), {"in flight": -count_of(event.parcels)})


def _handled(event: events.DeadLettersHandled) -> Entry:
    if event.action == "DISCARD":
        return Entry(-event.count, {"got": event.count})
    return Entry(_of_shares(event) - event.count, {})


LOSSES: Final = {"cleared": "cleared", "deleted": "gone"}
"""Why messages are lost -> their account, if it is not 'lost'."""


def _lost(event: events.MessagesLost) -> Entry:
    lost = {LOSSES.get(event.why, "lost"): event.count}
    if event.why == "discarded":
        return Entry(0, {**lost, "in flight": -event.count})
    return Entry(-event.count, lost)


ENTRIES: Final[dict[type[events.Event], Callable[[Any], Entry]]] = {
    events.MessagesPut: _put,
    events.ClusterCommandsPut: lambda _: Entry(1, {"put": 1}),
    events.MessagesSent: lambda sent: Entry(-sent.count, {"in flight": sent.count}),
    events.MessagesArrived: _arrived,
    events.MessagesReturned: _arrived,
    events.MessagesRedirected: _redirected,
    events.MessagesCirculated: _circulated,
    events.MessagesGot: lambda got: Entry(-got.count, {"got": got.count}),
    events.ClusterCommandsTaken: lambda taken: Entry(-taken.count, {"got": taken.count}),
    events.DeadLettersHandled: _handled,
    events.MessagesLost: _lost,
}
"""Every event that changes the number of messages on queues; no other event may do so.

None of them doubles a message: a batch in doubt has not arrived, so that RESOLVE CHANNEL cannot
send it twice, and a restore leaves messages where they are (decision 9).
"""


@dataclass
class Ledger:
    """Follows the events of a sandbox, and checks each of them."""

    sandbox: Sandbox
    estate: Estate = field(default_factory=Estate)
    accounts: Counter[str] = field(default_factory=Counter)
    rerouted: set[int] = field(default_factory=set)
    followed: int = 0

    def follow(self) -> None:
        """Fold the new events, and check what each does to the queues of its queue manager."""
        for at, event in self.sandbox.draft.events[self.followed :]:
            self.followed += 1
            self._note_rerouted(event)
            before = _depths(self.estate.qmgrs.get(event.qmgr))
            apply(self.estate, event, at, self.followed)
            after = _depths(self.estate.qmgrs.get(event.qmgr))
            entry = ENTRIES[type(event)](event) if type(event) in ENTRIES else Entry(0, {})
            assert sum(after.values()) - sum(before.values()) == entry.on_queues, event
            self.accounts.update(entry.accounts)
            assert min(self.accounts.values(), default=0) >= 0, event

    def check(self) -> None:
        """Check that every message that was put is somewhere, or was taken off by an event.

        A queue has at most MAXDEPTH messages, unless MAXDEPTH became smaller.
        """
        before = {name: _depths(qmgr) for name, qmgr in self.estate.qmgrs.items()}
        self.follow()
        for name, qmgr in self.estate.qmgrs.items():
            for queue, depth in _depths(qmgr).items():
                was, defined = before.get(name, {}).get(queue, 0), local_queue(qmgr, queue)
                assert defined is None or depth <= max(was, number_of(defined, "MAXDEPTH"))
        accounts = self.accounts
        gone = sum(accounts[name] for name in ("got", "cleared", "gone", "lost", "circulating"))
        on_queues = sum(parcel.count for parcel in lying(self.sandbox.estate))
        assert accounts["put"] + accounts["doubled"] == on_queues + gone
        assert not accounts["in flight"]

    def _note_rerouted(self, event: events.Event) -> None:
        """Note the puts whose messages an event takes out of their order."""
        match event:
            case events.MessagesReallocated():
                self.rerouted.update(move.put for move in event.moves)
            case events.MessagesRedirected() | events.MessagesReturned():
                self.rerouted.update(parcel.put for parcel in event.parcels)
            case events.TransmissionQueueSwitched() if event.stranded:
                stranded = self.estate.qmgrs[event.qmgr].messaging.waiting.values()
                self.rerouted.update(
                    parcel.put for waiting in stranded for parcel in waiting.get(event.channel, ())
                )
            case events.DeadLettersHandled():
                parcels = self.estate.qmgrs[event.qmgr].messaging.local[event.queue]
                self.rerouted.update(parcel.put for parcel in parcels)

    def check_order(self) -> None:
        """Check that messages are in the order of their puts.

        Nonpersistent messages may overtake others on a channel, and messages that were rerouted
        have no order.
        """
        for qmgr in self.estate.qmgrs.values():
            messaging = qmgr.messaging
            channels = [each for queue in messaging.waiting.values() for each in queue.values()]
            for parcels in (*messaging.local.values(), *channels):
                by: dict[tuple[str, bool], list[int]] = {}
                for each in parcels:
                    if each.put not in self.rerouted:
                        by.setdefault((each.by, each.persistent), []).append(each.put)
                assert all(found == sorted(found) for found in by.values())


def _depths(qmgr: QueueManager | None) -> dict[str, int]:
    """Return how many messages are on each queue of a queue manager."""
    if qmgr is None or not qmgr.has_messaging:
        return {}
    messaging = qmgr.messaging
    return {queue: messaging.depth(queue) for queue in (*messaging.local, *messaging.waiting)}


def lying(estate: Estate) -> Iterator[Parcel]:
    """Go through all messages on all local queues; a message on anything else has vanished."""
    for qmgr in estate.qmgrs.values():
        for queue, parcels in qmgr.messaging.local.items():
            if is_local(qmgr, queue):
                yield from parcels
        for queue in qmgr.messaging.waiting:
            if is_local(qmgr, queue):
                yield from qmgr.messaging.on(queue)


def is_local(qmgr: QueueManager, name: str) -> bool:
    """Return whether a name is that of a local queue; the repository manager always has its own."""
    always = name in (CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE)
    return always or local_queue(qmgr, name) is not None
