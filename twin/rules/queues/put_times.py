"""When messages that wait were put: a pass that leaves them where they are dates them anew.

Source: IBM's article on re-allocation, "When does re-allocation occur?": PutDate and PutTime are
updated as a stopped channel triggers further attempts. A pass at which the choice fails, as all
instances are put-disabled, updates nothing [inferred].

Passes that move nothing are in no log: while a channel is STOPPED or RETRYING they follow from
that. What they did is recorded as the channel is so no more, and as the choice begins to fail.
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
"""What `Parcel.passes` is while the choice for the messages fails."""

_DERIVED: Final = ("RETRYING", "STOPPED")

NamedQueue: TypeAlias = tuple[str, str]
"""A queue, and the queue manager that was named for it: what is chosen for."""


class Reallocatable(NamedTuple):
    """Messages that a pass looks at, and the transmission queue they lie on.

    `place` is how many for the channel lie before them there.
    """

    queue: str
    parcel: Parcel
    place: int = 0


def eligible(qmgr: QueueManager, channel: str) -> Iterator[Reallocatable]:
    """Go through the messages waiting for a channel that may go another way, first things first.

    Those may not that are bound, for a queue manager that was named, in doubt, or sent outside
    syncpoint already.
    """
    return (
        each for each in not_under_way(qmgr, channel) if each.parcel.to and not each.parcel.fixed
    )


def not_under_way(qmgr: QueueManager, channel: str) -> Iterator[Reallocatable]:
    """Go through what waits for a channel and is not under way, first things first.

    What is in doubt or was sent outside syncpoint is.
    """
    messaging = qmgr.messaging
    doubtful = messaging.in_doubt.get(channel, 0)
    risky = messaging.at_risk.get(channel, 0)
    places: dict[str, int] = {}
    for queue, parcel in transmission_queues.waiting(qmgr, channel):
        count, place = parcel.count, places.get(queue, 0)
        places[queue] = place + count
        kept = min(doubtful, count)
        doubtful -= kept
        if not parcel.persistent:
            sent = min(risky, count - kept)
            risky -= sent
            kept += sent
        if count > kept:
            free = parcel if not kept else replace(parcel, count=count - kept)
            yield Reallocatable(queue, free, place + kept)


def last_pass(state: ChannelState, at: Instant) -> Instant | None:
    """Return the instant of the last pass for a channel up to an instant, None where none was.

    A stopped channel has one as it stops; a retrying one as it fails, and at each retry since.
    """
    if state.status == "STOPPED":
        return state.since
    return state.retries.last(state.since, at) if state.status == "RETRYING" else None


def put_time(qmgr: QueueManager, channel: str, parcel: Parcel, at: Instant) -> Instant:
    """Return the instant that PutDate and PutTime of eligible messages show at an instant.

    Each pass that leaves them where they are renews it; one at which the choice fails does not.
    """
    state = qmgr.activity.channels.get(channel)
    last = last_pass(state, at) if state is not None else None
    if state is None or last is None or last <= parcel.at:
        return parcel.at
    if last == state.since and parcel.put > state.position:
        return parcel.at
    return parcel.at if parcel.passes < 0 or last <= parcel.passes else last


def record(draft: Draft, qmgr: QueueManager, channel: str, *, upto: Instant | None = None) -> None:
    """Record when messages were put as far as that follows from a status which is about to go.

    A retry that is due now is the one that comes to something else than a pass, and none, unless
    passes count `upto` now.
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
        ((each, put_time(qmgr, channel, each.parcel, until), None) for each in _of(qmgr, channel)),
    )


def _of(qmgr: QueueManager, channel: str) -> list[Reallocatable]:
    return list(eligible(qmgr, channel))


@contextmanager
def eligibility_changing(draft: Draft, qmgr: QueueManager, channel: str) -> Iterator[None]:
    """Let messages that wait where they are become such as passes look at, or cease to be.

    No pass up to now has looked at those that become so, whatever the channel's status says; what
    passes did to the others stays.
    """
    if qmgr.name not in draft.estate.qmgrs_with_waiting_messages:
        yield
        return
    record(draft, qmgr, channel, upto=draft.at)
    before = _of(qmgr, channel)
    yield
    if _is_derived(qmgr, channel):
        new = (part for each in _of(qmgr, channel) for part in _without(each, before))
        _renew(draft, qmgr, channel, (_not_looked_at(each, draft.at) for each in new))


