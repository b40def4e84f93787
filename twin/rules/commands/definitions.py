"""DEFINE, ALTER and DELETE of every object type, ALTER QMGR, and their effects in the cluster.

Observed definitions have the same effects in the cluster.

A DEFINE starts from the default object of its type, or from the object in LIKE. So does DEFINE with
REPLACE: attributes that are not given return to their defaults. REPLACE cannot change the type of a
queue. A command makes all its changes, or none.

Sources: IBM MQ 9.4, "MQSC commands reference"; IBM MQ, "How long do the queue manager repositories
retain information?" (an altered or deleted object is published at once); "Queue manager definition
commands" (REPOS, REPOSNL).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from twin import events
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import TYPES, Problem, Value, conflict, sparse, template_of
from twin.model.messages import NOT_FOUND, SYNTAX_ERROR
from twin.model.names import IN_NO_CLUSTER, legal_name, name_limit
from twin.model.objects import RECEIVING, Definition
from twin.model.platforms import ZOS
from twin.rules import reachability
from twin.rules.channels import retrying, starting, stopping
from twin.rules.commands import losses
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft, Reply, done, refused
from twin.rules.repository import publication


class _Acknowledged(NamedTuple):
    created: str
    altered: str
    deleted: str


ACKNOWLEDGED: Final[Mapping[str, _Acknowledged]] = {
    "QUEUE": _Acknowledged("AMQ8006", "AMQ8008", "AMQ8007"),
    "CHANNEL": _Acknowledged("AMQ8014", "AMQ8016", "AMQ8015"),
    "CLNTCONN": _Acknowledged("AMQ8014", "AMQ8016", "AMQ8015"),
    "PROCESS": _Acknowledged("AMQ8010", "AMQ8012", "AMQ8011"),
    "NAMELIST": _Acknowledged("AMQ8552", "AMQ8551", "AMQ8553"),
    "AUTHINFO": _Acknowledged("AMQ8563", "AMQ8567", "AMQ8564"),
    "LISTENER": _Acknowledged("AMQ8626", "AMQ8623", "AMQ8627"),
    "SERVICE": _Acknowledged("AMQ8625", "AMQ8622", "AMQ8624"),
    "TOPIC": _Acknowledged("AMQ8690", "AMQ8691", "AMQ8692"),
    "SUB": _Acknowledged("AMQ8094", "AMQ8092", "AMQ8091"),
    "COMMINFO": _Acknowledged("AMQ8858", "AMQ8859", "AMQ8860"),
}
"""Kind -> MQ's messages for an object that was created, altered or deleted."""

_CANNOT_BE_DELETED: Final = frozenset(
    ("QUEUE", f"SYSTEM.CLUSTER.{name}.QUEUE") for name in ("TRANSMIT", "COMMAND", "REPOSITORY")
)
"""Queues that cannot be deleted, because the repository manager always has them open."""

_CHANNEL_KINDS: Final = frozenset({"CHANNEL", "CLNTCONN"})
_MISSING: Final[Mapping[str, str]] = {"CONNAME": "AMQ8214", "XMITQ": "AMQ8230"}
_CONFLICTS: Final[Mapping[int, str]] = {
    3088: "AMQ8438",
    3089: "AMQ8439",
    3090: "AMQ8440",
    3269: "TWN0005",
    3363: "TWN0004",
}
"""Reason code of a conflict -> message; of the last two no source shows MQ's message."""


