"""Let time pass: serve all timers that are due, in order, until none is left.

Source of the rules: IBM MQ 9.4, "How long do the queue manager repositories retain information?";
see `twin.rules.repository.lifetimes` for every figure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias, TypeVar

from twin.events import (
    ClusterCommandsExpired,
    InformationExpired,
    InformationRemoved,
    Item,
    RenewalOverdue,
    SubscriptionsLapsed,
    SubscriptionsRenewed,
)
from twin.fold import timers
from twin.fold.agenda import TimerKey, TimerKind
from twin.fold.beliefs import Names, RecordName
from twin.fold.estate import QueueManager
from twin.model.instants import ANSWER_WITHIN, DAY, Instant
from twin.rules import (
    assumptions,
    consequences,
    due_timers,
    membership,
    reachability,
    repository_manager,
)
from twin.rules.channels import stopping, switching
from twin.rules.draft import Draft
from twin.rules.messages import outbound, reallocation
from twin.rules.repository import (
    answers,
    connecting,
    delivery,
    lifetimes,
    publication,
    requests,
)

_T = TypeVar("_T")

_Rule: TypeAlias = Callable[[Draft, QueueManager, Instant, list[TimerKey]], None]
"""Serves due timers of one kind at one queue manager.

The arguments: the draft, the queue manager, the instant at which the timers started, their keys.
"""

_NOT_REPUBLISHED: Final = "AMQ9469"
_NOT_UPDATED: Final = "AMQ9456"


def play(draft: Draft, *, upto: Instant, limit: int | None = None) -> bool:
    """Emit everything that is due up to and including an instant; return whether nothing is left.

    With `limit`, stop early once the draft has that many events, but never between two events of
    the same instant.
    """
    played = draft.estate.instant
    while (due := due_timers.due(draft.estate, played=played, upto=upto)) or draft.foreseen:
        end = upto if due is None else due.instant
        if draft.foreseen and draft.foreseen[-1].at <= end:
            draft.take_foreseen()
            consequences.settle(draft)
            continue
        if due is None:
            break
        if limit is not None and len(draft.events) >= limit and due.instant > draft.at:
            return False
        draft.at = max(due.instant, draft.at)
        _serve(draft, due)
        consequences.settle(draft)
    return True


def play_until_answered(draft: Draft, qmgr: QueueManager, names: Names) -> None:
    """Let time pass until full repositories have answered for names, as a call waits for them."""
    answers.begin(draft, qmgr, names)
    end = draft.at + ANSWER_WITHIN
    while names in qmgr.activity.waits and (due := due_timers.due(draft.estate, upto=end)):
        play(draft, upto=due.instant)


def _serve(draft: Draft, due: due_timers.Due) -> None:
    since, name, key = due.entry
    qmgr = draft.estate.qmgrs[name]
    if due.kind is TimerKind.OVERDUE:
        due_timers.put_off(draft.estate, due.entry, until=draft.at)
        _warn(draft, qmgr, since, key)
        return
    keys = [timers.take(draft.estate, due.kind)[2]]
    while (entry := timers.first(draft.estate, due.kind)) and entry[:2] == (since, name):
        keys.append(timers.take(draft.estate, due.kind)[2])
    _RULES[due.kind](draft, qmgr, since, keys)


def _let_commands_expire(
    draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]
) -> None:
    for (channel,) in dict.fromkeys(keys):
        draft.emit(ClusterCommandsExpired(qmgr=qmgr.name, channel=channel, since=since))


def _for_channels(rule: Callable[[Draft, QueueManager, str], None]) -> _Rule:
    """Return a rule for timers of channels that calls `rule` once for each channel."""

    def serve(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
        for (channel,) in dict.fromkeys(keys):
            rule(draft, qmgr, channel)

    return serve


def _notice(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    for key in dict.fromkeys(keys):
        reachability.noticed(draft, qmgr, key)


def _resend(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    groups, own = qmgr.repository.by_publication, qmgr.repository.beliefs
    names = (
        name
        for (sequence,) in keys
        for name in groups.get((qmgr.qmid, sequence), ())
        if own[name][qmgr.qmid].published == since
    )
    for cluster, records in _by_cluster((name[0], name[1:]) for name in sorted(names)):
        publication.republish(draft, qmgr, cluster, records)


def _by_cluster(pairs: Iterable[tuple[str, _T]]) -> Iterator[tuple[str, tuple[_T, ...]]]:
    """Group (cluster, value) pairs: yield each cluster, sorted by name, with its values."""
    by_cluster: dict[str, list[_T]] = defaultdict(list)
    for cluster, value in pairs:
        by_cluster[cluster].append(value)
    yield from ((cluster, tuple(by_cluster[cluster])) for cluster in sorted(by_cluster))


def _renew(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    for cluster, asks in _requests(qmgr, since, used=True):
        ended = _ended(draft, qmgr, cluster, asks, since)
        if ended:
            draft.emit(SubscriptionsLapsed(qmgr=qmgr.name, cluster=cluster, asks=ended))
        asks = tuple(ask for ask in asks if ask not in ended)  # noqa: PLW2901 - those that remain
        if not asks:
            continue
        draft.emit(SubscriptionsRenewed(qmgr=qmgr.name, cluster=cluster, asks=asks))
        requests.send(draft, qmgr, cluster, asks)


def _ended(draft: Draft, qmgr: QueueManager, cluster: str, asks: Names, since: Instant) -> Names:
    """Return the requests that are not renewed: it is too late, or they are no longer assumed."""
    made = qmgr.repository.subscriptions
    lapsed = lifetimes.has_lapsed(since, at=draft.at)
    joined = cluster in membership.clusters_joined(qmgr)
    still = assumptions.still_assumed(draft, qmgr, cluster, asks)
    return tuple(
        ask
        for ask in asks
        if not joined or (ask not in still if made[cluster, *ask].assumed else lapsed)
    )


def _lapse(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    for cluster, asks in _requests(qmgr, since, used=False):
        draft.emit(SubscriptionsLapsed(qmgr=qmgr.name, cluster=cluster, asks=asks))


def _requests(
    qmgr: QueueManager, since: Instant, *, used: bool
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield each cluster with the subscriptions made at an instant that were used since, or not."""
    names = sorted(
        name
        for name, made in qmgr.repository.subscriptions.items()
        if made.made == since and (made.referenced is not None) == used
    )
    return _by_cluster((name[0], name[1:]) for name in names)


