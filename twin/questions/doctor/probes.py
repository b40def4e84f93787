"""Probes: how a rehearsal can measure the effect of a fault, before and after its fix.

An effect is what the faulty queue manager or another one believes or does, and not the attribute
that the fix sets. So an attribute is looked at where it was published to.
"""

from __future__ import annotations

from collections.abc import Iterable

from twin.model.commands import quote_if_needed as value
from twin.questions.doctor.finding import Probe
from twin.questions.doctor.index import Cluster, Index, Site


def shown(on: str, mqsc: str) -> Probe:
    """Return the probe that reads the answer to MQSC commands at a queue manager."""
    return Probe("display", on, mqsc)


def opened(on: str, queue: str, *, to: str = "") -> Probe:
    """Return the probe that follows a put to a queue to its end."""
    return Probe("open", on, queue, to)


def failover(cluster: Cluster, queue: str, preferred: Iterable[str]) -> Probe | None:
    """Return the probe that ends the preferred queue managers, and puts to a queue elsewhere.

    It puts at a member without the queue; None if each has it.
    """
    hosts = {other.name for other, _ in cluster.queues.get(queue, ())}
    others = sorted(name for name in cluster.members if name not in hosts)
    if not others:
        return None
    return Probe("failover", others[0], queue, ended=tuple(sorted(set(preferred))))


def defined(probe: Probe | None) -> Probe | None:
    """Return a probe as one that only shows that a definition has changed."""
    return probe and probe._replace(kind="definition")


def refused(on: str, queue: str, *, to: str) -> Probe:
    """Return the probe that looks for the reason code of a put that is to be refused."""
    return Probe("refused", on, queue, to)


def delivered(cluster: Cluster, site: Site, queue: str) -> Probe | None:
    """Return the probe that follows puts from elsewhere to each instance of a queue.

    They are put at a member without the queue, best at a full repository; None without such one.
    """
    hosts = {other.name for other, _ in cluster.queues.get(queue, ())} | {site.name}
    others = (*cluster.serving, *sorted(cluster.members))
    at = next((name for name in others if name in cluster.members and name not in hosts), None)
    return None if at is None else Probe("open", at, queue, turns=len(hosts))


def routed(on: str, queue: str) -> Probe:
    """Return the probe that looks which routes to a queue are left out, and by which rule."""
    return Probe("routes", on, queue)


def transmission_queue(site: Site, channel: str) -> Probe:
    """Return the probe that looks which transmission queues a channel may use."""
    return Probe("transmission-queue", site.name, channel)


def sender(site: Site, channel: str) -> Probe:
    """Return the probe that looks what is known of a cluster-sender channel."""
    return shown(site.name, f"DISPLAY CLUSQMGR(*) CHANNEL({value(channel)}) DEFTYPE QMTYPE")


def status(site: Site, channel: str) -> Probe:
    """Return the probe that looks for the status of a channel."""
    return shown(site.name, f"DISPLAY CHSTATUS({value(channel)}) STATUS INDOUBT")


def member(cluster: Cluster, name: str, attributes: str = "QMTYPE") -> Probe | None:
    """Return the probe that reads the record of a member at a full repository; None without one."""
    at = _full_repository(cluster, besides=name)
    if at is None:
        return None
    return shown(
        at,
        f"DISPLAY CLUSQMGR({value(name)}) CLUSTER({value(cluster.name)}) {attributes}",
    )


def shared(cluster: Cluster, queue: str, attributes: str = "") -> Probe | None:
    """Return the probe that reads the records of a queue at a full repository; None without one."""
    at = _full_repository(cluster)
    if at is None:
        return None
    return shown(at, f"DISPLAY QCLUSTER({value(queue)}) CLUSQMGR {attributes}".rstrip())


def undelivered(index: Index, site: Site) -> Probe | None:
    """Return the probe that sends a queue manager a message that cannot be put; None without a way.

    A full repository sends it, because it has a channel to every member; or any member, to a full
    repository.
    """
    for receiver, clusters in site.receivers:
        for cluster in map(index.cluster, clusters):
            others = cluster.members.keys() - {site.name} if site.name in cluster.full else ()
            at = _full_repository(cluster, besides=site.name) or min(others, default=None)
            if at is not None:
                return Probe("undelivered", at, receiver.name, site.name)
    return None


def _full_repository(cluster: Cluster, besides: str = "") -> str | None:
    return next((name for name in cluster.serving if name != besides), None)