def define(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Create an object, or replace it."""
    type_name, name, kind = command.type, command.name, TYPES[command.type].kind
    if kind != "SUB" and not legal_name(name, limit=name_limit(kind)):
        return refused("AMQ8424")
    if command.problem is not None:
        return refusal_of(command.problem)
    before = qmgr.definitions.get((kind, name))
    replacing = command.option("REPLACE") is not None
    if before is not None and (not replacing or before.type != type_name):
        taken = refused("AMQ8226" if kind in _CHANNEL_KINDS else "AMQ8150", name)
        return _other_type(before) if replacing else taken
    base = _base(qmgr, command)
    if base is None:
        return refused(NOT_FOUND, command.option("LIKE") or "")
    values = {**base, **command.values}
    if problem := _conflict(qmgr, type_name, name, values):
        return refusal_of(problem)
    draft.emit(
        events.ObjectDefined(
            qmgr=qmgr.name, kind=kind, name=name, type=type_name, values=sparse(type_name, values)
        )
    )
    object_changed(draft, qmgr, (kind, name), was=before)
    return done(ACKNOWLEDGED[kind].created)


def _base(qmgr: QueueManager, command: ReadCommand) -> Mapping[str, Value] | None:
    """Return the values that a DEFINE starts from; None if the object in LIKE does not exist."""
    kind, like = TYPES[command.type].kind, command.option("LIKE")
    model = qmgr.definitions.get((kind, like or template_of(command.type, command.values)))
    if model is not None and model.type == command.type:
        return model.values
    return None if like else {}


def _conflict(
    qmgr: QueueManager, type_name: str, name: str, values: Mapping[str, Value]
) -> Problem | None:
    """Return the first conflict between all values of one object; None if there is none.

    Source: IBM MQ, PCF reason code 3363 (CLCHNAME of a queue that is no transmission queue; on z/OS
    also of one that is shared, or not indexed by correlation id), and 3090 (queues of the system
    that no cluster may have).
    """
    shares = next((each for each in ("CLUSTER", "CLUSNL") if values.get(each)), "")
    if shares and name in IN_NO_CLUSTER and TYPES[type_name].kind == "QUEUE":
        return Problem("exclusive", shares, f"{name} cannot be a cluster queue", 3090)
    if values.get("CLCHNAME"):
        needed = {"USAGE": "XMITQ"}
        if qmgr.platform == ZOS:
            needed["INDXTYPE"] = "CORRELID"
        shared = values.get("QSGDISP") == "SHARED"
        if shared or any(values.get(name) != value for name, value in needed.items()):
            return Problem("exclusive", "CLCHNAME", "CLCHNAME needs USAGE(XMITQ)", 3363)
    return conflict(type_name, values)


def alter(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Set some attributes of an object."""
    if command.object == "QMGR":
        return _alter_qmgr(draft, qmgr, command)
    name, kind = command.name, TYPES[command.type].kind
    before = qmgr.definitions.get((kind, name))
    if before is None:
        return refused("AMQ8227" if kind in _CHANNEL_KINDS else NOT_FOUND, name)
    authtype = before.values.get("AUTHTYPE")
    if before.type != command.type or command.values.get("AUTHTYPE", authtype) != authtype:
        return _other_type(before)
    problem = command.problem or _conflict(
        qmgr, command.type, name, {**before.values, **command.values}
    )
    if problem is not None:
        return refusal_of(problem)
    values: Values = dict(command.values)
    draft.emit(events.ObjectAltered(qmgr=qmgr.name, kind=kind, name=name, values=values))
    object_changed(draft, qmgr, (kind, name), was=before)
    return done(ACKNOWLEDGED[kind].altered)


def _alter_qmgr(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    problem = command.problem or conflict("QMGR", {**qmgr.values, **command.values})
    if problem is not None:
        return refusal_of(problem)
    values: Values = dict(command.values)
    draft.emit(events.QueueManagerAltered(qmgr=qmgr.name, values=values))
    attributes_changed(draft, qmgr, set(values))
    return done("AMQ8005")


def delete(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Delete an object."""
    before, name = _to_delete(qmgr, command), command.name
    if before is None:
        return refused("AMQ8227" if command.object == "CHANNEL" else NOT_FOUND, name)
    if (before.kind, name) in _CANNOT_BE_DELETED:
        return refused(losses.IN_USE)
    if before.type == "QLOCAL":
        purge = command.option("PURGE") is not None
        if problem := losses.refusal(qmgr, name, draft.at, purge=purge):
            return problem
        (losses.lose_all if purge else losses.lose)(draft, qmgr, name, "deleted")
    draft.emit(events.ObjectDeleted(qmgr=qmgr.name, kind=before.kind, name=name))
    object_changed(draft, qmgr, (before.kind, name), was=before)
    return done(ACKNOWLEDGED[before.kind].deleted)


def _to_delete(qmgr: QueueManager, command: ReadCommand) -> Definition | None:
    if command.object != "CHANNEL":
        definition = qmgr.definitions.get((TYPES[command.object].kind, command.name))
        same_type = definition is not None and definition.type == command.object
        return definition if same_type else None
    client_table = command.option("CHLTABLE") == "CLNTTAB"
    kinds = ("CLNTCONN",) if client_table else ("CHANNEL", "CLNTCONN")
    definitions = (qmgr.definitions.get((kind, command.name)) for kind in kinds)
    return next((definition for definition in definitions if definition is not None), None)


def _other_type(before: Definition) -> Reply:
    is_channel = before.kind in _CHANNEL_KINDS
    return refused("AMQ8213", before.name) if is_channel else refused("AMQ8151")


def refusal_of(problem: Problem) -> Reply:
    """Return the reply to a command with this problem, which is not a syntax error."""
    if problem.kind == "missing":
        return refused(_MISSING.get(problem.keyword, "AMQ8421"))
    if problem.kind == "unknown-cipherspec":
        return refused("AMQ8242")
    return refused(_CONFLICTS.get(problem.reason or 0, SYNTAX_ERROR))


_ROLE: Final = frozenset({"CLUSRCVR", "CLUSSDR", "NAMELIST"})
_SHARED: Final = frozenset({"QLOCAL", "QALIAS", "QREMOTE", "TOPIC"})


def object_observed(draft: Draft, primary: events.ObjectObserved | events.ObjectVanished) -> None:
    """Apply an observation that an object exists, or no longer exists.

    Messages that the twin had on a local queue are gone with it.
    """
    qmgr = draft.qmgr(primary.qmgr)
    key = (primary.kind, primary.name)
    was = qmgr.definitions.get(key)
    draft.emit(primary)
    if was is not None and was.type == "QLOCAL":
        losses.lose_with_queues(draft, qmgr)
    object_changed(draft, qmgr, key, was=was)


def object_changed(
    draft: Draft, qmgr: QueueManager, key: tuple[str, str], *, was: Definition | None
) -> None:
    """Apply the effects of an object that was defined, altered, deleted or observed.

    Publish the changed records, and let channels react to changes of their transmission queues.
    """
    if not qmgr.running:
        return
    now = qmgr.definitions.get(key)
    types = {definition.type for definition in (was, now) if definition is not None}
    if _for_transmission(was) or _for_transmission(now):
        starting.get_changed(draft, qmgr, was, now)
        retrying.await_switches(draft, qmgr)
    stopping.channel_altered(draft, qmgr, was, now)
    if now is not None and now.type in RECEIVING - {"CLUSRCVR"}:
        reachability.await_new_end(draft, qmgr, now)
    if types & _ROLE:
        reachability.bring_up_to_date(draft, qmgr)
        if now is None and was is not None and was.kind == "CHANNEL":
            reachability.channel_removed(draft, qmgr, was)
    elif types & _SHARED and (_shared(was) or _shared(now)):
        publication.publish_changes(draft, qmgr, only=key)


def _shared(definition: Definition | None) -> bool:
    return definition is not None and bool(
        definition.values.get("CLUSTER") or definition.values.get("CLUSNL")
    )


def _for_transmission(definition: Definition | None) -> bool:
    return definition is not None and definition.is_transmission_queue


def attributes_changed(draft: Draft, qmgr: QueueManager, keywords: set[str]) -> None:
    """Apply the effects of changed queue manager attributes in the cluster."""
    if keywords & {"REPOS", "REPOSNL"}:
        reachability.bring_up_to_date(draft, qmgr)
    if "DEFCLXQ" in keywords and qmgr.running:
        retrying.await_switches(draft, qmgr)
