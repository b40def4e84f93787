"""Commands: primary facts, from which the rules derive the consequences."""

from __future__ import annotations

from twin.events.base import Caller, PrimaryFact, event
from twin.events.queue_managers import AutomaticConfiguration


@event
class CommandEntered(PrimaryFact):
    """A well-formed MQSC command was given to a queue manager; it may have failed."""

    text: str


@event
class ControlCommandEntered(PrimaryFact):
    """A control command (crtmqm, strmqm, ..., runswchl, runmqdlq) was run with these arguments.

    Only crtmqm has a `configuration`.
    """

    command: str
    arguments: tuple[str, ...] = ()
    configuration: AutomaticConfiguration | None = None


@event
class QueueOpened(PrimaryFact):
    """An application called MQOPEN for a queue; `to` is the ObjectQMgrName, '' for blank.

    `handle` is the name of the handle, '' if it is closed at once. `profile` is the workload
    algorithm, '' for the default of the command level. Without a `caller` no authority is checked.
    """

    queue: str
    to: str = ""
    bind: str = "asqdef"
    handle: str = ""
    profile: str = ""
    caller: Caller | None = None


@event
class TimePassed(PrimaryFact):
    """Time passed up to this instant; the event belongs to no queue manager."""


@event
class ReadingChosen(PrimaryFact):
    """A reading was chosen for the whole estate: what to do where documents are silent.

    `qmgr` is ''; the readings and their values are in `twin.model.readings`.
    """

    reading: str
    value: str


@event
class LinkChanged(PrimaryFact):
    """The network between two queue managers was cut, healed, or delayed.

    None means unchanged. `latency` is in microseconds; if both names are '', it is the latency of
    all links without one of their own. `silent`: the link was cut and neither end is informed,
    because packets vanish. If `other` is an address, HOST(PORT), nothing is cut but what is sent
    there: it leads no longer to the queue manager.
    """

    other: str
    cut: bool | None = None
    latency: int | None = None
    silent: bool = False
