"""Checks of the longest message along the way to a queue."""

from __future__ import annotations

from collections.abc import Iterator

from twin.model.amounts import counted, verb
from twin.model.commands import Command
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE
from twin.model.objects import Definition, number_of
from twin.questions.doctor import fixes
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Index, Site, sites_of


def message_lengths(index: Index) -> Iterator[Finding]:
    """Find shared queues that take longer messages than the way to them carries."""
    yield from _at_receivers(index)
    yield from _at_senders(index)


def differing_lengths(index: Index) -> Iterator[Finding]:
    """Find instances of one queue that take messages of different lengths.

    MAXMSGL plays no part in the workload choice, so a message may be sent to an instance that is
    too short for it. There it goes to the dead-letter queue with 2030 (IBM MQ, "MAXMSGL of queues";
    "API reason codes", 2030).
    """
    for cluster in index.clusters:
        for name, places in cluster.balanced:
            local = [(site, queue) for site, queue in places if queue.type == "QLOCAL"]
            most = max((number_of(queue, "MAXMSGL") for _, queue in local), default=0)
            short = [place for place in local if number_of(place[1], "MAXMSGL") < most]
            if not short:
                continue
            shown = some(
                f"MAXMSGL({number_of(queue, 'MAXMSGL')}) at {site.name}" for site, queue in short
            )
            yield Finding(
                subject=cluster.about("QUEUE", name, aspect="MAXMSGL"),
                text=f"{shown}; other instances take up to {most} bytes. The choice does not look "
                "at the length: a longer message that is sent there goes to the dead-letter queue "
                "with 2030.",
                evidence=tuple(site.place(queue) for site, queue in (*short, *local)[:20]),
                on=sites_of(local),
                cluster=cluster.name,
                fix=tuple(fixes.alter(site, queue, MAXMSGL=most) for site, queue in short),
            )


def _at_senders(index: Index) -> Iterator[Finding]:
    """Find, for information, members that know queues for longer messages than they can send."""
    full = {name for cluster in index.clusters for name in cluster.full}
    for site in index:
        if site.name in full:
            continue
        limit = _sending_limit(site)
        longer = set()
        for key, belief in site.qmgr.repository.of_kind("queue"):
            host = index.sites.get(belief.owner_name)
            queue = host.queue(key[2]) if host is not None and host is not site else None
            if queue is not None and number_of(queue, "MAXMSGL") > limit:
                longer.add(key[2])
        if longer:
            yield Finding(
                subject=site.about(aspect="MAXMSGL"),
                text=f"{site.name} sends messages of up to {limit} bytes; {some(longer)} at other "
                f"queue managers {verb(len(longer), 'take')} longer ones.",
                evidence=(site.place(),),
                on=(site.name,),
                severity=Severity.INFO,
            )


def _sending_limit(site: Site) -> int:
    """Return the longest message that a queue manager puts on its cluster transmission queue."""
    own = _own(site)
    queue = site.queue(CLUSTER_TRANSMISSION_QUEUE)
    uses_one = site.qmgr.text("DEFCLXQ") == "SCTQ" and queue is not None
    return min(own, number_of(queue, "MAXMSGL")) if uses_one and queue is not None else own


def _at_receivers(index: Index) -> Iterator[Finding]:
    """Find clustered queues that take longer messages than the way to them carries.

    A channel with MAXMSGL(0) carries what its queue manager does (IBM MQ, "Maximum message length
    (MAXMSGL)" of channels).
    """
    for site in index:
        limits: dict[str, tuple[int, Definition | None]] = {}
        own = _own(site)
        for definition, clusters in site.receivers:
            length = number_of(definition, "MAXMSGL") or own
            for cluster in clusters:
                limits[cluster] = min(
                    limits.get(cluster, (own, None)),
                    (length, definition),
                    key=lambda each: each[0],
                )
        for cluster, (length, limiting) in sorted(limits.items()):
            longer = [
                queue
                for queue, clusters in site.clustered
                if queue.type == "QLOCAL"
                and cluster in clusters
                and number_of(queue, "MAXMSGL") > length
            ]
            if longer:
                most = max(number_of(queue, "MAXMSGL") for queue in longer)
                yield Finding(
                    subject=site.called(limiting) if limiting else site.about("QMGR"),
                    text=f"MAXMSGL({length}) is less than that of {counted(len(longer), 'queue')} "
                    f"in {cluster}: {some(queue.name for queue in longer)} "
                    f"{verb(len(longer), 'take')} up to {most} bytes.",
                    evidence=(
                        site.place(limiting),
                        *(site.place(queue) for queue in longer[:20]),
                    ),
                    on=(site.name,),
                    cluster=cluster,
                    fix=tuple(_lengthened(site, cluster, most)),
                )


def _own(site: Site) -> int:
    return site.qmgr.number("MAXMSGL")


def _lengthened(site: Site, cluster: str, most: int) -> Iterator[Command]:
    """Yield the commands that raise each limit on the way: queue manager first, then CLUSRCVRs."""
    if _own(site) < most:
        yield fixes.alter_qmgr(site, MAXMSGL=most)
    for definition, clusters in site.receivers:
        if cluster in clusters and 0 < number_of(definition, "MAXMSGL") < most:
            yield fixes.alter(site, definition, MAXMSGL=most)
