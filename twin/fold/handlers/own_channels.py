"""Fold what the own row of DISPLAY CLUSQMGR says: the CLUSRCVR, and the role in its cluster.

Source: IBM MQ 9.4, DISPLAY CLUSQMGR: the row of the queue manager itself has DEFTYPE(CLUSRCVR), and
its columns are attributes of that channel.
"""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import NEVER_CONFIRMED, Confirmation, Estate, QueueManager
from twin.fold.handlers import objects
from twin.model.cluster_records import of_channel
from twin.model.instants import Instant
from twin.model.objects import Definition, names_of

_FULL: Final = "REPOS"
_SEVERAL: Final = "REPOSNL"


def define(
    estate: Estate,
    qmgr: QueueManager,
    event: events.BeliefsObserved,
    said: events.RecordSaid,
    *,
    at: Instant,
    position: int,
) -> None:
    """Define the CLUSRCVR of an own row, and note the role that it shows.

    What is known of the channel stays, unless the row has a later ALTDATE and ALTTIME; what the row
    does not show stays then, too.
    """
    key = ("CHANNEL", said.name)
    known, shown = qmgr.definitions.get(key), of_channel(said.values)
    date = said.values.get("ALTERED")
    altered = date if isinstance(date, int) and date <= at else at
    if known is None or known.type != "CLUSRCVR":
        values, created = {"CLUSTER": said.cluster, **shown}, at
    elif altered < at and (known.altered or 0) < altered:
        kept = {each: value for each, value in known.values.items() if each not in event.columns}
        values, created = {**kept, **shown}, known.created or at
        if "CONNAME" not in known.values:
            values.pop("CONNAME", None)  # a blank one is filled in for others
    else:
        values, created = {}, at
    if values:
        objects.add_definition(
            estate, qmgr, Definition(*key, "CLUSRCVR", values, created, altered, position)
        )
        before = qmgr.confirmed.get("CHANNEL", NEVER_CONFIRMED)
        qmgr.confirmed["CHANNEL"] = Confirmation(max(position, before.position), *before[1:])
    if "QMTYPE" in event.columns:
        is_full = said.values.get("QMTYPE") == _FULL
        _set_role(estate, qmgr, said.cluster, is_full=is_full, at=at, position=position)


def _set_role(
    estate: Estate, qmgr: QueueManager, cluster: str, *, is_full: bool, at: Instant, position: int
) -> None:
    """Let a queue manager be a full repository of a cluster, or not.

    A namelist in REPOSNL that nobody showed has at least the clusters of which rows show the role.
    """
    role, listed = qmgr.values.get(_FULL), str(qmgr.values.get(_SEVERAL) or "")
    namelist = qmgr.definitions.get(("NAMELIST", listed)) if listed else None
    if is_full == (cluster == role or cluster in names_of(namelist)):
        return
    if listed:
        if is_full and (namelist is None or namelist.position == position):
            values = {"NAMES": (*names_of(namelist), cluster)}
            made = Definition("NAMELIST", listed, "NAMELIST", values, at, at, position)
            objects.add_definition(estate, qmgr, made)
    elif not is_full or not role:
        qmgr.values = {**qmgr.values, _FULL: cluster if is_full else ""}
        qmgr.altered, qmgr.position = at, position
