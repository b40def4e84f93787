"""Which puts a change can affect: those are compared, and no others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.rules.membership import clusters_joined, full_repository_of

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.review.plan.pair import RehearsedPair, Sides

ANY_QUEUE: Final = "*"
"""Stands for every queue, where a queue manager itself starts or ends."""


class PlannedPut(NamedTuple):
    """A put to compare: at a queue manager, to a queue, with a bind option of `explain`."""

    on: str
    queue: str
    bind: str = "asqdef"


class Strangers(NamedTuple):
    """Members of a cluster that hold no record of a queue: a put there asks a full repository.

    Those that are named together are alike, so one of them stands for all.
    """

    queue: str
    names: tuple[str, ...]


def affected_puts(pair: RehearsedPair) -> set[PlannedPut]:
    """Return the puts to clustered names that the change can affect."""
    owners: dict[str, set[str]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for sides in pair.touched("repository"):
        _by_records(sides, owners[sides.name], names[sides.name])
    for sides in pair.touched("activity"):
        owners[sides.name] |= _by_channels(sides)
    for sides in pair.touched("definitions"):
        names[sides.name] |= _by_definitions(sides)
    every, ended = _by_attributes(pair)
    for name in pair.changed.estate.qmgrs if ended else ():
        owners[name] |= ended.keys()
    puts = {PlannedPut(name, ANY_QUEUE) for name in ended.values()}
    for name in (owners.keys() | names.keys() | every) - set(ended.values()):
        clustered = set()
        for rehearsal in (pair.base, pair.changed):
            if (qmgr := rehearsal.estate.qmgrs.get(name)) is not None:
                clustered |= _clustered(qmgr, None if name in every else owners[name])
        puts |= {PlannedPut(name, queue) for queue in clustered | names[name]}
    return puts | _at_owners(pair, puts)


def _at_owners(pair: RehearsedPair, puts: set[PlannedPut]) -> set[PlannedPut]:
    """Return the puts to these queues at owners of an instance that do not prefer their own.

    What they define themselves is among the puts already.
    """
    owned = set()
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
        if on in after and not _prefers_own(after[on], queue)
    }


def _prefers_own(qmgr: QueueManager, queue: str) -> bool:
    """Return whether a queue manager puts to its own instance of a queue (CLWLUSEQ)."""
    own = qmgr.definitions.get(("QUEUE", queue))
    useq = own.values.get("CLWLUSEQ", "QMGR") if own else "ANY"
    return (qmgr.values.get("CLWLUSEQ", "LOCAL") if useq == "QMGR" else useq) == "LOCAL"


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


def _by_records(sides: Sides, owners: set[str], names: set[str]) -> None:
    """Add the owners whose own record differs, and the queues with a record that differs."""
    old = sides.before.repository.beliefs if sides.before else {}
    new = sides.after.repository.beliefs if sides.after else {}
    for key in old.keys() | new.keys():
        was, now = old.get(key, {}), new.get(key, {})
        for owner in was.keys() | now.keys():
            before, after = was.get(owner), now.get(owner)
            if (before and before.values) == (after and after.values):
                continue
            if key[1] == "qmgr":
                owners.add(owner)
            elif key[1] == "queue":
                names.add(key[2])


def _by_channels(sides: Sides) -> set[str]:
    """Return the owners that are reached by a channel whose status differs."""
    if sides.before is None or sides.after is None:
        return set()
    old, new = sides.before.activity.channels, sides.after.activity.channels
    differing = {
        channel
        for channel in old.keys() | new.keys()
        if (old[channel].status if channel in old else "")
        != (new[channel].status if channel in new else "")
    }
    return {
        owner
        for qmgr in (sides.before, sides.after)
        for (_, owner), channels in qmgr.repository.routes.items()
        if differing & channels.keys()
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


def strangers(pair: RehearsedPair, puts: set[PlannedPut]) -> list[Strangers]:
    """Return, for each queue that full repositories route otherwise, who would have to ask."""
    members: dict[str, set[str]] = defaultdict(set)
    full: dict[str, tuple[str, ...]] = {}
    for name, qmgr in pair.changed.estate.qmgrs.items():
        for cluster in clusters_joined(qmgr) if qmgr.running else ():
            members[cluster].add(name)
        if clusters := full_repository_of(qmgr):
            full[name] = clusters
    asking: dict[str, set[str]] = defaultdict(set)
    known: dict[str, set[str]] = defaultdict(lambda: {*full})
    for put in puts:
        known[put.queue].add(put.on)
        for cluster in full.get(put.on, ()):
            asking[put.queue] |= members[cluster]
    asking.pop(ANY_QUEUE, None)
    for rehearsal in (pair.base, pair.changed):
        for name in full.keys() & rehearsal.estate.qmgrs.keys():
            _note_subscribers(rehearsal.estate.qmgrs[name], rehearsal.estate.names, known)
    found = []
    for queue, among in sorted(asking.items()):
        names = _without_own(pair, queue, among - known[queue])
        used = _with_channels(pair, full, queue, names)
        found += [Strangers(queue, (name,)) for name in sorted(used)]
        if alike := names - used:
            found.append(Strangers(queue, tuple(sorted(alike))))
    return found


def _with_channels(
    pair: RehearsedPair, full: Mapping[str, object], queue: str, names: set[str]
) -> set[str]:
    """Return those queue managers that have a channel to an owner of a queue already.

    Its status decides where they put, so they are not like the others.
    """
    channels: set[str] = set()
    for rehearsal in (pair.base, pair.changed):
        for name in full.keys() & rehearsal.estate.qmgrs.keys():
            repository = rehearsal.estate.qmgrs[name].repository
            for (cluster, _, _), belief in repository.queues_called(queue):
                channels |= repository.routes.get((cluster, belief.owner), {}).keys()
    return {
        name
        for name in names
        if any(
            channels & rehearsal.estate.qmgrs[name].activity.channels.keys()
            for rehearsal in (pair.base, pair.changed)
            if name in rehearsal.estate.qmgrs
        )
    }


def _without_own(pair: RehearsedPair, queue: str, names: set[str]) -> set[str]:
    """Return the queue managers without an object of their own of this name."""
    return {
        name
        for name in names
        if not any(
            ("QUEUE", queue) in rehearsal.estate.qmgrs[name].definitions
            for rehearsal in (pair.base, pair.changed)
            if name in rehearsal.estate.qmgrs
        )
    }


def _note_subscribers(
    qmgr: QueueManager, names: dict[str, str], known: dict[str, set[str]]
) -> None:
    """Note who has subscribed to a queue at a full repository."""
    for (_, kind, queue), subscribers in qmgr.repository.subscribers.items():
        if kind == "queue" and queue in known:
            known[queue] |= {names.get(qmid, "") for qmid in subscribers}
