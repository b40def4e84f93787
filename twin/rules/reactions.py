"""The table of reactions: which rule reacts to a happening that a rule on a lower floor reports."""

from __future__ import annotations

from typing import Final

from twin.rules import repository_manager
from twin.rules.channels import stopping
from twin.rules.draft import Reactions
from twin.rules.messages import arrival, outbound
from twin.rules.repository import distribution, received_commands, receiving

REACTIONS: Final[Reactions] = {
    stopping.BatchEnding: outbound.finish_batch,
    receiving.RecordsAccepted: received_commands.act_on_records,
    distribution.NewsToPassOn: distribution.pass_on,
    receiving.CommandsReceived: received_commands.act_on_commands,
    arrival.CommandQueueReached: repository_manager.read_reached,
}
"""Type of happening -> the rule that reacts to it.

Every draft that may emit events gets these reactions.
"""
