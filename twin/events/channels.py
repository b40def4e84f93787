"""Channels and listeners as they run."""

from __future__ import annotations

from twin.events.base import Event, event


@event
class ChannelStatusChanged(Event):
    """A channel's status became `status` (MQSC's word); `reason` is the message that tells why."""

    channel: str
    status: str
    partner: str = ""
    reason: str = ""


@event
class ChannelRetryAwaited(Event):
    """The partner of a retrying channel can be reached again: the retry at `at` will find it.

    Without `at` it is gone again, and no retry is known that will.
    """

    channel: str
    at: int | None = None


@event
class ListenerStarted(Event):
    """A listener was started."""

    listener: str


@event
class ListenerStopped(Event):
    """A listener was stopped."""

    listener: str
