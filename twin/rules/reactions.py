"""Which rule reacts to a happening that a rule on a lower floor reports: the table of reactions.

The reactions to received repository commands are written out here.

Sources: IBM MQ, "Selecting queue managers to hold full repositories"; "Cluster concepts".
"""

from __future__ import annotations

from typing import Final

from twin.rules import repository_manager
from twin.rules.channels import stopping
from twin.rules.commands import control
from twin.rules.draft import Draft, Reactions
from twin.rules.messages import arrival, outbound
from twin.rules.repository import forced_removal, publication, receiving, requests


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
    news = publication.NewsToPassOn(target, cluster, accepted.items, sender.name)
    if sender.qmid in accepted.newcomers:
        publication.welcome(draft, target, sender, cluster)
        draft.react_later(news)  # the new member sends its records before others learn of it
    else:
        publication.pass_on(draft, news)
    for qmid in accepted.newcomers:
        requests.answer_noted(draft, target, qmid, cluster)


def act_on_commands(draft: Draft, received: receiving.CommandsReceived) -> None:
    """Let a queue manager answer requests, and then remove members that were removed by force."""
    target, sender, cluster, commands = received
    if commands.asks:
        requests.answer(draft, target, sender, cluster, commands.asks)
    for removal in commands.removals:
        forced_removal.remove(draft, target, cluster, removal, source=sender)


def start_again(draft: Draft, failed: repository_manager.QueueManagerFailed) -> None:
    """Start a queue manager that has failed; its repository manager goes on with what it kept."""
    control.start(draft, failed.qmgr)
    repository_manager.attend(draft, failed.qmgr.name)


REACTIONS: Final[Reactions] = {
    stopping.BatchEnding: outbound.finish_batch,
    receiving.RecordsAccepted: act_on_records,
    publication.NewsToPassOn: publication.pass_on,
    receiving.CommandsReceived: act_on_commands,
    arrival.CommandQueueReached: repository_manager.read_reached,
    repository_manager.QueueManagerFailed: start_again,
}
"""Type of happening -> the rule that reacts to it.

Every draft that may emit events gets these reactions.
"""