def _without(found: Reallocatable, known: Iterable[Reallocatable]) -> Iterator[Reallocatable]:
    """Cut messages out of some that are next to each other; those cut out come in their order."""
    queue, parcel, place = found
    end = place + parcel.count
    for each in (each for each in known if each.queue == queue):
        first, last = max(place, each.place), min(end, each.place + each.parcel.count)
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
    """Record what a pass of now leaves unsaid: `failed` says for which names the choice did.

    What stays for a channel that is neither STOPPED nor RETRYING was put now; else it can be told
    from the status. The last messages, as many as are `beyond` the pass, it did not look at.
    """
    told = _is_derived(qmgr, channel)
    found = _of(qmgr, channel)
    looked_at = sum(each.parcel.count for each in found) - beyond

    def verdicts() -> Iterator[_Verdict]:
        left = looked_at
        for each in found:
            seen, rest = _split(each, left)
            left -= seen.parcel.count if seen else 0
            if rest and told:
                yield _not_looked_at(rest, draft.at)
            fails = failed.get((each.parcel.queue, each.parcel.named))
            if seen is None or fails is None:
                continue
            turned = _turned(each.parcel, fails=fails, since=0)
            parcel = seen.parcel if turned is None else replace(seen.parcel, passes=turned)
            tells = told and put_time(qmgr, channel, parcel, draft.at) == draft.at
            yield seen, parcel.at if fails or tells else draft.at, turned

    _renew(draft, qmgr, channel, verdicts())


def _is_derived(qmgr: QueueManager, channel: str) -> bool:
    """Say whether passes for a channel follow from its status."""
    state = qmgr.activity.channels.get(channel)
    return state is not None and state.status in _DERIVED


def _split(found: Reallocatable, count: int) -> tuple[Reallocatable | None, Reallocatable | None]:
    """Divide messages into the first `count` and the rest."""
    queue, parcel, place = found
    if count >= parcel.count:
        return found, None
    if count <= 0:
        return None, found
    first = Reallocatable(queue, replace(parcel, count=count), place)
    return first, Reallocatable(queue, replace(parcel, count=parcel.count - count), place + count)


def _not_looked_at(each: Reallocatable, at: Instant) -> _Verdict:
    """Say of messages that no pass up to an instant has dated them anew."""
    return each, each.parcel.at, at if each.parcel.passes != NO_PASS else None


def record_choice(
    draft: Draft, qmgr: QueueManager, channel: str, fails: Callable[[Parcel], bool]
) -> None:
    """Record that the choice for messages of a RETRYING channel began to fail, or is well again.

    Passes up to now have renewed them in the one case, and those from now on do in the other.
    """

    def verdicts() -> Iterator[_Verdict]:
        for each in _of(qmgr, channel):
            turned = _turned(each.parcel, fails=fails(each.parcel), since=draft.at)
            if turned is not None:
                yield each, put_time(qmgr, channel, each.parcel, draft.at), turned

    _renew(draft, qmgr, channel, verdicts())


def _turned(parcel: Parcel, *, fails: bool, since: Instant) -> int | None:
    """Say which passes count from now on where those are others than before, else None."""
    if fails:
        return None if parcel.passes == NO_PASS else NO_PASS
    return since if parcel.passes == NO_PASS else None


_Verdict: TypeAlias = tuple[Reallocatable, Instant, int | None]
"""Messages, when they were put, and which passes count from now on; None for those that did."""


def _renew(draft: Draft, qmgr: QueueManager, channel: str, verdicts: Iterable[_Verdict]) -> None:
    """Record what is not as it was; messages next to each other with the same are one span."""
    found: dict[tuple[str, Instant | None, int | None], list[tuple[int, int]]] = {}
    for (queue, parcel, place), at, passes in verdicts:
        renewed = at if at != parcel.at else None
        if renewed is None and passes is None:
            continue
        spans = found.setdefault((queue, renewed, passes), [])
        if spans and sum(spans[-1]) == place:
            spans[-1] = (spans[-1][0], spans[-1][1] + parcel.count)
        else:
            spans.append((place, parcel.count))
    for (queue, renewed, passes), spans in found.items():
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
