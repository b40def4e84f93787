"""The cluster that messages are put in: a queue with 100 instances, and the sender."""

from __future__ import annotations

from typing import Final

from twin import events
from twin.app.acting import COMMAND, Fact
from twin.app.twin import Twin
from twin.model.instants import MINUTE, Instant, parse_instant

START: Final = parse_instant("2026-01-01T00:00:00Z", now=0)
"""The instant at which the first queue manager joins."""

INSTANCES: Final = 100
READY: Final = START + (INSTANCES + 2) * MINUTE
"""The instant at which all have joined."""

CLUSTER: Final = "CA"
QUEUE: Final = "ORDERS"
FULL: Final = "FR"
SENDER: Final = "QMS"
OWNERS: Final = tuple(f"QM{number:03}" for number in range(INSTANCES))

_LARGE: Final = "MAXDEPTH(999999999)"


def set_up(twin: Twin) -> None:
    """Let the full repository, the sender and the owners of the queue join, a minute apart."""
    for number, name in enumerate((FULL, SENDER, *OWNERS)):
        control = events.ControlCommandEntered
        script = [_channel(name, "CLUSRCVR")]
        script += [f"ALTER QMGR REPOS({CLUSTER})"] if name == FULL else [_channel(FULL, "CLUSSDR")]
        if name in OWNERS:
            script.append(f"DEFINE QLOCAL({QUEUE}) CLUSTER({CLUSTER}) DEFBIND(NOTFIXED) {_LARGE}")
        facts: list[events.Event] = [
            control(qmgr=name, command="crtmqm", arguments=("cmdlevel=940", "platform=UNIX")),
            control(qmgr=name, command="strmqm"),
            *(events.CommandEntered(qmgr=name, text=text) for text in script),
        ]
        _record(twin, facts, START + number * MINUTE)


def cut_off(twin: Twin, at: Instant) -> None:
    """Cut the network between the sender and all queue managers that have the queue."""
    _record(twin, [events.LinkChanged(qmgr=SENDER, other=name, cut=True) for name in OWNERS], at)


def _record(twin: Twin, asked: list[events.Event], at: Instant) -> None:
    outcomes = twin.record([Fact(fact, COMMAND) for fact in asked], at=at)
    assert not any(outcome.failed for outcome in outcomes)


def _channel(name: str, channel_type: str) -> str:
    address = f"CONNAME('{name.lower()}(1414)')"
    return f"DEFINE CHANNEL({CLUSTER}.{name}) CHLTYPE({channel_type}) {address} CLUSTER({CLUSTER})"
