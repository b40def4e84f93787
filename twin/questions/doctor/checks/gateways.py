"""Checks of definitions that send messages on: loops, and aliases to elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, TypeAlias

from twin.model import reasons
from twin.model.objects import Definition, text_of
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FixClass, Severity
from twin.questions.doctor.index import Index, Site

DefinedAt: TypeAlias = tuple[str, str]
"""A queue manager, and a queue that is defined there."""

_SYSTEM: Final = "SYSTEM."


def bound_aliases(index: Index) -> Iterator[Finding]:
    """Find shared aliases that bind on open, and whose target is at another queue manager.

    If every way from the target leads into a loop, another binding mends nothing: then only the
    loop is found.
    """
    looping = rings(index)
    for cluster in index.clusters:
        for _, places in cluster.shared_queues:
            for site, definition in (place for place in places if place[1].type == "QALIAS"):
                target = text_of(definition, "TARGET")
                if (
                    text_of(definition, "DEFBIND") != "OPEN"
                    or text_of(definition, "TARGTYPE") == "TOPIC"
                    or site.queue(target) is not None
                    or (site.name, definition.name) in looping
                    or not any(target in each.queues for each in index.clusters)
                ):
                    continue
                ends = _end_at(site, reasons.UNKNOWN_ALIAS_BASE)
                yield Finding(
                    subject=site.called(definition),
                    text=f"The alias is shared with DEFBIND(OPEN), and {target} is not at "
                    f"{site.name}. Messages of handles that bind on open {ends}.",
                    evidence=(site.position(definition),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=(fixes.alter(site, definition, DEFBIND="NOTFIXED"),),
                    probe=probes.delivered(cluster, site, definition.name),
                )


def _end_at(site: Site, reason: int) -> str:
    """Return what becomes of messages that arrive at a queue manager and cannot be put there."""
    if site.qmgr.values.get("DEADQ"):
        return f"go to the dead-letter queue of {site.name} with {reason}"
    return f"cannot be put ({reason}) and stop their channel: {site.name} has no dead-letter queue"


def remote_targets(index: Index) -> Iterator[Finding]:
    """Find remote queues whose messages cannot be put where they arrive.

    They name a queue manager, so only what that has itself counts: an alias there whose target is
    elsewhere gives 2082, also if a cluster has the target; a queue that is not there gives 2085.
    Those without a queue manager cannot be opened at all.
    """
    for site in index:
        yield from _without_qmgr(site)
        for definition in (each for each in site.queues if each.type == "QREMOTE"):
            remote, name = text_of(definition, "RQMNAME"), text_of(definition, "RNAME")
            other = index.sites.get(remote)
            if (
                other is None
                or other is site
                or not name
                or name.startswith(_SYSTEM)
                or _leads_another_way(site, remote)
            ):
                continue
            queue = other.queue(name)
            if queue is None and (other.knows_all("QUEUE") or any(other.queues)):
                text = f"{remote} has no queue {name} itself"
                ends = _end_at(other, reasons.UNKNOWN_OBJECT)
            elif queue is not None and (target := _missing_target(other, queue)):
                text = f"{name} at {remote} is an alias of {target}, which is not at {remote}"
                ends = _end_at(other, reasons.UNKNOWN_ALIAS_BASE)
            else:
                continue
            places = [(site, definition), *([(other, queue)] if queue is not None else [])]
            yield Finding(
                subject=site.called(definition),
                text=f"{text}. Messages that name {remote} {ends}.",
                evidence=tuple(at.position(each) for at, each in places),
                on=(site.name, other.name),
                severity=None if other.knows_all("QUEUE") else Severity.WARNING,
                because=tuple(at.called(each) for at, each in places[1:]),
                probe=probes.opened(site.name, definition.name),
            )


def _without_qmgr(site: Site) -> Iterator[Finding]:
    """Find remote queues with a blank RQMNAME.

    MQOPEN ends with 2087, "even if XmitQName is not blank" (IBM MQ, "2087"). RQMNAME with the name
    of this queue manager does so too, but a reply-to queue alias may have it. What says RNAME of an
    imported queue, a script or DISPLAY ALL, is taken to say RQMNAME too.
    """
    for definition in site.queues:
        if definition.type != "QREMOTE" or not text_of(definition, "RNAME"):
            continue
        if text_of(definition, "RQMNAME"):
            continue
        shared = any(each is definition and clusters for each, clusters in site.clustered)
        ends = f" Messages for it {_end_at(site, reasons.UNKNOWN_REMOTE_QMGR)}." if shared else ""
        yield Finding(
            subject=site.called(definition),
            text="RQMNAME is blank: MQOPEN ends with 2087, whatever XMITQ is." + ends,
            evidence=(site.position(definition),),
            on=(site.name,),
            probe=probes.opened(site.name, definition.name),
        )


def _leads_another_way(site: Site, name: str) -> bool:
    """Return whether a queue with the name of a queue manager may lead elsewhere.

    A queue manager alias that stands for the same queue manager, without an XMITQ, does not.
    """
    local = site.queue(name)
    if local is None:
        return False
    same = text_of(local, "RQMNAME") == name and not text_of(local, "XMITQ")
    return not (local.is_qmgr_alias and same)


def _missing_target(site: Site, queue: Definition) -> str:
    """Return the target of an alias that its queue manager does not have itself; '' if it has."""
    if queue.type != "QALIAS" or text_of(queue, "TARGTYPE") == "TOPIC":
        return ""
    target = text_of(queue, "TARGET")
    return target if site.queue(target) is None else ""


def gateway_loops(index: Index) -> Iterator[Finding]:
    """Find remote queues and aliases that lead back to where they began, and nowhere else.

    A name that several queue managers share leads to each of them. If one of these ways leads out
    of the loop, messages leave it after some rounds, and nothing is found.
    """
    leads = rings(index)
    done: set[DefinedAt] = set()
    for start in sorted(leads):
        path: dict[DefinedAt, None] = {}
        node = start
        while node not in path and node not in done:
            path[node] = None
            node = min(leads[node])
        if node in path:
            yield _loop(index, list(path)[list(path).index(node) :])
        done.update(path)


def rings(index: Index) -> dict[DefinedAt, list[DefinedAt]]:
    """Return the definitions from which every way leads into a loop, and where they lead."""
    leads: dict[DefinedAt, list[DefinedAt]] = {}
    for site in index:
        for definition in site.queues:
            if to := _leads_to(index, site, definition):
                leads[site.name, definition.name] = to
    back: dict[DefinedAt, list[DefinedAt]] = defaultdict(list)
    for place, to in leads.items():
        for each in to:
            back[each].append(place)
    ends = [place for place in back if place not in leads]
    leaving: set[DefinedAt] = set()
    while ends:
        for place in back.get(ends.pop(), ()):
            if place not in leaving:
                leaving.add(place)
                ends.append(place)
    return {place: to for place, to in leads.items() if place not in leaving}


def _leads_to(index: Index, site: Site, definition: Definition) -> list[DefinedAt]:
    """Return the queue managers and queues that a definition sends messages to, if they are known.

    An alias that a remote queue names by its queue manager ends there, if its target is elsewhere.
    A queue manager alias (QREMOTE without RNAME) sends messages for a queue manager to the one that
    its transmission queue is named after.
    """
    if definition.type == "QALIAS" and text_of(definition, "TARGTYPE") != "TOPIC":
        target = text_of(definition, "TARGET")
        here = site.queue(target) is not None
        return [(site.name, target)] if here else _instances(index, site, target)
    if definition.type != "QREMOTE":
        return []
    remote, name = text_of(definition, "RQMNAME"), text_of(definition, "RNAME")
    if name:
        if (other := index.sites.get(remote)) is None:
            return []
        queue = other.queue(name)
        return [] if queue is not None and _missing_target(other, queue) else [(remote, name)]
    through = text_of(definition, "XMITQ")
    return [(through, remote)] if through in index.sites and remote not in index.sites else []


def _instances(index: Index, site: Site, queue: str) -> list[DefinedAt]:
    """Return where the clusters of a queue manager have a queue, which it does not have itself.

    An alias resolves its target as MQOPEN does: a name that is not defined here is looked for in
    the clusters. The MCA opens the queue again where the message arrives, so a message may go on
    from queue manager to queue manager (IBM MQ, "MQOPEN and clusters").
    """
    clusters = {name for _, names in site.receivers for name in names}
    found = [
        (other.name, queue)
        for cluster in map(index.cluster, sorted(clusters))
        for other, each in cluster.shared(cluster.queues.get(queue, ()))
        if each.type != "QREMOTE" or text_of(each, "RNAME")
    ]
    return list(dict.fromkeys(found))


def _loop(index: Index, nodes: list[DefinedAt]) -> Finding:
    first = nodes.index(min(nodes))
    nodes = nodes[first:] + nodes[:first]
    shown = " -> ".join(f"{name} at {qmgr}" for qmgr, name in [*nodes, nodes[0]])
    places = [(index.sites[qmgr], index.sites[qmgr].queue(name)) for qmgr, name in nodes]
    site, definition = places[0]
    assert definition is not None  # noqa: S101 - only definitions lead anywhere
    return Finding(
        subject=site.called(definition),
        text=f"Messages go round for ever: {shown}."
        if len({qmgr for qmgr, _ in nodes}) > 1
        else f"The definition leads back to itself, so MQOPEN fails: {shown}.",
        evidence=tuple(site.position(each) for site, each in places),
        on=tuple(sorted({qmgr for qmgr, _ in nodes})),
        fix_class=FixClass.OWNER,
    )
