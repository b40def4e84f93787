"""Whether a user may put: the profiles that MQOPEN and MQPUT1 check, and what they grant.

The check is made once, against what the application opens. For a remote queue of a cluster, or a
cluster queue manager that is named, it depends on ClusterQueueAccessControl in the stanza Security
of qm.ini: with Xmitq, the default, it is the profile of SYSTEM.CLUSTER.TRANSMIT.QUEUE, whichever
transmission queue is used; with RQMName that of the name of the queue or of the queue manager. A
name that is unknown fails before authority is checked, and what inhibits a put after it [inferred].

Each entity of a user (itself, its groups, the group that everybody is in) has the authorities of
the most specific of its profiles; those of all entities add up. A record for a principal counts for
that user alone, as with SecurityPolicy=user [decided here].

Where messages arrive, the user of the channel must have put and setall; with PUTAUT(CTX) the user
in their context must have put. Without MCAUSER the channel runs as an administrator [inferred];
CHLAUTH is not looked at.

Sources: IBM MQ, "Access control and multiple cluster transmission queues"; "Granting authority to
put messages to a remote cluster queue"; "Preventing unauthorized queue managers putting messages".
On z/OS it is RACF that decides, by a profile of the name that is opened: "Authorizing putting
messages on remote cluster queues".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, NamedTuple, TypeAlias

from twin.events import Caller
from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.model import reasons
from twin.model.authorities import (
    ADMINISTRATORS,
    EVERYBODY,
    PUT,
    matches,
    specificity,
)
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE
from twin.model.objects import Definition, authorities_of, profile_of, text_of
from twin.model.platforms import ZOS
from twin.rules.channels.channel_status import knows_configuration, stanza
from twin.rules.path.resolved import Resolved

AccessMode: TypeAlias = Literal["Xmitq", "RQMName"]
"""ClusterQueueAccessControl: what is checked for queues of other queue managers in a cluster."""

MODES: Final[tuple[AccessMode, AccessMode]] = ("Xmitq", "RQMName")

Entity: TypeAlias = tuple[str, str]
"""PRINCIPAL or GROUP, and its name."""

NotKnown: TypeAlias = Literal["", "platform", "alias", "records", "mode"]
"""Why it is not known whether a user may put: z/OS decides otherwise; documents do not say which
profile counts for a queue manager alias; not all authority records were seen; qm.ini was not."""


class Granted(NamedTuple):
    """The authorities of an entity for an object, by the most specific of its profiles.

    `position` is that of the event that last changed the record.
    """

    entity: Entity
    profile: str
    words: tuple[str, ...]
    position: int = 0


class Authorization(NamedTuple):
    """Whether a user may put, and by what.

    Attributes:
        granted: whether it may; None if that is not known.
        type_name: the type of the profile that is checked; '' if that is not determined.
        name: the name that is checked.
        by: what each entity of the user that has a profile is granted.
        unknown: why it is not known.
    """

    granted: bool | None
    type_name: str = ""
    name: str = ""
    by: tuple[Granted, ...] = ()
    unknown: NotKnown = ""


def modes_of(qmgr: QueueManager) -> tuple[AccessMode, ...]:
    """Return what a queue manager checks for remote queues; both where its qm.ini was not seen."""
    if not knows_configuration(qmgr):
        return MODES
    chosen = stanza(qmgr, "Security").get("CLUSTERQUEUEACCESSCONTROL", "")
    return ("RQMName",) if chosen.strip().upper() == "RQMNAME" else ("Xmitq",)


def entity_of(record: Definition) -> Entity:
    """Return whom an authority record is about."""
    kind = "PRINCIPAL" if record.values.get("PRINCIPAL") else "GROUP"
    return kind, str(record.values.get(kind, ""))


def entities_of(qmgr: QueueManager, caller: Caller, user: str) -> tuple[Entity, ...]:
    """Return a user and its groups, as far as they were given."""
    common = () if qmgr.platform == "WINDOWSNT" else (EVERYBODY,)
    groups = (*caller.groups_of(user), *((user,) if user == ADMINISTRATORS else common))
    return ("PRINCIPAL", user), *(("GROUP", each) for each in groups)


def granted(
    qmgr: QueueManager, type_name: str, name: str, only: Collection[Entity] | None = None
) -> list[Granted]:
    """Return what entities are granted for an object; by default all that have a profile for it."""
    best: dict[Entity, Definition] = {}
    for (kind, _), record in qmgr.definitions.items():
        if kind != "AUTHREC" or record.values.get("OBJTYPE") != type_name:
            continue
        entity, profile = entity_of(record), profile_of(record)
        if (only is not None and entity not in only) or not (
            type_name == "QMGR" or matches(profile, name)
        ):
            continue
        if entity not in best or specificity(profile) < specificity(profile_of(best[entity])):
            best[entity] = record
    return [
        Granted(each, profile_of(by), authorities_of(by), by.position)
        for each, by in sorted(best.items())
    ]


def checked_object(qmgr: QueueManager, resolved: Resolved, mode: AccessMode) -> Entity | None:
    """Return type and name of the profile that is checked; None if that is not determined."""
    if not resolved.path or resolved.path[0].kind == "qmgr-alias":
        return None
    kind, name = resolved.path[0][:2]
    if kind not in _IN_CLUSTERS or (kind == "cluster" and ("QUEUE", name) in qmgr.definitions):
        return "QUEUE", name
    return ("QUEUE", CLUSTER_TRANSMISSION_QUEUE) if mode == "Xmitq" else (_IN_CLUSTERS[kind], name)


_IN_CLUSTERS: Final = {"cluster": "QUEUE", "cluster-qmgr": "RQMNAME", "cluster-alias": "RQMNAME"}


def access(
    qmgr: QueueManager,
    resolved: Resolved,
    entities: Collection[Entity],
    *,
    modes: Collection[AccessMode] = (),
    needs: Collection[str] = (PUT,),
) -> Authorization:
    """Return whether somebody who is all of these entities may put to a resolved name.

    `modes` are those of the queue manager by default.
    """
    each = [_access(qmgr, resolved, entities, mode, needs) for mode in modes or modes_of(qmgr)]
    if len({one.granted for one in each}) > 1:
        return each[0]._replace(granted=None, unknown="mode")
    return each[0]


def _access(
    qmgr: QueueManager,
    resolved: Resolved,
    entities: Collection[Entity],
    mode: AccessMode,
    needs: Collection[str],
) -> Authorization:
    found = checked_object(qmgr, resolved, mode)
    if qmgr.platform == ZOS:
        opened = resolved.path[0].name if resolved.path else resolved.name
        return Authorization(None, "MQQUEUE", f"{qmgr.name}.{opened}", unknown="platform")
    if found is None:
        return Authorization(None, unknown="alias")
    if ("GROUP", ADMINISTRATORS) in entities:
        everything = Granted(("GROUP", ADMINISTRATORS), "", ("ALL",))
        return Authorization(granted=True, type_name=found[0], name=found[1], by=(everything,))
    by = tuple(granted(qmgr, *found, entities))
    exact = [each for each in by if each.profile == found[1]]
    if not knows_records(qmgr) and not _suffices(exact, needs):
        return Authorization(None, *found, by, "records")
    return Authorization(_suffices(by, needs), *found, by)


def _suffices(by: Collection[Granted], needs: Collection[str]) -> bool:
    return {*needs} <= {word for each in by for word in each.words}


def knows_records(qmgr: QueueManager) -> bool:
    """Return whether all authority records of a queue manager are known."""
    return not qmgr.observed or bool(qmgr.confirmed.get("AUTHREC", NEVER_CONFIRMED).complete)


def checked(qmgr: QueueManager, resolved: Resolved, caller: Caller) -> Resolved:
    """Return a resolved name with reason 2035 if the caller surely may not put to it."""
    if resolved.reason:
        return resolved
    found = access(qmgr, resolved, entities_of(qmgr, caller, caller.name))
    return resolved._replace(reason=reasons.NOT_AUTHORIZED) if found.granted is False else resolved


def on_arrival(
    receiver: QueueManager, end: Definition | None, resolved: Resolved, caller: Caller
) -> Authorization | None:
    """Return whether messages of a user may be put where they arrive; None if nothing is checked.

    `end` is the receiving end of the channel.
    """
    if end is None or resolved.reason:
        return None
    user, needs = user_of(end, caller)
    if not user:
        return None
    return access(receiver, resolved, entities_of(receiver, caller, user), needs=needs)


def user_of(end: Definition, caller: Caller) -> tuple[str, tuple[str, ...]]:
    """Return whose authority a receiving end checks, and what it needs; '' for an administrator."""
    if end.values.get("PUTAUT") == "CTX":
        return caller.name, (PUT,)
    return text_of(end, "MCAUSER"), (PUT, "SETALL")
