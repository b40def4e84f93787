"""Queue managers: created, started, ended, deleted, altered, observed."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from twin.events.base import Event, Observation, Values, event, value


@value
class ConfigurationFile:
    """A file of an automatic configuration: its name without folders, and its text."""

    name: str
    text: str


@value
class AutomaticConfiguration:
    """What crtmqm -ii, -ic and -iv gave a queue manager; strmqm applies it at every start.

    Attributes:
        ini: the ini files, in order.
        mqsc: the MQSC scripts, in order.
        variables: the variables of -iv.
    """

    ini: tuple[ConfigurationFile, ...] = ()
    mqsc: tuple[ConfigurationFile, ...] = ()
    variables: dict[str, str] = Field(default_factory=dict)


@event
class QueueManagerCreated(Event):
    """crtmqm created a queue manager with the default objects of its command level.

    `fix_pack` is the last number of its VERSION, None for 0.
    """

    qmid: str
    cmdlevel: int
    platform: str
    configuration: AutomaticConfiguration | None = None
    fix_pack: int | None = None


@event
class QueueManagerFirstSeen(Observation):
    """An observation named an unknown queue manager; it is assumed to be running."""

    qmid: str
    cmdlevel: int
    platform: str


@event
class QueueManagerIdentified(Event):
    """A queue manager whose first observation said no QMID has this one: it was seen elsewhere."""

    understood_since: ClassVar[str] = "0.2.0"

    qmid: str


@event
class QueueManagerStarted(Event):
    """strmqm started a queue manager."""


@event
class QueueManagerEnded(Event):
    """endmqm ended a queue manager; or, with `failed`, its repository manager did.

    `listeners` are those that go on running, because their CONTROL is not QMGR.
    """

    failed: bool = False
    listeners: tuple[str, ...] = ()


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
