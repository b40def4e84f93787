"""Compose the MQSC commands of fixes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from twin.model.attributes import attribute_of
from twin.model.names import CHANNEL_NAME_LENGTH, connection
from twin.model.objects import Definition, names_of, text_of, value_of
from twin.mqsc.statement import quote_if_needed
from twin.questions.answer import FixCommand
from twin.questions.doctor.finding import FixClass
from twin.questions.doctor.index import Cluster, OwnedObject, Site
from twin.rules import membership

_COPIED: Final = ("SSLCIPH",)
"""Attributes that a manual CLUSSDR needs to have as the CLUSRCVR has them."""

_SECURING: Final = ("SSLCIPH", "SSLCAUTH", "CERTLABL")
"""Attributes of TLS that all CLUSRCVRs of a queue manager usually share."""

_NAME_LENGTH: Final = 48
"""How long the name of a namelist may be."""


def value(text: str | int) -> str:
    """Write a value, in quotes if it needs them."""
    return quote_if_needed(str(text))


def command(site: Site, mqsc: str) -> FixCommand:
    """Return a command for a queue manager."""
    return FixCommand(site.name, mqsc)


def alter(site: Site, definition: Definition, **values: str | int) -> FixCommand:
    """Return the command that sets attributes of an object."""
    word = "CHANNEL" if definition.kind == "CHANNEL" else definition.type
    named = f"ALTER {word}({value(definition.name)})"
    if definition.kind == "CHANNEL":
        named += f" CHLTYPE({definition.type})"
    return command(site, f"{named} {attributes(values.items())}")


def alter_qmgr(site: Site, **values: str | int) -> FixCommand:
    """Return the command that sets attributes of a queue manager."""
    return command(site, f"ALTER QMGR {attributes(values.items())}")


def attributes(values: Iterable[tuple[str, str | int]]) -> str:
    """Write attributes as parameters of a command."""
    return " ".join(f"{keyword}({value(each)})" for keyword, each in values)


def delete(site: Site, definition: Definition) -> FixCommand:
    """Return the command that deletes an object."""
    word = "CHANNEL" if definition.kind == "CHANNEL" else definition.type
    return command(site, f"DELETE {word}({value(definition.name)})")


def force_removal(cluster: str, qmid: str) -> str:
    """Return the command by which a full repository removes a queue manager from a cluster.

    The QMID names it: RESET CLUSTER by name is refused if two queue managers have the name.
    """
    return f"RESET CLUSTER({value(cluster)}) ACTION(FORCEREMOVE) QMID({value(qmid)}) QUEUES(YES)"


def sender_to(site: Site, to: OwnedObject, cluster: str) -> tuple[FixCommand, ...]:
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
    name = value(receiver.name)
    return (command(site, f"DEFINE CHANNEL({name}) CHLTYPE(CLUSSDR) {attributes(values.items())}"),)


def _led(site: Site, sender: Definition, to: OwnedObject, cluster: str) -> tuple[FixCommand, ...]:
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
    before: tuple[FixCommand, ...] = ()
    if cluster not in kept:
        listed = listing(site, (*kept, cluster)) if kept else ("", ())
        if listed is None:
            return ()
        name, before = listed
        values |= {"CLUSTER": " ", "CLUSNL": name} if name else {"CLUSTER": cluster}
        if not name and text_of(sender, "CLUSNL"):
            values["CLUSNL"] = " "
    return (*before, alter(site, sender, **values)) if values else ()


def listing(site: Site, names: Iterable[str]) -> tuple[str, tuple[FixCommand, ...]] | None:
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
    listed = ",".join(value(each) for each in sorted(wanted))
    return name, (command(site, f"DEFINE NAMELIST({value(name)}) NAMES({listed})"),)


def full_of(site: Site, clusters: Iterable[str]) -> tuple[FixCommand, ...]:
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


def alters_channels(fix: Iterable[FixCommand]) -> FixClass | None:
    """Return the class of a fix that alters channels: its owner decides; None if it alters none."""
    altering = any(each.mqsc.startswith("ALTER CHANNEL(") for each in fix)
    return FixClass.OWNER if altering else None


def receiver_of(site: Site, cluster: Cluster) -> tuple[FixCommand, ...]:
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
            made = f"DEFINE CHANNEL({value(name)}) CHLTYPE(CLUSRCVR) {attributes(values.items())}"
            return (command(site, made),)
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
