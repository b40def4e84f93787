"""Why a channel that starts finds no partner, and what the queue manager at its address logs.

AMQ9202: nobody answers at the address. AMQ9524: a listener answers, but its queue manager has
ended. AMQ9520: the queue manager there has no receiving channel of this name, and logs AMQ9519.

Sources: public lists of these messages with their causes; IBM MQ 9.4, "DEFINE LISTENER" (CONTROL:
only QMGR stops a listener with its queue manager). Decided here: a channel without a partner
reaches the queue manager that has a CLUSRCVR with the CONNAME of the channel.
"""

from __future__ import annotations

from typing import Final

from twin.events import ErrorLogged
from twin.fold.estate import QueueManager
from twin.model.messages import HOST_NOT_AVAILABLE
from twin.model.names import connection
from twin.model.objects import PARTNERS, text_of
from twin.rules import membership
from twin.rules.draft import Draft

NOT_DEFINED_THERE: Final = "AMQ9520"
NOT_FOUND_HERE: Final = "AMQ9519"
QMGR_UNAVAILABLE: Final = "AMQ9524"


def refusal(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> str:
    """Return the message id of a channel that cannot reach its partner, '' if it has none.

    If a queue manager answers that does not know the channel, that is logged there.
    """
    other = draft.estate.qmgrs.get(partner) if partner else _at_address(draft, qmgr, channel)
    if other is None or not _answers(draft, qmgr, other):
        return HOST_NOT_AVAILABLE
    if not other.running:
        return QMGR_UNAVAILABLE if other.activity.listeners else HOST_NOT_AVAILABLE
    receiving_types = PARTNERS.get(qmgr.channels.get(channel, ""), PARTNERS["CLUSSDR"])
    if other.channels.get(channel) in receiving_types:
        return HOST_NOT_AVAILABLE
    draft.emit(ErrorLogged(qmgr=other.name, id=NOT_FOUND_HERE, inserts=(channel,)))
    return NOT_DEFINED_THERE


def _answers(draft: Draft, qmgr: QueueManager, other: QueueManager) -> bool:
    if not draft.estate.links:
        return True
    link = draft.estate.link(qmgr.name, other.name)
    return not (link.cut or link.silent)


def _at_address(draft: Draft, qmgr: QueueManager, channel: str) -> QueueManager | None:
    """Return the queue manager at the CONNAME of a channel, a running one if possible."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    named = set(connection(text_of(definition, "CONNAME")) if definition is not None else ())
    found = [
        (not other.running, name)
        for name, other in (draft.estate.qmgrs.items() if named else ())
        if other is not qmgr
        and any(
            named.intersection(connection(text_of(receiver, "CONNAME")))
            for receiver, _ in membership.channels_of(other, "CLUSRCVR")
        )
    ]
    return draft.estate.qmgrs[min(found)[1]] if found else None
