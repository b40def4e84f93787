"""Which two full repositories a queue manager tells and asks.

Source: IBM MQ, "Selecting queue managers to hold full repositories": two of them, those that a
manual CLUSSDR names first, another one where one of these is not available.
"""

from __future__ import annotations

from typing import Final

from twin.fold.estate import QueueManager
from twin.rules import channels, membership
from twin.rules.draft import Draft

AT_MOST: Final = 2
"""How many full repositories are told and asked, however many there are."""


def chosen(draft: Draft, qmgr: QueueManager, cluster: str) -> list[tuple[QueueManager, str]]:
    """Return the two full repositories a queue manager tells and asks, with the channel there.

    Those behind manual CLUSSDRs come first, then by name; one that runs goes before one that
    does not.
    """
    found: dict[str, tuple[bool, bool, str, QueueManager, str]] = {}
    for definition, _ in membership.channels_of(qmgr, "CLUSSDR", cluster):
        other = channels.partner_of(draft, qmgr, definition)
        if other is not None and membership.is_full(other, cluster):
            found.setdefault(other.name, (False, False, other.name, other, definition.name))
    for name, belief in qmgr.repository.of_kind("qmgr", cluster=cluster):
        if belief.values.get("QMTYPE") != "REPOS" or belief.owner == qmgr.qmid:
            continue
        known = draft.estate.qmgrs.get(belief.owner_name)
        if known is not None and known.qmid == belief.owner:
            manual = has_manual(qmgr, name[2], cluster)
            found.setdefault(
                known.name, (not known.running, not manual, known.name, known, name[2])
            )
    ranked = sorted(found.values(), key=_rank)
    return [(other, channel) for *_, other, channel in ranked[:AT_MOST]]


def _rank(candidate: tuple[bool, bool, str, QueueManager, str]) -> tuple[bool, bool, str]:
    return candidate[:3]


def has_manual(qmgr: QueueManager, channel: str, cluster: str) -> bool:
    """Say whether a queue manager has a manual CLUSSDR of this name in a cluster."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    return (
        definition is not None
        and definition.type == "CLUSSDR"
        and cluster in membership.clusters(qmgr, definition)
    )
