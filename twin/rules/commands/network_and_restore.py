"""Observed from outside: links that change, queue managers restored or seen, storage that ends."""

from __future__ import annotations

from typing import Final

from twin.errors import SubjectError
from twin.events import (
    LinkChanged,
    PageSetFilled,
    QueueManagerFirstSeen,
    QueueManagerGone,
    QueueManagerRestored,
    RepositoryStorageExhausted,
)
from twin.model.platforms import ZOS
from twin.rules import reachability, repository_manager
from twin.rules.commands import control, losses
from twin.rules.draft import Draft


class NoLink(
    control.ControlRefused,
    SubjectError,
    message="a link needs two queue managers: {} is given twice",
):
    """A network link from a queue manager to itself."""


class AnotherQueueManager(
    control.ControlRefused,
    SubjectError,
    message="the backup is of an earlier queue manager {0}, which was deleted; restore it "
    "from its definitions (twin dmpmqcfg {0} --as-of T)",
):
    """A restore from a backup of an earlier queue manager of the same name, which was deleted."""


def link_changed(draft: Draft, primary: LinkChanged) -> None:
    """Change the network between two queue managers, or of all links, or where an address leads.

    Raises:
        NoLink: if the link leads from a queue manager to itself.
        NoSuchQueueManager: if one of the queue managers does not exist.
    """
    moved = "(" in primary.other
    for name in (primary.qmgr, *(() if moved else (primary.other,))) if primary.qmgr else ():
        draft.qmgr(name)
    if primary.qmgr and primary.qmgr == primary.other:
        raise NoLink(primary.qmgr)
    draft.emit(primary)
    if moved:
        reachability.address_changed(draft, draft.qmgr(primary.qmgr))
    else:
        reachability.link_changed(draft, primary)


def restored(draft: Draft, primary: QueueManagerRestored) -> None:
    """Restore a queue manager from a backup; if it was running, it starts again.

    Messages stay on their queues (decision 9), unless the backup does not have the queue: these are
    gone with it.

    Raises:
        AnotherQueueManager: if it was deleted and created again since the backup.
        NoSuchQueueManager: if it does not exist.
    """
    qmgr = draft.qmgr(primary.qmgr)
    if qmgr.qmid != primary.qmid:
        raise AnotherQueueManager(primary.qmgr)
    was_running = qmgr.running
    draft.emit(primary)
    losses.lose_with_queues(draft, qmgr)
    reachability.fail_channels_to(draft, qmgr)
    if was_running:
        control.start(draft, qmgr)


_NO_PAGE_SETS: Final = "{} has no page sets: its platform is {}"


def storage_exhausted(draft: Draft, primary: RepositoryStorageExhausted | PageSetFilled) -> None:
    """Let the repository of a running queue manager run out of storage, or a page set of z/OS.

    Raises:
        NoSuchQueueManager: if it does not exist.
        WrongState: if it does not run, or has no page sets.
    """
    qmgr = draft.qmgr(primary.qmgr)
    if not qmgr.running:
        raise control.WrongState(control.ENDED.format(primary.qmgr))
    if isinstance(primary, PageSetFilled) and qmgr.platform != ZOS:
        raise control.WrongState(_NO_PAGE_SETS.format(qmgr.name, qmgr.platform))
    draft.emit(primary)


def gone(draft: Draft, primary: QueueManagerGone) -> None:
    """Let a queue manager be gone: it ended, and was deleted. Others keep their records of it."""
    draft.emit(primary)
    qmgr = draft.estate.qmgrs.get(primary.qmgr)
    if qmgr is None:
        return
    if qmgr.running:
        repository_manager.end(draft, qmgr)
    control.delete(draft, qmgr)


def first_seen(draft: Draft, primary: QueueManagerFirstSeen) -> None:
    """Add an observed queue manager, unless it exists; channels that waited for it try again."""
    if primary.qmgr not in draft.estate.qmgrs:
        draft.emit(primary)
        reachability.wake_partners(draft, draft.qmgr(primary.qmgr))
