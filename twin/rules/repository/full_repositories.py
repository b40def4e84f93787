"""Choose the two full repositories that a queue manager sends its records and requests to.

Source: IBM MQ, "Selecting queue managers to hold full repositories": it uses two of them. Those
that a manual CLUSSDR leads to are preferred. If one of the two is not available, another replaces
it.
"""

from __future__ import annotations

from typing import Final

from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.repository import subscribers

AT_MOST: Final = 2
"""The maximum number of full repositories that a queue manager sends records and requests to."""


def chosen(draft: Draft, qmgr: QueueManager, cluster: str) -> list[tuple[QueueManager, str]]:
    """Return the two full repositories that a queue manager uses, each with the channel to it.

    Reachable ones are preferred, then those that a manual CLUSSDR leads to, then the first by name.
    """
    repository = qmgr.repository
    candidates: dict[str, tuple[bool, bool, str, QueueManager, str]] = {}
    manual: set[str] = set()
    for definition, _ in membership.channels_of(qmgr, "CLUSSDR", cluster):
        manual.add(definition.name)
        other = partners.partner_of(draft.estate, qmgr, definition)
        if other is not None and membership.is_full(other, cluster):
            rank = (
                not channel_status.is_usable(draft, qmgr, definition.name, other),
                False,
                other.name,
            )
            candidates.setdefault(other.name, (*rank, other, definition.name))
    for in_cluster, owner in repository.known_full_repositories:
        if in_cluster != cluster or owner == qmgr.qmid:
            continue
        member = subscribers.live_qmgr(draft, owner)
        if member is None:
            continue
        name = member.name
        manual_one = candidates.get(name)
        for channel in repository.routes.get((cluster, owner), ()):
            if manual_one is not None and manual_one[4] == channel:
                continue  # the manual CLUSSDR of this name was ranked above
            belief = repository.beliefs[cluster, "qmgr", channel][owner]
            if belief.values.get("QMTYPE") == "REPOS":
                unusable = not channel_status.is_usable(draft, qmgr, channel, member)
                candidate = (unusable, channel not in manual, name, member, channel)
                candidates[name] = min(candidates.get(name, candidate), candidate, key=_rank)
    ranked = sorted(candidates.values(), key=_rank)
    return [(other, channel) for *_, other, channel in ranked[:AT_MOST]]


def _rank(candidate: tuple[bool, bool, str, QueueManager, str]) -> tuple[bool, bool, str, str]:
    return (*candidate[:3], candidate[4])
