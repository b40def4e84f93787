"""What follows from a loss in time: messages that wait, records that are not renewed or forgotten.

A record that is not renewed is removed 90 days after it was sent. A partial repository then asks
the full repositories of the cluster again; a loss that keeps it from all of them cuts it off from
queues that are not lost themselves.

Source: IBM MQ 9.4, "How long do the queue manager repositories retain information?".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.basis import Source, Unknown
from twin.model.instants import DAY, Instant
from twin.model.reasons import NO_ANSWER, UNKNOWN_ALIAS_BASE, UNKNOWN_OBJECT
from twin.questions.rehearsing import SETTLES_WITHIN, Rehearsing
from twin.questions.resilience.reach import NOTHING, Forgetting, QueueReach, SharedQueue
from twin.questions.seen_messages import bounds_to
from twin.questions.transmission import SYSTEM, transmission
from twin.rules.membership import clusters_joined
from twin.rules.repository.lifetimes import expires, removal

if TYPE_CHECKING:
    from twin.fold.estate import Estate, Part, QueueManager
    from twin.questions.resilience.losses import Loss

_LOOKS_EVERY: Final[Instant] = 30 * DAY
"""How often records are compared with the base: a record that is not renewed is seen at least once.

It is 27 days old when it should be renewed, and is removed when it is 90 days old.
"""


class Stale(NamedTuple):
    """A record that is not renewed after a loss: its cluster, kind, name, and when it was sent."""

    cluster: str
    kind: str
    name: str
    published: Instant


@dataclass(frozen=True, slots=True)
class Effects:
    """What follows from a loss.

    Attributes:
        waiting: the messages that wait for what was lost.
        bound: those of them that no reallocation can move.
        stale: the records that queue managers held after it and that were no longer renewed.
        forgetting: what queue managers have forgotten at its end and cannot ask for again.
    """

    waiting: int | Unknown = 0
    bound: int | Unknown = 0
    stale: tuple[Stale, ...] = field(default=())
    forgetting: Forgetting = NOTHING

    def first_expiry(self, cluster: str) -> Instant | None:
        """Return when the first record of a cluster expires; None if none does."""
        sent = [each.published for each in self.stale if each.cluster == cluster]
        return expires(min(sent)) if sent else None

    def first_removal(self, cluster: str) -> Instant | None:
        """Return when the first record of a cluster is removed; None if none is."""
        sent = [each.published for each in self.stale if each.cluster == cluster]
        return removal(min(sent)) if sent else None

    def removal_of(self, cluster: str, queues: tuple[str, ...]) -> Instant | None:
        """Return when the first record of one of these queues is removed; None if none is."""
        sent = [
            each.published
            for each in self.stale
            if (each.cluster, each.kind) == (cluster, "queue") and each.name in queues
        ]
        return removal(min(sent)) if sent else None


class Look(NamedTuple):
    """The base at an instant at which a loss is compared with it, and what changed until then."""

    at: Instant
    base: Rehearsing
    touched: frozenset[tuple[str, Part]]


def looks(begin: Rehearsing, until: Instant) -> tuple[Look, ...]:
    """Let time pass without a loss, and return the base at each look; the last is at `until`.

    The looks before the last depend on where it begins alone: a longer loss has them all too.
    """
    found: list[Look] = []
    base = begin
    touched: frozenset[tuple[str, Part]] = frozenset()
    for at in (*range(begin.now() + _LOOKS_EVERY, until, _LOOKS_EVERY), until):
        base = base.fork()
        base.advance(at)
        touched |= base.touched()
        found.append(Look(at, base, touched))
    return tuple(found)


def effects(begin: Rehearsing, beside: Sequence[Look], loss: Loss, reach: QueueReach) -> Effects:
    """Rehearse a loss from where `begin` is up to the last look, and compare it at each.

    Without a look, time passes only until channels have noticed, and no record is compared.
    """
    rehearsal = begin.fork()
    loss.befall(rehearsal)
    rehearsal.advance(begin.now() + SETTLES_WITHIN)
    waiting, bound = _waiting(rehearsal, loss)
    if not beside:
        return Effects(waiting, bound)
    stale: dict[Stale, None] = {}
    for look in beside:
        rehearsal.advance(look.at)
        stale.update(dict.fromkeys(_stale(look, rehearsal, loss)))
    return Effects(waiting, bound, tuple(stale), forgotten(rehearsal, beside[-1].base, loss, reach))


def _waiting(rehearsal: Rehearsing, loss: Loss) -> tuple[int | Unknown, int | Unknown]:
    """Count the messages that wait for what was lost, and those of them that stay there.

    Unknown if they may wait on a transmission queue of which captures show no number, or only
    bounds. Of those that captures show it is not known whether they stay.
    """
    waiting, bound, estate, open_ = 0, 0, rehearsal.estate, ""
    for name, (least, most) in _seen(estate, loss):
        if least is None or least != most:
            unknown = Unknown(name, Source.DEPTHS)
            return unknown, unknown
        waiting, open_ = waiting + least, name if least else open_
    for name in sorted(estate.qmgrs_with_waiting_messages):
        for row in transmission(estate, rehearsal.point, on=name).rows:
            to, channel = str(row["qmgr"] or ""), str(row["channel"] or "")
            if row["why"] != SYSTEM and row["queue"] and loss.is_awaited(name, to, channel):
                waiting += int(str(row["count"]))
                bound += int(str(row["count"])) if row["why"] or row["stranded"] else 0
    return waiting, Unknown(open_, None) if open_ else bound


def _seen(estate: Estate, loss: Loss) -> Iterator[tuple[str, tuple[int | None, int | None]]]:
    """Yield how many messages imported queue managers have for what was lost: least and most."""
    for qmgr in estate.qmgrs.values():
        for bounds in bounds_to(qmgr, partial(loss.is_awaited, qmgr.name)):
            yield qmgr.name, bounds


def _stale(look: Look, rehearsal: Rehearsing, loss: Loss) -> Iterator[Stale]:
    """Go through the records that were renewed in the base and are not after the loss."""
    repository = "repository"
    touched = {qmid for qmid, part in look.touched | rehearsal.touched() if part == repository}
    for name, after in rehearsal.estate.qmgrs.items():
        before = look.base.estate.qmgrs.get(name)
        if name in loss.qmgrs or before is None or not after.running or after.qmid not in touched:
            continue
        renewed = before.repository.beliefs
        for (cluster, kind, called), owners in after.repository.beliefs.items():
            in_base = renewed.get((cluster, kind, called), {})
            for owner, belief in owners.items():
                other = in_base.get(owner)
                if other is not None and other.published > belief.published and owner != after.qmid:
                    yield Stale(cluster, kind, called, belief.published)


_UNKNOWN: Final = (UNKNOWN_OBJECT, UNKNOWN_ALIAS_BASE, NO_ANSWER)
"""The reason codes of an open of an unknown name."""


def forgotten(after: Rehearsing, base: Rehearsing, loss: Loss, reach: QueueReach) -> Forgetting:
    """Return what is forgotten at the end of a loss, beside a base that has come as far.

    The opens are tried in both: what fails without the loss too is not forgotten because of it. Of
    a gateway to what is lost already, it counts whether its put fails with another reason code.
    """
    hit = {name for name, full in reach.full.items() if full and all(map(loss.involves, full))}
    unable = {
        (name, cluster)
        for name, qmgr in after.estate.qmgrs.items()
        if hit and name not in loss.qmgrs
        for cluster in hit.intersection(clusters_joined(qmgr))
        if _keeps_from_all(loss, name, reach.full[cluster])
    }
    if not unable:
        return NOTHING
    after, base = after.fork(), base.fork()
    senders = frozenset(
        (*queue, name)
        for name, queue in _unknown(after.estate, unable, reach)
        if _opens(base, name, queue[1]) and not _opens(after, name, queue[1])
    )
    gateways = frozenset(
        (*queue, name)
        for queue, owners in reach.onward.items()
        for name in owners
        if name in {each for each, _ in unable}
        if _opens(base, name, queue[1]) and not _opens(after, name, queue[1])
    )
    unusable = frozenset(
        (*queue, name)
        for queue, owners in reach.unusable.items()
        for name in owners
        if name in {each for each, _ in unable}
        if not _is_refused(base, name, queue[1]) and _is_refused(after, name, queue[1])
    )
    return Forgetting(senders, gateways | unusable)


def _keeps_from_all(loss: Loss, name: str, full: set[str]) -> bool:
    """Return whether a loss may keep a queue manager from all full repositories of a cluster."""
    return name not in full and all(
        each in loss.qmgrs or (loss.involves(name) and loss.involves(each)) for each in full
    )


def _unknown(
    estate: Estate, unable: Collection[tuple[str, str]], reach: QueueReach
) -> Iterator[tuple[str, SharedQueue]]:
    """Go through the queues that queue managers could reach, and have no record of any more."""
    for queue, senders in reach.ways.items():
        for name, ways in senders.items():
            owners = {way.owner for way in ways}
            if (name, queue[0]) in unable and not _knows(estate, estate.qmgrs[name], queue, owners):
                yield name, queue


def _knows(estate: Estate, qmgr: QueueManager, queue: SharedQueue, owners: set[str]) -> bool:
    """Return whether a queue manager knows an instance that it reached, and a way there."""
    cluster, name = queue
    repository = qmgr.repository
    return any(
        estate.names.get(owner) in owners
        and (owner == qmgr.qmid or bool(repository.routes.get((cluster, owner))))
        for owner in repository.beliefs.get((cluster, "queue", name), {})
    )


def _is_refused(rehearsal: Rehearsing, name: str, queue: str) -> bool:
    """Return whether a put to a queue fails because it, or what it leads to, is not known."""
    return any(hop.reason in _UNKNOWN for hop in rehearsal.follow(name, queue))


def _opens(rehearsal: Rehearsing, name: str, queue: str) -> bool:
    """Return whether a message that is put to a queue may leave, or is delivered."""
    return any(hop.end and hop.end != "fails" for hop in rehearsal.follow(name, queue))
