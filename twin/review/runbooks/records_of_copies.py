"""Records that a copy of a queue manager published in production, and how they are removed.

Sources: see `twin.review.runbooks.dr_testing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.commands import Command
from twin.questions.doctor.finding import some
from twin.review.runbooks import checks, parting
from twin.review.runbooks.scene import Checked, done, missing

if TYPE_CHECKING:
    from twin.fold.beliefs import Belief, RecordName
    from twin.fold.estate import QueueManager
    from twin.review.runbooks.scene import Scene

_POSITIONS: Final = 20
"""The most positions of events that are named as evidence."""


class CopySign(NamedTuple):
    """A record of production that a copy must have published.

    Attributes:
        observer: the queue manager that holds it.
        cluster: the cluster.
        qmid: the QMID in the record.
        text: what it shows, in words.
        position: the position of the event by which it came.
    """

    observer: str
    cluster: str
    qmid: str
    text: str
    position: int


def signs(scene: Scene) -> list[CopySign]:
    """Return the records that the subject did not publish although they have its name or QMID."""
    return [
        CopySign(observer.name, cluster, belief.owner, text, belief.position)
        for observer in scene.others()
        for cluster in scene.clusters
        for key, belief in observer.repository.of_kind("qmgr", cluster=cluster)
        if (text := _foreign(scene, key, belief))
    ]


def _foreign(scene: Scene, key: RecordName, belief: Belief) -> str:
    """Return in words which record the subject did not publish; '' if it may have."""
    address = belief.values.get("CONNAME") or "no address"
    if belief.owner == scene.subject.qmid:
        is_own = scene.qmgr is None or _may_have_published(scene.qmgr, key, belief)
        return "" if is_own else f"{key[2]} at {address}"
    return f"{belief.owner} at {address}" if belief.owner_name == scene.name else ""


def _may_have_published(qmgr: QueueManager, key: RecordName, belief: Belief) -> bool:
    """Return whether a record of its QMID can be its own.

    It is if it has the address that the queue manager published last, or came before that.
    """
    records = qmgr.repository
    mine = records.instances(*key).get(qmgr.qmid)
    if mine is not None and mine.values.get("CONNAME") == belief.values.get("CONNAME"):
        return True
    own = [name for name in records.own_records if name[0] == key[0]]
    latest = max((records.beliefs[name][qmgr.qmid].published for name in own), default=0)
    return belief.received < latest


def is_clean(scene: Scene) -> Checked:
    """Check that no queue manager holds a record that a copy published."""
    found = signs(scene)
    if found:
        shown = some(f"{each.observer} holds {each.text}" for each in found)
        return missing(
            f"somebody else published as {scene.name}: {shown}. If it still runs, end it first: it "
            "would publish again.",
            *sorted({each.position for each in found if each.position})[:_POSITIONS],
        )
    return done(f"nobody holds a record of {scene.name} that it did not publish")


def remove(scene: Scene) -> Iterator[Command]:
    """Yield the commands that remove what a copy published.

    Another QMID is removed by force. A record of the own QMID is published again.
    """
    found = signs(scene)
    for cluster in scene.clusters:
        published = {each.qmid for each in found if each.cluster == cluster}
        for qmid in sorted(published - {scene.subject.qmid}):
            holders = {each.observer for each in found if each.qmid == qmid}
            for full in checks.running_repositories(scene, cluster):
                if full.name in holders:
                    yield parting.force_removal(scene, full.name, cluster, qmid)
                    break
        if scene.subject.qmid in published:
            yield Command.of(scene.name, "REFRESH", "CLUSTER", cluster, REPOS="NO")


def is_forgotten(scene: Scene) -> Checked:
    """Check that nobody holds a record of another QMID of the name."""
    held = sorted(
        {
            (observer.name, belief.owner)
            for observer in scene.others()
            for owners in observer.repository.beliefs.values()
            for belief in owners.values()
            if belief.owner_name == scene.name and belief.owner != scene.subject.qmid
        }
    )
    if held:
        names = some(f"{name} ({qmid})" for name, qmid in held)
        return missing(f"records of another QMID are held by {names}")
    return done(f"nobody holds a record of another QMID of {scene.name}")
