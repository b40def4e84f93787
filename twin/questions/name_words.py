"""How a name was resolved, and how messages are bound, in words.

What becomes of messages in a loop of definitions, in words, for each way to bind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from twin.fold.beliefs import Instance
from twin.fold.estate import NEVER_CONFIRMED, Estate
from twin.model import reasons
from twin.rules.messages.destinations import Candidates
from twin.rules.messages.opening import PutTarget
from twin.rules.path.graph import BoundEnd, Loop
from twin.rules.path.resolved import NameKind, NameStep, Resolved
from twin.rules.workload.routes import Route

_PLAIN: Final[tuple[NameKind, ...]] = ("local", "model", "cluster", "cluster-qmgr")
"""What a name may be found to be that needs no words if it is the name that was asked for."""


def path_line(resolved: Resolved) -> str:
    """Return how a name was resolved: '' if it is the name of a queue itself."""
    path = resolved.path
    if len(path) < 2 and all(step.kind in _PLAIN for step in path):  # noqa: PLR2004
        return ""
    return f"{'; '.join([_clause(step, resolved) for step in path])}."


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


def loop_sentences(estate: Estate, loop: Loop) -> Iterator[str]:
    """Yield what becomes of messages; what DEFBIND of the shared aliases says comes first."""
    if loop.is_in_one_place:
        yield f"The definition leads back to itself, so MQOPEN fails: {loop}."
        return
    default = ", the DEFBIND of " + ", ".join(
        dict.fromkeys(end.place.name for end in loop.ends if end.by_default is loop.is_bound)
    )
    bound, free = (default, "") if loop.is_bound else ("", default if loop.ends else "")
    ends = "; ".join(_end(estate, end) for end in loop.ends)
    lines = [f"With bind notfixed{free}, messages go round for ever: {loop}."]
    if loop.ends:
        lines.insert(0 if loop.is_bound else 1, f"With bind open{bound}, {ends}.")
    yield from lines


def _end(estate: Estate, end: BoundEnd) -> str:
    """Return where bound messages end, and what they hold up there.

    Without DEADQ in what is known of an imported queue manager, it may have one.
    """
    on, qmgr = end.place.on, estate.qmgrs[end.place.on]
    ends = f"messages for {end.place.name} end at {on} with {reasons.UNKNOWN_ALIAS_BASE}"
    if qmgr.values.get("DEADQ"):
        return f"{ends}, on its dead-letter queue"
    whole = not qmgr.observed or qmgr.confirmed.get("QMGR", NEVER_CONFIRMED).complete
    held = " and ".join(end.channels) or "their channel"
    return f"{ends} and hold up {held}, as {on} has no dead-letter queue" + (
        "" if whole else " that is known"
    )


def loses_nothing_else(estate: Estate, loop: Loop) -> bool:
    """Return whether messages end on dead-letter queues, unless an application does not bind them.

    Then they neither go round nor hold up others.
    """
    return loop.is_bound and all(
        estate.qmgrs[end.place.on].values.get("DEADQ") for end in loop.ends
    )
