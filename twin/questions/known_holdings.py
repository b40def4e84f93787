"""What queue managers are known to hold and to lack, as opposed to what they would usually hold.

The rules say what an observed queue manager should hold. Whether it does is known only where it was
seen: a record is in an answer to DISPLAY, or a complete answer after the record lacks it. What a
command on a branch did since then counts as known, too: there the rules decide. Of a simulated
queue manager all is known. What rests on anything else must not lead to a finding that it is wrong,
and never to a command that destroys something.

Source: design laws 17 and 18.
"""

from __future__ import annotations

from typing import Final

from twin.events.base import Values
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.basis import Basis
from twin.model.cluster_records import is_as_good
from twin.model.instants import Instant
from twin.questions.basis import acted, basis_of_record, last_seen


def is_defined_whole(owner: QueueManager, kind: str) -> bool:
    """Return whether all objects of a kind are known of a queue manager: a script has only some."""
    return not owner.observed or bool(owner.confirmed.get(kind, NEVER_CONFIRMED).complete)


def is_surely_held(estate: Estate, holder: QueueManager, key: RecordName, belief: Belief) -> bool:
    """Return whether a queue manager is known to hold a record, and not only expected to."""
    owner = estate.owner(belief.owner)
    if not holder.observed or acted(owner, key):
        return True
    if owner is holder:
        return is_defined_whole(owner, _KINDS[key[1]])
    return basis_of_record(estate, holder, key, belief).content is Basis.OBSERVED


def is_surely_lacked(
    estate: Estate, holder: QueueManager, key: RecordName, owner: str, since: Instant
) -> bool:
    """Return whether a queue manager is known to lack a record that it does not hold.

    Args:
        estate: the estate of both.
        holder: the queue manager that does not hold it.
        key: the name of the record.
        owner: the QMID of its owner.
        since: when it should have had it at the latest: an older answer says nothing.
    """
    if not holder.observed or (holder.simulated and acted(estate.owner(owner), key)):
        return True
    complete = holder.confirmed.get(key[1], NEVER_CONFIRMED)
    if not complete.complete or complete.at < since:
        return False
    seen = holder.repository.shown.get((key, owner))
    return seen is None or seen.at < complete.at  # else the rules removed it after that


def is_surely_behind(
    estate: Estate,
    holder: QueueManager,
    key: RecordName,
    owner: str,
    values: Values,
    since: Instant,
) -> bool:
    """Return whether a queue manager is known to lack values of a record that it should have had.

    Args:
        estate: the estate of both.
        holder: the queue manager.
        key: the name of the record.
        owner: the QMID of its owner.
        values: the values that it should have.
        since: when it should have had them at the latest: an older answer says nothing.
    """
    held = holder.repository.instances(*key).get(owner)
    if held is None:
        return is_surely_lacked(estate, holder, key, owner, since)
    if is_as_good(held.values, values):
        return False
    seen = last_seen(holder, key, held)
    known = not holder.observed or (holder.simulated and acted(estate.owner(owner), key))
    return known or (seen is not None and seen.at >= since)


_KINDS: Final = {"qmgr": "CHANNEL", "queue": "QUEUE", "topic": "TOPIC"}
"""Kind of a record -> the kind of the object that it is about."""
