"""Which rule reacts to what: happenings that a rule reports to the rooms above its own."""

from __future__ import annotations

from typing import Final

from twin.rules.channels import stopping
from twin.rules.draft import Reactions
from twin.rules.messages import outbound
from twin.rules.repository import delivery, distribution, reacting

REACTIONS: Final[Reactions] = {
    stopping.BatchEnding: outbound.finish_batch,
    delivery.RecordsAccepted: reacting.act_on_records,
    distribution.NewsToPassOn: distribution.pass_on,
    delivery.CommandsReceived: reacting.act_on_commands,
}
"""Type of a happening -> the rule that reacts to it.

A draft that may emit events is made with these reactions.
"""
