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
    from twin.review.plan.pair import RehearsedPair

ANY_QUEUE: Final = "*"
"""Stands for every queue, where a queue manager itself starts or ends."""

NOT_OPENED: Final = "?"
"""Stands for every queue of a cluster that a queue manager has not opened yet."""


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
    owners, names = _owners(pair), _queues(pair)
    every = {name for name, one, other in pair.on_both if one.values != other.values}
    every |= {
        sides.name
        for sides, _, *queues in pair.objects
        if any(each is not None and each.is_transmission_queue for each in queues)
    }
    ended = {one.qmid: name for name, one, other in pair.on_both if one.running != other.running}
    shut = ended.keys() | _with_other_receivers(pair)
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
    senders = (
        every
        | pair.statuses.keys()
        | {
            sides.name
            for sides, _, *channels in pair.objects
            if any(each is not None and each.type in PARTNERS for each in channels)
        }
    )
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


def _owners(pair: RehearsedPair) -> dict[str, set[str]]:
    """Return the owners, by QMID, that each queue manager may reach otherwise."""
    owners: dict[str, set[str]] = defaultdict(set)
    for each in pair.records:
        if each.values_differ and each.key[1] == "qmgr":
            owners[each.sides.name].add(each.owner)
    unlike = pair.unlike("definitions")
    for name, *sides in pair.on_both:
        differing = pair.statuses.get(name, ())
        clusters = (
            {*clusters_joined(sides[0])} ^ {*clusters_joined(sides[1])} if name in unlike else ()
        )
        for qmgr in sides if differing or clusters else ():
            owners[name] |= {
                owner
                for (cluster, owner), channels in qmgr.repository.routes.items()
                if cluster in clusters or not channels.keys().isdisjoint(differing)
            }
    return owners


def _queues(pair: RehearsedPair) -> dict[str, set[str]]:
    """Return the names of queues of which each queue manager has or knows another one."""
    names: dict[str, set[str]] = defaultdict(set)
    for record in pair.records:
        if record.values_differ and record.key[1] == "queue":
            names[record.sides.name].add(record.key[2])
    for each in pair.objects:
        if each.key[0] == "QUEUE":
            names[each.sides.name].add(each.key[1])
    return names


def _clustered(qmgr: QueueManager, owners: set[str] | None) -> set[str]:
    """Return the queues that a queue manager knows at some owners; None stands for all."""
    if owners is not None and not owners:
        return set()
    return {
        key[2]
        for key, belief in qmgr.repository.of_kind("queue")
        if owners is None or belief.owner in owners
    }


def _with_other_receivers(pair: RehearsedPair) -> set[str]:
    """Return the QMIDs of those with a receiving channel that is STOPPED on one side only.

    A channel that is INACTIVE at its sender does not start then, and nothing differs at the sender.
    """
    return {
        after.qmid
        for name, differing in pair.statuses.items()
        for after in (pair.changed.estate.qmgrs[name],)
        if any(
            after.channels.get(channel) not in PARTNERS and "STOPPED" in statuses
            for channel, *statuses in differing.values()
        )
    }
