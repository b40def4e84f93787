"""What was asked: primary facts, from which the rules derive what came of them."""

from __future__ import annotations

from twin.events.base import PrimaryFact, event


@event
class CommandEntered(PrimaryFact):
    """An MQSC command, well formed, was given to a queue manager, whatever came of it."""

    text: str


@event
class ControlCommandEntered(PrimaryFact):
    """A control command (crtmqm, strmqm, endmqm, dltmqm, runswchl) was run with these arguments."""

    command: str
    arguments: tuple[str, ...] = ()


@event
class QueueOpened(PrimaryFact):
    """An application called MQOPEN for a queue; `to` is its ObjectQMgrName, '' where blank.

    `handle` is what it calls the handle, '' where it closes it at once; `profile` names the
    workload algorithm, '' for that of the command level.
    """

    queue: str
    to: str = ""
    bind: str = "asqdef"
    handle: str = ""
    profile: str = ""


@event
class TimePassed(PrimaryFact):
    """Time was let pass up to this instant, of no queue manager in particular."""


@event
class LinkChanged(PrimaryFact):
    """The network between two queue managers was cut, healed, or made slower.

    What is None stays as it was. `latency` is in microseconds; both names are '' where it is that
    of every link not named.
    """

    other: str
    cut: bool | None = None
    latency: int | None = None
