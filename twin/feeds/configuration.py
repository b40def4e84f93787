"""Read the configuration files of MQ: mqs.ini, qm.ini, mqclient.ini and those of AutoCluster.

They say which queue managers exist on a machine, which uniform cluster is intended, and how one
queue manager is set up (qm.ini). They say nothing about states, and they have no instants.

Source: IBM MQ, "Changing IBM MQ and queue manager configuration information".

Read a client channel definition table in JSON: which client connects where.

Such a file belongs to applications. It has no instants and names no queue manager that owns it.

Source: IBM MQ, "Configuring a JSON format CCDT", and its JSON schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from twin.feeds.reading.json_objects import JsonObject, json_objects
from twin.feeds.reading.not_understood import (
    LONGEST,
    TOO_LONG,
    NotUnderstood,
    digest_of,
    not_understood,
)
from twin.model.attributes import HIDDEN, TYPES, Choice, Number, Value
from twin.model.ini import BadConfiguration, read_auto_cluster, read_line
from twin.model.names import DEFAULT_PORT, connection
from twin.mqsc.masking import masked_text

_SECRET: Final = re.compile("(?i)pass|pwd|secret|openstring|initialkey$")
"""Attributes whose values are hidden; XAOpenString has the password of a database."""


class IniStanza(NamedTuple):
    """One stanza.

    Attributes:
        line: the line of its name, from 1.
        last_line: the line of its last attribute.
        digest: the digest of its content without layout.
        name: its name, as written.
        values: its attributes by name in upper case; of repeated ones the last counts. Passwords
            are hidden.
    """

    line: int
    last_line: int
    digest: str
    name: str
    values: Mapping[str, str]


class QueueManagerListed(NamedTuple):
    """A queue manager that exists on a machine (mqs.ini).

    Attributes:
        qmgr: its name.
        directory: the name of its folder, in which characters of the name are replaced.
        prefix: the folder above.
        installation: the installation that it belongs to; '' if the file does not say it.
    """

    qmgr: str
    directory: str
    prefix: str
    installation: str


class UniformCluster(NamedTuple):
    """A uniform cluster as it is intended.

    Attributes:
        cluster: its name.
        repositories: the name of each intended full repository -> its (host, port) pairs.
    """

    cluster: str
    repositories: Mapping[str, tuple[tuple[str, int], ...]]


class NoFact(NamedTuple):
    """Something that was recognised, and from which no fact is taken.

    Attributes:
        what: what it is.
        why: why nothing is taken.
    """

    what: str
    why: str


IniSaid: TypeAlias = QueueManagerListed | UniformCluster | NoFact


def read_ini(lines: Iterable[str]) -> Iterator[IniStanza | NotUnderstood]:
    """Yield the stanzas in order, and what is not understood; never raises.

    Consecutive lines that are not understood are reported once.
    """
    name, began, last, size = "", 0, 0, 0
    values: dict[str, str] = {}
    strange = False
    for number, line in enumerate(lines, start=1):
        raw = line.removeprefix("\ufeff") if number == 1 else line
        if raw.lstrip()[:1] in {"#", ";", ""}:
            continue
        try:
            read = read_line(raw if len(raw) <= LONGEST else "?")
        except ValueError:
            why = TOO_LONG if len(raw) > LONGEST else "is neither a stanza nor an attribute"
            if not strange:
                yield not_understood(number, raw, why)
            strange = True
            continue
        if isinstance(read, str):
            if name:
                yield _stanza(name, values, began, last)
            name, values = read, {}
            began = last = number
            size, strange = 0, False
            continue
        size += len(raw)
        if not name or size > LONGEST:
            why = TOO_LONG if name else "is not in a stanza"
            if not strange:
                yield not_understood(number, raw, why)
            strange = True
            continue
        last, strange = number, False
        values[read[0].upper()] = _shown(*read)
    if name:
        yield _stanza(name, values, began, last)


def _stanza(name: str, values: Mapping[str, str], began: int, last: int) -> IniStanza:
    content = "\x01".join([name.upper(), *(f"{key}={value}" for key, value in values.items())])
    return IniStanza(began, last, digest_of(content), name, values)


def _shown(name: str, value: str) -> str:
    return HIDDEN if _SECRET.search(name) and value else masked_text(value)


def stanza_said(stanza: IniStanza) -> IniSaid | NotUnderstood:
    """Return what a stanza says."""
    values = stanza.values
    kind = stanza.name.upper()
    if kind == "QUEUEMANAGER":
        if not (qmgr := values.get("NAME", "")):
            return NotUnderstood(stanza.line, stanza.name, "has no Name")
        names = (values.get(key, "") for key in ("DIRECTORY", "PREFIX", "INSTALLATIONNAME"))
        return QueueManagerListed(qmgr, *names)
    if kind == "AUTOCLUSTER":
        try:
            intended = read_auto_cluster(values)
        except BadConfiguration as error:
            return NotUnderstood(stanza.line, stanza.name, str(error))
        places = {name: connection(conname) for name, conname in intended.repositories.items()}
        return UniformCluster(intended.cluster, places)
    return NoFact(f"stanza {stanza.name}", _NO_FACT.get(kind, "says nothing about clusters"))


def is_of_queue_manager(stanzas: Iterable[IniStanza]) -> bool:
    """Return whether stanzas are those of a whole qm.ini.

    A part for crtmqm -ii has only AutoCluster and Variables. mqs.ini lists queue managers, and
    mqclient.ini is about clients: TCP, SSL and others may be in both, so a whole qm.ini is one with
    something that only qm.ini has. Each has the stanza Log, which crtmqm writes.
    """
    stanzas = list(stanzas)
    names = {each.name.upper() for each in stanzas}
    keys = {key for each in stanzas for key in each.values}
    own = not names.isdisjoint(_OF_QMGRS) or not keys.isdisjoint(_OF_ITS_CHANNELS)
    return own and names.isdisjoint(_ELSEWHERE) and keys.isdisjoint(_OF_CLIENTS)


_OF_QMGRS: Final = frozenset(
    "LOG EXITPATH SERVICE SERVICECOMPONENT QMERRORLOG DIAGNOSTICMESSAGES INSTANCEDATA "
    "RESTRICTEDMODE EXITPROPERTIESLOCAL APIEXITLOCAL XARESOURCEMANAGER TUNINGPARAMETERS SUBPOOL "
    "ACCESSMODE NATIVEHALOCALINSTANCE NATIVEHAINSTANCE FILESYSTEM STARTUP".split()
)
"""Stanzas that only qm.ini has. Source: IBM MQ 9.4, "Stanzas of the qm.ini file"."""

_OF_ITS_CHANNELS: Final = frozenset(
    "MAXCHANNELS MAXACTIVECHANNELS MAXINITIATORS MQIBINDTYPE ADOPTNEWMCA ADOPTNEWMCATIMEOUT "
    "ADOPTNEWMCACHECK CHLAUTHEARLYADOPT CHLAUTHIGNOREUSERCASE CHLAUTHISSUEWARN PIPELINELENGTH "
    "PASSWORDPROTECTION CLUSTERQUEUEACCESSCONTROL GROUPMODEL".split()
)
"""Attributes of the stanzas Channels and Security that only qm.ini has."""


_ELSEWHERE: Final = frozenset(
    "QUEUEMANAGER DEFAULTQUEUEMANAGER ALLQUEUEMANAGERS LOGDEFAULTS CLIENTEXITPATH PRECONNECT "
    "MESSAGEBUFFER CONNECTION".split()
)
"""Stanzas of mqs.ini and mqclient.ini that no qm.ini has."""

_OF_CLIENTS: Final = frozenset(
    "SERVERCONNECTIONPARMS CHANNELDEFINITIONDIRECTORY CHANNELDEFINITIONFILE DEFRECON RECONDELAY "
    "MQRECONNECTTIMEOUT PUT1DEFAULTALWAYSSYNC".split()
)
"""Attributes of the stanza Channels of mqclient.ini that no qm.ini has."""

_NO_FACT: Final = {
    "APPLICATION": "is about client applications",
    "VARIABLES": "names texts that scripts insert",
}


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
