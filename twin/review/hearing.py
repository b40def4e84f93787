"""Why a queue manager does not hear of what another one published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.questions.blocked import block_of

if TYPE_CHECKING:
    from twin.fold.estate import Estate, QueueManager
    from twin.model.instants import Instant


def why_not_heard(estate: Estate, observer: QueueManager, owner: str, *, at: Instant) -> str:
    """Return what keeps an observer from hearing of an owner, by QMID; '' if nothing is under way.

    It is that the observer has ended, or what blocks the channel on which commands for it wait.
    """
    if not observer.running:
        return f"{observer.name} has ended"
    for sender in sorted(estate.qmgrs):
        for channel, queued in estate.qmgrs[sender].repository.waiting.items():
            for commands in queued:
                about = any(item.owner == owner for item in commands.items)
                if commands.to == observer.qmid and about:
                    block = block_of(estate.qmgrs[sender], channel, at)
                    return f"its commands wait at {sender}: {block or channel}"
    return ""
