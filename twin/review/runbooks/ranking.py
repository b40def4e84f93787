"""CLWLRANK in a maintenance: it is lowered before the queue manager ends, and given back after.

Rank is compared before SUSPEND and before the status of channels. So messages for an instance that
alone has the highest rank wait at their senders while its queue manager is suspended, or down.

Sources: IBM MQ 9.2, "The cluster workload management algorithm", and "Cluster workload balancing -
channel attributes" (CLWLRANK).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.commands import Command
from twin.model.objects import Definition, number_of
from twin.questions.doctor.finding import some
from twin.questions.doctor.index import Cluster, Index, OwnedObject
from twin.review.runbooks import checks
from twin.review.runbooks.scene import Checked, RunbookStep, Scene, SoleRank, done, missing

_RANK: Final = "CLWLRANK"
_SOURCE: Final = (
    "IBM MQ 9.2, The cluster workload management algorithm; Cluster workload balancing - channel "
    "attributes"
)


def sole_ranks(index: Index, name: str, clusters: tuple[str, ...]) -> tuple[SoleRank, ...]:
    """Return the ranks by which one queue manager gets all messages for queues that others have.

    Each object is named once, with the lowest rank that it needs.
    """
    found: dict[tuple[str, str], SoleRank] = {}
    for cluster in map(index.cluster, clusters):
        for queue, places in cluster.balanced:
            for each in _sole(cluster, queue, places, name):
                key = each.kind, each.name
                if key not in found or found[key].others > each.others:
                    found[key] = each
    return tuple(each for _, each in sorted(found.items()))


def _sole(cluster: Cluster, queue: str, places: list[OwnedObject], name: str) -> Iterator[SoleRank]:
    """Yield the ranks by which a queue manager alone is chosen for a queue.

    The ranks of channels are compared first, then those of the queues that are left.
    """
    own = [definition for site, definition in places if site.name == name]
    others = [
        (max(map(_rank, cluster.members[site.name])), _rank(definition))
        for site, definition in places
        if site.name != name
    ]
    if not own or not others:
        return
    highest = max(channel for channel, _ in others)
    receivers = cluster.members[name]
    if max(map(_rank, receivers)) < highest:
        return
    for receiver in receivers:
        if _rank(receiver) > highest:
            yield _of(receiver, highest, queue)
    left = max(rank for channel, rank in others if channel == highest)
    if _rank(own[0]) > left:
        yield _of(own[0], left, queue)


def _rank(definition: Definition) -> int:
    return number_of(definition, _RANK)


def _of(definition: Definition, others: int, queue: str) -> SoleRank:
    kind, name, type_ = definition.kind, definition.name, definition.type
    return SoleRank(kind, name, type_, _rank(definition), others, queue)


def _sets(scene: Scene, each: SoleRank, rank: int) -> Command:
    """Return the command that sets the rank of an object."""
    definition = scene.estate.qmgr(scene.name).definitions[each.kind, each.name]
    return Command.about(scene.name, "ALTER", definition, CLWLRANK=rank)


def _left(scene: Scene) -> tuple[SoleRank, ...]:
    """Return the ranks that it alone still has."""
    return sole_ranks(scene.index, scene.name, scene.clusters)


def is_lowered(scene: Scene) -> Checked:
    """Check that rank sends no messages to the queue manager only, and that others know."""
    if (past := checks.is_past(scene)) is not None:
        return past
    left = _left(scene)
    if left:
        return missing(
            f"{_RANK} prefers {scene.name} for {some(each.queue for each in left)}: while it is "
            "suspended or down, messages wait at their senders although others have the queue"
        )
    lowered = {(each.kind, each.name): each.others for each in scene.subject.ranks}
    kinds = {"qmgr": "CHANNEL", "queue": "QUEUE"}
    late = [
        record
        for record in checks.records_at_repositories(scene, tuple(kinds))
        if _held(record) > lowered.get((kinds[record.key[1]], record.key[2]), _held(record))
    ]
    if late:
        return missing(
            f"{checks.holding(late)} {late[0].key[2]} of {scene.named} with a higher {_RANK}"
            f"{checks.why_late(scene, late[0].observer)}",
            *checks.positions(late),
        )
    return done(f"{_RANK} prefers {scene.name} for no queue that others have")


def _held(record: checks.HeldRecord) -> int:
    value = record.belief.values.get(_RANK, 0)
    return value if isinstance(value, int) else 0


def lower(scene: Scene) -> Iterator[Command]:
    """Yield the commands that lower the ranks to those of the others."""
    if checks.is_past(scene) is None:
        yield from (_sets(scene, each, each.others) for each in _left(scene))


def _changed(scene: Scene, qmgr: QueueManager) -> list[tuple[SoleRank, int]]:
    """Return the objects whose rank is not what it was, with what it is now."""
    pairs = [
        (each, _rank(definition))
        for each in scene.subject.ranks
        for definition in [qmgr.definitions.get((each.kind, each.name))]
        if definition is not None
    ]
    return [(each, now) for each, now in pairs if now != each.rank]


def is_given_back(scene: Scene) -> Checked:
    """Check that its objects have the ranks that they had."""
    qmgr, ranks = scene.qmgr, scene.subject.ranks
    if not ranks:
        return done(f"{_RANK} did not have to be lowered")
    if qmgr is None or not checks.has_started_again(scene, qmgr):
        return missing(f"{scene.name} has not been restarted yet")
    changed = _changed(scene, qmgr)
    if changed:
        shown = some(f"{each.name} has {_RANK}({now}), it had {each.rank}" for each, now in changed)
        return missing(shown)
    return done(f"{some(each.name for each in ranks)} has the {_RANK} of before")


def give_back(scene: Scene) -> Iterator[Command]:
    """Yield the commands that give its objects the ranks that they had."""
    if scene.qmgr is not None:
        yield from (_sets(scene, each, each.rank) for each, _ in _changed(scene, scene.qmgr))


LOWER: Final = RunbookStep(
    id="lower-rank",
    text="Lower the CLWLRANK that only {name} has: rank is compared before SUSPEND and before the "
    "status of channels, so suspending {name} alone keeps no message away.",
    done_when="For each queue that {name} shares, another member has the same CLWLRANK or a higher "
    "one.",
    check=is_lowered,
    commands=lower,
    source=_SOURCE,
)

GIVE_BACK: Final = RunbookStep(
    id="give-rank-back",
    text="Give the queues and channels of {name} the CLWLRANK back that they had.",
    done_when="Each has the CLWLRANK that it had before the maintenance.",
    check=is_given_back,
    commands=give_back,
    source=_SOURCE,
)
