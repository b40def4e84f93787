"""How a queue manager reacts to repository commands that it has received.

Sources: IBM MQ, "Selecting queue managers to hold full repositories"; "Cluster concepts".
"""

from __future__ import annotations

from twin.rules.draft import Draft
from twin.rules.repository import (
    distribution,
    forced_removal,
    publication,
    receiving,
    requests,
)


def act_on_records(draft: Draft, accepted: receiving.RecordsAccepted) -> None:
    """Let a full repository welcome a new member and pass records on.

    It could not answer requests of a member while it knew no channel to it; now it does. A partial
    repository that learns of a full repository sends its own records there.
    """
    target, sender, cluster = accepted.target, accepted.sender, accepted.cluster
    if not accepted.full:
        chosen = publication.send_unsent_records(draft, target, cluster)
        requests.renew(draft, target, cluster, chosen)
        return
    news = distribution.NewsToPassOn(target, cluster, accepted.items, sender.name)
    if sender.qmid in accepted.newcomers:
        distribution.welcome(draft, target, sender, cluster)
        draft.react_later(news)  # the new member sends its records before others learn of it
    else:
        distribution.pass_on(draft, news)
    for qmid in accepted.newcomers:
        requests.answer_noted(draft, target, qmid, cluster)


def act_on_commands(draft: Draft, received: receiving.CommandsReceived) -> None:
    """Let a queue manager answer requests, and then remove members that were removed by force."""
    target, sender, cluster, commands = received
    if commands.asks:
        requests.answer(draft, target, sender, cluster, commands.asks)
    for removal in commands.removals:
        forced_removal.remove(draft, target, cluster, removal, source=sender)
