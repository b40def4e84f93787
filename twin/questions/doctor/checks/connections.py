"""Checks of what makes channels connect and carry messages: attributes of both ends, and limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.model.names import CLUSTER_TRANSMISSION_QUEUE
from twin.model.objects import Definition, number_of, text_of
from twin.model.platforms import ZOS
from twin.questions.answer import FixCommand
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, Probe, Severity, some
from twin.questions.doctor.index import Index, OwnedObject, Site
from twin.rules.channels import adopting

_ALARMS_BELOW: Final = 10
"""A heartbeat interval in seconds that gives false alarms."""

_HEARTBEAT: Final = 300
_LONG_INTERVAL: Final = 1200
_ENDLESS: Final = 999_999_999
_MAX_CHANNELS: Final = 100
_MAX_CHANNELS_ZOS: Final = 200
_LARGEST_MESSAGE: Final = 4_194_304

_TLS12: Final = 12
_TLS13: Final = 13
_ANY: Final = {
    "ANY": {_TLS12, _TLS13},
    "ANY_TLS12": {_TLS12},
    "ANY_TLS12_OR_HIGHER": {_TLS12, _TLS13},
    "ANY_TLS13": {_TLS13},
    "ANY_TLS13_OR_HIGHER": {_TLS13},
}
"""The CipherSpecs that stand for several, and the versions of TLS that they allow."""


def ciphers(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs whose SSLCIPH cannot be negotiated with that of their CLUSRCVR."""
    for cluster in index.clusters:
        for site, sender in cluster.senders:
            for other, receiver in cluster.receivers.get(sender.name, ())[:1]:
                ours, theirs = text_of(sender, "SSLCIPH"), text_of(receiver, "SSLCIPH")
                if _negotiable(ours, theirs):
                    continue
                yield Finding(
                    object=site.called(sender),
                    text=f"It has SSLCIPH({ours or ' '}); CLUSRCVR {receiver.name} of {other.name} "
                    f"has SSLCIPH({theirs or ' '}). These cannot be negotiated.",
                    evidence=(site.position(sender), other.position(receiver)),
                    on=(site.name, other.name),
                    cluster=cluster.name,
                    fix=(fixes.alter(site, sender, SSLCIPH=theirs),),
                )


def _negotiable(one: str, other: str) -> bool:
    if one == other or not (one and other):
        return one == other
    if one not in _ANY and other not in _ANY:
        return False
    return bool(_versions(one) & _versions(other))


def _versions(cipher: str) -> set[int]:
    """Return the versions of TLS that a CipherSpec may be used with."""
    if cipher in _ANY:
        return _ANY[cipher]
    return {_TLS13} if cipher.startswith(("TLS_AES_", "TLS_CHACHA20_")) else {_TLS12}


def message_lengths(index: Index) -> Iterator[Finding]:
    """Find shared queues that take longer messages than the way to them carries."""
    yield from _at_receivers(index)
    yield from _at_senders(index)


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
                object=f"{site.name} MAXMSGL",
                text=f"It sends messages of up to {limit} bytes; {some(longer)} at other queue "
                "managers take longer ones.",
                evidence=(site.qmgr.position,),
                on=(site.name,),
                severity=Severity.INFO,
            )


def _sending_limit(site: Site) -> int:
    """Return the longest message that a queue manager puts on its cluster transmission queue."""
    own = int(str(site.qmgr.values.get("MAXMSGL", _LARGEST_MESSAGE)))
    queue = site.queue(CLUSTER_TRANSMISSION_QUEUE)
    uses_one = site.qmgr.values.get("DEFCLXQ", "SCTQ") == "SCTQ" and queue is not None
    return min(own, number_of(queue, "MAXMSGL")) if uses_one and queue is not None else own


