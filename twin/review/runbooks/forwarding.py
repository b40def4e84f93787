"""What a queue manager forwards for a cluster, and which definitions rely on that it is a member.

A gateway shares aliases and remote queues: of queues that are elsewhere, and of queue managers
(QREMOTE without RNAME). After it left, nobody forwards their messages, unless another member has
them. Definitions that name it, or that lead through it into the cluster, lead nowhere then.

Sources: IBM MQ 9.4, "Queue manager aliases and clusters"; "DEFINE QREMOTE" (RQMNAME, XMITQ) and
"DEFINE QALIAS" (TARGET).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.commands import parameters_text, quote_if_needed
from twin.model.objects import text_of
from twin.review.runbooks import checks, departing
from twin.review.runbooks.step import Checked, RunbookStep, StepCommand, done, unknown
from twin.rules import membership

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.model.objects import Definition
    from twin.review.runbooks.scene import Scene

_FORWARDS: Final = frozenset({"QALIAS", "QREMOTE"})
_FIRST: Final = {"QALIAS": ("TARGET", "TARGTYPE"), "QREMOTE": ("RNAME", "RQMNAME", "XMITQ")}
_LEFT_OUT: Final = frozenset({"CLUSTER", "CLUSNL"})
_SENDS: Final = frozenset({"SDR", "SVR"})
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
    return [each for each in found if each.type in _FORWARDS]


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
    return f"{queue} at {to}" if queue else f"queue manager {to}"


def forward_elsewhere(scene: Scene) -> Iterator[StepCommand]:
    """Yield the commands that give another member these aliases and remote queues."""
    for definition in _forwarders(scene):
        for cluster in scene.clusters:
            qmgr = _subject(scene)
            if qmgr is not None and cluster in membership.clusters(qmgr, definition):
                yield StepCommand(f"another member of {cluster}", _define(definition, cluster))


def _define(definition: Definition, cluster: str) -> str:
    first = _FIRST[definition.type]
    rest = sorted({*definition.values}.difference(first, _LEFT_OUT))
    values = {key: text_of(definition, key) for key in (*first, *rest)}
    if definition.type == "QALIAS" and values["TARGTYPE"] == "QUEUE":
        del values["TARGTYPE"]
    if not values.get("XMITQ", "-"):
        del values["XMITQ"]
    given = parameters_text([*values.items(), ("CLUSTER", cluster)])
    return f"DEFINE {definition.type}({quote_if_needed(definition.name)}) {given}"


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
    ways = _Ways(scene, subject)
    found = [
        Reliance(qmgr.name, definition, why)
        for _, qmgr in sorted(scene.estate.qmgrs.items())
        for (kind, name), definition in sorted(qmgr.definitions.items())
        if kind == "QUEUE" and not name.startswith("SYSTEM.") and definition.type in _FORWARDS
        for why in [ways.broken(qmgr, definition)]
        if why
    ]
    return [each for each in found if each.on != scene.name or not scene.subject.lost]


class _Ways:
    """The ways that end when a queue manager leaves its clusters."""

    def __init__(self, scene: Scene, subject: QueueManager) -> None:
        self._scene = scene
        self._subject = subject
        self._clusters = {*scene.clusters}
        alone = _only_here(scene, subject)
        self._queues = {each.name for each in alone}
        self._stay = {*membership.clusters_joined(subject)} - self._clusters
        self._qmgrs = {
            each.name for each in alone if each.type == "QREMOTE" and not text_of(each, "RNAME")
        }

    def broken(self, qmgr: QueueManager, definition: Definition) -> str:
        """Return what a definition leads to that it no longer reaches then; '' if it reaches it."""
        if qmgr.qmid == self._subject.qmid:
            return self._own(definition)
        if definition.type == "QREMOTE" and (through := _xmitq(qmgr, definition)):
            return self._through(qmgr, definition, through)
        joined = {*membership.clusters_joined(qmgr)}
        if joined.isdisjoint(self._clusters):
            return ""
        if definition.type == "QALIAS":
            target = text_of(definition, "TARGET")
            gone = target in self._queues and ("QUEUE", target) not in qmgr.definitions
            return f"TARGET({target}), which only {self._subject.name} has" if gone else ""
        to = text_of(definition, "RQMNAME")
        if to in self._qmgrs:
            return f"RQMNAME({to}), an alias that only {self._subject.name} has"
        left = to == self._subject.name and joined.isdisjoint(self._stay)
        return f"RQMNAME({to})" if left else ""

    def _own(self, definition: Definition) -> str:
        """Return what a definition of its own leads to that it reaches in these clusters only."""
        if definition.type == "QALIAS":
            target = text_of(definition, "TARGET")
            known = ("QUEUE", target) in self._subject.definitions
            return f"TARGET({target})" if not known and self._only_in_these(target) else ""
        to = text_of(definition, "RQMNAME")
        if _xmitq(self._subject, definition):
            return ""
        return f"RQMNAME({to})" if self._is_only_member_of_these(to) else ""

    def _through(self, qmgr: QueueManager, definition: Definition, xmitq: str) -> str:
        """Return what a message leads to that first goes to the subject by a channel of its own."""
        if not _leads(qmgr, xmitq, self._subject):
            return ""
        to, queue = text_of(definition, "RQMNAME"), text_of(definition, "RNAME")
        if to in ("", self._subject.name):
            known = ("QUEUE", queue) in self._subject.definitions
            ends = not known and self._only_in_these(queue)
            return f"{queue} through {self._subject.name}" if ends else ""
        ends = self._is_only_member_of_these(to)
        return f"queue manager {to} through {self._subject.name}" if ends else ""

    def _only_in_these(self, queue: str) -> bool:
        """Return whether others share a queue in these clusters, and in none that it stays in."""
        places = {
            cluster
            for qmgr in self._scene.others()
            for definition in [qmgr.definitions.get(("QUEUE", queue))]
            if definition is not None
            for cluster in membership.clusters(qmgr, definition)
        }
        return bool(places & self._clusters) and not places & self._stay

    def _is_only_member_of_these(self, name: str) -> bool:
        qmgr = self._scene.estate.qmgrs.get(name)
        if qmgr is None or qmgr.qmid == self._subject.qmid:
            return False
        joined = {*membership.clusters_joined(qmgr)}
        return bool(joined & self._clusters) and not joined & self._stay


def _xmitq(qmgr: QueueManager, remote: Definition) -> str:
    """Return the transmission queue of a remote definition; '' if it is one of clusters.

    Without XMITQ it is the queue that has the name of the queue manager, if there is one.
    """
    if named := text_of(remote, "XMITQ"):
        return named
    to = text_of(remote, "RQMNAME")
    queue = qmgr.definitions.get(("QUEUE", to))
    if queue is not None and queue.type == "QLOCAL" and text_of(queue, "USAGE") == "XMITQ":
        return to
    return str(qmgr.values.get("DEFXMITQ") or "")


def _leads(qmgr: QueueManager, xmitq: str, to: QueueManager) -> bool:
    """Return whether a channel from a transmission queue has its other end at a queue manager."""
    return any(
        definition.type in _SENDS
        and text_of(definition, "XMITQ") == xmitq
        and (there := to.definitions.get(("CHANNEL", definition.name))) is not None
        and there.type not in _SENDS
        for definition in qmgr.definitions.values()
    )


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
