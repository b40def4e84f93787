"""Which puts a change can affect: those are compared, and no others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.objects import PARTNERS
from twin.review.plan.own_instances import preference
from twin.rules.membership import clusters_joined
from twin.rules.path.resolved import is_alias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from twin.fold.estate import QueueManager
    from twin.model.objects import Definition
    from twin.review.plan.pair import RehearsedPair, Sides

ANY_QUEUE: Final = "*"
"""Stands for every queue, where a queue manager itself starts or ends."""

NOT_OPENED: Final = "?"
"""Stands for every queue of a cluster that a queue manager has not opened yet."""

_STOPPED: Final = "STOPPED"


class PlannedPut(NamedTuple):
    """A put to compare: at a queue manager, to a queue, with a bind option of `explain`."""

    on: str
    queue: str
    bind: str = "asqdef"


class Affected(NamedTuple):
    """What a change can affect.

    Attributes:
        puts: the puts to clustered names, by the queue manager that they go to first.
        reached: the queue managers that another one may reach in another way.
        sending: the queue managers that may send in another way to any other one.
    """

    puts: set[PlannedPut]
    reached: set[str]
    sending: set[str]


def affected_puts(pair: RehearsedPair) -> Affected:
    """Return the puts to clustered names that the change can affect."""
    owners: dict[str, set[str]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for each in pair.records:
        if each.values_differ and each.key[1] == "qmgr":
            owners[each.sides.name].add(each.owner)
        elif each.values_differ and each.key[1] == "queue":
            names[each.sides.name].add(each.key[2])
    for sides in pair.touched("activity"):
        owners[sides.name] |= _by_channels(sides)
    for sides in pair.touched("definitions"):
        owners[sides.name] |= _by_membership(sides)
        names[sides.name] |= _by_definitions(sides)
    every, ended = _by_attributes(pair)
    every |= with_other_transmission_queues(pair)
    shut = ended.keys() | with_other_receivers(pair)
    for name in pair.changed.estate.qmgrs if shut else ():
        owners[name] |= shut
    puts = {PlannedPut(name, ANY_QUEUE) for name in ended.values()}
    for name in (owners.keys() | names.keys() | every) - set(ended.values()):
        clustered = set()
        for rehearsal in (pair.base, pair.changed):
            if (qmgr := rehearsal.estate.qmgrs.get(name)) is not None:
                clustered |= _clustered(qmgr, None if name in every else owners[name])
        puts |= {PlannedPut(name, queue) for queue in clustered | names[name]}
    reached = {pair.changed.estate.names.get(each, "") for each in set().union(*owners.values())}
    reached |= {*ended.values(), *_with_other_dead_letters(pair, names)}
    senders = every | with_other_senders(pair)
    return Affected(puts | _at_owners(pair, puts), reached, senders)


def names_no_queue(pair: RehearsedPair, put: PlannedPut) -> bool:
    """Return whether a put names what is known as a queue manager alias alone: no application does.

    Source: IBM MQ 9.4, "Queue manager aliases and clusters".
    """
    found: list[bool] = []
    for rehearsal in (pair.base, pair.changed):
        if (qmgr := rehearsal.estate.qmgrs.get(put.on)) is not None:
            found += [is_alias(each) for _, each in qmgr.repository.queues_called(put.queue)]
            own = qmgr.definitions.get(("QUEUE", put.queue))
            found += [own.is_qmgr_alias] if own is not None else []
    return bool(found) and all(found)


def _with_other_dead_letters(pair: RehearsedPair, names: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield those that may do otherwise with messages that they cannot put.

    These are queue managers whose DEADQ differs, or the queue that it names.
    """
    for name, *sides in pair.qmgrs:
        used = [qmgr.text("DEADQ") for qmgr in sides if qmgr is not None]
        if len({*used}) > 1 or any(queue in names.get(name, ()) for queue in used):
            yield name


def _at_owners(pair: RehearsedPair, puts: set[PlannedPut]) -> set[PlannedPut]:
    """Return the puts to these queues at owners of an instance that do not prefer their own.

    What they define themselves is among the puts already.
    """
    owned, prefers_own = set(), preference(pair)
    for put in puts:
        for rehearsal in (pair.base, pair.changed):
            estate = rehearsal.estate
            if (qmgr := estate.qmgrs.get(put.on)) is not None and put.queue != ANY_QUEUE:
                for _, belief in qmgr.repository.queues_called(put.queue):
                    owned.add((estate.names.get(belief.owner, ""), put.queue))
    after = pair.changed.estate.qmgrs
    return {
        PlannedPut(on, queue)
        for on, queue in owned
        if on in after and not prefers_own(after[on], queue)
    }


