"""Channels and listeners as they run."""

from __future__ import annotations

from typing import Any, ClassVar

from twin.events.base import Event, Observation, PrimaryFact, event
from twin.model.instants import Instant


def _never_disconnects(body: dict[str, Any]) -> dict[str, Any]:
    """Keep a channel running that was recorded before the disconnect interval had an effect."""
    return {**body, "discint": 0} if body["status"] == "RUNNING" else body


@event
class ChannelStatusChanged(Event):
    """A channel's status became `status` (MQSC's word); `reason` is the message that tells why.

    Of one that retries: `retries` are how often and every how many microseconds, short ones first,
    where these are not the usual ones; `gives_up` is the instant of the last, where there is one.
    Of one that runs: `discint` is after how many microseconds without a message it disconnects,
    where that is not the usual interval; 0 is never.
    """

    upcasts: ClassVar = (_never_disconnects,)

    channel: str
    status: str
    partner: str = ""
    reason: str = ""
    retries: tuple[int, int, int, int] | None = None
    gives_up: Instant | None = None
    discint: int | None = None


@event
class ChannelRetryAwaited(Event):
    """The retry of a channel at `at` will come to something.

    It will find its partner again, move messages that wait, or change its transmission queue.

    Without `at` the partner is gone again, and no retry is known that will.
    """

    channel: str
    at: Instant | None = None


@event
class ListenerStarted(Event):
    """A listener was started."""

    listener: str


@event
class ListenerStopped(Event):
    """A listener was stopped."""

    listener: str


@event
class ChannelObserved(Observation):
    """A channel was seen: what is None was not looked at.

    `status` is MQSC's word; `indoubt` is whether the batch waits for its confirmation, of
    `curmsgs` messages; `sent` non-persistent ones of it went outside syncpoint.
    """

    channel: str
    status: str | None = None
    indoubt: bool | None = None
    curmsgs: int | None = None
    sent: int | None = None


@event
class ChannelHeld(PrimaryFact):
    """A channel sends nothing though it runs; with `switch` it is its switch that does not end."""

    channel: str
    switch: bool = False


@event
class ChannelReleased(PrimaryFact):
    """What a channel was held back from goes on."""

    channel: str
    switch: bool = False


@event
class ChannelBatchInDoubt(Event):
    """The first `count` messages for a channel are in doubt; 0 when they are no longer."""

    channel: str
    count: int


@event
class MessagesAtRisk(Event):
    """`count` non-persistent messages for a fast channel went outside syncpoint and may be lost."""

    channel: str
    count: int


@event
class TransmissionQueueAssigned(Event):
    """A cluster-sender channel that never ran before has this transmission queue."""

    channel: str
    queue: str


@event
class TransmissionQueueSwitchBegan(Event):
    """A cluster-sender channel began to switch to another transmission queue as it started."""

    channel: str
    queue: str
    to: str


@event
class TransmissionQueueSwitched(Event):
    """A cluster-sender channel has this transmission queue now; nothing is left on the old one.

    With `stranded` messages it was switched without moving them (runswchl -n).
    """

    channel: str
    queue: str
    stranded: int = 0
