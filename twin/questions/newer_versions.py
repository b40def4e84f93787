"""What others hold of a restored queue manager that is newer than its own records.

A backup is of an earlier time, so what was published after it has higher numbers than what the
queue manager publishes next, and others discard that as old. If nothing was published after the
backup, or if nobody received it, nothing is discarded, and REFRESH CLUSTER is not needed for it
[decided here: IBM MQ, "Cluster-administration considerations", asks for it after every restore
from a point-in-time backup, because nobody can see there what was published since].

Which queue managers are proved to be dead, by QMID, and by what.

Of two queue managers of one name neither is dead because it is older, or because a channel to it
fails. It is proved if it was deleted or stated to be gone, if a log says that another one has
replaced it because of its channel name (AMQ9468, CSQX468), or if the log of a full repository says
that it has not renewed its records for 30 days. What was seen of it later disproves a log.

Source: design law 19; APAR PH65188; IBM MQ 9.4, "How long do the queue manager repositories retain
information?".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant, format_instant

if TYPE_CHECKING:
    from twin.fold.beliefs import RecordName


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
    from twin.rules.repository.outgoing_items import (  # noqa: PLC0415 - few questions need it
        rank_of,
    )

    repository = owner.repository
    deleted = repository.deletions.get((*key, owner.qmid))
    if key in repository.own_records:
        latest = repository.beliefs[key][owner.qmid].sequence
    elif deleted is not None:
        latest = deleted[0]
    else:
        return True  # the backup does not have this record, and nothing was published of it since
    return sequence != latest and rank_of(owner, sequence) >= rank_of(owner, latest)


class ProofOfDeath(NamedTuple):
    """What proves that a queue manager is dead.

    Attributes:
        why: what it is, in words that follow the queue manager.
        position: the position of the event that says so.
    """

    why: str
    position: int


def proof_of(estate: Estate, qmid: str) -> ProofOfDeath | None:
    """Return what proves that the queue manager of a QMID is dead; None if nothing does."""
    gone = estate.departed.get(qmid)
    if gone is not None and gone.deleted is not None:
        when = format_instant(gone.deleted)
        return ProofOfDeath(f"was deleted, or stated to be gone, at {when}", gone.position)
    sign = estate.signs_of_death.get(qmid)
    if sign is None or last_sight(estate, qmid) > sign.at:
        return None
    when = format_instant(sign.at)
    replaced = f"was replaced by {sign.by}, as AMQ9468 of {when} says"
    silent = f"had not renewed its records for {sign.days} days at {when}"
    return ProofOfDeath(replaced if sign.by else silent, sign.position)


def last_sight(estate: Estate, qmid: str) -> Instant:
    """Return when a queue manager was last seen itself, or what it sent since; 0 if never."""
    seen = [
        shown.received
        for qmgr in estate.qmgrs.values()
        for (_, owner), shown in qmgr.repository.shown.items()
        if owner == qmid and shown.received is not None
    ]
    return max([*seen, own_sight(estate, qmid)], default=0)


def own_sight(estate: Estate, qmid: str) -> Instant:
    """Return when a queue manager was last seen to say its QMID itself; 0 if never.

    One that was replaced by another of its name was seen as long as it had the name.
    """
    own = estate.departed.get(qmid) or estate.qmgrs.get(estate.names.get(qmid, ""))
    if own is None or own.qmid != qmid or not own.says_qmid:
        return 0
    known = own.created if own.deleted is None else 0
    return max((each.at for each in own.confirmed.values()), default=known)
