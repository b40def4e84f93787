"""The runbook `leave`: a queue manager leaves a cluster, until nobody holds a record of it.

What a queue manager forwards for a cluster, and which definitions rely on that it is a member.

A gateway shares aliases and remote queues: of queues that are elsewhere, and of queue managers
(QREMOTE without RNAME). After it left, nobody forwards their messages, unless another member has
them. Definitions that name it, or that lead through it into the cluster, lead nowhere then.

Sources: IBM MQ 9.4, "Restoring a queue manager to its pre-cluster state" and "Removing a queue
manager from a cluster" (the order of the steps); "RESET CLUSTER" (a queue manager that was deleted
without leaving).

Sources: IBM MQ 9.4, "Queue manager aliases and clusters"; "DEFINE QREMOTE" (RQMNAME, XMITQ) and
"DEFINE QALIAS" (TARGET).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from twin.fold.estate import QueueManager
from twin.model.commands import Command
from twin.model.objects import Definition, text_of
from twin.review.runbooks import automatic_configurations, checks, departing, saving
from twin.review.runbooks.scene import (
    FORGOTTEN_WITHIN,
    Checked,
    RunbookStep,
    Scene,
    done,
    unknown,
)
from twin.rules import membership
from twin.rules.path.graph import LEADING, PathGraph

_FIRST: Final = {"QALIAS": ("TARGET", "TARGTYPE"), "QREMOTE": ("RNAME", "RQMNAME", "XMITQ")}
_LEFT_OUT: Final = frozenset({"CLUSTER", "CLUSNL"})
_SHOWN: Final = 20
_SOURCE: Final = (
    "IBM MQ 9.4, Queue manager aliases and clusters; Removing a queue manager from a cluster"
)


class Reliance(NamedTuple):
    """A definition that relies on that a queue manager is a member.

    Attributes:
        on: the queue manager that has it.
        definition: the definition.
        why: what it leads to, in words.
    """

    on: str
    definition: Definition
    why: str

    def __str__(self) -> str:
        """Write it as steps name it."""
        return f"{self.definition.type}({self.definition.name}) at {self.on} ({self.why})"


def _subject(scene: Scene) -> QueueManager | None:
    """Return the queue manager, also one that is lost; None if it was deleted."""
    known = scene.estate.qmgrs.get(scene.name)
    return known if known is not None and known.qmid == scene.subject.qmid else None


def _only_here(scene: Scene, qmgr: QueueManager) -> list[Definition]:
    """Return its shared queues, aliases and remote queues that no other member has."""
    shared = checks.shared_objects(qmgr, scene.clusters)
    last = {*departing.last_instances(scene, shared)}
    return [each for each in shared if each.kind == "QUEUE" and each.name in last]


def _forwarders(scene: Scene) -> list[Definition]:
    qmgr = _subject(scene)
    found = _only_here(scene, qmgr) if qmgr is not None else []
    return [each for each in found if each.type in LEADING]


def others_forward(scene: Scene) -> Checked:
    """Check that another member has each alias and each remote queue that it shares."""
    alone = _forwarders(scene)
    if not alone:
        return done(f"{scene.name} forwards nothing in {' '.join(scene.clusters)} that others lack")
    shown = "; ".join(f"{each.type}({each.name}) for {_leads_to(each)}" for each in alone[:_SHOWN])
    return unknown(f"whether {shown}{_more(len(alone))} are still needed: nobody else has them")


def _more(number: int) -> str:
    return f"; and {number - _SHOWN} more" if number > _SHOWN else ""


def _leads_to(definition: Definition) -> str:
    """Return in words what an alias or a remote queue leads to."""
    if definition.type == "QALIAS":
        return text_of(definition, "TARGET")
    to = text_of(definition, "RQMNAME") or text_of(definition, "XMITQ")
    queue = text_of(definition, "RNAME")
    return f"queue manager {to}" if definition.is_qmgr_alias else f"{queue} at {to}"


def forward_elsewhere(scene: Scene) -> Iterator[Command]:
    """Yield the commands that give another member these aliases and remote queues."""
    for definition in _forwarders(scene):
        for cluster in scene.clusters:
            qmgr = _subject(scene)
            if qmgr is not None and cluster in membership.clusters(qmgr, definition):
                yield _define(definition, cluster)


def _define(definition: Definition, cluster: str) -> Command:
    first = _FIRST[definition.type]
    rest = sorted({*definition.values}.difference(first, _LEFT_OUT))
    values = {key: text_of(definition, key) for key in (*first, *rest)}
    if definition.type == "QALIAS" and values["TARGTYPE"] == "QUEUE":
        del values["TARGTYPE"]
    if not values.get("XMITQ", "-"):
        del values["XMITQ"]
    on = f"another member of {cluster}"
    return Command.about(on, "DEFINE", definition, **values, CLUSTER=cluster)


def nobody_relies_on_it(scene: Scene) -> Checked:
    """Check that no definition leads to it, or through it, in the clusters."""
    found = reliances(scene)
    if not found:
        return done(f"no definition leads to {scene.name} in {' '.join(scene.clusters)}")
    shown = "; ".join(str(each) for each in found[:_SHOWN])
    return unknown(f"whether anybody still uses {shown}{_more(len(found))}")


def reliances(scene: Scene) -> list[Reliance]:
    """Return the definitions that lead nowhere once the subject is no member any more."""
    subject = _subject(scene)
    if subject is None:
        return []
    now = PathGraph(scene.estate)
    then = PathGraph(scene.estate, {subject.name: scene.clusters})
    found = [
        Reliance(qmgr.name, definition, why)
        for _, qmgr in sorted(scene.estate.qmgrs.items())
        for (kind, name), definition in sorted(qmgr.definitions.items())
        if kind == "QUEUE" and not name.startswith("SYSTEM.") and definition.type in LEADING
        for why in [_broken(now, then, qmgr, definition, subject)]
        if why
    ]
    return [each for each in found if each.on != scene.name or not scene.subject.lost]


def _broken(
    now: PathGraph,
    then: PathGraph,
    qmgr: QueueManager,
    definition: Definition,
    subject: QueueManager,
) -> str:
    """Return what a definition leads to now and not then; '' if it still does, or never did.

    A definition that leads to another one here relies on nothing but that.
    """
    resolved = now.at(qmgr).beyond(definition)
    if resolved.reason or (resolved.path[1:] and resolved.path[1].is_defined):
        return ""
    if resolved.xmitq:
        if subject not in now.partners(qmgr, resolved.xmitq):
            return ""
        names = resolved.queue, resolved.named
        ends = [graph.at(subject).arrived(*names, bound=False).reason for graph in (now, then)]
        through = f"{names[0] or f'queue manager {names[1]}'} through {subject.name}"
        return through if ends[1] and not ends[0] else ""
    if not then.at(qmgr).beyond(definition).reason:
        return ""
    step = resolved.path[0]
    if step.kind == "alias":
        only = f", which only {subject.name} has" if qmgr is not subject else ""
        return f"TARGET({step.queue}){only}"
    only = f", an alias that only {subject.name} has" if not resolved.fixed else ""
    return f"RQMNAME({step.qmgr}){only}"


FORWARD: Final = RunbookStep(
    id="forward-elsewhere",
    text="Let another member of {clusters} forward what only {name} forwards, with the channels "
    "that this needs; or confirm that nobody needs it any more.",
    done_when="Another member of {clusters} has each alias and each remote queue that {name} "
    "shares.",
    check=others_forward,
    commands=forward_elsewhere,
    is_elsewhere=True,
    source=_SOURCE,
)

REDIRECT: Final = RunbookStep(
    id="redirect",
    text="Alter or delete the definitions that lead to {name}, or through it, in {clusters}.",
    done_when="No definition leads to {name} in {clusters}, and none through it.",
    check=nobody_relies_on_it,
    source=f"{_SOURCE}; DEFINE QREMOTE; DEFINE QALIAS",
)


_LEAVING: Final = "IBM MQ 9.4, Restoring a queue manager to its pre-cluster state"
_REMOVING: Final = "IBM MQ, Removing a queue manager from a cluster"
RETENTION: Final = (
    "IBM MQ 9.4, How long do the queue manager repositories retain information?; RESET CLUSTER"
)


HAND_OVER: Final = RunbookStep(
    id="hand-over",
    text="Make sure that {name} is no full repository of {clusters}.",
    done_when="REPOS and REPOSNL of {name} do not name {clusters}, and the full repositories "
    "hold QMTYPE(NORMAL) of it.",
    check=checks.needs_it(departing.is_no_repository),
    commands=departing.hand_over,
    source=_LEAVING,
)
SUSPEND: Final = RunbookStep(
    id="suspend",
    text="Suspend {name} in {clusters}, so that others avoid it. What is put before and after "
    "takes different routes: only messages of a group stay in order.",
    done_when="The running full repositories hold SUSPEND(YES) of {name}.",
    check=checks.needs_it(departing.is_suspended),
    commands=departing.suspend,
    source=_LEAVING,
)
WITHDRAW_OBJECTS: Final = RunbookStep(
    id="withdraw-objects",
    text="Take the queues and topics of {name} out of {clusters}.",
    done_when="No queue or topic of {name} names {clusters}, and no running full repository "
    "holds a record of one.",
    check=checks.needs_it(departing.shares_nothing),
    commands=departing.withdraw_objects,
    source=_REMOVING,
)
DRAIN: Final = RunbookStep(
    id="drain",
    text="Let the messages for {name} arrive, and close the handles that are bound to it.",
    done_when="No transmission queue elsewhere has messages for {name}, and no open handle is "
    "bound to it.",
    check=departing.nothing_comes,
    plays=departing.close_handles,
    lasts=False,
    source=_REMOVING,
)
SEND: Final = RunbookStep(
    id="send",
    text="Let the messages and repository commands that wait at {name} leave.",
    done_when="No transmission queue of {name} has messages or commands for {clusters}.",
    check=checks.needs_it(departing.nothing_goes),
    lasts=False,
    source=_REMOVING,
)
WITHDRAW_RECEIVERS: Final = RunbookStep(
    id="leave",
    text="Take the CLUSRCVR of {name} out of {clusters}.",
    done_when="{name} has no CLUSRCVR in {clusters}.",
    check=checks.needs_it(departing.is_no_member),
    commands=departing.withdraw_receivers,
    source=_LEAVING,
)
GONE_FROM_REPOSITORIES: Final = RunbookStep(
    id="repositories-forget",
    text="Wait until the full repositories have removed {name}; only then stop its channels.",
    done_when="No running full repository holds a record of {named}.",
    check=departing.is_gone_from_repositories,
    commands=departing.remove_by_force,
    destructive=True,
    lasts=False,
    source=f"{_LEAVING}; RESET CLUSTER",
)
_DISCONNECT: Final = RunbookStep(
    id="disconnect",
    text="Stop and delete the cluster channels of {name}.",
    done_when="{name} has no CLUSSDR in {clusters}, and no CLUSRCVR that is in no cluster.",
    check=checks.needs_it(departing.is_disconnected),
    commands=departing.disconnect,
    destructive=True,
    source=_LEAVING,
)
_FORGET: Final = RunbookStep(
    id="forget",
    text="Let {name} forget {clusters}; else it does so after 90 days.",
    done_when="{name} holds no record of {clusters}.",
    check=checks.needs_it(departing.has_forgotten),
    commands=departing.forget,
    destructive=True,
    source=f"{_REMOVING}; REFRESH CLUSTER",
)
FORGOTTEN: Final = RunbookStep(
    id="forgotten",
    text="Wait until no queue manager holds a record of {name} any more.",
    done_when="No queue manager holds a record of {qmid}.",
    check=departing.is_forgotten,
    source=RETENTION,
    patience=FORGOTTEN_WITHIN,
    lasts=False,
)

STEPS: Final = (
    saving.SAVE_UNLESS_GONE,
    automatic_configurations.LEAVE_FOR_GOOD,
    HAND_OVER,
    FORWARD,
    REDIRECT,
    SUSPEND,
    WITHDRAW_OBJECTS,
    DRAIN,
    SEND,
    WITHDRAW_RECEIVERS,
    GONE_FROM_REPOSITORIES,
    _DISCONNECT,
    _FORGET,
    FORGOTTEN,
)
