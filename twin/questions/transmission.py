"""Messages on transmission queues: for which channel, and whether they may be rerouted.

Sources: IBM's article on re-allocation: a pass looks at the messages for a channel as it stops, and
again at each retry that fails; IBM MQ 9.4, "Working with cluster transmission queues and
cluster-sender channels".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, NamedTuple

from twin.events import Parcel
from twin.fold.beliefs import QueuedCommands
from twin.fold.estate import Estate, QueueManager
from twin.fold.messaging import Messaging
from twin.model.instants import AsOf, Instant, format_instant
from twin.model.names import COMMAND_QUEUE
from twin.questions.answer import Answer, EvidencedRow, Row
from twin.questions.belief import observers
from twin.questions.blocked import is_gone, waits_for
from twin.questions.catalogue import QUESTIONS
from twin.questions.channels import INACTIVE
from twin.questions.reachability import not_put
from twin.questions.seen_messages import row_of, seen_messages
from twin.questions.sender_channels import Association, SenderChannels, messaging_of
from twin.rules import membership
from twin.rules.channels import channel_status, silence, switching
from twin.rules.draft import Draft
from twin.rules.queues import put_times, transmission_queues

IN_DOUBT: Final = "in-doubt"
AT_RISK: Final = "at-risk"
NO_CHANNEL: Final = "no-channel"
SYSTEM: Final = "system"


def transmission(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    channel: str | None = None,
    queue: str | None = None,
    xmitq: str | None = None,
) -> Answer:
    """List the messages on transmission queues, their destination, and whether they may be moved.

    A row is a group of messages with the same put and the same state; rows are in the order in
    which they leave. `queue` is their queue at the destination `qmgr`. If several definitions of
    equal rank match, `xmitq` is null and `xmitq_candidates` lists the queues. `why` is the reason
    why a reallocation pass does not move them. `put_at` is when they were put, or when their route
    was last chosen. `next_pass` is when the next retry of the channel ends, which starts a pass if
    it fails. `stranded` messages are on a queue that their channel no longer reads (runswchl -n):
    they wait until it does, and no pass moves them. `waits_for` says what all messages for the
    channel wait for, and `next_start` when that will be: the next retry, or the next portion of
    the switch that moves them, else null. The repository
    commands of a queue manager are `system`, one row each.

    Of an imported queue manager captures show only how many messages lie on its transmission
    queues, and for which channel: `count` at least and `at_most` (`seen_messages`). Repository
    commands that would wait are among them, unless they were put since. The notes have the depths
    of these queues, and say which are not known.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    rows = (
        (row, evidence)
        for qmgr in observers(estate, on)
        for row, evidence in chain(
            waiting_rows(Draft(estate, as_of.valid, as_of.position + 1), qmgr),
            _seen(qmgr, as_of.valid),
        )
        if channel in (None, row["channel"])
        and queue in (None, row["queue"])
        and (xmitq is None or xmitq in _possible_queues(row))
    )
    notes = () if channel or queue else tuple(depths_seen(estate, on, xmitq))
    answer = Answer.of("transmission", as_of, rows)
    lines = if_none(estate, on, answer.rows) if notes else ()
    return replace(answer, notes=notes, lines=lines)


def waiting_rows(draft: Draft, qmgr: QueueManager) -> Iterator[EvidencedRow]:
    """Yield what the rules know to wait at a queue manager; the draft is only read."""
    return _Reader(draft, qmgr).found()


def _seen(qmgr: QueueManager, at: Instant) -> Iterator[EvidencedRow]:
    """Yield the messages that captures show at an imported queue manager."""
    senders = SenderChannels(qmgr)
    for each in seen_messages(qmgr):
        yield row_of(each, QUESTIONS["transmission"].names, senders, at), each.evidence


def depths_seen(estate: Estate, on: str | None, only: str | None = None) -> Iterator[str]:
    """Yield for each imported queue manager what captures show of its transmission queues."""
    for qmgr in observers(estate, on):
        if not qmgr.is_only_observed:
            continue
        seen, unknown = qmgr.activity.seen.depths, []
        for name in transmission_queues_of(qmgr):
            if only not in (None, name):
                continue
            if name not in seen:
                unknown.append(name)
            elif seen[name].depth:
                at = format_instant(seen[name].at)
                yield f"{qmgr.name}: CURDEPTH({seen[name].depth}) of {name} was observed at {at}"
        if unknown:
            yield f"{qmgr.name}: the depth of {', '.join(unknown)} was never observed"
        yield from _lines_of(qmgr, only)


