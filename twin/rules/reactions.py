"""Which rule reacts to what: happenings that a rule reports to the rooms above its own."""

from __future__ import annotations

from typing import Final

from twin.rules.channels.stopping import BatchEnding
from twin.rules.draft import Reactions
from twin.rules.messages import outbound
from twin.rules.repository import distribution, forced_removal, reacting, requests
from twin.rules.repository.delivery import RecordsAccepted, RemovalArrived, RequestsArrived
from twin.rules.repository.distribution import NewsToPassOn

REACTIONS: Final[Reactions] = {
    BatchEnding: outbound.finish_batch,
    RecordsAccepted: reacting.act_on_records,
    NewsToPassOn: distribution.pass_on,
    RequestsArrived: requests.answer,
    RemovalArrived: forced_removal.remove,
}
"""Type of a happening -> the rule that reacts to it.

A draft that may emit events is made with these reactions.
"""
