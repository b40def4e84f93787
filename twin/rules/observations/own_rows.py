"""What the own row of DISPLAY CLUSQMGR shows: the CLUSRCVR of the observer, and its role.

Source: IBM MQ 9.4, DISPLAY CLUSQMGR: the row of the queue manager itself has DEFTYPE(CLUSRCVR), and
its columns are attributes of that channel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.events import BeliefsObserved, ObjectsImplied, RecordSaid, StatedObject
from twin.fold.estate import QueueManager
from twin.fold.handlers.observed_beliefs import own_rows
from twin.model.cluster_records import ALTERED, of_channel
from twin.model.instants import Instant
from twin.model.objects import names_of
from twin.rules import membership
from twin.rules.commands import definitions
from twin.rules.draft import Draft

_FULL: Final = "REPOS"


def follow(draft: Draft, observed: BeliefsObserved) -> None:
    """Derive what the own rows of an answer show, and what follows from it as from a definition."""
    name, made, changed = observed.qmgr, set[str](), list[str]()
    qmgr = draft.estate.qmgrs.get(name)
    if qmgr is None or observed.kind != "qmgr" or not qmgr.observed:
        return
    before, roles = dict(qmgr.definitions), membership.full_repository_of(qmgr)
    for said in list(own_rows(qmgr, observed)):
        for kind, one in list(_shown(draft.qmgr(name), observed, said, draft.at, made)):
            zone = observed.zone
            draft.emit(ObjectsImplied(qmgr=name, kind=kind, said=(one,), zone=zone))
            changed += [one.name] if kind == "CHANNEL" else []
    qmgr = draft.qmgr(name)
    if roles != membership.full_repository_of(qmgr):
        definitions.attributes_changed(draft, qmgr, {_FULL})
    for key in [("CHANNEL", each) for each in sorted(changed)]:
        definitions.object_changed(draft, qmgr, key, was=before.get(key))


def _shown(
    qmgr: QueueManager, event: BeliefsObserved, said: RecordSaid, at: Instant, made: set[str]
) -> Iterator[tuple[str, StatedObject]]:
    """Yield what a row shows of the queue manager, and what is not known yet: kind and object.

    What is known of the channel stays, unless the row has a later ALTDATE and ALTTIME, or nothing
    but rows showed the channel so far; what the row does not show stays then, too. `made` are the
    namelists that this answer has shown.
    """
    known, shown = qmgr.definitions.get(("CHANNEL", said.name)), of_channel(said.values)
    date = said.values.get(ALTERED)
    altered = date if isinstance(date, int) and date <= at else at
    values = {}
    if known is None or known.type != "CLUSRCVR":
        values = {"CLUSTER": said.cluster, **shown}
    elif (of_rows := qmgr.knows_by_rows(known)) or (known.altered or 0) < altered < at:
        kept = {each: value for each, value in known.values.items() if each not in event.columns}
        values = {**kept, **shown}
        if not of_rows and "CONNAME" not in known.values:
            values.pop("CONNAME", None)  # a blank one is filled in for others
        elif values == known.values and not isinstance(date, int):
            values = {}
    if values:
        yield (
            "CHANNEL",
            StatedObject(
                name=said.name,
                type="CLUSRCVR",
                values=values,
                altered=altered if isinstance(date, int) and date <= at else None,
            ),
        )
    if "QMTYPE" in event.columns:
        yield from _role(qmgr, said.cluster, made, is_full=said.values.get("QMTYPE") == _FULL)


def _role(
    qmgr: QueueManager, cluster: str, made: set[str], *, is_full: bool
) -> Iterator[tuple[str, StatedObject]]:
    """Yield what makes a queue manager a full repository of a cluster, or a partial one.

    A namelist in REPOSNL that nobody showed has at least the clusters of which rows show the role.
    """
    role, listed = qmgr.values.get(_FULL), str(qmgr.values.get("REPOSNL") or "")
    namelist = qmgr.definitions.get(("NAMELIST", listed)) if listed else None
    if is_full == (cluster == role or cluster in names_of(namelist)):
        return
    if listed:
        if is_full and (namelist is None or listed in made):
            made.add(listed)
            names = (*names_of(namelist), cluster)
            yield "NAMELIST", StatedObject(name=listed, type="NAMELIST", values={"NAMES": names})
    elif not is_full or not role:
        given = cluster if is_full else ""
        yield "QMGR", StatedObject(act="alter", name="", type="QMGR", values={_FULL: given})
