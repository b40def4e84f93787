"""Compose the MQSC commands of fixes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from twin.model.names import CHANNEL_NAME_LENGTH
from twin.model.objects import Definition, text_of
from twin.mqsc.statement import quote_if_needed
from twin.questions.answer import FixCommand
from twin.questions.doctor.index import OwnedObject, Site

_COPIED: Final = ("SSLCIPH",)
"""Attributes that a manual CLUSSDR needs to have as the CLUSRCVR has them."""


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


def sender_to(site: Site, to: OwnedObject, cluster: str) -> tuple[FixCommand, ...]:
    """Return the command that gives a queue manager a manual CLUSSDR to a CLUSRCVR.

    Without a CONNAME in the CLUSRCVR its address is unknown: then there is no command.
    """
    _, receiver = to
    connection = text_of(receiver, "CONNAME")
    if not connection:
        return ()
    there = site.qmgr.definitions.get(("CHANNEL", receiver.name))
    if there is not None and there.type != "CLUSSDR":
        return ()
    values = {"CONNAME": connection, "CLUSTER": cluster}
    if there is not None:
        return (alter(site, there, **values),)
    values |= {each: text_of(receiver, each) for each in _COPIED if text_of(receiver, each)}
    name = value(receiver.name)
    return (command(site, f"DEFINE CHANNEL({name}) CHLTYPE(CLUSSDR) {attributes(values.items())}"),)


def receiver_of(site: Site, cluster: str) -> tuple[FixCommand, ...]:
    """Return the command that lets a CLUSRCVR of a queue manager join one more cluster.

    Without a CLUSRCVR whose CONNAME is known there is no command: nobody else knows its address.
    """
    for definition, _ in site.receivers:
        connection = text_of(definition, "CONNAME")
        name = f"{cluster}.{site.name}"[:CHANNEL_NAME_LENGTH]
        if connection and ("CHANNEL", name) not in site.qmgr.definitions:
            values = attributes([("CONNAME", connection), ("CLUSTER", cluster)])
            return (command(site, f"DEFINE CHANNEL({value(name)}) CHLTYPE(CLUSRCVR) {values}"),)
    return ()