def _lines_of(qmgr: QueueManager, only: str | None) -> Iterator[str]:
    """Yield for whom messages on transmission queues are, as far as captures show it."""
    known = set[str]()
    for each in seen_messages(qmgr):
        if only in (None, each.xmitq) and each.channel:
            known.add(each.xmitq)
            yield f"{qmgr.name}: {each}"
        elif each.xmitq in known:
            rest = f"up to {each.least:,} more on {each.xmitq}"
            yield f"{qmgr.name}: {rest} are for these or other channels"


def transmission_queues_of(qmgr: QueueManager) -> list[str]:
    """Return the transmission queues; every member has that of the cluster, defined or not."""
    names = {
        name
        for (kind, name), definition in qmgr.definitions.items()
        if (kind, definition.type) == ("QUEUE", "QLOCAL") and definition.is_transmission_queue
    }
    names |= {each.xmitq for each in seen_messages(qmgr)}
    return sorted(
        names | ({transmission_queues.DEFAULT_QUEUE} if membership.clusters_joined(qmgr) else set())
    )


def if_none(estate: Estate, on: str | None, rows: Sequence[object]) -> tuple[str, ...]:
    """Return what to say in place of no rows, if nobody saw whether messages wait."""
    unknown = not rows and any(
        qmgr.is_only_observed
        and not qmgr.activity.seen.depths.keys() >= {*transmission_queues_of(qmgr)}
        for qmgr in observers(estate, on)
    )
    return ("whether messages wait is not known",) if unknown else ()


