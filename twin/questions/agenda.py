"""The agenda: the timed events that are still to come, rule by rule, the earliest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from twin.fold.agenda import OF_HELD, TimerKey, TimerKind
from twin.fold.estate import Estate, QueueManager
from twin.fold.timers import timers_of
from twin.model.instants import AsOf, Instant
from twin.model.names import COMMAND_QUEUE
from twin.questions.answer import Answer
from twin.questions.belief import observers
from twin.questions.catalogue import UNRENEWED
from twin.questions.sender_channels import SenderChannels
from twin.rules.due_timers import LIFETIMES, due_of
from twin.rules.repository.lifetimes import RESEND_AFTER

WHAT_HAPPENS: Final[Mapping[str, str]] = {each.name: each.says for each in LIFETIMES.values()}
"""The kind of a row -> what happens then, in words."""

_Positions: TypeAlias = Callable[[QueueManager, Instant, TimerKey], Iterable[int]]


def agenda(estate: Estate, as_of: AsOf, *, on: str | None = None) -> Answer:
    """List what is due next by each rule at each queue manager, the earliest first.

    `kind` is the rule, as `twin.rules.due_timers` names it, and `on` the queue manager.
    `due` is the next instant at which something is due, `count` is how many things are due then,
    and `waiting` is how many wait for this rule in all: records, requests, groups of commands,
    channels, or calls. A queue manager that is not running waits for nothing.

    `only_if` says when the event comes at all: the warning about a record and its expiry come only
    if its owner does not republish it before, at 27 days (IBM MQ 9.4, repository information
    retention). It is None once that republication was missed, and of all other events.

    Raises:
        NoSuchQueueManager: when no queue manager has the name `on`.
    """
    played = max(estate.instant, as_of.valid)
    timetable: dict[tuple[TimerKind, str], dict[Instant, list[int]]] = defaultdict(dict)
    for qmgr in observers(estate, on):
        for kind, since, key in timers_of(qmgr) if qmgr.running else ():
            if kind is TimerKind.RETRYING and (since <= played or qmgr.is_only_observed):
                continue  # that retry was made, or follows from what was seen of the channel
            due = due_of(kind, since, played=played)
            positions = timetable[kind, qmgr.name].setdefault(due, [])
            positions += _POSITIONS[kind](qmgr, since, key)
        for channel, due in _next_retries(qmgr, played):
            dues = timetable[TimerKind.RETRYING, qmgr.name].setdefault(due, [])
            dues += _of_channel(qmgr, due, (channel,))
    rows = sorted((min(dues), kind, name) for (kind, name), dues in timetable.items())
    return Answer.of(
        "agenda",
        as_of,
        (
            (
                {
                    "kind": LIFETIMES[kind].name,
                    "on": name,
                    "due": due,
                    "count": len(timetable[kind, name][due]),
                    "waiting": sum(map(len, timetable[kind, name].values())),
                    "only_if": _only_if(kind, due, played=played),
                },
                tuple(sorted(set(timetable[kind, name][due]))),
            )
            for due, kind, name in rows
        ),
    )


def _next_retries(qmgr: QueueManager, at: Instant) -> Iterator[tuple[str, Instant]]:
    """Yield the next retry of each channel that was seen RETRYING at an imported queue manager."""
    if not qmgr.is_only_observed or not qmgr.running:
        return
    senders = SenderChannels(qmgr)
    for channel in sorted(qmgr.activity.channels):
        if (due := senders.next_retry(channel, at)) is not None:
            yield channel, due


def _only_if(kind: TimerKind, due: Instant, *, played: Instant) -> str | None:
    """Return what must not happen before, if it is still expected to."""
    if kind not in OF_HELD:
        return None
    return UNRENEWED if due - LIFETIMES[kind].after + RESEND_AFTER > played else None


def _of_channel(qmgr: QueueManager, since: Instant, key: TimerKey) -> Iterable[int]:
    return [qmgr.activity.channels[key[0]].position]


def _of_requests(qmgr: QueueManager, since: Instant, *, used: bool) -> Iterable[int]:
    return [
        request.position
        for request in qmgr.repository.subscriptions.values()
        if request.made == since and (request.referenced is not None) == used
    ]


def _of_records(qmgr: QueueManager, since: Instant, key: TimerKey) -> Iterable[int]:
    """Return where the records of one publication come from; an owner's own key has no owner."""
    owner, sequence = key if len(key) > 1 else (qmgr.qmid, *key)
    names = qmgr.repository.by_publication[owner, sequence]
    return [qmgr.repository.beliefs[name][owner].position for name in names]


def _of_rerun(qmgr: QueueManager, since: Instant, key: TimerKey) -> Iterable[int]:
    """Return the commands that a failed operation keeps from being sent or read."""
    queued = qmgr.messaging.local.get(COMMAND_QUEUE, ()) if qmgr.has_messaging else ()
    commands = [kept.position for _, kept in qmgr.repository.kept]
    return [*commands, *(parcel.put for parcel in queued)] or [qmgr.position]


def _of_end(qmgr: QueueManager, since: Instant, key: TimerKey) -> Iterable[int]:
    """Return what says that an end is silent; the key of a receiving end has its partner."""
    if len(key) > 1:
        return [qmgr.activity.silent[key[0], key[1]].position]
    silence = qmgr.activity.channels[key[0]].silence
    return [silence.position] if silence is not None else []


_POSITIONS: Final[Mapping[TimerKind, _Positions]] = {
    TimerKind.SILENT: _of_end,
    TimerKind.QUEUED: lambda qmgr, since, key: (
        commands.position for commands in qmgr.repository.waiting[key[0]] if commands.since == since
    ),
    TimerKind.UNDER_WAY: lambda qmgr, since, key: (
        commands.position
        for commands in qmgr.repository.under_way[key[0]]
        if commands.arrives == since
    ),
    TimerKind.RETRYING: _of_channel,
    TimerKind.GIVING_UP: _of_channel,
    TimerKind.PUBLISHED: _of_records,
    TimerKind.REFERENCED: lambda qmgr, since, _: _of_requests(qmgr, since, used=True),
    TimerKind.REQUESTED: lambda qmgr, since, _: _of_requests(qmgr, since, used=False),
    TimerKind.HELD: _of_records,
    TimerKind.EXPIRED: _of_records,
    TimerKind.OVERDUE: _of_records,
    TimerKind.MESSAGE_RETRY: _of_channel,
    TimerKind.RERUN: _of_rerun,
    TimerKind.AWAITED: lambda qmgr, _, names: (
        each.position for each in qmgr.activity.waits[names].calls
    ),
    TimerKind.PORTION: lambda qmgr, since, key: _of_channel(qmgr, since, key[:1]),
}
"""For each kind of timer, a function that returns the positions of the events it rests on."""
