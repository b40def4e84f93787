"""What others hold of a restored queue manager that is newer than its own records.

A backup is of an earlier time, so what was published after it has higher numbers than what the
queue manager publishes next, and others discard that as old. If nothing was published after the
backup, or if nobody received it, nothing is discarded, and REFRESH CLUSTER is not needed for it
[decided here: IBM MQ, "Cluster-administration considerations", asks for it after every restore
from a point-in-time backup, because nobody can see there what was published since].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from twin.fold.beliefs import RecordName
from twin.fold.estate import Estate, QueueManager
from twin.rules.repository.outgoing_items import rank_of


class NewerVersion(NamedTuple):
    """A record, or the deletion of one, that a queue manager holds in a newer version.

    Attributes:
        holder: the queue manager that holds it.
        key: the record.
        position: the position of the event with which it was received; 0 for a deletion.
    """

    holder: str
    key: RecordName
    position: int = 0


def newer_versions(estate: Estate, owner: QueueManager, cluster: str) -> list[NewerVersion]:
    """Return what others hold of a restored queue manager that it published after its backup."""
    if not owner.repository.rank_offset.get(cluster):
        return []
    return [
        held
        for _, holder in sorted(estate.qmgrs.items())
        if holder is not owner
        for held, sequence in _held(holder, owner.qmid, cluster)
        if _is_newer(owner, held.key, sequence)
    ]


def _held(holder: QueueManager, owner: str, cluster: str) -> Iterator[tuple[NewerVersion, int]]:
    """Yield what a queue manager holds of an owner, with the numbers of the publications."""
    repository = holder.repository
    for (of, sequence), names in repository.by_publication.items():
        for key in names if of == owner else ():
            if key[0] == cluster:
                position = repository.beliefs[key][owner].position
                yield NewerVersion(holder.name, key, position), sequence
    for (in_cluster, kind, name, of), (sequence, _) in repository.deletions.items():
        if (in_cluster, of) == (cluster, owner):
            yield NewerVersion(holder.name, (cluster, kind, name)), sequence


def _is_newer(owner: QueueManager, key: RecordName, sequence: int) -> bool:
    """Return whether a publication is not the latest of a record, and not older either."""
    repository = owner.repository
    deleted = repository.deletions.get((*key, owner.qmid))
    if key in repository.own_records:
        latest = repository.beliefs[key][owner.qmid].sequence
    elif deleted is not None:
        latest = deleted[0]
    else:
        return True  # the backup does not have this record, and nothing was published of it since
    return sequence != latest and rank_of(owner, sequence) >= rank_of(owner, latest)
