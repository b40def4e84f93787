"""The messages on one local queue, in the terms of their message descriptors (MQMD).

Sources: IBM's article on re-allocation: messages that are not eligible have an accounting token of
zeros; IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels": CorrelId
has the name of the channel; IBM MQ, "MQMD": PutDate and PutTime are in UTC; IBM MQ, "MQDLH": a
dead letter has the reason code in Reason, and the queue and the queue manager that it was for in
DestQName and DestQMgrName.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from twin.errors import TwinError
from twin.events import Parcel
from twin.fold.beliefs import QueuedCommands
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import AsOf, Instant, mq_put_date, mq_put_time
from twin.model.names import COMMAND_QUEUE
from twin.model.reasons import reason_name
from twin.questions.answer import Answer, EvidencedRow, Row, RowValue
from twin.questions.catalogue import QUESTIONS
from twin.questions.display import Depths
from twin.questions.sender_channels import messaging_of
from twin.questions.transmission import AT_RISK, IN_DOUBT, pieces
from twin.rules.queues import local_queues, put_times, transmission_queues

ZEROS: Final = "zeros"
SET: Final = "set"


class NoQueueNamed(
    TwinError,
    ValueError,
    message="browse needs on (a queue manager) and queue (a local queue of it)",
):
    """The queue manager or the queue to browse is missing."""


class NoSuchLocalQueue(TwinError, LookupError, message="unknown local queue {1} on {0}"):
    """A queue that a queue manager does not have, or that is not local."""


def browse(
    estate: Estate, as_of: AsOf, *, on: str | None = None, queue: str | None = None
) -> Answer:
    """List the messages on a local queue; identical messages of one put are one row.

    The messages on a transmission queue are listed channel by channel, as `twin get` takes them.
    Messages that a channel is sending are listed as `under_way`, because CURDEPTH counts them. A
    queue manager does not show them to a browse [inferred]. Messages that a queue manager put on
    its dead-letter queue have the reason code, and what they were for. Where CURDEPTH is unknown,
    or more than the rows that can be listed because the queue manager was imported, a note says so.

    Raises:
        NoQueueNamed: if `on` or `queue` is missing.
        NoSuchQueueManager: if there is no queue manager `on`.
        NoSuchLocalQueue: if it has no local queue of that name.
    """
    if on is None or queue is None:
        raise NoQueueNamed
    qmgr = estate.qmgr(on)
    if local_queues.local_queue(qmgr, queue) is None:
        raise NoSuchLocalQueue(on, queue)
    answer = Answer.of("browse", as_of, _Reader(estate, qmgr, queue, as_of.valid).found())
    gaps = () if answer.rows else _gaps(qmgr, queue, as_of.valid)
    return replace(answer, notes=gaps, gaps=gaps)


def _gaps(qmgr: QueueManager, queue: str, at: Instant) -> tuple[str, ...]:
    """Return what is not known of a queue without a row."""
    depth = Depths.of(qmgr, at).values(qmgr.definitions["QUEUE", queue])["CURDEPTH"]
    if depth is None:
        return (f"{qmgr.name}: whether messages are on {queue} is not known, as CURDEPTH",)
    if depth:
        return (f"{qmgr.name}: CURDEPTH({depth}) of {queue} was observed, its messages were not",)
    return ()


@dataclass(frozen=True, slots=True)
class _Reader:
    """The messages on one queue at an instant."""

    estate: Estate
    qmgr: QueueManager
    queue: str
    at: Instant

    def found(self) -> Iterator[EvidencedRow]:
        """Go through the rows: messages that wait for no channel, then channel by channel."""
        messaging, commands = messaging_of(self.qmgr), self.qmgr.repository.waiting
        for parcel in messaging.local.get(self.queue, ()):
            yield self._message(parcel, parcel.at), (parcel.put,)
        for channel in sorted({*messaging.waiting.get(self.queue, ()), *commands}):
            yield from self._waiting(channel)
            if channel in commands and transmission_queues.in_use(self.qmgr, channel) == self.queue:
                for command in commands[channel]:
                    yield self._command(channel, command), (command.position,)

    def _waiting(self, channel: str) -> Iterator[EvidencedRow]:
        """Go through the messages that wait for a channel."""
        state = self.qmgr.activity.channels.get(channel)
        for piece in pieces(self.qmgr, channel):
            if piece.queue != self.queue:
                continue
            parcel, put_at = piece.parcel, piece.parcel.at
            if piece.eligible:
                put_at = put_times.put_time(self.qmgr, channel, parcel, self.at)
            row = self._message(parcel, put_at, under_way=piece.why in (IN_DOUBT, AT_RISK))
            yield row, (parcel.put, *((state.position,) if state else ()))

    def _message(self, parcel: Parcel, put_at: Instant, *, under_way: bool = False) -> Row:
        """Return the row of a parcel; it has CorrelId and a token if it waits for a CLUSSDR."""
        in_cluster, remote = bool(parcel.channel and parcel.to), self._is_for_transmission
        return self._row(
            put_at,
            correlid=parcel.channel if in_cluster else None,
            count=parcel.count,
            accounting_token=(ZEROS if parcel.fixed else SET) if in_cluster else None,
            persistence="YES" if parcel.persistent else "NO",
            group_id=parcel.group or None,
            remote_queue=parcel.queue if remote else None,
            remote_qmgr=(parcel.named or self.estate.names.get(parcel.to)) if remote else None,
            name=parcel.name or None,
            under_way=under_way,
            **self._dead_letter_header(parcel),
        )

    def _dead_letter_header(self, parcel: Parcel) -> Row:
        """Return what the MQDLH of a dead letter has; {} for another message.

        One that an application put there has no reason code, and no header by the twin.
        """
        if not parcel.reason:
            return {}
        return {
            "reason": parcel.reason,
            "reason_name": reason_name(parcel.reason),
            "dest_queue": parcel.queue,
            "dest_qmgr": parcel.named or self.estate.names.get(parcel.to) or None,
        }

    def _command(self, channel: str, command: QueuedCommands) -> Row:
        """Return the row of a repository command; it is persistent [inferred]."""
        return self._row(
            command.since,
            correlid=channel,
            count=1,
            accounting_token=ZEROS,
            persistence="YES",
            remote_queue=COMMAND_QUEUE,
            remote_qmgr=self.estate.names.get(command.to),
            under_way=False,
        )

    @property
    def _is_for_transmission(self) -> bool:
        return self.qmgr.definitions["QUEUE", self.queue].is_transmission_queue

    def _row(self, put_at: Instant, **values: RowValue) -> Row:
        return {
            **dict.fromkeys(QUESTIONS["browse"].names),
            "on": self.qmgr.name,
            "queue": self.queue,
            "put_date": mq_put_date(put_at),
            "put_time": mq_put_time(put_at),
            **values,
        }
