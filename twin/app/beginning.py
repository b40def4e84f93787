"""Say of an answer about an instant before the log begins that nothing is known of it.

Without that line an empty answer would look like that of an estate with nothing in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from twin.fold.estate import NoSuchQueueManager
from twin.log import Log
from twin.model.instants import AsOf, format_instant


class BeforeLog(NoSuchQueueManager, message="{}"):
    """A queue manager of which nothing is known, because the log begins after the instant."""


def beginning_of(log: Log, point: AsOf) -> tuple[str, ...]:
    """Return a line about the beginning of the log if a point lies before it; else none.

    A log without any event has no such line.
    """
    begins = log.begins_at(branch=point.branch, known=point.position)
    if begins is None:
        if not log.head(point.branch).position:
            return ()
        return (f"nothing had been recorded by {format_instant(point.known)}",)
    if begins <= point.valid:
        return ()
    valid = format_instant(point.valid)
    return (f"the log begins at {format_instant(begins)}: nothing is known of {valid}",)


@contextmanager
def not_before(log: Log, point: AsOf) -> Iterator[None]:
    """Say that the log begins later, in place of that a queue manager does not exist at a point.

    Raises:
        BeforeLog: if a queue manager is not found, and the point lies before the log.
    """
    try:
        yield
    except NoSuchQueueManager as error:
        if lines := beginning_of(log, point):
            raise BeforeLog(lines[0]) from error
        raise
