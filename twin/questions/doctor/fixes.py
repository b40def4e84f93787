"""Compose the MQSC commands of fixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.attributes import attribute_of
from twin.model.commands import Command, ParameterValue
from twin.model.instants import MINUTE, Instant
from twin.model.names import CHANNEL_NAME_LENGTH, connection
from twin.model.objects import RECEIVING, Definition, names_of, text_of, value_of
from twin.questions.doctor.finding import FixClass
from twin.questions.doctor.index import Cluster, OwnedObject, Site
from twin.rules import membership

_COPIED: Final = ("SSLCIPH",)
"""Attributes that a manual CLUSSDR needs to have as the CLUSRCVR has them."""

_SECURING: Final = ("SSLCIPH", "SSLCAUTH", "CERTLABL")
"""Attributes of TLS that all CLUSRCVRs of a queue manager usually share."""

_NAME_LENGTH: Final = 48
"""How long the name of a namelist may be."""


def command(
    site: Site, verb: str, word: str, name: str = "", /, **parameters: ParameterValue
) -> Command:
    """Return a command for a queue manager."""
    return Command.of(site.name, verb, word, name, **parameters)


def alter(site: Site, definition: Definition, **values: ParameterValue) -> Command:
    """Return the command that sets attributes of an object."""
    return Command.about(site.name, "ALTER", definition, **values)


def alter_qmgr(site: Site, **values: ParameterValue) -> Command:
    """Return the command that sets attributes of a queue manager."""
    return Command.of(site.name, "ALTER", "QMGR", **values)


def delete(site: Site, definition: Definition) -> Command:
    """Return the command that deletes an object."""
    return Command.about(site.name, "DELETE", definition)


def force_removal(full: str, cluster: str, qmid: str) -> Command:
    """Return the command by which a full repository removes a queue manager from a cluster.

    The QMID names it: RESET CLUSTER by name is refused if two queue managers have the name.
    """
    given = {"ACTION": "FORCEREMOVE", "QMID": qmid, "QUEUES": "YES"}
    return Command.of(full, "RESET", "CLUSTER", cluster, **given)


def sender_to(site: Site, to: OwnedObject, cluster: str) -> tuple[Command, ...]:
    """Return the commands that give a queue manager a manual CLUSSDR to a CLUSRCVR.

    Without a CONNAME in the CLUSRCVR its address is unknown: then there is no command.
    """
    _, receiver = to
    conname = text_of(receiver, "CONNAME")
    if not conname:
        return ()
    there = site.qmgr.definitions.get(("CHANNEL", receiver.name))
    if there is not None:
        return _led(site, there, to, cluster) if there.type == "CLUSSDR" else ()
    values = {"CONNAME": conname, "CLUSTER": cluster}
    values |= {each: text_of(receiver, each) for each in _COPIED if text_of(receiver, each)}
    return (command(site, "DEFINE", "CHANNEL", receiver.name, CHLTYPE="CLUSSDR", **values),)


def _led(site: Site, sender: Definition, to: OwnedObject, cluster: str) -> tuple[Command, ...]:
    """Return the commands that lead an existing CLUSSDR to a CLUSRCVR in one more cluster.

    It stays in those of its clusters in which the CLUSRCVR is, too: CLUSTER and CLUSNL exclude each
    other, so that takes a namelist (IBM MQ, "DEFINE CHANNEL (CLUSTER, CLUSNL)"). In another cluster
    the channel leads nowhere.
    """
    other, receiver = to
    there = membership.clusters(other.qmgr, receiver)
    kept = [each for each in membership.clusters(site.qmgr, sender) if each in there]
    values: dict[str, str | int] = {}
    if text_of(sender, "CONNAME") != text_of(receiver, "CONNAME"):
        values["CONNAME"] = text_of(receiver, "CONNAME")
    before: tuple[Command, ...] = ()
    if cluster not in kept:
        listed = listing(site, (*kept, cluster)) if kept else ("", ())
        if listed is None:
            return ()
        name, before = listed
        values |= {"CLUSTER": " ", "CLUSNL": name} if name else {"CLUSTER": cluster}
        if not name and text_of(sender, "CLUSNL"):
            values["CLUSNL"] = " "
    return (*before, alter(site, sender, **values)) if values else ()


def listing(site: Site, names: Iterable[str]) -> tuple[str, tuple[Command, ...]] | None:
    """Return a namelist of exactly these names, and the commands that define it if there is none.

    None if the name of a new one is taken.
    """
    wanted = set(names)
    for (kind, name), definition in sorted(site.qmgr.definitions.items()):
        if kind == "NAMELIST" and set(names_of(definition)) == wanted:
            return name, ()
    name = ".".join(sorted(wanted))[:_NAME_LENGTH]
    if ("NAMELIST", name) in site.qmgr.definitions:
        return None
    return name, (command(site, "DEFINE", "NAMELIST", name, NAMES=tuple(sorted(wanted))),)


def listed(site: Site, name: str, names: Iterable[str]) -> Command:
    """Return the command that gives a namelist its names, or defines it if there is none."""
    verb = "ALTER" if ("NAMELIST", name) in site.qmgr.definitions else "DEFINE"
    return command(site, verb, "NAMELIST", name, NAMES=tuple(names))


def full_of(site: Site, clusters: Iterable[str]) -> tuple[Command, ...]:
    """Return the commands that make a queue manager a full repository of exactly these clusters.

    Only one of REPOS and REPOSNL may have a value (AMQ8439E): a second cluster takes a namelist.
    """
    wanted = sorted(set(clusters))
    if len(wanted) == 1 and not site.qmgr.values.get("REPOSNL"):
        return (alter_qmgr(site, REPOS=wanted[0]),)
    listed = listing(site, wanted)
    if listed is None:
        return ()
    name, before = listed
    values = {"REPOS": " ", "REPOSNL": name} if site.qmgr.values.get("REPOS") else {"REPOSNL": name}
    return (*before, alter_qmgr(site, **values))


def alters_channels(fix: Iterable[Command]) -> FixClass | None:
    """Return the class of a fix that alters channels: its owner decides; None if it alters none."""
    altering = any((each.verb, each.object) == ("ALTER", "CHANNEL") for each in fix)
    return FixClass.OWNER if altering else None


def receiver_of(site: Site, cluster: Cluster) -> tuple[Command, ...]:
    """Return the command that lets a CLUSRCVR of a queue manager join one more cluster.

    It has the name that CLUSSDRs to this address have, and is as secure as the CLUSRCVR from which
    the address is taken. Without a CLUSRCVR whose CONNAME is known there is no command: nobody else
    knows its address.
    """
    for definition, _ in site.receivers:
        conname = text_of(definition, "CONNAME")
        name = _expected(site, cluster, conname)
        if conname and ("CHANNEL", name) not in site.qmgr.definitions:
            values = {"CONNAME": conname, "CLUSTER": cluster.name}
            values |= {
                each: text_of(definition, each)
                for each in _SECURING
                if value_of(definition, each) != (attribute_of("CLUSRCVR", each).default or "")
            }
            return (command(site, "DEFINE", "CHANNEL", name, CHLTYPE="CLUSRCVR", **values),)
    return ()


def _expected(site: Site, cluster: Cluster, conname: str) -> str:
    """Return the name by which CLUSSDRs lead to an address of a queue manager in a cluster."""
    here = set(connection(conname))
    names = sorted(
        sender.name
        for other, sender in cluster.senders
        if other.name != site.name
        and sender.name not in cluster.receivers
        and here & set(connection(text_of(sender, "CONNAME")))
    )
    return next(iter(names), f"{cluster.name}.{site.name}"[:CHANNEL_NAME_LENGTH])


_LATELY: Final = 10 * MINUTE
"""How long ago a batch in doubt, or none, may have been seen."""


def looked_at_first(
    qmgrs: Mapping[str, QueueManager], given: Iterable[Command], at: Instant
) -> tuple[Command, ...]:
    """Return commands with DISPLAY CHSTATUS before those that a batch in doubt forbids.

    STOP CHANNEL MODE(FORCE) or MODE(TERMINATE), RESET, RESOLVE and DELETE CHANNEL, and REFRESH
    CLUSTER for all channels, may lose or send twice what is in doubt (IBM MQ, "In-doubt channels").
    At a queue manager that was imported, or is not in the twin, INDOUBT of the channel must have
    been seen lately; of a simulated one it is known.
    """
    found: list[Command] = []
    for command in given:
        found += [each for each in looks(qmgrs, command, at) if each not in found]
        found.append(command)
    return tuple(found)


def looks(qmgrs: Mapping[str, QueueManager], command: Command, at: Instant) -> Iterator[Command]:
    """Yield the DISPLAY that has to come before a command, if one has to; see `looked_at_first`."""
    qmgr, channel = qmgrs.get(command.on), _at_risk(command)
    if channel and (qmgr is None or (qmgr.observed and not _is_seen(qmgr, channel, at))):
        looked = Command.of(command.on, "DISPLAY", "CHSTATUS", channel, INDOUBT=None)
        is_generic = channel == "*"
        yield replace(looked, typed="DISPLAY CHSTATUS(*) INDOUBT") if is_generic else looked


def resolving(site: Site, partner: Site | None, channel: str, at: Instant) -> tuple[Command, ...]:
    """Return what resolves a batch whose partner never comes back.

    The action follows only if both ends were seen lately: the batch is committed if the partner's
    LSTLUWID is the CURLUWID here, and backed out if it is the LSTLUWID here. Else both ends have to
    be displayed. Source: IBM MQ, "In-doubt channels".
    """
    sites = [site] if partner is None else [site, partner]
    ends = [_luwids(each.qmgr, channel, at) for each in sites]
    if len(ends) > 1 and (there := ends[1].get("LSTLUWID")):
        for keyword, action in (("CURLUWID", "COMMIT"), ("LSTLUWID", "BACKOUT")):
            if ends[0].get(keyword) == there:
                return (command(site, "RESOLVE", "CHANNEL", channel, ACTION=action),)
    shown = {"SAVED": None, "CURLUWID": None, "LSTLUWID": None, "INDOUBT": None}
    return tuple(command(each, "DISPLAY", "CHSTATUS", channel, **shown) for each in sites)


def _luwids(qmgr: QueueManager, channel: str, at: Instant) -> Mapping[str, str]:
    """Return the columns of the last row of a channel, if it was seen lately."""
    rows = qmgr.activity.seen.rows.get(channel, {}).values()
    lately = [row for row in rows if row.at >= at - _LATELY and row.cells.get("LSTLUWID")]
    return max(lately, key=lambda row: row.at).cells if lately else {}


def _is_seen(qmgr: QueueManager, channel: str, at: Instant) -> bool:
    """Return whether INDOUBT of a channel, or of all that do anything (`*`), was seen lately."""
    sending = [name for name in qmgr.activity.channels if qmgr.channels.get(name) not in RECEIVING]
    channels = sending if channel == "*" else [channel]
    seen = [qmgr.activity.seen.batches.get(name) for name in channels]
    return bool(seen) and all(each is not None and each.at >= at - _LATELY for each in seen)


def _at_risk(command: Command) -> str:
    """Return the channel whose batch a command puts at risk, `*` for all; '' for none."""
    what, parameters = (command.verb, command.object), dict(command.parameters)
    forced = what == ("STOP", "CHANNEL") and parameters.get("MODE") in ("FORCE", "TERMINATE")
    if forced or what in _AT_RISK:
        return command.name
    return "*" if what == ("REFRESH", "CLUSTER") else ""


_AT_RISK: Final = {(verb, "CHANNEL") for verb in ("DELETE", "RESET", "RESOLVE")}
