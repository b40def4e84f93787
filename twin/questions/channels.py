"""Cluster channels: their status, their retries and their transmission queue.

Sources: IBM MQ 9.1, "Long retry interval"; 7.5, "Short retry interval"; 9.4, "Working with cluster
transmission queues and cluster-sender channels"; 9.4, "DEFINE CHANNEL" (DISCINT).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeAlias

from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.fold.seen_retries import retries_of
from twin.fold.seen_states import SeenRow, SeenStatus
from twin.model.amounts import counted
from twin.model.basis import Basis, Source, Unknown, weakest
from twin.model.instants import SECOND, AsOf, Instant, format_instant
from twin.questions.answer import Answer, BasedRow, Row, RowValue
from twin.questions.belief import observers
from twin.questions.catalogue import QUESTIONS
from twin.questions.channel_since import StatusBegin, since
from twin.questions.route_basis import basis_of_shown_status
from twin.questions.sender_channels import RETRYING, SenderChannels, inbound
from twin.questions.sights import LONGEST, fresh
from twin.rules import logged, membership, standing
from twin.rules.channels import channel_status, silence, switching

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

    Listed are all cluster-sender channels that are defined, known from a cluster or seen, and the
    CLUSRCVRs, which run while the channel of any partner is known to run, or as they were seen. A
    channel that disconnected is INACTIVE since then. Of a status that captures show, `since` is
    when it began at the latest, and `since_earliest` at the earliest (`channel_since` says how).
    `attempts` is the number of failed retries, and `next_retry` is the next one. `instances` of a
    CLUSRCVR are those that were seen. The status of a channel that nobody saw is unknown. `xmitq`
    is the transmission queue in use. For a channel that never started it is the one it would use;
    of several equal ones it is the first by name.
    `pending_xmitq` is the queue that the channel is being switched to, or will be switched to at
    its next start. `reason` is the message that says why it failed or could not start.
    `switch_reason` is the reason code for which its switch has stopped: it gets from
    `pending_xmitq`, and new messages are put on `xmitq`. The notes have the batches that were
    observed in doubt at imported queue managers, and how much earlier channels may have failed.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    arrivals = inbound(estate, as_of.valid)
    undefined = [name for name in sorted(estate.seen_before) if name not in estate.qmgrs]
    stated = [name for name in undefined if on in (None, name)]
    known = [] if on in stated else observers(estate, on)
    rows = chain(
        (
            row
            for qmgr in known
            for row in sorted(
                [
                    *_senders(estate, qmgr, as_of.valid, channel),
                    *_receivers(estate, qmgr, arrivals, as_of.valid, channel),
                ],
                key=lambda row: str(row.row["channel"]),
            )
        ),
        (row for name in stated for row in _only_states(estate, name, as_of.valid, channel)),
    )
    notes = (
        *_batches_seen(known, channel),
        *_silently(estate, as_of.valid, known, channel),
    )
    bounds = ("since", "since_earliest")
    return Answer.based("channels", as_of, rows, basis=basis, notes=notes, apart=bounds)


def _batches_seen(known: Iterable[QueueManager], only: str | None) -> Iterator[str]:
    """Yield the batches that were seen in doubt at imported queue managers."""
    for qmgr in known:
        for name in sorted(qmgr.activity.seen.batches):
            seen = standing.batch_in_doubt(qmgr, name)
            if seen is not None and only in (None, name):
                of = f" of {counted(seen.messages, 'message')}" if seen.messages else ""
                at = format_instant(seen.at)
                yield f"{qmgr.name}: {name} had a batch{of} in doubt when it was seen at {at}"


def _silently(
    estate: Estate, at: Instant, known: Iterable[QueueManager], only: str | None
) -> Iterator[str]:
    """Yield how much earlier channels failed that were seen RETRYING, if packets vanish."""
    for qmgr in known:
        for name, seen in sorted(qmgr.activity.seen.channels.items()):
            if seen.status != RETRYING or only not in (None, name):
                continue
            began = since(estate, qmgr, name, qmgr.activity.channels.get(name), at)
            if began.at is not None and began.silently:
                yield (
                    f"{qmgr.name}: {name} has been {RETRYING} since {format_instant(began.at)} at "
                    f"the latest, with {counted(began.attempts or 0, 'failed attempt')}; up to "
                    f"{began.silently // SECOND} s earlier if each waited 127 s for an answer"
                )


def _senders(
    estate: Estate, qmgr: QueueManager, at: Instant, only: str | None
) -> Iterator[BasedRow]:
    senders = SenderChannels(qmgr)
    for name in senders.names():
        if only not in (None, name):
            continue
        recorded = qmgr.activity.channels.get(name)
        state = channel_status.current_state(qmgr, name, at)
        association = senders.association(name)
        began = since(estate, qmgr, name, state, at)
        status = silence.shown(state, at).status if state else INACTIVE
        retry, unknown = senders.next_retry(name, at), Unknown(qmgr.name, Source.CHANNELS)
        is_open = status == RETRYING and retry is None and qmgr.is_only_observed
        row: Row = {
            "on": qmgr.name,
            "channel": name,
            "status": status,
            "since": began.at,
            "since_earliest": began.earliest,
            "next_retry": unknown if is_open else retry,
            "attempts": unknown if is_open and began.attempts is None else began.attempts,
            "xmitq": association.queue,
            "pending_xmitq": association.pending,
            "reason": _reason(qmgr, name, state) if state else None,
            "switch_reason": switching.stopped(qmgr, name) or None,
            "instances": None,
        }
        bases = _bases(row, began, basis_of_shown_status(estate, qmgr, name, at))
        if standing.is_unseen(qmgr, name):
            row |= dict.fromkeys(_OF_A_STATUS, unknown)
            bases = {"channel": bases["channel"]}
        yield BasedRow(row, _evidence(qmgr, name, recorded), bases)


_OF_A_STATUS: Final = ("status", "since", "next_retry", "attempts", "reason")
"""The columns that are unknown of a channel whose status nobody saw."""


def _reason(qmgr: QueueManager, channel: str, state: ChannelState) -> RowValue:
    """Return the message that says why a channel failed; None if no imported log names one."""
    if found := said_reason(qmgr, state) or logged.reason_of(qmgr, channel):
        return found
    failed = qmgr.is_only_observed and state.status == RETRYING
    is_logged = qmgr.name in qmgr.activity.seen.logs
    return Unknown(qmgr.name, Source.LOG) if failed and not is_logged else None


def _bases(row: Row, began: StatusBegin, status: Basis) -> dict[str, Basis]:
    """Return what the columns of a row rest on; what bounds the start of a status is derived."""
    bases = dict.fromkeys(("channel", "status"), status)
    bases["since"] = weakest((began.basis, status))
    if began.earliest is not None:
        bases["since_earliest"] = Basis.DERIVED
    if row["next_retry"] is not None:
        guessed = Basis.ASSUMED if status is Basis.ASSUMED else Basis.DERIVED
        bases |= dict.fromkeys(("next_retry", "attempts"), guessed)
    return bases


def said_reason(qmgr: QueueManager, state: ChannelState) -> str:
    """Return the message that says why a channel failed; '' where a capture only showed it so."""
    return "" if qmgr.observed and state.observed else state.reason


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
    estate: Estate, qmgr: QueueManager, arrivals: _Arrivals, at: Instant, only: str | None
) -> Iterator[BasedRow]:
    """Go through the CLUSRCVRs: those in a cluster, that run, or that captures show."""
    seen_here = qmgr.activity.seen.channels
    names = {definition.name for definition, _ in membership.channels_of(qmgr, "CLUSRCVR")}
    names |= {name for name, seen in seen_here.items() if seen.kind == "CLUSRCVR"}
    names |= {
        name for on, name in arrivals if on == qmgr.name and qmgr.channels.get(name) == "CLUSRCVR"
    }
    for name in sorted(names):
        if only not in (None, name):
            continue
        own = channel_status.current_state(qmgr, name, at)
        seen = standing.seen_receiving(qmgr, name)
        running = arrivals.get((qmgr.name, name), []) if seen is None else []
        states, rows = [own] if own else running, standing.rows_seen(qmgr, name)
        is_unseen = qmgr.is_only_observed and not standing.stands(qmgr, name)
        unseen = Basis.ASSUMED if is_unseen else Basis.DERIVED
        status = own.status if own else "RUNNING" if running else INACTIVE
        basis = basis_of_shown_status(estate, qmgr, name, at) if own else unseen
        began = StatusBegin(min((state.since for state in running), default=None), None, unseen)
        if own is None and seen is not None:
            status = _of_instances(seen.status, rows)
            basis = Basis.OBSERVED if at - seen.at <= fresh(estate, qmgr) else Basis.ASSUMED
        if own is not None or seen is not None:
            began = since(estate, qmgr, name, own or _as_state(seen), at)
        row: Row = {
            "on": qmgr.name,
            "channel": name,
            "status": status,
            "since": began.at,
            "since_earliest": began.earliest,
            "next_retry": None,
            "attempts": None,
            "xmitq": None,
            "pending_xmitq": None,
            "reason": None,
            "switch_reason": None,
            "instances": tuple(_in_words(each) for each in rows) or None,
        }
        positions = sorted(
            {*(state.position for state in states), *(each.position for each in rows)}
            | ({seen.position} if seen is not None else set())
        )
        bases = _bases(row, began, basis)
        if not states and seen is None and standing.is_unseen(qmgr, name):
            row |= dict.fromkeys(("status", "since"), Unknown(qmgr.name, Source.CHANNELS))
            bases = {"channel": basis}
        yield BasedRow(row, tuple(positions) or known_from(qmgr, name), bases)


def _only_states(estate: Estate, name: str, at: Instant, only: str | None) -> Iterator[BasedRow]:
    """Go through the cluster channels that were seen at a queue manager without definitions."""
    seen = estate.seen_before[name].seen
    for channel, state in sorted(seen.channels.items()):
        if only not in (None, channel) or state.kind not in {"CLUSSDR", "CLUSRCVR"}:
            continue
        rows = [each for _, each in sorted(seen.rows.get(channel, {}).items()) if not each.saved]
        receives = state.kind == "CLUSRCVR"
        retries = state.status == RETRYING and channel not in seen.retries
        row: Row = {
            **dict.fromkeys(QUESTIONS["channels"].names),
            "on": name,
            "channel": channel,
            "status": _of_instances(state.status, rows) if receives else state.status,
            "since": state.began or state.first,
            "since_earliest": None if state.began else state.other,
            "xmitq": next((each.cells.get("XMITQ") for each in rows), None) or None,
            "instances": (tuple(map(_in_words, rows)) or None) if receives else None,
        }
        if state.status == RETRYING:
            source = Source.CHANNELS if retries else Source.DUMP
            row |= dict.fromkeys(("next_retry", "attempts"), Unknown(name, source))
        basis = Basis.OBSERVED if at - state.at <= LONGEST else Basis.ASSUMED
        began = StatusBegin(state.began or state.first, None, Basis.DERIVED)
        yield BasedRow(row, (state.position,), _bases(row, began, basis))


def _as_state(seen: SeenStatus | None) -> ChannelState | None:
    """Return a status that was seen as that of the channel; an INACTIVE channel has none."""
    if seen is None or seen.status == INACTIVE:
        return None
    return ChannelState(seen.status, seen.partner, seen.at, "", seen.position)


def _of_instances(status: str, rows: Sequence[SeenRow]) -> str:
    """Return the status of a receiving channel whose instances were seen.

    None outranks another: the channel runs while any of them runs, and else has the status that
    was seen last.
    """
    return "RUNNING" if any(row.status == "RUNNING" for row in rows) else status


def _in_words(row: SeenRow) -> str:
    """Return an instance of a receiving channel: its partner, its address and its status."""
    return " ".join(filter(None, (row.partner, row.address, row.status)))