def _at_receivers(index: Index) -> Iterator[Finding]:
    """Find clustered queues that take longer messages than the way to them carries."""
    for site in index:
        limits: dict[str, tuple[int, str, Definition | None]] = {}
        own = int(str(site.qmgr.values.get("MAXMSGL", _LARGEST_MESSAGE)))
        for definition, clusters in site.receivers:
            length = number_of(definition, "MAXMSGL")
            for cluster in clusters:
                limits[cluster] = min(
                    limits.get(cluster, (own, "QMGR", None)),
                    (length, f"CHANNEL({definition.name})", definition),
                    key=lambda each: each[0],
                )
        for cluster, (length, what, limiting) in sorted(limits.items()):
            longer = [
                queue
                for queue, clusters in site.clustered
                if queue.type == "QLOCAL"
                and cluster in clusters
                and number_of(queue, "MAXMSGL") > length
            ]
            if longer and length:
                most = max(number_of(queue, "MAXMSGL") for queue in longer)
                yield Finding(
                    object=f"{site.name} {what}",
                    text=f"MAXMSGL({length}) is less than that of {len(longer)} queues in "
                    f"{cluster}: {some(queue.name for queue in longer)} take up to {most} bytes.",
                    evidence=(
                        site.position(limiting),
                        *(site.position(queue) for queue in longer[:20]),
                    ),
                    on=(site.name,),
                    cluster=cluster,
                    fix=_lengthened(site, limiting, most),
                )


def _lengthened(site: Site, definition: Definition | None, most: int) -> tuple[FixCommand, ...]:
    if definition is None:
        return (fixes.alter_qmgr(site, MAXMSGL=most),)
    own = int(str(site.qmgr.values.get("MAXMSGL", _LARGEST_MESSAGE)))
    first = (fixes.alter_qmgr(site, MAXMSGL=most),) if own < most else ()
    return (*first, fixes.alter(site, definition, MAXMSGL=most))


