"""Open handles that bind open fixed to one queue manager.

Source: IBM MQ 9.4, "MQOO_BIND_ON_OPEN" in "MQOPEN": the queue manager is chosen at the MQOPEN, and
all messages of the handle go to it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from twin.events import Share
from twin.fold.estate import QueueManager
from twin.questions.sender_channels import messaging_of


class BoundHandle(NamedTuple):
    """An open handle.

    Attributes:
        on: the queue manager at which it is open.
        name: its name.
        queue: the name that was opened.
        bound: the destination.
    """

    on: str
    name: str
    queue: str
    bound: Share


def handles_bound_to(qmgrs: Iterable[QueueManager], qmids: Container[str]) -> Iterator[BoundHandle]:
    """Yield the open handles at queue managers that are bound to one of these QMIDs."""
    for qmgr in qmgrs:
        for name, handle in sorted(messaging_of(qmgr).handles.items()):
            if handle.bound is not None and handle.bound.to in qmids:
                yield BoundHandle(qmgr.name, name, handle.queue, handle.bound)
