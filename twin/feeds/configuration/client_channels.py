"""Read a client channel definition table in JSON: which client connects where.

Such a file belongs to applications. It has no instants and names no queue manager that owns it.

Source: IBM MQ, "Configuring a JSON format CCDT", and its JSON schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from twin.feeds.reading.json_objects import JsonObject, json_objects
from twin.feeds.reading.not_understood import NotUnderstood, digest_of, not_understood
from twin.model.attributes import TYPES, Choice, Number, Value
from twin.model.names import DEFAULT_PORT

_START: Final = re.compile(
    r'\{\s*+"(?:name|type|clientConnection|connectionManagement|transmissionSecurity|compression'
    r'|general|exits|extended|timestamps)"\s*+:'
)
_BETWEEN: Final = re.compile(r'[][{},:\s]*+(?>(?:"channel")?)[][{},:\s]*+')
_CLIENT: Final = "clientConnection"

_MEMBERS: Final = {
    "connectionManagement.affinity": "AFFINITY",
    "connectionManagement.clientWeight": "CLNTWGHT",
    "connectionManagement.defaultReconnect": "DEFRECON",
    "connectionManagement.heartbeatInterval": "HBINT",
    "connectionManagement.keepAliveInterval": "KAINT",
    "connectionManagement.sharingConversations": "SHARECNV",
    "general.description": "DESCR",
    "general.maximumMessageLength": "MAXMSGL",
    "transmissionSecurity.certificateLabel": "CERTLABL",
    "transmissionSecurity.certificatePeerName": "SSLPEER",
    "transmissionSecurity.cipherSpecification": "SSLCIPH",
}
"""The member of a channel -> its MQSC keyword."""

_WORDS: Final = {"QUEUEMANAGER": "QMGR"}
_REPORTED_APART: Final = frozenset(
    {"clientConnection", "name", "type", "timestamps", "exits", "extended", "compression"}
)


class ClientChannel(NamedTuple):
    """One client connection channel.

    Attributes:
        line: the line where it starts, from 1.
        last_line: the line where it ends.
        digest: the digest of its content without layout.
        name: the name of the channel.
        qmgr: the queue manager or the group that clients name; `*` and '' stand for any.
        connections: (host, port) of each connection, in order.
        values: its attributes by MQSC keyword.
        unread: the members that were not used.
    """

    line: int
    last_line: int
    digest: str
    name: str
    qmgr: str
    connections: tuple[tuple[str, int], ...]
    values: Mapping[str, Value]
    unread: tuple[str, ...]


def read_ccdt(lines: Iterable[str]) -> Iterator[ClientChannel | NotUnderstood]:
    """Yield the channels in order, and what is not understood; never raises."""
    for found in json_objects(lines, start=_START, between=_BETWEEN):
        if isinstance(found, NotUnderstood):
            yield found
        else:
            yield _channel(found)


def _channel(found: JsonObject) -> ClientChannel | NotUnderstood:
    value = found.value
    name, client = value.get("name"), value.get(_CLIENT)
    if value.get("type", _CLIENT) != _CLIENT or not isinstance(client, dict):
        return not_understood(found.line, found.text, "is not a client connection")
    if not isinstance(name, str) or not name:
        return not_understood(found.line, found.text, "has no name")
    connections = _connections(client.get("connection"))
    qmgr = client.get("queueManager", "")
    values, unread = _values(value)
    values["QMNAME"] = qmgr = qmgr.strip() if isinstance(qmgr, str) else ""
    values["CONNAME"] = ",".join(f"{host}({port})" for host, port in connections)
    digest = digest_of(f"{name}\x01{connections}\x01{sorted(values.items())}")
    return ClientChannel(
        found.line, found.last_line, digest, name, qmgr, connections, values, tuple(unread)
    )


def _connections(given: Any) -> tuple[tuple[str, int], ...]:
    """Read the hosts; the default port is 1414, and a port may be a string."""
    places = []
    for place in given if isinstance(given, list) else [given]:
        if isinstance(place, dict) and isinstance(host := place.get("host"), str) and host:
            port = str(place.get("port", DEFAULT_PORT))
            is_port = port.isascii() and port.isdigit() and len(port) < 6  # noqa: PLR2004
            places.append((host.strip(), int(port) if is_port else DEFAULT_PORT))
    return tuple(places)


def _values(channel: Mapping[str, Any]) -> tuple[dict[str, Value], list[str]]:
    """Return the attributes by keyword, and the members that are not used."""
    values: dict[str, Value] = {}
    unread = []
    for group, members in channel.items():
        if group in _REPORTED_APART:
            if group not in {"clientConnection", "name", "type", "timestamps"} and members:
                unread.append(group)
            continue
        for member, given in members.items() if isinstance(members, dict) else ():
            keyword = _MEMBERS.get(f"{group}.{member}", "")
            value = _value(keyword, given)
            if value is None:
                unread.append(f"{group}.{member}")
            else:
                values[keyword] = value
    return values, unread


def _value(keyword: str, given: Any) -> Value | None:
    """Return a value as MQSC has it; None if it is not one."""
    attribute = TYPES["CLNTCONN"].by_keyword.get(keyword)
    if attribute is None or not isinstance(given, str | int):
        return None
    text = str(given).strip()
    form = attribute.form
    if isinstance(form, Choice):
        word = _WORDS.get(text.upper(), text.upper())
        return word if word in form.words else None
    if isinstance(form, Number):
        if text.upper() in form.words:
            return text.upper()
        is_number = text.isascii() and text.isdigit() and len(text) < 12  # noqa: PLR2004
        return int(text) if is_number else None
    return text
