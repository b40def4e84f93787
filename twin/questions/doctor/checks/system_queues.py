"""Checks of the system queues of clusters: their usage, GET, PUT, CAPEXPRY and depth.

Checks of the depths of queues.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from twin.model.amounts import counted
from twin.model.attributes import LARGEST
from twin.model.commands import Command, quote_if_needed
from twin.model.instants import Instant, format_instant
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE, REPOSITORY_QUEUE
from twin.model.objects import Definition, number_of, text_of
from twin.model.platforms import ZOS
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FindingPlace, Probe, Severity
from twin.questions.doctor.index import Index, Site
from twin.questions.sender_channels import messaging_of
from twin.rules.queues.local_queues import dead_letter_queue
from twin.rules.queues.transmission_queues import MODEL_QUEUE, own_queue

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


_USAGES: Final = {
    CLUSTER_TRANSMISSION_QUEUE: "XMITQ",
    MODEL_QUEUE: "XMITQ",
    COMMAND_QUEUE: "NORMAL",
    REPOSITORY_QUEUE: "NORMAL",
}
"""The queues that clusters need, and their USAGE."""

_UNLIMITED: Final = "NOLIMIT"


def usage(index: Index) -> Iterator[Finding]:
    """Find system queues with the wrong USAGE."""
    for site, queue in _system(index):
        right = _USAGES[queue.name]
        if text_of(queue, "USAGE") != right:
            yield Finding(
                subject=site.called(queue),
                text=f"The queue has USAGE({text_of(queue, 'USAGE')}) and needs USAGE({right}). "
                "The repository manager fails (AMQ9511, AMQ9448) and ends the queue manager after "
                "five days.",
                evidence=(site.place(queue),),
                on=(site.name,),
                fix=(fixes.alter(site, queue, USAGE=right),),
                probe=_sent(index, site) if queue.name == CLUSTER_TRANSMISSION_QUEUE else None,
            )


def get_disabled(index: Index) -> Iterator[Finding]:
    """Find cluster queues from which nothing can be got."""
    for site, queue in (*_system(index), *_transmission(index)):
        if queue.type == "QLOCAL" and text_of(queue, "GET") == "DISABLED":
            what = (
                "repository commands wait on it" if queue.name == COMMAND_QUEUE else "messages wait"
            )
            yield Finding(
                subject=site.called(queue),
                text=f"The queue is GET(DISABLED): {what}.",
                evidence=(site.place(queue),),
                on=(site.name,),
                fix=(fixes.alter(site, queue, GET="ENABLED"),),
                probe=_taken(index, site, queue),
            )


def _taken(index: Index, site: Site, queue: Definition) -> Probe | None:
    """Return the probe that looks whether what a queue holds is taken from it."""
    if queue.is_transmission_queue:
        return _sent(index, site)
    if messaging_of(site.qmgr).depth(queue.name):
        return probes.shown(site.name, f"DISPLAY QLOCAL({quote_if_needed(queue.name)}) CURDEPTH")
    return None


def put_disabled(index: Index) -> Iterator[Finding]:
    """Find cluster queues to which nothing can be put."""
    for site, queue in (*_system(index), *_transmission(index)):
        if queue.type == "QLOCAL" and queue.is_put_inhibited:
            yield Finding(
                subject=site.called(queue),
                text="The queue is PUT(DISABLED): puts to clusters fail, and so does the "
                "repository manager (2269).",
                evidence=(site.place(queue),),
                on=(site.name,),
                fix=(fixes.alter(site, queue, PUT="ENABLED"),),
                probe=_sent(index, site),
            )


def capped(index: Index) -> Iterator[Finding]:
    """Find CAPEXPRY on queues that repository commands pass."""
    for site, queue in (*_system(index), *_transmission(index)):
        cap = text_of(queue, "CAPEXPRY")
        if cap not in ("", _UNLIMITED):
            yield Finding(
                subject=site.called(queue),
                text=f"CAPEXPRY({cap}) shortens the life of repository commands, which is about 30 "
                "days: records are not renewed (AMQ9469).",
                evidence=(site.place(queue),),
                on=(site.name,),
                fix=(fixes.alter(site, queue, CAPEXPRY=_UNLIMITED),),
            )


def commands_waiting(index: Index) -> Iterator[Finding]:
    """Find repository commands that nobody takes from the command queue.

    At an imported queue manager, one capture may have met commands that have just arrived: only a
    second one with commands says that nobody takes them.
    """
    for site in index:
        queue = site.queue(COMMAND_QUEUE)
        depth = depths_of(site).get(COMMAND_QUEUE, 0)
        if queue is not None and depth and site.receivers:
            seen = site.qmgr.activity.seen.depths.get(COMMAND_QUEUE)
            once = site.qmgr.is_only_observed and seen is not None and seen.filled == seen.at
            yield Finding(
                subject=site.called(queue)._replace(aspect="depth"),
                text=f"{depth} repository commands wait. The queue is empty while the repository "
                "manager works." + (" It was seen so once: they may just have come." * once),
                evidence=(*((seen.position,) if seen else ()), site.place(queue)),
                on=(site.name,),
                severity=Severity.INFO if once else None,
                because=(
                    site.called(queue),
                    site.about("REPOSITORY"),
                    site.about("REPOSITORY", aspect="idle"),
                ),
            )


def idle(index: Index) -> Iterator[Finding]:
    """Find members whose repository manager was seen not to work, whatever their channels do.

    It has its command queue open, and what it knows lies on SYSTEM.CLUSTER.REPOSITORY.QUEUE, so
    neither can be as it was seen here (IBM MQ 9.1, "Default cluster objects").
    """
    for site in index:
        seen = site.qmgr.activity.seen
        if not site.qmgr.is_only_observed or not site.receivers or not site.qmgr.running:
            continue
        known, commands = seen.depths.get(REPOSITORY_QUEUE), seen.queues.get(COMMAND_QUEUE)
        signs: list[tuple[str, Instant, int]] = []
        if known is not None and not known.depth:
            signs.append((f"CURDEPTH(0) of {REPOSITORY_QUEUE}", known.at, known.position))
        if commands is not None and commands.cells.get("IPPROCS") == "0":
            signs.append((f"IPPROCS(0) of {COMMAND_QUEUE}", commands.at, commands.position))
        servers = seen.servers.get("")
        initiator = servers.cells.get("CHINIT", "") if servers else ""
        if servers is not None and initiator not in {"", "RUNNING"}:
            what = f"CHINIT({initiator}) in DISPLAY QMSTATUS"
            signs.append((what, servers.at, servers.position))
        if signs:
            shown = " and ".join(f"{what} at {format_instant(at)}" for what, at, _ in signs)
            yield Finding(
                subject=site.about("REPOSITORY", aspect="idle"),
                text=f"{shown} was seen: at a member whose repository manager works, it has the "
                "command queue open, keeps what it knows on the repository queue, and sends over "
                "channels that the channel initiator starts.",
                evidence=tuple(position for _, _, position in signs),
                on=(site.name,),
                because=(site.about("REPOSITORY"),),
            )


def index_types(index: Index) -> Iterator[Finding]:
    """Find transmission queues of cluster channels on z/OS without INDXTYPE(CORRELID)."""
    for site in index:
        if site.qmgr.platform != ZOS:
            continue
        standard = site.queue(CLUSTER_TRANSMISSION_QUEUE)
        given = standard is not None and standard.values.get("INDXTYPE")
        queues = [queue for other, queue in _transmission_of(site)]
        for queue in (*queues, *([standard] if given and standard is not None else [])):
            if queue.values.get("INDXTYPE") != "CORRELID":
                yield Finding(
                    subject=site.called(queue),
                    text="Cluster channels get by correlation identifier and need "
                    "INDXTYPE(CORRELID) here. A switch to it stops with 2394.",
                    evidence=(site.place(queue),),
                    on=(site.name,),
                    fix=(fixes.alter(site, queue, INDXTYPE="CORRELID"),),
                )


def _sent(index: Index, site: Site) -> Probe | None:
    """Return the probe that puts to a cluster queue that is only at other queue managers."""
    for cluster in index.clusters:
        if site.name in cluster.members:
            for name, places in cluster.shared_queues:
                hosts = {other.name for other, _ in places}
                if hosts and site.name not in hosts and site.queue(name) is None:
                    return probes.opened(site.name, name)
    return None


def _system(index: Index) -> Iterator[tuple[Site, Definition]]:
    for site in index:
        for name in _USAGES:
            queue = site.queue(name)
            if queue is not None:
                yield site, queue


def _transmission(index: Index) -> Iterator[tuple[Site, Definition]]:
    for site in index:
        yield from _transmission_of(site)


def _transmission_of(site: Site) -> Iterator[tuple[Site, Definition]]:
    """Yield the transmission queues of cluster channels, without the standard one."""
    for queue in site.transmission:
        if queue.values.get("CLCHNAME") or queue.name.startswith(own_queue("")):
            yield site, queue
