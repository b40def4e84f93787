"""Queue managers that are named but not in the twin: no definition of theirs was imported.

A channel that sends leads to a queue manager that has a receiving channel of the same name. If no
queue manager in the twin has one, the partner is missing. The channel does not name it; by common
practice the last part of the channel's name does (``TO.FR2``, ``CA.FR2``). If that is a queue
manager in the twin, it is not missing, whatever the address of the channel is: it lacks the other
end. So does the one in the twin that has the address of the channel, if its name names nobody. If a
queue manager that was deleted had such a channel, nothing was missed: it is known to be gone.

Source: IBM MQ, "Channel names": both ends have the same name; "Components of a cluster".

Queue managers that a set of files no longer has, and the names they may have now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.names import connection
from twin.model.objects import PARTNERS, SENDING, text_of
from twin.questions.completeness.gap import NOT_IN_TWIN, UNDEFINED, Gap
from twin.questions.known_holdings import is_defined_whole
from twin.rules import membership


def missing_names(estate: Estate) -> list[str]:
    """Return the names of missing queue managers, sorted; guessed names end with `?`.

    Those of which states or logs are known are not among them: the estate has them as `undefined`.

    This loads definitions only for channels whose names name nobody, so that every answer may ask.
    """
    return sorted(set(_names(estate)))


def _names(estate: Estate) -> Iterator[str]:
    for qmid in _only_named(estate):
        if estate.names[qmid] not in estate.undefined:
            yield estate.names[qmid]
    for qmgr in _observed(estate):
        for channel, _ in _without_partner(estate, qmgr):
            if expected_partner(estate, qmgr, channel) is None:
                yield _guessed(estate, channel)


def missing_queue_managers(estate: Estate) -> Iterator[Gap]:
    """Yield a gap for each channel or record that names a missing queue manager.

    One of which only states or logs are known has a gap of its own.
    """
    for name, position in sorted(estate.undefined.items()):
        why = "only states or logs of it are known"
        yield Gap(NOT_IN_TWIN, name, name, "observations", why, position)
    for qmgr in _observed(estate):
        for channel, type_ in _without_partner(estate, qmgr):
            if expected_partner(estate, qmgr, channel) is not None:
                continue
            definition = qmgr.definitions["CHANNEL", channel]
            yield Gap(
                NOT_IN_TWIN,
                _guessed(estate, channel),
                qmgr.name,
                f"{type_} {channel}",
                text_of(definition, "CONNAME"),
                definition.position,
                definition=definition,
            )
    only_named = _only_named(estate)
    for qmgr in _observed(estate) if only_named else ():
        held: dict[str, Gap] = {}
        for (cluster, _, name), owners in qmgr.repository.beliefs.items():
            for qmid in owners.keys() & only_named.keys() - held.keys():
                missing = estate.names[qmid]
                by = f"record {name}" if name == missing else f"record of {name}"
                position = owners[qmid].position
                held[qmid] = Gap(
                    NOT_IN_TWIN, missing, qmgr.name, by, f"cluster {cluster}", position
                )
        yield from held.values()


def lacking_ends(estate: Estate) -> Iterator[Gap]:
    """Yield a gap for each channel that is to lead to a queue manager that lacks the other end.

    It says where that one listens, if it is known by a CLUSRCVR. That one at an address lacks the
    other end is known only if it showed all its channels.
    """
    for qmgr in _observed(estate):
        for channel, type_ in _without_partner(estate, qmgr):
            named = expected_partner(estate, qmgr, channel)
            if named is None or (
                named.name != _last(channel) and not is_defined_whole(named, "CHANNEL")
            ):
                continue
            definition = qmgr.definitions["CHANNEL", channel]
            receivers = (
                f"{text_of(each, 'CONNAME')} by its CLUSRCVR {each.name}"
                for each, _ in membership.channels_of(named, "CLUSRCVR")
            )
            at = ", ".join(receivers) or "an address that is not known"
            why = (
                f"{named.name} has no receiving channel {channel}; the channel leads to "
                f"{text_of(definition, 'CONNAME') or 'no address'}, {named.name} is at {at}"
            )
            by = f"{type_} {channel}"
            yield Gap(
                UNDEFINED, channel, qmgr.name, by, why, definition.position, definition=definition
            )


def expected_partner(estate: Estate, qmgr: QueueManager, channel: str) -> QueueManager | None:
    """Return the queue manager in the twin that a channel names, or else the one at its address.

    An address is that of a CLUSRCVR; of several queue managers there, it is the first by name.
    """
    definition = qmgr.definitions.get(("CHANNEL", channel))
    named = estate.qmgrs.get(_last(channel))
    if named is not None or definition is None:
        return named
    places = set(connection(text_of(definition, "CONNAME")))
    for _, other in sorted(estate.qmgrs.items()) if places else ():
        for receiver, _ in membership.channels_of(other, "CLUSRCVR") if other is not qmgr else ():
            if not places.isdisjoint(connection(text_of(receiver, "CONNAME"))):
                return other
    return None


def deleted_partners(estate: Estate, channel: str, type_: str) -> tuple[str, ...]:
    """Return the deleted queue managers that had the other end of a channel of a type, sorted.

    One that was created again under its name is not among them.
    """
    return tuple(
        sorted(
            qmgr.name
            for qmgr in estate.departed.values()
            if qmgr.channels.get(channel) in PARTNERS[type_] and qmgr.name not in estate.qmgrs
        )
    )


def _observed(estate: Estate) -> list[QueueManager]:
    return [qmgr for _, qmgr in sorted(estate.qmgrs.items()) if qmgr.observed]


def _only_named(estate: Estate) -> dict[str, None]:
    """Return the QMIDs of queue managers of which only records of others are known."""
    return {
        qmid: None for qmid, qmgr in sorted(estate.named.items()) if qmgr.name not in estate.qmgrs
    }


def _without_partner(estate: Estate, qmgr: QueueManager) -> Iterator[tuple[str, str]]:
    """Yield the channels that lead to no queue manager in the twin, with their types."""
    for channel, type_ in sorted(qmgr.channels.items()):
        if type_ not in SENDING or channel.startswith("SYSTEM."):
            continue
        if any(estate.ends.get((channel, end)) for end in PARTNERS[type_]):
            continue
        if not deleted_partners(estate, channel, type_):
            yield channel, type_


def _guessed(estate: Estate, channel: str) -> str:
    """Return the name of the partner of a channel, as the channel's name suggests it."""
    last = _last(channel)
    return last if last in estate.names.values() else f"{last}?"