def heartbeats(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs without heartbeats, or with an interval that gives false alarms."""
    for site, definition in _receivers(index):
        interval = number_of(definition, "HBINT")
        if interval >= _ALARMS_BELOW:
            continue
        text = f"HBINT({interval}) gives false alarms on a busy network."
        if not interval:
            text = "HBINT(0): no end of its channels notices that the other one is gone."
        yield Finding(
            object=site.called(definition),
            text=text,
            evidence=(site.position(definition),),
            on=(site.name,),
            cluster=_first_cluster(site, definition),
            fix=(fixes.alter(site, definition, HBINT=_HEARTBEAT),),
            probe=_published(index, site, definition, "HBINT"),
        )


def long_retries(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs to which channels are retried more seldom than by default."""
    for site, definition in _receivers(index):
        interval = number_of(definition, "LONGTMR")
        if interval > _LONG_INTERVAL:
            yield Finding(
                object=site.called(definition),
                text=f"LONGTMR({interval}): waiting messages are given another route at failed "
                f"retries only, so at most every {interval} seconds.",
                evidence=(site.position(definition),),
                on=(site.name,),
                cluster=_first_cluster(site, definition),
                fix=(fixes.alter(site, definition, LONGTMR=_LONG_INTERVAL),),
                probe=_published(index, site, definition, "LONGTMR"),
            )


def retries_end(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs to which channels give up."""
    for site, definition in _receivers(index):
        count = number_of(definition, "LONGRTY")
        if count < _ENDLESS:
            yield Finding(
                object=site.called(definition),
                text=f"LONGRTY({count}): after that many long retries the channels to it are "
                "STOPPED until somebody starts each of them.",
                evidence=(site.position(definition),),
                on=(site.name,),
                cluster=_first_cluster(site, definition),
                fix=(fixes.alter(site, definition, LONGRTY=_ENDLESS),),
                probe=_published(index, site, definition, "LONGRTY"),
            )


def channel_initiator(index: Index) -> Iterator[Finding]:
    """Find members whose channel initiator does not start with the queue manager."""
    for site in index:
        if site.receivers and site.qmgr.values.get("SCHINIT") == "MANUAL":
            yield Finding(
                object=f"{site.name} QMGR SCHINIT",
                text="SCHINIT(MANUAL): after a restart no channel starts by itself, and failed "
                "ones are not retried.",
                evidence=(site.qmgr.position,),
                on=(site.name,),
                fix=(fixes.alter_qmgr(site, SCHINIT="QMGR"),),
            )


def adoption(index: Index) -> Iterator[Finding]:
    """Find receiving ends that keep their partner from connecting again, and are not adopted."""
    for site in index:
        for (channel, partner), silence in sorted(site.qmgr.activity.silent.items()):
            if silence.ended or adopting.adopts(site.qmgr, channel):
                continue
            zos = site.qmgr.platform == ZOS
            yield Finding(
                object=f"{site.name} CHANNEL({channel}) from {partner}",
                text=f"Its receiving end still waits for {partner}, so a new start of {partner} is "
                f"refused (AMQ9514). {'ADOPTMCA' if zos else 'AdoptNewMCA of qm.ini'} is NO.",
                evidence=(silence.position,),
                on=(site.name, partner),
                fix=(fixes.alter_qmgr(site, ADOPTMCA="ALL"),) if zos else (),
            )


def channel_limits(index: Index) -> Iterator[Finding]:
    """Find members that need more channels than their limits allow."""
    for site in index:
        if not site.receivers or (site.qmgr.observed and site.qmgr.configuration is None):
            continue
        limit, named = _channel_limit(site)
        needed = _channels_needed(index, site)
        clients = sum(
            number_of(definition, "MAXINST")
            for definition in site.clients
            if number_of(definition, "MAXINST") < _ENDLESS
        )
        if needed + clients > limit:
            text = f"It needs up to {needed} cluster channels"
            text += f" and {clients} client connections" if clients else ""
            yield Finding(
                object=f"{site.name} {named}",
                text=f"{text}; {named} is {limit}.",
                evidence=(site.qmgr.position,),
                on=(site.name,),
                fix=(fixes.alter_qmgr(site, MAXCHL=2 * (needed + clients)),)
                if site.qmgr.platform == ZOS
                else (),
            )


def _channel_limit(site: Site) -> tuple[int, str]:
    if site.qmgr.platform == ZOS:
        limits = {
            keyword: int(str(site.qmgr.values.get(keyword, _MAX_CHANNELS_ZOS)))
            for keyword in ("MAXCHL", "ACTCHL")
        }
    else:
        stanza = adopting.stanza(site.qmgr, "Channels")
        limits = {
            name: int(text)
            for name in ("MaxChannels", "MaxActiveChannels")
            if (text := stanza.get(name.upper(), str(_MAX_CHANNELS))).isdecimal()
        }
    return min(((limit, name) for name, limit in limits.items()), default=(_ENDLESS, ""))


def _channels_needed(index: Index, site: Site) -> int:
    """Return how many channels run if each partner is sent to, and sends.

    The partners of a full repository are all members; those of another one are whom it knows.
    """
    names = {name for _, clusters in site.receivers for name in clusters}
    count = 0
    for name in names:
        cluster = index.cluster(name)
        if site.name in cluster.full:
            count += len(cluster.members) - 1
        else:
            known = {owner for each, owner in site.qmgr.repository.routes if each == name}
            count += len(known - {site.qmgr.qmid})
    return 2 * count


def _receivers(index: Index) -> Iterator[OwnedObject]:
    for site in index:
        for definition, clusters in site.receivers:
            if clusters:
                yield site, definition


def _published(index: Index, site: Site, definition: Definition, keyword: str) -> Probe | None:
    """Return the probe that looks for an attribute of a CLUSRCVR where it was published to."""
    return probes.member(index.cluster(_first_cluster(site, definition)), site.name, keyword)


def _first_cluster(site: Site, definition: Definition) -> str:
    return next((names[0] for each, names in site.receivers if each is definition), "")


_LEAST_OF_ESTATE: Final = 2


def defaults(index: Index) -> Iterator[Finding]:
    """Say once for the estate how often defaults are in use that some estates change."""
    counts: dict[str, int] = defaultdict(int)
    for site, definition in _receivers(index):
        for keyword, default in _DEFAULTS.items():
            counts[f"{keyword}({default})"] += text_of(definition, keyword) == default
        counts["AdoptNewMCA=NO"] += not adopting.adopts(site.qmgr, definition.name)
    instances = [place for cluster in index.clusters for place in _with_instances(cluster.queues)]
    counts["DEFBIND(OPEN) on queues with several instances"] = sum(
        text_of(definition, "DEFBIND") == "OPEN" for _, definition in instances
    )
    counts["CLWLUSEQ(QMGR) on them"] = sum(
        text_of(definition, "CLWLUSEQ") == "QMGR" for _, definition in instances
    )
    shown = ", ".join(f"{count} x {what}" for what, count in counts.items() if count)
    if shown:
        yield Finding(
            object="DEFAULTS",
            text=f"Defaults in use: {shown}.",
            on=tuple(site.name for site in index if site.receivers),
        )


_DEFAULTS: Final = {"BATCHHB": "0", "HBINT": "300", "LONGTMR": "1200", "NPMSPEED": "FAST"}
"""Attributes of CLUSRCVRs that keep their default in most estates, for good reasons."""


def _with_instances(queues: dict[str, list[OwnedObject]]) -> Iterator[OwnedObject]:
    for places in queues.values():
        if len(places) >= _LEAST_OF_ESTATE:
            yield from places
