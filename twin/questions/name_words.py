"""How a name was resolved, and how messages are bound, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.fold.beliefs import Instance
from twin.model import reasons
from twin.rules.messages.destinations import Candidates
from twin.rules.messages.opening import PutTarget
from twin.rules.path.resolved import NameKind, NameStep, Resolved
from twin.rules.workload.routes import Route

_PLAIN: Final[tuple[NameKind, ...]] = ("local", "model", "cluster", "cluster-qmgr")
"""What a name may be found to be that needs no words if it is the name that was asked for."""


def path_line(resolved: Resolved) -> str:
    """Return how a name was resolved: '' if it is the name of a queue itself."""
    path = resolved.path
    if len(path) < 2 and all(step.kind in _PLAIN for step in path):  # noqa: PLR2004
        return ""
    clauses = [_clause(step, resolved) for step in path]
    return f"{'; '.join(clauses)}."


def path_texts(resolved: Resolved) -> tuple[str, ...]:
    """Return each step in which a name was resolved."""
    return tuple(_clause(step, resolved) for step in resolved.path)


def _clause(step: NameStep, resolved: Resolved) -> str:
    by = f" by transmission queue {step.xmitq}" if step.xmitq else ""
    if step.kind in _IN_CLUSTERS:
        return f"{step.name} is {_IN_CLUSTERS[step.kind]} of {_clusters(resolved.instances)}"
    wording = _WORDING[step.kind]
    if step.kind == "xmitq":
        return _transmission_queue(step, resolved)
    if step.kind == "alias" and resolved.reason == reasons.ALIAS_BASE_TYPE:
        wording = "is an alias of {queue}, which is an alias or a model queue itself"
    if step.kind == "qmgr-alias" and not step.qmgr:
        wording = "is a queue manager alias with {to}"
    to = step.qmgr or "a blank RQMNAME"
    queue = step.queue or "a blank RNAME"
    return f"{step.name} {wording.format(queue=queue, to=to)}{by}"


def _transmission_queue(step: NameStep, resolved: Resolved) -> str:
    """Return what is used as the transmission queue, why, and why it cannot be used."""
    named = step.name == step.qmgr or any(each.xmitq == step.name for each in resolved.path)
    if wrong := _NO_TRANSMISSION_QUEUE.get(resolved.reason, ""):
        return f"{step.name} {wrong}" if named else f"DEFXMITQ names {step.name}, which {wrong}"
    if named:
        return f"{step.name} {_WORDING['xmitq'].format(to=step.qmgr)}"
    return f"DEFXMITQ names {step.name}, a transmission queue, for {step.qmgr}"


_NO_TRANSMISSION_QUEUE: Final[Mapping[int, str]] = {
    reasons.UNKNOWN_XMITQ: "does not exist",
    reasons.UNKNOWN_DEFAULT_XMITQ: "does not exist",
    reasons.XMITQ_TYPE_ERROR: "is no local queue",
    reasons.DEFAULT_XMITQ_TYPE_ERROR: "is no local queue",
    reasons.XMITQ_USAGE_ERROR: "is no transmission queue",
    reasons.DEFAULT_XMITQ_USAGE_ERROR: "cannot be the default transmission queue",
}
"""Reason code -> why a queue is not used as the transmission queue.

Source: IBM MQ, "API reason codes", 2091, 2092, 2196 to 2199.
"""

_WORDING: Final[Mapping[NameKind, str]] = {
    "local": "is a local queue",
    "model": "is a model queue",
    "alias": "is an alias of {queue}",
    "remote": "is a remote definition of {queue} at {to}",
    "qmgr-alias": "is an alias of queue manager {to}",
    "xmitq": "is a transmission queue that leads to {to}",
}
"""What a name was found to be -> its words."""

_IN_CLUSTERS: Final[Mapping[NameKind, str]] = {
    "cluster": "a queue",
    "cluster-qmgr": "a queue manager",
    "cluster-alias": "a queue manager alias",
}


def _clusters(instances: tuple[Instance, ...]) -> str:
    names = sorted({cluster for cluster, _ in instances})
    return f"cluster{'s' if len(names) > 1 else ''} {', '.join(names)}"


def bind_line(target: PutTarget, how: str, candidates: Candidates, *, put1: bool, on: str) -> str:
    """Return how messages are bound, and which option or DEFBIND says so.

    `on` is the queue manager where they are put.
    """
    return f"Bind {how}: {_why_bound(target, candidates, put1=put1, on=on)}."


def _why_bound(target: PutTarget, candidates: Candidates, *, put1: bool, on: str) -> str:
    resolved = target.resolved
    if put1:
        return "MQPUT1 fixes no destination"
    if target.bind != "asqdef":
        return "the application asked for it"
    if resolved.defbind:
        first = resolved.path[0] if resolved.path else NameStep("cluster", resolved.name)
        what = {"alias": "alias ", "remote": "remote definition "}.get(first.kind, "")
        return f"DEFBIND({resolved.defbind}) of {what}{first.name} at {on}"
    if resolved.fixed:
        return "a queue manager is named, so no DEFBIND applies"
    return _by_records(resolved, candidates.routes)


def _by_records(resolved: Resolved, routes: tuple[Route, ...]) -> str:
    """Return the DEFBIND of the first instance, and of the others if they differ."""
    defbinds = {
        belief.owner: (str(belief.values.get("DEFBIND", "OPEN")), belief.owner_name)
        for _, belief in resolved.instances
    }
    owner = routes[0].qmid if routes else next(iter(defbinds))
    value, name = defbinds.get(owner, ("OPEN", ""))
    others = sorted({f"{other} at {at}" for other, at in defbinds.values() if other != value})
    differ = f"; it differs: {', '.join(others)}" if others else ""
    return f"DEFBIND({value}) of {resolved.named or resolved.queue} at {name}{differ}"
