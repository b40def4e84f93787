"""Configuration files and client channel tables: what they say, and otherwise one row each.

They have no instants, so facts are of the instant of the file, and say nothing about states. What
qm.ini says is a fact about the queue manager that is named beside it. That a queue manager exists
(mqs.ini), and which uniform cluster is intended (AutoCluster), is evidence. A client channel table
belongs to applications: its channels are objects only of a queue manager that is named beside the
file. All else is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from twin import events
from twin.feeds.configuration import (
    ClientChannel,
    IniStanza,
    QueueManagerListed,
    UniformCluster,
    is_of_queue_manager,
    read_ccdt,
    read_ini,
    stanza_said,
)
from twin.feeds.converting.identities import Identities, digest_of
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded, PassedOver
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.attributes import sparse
from twin.model.names import CHANNEL_NAME_LENGTH, legal_name
from twin.mqsc.masking import masked_text


def ini_facts(lines: Iterable[str], source: FeedSource) -> Iterator[Converted]:
    """Yield what the stanzas of mqs.ini, qm.ini, mqclient.ini or an AutoCluster file say."""
    identities, read = Identities(), list(read_ini(lines))
    stanzas = [each for each in read if isinstance(each, IniStanza)]
    if whole := is_of_queue_manager(stanzas):
        yield _configuration(stanzas, source, identities)
    for stanza in read:
        if isinstance(stanza, NotUnderstood):
            yield NotRecorded(*stanza)
            continue
        said = stanza_said(stanza)
        if isinstance(said, NotUnderstood):
            yield NotRecorded(*said)
        elif isinstance(said, QueueManagerListed):
            told = (said.directory, said.prefix, said.installation)
            yield _evidence(stanza, source, identities, said.qmgr, told)
        elif isinstance(said, UniformCluster):
            places = (
                f"{name} {','.join(f'{host}({port})' for host, port in at)}"
                for name, at in said.repositories.items()
            )
            yield _evidence(stanza, source, identities, source.qmgr, (said.cluster, *places))
        elif not whole:
            yield PassedOver(stanza.line, said.what, "")


def _configuration(
    stanzas: Sequence[IniStanza], source: FeedSource, identities: Identities
) -> Converted:
    """Return what qm.ini says; it needs a queue manager and an instant."""
    line = stanzas[0].line
    if source.at is None or not source.qmgr or not legal_name(source.qmgr):
        return NotRecorded(line, "qm.ini", NO_QMGR)
    said = {each.name.upper(): dict(each.values) for each in stanzas}
    event = events.ConfigurationObserved(
        qmgr=source.qmgr, stanzas=said, origin=_origin(source, line)
    )
    digest = digest_of("\n".join(each.digest for each in stanzas))
    return DatedFact(source.at, event, identities.of(source.qmgr, f"{source.at}/{digest}"))


NO_QMGR: Final = "names no queue manager; name it with --qmgr QM"
"""Why a qm.ini is not recorded."""


def _evidence(
    stanza: IniStanza,
    source: FeedSource,
    identities: Identities,
    qmgr: str,
    inserts: tuple[str, ...],
) -> Converted:
    """Return what a stanza says as evidence; it needs a queue manager and an instant."""
    if source.at is None or not qmgr or not legal_name(qmgr):
        return PassedOver(stanza.line, f"stanza {stanza.name}", qmgr or inserts[0])
    text = " ".join((f"{stanza.name}:", *(f"{key}={each}" for key, each in stanza.values.items())))
    event = events.EvidenceObserved(
        qmgr=qmgr,
        id=stanza.name,
        inserts=tuple(each for each in inserts if each),
        digest=digest_of(text),
        origin=_origin(source, stanza.line),
    )
    return DatedFact(source.at, event, identities.of(qmgr, f"{source.at}/{stanza.digest}"), text)


def client_channel_facts(lines: Iterable[str], source: FeedSource) -> Iterator[Converted]:
    """Yield the channels of a client channel definition table in JSON."""
    identities = Identities()
    for channel in read_ccdt(lines):
        if isinstance(channel, NotUnderstood):
            yield NotRecorded(*channel)
        elif source.at is None or not source.qmgr or not legal_name(source.qmgr):
            yield PassedOver(channel.line, "client channel", channel.name)
        elif not legal_name(channel.name, limit=CHANNEL_NAME_LENGTH):
            yield NotRecorded(channel.line, channel.name, "has a name that MQ does not allow")
        else:
            event = _defined(channel, source)
            identity = identities.of(source.qmgr, f"{source.at}/{channel.digest}")
            yield DatedFact(source.at, event, identity)


def _defined(channel: ClientChannel, source: FeedSource) -> events.ObjectsObserved:
    values = {
        keyword: masked_text(value) if isinstance(value, str) else value
        for keyword, value in sparse("CLNTCONN", channel.values).items()
    }
    return events.ObjectsObserved(
        qmgr=source.qmgr,
        kind="CLNTCONN",
        said=(events.StatedObject(name=channel.name, type="CLNTCONN", values=values),),
        lines=(channel.line,),
        origin=_origin(source, channel.line),
    )


def _origin(source: FeedSource, line: int) -> events.Origin | None:
    return None if source.file is None else events.Origin(file=source.file, line=line)
