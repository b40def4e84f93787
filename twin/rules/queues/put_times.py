"""PutDate and PutTime of waiting messages: a reallocation pass that does not move them renews both.

Source: IBM's article on re-allocation, "When does re-allocation occur?": PutDate and PutTime are
updated as a stopped channel triggers further attempts. A pass at which the choice fails, because
all instances are put-disabled, renews nothing [inferred].

A pass that moves nothing is not in the log. While a channel is STOPPED or RETRYING, the instants of
its passes follow from its status. The renewed put times are recorded when the status of the channel
changes, and when the choice begins to fail or to succeed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from twin.events import MessagesRenewed, Parcel
from twin.fold.estate import ChannelState, QueueManager
from twin.fold.messaging import Messaging
from twin.fold.seen_retries import retries_of
from twin.model.instants import Instant
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues

NO_PASS: Final = -1
"""The value of `Parcel.passes` while the choice for the messages fails."""

_WITH_PASSES: Final = ("RETRYING", "STOPPED")
"""The channel statuses from which the instants of its passes follow."""

NamedQueue: TypeAlias = tuple[str, str]
"""The name of a queue, and the queue manager that the application named with it; '' for none."""


class Reallocatable(NamedTuple):
    """Waiting messages that a pass may move.

    Attributes:
        queue: the transmission queue that they are on.
        parcel: the messages.
        place: how many messages for the same channel are before them on the queue.
    """

    queue: str
    parcel: Parcel
    place: int = 0


def eligible(qmgr: QueueManager, channel: str) -> Iterator[Reallocatable]:
    """Yield the messages for a channel that passes may move, in order.

    Messages are not eligible if they are bound, if a queue manager was named for them, if they are
    in doubt, or if they were already sent outside syncpoint.
    """
    return (
        messages
        for messages in not_under_way(qmgr, channel)
        if messages.parcel.to and not messages.parcel.fixed
    )


def not_under_way(qmgr: QueueManager, channel: str) -> Iterator[Reallocatable]:
    """Yield the waiting messages for a channel that have not been sent yet, in order.

    Messages in doubt and messages sent outside syncpoint are left out.
    """
    places: dict[str, int] = {}
    waiting = transmission_queues.waiting(qmgr, channel)
    for queue, parcel, in_doubt, at_risk in under_way(qmgr.messaging, channel, waiting):
        count, place = parcel.count, places.get(queue, 0)
        places[queue] = place + count
        sent = in_doubt + at_risk
        if count > sent:
            rest = parcel if not sent else replace(parcel, count=count - sent)
            yield Reallocatable(queue, rest, place + sent)


def under_way(
    messaging: Messaging, channel: str, waiting: Iterable[tuple[str, Parcel]]
) -> Iterator[tuple[str, Parcel, int, int]]:
    """Yield waiting messages with their queue, how many are in doubt, and how many are at risk.

    `waiting` has the messages for a channel with their queues, in order. The first messages are
    those in doubt. Of the rest, the first nonpersistent ones are at risk: they were already sent
    outside syncpoint.
    """
    in_doubt = messaging.in_doubt.get(channel, 0)
    at_risk = messaging.at_risk.get(channel, 0)
    for queue, parcel in waiting:
        first = min(in_doubt, parcel.count)
        second = 0 if parcel.persistent else min(at_risk, parcel.count - first)
        in_doubt, at_risk = in_doubt - first, at_risk - second
        yield queue, parcel, first, second


def last_pass(qmgr: QueueManager, channel: str, state: ChannelState, at: Instant) -> Instant | None:
    """Return when the last pass for a channel ran, at or before `at`; None if there was none.

    A stopped channel has one pass, when it stops. A retrying channel has one when it fails, and one
    at each retry.
    """
    if state.status == "STOPPED":
        return state.since
    if state.status != "RETRYING":
        return None
    return retries_of(qmgr, channel, state).last(state.since, at)


def put_time(qmgr: QueueManager, channel: str, parcel: Parcel, at: Instant) -> Instant:
    """Return the put time (PutDate and PutTime) that eligible messages have at the instant `at`.

    Each pass that does not move the messages renews it, unless the choice fails at that pass.
    """
    state = qmgr.activity.channels.get(channel)
    last = last_pass(qmgr, channel, state, at) if state is not None else None
    if state is None or last is None or last <= parcel.at:
        return parcel.at
    if last == state.since and parcel.put > state.position:
        return parcel.at
    return parcel.at if parcel.passes < 0 or last <= parcel.passes else last


def record(draft: Draft, qmgr: QueueManager, channel: str, *, upto: Instant | None = None) -> None:
    """Record the put times that follow from a channel's status, before the status changes.

    A retry that is due now causes the change of status, so it does not count as a pass. With
    `upto`, all passes up to and including that instant count.
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
    """Keep put times right while events inside the context change which messages are eligible.

    Messages that become eligible were not renewed by any pass up to now, although the channel's
    status suggests passes. The put times of the other messages are recorded first.
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
    """Yield the messages that are not in `excluded`, which must be in queue order."""
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
    before: int = 0,
    beyond: int = 0,
) -> None:
    """Record the put times that a pass renews now, unless they follow from the channel's status.

    `failed` says for which names the choice failed. The first `before` and the last `beyond`
    messages were not part of the pass. If the channel is neither STOPPED nor RETRYING, messages
    that stay get the put time of now.
    """
    has_passes = _has_passes(qmgr, channel)
    waiting = list(eligible(qmgr, channel))
    in_pass = sum(messages.parcel.count for messages in waiting) - beyond

    def renewals() -> Iterator[_Renewal]:
        remaining, earlier = in_pass, before
        for each in waiting:
            looked_at, rest = _split(each, remaining)
            remaining -= looked_at.parcel.count if looked_at else 0
            if rest and has_passes:
                yield _not_renewed(rest, draft.at)
            skipped, messages = _split(looked_at, earlier) if looked_at else (None, None)
            earlier -= skipped.parcel.count if skipped else 0
            if messages is None:
                continue
            fails = failed.get((messages.parcel.queue, messages.parcel.named))
            if fails is None:
                continue
            passes = _passes_from_now(messages.parcel, fails=fails, since=0)
            parcel = messages.parcel
            after = parcel if passes is None else replace(parcel, passes=passes)
            follows = has_passes and put_time(qmgr, channel, after, draft.at) == draft.at
            yield messages, after.at if fails or follows else draft.at, passes

    _renew(draft, qmgr, channel, renewals())


def keep(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Keep the put times of all messages, although the next status of a channel suggests a pass."""
    waiting = list(eligible(qmgr, channel))
    _renew(draft, qmgr, channel, (_not_renewed(each, draft.at) for each in waiting))


def _has_passes(qmgr: QueueManager, channel: str) -> bool:
    """Return whether the passes for a channel follow from its status."""
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
    """Return the record that no pass up to the instant `at` has renewed some messages."""
    return messages, messages.parcel.at, at if messages.parcel.passes != NO_PASS else None


def record_choice(
    draft: Draft, qmgr: QueueManager, channel: str, fails: Callable[[Parcel], bool]
) -> None:
    """Record that the choice for a RETRYING channel's messages begins to fail, or succeeds again.

    If it begins to fail, passes up to now have renewed the messages, and later passes do not. If it
    succeeds again, only passes after now renew them.
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
"""Messages, their put time, and the new value of `Parcel.passes`; None if it does not change."""


def _renew(draft: Draft, qmgr: QueueManager, channel: str, renewals: Iterable[_Renewal]) -> None:
    """Record those renewals that change something; adjacent equal ones become one span."""
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
