"""Cluster channels: their status, their retries and their transmission queue.

Sources: IBM MQ 9.1, "Long retry interval"; 7.5, "Short retry interval"; 9.4, "Working with cluster
transmission queues and cluster-sender channels"; 9.4, "DEFINE CHANNEL" (DISCINT).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.questions.answer import Answer, Row
from twin.questions.belief import observers
from twin.questions.sender_channels import RETRYING, SenderChannels, inbound
from twin.rules import membership
from twin.rules.channels import disconnecting

INACTIVE: Final = "INACTIVE"


_Arrivals: TypeAlias = dict[tuple[str, str], list[ChannelState]]
_Found: TypeAlias = tuple[Row, tuple[int, ...]]


def channels(
    estate: Estate, as_of: AsOf, *, on: str | None = None, channel: str | None = None
) -> Answer:
    """List the cluster channels of queue managers: how they are, since when, and by which queue.

    All cluster-senders that are defined, or known from a cluster, and the CLUSRCVRs, which run
    while any partner's channel does. One that has disconnected is INACTIVE since it did.
    `attempts` is how many retries have failed, `next_retry` the next one. `xmitq` is the
    transmission queue in use, of a channel that was never started the one it would have, of several
    that are equal the first by name; `pending_xmitq` is the one it is being switched to, or will be
    when it starts. `reason` is the message that says why it failed, or could not start.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    rows, evidence = [], []
    arrivals = inbound(estate, as_of.valid)
    for qmgr in observers(estate, on):
        found = [
            *_senders(qmgr, as_of.valid, channel),
            *_receivers(qmgr, arrivals, as_of.valid, channel),
        ]
        for row, positions in sorted(found, key=lambda each: str(each[0]["channel"])):
            rows.append(row)
            evidence.append(positions)
    return Answer.of("channels", as_of, rows, evidence)


def _senders(qmgr: QueueManager, at: Instant, only: str | None) -> Iterator[_Found]:
    senders = SenderChannels(qmgr)
    for name in senders.names():
        if only not in (None, name):
            continue
        recorded, state = senders.state(name), senders.current(name, at)
        association = senders.association(name)
        row: Row = {
            "on": qmgr.name,
            "channel": name,
            "status": state.status if state else INACTIVE,
            "since": state.since if state else disconnecting.disconnected_at(qmgr, name, at),
            "next_retry": senders.next_retry(name, at),
            "attempts": _attempts(state, at),
            "xmitq": association.queue,
            "pending_xmitq": association.pending,
            "reason": (state.reason or None) if state else None,
        }
        yield row, (recorded.position,) if recorded else _known(qmgr, name)


def _attempts(state: ChannelState | None, at: Instant) -> int | None:
    if state is None or state.status != RETRYING:
        return None
    return sum(state.retries.made(state.since, at))


def _known(qmgr: QueueManager, channel: str) -> tuple[int, ...]:
    """Return the position of what an inactive channel is known from: its definition or a record."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is not None:
        return (definition.position or qmgr.position,)
    told = qmgr.repository.of_kind("qmgr")
    return tuple(sorted({belief.position for name, belief in told if name[2] == channel}))


def _receivers(
    qmgr: QueueManager, arrivals: _Arrivals, at: Instant, only: str | None
) -> Iterator[_Found]:
    for definition, _ in membership.channels_of(qmgr, "CLUSRCVR"):
        name = definition.name
        if only not in (None, name):
            continue
        own = disconnecting.current_state(qmgr, name, at)
        running = arrivals.get((qmgr.name, name), [])
        states = [own] if own else running
        row: Row = {
            "on": qmgr.name,
            "channel": name,
            "status": own.status if own else "RUNNING" if running else INACTIVE,
            "since": min((state.since for state in states), default=None),
            "next_retry": None,
            "attempts": None,
            "xmitq": None,
            "pending_xmitq": None,
            "reason": None,
        }
        positions = sorted({state.position for state in states})
        yield row, tuple(positions) or _known(qmgr, name)
