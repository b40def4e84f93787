"""Records that are held only because of an assumption, and the names that are assumed for them.

Source: design decision 42.
"""

from __future__ import annotations

from typing import NamedTuple

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import QueueManager
from twin.fold.repository import Repository


class AssumedUse(NamedTuple):
    """A name that a queue manager is assumed to use."""

    qmgr: str
    kind: str
    name: str


def is_only_assumed(observer: QueueManager, key: RecordName, belief: Belief) -> bool:
    """Return whether a record of another owner is held only because of assumed subscriptions.

    The record of a queue manager is also held because of an object of it that was requested.
    """
    return bool(assumed_uses(observer, key, belief))


def assumed_uses(observer: QueueManager, key: RecordName, belief: Belief) -> list[AssumedUse]:
    """Return the assumed uses that a record is held for; [] if it is held for another reason.

    A queue of which records were seen was asked for: that is not assumed.
    """
    repository = observer.repository
    cluster, kind, _ = key
    requested: list[tuple[str, str]] = [key[1:]]
    if kind == "qmgr":
        if (cluster, belief.owner) in repository.known_full_repositories:
            return []
        objects = repository.ever_held.get((cluster, belief.owner), ())
        if any(each[0] == "topic" for each in objects):
            return []
        requested = [("qmgr", belief.owner_name), *(each for each in objects if each[0] == "queue")]
    made = [(ask, repository.subscriptions.get((cluster, *ask))) for ask in requested]
    if any(
        each is not None and (not each.assumed or _was_seen(repository, (cluster, *ask)))
        for ask, each in made
    ):
        return []
    return [AssumedUse(observer.name, *ask) for ask, each in made if each is not None]


def _was_seen(repository: Repository, name: RecordName) -> bool:
    return any((name, owner) in repository.shown for owner in repository.instances(*name))
