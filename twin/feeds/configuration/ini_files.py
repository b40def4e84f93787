"""Read the configuration files of MQ: mqs.ini, qm.ini, mqclient.ini and those of AutoCluster.

They say which queue managers exist on a machine, which uniform cluster is intended, and how one
queue manager is set up (qm.ini). They say nothing about states, and they have no instants.

Source: IBM MQ, "Changing IBM MQ and queue manager configuration information".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.feeds.reading.not_understood import (
    LONGEST,
    TOO_LONG,
    NotUnderstood,
    digest_of,
    not_understood,
)
from twin.model.attributes import HIDDEN
from twin.model.ini import BadConfiguration, read_auto_cluster, read_line
from twin.model.names import connection
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
    mqclient.ini is about clients.
    """
    stanzas = list(stanzas)
    names = {each.name.upper() for each in stanzas}
    keys = {key for each in stanzas for key in each.values}
    own = names - {"AUTOCLUSTER", "VARIABLES", "AUTOCONFIG"}
    return bool(own) and names.isdisjoint(_ELSEWHERE) and keys.isdisjoint(_OF_CLIENTS)


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
