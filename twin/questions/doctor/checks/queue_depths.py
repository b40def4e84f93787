"""Checks of the depths of queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from twin.model.amounts import counted
from twin.model.attributes import LARGEST
from twin.model.commands import Command
from twin.model.names import COMMAND_QUEUE
from twin.model.objects import Definition, number_of
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FindingPlace
from twin.questions.doctor.index import Index, Site
from twin.questions.sender_channels import messaging_of
from twin.rules.queues.local_queues import dead_letter_queue

NEARLY_FULL: Final = 80
"""The percentage of MAXDEPTH from which a queue is nearly full: the default of QDEPTHHI."""


WHOLE: Final = 100


def full(index: Index) -> Iterator[Finding]:
    """Find queues that are full."""
    for site, definition, depth, most in _depths(index):
        if depth >= most:
            yield Finding(
                subject=site.called(definition),
                text=f"The queue is full: {depth} of {counted(most)}. A put ends with 2053; what "
                f"arrives {_instead(site)}.",
                evidence=_seen(site, definition),
                on=(site.name,),
                fix=_deeper(site, definition, most),
                probe=probes.opened(site.name, definition.name)
                if not definition.is_transmission_queue and not site.qmgr.observed
                else None,
            )


def _instead(site: Site) -> str:
    """Return what becomes of a message that arrives over a channel for a full queue."""
    if name := dead_letter_queue(site.qmgr, None):
        return f"goes to the dead-letter queue {name}"
    return "stays at its sender and stops its channel, as there is no usable dead-letter queue"


def nearly_full(index: Index) -> Iterator[Finding]:
    """Find queues that are nearly full."""
    for site, definition, depth, most in _depths(index):
        if most > depth >= most * NEARLY_FULL // WHOLE:
            yield Finding(
                subject=site.called(definition),
                text=f"The queue has {depth} of {counted(most)}.",
                evidence=_seen(site, definition),
                on=(site.name,),
                fix=_deeper(site, definition, most),
            )


def _deeper(site: Site, definition: Definition, most: int) -> tuple[Command, ...]:
    return (fixes.alter(site, definition, MAXDEPTH=min(2 * most, LARGEST)),)


def _depths(index: Index) -> Iterator[tuple[Site, Definition, int, int]]:
    """Yield local queues with depth and MAXDEPTH; dead-letter queues have rules of their own."""
    for site in index:
        depths = depths_of(site)
        dead = site.qmgr.text("DEADQ")
        for name in sorted(depths.keys() - {dead}):
            definition = site.queue(name)
            if definition is not None and definition.type == "QLOCAL" and depths[name]:
                yield site, definition, depths[name], number_of(definition, "MAXDEPTH")


def depths_of(site: Site) -> Mapping[str, int]:
    """Return the depths of queues that have messages: as they were seen, or as they were put.

    Where the rules decide what happens to an observed queue manager, what was seen stays on a queue
    until that is cleared or deleted, and what is put later comes on top. Transmission queues and
    the command queue are left out there: the rules decide what is taken from them.
    """
    qmgr, messaging = site.qmgr, messaging_of(site.qmgr)
    seen = qmgr.activity.seen.depths
    if qmgr.is_only_observed:
        return {name: each.depth for name, each in seen.items()}
    depths = {name: messaging.depth(name) for name in (*messaging.local, *messaging.waiting)}
    for name, each in seen.items():
        queue = site.queue(name)
        if queue and not queue.is_transmission_queue and name != COMMAND_QUEUE:
            later = (one.count for one in messaging.local.get(name, ()) if one.at > each.at)
            depths[name] = each.depth + sum(later)
    return depths


def _seen(site: Site, definition: Definition) -> tuple[FindingPlace | int, ...]:
    """Return the evidence for a depth: what said it, if something did, and the queue."""
    seen = site.qmgr.activity.seen.depths.get(definition.name)
    return (*((seen.position,) if seen else ()), site.place(definition))
