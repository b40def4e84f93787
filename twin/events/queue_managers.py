"""Queue managers: created, started, ended, deleted, altered, observed."""

from __future__ import annotations

from twin.events.base import Event, Observation, Values, event


@event
class QueueManagerCreated(Event):
    """crtmqm created a queue manager with the default objects of its command level."""

    qmid: str
    cmdlevel: int
    platform: str


@event
class QueueManagerFirstSeen(Observation):
    """An observation named an unknown queue manager; it is assumed to be running."""

    qmid: str
    cmdlevel: int
    platform: str


@event
class QueueManagerStarted(Event):
    """strmqm started a queue manager."""


@event
class QueueManagerEnded(Event):
    """endmqm ended a queue manager."""


@event
class QueueManagerDeleted(Event):
    """dltmqm deleted a queue manager; other queue managers keep their records of it."""


@event
class QueueManagerAltered(Event):
    """Attributes of the queue manager itself were set."""

    values: Values


@event
class QueueManagerObserved(Observation):
    """Attributes of the queue manager itself were observed; others are unchanged."""

    values: Values
