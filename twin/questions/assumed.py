"""What rests on the assumption that a queue manager uses what its definitions point to.

Source: design decision 42; the assumption itself is in `twin.rules.assumptions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from twin.fold.estate import Estate, QueueManager
from twin.fold.seen_states import SeenStatus
from twin.model.basis import Basis
from twin.model.instants import Instant, format_instant
from twin.model.objects import RECEIVING
from twin.questions.basis import AssumedUse, assumed_uses
from twin.rules import assumptions
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.path.resolved import Resolved
from twin.rules.repository import recipients


def notes_of_rows(estate: Estate, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the line that says what rows about records or requests assume; () if nothing.

    Such a row names the observer, the cluster, the kind and the name; or the queue managers that
    know a member (`known_by`).
    """
    return _notes(estate, set(_of_rows(estate, rows)))


def _of_rows(estate: Estate, rows: Iterable[Mapping[str, Any]]) -> Iterator[AssumedUse]:
    for row in rows:
        if row.get("basis") != Basis.ASSUMED:
            continue
        observers = row["known_by"] if "known_by" in row else (row.get("observer"),)
        for observer in filter(None, map(estate.qmgrs.get, observers)):
            yield from _of_row(observer, row)


def _of_row(observer: QueueManager, row: Mapping[str, Any]) -> Iterator[AssumedUse]:
    kind, name = row.get("kind", "qmgr"), row.get("name", row.get("qmgr"))
    cluster, repository = row["cluster"], observer.repository
    made = repository.subscriptions.get((cluster, kind, name))
    if made is not None and made.assumed:
        if (cluster, kind, name) not in assumptions.seen_in_use(observer):
            yield AssumedUse(observer.name, kind, name)
    elif kind == "qmgr":
        for key, belief in repository.of_kind("qmgr", cluster=cluster):
            if belief.owner_name == name and belief.owner != observer.qmid:
                yield from assumed_uses(observer, key, belief)


def notes_of_put(draft: Draft, qmgr: QueueManager, resolved: Resolved) -> tuple[str, ...]:
    """Return the line that says what the resolution of a name assumes; () if nothing.

    While a full repository can be reached, nothing is assumed: it would answer MQOPEN.
    """
    names = {resolved.name, resolved.base, resolved.queue}
    subscriptions = qmgr.repository.subscriptions
    uses = {
        AssumedUse(qmgr.name, *name[1:])
        for name in {
            (cluster, kind, name)
            for cluster, belief in resolved.instances
            if belief.owner != qmgr.qmid
            for kind in ("queue", "qmgr")
            for name in names
        }
        if (made := subscriptions.get(name)) is not None
        and made.assumed
        and not _may_ask(draft, qmgr, name[0])
    }
    return _notes(draft.estate, uses)


def _may_ask(draft: Draft, qmgr: QueueManager, cluster: str) -> bool:
    """Return whether a queue manager reaches a full repository."""
    return any(
        channel_status.is_usable(draft, qmgr, channel, target)
        for target, channel in recipients.full_repositories(draft, qmgr, cluster)
    )


def notes_of_links(estate: Estate, only: str | None = None) -> tuple[str, ...]:
    """Return lines that say which links a branch assumes to be cut, or to work again.

    `only` limits this to the channels of one queue manager.
    """
    cut: list[tuple[str, str, Instant]] = []
    healed = 0
    for name, qmgr in sorted(estate.qmgrs.items()):
        for channel, seen in _seen_retrying(qmgr) if only in (None, name) else ():
            state = qmgr.activity.channels.get(channel)
            target = estate.qmgrs.get(state.partner) if state is not None else None
            if state is None or target is None or qmgr.channels.get(channel) in RECEIVING:
                continue
            if channel_status.is_assumed_cut(estate, qmgr, channel, target):
                cut.append((channel, name, state.since))
            else:
                healed += seen.at <= estate.healed.get(("", ""), seen.at - 1)
    lines = []
    if len(cut) == 1:
        ((channel, name, since),) = cut
        lines.append(
            f"assumes that the link of {channel} at {name} is still cut, which is RETRYING since "
            f"{format_instant(since)}; {_UNLESS_HEALED}"
        )
    elif cut:
        lines.append(
            f"assumes that the links of {len(cut)} channels are still cut, which were seen "
            f"RETRYING; {_UNLESS_HEALED}"
        )
    if healed:
        links = "link of 1 channel works" if healed == 1 else f"links of {healed} channels work"
        lines.append(f"assumes that the {links} again (--assume-healed)")
    return tuple(lines)


_UNLESS_HEALED: Final = "twin branch create NAME --assume-healed assumes that it works"


def _seen_retrying(qmgr: QueueManager) -> list[tuple[str, SeenStatus]]:
    if not qmgr.observed:
        return []
    seen = qmgr.activity.seen.channels
    return [(channel, each) for channel, each in sorted(seen.items()) if each.status == "RETRYING"]


def _notes(estate: Estate, uses: set[AssumedUse]) -> tuple[str, ...]:
    names = sorted({(use.qmgr, use.name) for use in uses})
    if not names:
        return ()
    first, qmgrs = names[0][0], {qmgr for qmgr, _ in names}
    if len(qmgrs) > 1:
        who = f"{len(qmgrs)} queue managers use {len(names)} names that their definitions point to"
        drops = "twin assume QM --nothing drops that of one"
    else:
        several = f"{len(names)} names that its definitions point to"
        one = _with_reason(estate, min(uses))
        who = f"{first} uses {one if len(names) == 1 else several}"
        drops = f"twin assume {first} --nothing drops it"
    return (f"assumes that {who}; {drops}",)


def _with_reason(estate: Estate, use: AssumedUse) -> str:
    draft = Draft(estate, estate.instant, estate.position + 1)
    reason = assumptions.names_in_use(draft, estate.qmgrs[use.qmgr]).get((use.kind, use.name))
    return f"{use.name} ({reason})" if reason else use.name
