"""A sender, two hosts of ORD and one of PAY, with actions on messages and channels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.sandbox import Sandbox
from twin import events
from twin.events import Event, Parcel
from twin.fold.estate import ChannelState
from twin.fold.messaging import Messaging
from twin.rules.channels.switching import Switching
from twin.rules.deriving import derive

DEFAULT = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"


class Scene(Sandbox):
    """A sandbox in which the sender is QMS."""

    @property
    def messaging(self) -> Messaging:
        """The sender's messaging."""
        return self.estate.qmgr("QMS").messaging

    def send(self, queue: str = "ORD", count: int = 1, **options: Any) -> None:
        """Put messages at the sender, by default not bound."""
        options = {"bind": "notfixed", **options}
        derive(self.draft, events.PutEntered(qmgr="QMS", queue=queue, count=count, **options))

    def hold(self, channel: str, *, switch: bool = False) -> None:
        """Hold a channel of the sender."""
        derive(self.draft, events.ChannelHeld(qmgr="QMS", channel=channel, switch=switch))

    def release(self, channel: str, *, switch: bool = False) -> None:
        """Release it."""
        derive(self.draft, events.ChannelReleased(qmgr="QMS", channel=channel, switch=switch))

    def observe(self, channel: str, qmgr: str = "QMS", **seen: Any) -> None:
        """Observe the status of a channel."""
        derive(self.draft, events.ChannelObserved(qmgr=qmgr, channel=channel, **seen))

    def cut(self, other: str, *, cut: bool = True) -> None:
        """Cut the link between the sender and another queue manager, or heal it."""
        derive(self.draft, events.LinkChanged(qmgr="QMS", other=other, cut=cut))

    def runswchl(self, channel: str, *arguments: str) -> tuple[Switching, ...]:
        """Switch channels of the sender that are not running."""
        event = events.ControlCommandEntered(
            qmgr="QMS", command="runswchl", arguments=(f"c={channel}", *arguments)
        )
        return derive(self.draft, event).switched

    def state(self, channel: str) -> ChannelState | None:
        """Return the state of a channel of the sender."""
        return self.estate.qmgr("QMS").activity.channels.get(channel)

    def status(self, channel: str) -> str:
        """Return its status in MQSC."""
        state = self.state(channel)
        return state.status if state is not None else "INACTIVE"

    def waiting(self, channel: str) -> dict[str, int]:
        """Count the messages that wait for a channel, by transmission queue."""
        found: dict[str, int] = {}
        for queue, parcel in self.lying_for(channel):
            found[queue] = found.get(queue, 0) + parcel.count
        return found

    def parcels(self, channel: str) -> list[Parcel]:
        """List the parcels that wait for a channel, in order."""
        return [parcel for _, parcel in self.lying_for(channel)]

    def lying_for(self, channel: str) -> Iterator[tuple[str, Parcel]]:
        """Iterate over the parcels for a channel on any transmission queue, also stranded ones."""
        for queue, channels in self.messaging.waiting.items():
            for parcel in channels.get(channel, ()):
                yield queue, parcel

    def depth(self, name: str, queue: str = "ORD") -> int:
        """Count the messages on a queue."""
        return super().depth(name, queue)

    def told(self, kind: type[Event]) -> list[Any]:
        """List the events of a type."""
        return [event for _, event in self.draft.events if isinstance(event, kind)]

    def logged(self) -> list[tuple[str, ...]]:
        """List the entries of the error logs, but not that QMS is the only full repository."""
        entries = [(event.id, *event.inserts) for event in self.told(events.ErrorLogged)]
        return [entry for entry in entries if entry != ("AMQ9418", "CA")]


def scene(*, receiver: str = "", platform: str = "UNIX") -> Scene:
    """Make a full repository that sends, QM3 with ORD and PAY, and QM4 with ORD.

    `receiver` are attributes of the CLUSRCVR of QM3.
    """
    made = Scene()
    made.control("crtmqm", "QMS", f"platform={platform}")
    made.control("strmqm", "QMS")
    made.create("QM3", "QM4")
    made.full("QMS").member("QM3", "QMS").member("QM4", "QMS")
    if receiver:
        made.run("QM3", f"ALTER CHANNEL(CA.QM3) CHLTYPE(CLUSRCVR) {receiver}")
    for name in ("QM3", "QM4"):
        made.run(name, "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    made.run("QM3", "DEFINE QLOCAL(PAY) CLUSTER(CA)")
    for name in ("QM3", "QM4"):
        made.run("QMS", f"START CHANNEL(CA.{name})")
    return made
