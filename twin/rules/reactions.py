"""The table of reactions: which rule reacts to a happening that a rule on a lower floor reports."""

from __future__ import annotations

from typing import Final

from twin.rules.channels import stopping
from twin.rules.draft import Reactions
from twin.rules.messages import outbound
from twin.rules.repository import delivery, distribution, received_commands

REACTIONS: Final[Reactions] = {
    stopping.BatchEnding: outbound.finish_batch,
    delivery.RecordsAccepted: received_commands.act_on_records,
    distribution.NewsToPassOn: distribution.pass_on,
    delivery.CommandsReceived: received_commands.act_on_commands,
}
"""Type of happening -> the rule that reacts to it.

Every draft that may emit events gets these reactions.
"""
