"""What records in repositories rest on: whether they were seen, follow, or are assumed.

A queue manager that was created in the twin acts by the rules, so everything about it is derived.
Of one that was first seen in a feed, definitions are known, but not when they were published last:
the dates of its records follow from CLUSDATE, or begin with the import, so they are assumed. A
record that was seen in an answer to DISPLAY is observed. CLUSDATE and CLUSTIME show when it was
received; it is unknown whether a renewal moves them, so what rests on them alone is assumed. So is
a record that is held only because of a subscription that is assumed.

Source: design decisions 34, 38 and 42.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.fold.beliefs import Belief, LastSeen, RecordName, Subscription
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.fold.repository import Repository
from twin.model.attributes import TYPES, template_of
from twin.model.basis import Basis
from twin.model.cluster_records import OBJECT_KINDS
from twin.model.instants import Instant
from twin.model.objects import Definition

ALWAYS: Final = 1 << 62
"""Later than every instant: until when something simulated is known."""


class RecordBasis(NamedTuple):
    """What a record, as one queue manager holds it, rests on.

    Attributes:
        content: that it is held, and its values.
        received: when it was received.
        dates: when it was published, and so when it expires and is removed.
    """

    content: Basis
    received: Basis
    dates: Basis


def basis_of_record(
    estate: Estate, observer: QueueManager, key: RecordName, belief: Belief
) -> RecordBasis:
    """Return what a record rests on."""
    content = basis_of_content(observer, key, belief)
    if content is Basis.ASSUMED:
        return RecordBasis(content, content, content)
    dates = _basis_of_dates(estate, key, belief)
    seen = last_seen(observer, key, belief)
    if seen is None or seen.received is None:
        return RecordBasis(content, dates, dates)
    own = belief.owner == observer.qmid and belief.published <= seen.at  # not renewed since
    doubtful = dates if own else Basis.ASSUMED
    return RecordBasis(content, doubtful if seen.assumes_utc else Basis.OBSERVED, dates)


def basis_of_content(observer: QueueManager, key: RecordName, belief: Belief) -> Basis:
    """Return what it rests on that a queue manager holds a record, and the values of that.

    On a branch, one that was seen may be held only as it is assumed that it was asked for again, or
    that its owner had renewed it since its CLUSDATE.
    """
    if observer.may_be_rebuilt:
        return Basis.ASSUMED
    if belief.owner == observer.qmid:
        return basis_of_object(observer, key)
    seen = last_seen(observer, key, belief)
    if (observer.simulated or seen is None) and assumed_uses(observer, key, belief):
        return Basis.ASSUMED
    if seen is None:
        return Basis.DERIVED
    shown, logged = seen.received, (key, belief.owner) in observer.repository.warned
    renewed = shown is not None and shown < belief.published <= seen.at and not logged
    return Basis.ASSUMED if observer.simulated and renewed else Basis.OBSERVED


def last_seen(observer: QueueManager, key: RecordName, belief: Belief) -> LastSeen | None:
    """Return when a queue manager was last seen to hold a record with these values, if ever."""
    seen = observer.repository.shown.get((key, belief.owner))
    return seen if seen is not None and seen.at >= belief.since else None


def received(observer: QueueManager, key: RecordName, belief: Belief) -> Instant:
    """Return when a record was received: as it was seen, or else as the rules say."""
    seen = last_seen(observer, key, belief)
    return belief.received if seen is None or seen.received is None else seen.received


def suspension_known_until(owner: QueueManager, key: RecordName) -> Instant:
    """Return until when it is known whether the owner of a record is suspended; 0 if it is not.

    A dump does not show it, but the row of the queue manager itself in DISPLAY CLUSQMGR does.
    """
    if not owner.observed or (owner.simulated and key[0] in owner.suspended):
        return ALWAYS
    seen = owner.repository.shown.get((key, owner.qmid))
    return 0 if seen is None else seen.at


def role_known(owner: QueueManager, key: RecordName) -> bool:
    """Return whether it is known of which clusters a queue manager is a full repository.

    Its own attributes say it, and so does its row in DISPLAY CLUSQMGR; a script that sets neither
    REPOS nor REPOSNL does not.
    """
    is_set = not {"REPOS", "REPOSNL"}.isdisjoint(owner.values)
    return owner.shows_all or is_set or (key, owner.qmid) in owner.repository.shown


def basis_of_object(owner: QueueManager, key: RecordName) -> Basis:
    """Return what the object of a record, as its owner defines it, rests on."""
    if not owner.observed or acted(owner, key):
        return Basis.DERIVED
    kind = OBJECT_KINDS[key[1]]
    defined = owner.definitions.get((kind, key[2]))
    seen = defined is None or owner.was_seen(kind, key[2], defined.type)
    return Basis.OBSERVED if seen and not owner.may_be_rebuilt else Basis.ASSUMED


def basis_of_attribute(owner: QueueManager, definition: Definition, keyword: str) -> Basis:
    """Return what an attribute of an object rests on, where it is known that the object is defined.

    A script leaves what it does not set to the default object of its queue manager: it follows from
    that if it was seen, and is assumed if not (DEFINE without LIKE: "the default object").
    """
    is_shown = definition.given is None or keyword in definition.given
    if not owner.observed or is_shown or keyword not in TYPES[definition.type].by_keyword:
        return Basis.OBSERVED
    kind, template = definition.kind, template_of(definition.type, definition.values)
    default = owner.definitions.get((kind, template))
    seen = owner.confirmed.get(kind, NEVER_CONFIRMED).last_seen(template, definition.type)
    return Basis.DERIVED if seen and default and default.given is None else Basis.ASSUMED


def _basis_of_dates(estate: Estate, key: RecordName, belief: Belief) -> Basis:
    owner = estate.owner(belief.owner)
    if belief.sequence < 0 or (owner.observed and not acted(owner, key)):
        return Basis.ASSUMED
    return Basis.DERIVED


def acted(owner: QueueManager, key: RecordName) -> bool:
    """Return whether the last change of an object was a command, such as one on a branch.

    What follows from its ALTDATE is recorded after the observation that shows it, and is earlier.
    """
    definition, seen = owner.definitions.get((OBJECT_KINDS[key[1]], key[2])), owner.confirmed
    if definition is None or not seen:
        return False
    changed = max(definition.created or 0, definition.altered or 0)
    return definition.position > max(each.position for each in seen.values()) and (
        changed >= max(each.at for each in seen.values())
    )


class AssumedUse(NamedTuple):
    """A name that a queue manager is assumed to use."""

    qmgr: str
    kind: str
    name: str


def assumed_uses(observer: QueueManager, key: RecordName, belief: Belief) -> list[AssumedUse]:
    """Return the assumed uses that a record of another owner is held for; [] if for another reason.

    The record of a queue manager is also held because of an object of it that was requested.
    A queue of which records were seen was asked for: that is not assumed, until that request has
    been renewed since.
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
        each is not None and (not each.assumed or is_shown(repository, (cluster, *ask), each))
        for ask, each in made
    ):
        return []
    return [AssumedUse(observer.name, *ask) for ask, each in made if each is not None]


def is_shown(repository: Repository, name: RecordName, request: Subscription) -> bool:
    """Return whether a record of a name was seen since a request for it was made last.

    That an earlier request was renewed is assumed: nobody saw that the name is still used.
    """
    shown = (repository.shown.get((name, owner)) for owner in repository.instances(*name))
    return any(seen is not None and seen.at >= request.made for seen in shown)
