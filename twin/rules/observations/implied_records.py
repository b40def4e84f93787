"""What the status of a channel implies: its sending end holds a record of the queue manager there.

A queue manager makes a cluster channel from a record of its target, and runs a manual one with the
record once the target has answered. So a current status of a CLUSSDR whose target is known implies
the record at the sending end, and a status of a CLUSRCVR implies one at the partner that it names.
Nobody is said to have sent such a record (its source is ''): nothing in the twin says how it came
there. SAVED rows imply only that the channel ran once. A complete answer to DISPLAY CLUSQMGR of the
same instant is more direct: a record that it lacks is not held.

Sources: IBM MQ 9.x, "How cluster channels are defined"; DISPLAY CHSTATUS (RQMNAME).
"""

from __future__ import annotations

from twin.events import ChannelObserved, InformationReceived, Item
from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.rules import membership, standing
from twin.rules.draft import Draft


def of_channel(draft: Draft, qmgr: QueueManager, observed: ChannelObserved) -> None:
    """Derive the record that a status which was just seen implies, if it is missing."""
    if observed.status in {None, "INACTIVE"} or not observed.partner:
        return
    partner = draft.estate.qmgrs.get(observed.partner)
    kind = qmgr.channels.get(observed.channel, observed.kind)
    if partner is not None and kind == "CLUSSDR":
        _holds(draft, qmgr, observed.channel, partner)
    elif partner is not None and kind == "CLUSRCVR":
        _holds(draft, partner, observed.channel, qmgr)


def of_new(draft: Draft, owner: QueueManager) -> None:
    """Derive the records of a queue manager that just became known: others were seen to send to it.

    The name of its CLUSRCVR is that of their channels.
    """
    for name in [name for name, kind in owner.channels.items() if kind == "CLUSRCVR"]:
        for _, holder in sorted(draft.estate.qmgrs.items()):
            seen = standing.seen_status(holder, name)
            if seen is not None and seen.partner == owner.name and seen.status != "INACTIVE":
                _holds(draft, holder, name, owner)


def _holds(draft: Draft, holder: QueueManager, channel: str, owner: QueueManager) -> None:
    """Let a queue manager hold the record of a CLUSRCVR of another, as that published it last."""
    receiver = owner.definitions.get(("CHANNEL", channel))
    if not holder.is_only_observed or not holder.running or holder is owner or receiver is None:
        return
    confirmed = holder.confirmed.get("qmgr", NEVER_CONFIRMED)
    if confirmed.complete and confirmed.at == draft.at:
        return
    joined = membership.clusters_joined(holder)
    for cluster in membership.clusters(owner, receiver):
        held = owner.qmid in holder.repository.instances(cluster, "qmgr", channel)
        key = ("qmgr", channel)
        sequences = (
            each.sequence
            for each in reversed(owner.published.values())
            if each.cluster == cluster and key in each.records and not each.records[key].deleted
        )
        if cluster in joined and not held and (sequence := next(sequences, None)) is not None:
            item = Item(owner=owner.qmid, sequence=sequence, only=(key,))
            draft.emit(
                InformationReceived(qmgr=holder.name, sender="", cluster=cluster, items=(item,))
            )
