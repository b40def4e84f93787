"""Checks of definitions that send messages on: loops, and aliases to elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from twin.fold.estate import NEVER_CONFIRMED
from twin.model import reasons
from twin.model.objects import text_of
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FixClass, Severity
from twin.questions.doctor.index import Index, Site
from twin.questions.name_words import loop_sentences, loses_nothing_else
from twin.rules.path.graph import (
    LEADING,
    PathPlace,
    circling,
    ends_bound,
    is_bound_by_default,
    lead_of,
    loops,
)

DefinedAt: TypeAlias = tuple[str, str]
"""A queue manager, and a queue that is defined there."""


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
                    (site.name, definition.name) in looping
                    or not is_bound_by_default(definition)
                    or not ends_bound(index.path, site.qmgr, definition)
                    or not any(target in each.queues for each in index.clusters)
                ):
                    continue
                ends = _end_at(site, reasons.UNKNOWN_ALIAS_BASE)
                yield Finding(
                    subject=site.called(definition),
                    text=f"The alias is shared with DEFBIND(OPEN), and {target} is not at "
                    f"{site.name}. Messages of handles that bind on open {ends}.",
                    evidence=(site.place(definition),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=(fixes.alter(site, definition, DEFBIND="NOTFIXED"),),
                    probe=probes.delivered(cluster, site, definition.name),
                )


def _end_at(site: Site, reason: int) -> str:
    """Return what becomes of messages that arrive at a queue manager and cannot be put there."""
    if site.qmgr.values.get("DEADQ"):
        return f"go to the dead-letter queue of {site.name} with {reason}"
    stops = f"cannot be put ({reason}) and stop their channel"
    if site.qmgr.observed and not site.qmgr.confirmed.get("QMGR", NEVER_CONFIRMED).complete:
        return f"{stops}, unless {site.name} has a dead-letter queue"
    return f"{stops}: {site.name} has no dead-letter queue"


def remote_targets(index: Index) -> Iterator[Finding]:
    """Find remote queues whose messages cannot be put where they arrive.

    They name a queue manager, so only what that has itself counts: an alias there whose target is
    elsewhere gives 2082, also if a cluster has the target, unless the messages come by an XMITQ; a
    queue that is not there gives 2085. Those without a queue manager cannot be opened at all.
    """
    for site in index:
        yield from _without_qmgr(site)
        for definition in (each for each in site.queues if each.type == "QREMOTE"):
            remote, name = text_of(definition, "RQMNAME"), text_of(definition, "RNAME")
            other, here = index.sites.get(remote), PathPlace(site.name, definition.name)
            there = [each for each in index.path.onward(here) if each[:2] == (remote, name)]
            if other is None or other is site or not there or name.startswith("SYSTEM."):
                continue
            queue = other.queue(name)
            arrived = index.path.at(other.qmgr).arrived(name, bound=there[0].bound)
            if queue is None and (other.knows_all("QUEUE") or any(other.queues)):
                text = f"{remote} has no queue {name} itself"
                ends = _end_at(other, reasons.UNKNOWN_OBJECT)
            elif queue and lead_of(queue) and arrived.reason == reasons.UNKNOWN_ALIAS_BASE:
                target = text_of(queue, "TARGET")
                elsewhere = f"{target}, which is not at {remote}"
                text = f"{name} at {remote} is an alias of "
                text += elsewhere if target != name else "itself"
                ends = _end_at(other, reasons.UNKNOWN_ALIAS_BASE)
            else:
                continue
            places = [(site, definition), *([(other, queue)] if queue is not None else [])]
            yield Finding(
                subject=site.called(definition),
                text=f"{text}. Messages that name {remote} {ends}.",
                evidence=tuple(at.place(each) for at, each in places),
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
            attributes=("RQMNAME",),
            text="RQMNAME is blank: MQOPEN ends with 2087, whatever XMITQ is." + ends,
            evidence=(site.place(definition),),
            on=(site.name,),
            probe=probes.opened(site.name, definition.name),
        )


def gateway_loops(index: Index) -> Iterator[Finding]:
    """Find remote queues and aliases that lead back to where they began, and nowhere else.

    A name that several queue managers share leads to each of them. If one of these ways leads out
    of the loop, messages leave it after some rounds, and nothing is found.
    """
    for loop in loops(index.estate, _circling(index)):
        places = [
            (site, definition)
            for site, name in ((index.sites[each.on], each.name) for each in loop.places)
            for definition in [site.queue(name)]
            if definition is not None  # only definitions lead anywhere
        ]
        yield Finding(
            subject=places[0][0].called(places[0][1]),
            text=" ".join(loop_sentences(index.estate, loop)),
            evidence=tuple(site.place(each) for site, each in places),
            on=tuple(sorted({each.on for each in loop.places})),
            severity=Severity.WARNING if loses_nothing_else(index.estate, loop) else None,
            fix_class=FixClass.OWNER,
        )


def rings(index: Index) -> set[DefinedAt]:
    """Return the definitions from which every way leads into a loop."""
    return {(place.on, place.name) for place in _circling(index)}


def _circling(index: Index) -> dict[PathPlace, tuple[PathPlace, ...]]:
    """Return the places from which every way of a definition leads into a loop, and these ways."""
    queues = ((site, each) for site in index for each in site.queues)
    starts = [PathPlace(site.name, each.name) for site, each in queues if each.type in LEADING]
    return circling(index.path, starts)
