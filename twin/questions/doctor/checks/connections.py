"""Checks of what makes channels connect and carry messages: attributes of both ends, and limits."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from twin.model.amounts import counted, verb
from twin.model.attributes import LARGEST
from twin.model.basis import Basis
from twin.model.objects import Definition, Subject, number_of, text_of
from twin.model.platforms import ZOS
from twin.model.system_objects import system_objects
from twin.questions.capacity import channel_limit
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, Probe, some
from twin.questions.doctor.index import Index, Site
from twin.rules.channels import channel_status

_ALARMS_BELOW: Final = 10
"""A heartbeat interval in seconds that gives false alarms."""


_HEARTBEAT: Final = 300


_LONG_INTERVAL: Final = 1200


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
                    subject=site.called(sender),
                    text=f"The CLUSSDR has SSLCIPH({ours or ' '}); CLUSRCVR {receiver.name} of "
                    f"{other.name} has SSLCIPH({theirs or ' '}). These cannot be negotiated.",
                    evidence=(site.place(sender), other.place(receiver)),
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


def heartbeats(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs without heartbeats, or with an interval that gives false alarms."""
    for site, definition in index.receivers():
        interval = number_of(definition, "HBINT")
        if interval >= _ALARMS_BELOW:
            continue
        text = f"HBINT({interval}) gives false alarms on a busy network."
        if not interval:
            text = "HBINT(0): no end of its channels notices that the other one is gone."
        yield Finding(
            subject=site.called(definition),
            text=text,
            evidence=(site.place(definition),),
            on=(site.name,),
            cluster=_first_cluster(site, definition),
            fix=(fixes.alter(site, definition, HBINT=_HEARTBEAT),),
            probe=_published(index, site, definition, "HBINT"),
        )


def long_retries(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs to which channels are retried more seldom than by default."""
    for site, definition in index.receivers():
        interval = number_of(definition, "LONGTMR")
        if interval > _LONG_INTERVAL:
            yield Finding(
                subject=site.called(definition),
                text=f"LONGTMR({interval}): waiting messages are given another route at failed "
                f"retries only, so at most every {interval} seconds.",
                evidence=(site.place(definition),),
                on=(site.name,),
                cluster=_first_cluster(site, definition),
                fix=(fixes.alter(site, definition, LONGTMR=_LONG_INTERVAL),),
                probe=_published(index, site, definition, "LONGTMR"),
            )


def retries_end(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs to which channels give up."""
    for site, definition in index.receivers():
        count = number_of(definition, "LONGRTY")
        if count < LARGEST:
            yield Finding(
                subject=site.called(definition),
                text=f"LONGRTY({count}): after that many long retries the channels to it are "
                "STOPPED until somebody starts each of them.",
                evidence=(site.place(definition),),
                on=(site.name,),
                cluster=_first_cluster(site, definition),
                fix=(fixes.alter(site, definition, LONGRTY=LARGEST),),
                probe=_published(index, site, definition, "LONGRTY"),
            )


def channel_initiator(index: Index) -> Iterator[Finding]:
    """Find members whose channel initiator does not start with the queue manager."""
    for site in index:
        if site.receivers and site.qmgr.values.get("SCHINIT") == "MANUAL":
            yield Finding(
                subject=site.about("QMGR", aspect="SCHINIT"),
                text="SCHINIT(MANUAL): after a restart no channel starts by itself, and failed "
                "ones are not retried.",
                evidence=(site.place(),),
                on=(site.name,),
                fix=(fixes.alter_qmgr(site, SCHINIT="QMGR"),),
            )


def adoption(index: Index) -> Iterator[Finding]:
    """Find receiving ends that keep their partner from connecting again, and are not adopted."""
    for site in index:
        for (channel, partner), silence in sorted(site.qmgr.activity.silent.items()):
            if silence.ended or channel_status.adopts(site.qmgr, channel):
                continue
            zos = site.qmgr.platform == ZOS
            yield Finding(
                subject=site.about("CHANNEL", channel, aspect=f"from {partner}"),
                text=f"The receiving end still waits for {partner}, so a new start of {partner} is "
                f"refused (AMQ9514). {'ADOPTMCA' if zos else 'AdoptNewMCA of qm.ini'} is NO.",
                evidence=(silence.position,),
                on=(site.name, partner),
                fix=(fixes.alter_qmgr(site, ADOPTMCA="ALL"),) if zos else (),
                grounds=Basis.DERIVED,
            )


def channel_limits(index: Index) -> Iterator[Finding]:
    """Find members that need more channels than their limits allow."""
    for site in index:
        allowed = channel_limit(site.qmgr)
        if not site.receivers or allowed is None:
            continue
        limit, named = allowed
        needed = _channels_needed(index, site)
        clients = sum(
            number_of(definition, "MAXINST")
            for definition in site.clients
            if number_of(definition, "MAXINST") < LARGEST
        )
        if needed + clients > limit:
            text = f"The queue manager needs up to {counted(needed, 'cluster channel')}"
            text += f" and {clients} client connections" if clients else ""
            yield Finding(
                subject=site.about(aspect=named),
                text=f"{text}; {named} is {limit}.",
                evidence=(site.place(),),
                on=(site.name,),
                fix=(fixes.alter_qmgr(site, MAXCHL=2 * (needed + clients)),)
                if site.qmgr.platform == ZOS
                else (),
            )


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


def _published(index: Index, site: Site, definition: Definition, keyword: str) -> Probe | None:
    """Return the probe that looks for an attribute of a CLUSRCVR where it was published to."""
    cluster = index.cluster(_first_cluster(site, definition))
    return probes.defined(probes.member(cluster, site.name, keyword))


def _first_cluster(site: Site, definition: Definition) -> str:
    return next((names[0] for each, names in site.receivers if each is definition), "")


def unchecked(index: Index) -> Iterator[Finding]:
    """Say once for the estate where channel authentication records may block channels.

    Those that every new queue manager has do not count: they name only channels of the system.
    """
    records = [(site, record) for site in index for record in _own_records(site)]
    if not records:
        return
    blocked = [channel for site, record in records for channel in _blocked(site, record)]
    may = f" Records with USERSRC(NOACCESS) may block {some(blocked)}." if blocked else ""
    owners = sorted({site.name for site, _ in records})
    yield Finding(
        subject=Subject(kind="CHLAUTH"),
        text=f"Channel authentication is not checked. {some(owners)} {verb(len(owners), 'have')} "
        f"records that may block channels; the twin assumes that these connect.{may}",
        evidence=tuple(site.place(record) for site, record in records[:20]),
        on=tuple(owners),
    )


def _own_records(site: Site) -> Iterator[Definition]:
    """Yield the records that are not those of a new queue manager."""
    usual = system_objects(site.qmgr.cmdlevel)
    for key, definition in sorted(site.qmgr.definitions.items()):
        if key[0] == "CHLAUTH" and key not in usual:
            yield definition


def _blocked(site: Site, record: Definition) -> Iterator[str]:
    """Yield the CLUSRCVRs, with their queue managers, to which a record refuses access."""
    if record.values.get("USERSRC") != "NOACCESS":
        return
    profile = str(record.values.get("CHLAUTH", ""))
    for receiver, _ in site.receivers:
        if fnmatchcase(receiver.name, profile):
            yield f"{receiver.name} of {site.name}"
