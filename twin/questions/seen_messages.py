"""Messages that captures show on the transmission queues of imported queue managers.

XQMSGSA of CHSTATUS is the number of messages for a cluster channel that sends; MQ shows 999 at
most. It is blank without monitoring (MONCHL; MONACLS for automatic channels): then it is unknown,
and never 0. CURDEPTH counts all messages on a queue, for whatever channel, also repository
commands, uncommitted puts and the batch that is being sent. Channels without a row have no number,
so what is left of the depth may be theirs, or belong to a channel with 999 or with an unknown
number. What the messages are, and for which queues, is not known.

What a channel had when it was last shown is not told any more if it may have been sent since: if
the channel was RUNNING then or was seen to run since, and has another status now.

They wait if their channel did not run and none of them is uncommitted (UNCOM), or if the oldest is
old (MSGAGE); else they were on the queue when it was looked at.

Sources: IBM MQ 9.4, DISPLAY CHSTATUS (XQMSGSA), DISPLAY QSTATUS (CURDEPTH, MSGAGE, UNCOM).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from twin.fold.estate import QueueManager
from twin.fold.seen_states import SeenRow
from twin.model.amounts import between
from twin.model.basis import Source, Unknown
from twin.model.instants import SECOND, Instant, format_instant
from twin.questions.answer import Row
from twin.questions.sender_channels import RETRYING, SenderChannels
from twin.rules.queues.transmission_queues import DEFAULT_QUEUE

MOST_SHOWN: Final = 999
"""The greatest XQMSGSA that MQ shows: there may be more messages."""

STUCK_AFTER: Final = 300
"""The age in seconds from which messages are said to wait, whatever their channel does."""


class SeenMessages(NamedTuple):
    """Messages on a transmission queue, as captures show them.

    Attributes:
        on: the queue manager.
        xmitq: the queue.
        channel: the channel that they are for; '' if that is not known.
        partner: the queue manager that the channel leads to; '' if it is not known.
        least: how many there were at least.
        most: how many there were at most; None if that is not known.
        waits: whether they waited.
        status: the status of the channel; '' if the channel is not known.
        at: the instant of the sight.
        evidence: the positions of the sights.
        put_at: when the oldest of them was put, by MSGAGE; None if that is not known.
    """

    on: str
    xmitq: str
    channel: str
    partner: str
    least: int
    most: int | None
    waits: bool
    status: str
    at: Instant
    evidence: tuple[int, ...]
    put_at: Instant | None = None

    def __str__(self) -> str:
        """Say what was seen, and when."""
        whose = f"for {self.channel}" if self.channel else "for channels that are not known"
        verb = "waited" if self.waits else "were" if self.most != 1 else "was"
        where = f"{verb} on {self.xmitq} of {self.on}"
        at = format_instant(self.at)
        number = between(self.least, self.most)
        return f"{number} {whose} {where} when seen at {at}; their content is not known"


def row_of(seen: SeenMessages, names: Iterable[str], senders: SenderChannels, at: Instant) -> Row:
    """Return messages that captures show as a row with some columns: what they are is unknown.

    Whether a batch of a channel is in doubt is known if the last capture of its SAVED row says so.
    """
    qmgr, channel = senders.qmgr, seen.channel
    batch = qmgr.activity.seen.batches.get(channel)
    retry: Instant | Unknown | None = senders.next_retry(channel, at)
    unknown = Unknown(seen.on, None)
    if retry is None and (not channel or seen.status == RETRYING):
        retry = Unknown(seen.on, Source.CHANNELS if channel else None)
    known: Row = {
        "on": seen.on,
        "name": None,
        "count": seen.least,
        "at_most": Unknown(seen.on, Source.DEPTHS) if seen.most is None else seen.most,
        "channel": channel or unknown,
        "qmgr": seen.partner or unknown,
        "xmitq": seen.xmitq,
        "put_at": unknown if seen.put_at is None else seen.put_at,
        "xmitq_candidates": None,
        "status": seen.status or unknown,
        "next_start": retry,
    }
    if channel:
        known["in_doubt"] = batch.in_doubt if batch else Unknown(seen.on, Source.BATCHES)
    return {name: known.get(name, unknown) for name in names}


def seen_messages(qmgr: QueueManager) -> Iterator[SeenMessages]:
    """Yield what captures show on the transmission queues of a queue manager that was imported.

    For each queue, first the messages for each channel, then those for channels not known.
    """
    if not qmgr.observed:
        return
    senders = SenderChannels(qmgr)
    queues: dict[str, dict[str, SeenRow]] = {}
    for channel, rows in sorted(qmgr.activity.seen.rows.items()):
        row = rows.get("")
        if row is not None and row.kind == "CLUSSDR":
            queue = row.cells.get("XMITQ") or senders.association(channel).queue
            queues.setdefault(queue, {})[channel] = row
    depths = qmgr.activity.seen.depths
    transmission = {
        name
        for (kind, name), definition in qmgr.definitions.items()
        if kind == "QUEUE" and definition.is_transmission_queue and name in depths
    }
    transmission |= {DEFAULT_QUEUE}.intersection(depths)
    for queue in sorted({*queues, *transmission}):
        yield from _on(qmgr, queue, queues.get(queue, {}))


def bounds_for(qmgr: QueueManager, channel: str, queue: str) -> tuple[int | None, int | None]:
    """Return how many messages for a channel are on a queue, at least and at most, as seen.

    At least is None if nothing shows that, and at most is None if nothing bounds it.
    """
    row = qmgr.activity.seen.rows.get(channel, {}).get("")
    if row is not None and _may_have_sent(qmgr, channel, row):
        return None, None
    number = None if row is None else shown_number(row)
    if number is not None and number < MOST_SHOWN:
        return number, number
    depth = qmgr.activity.seen.depths.get(queue)
    least, most = (None, None) if depth is None else (0, 0)
    if (depth is None or not depth.depth) and number is None:
        return least, most
    for each in seen_messages(qmgr):
        if each.xmitq == queue and each.channel == channel:
            return each.least, each.most
        if each.xmitq == queue and not each.channel:
            most = each.least
    return least, most


def bounds_to(
    qmgr: QueueManager, leads_there: Callable[[str, str], bool]
) -> Iterator[tuple[int | None, int | None]]:
    """Yield how many messages captures show for some partners, for each of them, as `bounds_for`.

    `leads_there` says of the name of a partner and a channel whether they are meant.
    """
    senders = SenderChannels(qmgr)
    for (_, _, channel), belief in qmgr.repository.of_kind("qmgr") if qmgr.observed else ():
        if belief.owner != qmgr.qmid and leads_there(belief.owner_name, channel):
            yield bounds_for(qmgr, channel, senders.association(channel).queue)


def _may_have_sent(qmgr: QueueManager, channel: str, row: SeenRow) -> bool:
    """Return whether what a row shows may have been sent since."""
    seen = qmgr.activity.seen.of_channel(channel)
    status = row.status if seen is None else seen.status
    return status != row.status and "RUNNING" in (status, row.status)


def shown_number(row: SeenRow) -> int | None:
    """Return the XQMSGSA of a row; None if it is blank or not shown."""
    text = row.cells.get("XQMSGSA", "")
    return int(text) if text.isdecimal() else None


def _on(qmgr: QueueManager, queue: str, rows: dict[str, SeenRow]) -> Iterator[SeenMessages]:
    seen, cells = qmgr.activity.seen.depths.get(queue), qmgr.activity.seen.queues.get(queue)
    numbers = {channel: shown_number(row) for channel, row in rows.items()}
    sent = {channel for channel, row in rows.items() if _may_have_sent(qmgr, channel, row)}
    least = sum(
        numbers[channel] or 0
        for channel, row in rows.items()
        if channel not in sent or (seen is not None and seen.at == row.at)
    )
    left = None if seen is None else max(seen.depth - least, 0)
    status = {} if cells is None or (seen and cells.at < seen.at) else cells.cells
    age, uncommitted = status.get("MSGAGE", ""), status.get("UNCOM", "NO") != "NO"
    is_old = age.isdecimal() and int(age) > STUCK_AFTER
    # MSGAGE is of the oldest message on the queue: whose that is, is only known of the only ones.
    are_alone = [bool(number) for number in numbers.values()].count(True) + bool(left) == 1
    put_at = cells.at - int(age) * SECOND if cells and are_alone and age.isdecimal() else None
    for channel, row in rows.items():
        number = numbers[channel]
        if not number or channel in sent:
            continue
        most: int | None = number
        if number >= MOST_SHOWN:
            most = number + left if left is not None and seen and seen.at == row.at else None
        now = qmgr.activity.seen.of_channel(channel)
        waits = is_old or (row.status != "RUNNING" and not uncommitted)
        yield SeenMessages(
            on=qmgr.name,
            xmitq=queue,
            channel=channel,
            partner=row.partner,
            least=number,
            most=most,
            waits=waits,
            status=row.status if now is None else now.status,
            at=row.at,
            evidence=(row.position, *((seen.position,) if seen else ())),
            put_at=put_at,
        )
    if seen is not None and left:
        evidence = (seen.position,)
        yield SeenMessages(
            qmgr.name, queue, "", "", left, left, is_old, "", seen.at, evidence, put_at
        )
