"""Whether a queue manager has ended, or was started again, since its maintenance began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.model.instants import format_instant
from twin.review.runbooks.step import Checked, done

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.review.runbooks.scene import Scene


def has_started_again(scene: Scene, qmgr: QueueManager) -> bool:
    """Return whether a queue manager was started since the maintenance began."""
    since = scene.subject.since
    return qmgr.running and since is not None and qmgr.started is not None and qmgr.started > since


def is_past(scene: Scene) -> Checked | None:
    """Return that the queue manager has ended or started again since; None if it has not."""
    qmgr = scene.qmgr
    if qmgr is None or not qmgr.running:
        return done(f"{scene.name} has ended")
    if has_started_again(scene, qmgr) and qmgr.started is not None:
        return done(f"{scene.name} was started again at {format_instant(qmgr.started)}")
    return None
