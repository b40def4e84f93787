"""Cluster channels: their status, their retries and their transmission queue.

Sources: IBM MQ 9.1, "Long retry interval"; 7.5, "Short retry interval"; 9.4, "Working with cluster
transmission queues and cluster-sender channels"; 9.4, "DEFINE CHANNEL" (DISCINT).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.fold.seen_retries import retries_of
from twin.model.amounts import counted
from twin.model.basis import Basis
from twin.model.instants import AsOf, Instant, format_instant
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.belief import observers
from twin.questions.route_basis import basis_of_status
from twin.questions.sender_channels import RETRYING, SenderChannels, inbound
from twin.rules import membership, standing
from twin.rules.channels import disconnecting, silence, switching

INACTIVE: Final = "INACTIVE"

_Arrivals: TypeAlias = dict[tuple[str, str], list[ChannelState]]


def channels(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    channel: str | None = None,
    basis: str | None = None,
) -> Answer:
    """List the cluster channels of queue managers: their status, retries and transmission queues.

    Listed are all cluster-sender channels that are defined or known from a cluster, and the
    CLUSRCVRs, which run while the channel of any partner runs, or as long as they were seen to. A
    channel that disconnected is INACTIVE since then. `attempts` is the number of failed retries,
    and `next_retry` is the next one. `xmitq` is the transmission queue in use. For a channel that
    never started it is the one it would use; of several equal ones it is the first by name.
    `pending_xmitq` is the queue that the channel is being switched to, or will be switched to at
    its next start. `reason` is the message that says why it failed or could not start.
    `switch_reason` is the reason code for which its switch has stopped: it gets from
    `pending_xmitq`, and new messages are put on `xmitq`. The notes have the batches that were
    observed in doubt at imported queue managers.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    arrivals = inbound(estate, as_of.valid)
    rows = (
        row
        for qmgr in observers(estate, on)
        for row in sorted(
            [
                *_senders(qmgr, as_of.valid, channel),
                *_receivers(qmgr, arrivals, as_of.valid, channel),
            ],
            key=lambda row: str(row.row["channel"]),
        )
    )
    notes = tuple(_batches_seen(estate, on, channel))
    return Answer.based("channels", as_of, rows, basis=basis, notes=notes)


def _batches_seen(estate: Estate, on: str | None, only: str | None) -> Iterator[str]:
    """Yield the batches that were seen in doubt at imported queue managers."""
    for qmgr in observers(estate, on):
        for name in sorted(qmgr.activity.seen.batches):
            seen = standing.batch_in_doubt(qmgr, name)
            if seen is not None and only in (None, name):
                of = f" of {counted(seen.messages, 'message')}" if seen.messages else ""
                at = format_instant(seen.at)
                yield f"{qmgr.name}: {name} had a batch{of} in doubt when it was seen at {at}"


def _senders(qmgr: QueueManager, at: Instant, only: str | None) -> Iterator[BasedRow]:
    senders = SenderChannels(qmgr)
    for name in senders.names():
        if only not in (None, name):
            continue
        recorded = qmgr.activity.channels.get(name)
        state = disconnecting.current_state(qmgr, name, at)
        association = senders.association(name)
        row: Row = {
            "on": qmgr.name,
            "channel": name,
            "status": silence.shown(state, at).status if state else INACTIVE,
            "since": _since(qmgr, name, state, at),
            "next_retry": senders.next_retry(name, at),
            "attempts": failed_retries(qmgr, name, state, at),
            "xmitq": association.queue,
            "pending_xmitq": association.pending,
            "reason": (said_reason(qmgr, state) or None) if state else None,
            "switch_reason": switching.stopped(qmgr, name) or None,
        }
        status = basis_of_status(qmgr, name, at)
        bases = dict.fromkeys(("channel", "status", "since"), status)
        if row["next_retry"] is not None:
            bases |= dict.fromkeys(("next_retry", "attempts"), Basis.DERIVED)
        yield BasedRow(row, _evidence(qmgr, name, recorded), bases)


def said_reason(qmgr: QueueManager, state: ChannelState) -> str:
    """Return the message that says why a channel failed; '' where a capture only showed it so."""
    return "" if qmgr.observed and state.observed else state.reason


def _since(
    qmgr: QueueManager, channel: str, state: ChannelState | None, at: Instant
) -> Instant | None:
    """Return since when a channel has its status: it may have been seen before it was known."""
    if state is None:
        return disconnecting.disconnected_at(qmgr, channel, at)
    seen = standing.seen_status(qmgr, channel)
    if seen is not None and seen.status == state.status:
        return min(seen.at, state.since)
    return state.since


def _evidence(qmgr: QueueManager, channel: str, state: ChannelState | None) -> tuple[int, ...]:
    """Return the positions of the status, and of the last observation of the channel."""
    seen = qmgr.activity.seen.of_channel(channel)
    positions = (state.position,) if state else known_from(qmgr, channel)
    return (*positions, *((seen.position,) if seen else ()))


def failed_retries(
    qmgr: QueueManager, channel: str, state: ChannelState | None, at: Instant
) -> int | None:
    """Return how many retries of a channel have failed; None if it is not RETRYING."""
    if state is None or state.status != RETRYING:
        return None
    return sum(retries_of(qmgr, channel, state).made(state.since, at))


def known_from(qmgr: QueueManager, channel: str) -> tuple[int, ...]:
    """Return the position of the definition or record from which an inactive channel is known."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is not None:
        return (definition.position or qmgr.position,)
    repository = qmgr.repository
    return tuple(
        sorted(
            {
                belief.position
                for cluster in repository.clusters
                for belief in repository.instances(cluster, "qmgr", channel).values()
            }
        )
    )


def _receivers(
    qmgr: QueueManager, arrivals: _Arrivals, at: Instant, only: str | None
) -> Iterator[BasedRow]:
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
            "since": _since(qmgr, name, own, at)
            if own
            else min((state.since for state in running), default=None),
            "next_retry": None,
            "attempts": None,
            "xmitq": None,
            "pending_xmitq": None,
            "reason": None,
            "switch_reason": None,
        }
        positions = sorted({state.position for state in states})
        unseen = qmgr.is_only_observed and not standing.stands(qmgr, name)
        status = Basis.ASSUMED if unseen else Basis.DERIVED
        status = basis_of_status(qmgr, name, at) if own else status
        seen = standing.seen_status(qmgr, name)
        if own is None and seen is not None and seen.status == "RUNNING":
            row |= {"status": "RUNNING", "since": row["since"] or seen.at}
            positions, status = sorted({*positions, seen.position}), Basis.OBSERVED
        bases = dict.fromkeys(("channel", "status", "since"), status)
        yield BasedRow(row, tuple(positions) or known_from(qmgr, name), bases)