def _last(channel: str) -> str:
    return channel.rpartition(".")[2]


class Absent(NamedTuple):
    """An observed queue manager that files do not have.

    Attributes:
        name: its name.
        renamed: the queue manager of the files that has its connection name; '' if none has.
        held: whether a queue manager of the files was seen to hold a record of it.
        gone: whether none was, and a full repository of the files showed all that it holds. That
            one is not among the files shows nothing: most imports are of some hosts.
    """

    name: str
    renamed: str
    held: bool
    gone: bool


def absent(estate: Estate, imported: Collection[str]) -> Iterator[Absent]:
    """Yield the observed queue managers that are not among those imported, by name.

    One that was built again under another name is recognised by the CONNAME of its CLUSRCVR.
    """
    at_address = {
        address: name
        for name in sorted(imported, reverse=True)
        if name in estate.qmgrs
        for address in _addresses(estate.qmgrs[name])
    }
    of_files = [estate.qmgrs[name] for name in sorted(imported) if name in estate.qmgrs]
    held = {
        estate.names.get(owner)
        for each in of_files
        for (_, kind, _), owner in each.repository.shown
        if kind == "qmgr"
    }
    whole = {each.name: membership.full_repository_of(each) for each in of_files if _is_whole(each)}
    for name, qmgr in sorted(estate.qmgrs.items()):
        if qmgr.observed and name not in imported:
            found = (at_address[each] for each in _addresses(qmgr) if each in at_address)
            gone = name not in held and bool(_lacks(estate, name, whole))
            yield Absent(name, next(found, ""), name in held, gone)


def _lacks(estate: Estate, name: str, whole: Mapping[str, Collection[str]]) -> list[str]:
    """Return the full repositories whose whole answer is about a cluster that had a member."""
    clusters = set(membership.clusters_joined(estate.qmgrs[name]))
    return [each for each, of in whole.items() if not clusters.isdisjoint(of)]


def _is_whole(qmgr: QueueManager) -> bool:
    """Return whether a queue manager showed all members that it knows, when it was last seen."""
    shown = qmgr.confirmed.get("qmgr", NEVER_CONFIRMED)
    return shown.complete > 0 and shown.at == max(qmgr.activity.seen.collected, default=None)


def _addresses(qmgr: QueueManager) -> list[tuple[str, str]]:
    """Return cluster and CONNAME of each CLUSRCVR."""
    return [
        (cluster, str(definition.values.get("CONNAME", "")).lower())
        for definition, clusters in membership.channels_of(qmgr, "CLUSRCVR")
        for cluster in clusters
        if definition.values.get("CONNAME")
    ]
