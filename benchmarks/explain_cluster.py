"""The cluster that explanations are measured in: 1,000 queue managers and 10,000 queues.

All queue managers joined in the last days, so nothing is due before an answer: the log is as a live
scheduler keeps it.
"""

from __future__ import annotations

import random
import time
from typing import Final

from twin import events
from twin.app.acting import COMMAND, Fact
from twin.app.twin import Twin
from twin.model.instants import HOUR, MINUTE, Instant

QMGRS: Final = 1_000
QUEUES: Final = 10
INSTANCES: Final = 100
FULL: Final = 2
CLUSTER: Final = "CA"

SHARED: Final = "ORDERS"
"""The queue that the last `INSTANCES` queue managers have."""

ASKER: Final = "QM0500"
"""A partial repository that has opened the shared queue already."""

STRANGER: Final = "QM0002"
"""A partial repository that has opened nothing."""


def set_up(url: str, *, qmgrs: int = QMGRS) -> None:
    """Let queue managers join, the last one an hour ago; one application opens the queue.

    A tenth of them have the shared queue.
    """
    latest = time.time_ns() // 1000 - HOUR
    with Twin.open(url, clock=lambda: latest) as twin:
        for number in range(qmgrs):
            _join(twin, number, latest - (qmgrs - number) * MINUTE, qmgrs)
        asker = ASKER if qmgrs == QMGRS else _name(FULL)
        twin.open_queue(asker, SHARED, bind="notfixed", at=latest)
        twin.snapshot()


def strangers(count: int, chance: random.Random) -> list[tuple[str, str]]:
    """Choose partial repositories that have opened nothing, and for each a queue of another one."""
    askers = chance.sample(range(FULL, QMGRS - INSTANCES), count + 1)
    return [
        (_name(number), f"APP.{(QMGRS - number) * QUEUES - 1:05d}")
        for number in askers
        if _name(number) != ASKER
    ][:count]


def _join(twin: Twin, number: int, at: Instant, qmgrs: int) -> None:
    name = _name(number)
    control = events.ControlCommandEntered
    facts: list[events.Event] = [
        control(qmgr=name, command="crtmqm", arguments=("cmdlevel=940", "platform=UNIX")),
        control(qmgr=name, command="strmqm"),
        *(events.CommandEntered(qmgr=name, text=text) for text in _script(number, qmgrs)),
    ]
    outcomes = twin.record([Fact(fact, COMMAND) for fact in facts], at=at)
    assert not any(outcome.failed for outcome in outcomes)


def _script(number: int, qmgrs: int) -> list[str]:
    is_full = number < FULL
    to = 1 - number if is_full else number % FULL
    names = [f"APP.{number * QUEUES + place:05d}" for place in range(QUEUES)]
    if number >= qmgrs - qmgrs * INSTANCES // QMGRS:
        names[0] = SHARED
    return [
        *([f"ALTER QMGR REPOS({CLUSTER})"] if is_full else []),
        *(f"DEFINE QLOCAL({queue}) CLUSTER({CLUSTER})" for queue in names),
        _channel(_name(number), "CLUSRCVR"),
        _channel(_name(to), "CLUSSDR"),
    ]


def _channel(name: str, channel_type: str) -> str:
    address = f"CONNAME('{name.lower()}(1414)')"
    return f"DEFINE CHANNEL({CLUSTER}.{name}) CHLTYPE({channel_type}) {address} CLUSTER({CLUSTER})"


def _name(number: int) -> str:
    return f"QM{number:04d}"