def _expire(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    for cluster, items in _items(qmgr, keys):
        draft.emit(InformationExpired(qmgr=qmgr.name, cluster=cluster, items=items))


def _remove(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    for cluster, items in _items(qmgr, keys):
        groups = qmgr.repository.by_publication
        names = [name for item in items for name in groups[item.owner, item.sequence]]
        draft.emit(InformationRemoved(qmgr=qmgr.name, cluster=cluster, items=items))
        for _, kind, channel in names:
            if kind == "qmgr":
                stopping.drop_unused_status(draft, qmgr, channel)


def _items(qmgr: QueueManager, keys: list[TimerKey]) -> Iterator[tuple[str, tuple[Item, ...]]]:
    """Yield each cluster with its publications that are the keys of timers."""
    groups = qmgr.repository.by_publication
    return _by_cluster(
        (next(iter(groups[owner, sequence]))[0], Item(owner=owner, sequence=sequence))
        for owner, sequence in keys
    )


def _warn(draft: Draft, qmgr: QueueManager, since: Instant, key: TimerKey) -> None:
    """Warn in the error log that records were not renewed: for how many days, and the days left.

    A full repository warns about a member's CLUSRCVR (AMQ9469); any other queue manager about
    records that it used in the last 30 days (AMQ9456). Source: IBM PH34265.
    """
    owner, sequence = key
    beliefs = qmgr.repository.beliefs
    names = sorted(  # read pages have another order
        name
        for name in qmgr.repository.by_publication[owner, sequence]
        if timers.warns_of(beliefs[name][owner].published, since)
    )
    cluster = names[0][0]
    is_full = membership.is_full(qmgr, cluster)
    overdue = [
        name[1:]
        for name in names
        if (name[1] == "qmgr" if is_full else _is_used(qmgr, name, owner))
    ]
    if not overdue:
        return
    published = beliefs[names[0]][owner].published
    days = (since + lifetimes.WARN_AFTER - published - lifetimes.RESEND_AFTER) // DAY
    draft.emit(
        RenewalOverdue(
            qmgr=qmgr.name,
            cluster=cluster,
            id=_NOT_REPUBLISHED if is_full else _NOT_UPDATED,
            owner=owner,
            names=tuple(overdue),
            days=days,
            left=(lifetimes.REMOVE_AFTER - lifetimes.RESEND_AFTER) // DAY - days,
        )
    )


def _is_used(qmgr: QueueManager, name: RecordName, owner: str) -> bool:
    """Return whether a record was used in the last 30 days.

    It counts as used if it was requested, if it is about a queue manager of which an object was
    requested, or if it is about a full repository.
    """
    repository, (cluster, kind, _) = qmgr.repository, name
    if kind != "qmgr":
        return name in repository.subscriptions
    belief = repository.beliefs[name][owner]
    if belief.values.get("QMTYPE") == "REPOS":
        return True
    requestable = [("qmgr", belief.owner_name), *repository.ever_held.get((cluster, owner), ())]
    return any((cluster, *key) in repository.subscriptions for key in requestable)


def _end_waits(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    for names in dict.fromkeys(keys):
        consequences.end_wait(draft, qmgr, names)


def _move_portions(draft: Draft, qmgr: QueueManager, since: Instant, keys: list[TimerKey]) -> None:
    for channel, work in dict.fromkeys(keys):
        portion = qmgr.activity.portions.get((channel, work))
        if portion is None or portion.at != since:  # an earlier one of these has changed that
            continue
        if work == "pass":
            reallocation.go_on(draft, qmgr, channel)
        else:
            switching.go_on(draft, qmgr, channel)
            if not switching.stopped(qmgr, channel):  # else it would start again
                outbound.portion_moved(draft, qmgr, channel)


_RULES: Final[Mapping[TimerKind, _Rule]] = {
    TimerKind.SILENT: _notice,
    TimerKind.QUEUED: _let_commands_expire,
    TimerKind.UNDER_WAY: _for_channels(delivery.arrive),
    TimerKind.RETRYING: _for_channels(connecting.retry),
    TimerKind.GIVING_UP: _for_channels(reachability.give_up),
    TimerKind.PUBLISHED: _resend,
    TimerKind.REFERENCED: _renew,
    TimerKind.REQUESTED: _lapse,
    TimerKind.HELD: _expire,
    TimerKind.EXPIRED: _remove,
    TimerKind.MESSAGE_RETRY: _for_channels(delivery.retry_put),
    TimerKind.RERUN: lambda draft, qmgr, _since, _keys: repository_manager.resume(draft, qmgr),
    TimerKind.AWAITED: _end_waits,
    TimerKind.PORTION: _move_portions,
}
"""Kind of timer -> the rule that serves all due timers of that kind at one queue manager."""
