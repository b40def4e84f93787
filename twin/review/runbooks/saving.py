"""The first step of a queue manager that leaves: its definitions are saved before any is changed.

Later steps alter and delete them. So the dump is that of an instant before the first change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin import events
from twin.app.asking import facts_since
from twin.app.rehearsing import Rehearsal
from twin.events.base import Event
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant, format_instant
from twin.questions.answer import FoldedFact
from twin.questions.doctor.finding import some
from twin.review.runbooks import checks, control_commands
from twin.review.runbooks.scene import Checked, RunbookStep, Scene, done, unknown
from twin.rules import membership

_KINDS: Final = ("QUEUE", "CHANNEL", "NAMELIST")
"""The kinds of objects without which a queue manager cannot join its clusters again."""

_TURNS: Final[frozenset[type[Event]]] = frozenset(
    {events.QueueManagerSuspended, events.QueueManagerResumed, events.QueueManagerDeleted}
)


def saved_at(begin: Rehearsal, name: str, qmid: str, clusters: tuple[str, ...]) -> Instant | None:
    """Return an instant at which a queue manager had all its definitions, before it began to leave.

    That is now, if it is a member of the clusters and not suspended; else when it was suspended, or
    just before it was deleted. None if it was no longer a member then.
    """
    present = begin.estate.qmgrs.get(name)
    is_leaving = present is not None and not present.suspended.keys().isdisjoint(clusters)
    if _is_member(begin.estate, name, qmid, clusters) and not is_leaving:
        return begin.now()
    for at in _turns(begin, name, qmid, clusters):
        if _is_member(begin.view(as_of=at)[0], name, qmid, clusters):
            return at
    return None


def _is_member(estate: Estate, name: str, qmid: str, clusters: tuple[str, ...]) -> bool:
    known = estate.qmgrs.get(name)
    return (
        known is not None
        and known.qmid == qmid
        and {*clusters} <= {*membership.clusters_joined(known)}
    )


def _turns(begin: Rehearsal, name: str, qmid: str, clusters: tuple[str, ...]) -> list[Instant]:
    """Return when it was suspended or deleted last, and just before; the best instants first.

    A suspension that was resumed while it was a member does not count. One that ended because the
    queue manager left does.
    """
    facts = list(_facts_of(begin, name, qmid, clusters))
    deleted = [fact.at for fact in facts if isinstance(fact.event, events.QueueManagerDeleted)]
    ended = [at - 1 for at in deleted]
    suspended = [fact.at for fact in facts if isinstance(fact.event, events.QueueManagerSuspended)]
    if not suspended:
        return ended
    resumed = [
        fact.at
        for fact in facts
        if isinstance(fact.event, events.QueueManagerResumed) and fact.at >= suspended[-1]
    ]
    if any(_is_member(begin.view(as_of=at)[0], name, qmid, clusters) for at in resumed):
        return ended
    return [suspended[-1], suspended[-1] - 1, *ended]


def _facts_of(
    begin: Rehearsal, name: str, qmid: str, clusters: tuple[str, ...]
) -> Iterator[FoldedFact]:
    """Go through the suspensions of one queue manager in some clusters, up to its deletion."""
    present, beginning = begin.estate.qmgrs.get(name), begin.beginning
    is_present = present is not None and present.qmid == qmid
    known = present if is_present else begin.estate.departed.get(qmid)
    if known is None:
        return
    due = [*beginning.due, *begin.decided]
    for fact in facts_since(beginning.branch.log, beginning.point, due, _TURNS, known.created):
        if fact.at > beginning.point.valid or getattr(fact.event, "qmgr", "") != name:
            continue
        if getattr(fact.event, "cluster", clusters[0]) in clusters:
            yield fact
        if isinstance(fact.event, events.QueueManagerDeleted):
            return


def is_saved(scene: Scene) -> Checked:
    """Check that the twin knows all definitions, of one that never comes back too."""
    subject = scene.subject
    if subject.script is not None and subject.script.file:
        return done(f"{subject.script.file} has the definitions")
    qmgr = _definitions(scene)
    if subject.saved is None:
        return unknown(
            f"whether the definitions of {scene.name} were saved before it began to leave: when "
            "that was is not known"
        )
    unseen = [] if qmgr is None else checks.unseen_kinds(qmgr, *_KINDS)
    if unseen:
        return unknown(
            f"not all objects of kind {some(unseen)} of {scene.name} were observed: import its "
            f"dump ({control_commands.dump(scene)})"
        )
    at = format_instant(subject.saved)
    newer = "" if qmgr is None or not qmgr.observed else ", as far as they were imported"
    return done(f"twin dmpmqcfg {scene.name} --as-of {at} writes its definitions{newer}")


def is_saved_or_gone(scene: Scene) -> Checked:
    """Check the same; of one that was deleted nothing has to be saved."""
    if _definitions(scene) is None:
        return done(f"{scene.name} no longer exists")
    return is_saved(scene)


def _definitions(scene: Scene) -> QueueManager | None:
    """Return the queue manager whose definitions the twin has; None if it was deleted."""
    known = scene.estate.qmgrs.get(scene.name)
    return known if known is not None and known.qmid == scene.subject.qmid else None


SAVE: Final = RunbookStep(
    id="save",
    text="Save the definitions of {name} before you change any.",
    done_when="The definitions that {name} had before the first change are known.",
    check=is_saved,
    lasts=False,
    source="IBM MQ 9.2, dmpmqcfg (dump queue manager configuration); Using the COMMAND function of "
    "CSQUTIL on z/OS",
)

SAVE_UNLESS_GONE: Final = replace(SAVE, check=is_saved_or_gone)
"""The same step for a queue manager that is not made again: one that was deleted needs no dump."""