def depth_unknown(qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue of a channel if nobody saw its depth; '' if that is known.

    What waits at an imported queue manager is known from such depths only.
    """
    if not qmgr.observed:
        return ""
    queue = SenderChannels(qmgr).association(channel).queue
    return "" if queue in qmgr.activity.seen.depths else queue


def messages_waiting(estate: Estate) -> int:
    """Return how many messages of applications wait for channels, without asking for each."""
    return sum(
        parcel.count
        for name in estate.qmgrs_with_waiting_messages
        for channels in messaging_of(estate.qmgr(name)).waiting.values()
        for parcels in channels.values()
        for parcel in parcels
    )


def _possible_queues(row: Row) -> tuple[str, ...]:
    candidates = row["xmitq_candidates"]
    return tuple(map(str, candidates)) if isinstance(candidates, tuple) else (str(row["xmitq"]),)


@dataclass(frozen=True, slots=True)
class _Reader:
    """The waiting messages of one queue manager; the draft is only read."""

    draft: Draft
    qmgr: QueueManager

    def found(self) -> Iterator[EvidencedRow]:
        """Go through the rows: messages and commands channel by channel, then all others."""
        messaging, commands = messaging_of(self.qmgr), self.qmgr.repository.waiting
        names = messaging.channels()
        if not names and not commands and not messaging.local:
            return
        senders = SenderChannels(self.qmgr)
        depths = self.qmgr.activity.seen.depths if self.qmgr.is_only_observed else {}
        for channel in sorted({*names, *commands}):
            association = senders.association(channel)
            for piece in pieces(self.qmgr, channel):
                yield self._message(senders, channel, association, piece)
            seen = depths.get(association.queue)
            for each in commands.get(channel, ()):
                if seen is None or seen.at < each.since:
                    yield self._command(senders, channel, association, each)
        yield from self._without_channel(messaging)

    def _message(
        self, senders: SenderChannels, channel: str, association: Association, piece: Piece
    ) -> EvidencedRow:
        parcel, state = piece.parcel, self.qmgr.activity.channels.get(channel)
        open_choice = piece.queue in association.candidates and not piece.stranded
        put_at, next_pass = parcel.at, None
        if piece.eligible:
            put_at = put_times.put_time(self.qmgr, channel, parcel, self.draft.at)
            next_pass = senders.next_pass(channel, self.draft.at)
        row: Row = {
            "on": self.qmgr.name,
            "name": parcel.name or None,
            "queue": parcel.queue,
            "count": parcel.count,
            "channel": channel,
            "qmgr": self.draft.estate.names.get(parcel.to)
            or (state.partner if state else "")
            or None,
            "xmitq": None if open_choice else piece.queue,
            "xmitq_candidates": association.candidates if open_choice else None,
            "eligible": piece.eligible,
            "why": piece.why or None,
            "put_at": put_at,
            "in_doubt": piece.why == IN_DOUBT,
            "next_pass": next_pass,
            "stranded": piece.stranded,
            "at_most": parcel.count,
            **self._waits(senders, channel),
        }
        if piece.stranded:
            row["waits_for"], row["next_start"] = f"switch of {channel} back to {piece.queue}", None
        elif (going := switching.awaited(self.qmgr, channel)) and piece.queue == association.queue:
            row["next_start"] = going.at
        return row, (parcel.put, *((state.position,) if state else ()))

    def _waits(self, senders: SenderChannels, channel: str) -> Row:
        """Return the status of a channel, what its messages wait for, and when that will be."""
        at = self.draft.at
        state = channel_status.current_state(self.qmgr, channel, at)
        return {
            "status": silence.shown(state, at).status if state else INACTIVE,
            "waits_for": waits_in_full(self.draft, self.qmgr, channel) or None,
            "next_start": senders.next_retry(channel, at),
        }

    def _command(
        self,
        senders: SenderChannels,
        channel: str,
        association: Association,
        command: QueuedCommands,
    ) -> EvidencedRow:
        queue, _, candidates = association
        state = self.qmgr.activity.channels.get(channel)
        row: Row = {
            "on": self.qmgr.name,
            "name": None,
            "queue": COMMAND_QUEUE,
            "count": 1,
            "channel": channel,
            "qmgr": self.draft.estate.names.get(command.to),
            "xmitq": None if candidates else queue,
            "xmitq_candidates": candidates or None,
            "eligible": False,
            "why": SYSTEM,
            "put_at": command.since,
            "in_doubt": False,
            "next_pass": None,
            "stranded": False,
            "at_most": 1,
            **self._waits(senders, channel),
        }
        return row, (command.position, *((state.position,) if state else ()))

    def _without_channel(self, messaging: Messaging) -> Iterator[EvidencedRow]:
        """Go through the messages on transmission queues that no channel uses."""
        for queue, parcels in sorted(messaging.local.items()):
            definition = self.qmgr.definitions.get(("QUEUE", queue))
            if definition is None or not definition.is_transmission_queue:
                continue
            for parcel in parcels:
                row: Row = {
                    **dict.fromkeys(QUESTIONS["transmission"].names),
                    "on": self.qmgr.name,
                    "name": parcel.name or None,
                    "queue": parcel.queue,
                    "count": parcel.count,
                    "qmgr": self.draft.estate.names.get(parcel.to),
                    "xmitq": queue,
                    "eligible": False,
                    "why": parcel.fixed or None,
                    "put_at": parcel.at,
                    "in_doubt": False,
                    "stranded": False,
                    "at_most": parcel.count,
                }
                yield row, (parcel.put,)


def waits_in_full(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Return what the messages for a channel wait for, and why its partner cannot put them."""
    refused = not_put(draft, qmgr, channel)
    waits = waits_for(qmgr, channel, draft.at)
    return f"{waits}; {refused}" if refused else waits


class Piece(NamedTuple):
    """Messages of one put that wait on one queue, and why they stay; '' if they may move.

    `stranded` messages are on a queue that their channel no longer uses: they wait until it uses
    that queue again, and reallocation ignores them.
    """

    queue: str
    parcel: Parcel
    why: str
    stranded: bool = False

    @property
    def eligible(self) -> bool:
        """Whether a reallocation pass may move them."""
        return bool(self.parcel.to) and not self.why and not self.stranded


def pieces(qmgr: QueueManager, channel: str) -> Iterator[Piece]:
    """Go through the messages for a channel in the order they leave, divided by why they stay."""
    messaging = messaging_of(qmgr)
    queues = _queues(qmgr, channel)
    waiting = _lying(messaging, channel, queues)
    gone = is_gone(qmgr, channel)
    for queue, parcel, first, second in put_times.under_way(messaging, channel, waiting):
        for count, why in (
            (first, IN_DOUBT),
            (second, AT_RISK),
            (parcel.count - first - second, NO_CHANNEL if gone else parcel.fixed),
        ):
            if count:
                part = parcel if count == parcel.count else replace(parcel, count=count)
                yield Piece(queue, part, why)
    others = [queue for queue in sorted(messaging.waiting) if queue not in queues]
    for queue, parcel in _lying(messaging, channel, others):
        yield Piece(queue, parcel, parcel.fixed, stranded=True)


def _queues(qmgr: QueueManager, channel: str) -> tuple[str, ...]:
    """Return the transmission queues that a channel uses; a sender channel names its own."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        return transmission_queues.queues(qmgr, channel)
    return (transmission_queues.queue_of(qmgr, channel),)


def _lying(
    messaging: Messaging, channel: str, queues: Iterable[str]
) -> Iterator[tuple[str, Parcel]]:
    for queue in queues:
        yield from ((queue, parcel) for parcel in messaging.waiting.get(queue, {}).get(channel, ()))
