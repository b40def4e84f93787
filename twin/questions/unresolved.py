"""Why a name is unknown: where it is defined, who would know it, who was asked, when to ask again.

Sources: IBM swg21225022 (an MQOPEN asks two full repositories of each cluster; a request is made
once in 30 days); IBM MQ 9.4, "How long do the queue manager repositories retain information?";
"API reason codes" (2082, 2085, 2087, 2189).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from twin.errors import did_you_mean
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.instants import Instant, format_instant
from twin.model.objects import Definition
from twin.questions.blocked import channel_block
from twin.questions.reachability import obstacle
from twin.rules import membership
from twin.rules.channels import channel_status, command_queue
from twin.rules.draft import Draft
from twin.rules.path.resolved import Resolved, is_alias
from twin.rules.repository import answers, lifetimes, recipients

_MOST: Final = 5
"""The largest number of definitions that are listed."""


class Missing(NamedTuple):
    """A name that nobody could resolve: of a queue, or of a queue manager."""

    kind: Literal["queue", "qmgr"]
    name: str


def missing_name(resolved: Resolved, to: str = "") -> Missing | None:
    """Return the name because of which a resolution failed; None if it failed for another reason.

    `to` is the queue manager that the application named.
    """
    last = resolved.path[-1] if resolved.path else None
    if resolved.reason == reasons.UNKNOWN_REMOTE_QMGR:
        return Missing("qmgr", last.qmgr if last is not None else to)
    if resolved.reason == reasons.UNKNOWN_ALIAS_BASE:
        return Missing("queue", last.queue) if last is not None else None
    if resolved.reason in (reasons.UNKNOWN_OBJECT, reasons.NO_ANSWER):
        return Missing("queue", resolved.name)
    return None


def why_missing(
    draft: Draft, qmgr: QueueManager, missing: Missing, *, to: str, since: Instant
) -> Iterator[str]:
    """Yield sentences that say why a queue manager does not know a name.

    The estate of the draft must be complete. `to` is the queue manager that the application named.
    Requests made at or after `since` are those of the explanation itself.
    """
    if not missing.name:
        yield "A remote definition with a blank RQMNAME leads to no queue manager."
        return
    if missing.kind == "qmgr":
        yield from _not_leading(qmgr, missing.name)
    elif to == qmgr.name:
        yield f"{to} was named as the queue manager, so only its own queues count."
    else:
        yield f"{qmgr.name} has no queue {missing.name}."
    defined = list(_defined(draft, qmgr, missing))
    if to != qmgr.name or missing.kind == "qmgr":
        yield from _who_knows(draft, qmgr, missing, since, defined=bool(defined))
    yield from defined[:_MOST]
    if len(defined) > _MOST:
        yield f"{len(defined) - _MOST} more queue managers define it."
    if not defined:
        yield _nowhere(draft, missing)
    elif missing.kind == "queue" and _is_qmgr_alias(draft, missing.name):
        yield (
            f"{missing.name} is a queue manager alias: name a queue, and {missing.name} as "
            f"ObjectQMgrName (--to {missing.name})."
        )


def _is_qmgr_alias(draft: Draft, name: str) -> bool:
    """Return whether all that queue managers define by a name is queue manager aliases."""
    definitions = (each.definitions.get(("QUEUE", name)) for each in draft.estate.qmgrs.values())
    return all(each is None or each.is_qmgr_alias for each in definitions)


def _not_leading(qmgr: QueueManager, name: str) -> Iterator[str]:
    """Yield that no definition leads to a queue manager."""
    if name == qmgr.name:
        yield f"A remote definition cannot lead back to {name}, where it is defined."
        return
    yield (
        f"{qmgr.name} has no transmission queue and no queue manager alias {name}, and its DEFXMITQ"
        " is blank."
    )


class _Answered(NamedTuple):
    """What came of asking a full repository, what to do, and the channel for asking again."""

    outcome: Sequence[str]
    advice: Sequence[str] = ()
    channel: str = ""


def _who_knows(
    draft: Draft, qmgr: QueueManager, missing: Missing, since: Instant, *, defined: bool
) -> Iterator[str]:
    """Yield for each cluster who would know a name, and what came of asking.

    `defined` says whether any queue manager in the twin defines it.
    """
    joined = membership.clusters_joined(qmgr)
    if not joined:
        yield f"{qmgr.name} is in no cluster, so nobody is asked."
    if command_queue.is_waiting(qmgr):
        yield f"{qmgr.name} reads no answer: its repository manager waits for its command queue."
    advice: dict[str, None] = {}
    channels: dict[str, None] = {}
    for cluster in joined:
        if membership.is_full(qmgr, cluster):
            alias = _holds_alias(qmgr, (cluster, *missing))
            holds = "knows it as a queue manager alias alone" if alias else "holds no record of it"
            yield f"{qmgr.name} is a full repository of {cluster} and {holds}."
            continue
        chosen = recipients.full_repositories(draft, qmgr, cluster)
        if not chosen:
            yield f"{qmgr.name} knows no full repository of {cluster} that it could ask."
        for full, channel in chosen:
            answered = _asked(draft, qmgr, full, channel, (cluster, *missing), since)
            yield from answered.outcome
            advice.update(dict.fromkeys(answered.advice))
            channels.update(dict.fromkeys(filter(None, [answered.channel])))
    if channels and not advice:
        joins = f"{missing.name} has joined" if missing.kind == "qmgr" else "a member shares it"
        only = "" if defined else f", but only if {joins} by then"
        yield f"Asking again helps once {' or '.join(channels)} runs{only}."
    yield from advice


def _asked(
    draft: Draft,
    qmgr: QueueManager,
    full: QueueManager,
    channel: str,
    name: RecordName,
    since: Instant,
) -> _Answered:
    """Say what came of asking a full repository, and when asking again helps."""
    who = f"{full.name}, a full repository of {name[0]},"
    request = qmgr.repository.subscriptions.get(name)
    if not channel_status.is_usable(draft, qmgr, channel, full):
        block = channel_block(qmgr, channel, draft.at)
        why = obstacle(draft, qmgr, channel, full.name)
        says = [f"{who} does not get the request.", f"{block}{f'; {why}' if why else ''}."]
        return _Answered(says, channel=channel)
    if answers.is_under_way(draft, qmgr, name):
        later = "Asking again helps once the answer is here."
        return _Answered([f"{who} was asked, and its answer is on its way."], [later])
    if request is None or not recipients.is_subscriber(draft, full, name, qmgr.qmid):
        return _Answered([f"{who} was not asked."])
    if _holds_alias(full, name):
        return _Answered([f"{who} knows it as a queue manager alias alone."])
    if _holds(full, name, fresh_at=draft.at):
        return _Answered([f"{who} knows it, but its answer has not come to {qmgr.name}."])
    now = request.made >= since
    when = "is asked by this call" if now else f"was asked at {format_instant(request.made)}"
    expired = ", or only one that has expired" if _holds(full, name) else ""
    until = format_instant(request.made + lifetimes.LAPSE_AFTER)
    later = f"The request is kept until {until}: each record that comes until then is sent."
    says = [f"{who} {when}, and holds no record of it{expired}."]
    return _Answered(says, [later, "Until one comes, another open fails, too."])


def _held(full: QueueManager, name: RecordName) -> Iterator[Belief]:
    """Go through the records of a name that a repository holds."""
    cluster, kind, called = name
    for key, belief in full.repository.of_kind(kind, cluster=cluster):
        if called == (belief.owner_name if kind == "qmgr" else key[2]):
            yield belief


def _holds_alias(full: QueueManager, name: RecordName) -> bool:
    """Return whether all records of a queue that a repository holds are of queue manager aliases.

    Source: IBM MQ 9.4, "Queue manager aliases and clusters": such a name stands for the queue
    manager that an application names, and is no queue.
    """
    held = [is_alias(belief) for belief in _held(full, name) if name[1] == "queue"]
    return bool(held) and all(held)


def _holds(full: QueueManager, name: RecordName, *, fresh_at: int | None = None) -> bool:
    """Return whether a repository holds a record of a name, if given one that has not expired."""
    return any(
        fresh_at is None or not lifetimes.has_expired(belief.published, at=fresh_at)
        for belief in _held(full, name)
    )


def _defined(draft: Draft, qmgr: QueueManager, missing: Missing) -> Iterator[str]:
    """Yield where a name is defined, and why that does not help."""
    estate = draft.estate
    if missing.kind == "qmgr":
        other = estate.qmgrs.get(missing.name)
        if other is not None:
            yield _member(draft, qmgr, other)
        return
    for _, other in sorted(estate.qmgrs.items()):
        definition = other.definitions.get(("QUEUE", missing.name))
        if definition is not None and other is not qmgr:
            yield _shared(draft, qmgr, other, definition)


def _member(draft: Draft, qmgr: QueueManager, other: QueueManager) -> str:
    joined = membership.clusters_joined(other)
    if not joined:
        return f"{other.name} is in no cluster."
    common = sorted(set(joined) & {*membership.clusters_joined(qmgr)})
    if not common:
        return f"{other.name} is in {_named(joined)}, {_outside(draft, qmgr, joined)}."
    return f"{other.name} is in {_named(common)}{_published(draft, other, common[0], 'qmgr', '')}."


def _shared(draft: Draft, qmgr: QueueManager, other: QueueManager, definition: Definition) -> str:
    here = f"{definition.type}({definition.name}) at {other.name}"
    shared = membership.clusters(other, definition)
    if not shared:
        return f"{here} is not shared in a cluster."
    published = [cluster for cluster in shared if cluster in membership.clusters_joined(other)]
    if not published:
        return f"{here} is shared in {_named(shared)}, but {other.name} has no CLUSRCVR there."
    common = [each for each in published if each in membership.clusters_joined(qmgr)]
    if not common:
        return f"{here} is shared in {_named(published)}, {_outside(draft, qmgr, published)}."
    known = _published(draft, other, common[0], "queue", definition.name)
    return f"{here} is shared in {_named(common)}{known}."


def _outside(draft: Draft, qmgr: QueueManager, clusters: tuple[str, ...] | list[str]) -> str:
    """Say that a queue manager is in none of some clusters, and which others are in both."""
    mine = set(membership.clusters_joined(qmgr))
    between = [
        name
        for name, other in sorted(draft.estate.qmgrs.items())
        if (joined := set(membership.clusters_joined(other))) & mine and joined & set(clusters)
    ]
    gateways = f"; in both: {', '.join(islice(between, _MOST))}" if between else ""
    return f"but {qmgr.name} is not{gateways}"


def _published(draft: Draft, other: QueueManager, cluster: str, kind: str, name: str) -> str:
    """Say which full repositories of a cluster hold a record, or where it waits."""
    record = (cluster, kind, name or other.name)
    full = [each for each in draft.estate.qmgrs.values() if membership.is_full(each, cluster)]
    holding = sorted(each.name for each in full if _holds(each, record))
    if holding:
        return f"; its record is held by {', '.join(holding)}"
    waiting = sorted(
        channel
        for channel, commands in other.repository.waiting.items()
        if any(each.cluster == cluster and each.items for each in commands)
    )
    if waiting:
        blocks = ", ".join(str(channel_block(other, channel, draft.at)) for channel in waiting)
        return f", but its record waits at {other.name}: {blocks}"
    return ", but no full repository holds its record"


def _nowhere(draft: Draft, missing: Missing) -> str:
    """Say that a name is not in the twin at all, and name those that are like it."""
    estate, name = draft.estate, missing.name
    if missing.kind == "qmgr":
        sentence, known = f"{name} is not in the twin", sorted(estate.qmgrs)
    else:
        sentence = f"No queue manager in the twin defines {name}"
        known = sorted(
            {
                key[1]
                for other in estate.qmgrs.values()
                for key in other.definitions
                if key[0] == "QUEUE" and not key[1].startswith("SYSTEM.")
            }
        )
    return f"{sentence}{did_you_mean(name, known) or '.'}"


def _named(clusters: tuple[str, ...] | list[str]) -> str:
    return f"cluster{'s' if len(clusters) > 1 else ''} {', '.join(clusters)}"
