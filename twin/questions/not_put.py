"""Why a channel is RETRYING with AMQ9544: its partner cannot put the first message that it brings.

It is derived from the definitions of now at the partner, as its receiving end would decide again.
What a partner did with the message is not observed there, so of an imported partner only what its
definitions and its observed depths say is named.

Sources: IBM MQ, "AMQ9544" (messages not put to destination queue); "Cluster-administration
considerations", "What happens if I put-disable a cluster queue?"; USEDLQ of "Channel attributes".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from twin.events import Parcel
from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.instants import Instant
from twin.model.messages import NOT_PUT
from twin.model.objects import Definition, number_of
from twin.model.reasons import reason_name
from twin.questions.display import Depths
from twin.rules.channels import disconnecting, reaching
from twin.rules.draft import Draft
from twin.rules.messages import inbound
from twin.rules.messages.arrival import Arrival
from twin.rules.messages.destinations import Resolver
from twin.rules.queues.local_queues import local_queue
from twin.rules.reactions import REACTIONS


class NotPut(NamedTuple):
    """What keeps a partner from putting a message.

    Attributes:
        partner: the queue manager that cannot put it.
        queue: the queue that the message is for.
        reason: the reason code of the put.
        base: the queue of the partner that the reason is about; '' if it is about none.
        dead_letters: what is the matter with the dead-letter queue; '' if that is not known.
    """

    partner: str
    queue: str
    reason: int
    base: str = ""
    dead_letters: str = ""

    def __str__(self) -> str:
        """Return it as the part of a sentence."""
        code = f"{self.reason} {reason_name(self.reason)}"
        also = f", and {self.dead_letters}" if self.dead_letters else ""
        return f"{self.partner} cannot put messages for {self.queue} ({code}){also}"


def not_put(draft: Draft, qmgr: QueueManager, channel: str) -> NotPut | None:
    """Return what keeps the partner of a RETRYING channel from putting; None if nothing is known.

    Nothing is, if the channel failed for another reason or does not reach its partner now, if no
    message waits, or if the partner could put the first one now. No records are requested.
    """
    state = disconnecting.current_state(qmgr, channel, draft.at)
    if state is None or (state.status, state.reason) != ("RETRYING", NOT_PUT):
        return None
    partner = draft.estate.qmgrs.get(state.partner)
    if partner is None or reaching.obstacle(draft, qmgr, channel, partner.name):
        return None
    waiting = disconnecting.waiting_messages(qmgr, channel) if qmgr.has_messaging else iter(())
    first = next(waiting, None)
    if first is None:
        return None
    acting = Draft(draft.estate, draft.at, draft.position, reactions=REACTIONS)
    arrival = Arrival(acting, partner, qmgr, channel)
    return None if inbound.takes(arrival, first) else _refusal(arrival, first)


def _refusal(arrival: Arrival, first: Parcel) -> NotPut | None:
    """Return what keeps a receiver from putting a message; None if it could put it."""
    draft, partner = arrival.draft, arrival.receiver
    resolved, reason = arrival.resolve(Resolver(draft, partner, asks=False), first)
    base = resolved.local
    if not reason and base and _is_full(partner, partner.definitions["QUEUE", base], draft.at):
        reason = reasons.QUEUE_FULL
    if not reason:
        return None
    about = _refusing(partner, (first.queue, base), reason)
    return NotPut(partner.name, first.queue, reason, about, _dead_letters(arrival, draft.at))


def _refusing(partner: QueueManager, names: Iterable[str], reason: int) -> str:
    """Return the queue that a reason code is about; '' if it is about none of the names."""
    for name in names:
        definition = partner.definitions.get(("QUEUE", name))
        if definition is None:
            continue
        if reason == reasons.PUT_INHIBITED and definition.is_put_inhibited:
            return name
        if reason == reasons.QUEUE_FULL and definition.type == "QLOCAL":
            return name
    return ""


def _dead_letters(arrival: Arrival, at: Instant) -> str:
    """Return why a message does not go to the dead-letter queue; '' if no cause is known."""
    receiver, receiving = arrival.receiver, arrival.receiving
    name = receiver.text("DEADQ")
    queue = local_queue(receiver, name)
    if receiving is not None and receiving.values.get("USEDLQ") == "NO":
        return f"{arrival.channel} may not use its dead-letter queue (USEDLQ(NO))"
    if not name:
        known = "DEADQ" in receiver.values or not receiver.observed
        return "it has no dead-letter queue" if known else ""
    if queue is None:
        return f"its dead-letter queue {name} does not exist" if not receiver.observed else ""
    if queue.is_put_inhibited:
        return f"its dead-letter queue {name} is PUT(DISABLED)"
    return f"its dead-letter queue {name} is full" if _is_full(receiver, queue, at) else ""


def _is_full(qmgr: QueueManager, queue: Definition, at: Instant) -> bool:
    """Return whether a queue is known to have MAXDEPTH messages."""
    depth = Depths.of(qmgr, at).values(queue)["CURDEPTH"]
    return isinstance(depth, int) and depth >= number_of(queue, "MAXDEPTH")
