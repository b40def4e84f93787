"""Automatic configurations that would undo a runbook: every strmqm applies them again.

The twin knows the files that crtmqm was given (-ii, -ic, -iv), not what became of them since: so a
person has to say that they were changed. Of an imported queue manager it knows none.

Source: IBM MQ 9.4, "Automatic configuration of a queue manager from an MQSC script at startup",
"AutoCluster stanza of the qm.ini file".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.ini import AutoCluster
from twin.mqsc.statement import Statement
from twin.questions.doctor.finding import some
from twin.review.runbooks.scene import Checked, RunbookStep, Scene, done, unknown
from twin.rules import membership
from twin.rules.commands.automatic_configuration import commands_at_start, settings_of

_CHANGES: Final = ("DEFINE", "ALTER")
_CHANGED_FILES: Final = "the files of crtmqm -ii and -ic were changed"
_SOURCE: Final = (
    "IBM MQ 9.4, Automatic configuration of a queue manager from an MQSC script at startup; "
    "AutoCluster stanza of the qm.ini file"
)


def _auto_cluster(scene: Scene, qmgr: QueueManager) -> AutoCluster | None:
    """Return the stanza AutoCluster of a queue manager, if it is about a cluster of the runbook."""
    if qmgr.configuration is None:
        return None
    stanza = settings_of(qmgr.configuration).auto_cluster
    return stanza if stanza is not None and stanza.cluster in scene.clusters else None


def _values(statement: Statement, keyword: str) -> tuple[str, ...]:
    found = (each.values for each in statement.parameters if each.keyword == keyword)
    return tuple(token.text for values in found for token in values or ())


def _written(place: str, statement: Statement) -> str:
    name = f"({statement.name.text})" if statement.name else ""
    return f"{statement.verb} {statement.object}{name} in {place}"


def _names_cluster(scene: Scene, qmgr: QueueManager, statement: Statement) -> bool:
    """Return whether a command puts something into a cluster of the runbook."""
    named = {*_values(statement, "CLUSTER"), *_values(statement, "REPOS")}
    for keyword in ("CLUSNL", "REPOSNL"):
        for name in _values(statement, keyword):
            namelist = qmgr.definitions.get(("NAMELIST", name))
            if namelist is not None:
                names = namelist.values.get("NAMES", ())
                named.update(names if isinstance(names, tuple) else ())
    return statement.verb in _CHANGES and not named.isdisjoint(scene.clusters)


def _own(scene: Scene, *, only_role: bool) -> Iterator[str]:
    """Yield what every start of the queue manager does again for the clusters.

    `only_role` leaves out what does not make it a full repository.
    """
    qmgr = scene.qmgr
    if qmgr is None:
        return
    stanza = _auto_cluster(scene, qmgr)
    if stanza is not None and scene.name in stanza.repositories:
        yield f"the stanza AutoCluster makes it a full repository of {stanza.cluster}"
    for place, statement in commands_at_start(qmgr):
        if (not only_role or statement.object == "QMGR") and _names_cluster(scene, qmgr, statement):
            yield _written(place, statement)


def _leading_to(scene: Scene) -> Iterator[str]:
    """Yield the other queue managers that define a CLUSSDR to it at every start."""
    known = scene.estate.qmgrs.get(scene.name)
    receivers = (
        {each.name for each, _ in membership.channels_of(known, "CLUSRCVR")} if known else set()
    )
    for qmgr in scene.others():
        stanza = _auto_cluster(scene, qmgr)
        is_named = stanza is not None and scene.name in stanza.repositories
        if is_named or any(
            statement.verb in _CHANGES
            and statement.name is not None
            and statement.name.text in receivers
            and "CLUSSDR" in _values(statement, "CHLTYPE")
            for _, statement in commands_at_start(qmgr)
        ):
            yield qmgr.name


def _undone(scene: Scene, own: list[str], instead: str) -> Checked:
    """Return what the next starts undo, if anything: nobody but a person sees the files."""
    said = []
    if own:
        said.append(
            f"whether {_CHANGED_FILES} at {scene.name}, where every strmqm undoes this: {some(own)}"
        )
    others = list(_leading_to(scene))
    if others:
        said.append(
            f"whether {_CHANGED_FILES} at {some(others)}{instead}: every strmqm there defines a "
            f"CLUSSDR to {scene.name} again"
        )
    if said:
        return unknown("; and ".join(said))
    return done(f"no automatic configuration that is known undoes it in {some(scene.clusters)}")


def brings_nothing_back(scene: Scene) -> Checked:
    """Check that no start brings a queue manager back that leaves."""
    return _undone(scene, list(_own(scene, only_role=False)), "")


def gives_no_role_back(scene: Scene) -> Checked:
    """Check that no start gives a queue manager the role back that another one takes over."""
    instead = f", to name {scene.subject.to} and not {scene.name}"
    return _undone(scene, list(_own(scene, only_role=True)), instead)


LEAVE_FOR_GOOD: Final = RunbookStep(
    id="automatic-configuration",
    text="Take {clusters} out of the automatic configuration of {name}, and {name} out of that of "
    "the others, in the files on their machines.",
    done_when="No file of an automatic configuration puts {name} into {clusters} at a start; twin "
    "knows the files that crtmqm was given, and not what became of them.",
    check=brings_nothing_back,
    source=_SOURCE,
)
MOVE_FOR_GOOD: Final = RunbookStep(
    id="automatic-configuration",
    text="Name {to} in place of {name} in the stanza AutoCluster of all members of {clusters}, in "
    "the files on their machines.",
    done_when="No file of an automatic configuration makes {name} a full repository of {clusters} "
    "at a start; twin knows the files that crtmqm was given, and not what became of them.",
    check=gives_no_role_back,
    source=_SOURCE,
)