def _by_attributes(pair: RehearsedPair) -> tuple[set[str], dict[str, str]]:
    """Return who may choose otherwise, and who started or ended: QMID -> name."""
    choose, ended = set(), {}
    for name in pair.base.estate.qmgrs.keys() & pair.changed.estate.qmgrs.keys():
        before, after = pair.base.estate.qmgrs[name], pair.changed.estate.qmgrs[name]
        if before.values != after.values:
            choose.add(name)
        if before.running != after.running:
            ended[after.qmid] = name
    return choose, ended


def _by_channels(sides: Sides) -> set[str]:
    """Return the owners that are reached by a channel whose status differs."""
    if sides.before is None or sides.after is None:
        return set()
    differing = differing_channels(sides)
    return {
        owner
        for qmgr in (sides.before, sides.after)
        for (_, owner), channels in qmgr.repository.routes.items()
        if differing & channels.keys()
    }


def _by_membership(sides: Sides) -> set[str]:
    """Return the owners that are known in the clusters that a queue manager joins or leaves."""
    if sides.before is None or sides.after is None:
        return set()
    differing = {*clusters_joined(sides.before)} ^ {*clusters_joined(sides.after)}
    return {
        owner
        for qmgr in (sides.before, sides.after)
        for cluster, owner in qmgr.repository.routes
        if cluster in differing
    }


def _by_definitions(sides: Sides) -> set[str]:
    """Return the names of queues whose definition differs."""
    old, new = sides.definitions()
    return {
        key[1]
        for key in old.keys() | new.keys()
        if key[0] == "QUEUE"
        and (key not in old or key not in new or old[key].values != new[key].values)
    }


def _clustered(qmgr: QueueManager, owners: set[str] | None) -> set[str]:
    """Return the queues that a queue manager knows at some owners; None stands for all."""
    if owners is not None and not owners:
        return set()
    return {
        key[2]
        for key, belief in qmgr.repository.of_kind("queue")
        if owners is None or belief.owner in owners
    }


def differing_channels(sides: Sides) -> set[str]:
    """Return the channels of a queue manager whose status differs."""
    if sides.before is None or sides.after is None:
        return set()
    old, new = sides.before.activity.channels, sides.after.activity.channels
    return {
        channel
        for channel in old.keys() | new.keys()
        if (old[channel].status if channel in old else "")
        != (new[channel].status if channel in new else "")
    }


def with_other_senders(pair: RehearsedPair) -> set[str]:
    """Return the queue managers with a channel whose status differs, or a sender that differs."""
    by_status = {each.name for each in pair.touched("activity") if differing_channels(each)}
    return by_status | {
        sides.name
        for sides in pair.touched("definitions")
        for each in _differing(sides, "CHANNEL")
        if each.type in PARTNERS
    }


def with_other_transmission_queues(pair: RehearsedPair) -> set[str]:
    """Return the queue managers with a transmission queue that differs: all they send may fail."""
    return {
        sides.name
        for sides in pair.touched("definitions")
        for each in _differing(sides, "QUEUE")
        if each.is_transmission_queue
    }


def with_other_receivers(pair: RehearsedPair) -> set[str]:
    """Return the QMIDs of those with a receiving channel that is STOPPED on one side only.

    A channel that is INACTIVE at its sender does not start then, and nothing differs at the sender.
    """
    return {
        sides.after.qmid
        for sides in pair.touched("activity")
        if sides.after is not None
        for channel in differing_channels(sides)
        if sides.after.channels.get(channel) not in PARTNERS and _is_stopped_once(sides, channel)
    }


def _is_stopped_once(sides: Sides, channel: str) -> bool:
    """Return whether a channel is STOPPED on one side only."""
    states = [qmgr.activity.channels.get(channel) for qmgr in (sides.before, sides.after) if qmgr]
    return len({state is not None and state.status == _STOPPED for state in states}) > 1


def _differing(sides: Sides, kind: str) -> Iterator[Definition]:
    """Yield the objects of a kind that differ, as they are on each side."""
    old, new = sides.definitions()
    for key in old.keys() | new.keys():
        was, now = old.get(key), new.get(key)
        if key[0] == kind and (was and was.values) != (now and now.values):
            yield from (each for each in (was, now) if each is not None)
