"""Checks of transmission queues: which channels use them, and what hides behind their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from twin.model.amounts import counted
from twin.model.instants import format_instant
from twin.model.messages import CANNOT_OPEN, form_on_zos
from twin.model.objects import Definition, text_of
from twin.model.reasons import reason_name
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Index, Site
from twin.questions.sender_channels import SenderChannels, messaging_of
from twin.rules.channels.switching import awaited
from twin.rules.queues.transmission_queues import TransmissionQueues


def equal_patterns(index: Index) -> Iterator[Finding]:
    """Find transmission queues with the same CLCHNAME."""
    for site in index:
        by_pattern: dict[str, list[Definition]] = defaultdict(list)
        for queue in site.transmission:
            if pattern := str(queue.values.get("CLCHNAME") or ""):
                by_pattern[pattern].append(queue)
        for pattern, queues in sorted(by_pattern.items()):
            if len(queues) > 1:
                used = next(iter(_matching(site, pattern)), "")
                yield Finding(
                    subject=site.about("CLCHNAME", pattern),
                    text=f"{some(queue.name for queue in queues)} have this CLCHNAME. Which one a "
                    "channel uses is arbitrary at each of its starts.",
                    evidence=tuple(site.place(queue) for queue in queues),
                    on=(site.name,),
                    fix=tuple(fixes.alter(site, queue, CLCHNAME=" ") for queue in queues[1:]),
                    probe=probes.transmission_queue(site, used) if used else None,
                )


def overlapping_patterns(index: Index) -> Iterator[Finding]:
    """Find CLCHNAME patterns of one kind that match the same channel."""
    for site in index:
        if not site.transmission:
            continue
        patterns = TransmissionQueues.of(site.qmgr).patterns
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for channel in SenderChannels(site.qmgr).names() if len(patterns) > 1 else ():
            matching = [each for each in patterns if each.matches(channel)]
            for one, other in pairwise(matching):
                if one.text != other.text and one.rank[0] == other.rank[0] and one.rank[0]:
                    found[one.text, other.text].append(channel)
        for (one_text, other_text), channels in sorted(found.items()):
            yield Finding(
                subject=site.about("CLCHNAME", one_text, aspect=f"CLCHNAME({other_text})"),
                text=f"Both patterns match {some(channels)}. IBM does not say which one is taken.",
                evidence=tuple(
                    site.place(queue)
                    for queue in site.transmission
                    if queue.values.get("CLCHNAME") in (one_text, other_text)
                ),
                on=(site.name,),
            )


def _matching(site: Site, pattern: str) -> list[str]:
    """Return the cluster-sender channels that use the queues of a pattern."""
    queues = TransmissionQueues.of(site.qmgr)
    return [
        name for name in SenderChannels(site.qmgr).names() if queues.select(name).pattern == pattern
    ]


def switches(index: Index) -> Iterator[Finding]:
    """Find switches to another transmission queue that have begun and not ended."""
    for site in index:
        for channel, switch in sorted(messaging_of(site.qmgr).switching.items()):
            going = awaited(site.qmgr, channel)
            state = f" It stopped with {switch.stopped} {reason_name(switch.stopped)}."
            if going is not None:
                when = format_instant(going.at)
                state = f" {counted(going.left)} left, the next are moved at {when}."
            yield Finding(
                subject=site.about("CHANNEL", channel, aspect="switch"),
                text=f"The switch of the channel from {switch.queue} to {switch.to} has not ended: "
                "puts go to the old queue, and the channel gets from the new one."
                + (state if switch.stopped or going else ""),
                evidence=(switch.position,),
                on=(site.name,),
                severity=Severity.INFO if going else None if switch.stopped else Severity.WARNING,
                fix=()
                if going
                else (
                    fixes.command(site, "STOP", "CHANNEL", channel),
                    fixes.command(site, "START", "CHANNEL", channel),
                ),
                because=(site.about("QUEUE", switch.to), site.about("QUEUE", switch.queue)),
                probe=probes.transmission_queue(site, channel),
            )


def pending_switches(index: Index) -> Iterator[Finding]:
    """Find channels that use another transmission queue when they start next."""
    for site in index:
        if not site.transmission and site.qmgr.text("DEFCLXQ") == "SCTQ":
            continue
        senders = SenderChannels(site.qmgr)
        switching = messaging_of(site.qmgr).switching
        for channel in senders.names():
            state = site.qmgr.activity.channels.get(channel)
            if channel in switching or state is None or state.status != "RUNNING":
                continue
            association = senders.association(channel)
            if association.pending is not None:
                yield Finding(
                    subject=site.about("CHANNEL", channel),
                    text=f"The channel uses {association.queue} until it starts again, and then "
                    f"{association.pending}.",
                    evidence=(state.position,),
                    on=(site.name,),
                    fix=(
                        fixes.command(site, "STOP", "CHANNEL", channel, STATUS="INACTIVE"),
                        fixes.command(site, "START", "CHANNEL", channel),
                    ),
                    probe=probes.transmission_queue(site, channel),
                )


def shared(index: Index) -> Iterator[Finding]:
    """Find transmission queues from which several SDR or SVR channels get.

    A channel opens its queue for exclusive input: a second one fails with AMQ9509 and 2042 as long
    as the first has it (IBM MQ, "Defining a transmission queue"). Two names may be meant for two
    times, so it is a fault only where both were seen to be active, or one failed so.
    """
    for site in index:
        by_queue: dict[str, list[Definition]] = defaultdict(list)
        for (kind, _), each in site.qmgr.definitions.items():
            if kind == "CHANNEL" and each.type in ("SDR", "SVR") and text_of(each, "XMITQ"):
                by_queue[text_of(each, "XMITQ")].append(each)
        for queue, channels in sorted(by_queue.items()):
            if len(channels) == 1:
                continue
            names = [each.name for each in channels]
            states = {name: site.status(name, index.at) for name in names}
            failed = {
                each.position
                for each in site.qmgr.activity.seen.records.values()
                if each.id in _CANNOT_OPEN and each.channel in names
            }
            refused = failed or any(
                each is not None and each.reason == CANNOT_OPEN
                for each in map(site.qmgr.activity.channels.get, names)
            )
            active = [name for name in names if states[name] not in ("", "STOPPED", "INACTIVE")]
            yield Finding(
                subject=site.about("QUEUE", queue, aspect="senders"),
                text=f"{some(names)} get from this transmission queue, and only one can at a "
                "time: the other ends with AMQ9509 and 2042, and is RETRYING.",
                evidence=(*(site.place(each) for each in channels), *sorted(failed)),
                on=(site.name,),
                severity=Severity.WARNING if len(active) > 1 or refused else None,
            )


_CANNOT_OPEN: Final = frozenset({CANNOT_OPEN, form_on_zos(CANNOT_OPEN)})


def named_like_member(index: Index) -> Iterator[Finding]:
    """Find transmission queues with the name of a cluster queue manager."""
    for site in (each for each in index if each.transmission):
        joined = {name for _, clusters in site.receivers for name in clusters}
        members = {each for name in joined for each in index.cluster(name).members}
        for queue in site.transmission:
            if queue.name not in members or queue.name == site.name:
                continue
            served = any(
                definition.type in ("SDR", "SVR") and text_of(definition, "XMITQ") == queue.name
                for (kind, _), definition in site.qmgr.definitions.items()
                if kind == "CHANNEL"
            )
            how = "over that channel" if served else "nowhere, because no channel gets from it"
            yield Finding(
                subject=site.called(queue),
                text=f"{queue.name} is also a member of the cluster. Messages for that queue "
                f"manager are put on this queue and not sent through the cluster: they go {how}.",
                evidence=(site.place(queue),),
                on=(site.name, queue.name),
                severity=Severity.INFO if served else None,
                grounds=index.grounds((site, "QUEUE"), (site, "CHANNEL")),
            )


def default_queue_hides(index: Index) -> Iterator[Finding]:
    """Find DEFXMITQ at members: unknown queue managers do not end with 2087 there."""
    for site in index:
        named = site.qmgr.text("DEFXMITQ")
        if named and site.receivers and site.queue(named) is not None:
            yield Finding(
                subject=site.about("QMGR", aspect=f"DEFXMITQ({named})"),
                text="Messages for a queue manager that is unknown, or misspelt, are put there; "
                "without it MQOPEN ends with 2087.",
                evidence=(site.place(),),
                on=(site.name,),
                fix=(fixes.alter_qmgr(site, DEFXMITQ=" "),),
                probe=probes.refused(site.name, "ANY.QUEUE", to="NO.SUCH.QUEUE.MANAGER"),
            )
