"""PutDate and PutTime of waiting messages: a pass that does not move the messages renews both.

Source: IBM's article on re-allocation, "When does re-allocation occur?": PutDate and PutTime are
updated as a stopped channel triggers further attempts. A re-allocation pass at which the choice
fails, because all instances are put-disabled, renews nothing [inferred].

A pass that moves nothing is not in the log: while a channel is STOPPED or RETRYING, its passes
follow from its status. What they renewed is recorded when the channel changes its status, and when
the choice begins to fail or to succeed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from twin.events import MessagesRenewed, Parcel
from twin.fold.estate import ChannelState, QueueManager
from twin.model.instants import Instant
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues

NO_PASS: Final = -1
"""The value of `Parcel.passes` while the choice for the messages fails."""

_WITH_PASSES: Final = ("RETRYING", "STOPPED")
"""The statuses of a channel from which its passes follow."""

NamedQueue: TypeAlias = tuple[str, str]
"""The name of a queue, and the queue manager that the application named for it or ''."""


class Reallocatable(NamedTuple):
    """Messages that a pass may move.

    Attributes:
        queue: the transmission queue that they are on.
        parcel: the messages.
        place: how many messages for the same channel are before them on the queue.
    """

    queue: str
    parcel: Parcel
    place: int = 0


def eligible(qmgr: QueueManager, channel: str) -> Iterator[Reallocatable]:
    """Yield the messages waiting for a channel that passes may move, in order.

    Not eligible are messages that are bound, for a queue manager that was named, in doubt, or sent
    outside syncpoint already.
    """
    return (
        messages
        for messages in not_under_way(qmgr, channel)
        if messages.parcel.to and not messages.parcel.fixed
    )


def not_under_way(qmgr: QueueManager, channel: str) -> Iterator[Reallocatable]:
    """Yield the messages waiting for a channel that are not under way, in order.

    Messages in doubt, and those sent outside syncpoint, are under way.
    """
    messaging = qmgr.messaging
    in_doubt = messaging.in_doubt.get(channel, 0)
    at_risk = messaging.at_risk.get(channel, 0)
    places: dict[str, int] = {}
    for queue, parcel in transmission_queues.waiting(qmgr, channel):
        count, place = parcel.count, places.get(queue, 0)
        places[queue] = place + count
        under_way = min(in_doubt, count)
        in_doubt -= under_way
        if not parcel.persistent:
            sent = min(at_risk, count - under_way)
            at_risk -= sent
            under_way += sent
        if count > under_way:
            rest = parcel if not under_way else replace(parcel, count=count - under_way)
            yield Reallocatable(queue, rest, place + under_way)


def last_pass(state: ChannelState, at: Instant) -> Instant | None:
    """Return the instant of the last pass for a channel up to an instant; None if there was none.

    A stopped channel has one pass, when it stops. A retrying channel has one when it fails, and one
    at each retry.
    """
    if state.status == "STOPPED":
        return state.since
    return state.retries.last(state.since, at) if state.status == "RETRYING" else None


def put_time(qmgr: QueueManager, channel: str, parcel: Parcel, at: Instant) -> Instant:
    """Return the instant that PutDate and PutTime of eligible messages show at an instant.

    Each pass that does not move the messages renews it; a pass at which the choice fails does not.
    """
    state = qmgr.activity.channels.get(channel)
    last = last_pass(state, at) if state is not None else None
    if state is None or last is None or last <= parcel.at:
        return parcel.at
    if last == state.since and parcel.put > state.position:
        return parcel.at
    return parcel.at if parcel.passes < 0 or last <= parcel.passes else last


def record(draft: Draft, qmgr: QueueManager, channel: str, *, upto: Instant | None = None) -> None:
    """Record the put times that follow from a channel's status, which is about to change.

    A retry that is due now leads to the change of status, so it counts as no pass. With `upto`,
    the passes up to that instant count.
    """
    if (
        qmgr.name not in draft.estate.qmgrs_with_waiting_messages
        or channel not in qmgr.activity.channels
    ):
        return
    until = draft.at - 1 if upto is None else upto
    _renew(
        draft,
        qmgr,
        channel,
        (
            (messages, put_time(qmgr, channel, messages.parcel, until), None)
            for messages in list(eligible(qmgr, channel))
        ),
    )


@contextmanager
def eligibility_changing(draft: Draft, qmgr: QueueManager, channel: str) -> Iterator[None]:
    """Let events in the context change which waiting messages are eligible.

    No pass up to now has renewed messages that become eligible, whatever the channel's status says.
    What passes did to the other messages is recorded first.
    """
    if qmgr.name not in draft.estate.qmgrs_with_waiting_messages:
        yield
        return
    record(draft, qmgr, channel, upto=draft.at)
    before = list(eligible(qmgr, channel))
    yield
    if _has_passes(qmgr, channel):
        new = (
            part
            for messages in list(eligible(qmgr, channel))
            for part in _without(messages, before)
        )
        _renew(draft, qmgr, channel, (_not_renewed(part, draft.at) for part in new))


def _without(messages: Reallocatable, excluded: Iterable[Reallocatable]) -> Iterator[Reallocatable]:
    """Yield the messages that are not among some others, which are given in order."""
    queue, parcel, place = messages
    end = place + parcel.count
    for other in (other for other in excluded if other.queue == queue):
        first, last = max(place, other.place), min(end, other.place + other.parcel.count)
        if first >= last:
            continue
        if place < first:
            yield Reallocatable(queue, replace(parcel, count=first - place), place)
        place = last
    if place < end:
        yield Reallocatable(queue, replace(parcel, count=end - place), place)


def record_pass(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    failed: Mapping[NamedQueue, bool],
    *,
    beyond: int = 0,
) -> None:
    """Record what a pass that happens now renews, as far as it does not follow from the status.

    `failed` says for which names the choice failed. The last `beyond` messages were not part of
    the pass. Messages that stay with a channel that is neither STOPPED nor RETRYING were put now.
    """
    has_passes = _has_passes(qmgr, channel)
    waiting = list(eligible(qmgr, channel))
    in_pass = sum(messages.parcel.count for messages in waiting) - beyond

    def renewals() -> Iterator[_Renewal]:
        left = in_pass
        for messages in waiting:
            chosen_for, rest = _split(messages, left)
            left -= chosen_for.parcel.count if chosen_for else 0
            if rest and has_passes:
                yield _not_renewed(rest, draft.at)
            fails = failed.get((messages.parcel.queue, messages.parcel.named))
            if chosen_for is None or fails is None:
                continue
            passes = _passes_from_now(messages.parcel, fails=fails, since=0)
            parcel = chosen_for.parcel
            after = parcel if passes is None else replace(parcel, passes=passes)
            follows = has_passes and put_time(qmgr, channel, after, draft.at) == draft.at
            yield chosen_for, after.at if fails or follows else draft.at, passes

    _renew(draft, qmgr, channel, renewals())


def _has_passes(qmgr: QueueManager, channel: str) -> bool:
    """Say whether passes for a channel follow from its status."""
    state = qmgr.activity.channels.get(channel)
    return state is not None and state.status in _WITH_PASSES


def _split(
    messages: Reallocatable, count: int
) -> tuple[Reallocatable | None, Reallocatable | None]:
    """Divide messages into the first `count` and the rest."""
    queue, parcel, place = messages
    if count >= parcel.count:
        return messages, None
    if count <= 0:
        return None, messages
    first = Reallocatable(queue, replace(parcel, count=count), place)
    return first, Reallocatable(queue, replace(parcel, count=parcel.count - count), place + count)


def _not_renewed(messages: Reallocatable, at: Instant) -> _Renewal:
    """Return that no pass up to an instant has renewed some messages."""
    return messages, messages.parcel.at, at if messages.parcel.passes != NO_PASS else None


def record_choice(
    draft: Draft, qmgr: QueueManager, channel: str, fails: Callable[[Parcel], bool]
) -> None:
    """Record that the choice for a RETRYING channel's messages begins to fail, or succeeds again.

    If it begins to fail, passes up to now have renewed them. If it succeeds again, passes from now
    on do.
    """

    def renewals() -> Iterator[_Renewal]:
        for messages in list(eligible(qmgr, channel)):
            parcel = messages.parcel
            passes = _passes_from_now(parcel, fails=fails(parcel), since=draft.at)
            if passes is not None:
                yield messages, put_time(qmgr, channel, parcel, draft.at), passes

    _renew(draft, qmgr, channel, renewals())


def _passes_from_now(parcel: Parcel, *, fails: bool, since: Instant) -> int | None:
    """Return the new value of `Parcel.passes`; None if it does not change."""
    if fails:
        return None if parcel.passes == NO_PASS else NO_PASS
    return since if parcel.passes == NO_PASS else None


_Renewal: TypeAlias = tuple[Reallocatable, Instant, int | None]
"""Messages, when they were put, and the new value of `Parcel.passes` or None."""


def _renew(draft: Draft, qmgr: QueueManager, channel: str, renewals: Iterable[_Renewal]) -> None:
    """Record the changes among some renewals; adjacent messages with the same are one span."""
    changes: dict[tuple[str, Instant | None, int | None], list[tuple[int, int]]] = {}
    for (queue, parcel, place), at, passes in renewals:
        renewed = at if at != parcel.at else None
        if renewed is None and passes is None:
            continue
        spans = changes.setdefault((queue, renewed, passes), [])
        if spans and sum(spans[-1]) == place:
            spans[-1] = (spans[-1][0], spans[-1][1] + parcel.count)
        else:
            spans.append((place, parcel.count))
    for (queue, renewed, passes), spans in changes.items():
        draft.emit(
            MessagesRenewed(
                qmgr=qmgr.name,
                channel=channel,
                queue=queue,
                spans=tuple(spans),
                at=renewed,
                passes=passes,
            )
        )
