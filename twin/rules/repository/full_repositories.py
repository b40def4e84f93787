"""Which two full repositories a queue manager tells and asks.

Source: IBM MQ, "Selecting queue managers to hold full repositories": two of them, those that a
manual CLUSSDR names first, another one where one of these is not available.
"""

from __future__ import annotations

from typing import Final

from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import channel_status, reaching
from twin.rules.draft import Draft

AT_MOST: Final = 2
"""How many full repositories are told and asked, however many there are."""


def chosen(draft: Draft, qmgr: QueueManager, cluster: str) -> list[tuple[QueueManager, str]]:
    """Return the two full repositories a queue manager tells and asks, with the channel there.

    Those behind manual CLUSSDRs come first, then by name; one that can be reached goes before one
    that cannot.
    """
    repository = qmgr.repository
    found: dict[str, tuple[bool, bool, str, QueueManager, str]] = {}
    manual: set[str] = set()
    for definition, _ in membership.channels_of(qmgr, "CLUSSDR", cluster):
        manual.add(definition.name)
        other = reaching.partner_of(draft, qmgr, definition)
        if other is not None and membership.is_full(other, cluster):
            rank = (
                not channel_status.is_usable(draft, qmgr, definition.name, other),
                False,
                other.name,
            )
            found.setdefault(other.name, (*rank, other, definition.name))
    for there, owner in repository.known_full_repositories:
        if there != cluster or owner == qmgr.qmid:
            continue
        known = draft.estate.qmgrs.get(draft.estate.names[owner])
        if known is None or known.qmid != owner:
            continue
        before = found.get(known.name)
        for channel in repository.routes.get((cluster, owner), ()):
            if before is not None and before[4] == channel:
                continue  # it goes by the manual one already
            belief = repository.beliefs[cluster, "qmgr", channel][owner]
            if belief.values.get("QMTYPE") == "REPOS":
                unusable = not channel_status.is_usable(draft, qmgr, channel, known)
                candidate = (unusable, channel not in manual, known.name, known, channel)
                found[known.name] = min(found.get(known.name, candidate), candidate, key=_rank)
    ranked = sorted(found.values(), key=_rank)
    return [(other, channel) for *_, other, channel in ranked[:AT_MOST]]


def _rank(candidate: tuple[bool, bool, str, QueueManager, str]) -> tuple[bool, bool, str, str]:
    return (*candidate[:3], candidate[4])
