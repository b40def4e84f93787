"""The life of a queue manager."""

from __future__ import annotations

from twin.events.base import Event, Observation, Values, event


@event
class QueueManagerCreated(Event):
    """crtmqm made a queue manager with the default objects of its command level."""

    qmid: str
    cmdlevel: int
    platform: str


@event
class QueueManagerFirstSeen(Observation):
    """An observation named a queue manager that the log did not know; it is taken as running."""

    qmid: str
    cmdlevel: int
    platform: str


@event
class QueueManagerStarted(Event):
    """strmqm brought a queue manager up."""


@event
class QueueManagerEnded(Event):
    """endmqm took a queue manager down."""


@event
class QueueManagerDeleted(Event):
    """dltmqm removed a queue manager; what others believe of it stays."""


@event
class QueueManagerAltered(Event):
    """Attributes of the queue manager itself were set."""

    values: Values


@event
class QueueManagerObserved(Observation):
    """Attributes of the queue manager itself were seen; those not named stay as they were."""

    values: Values
