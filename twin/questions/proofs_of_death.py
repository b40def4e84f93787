"""Which queue managers are proved to be dead, by QMID, and by what.

Of two queue managers of one name neither is dead because it is older, or because a channel to it
fails. It is proved if it was deleted or stated to be gone, if a log says that another one has
replaced it because of its channel name (AMQ9468, CSQX468), or if the log of a full repository says
that it has not renewed its records for 30 days. What was seen of it later disproves a log.

Source: design law 19; APAR PH65188; IBM MQ 9.4, "How long do the queue manager repositories retain
information?".
"""

from __future__ import annotations

from typing import NamedTuple

from twin.fold.estate import Estate
from twin.model.instants import Instant, format_instant


class ProofOfDeath(NamedTuple):
    """What proves that a queue manager is dead.

    Attributes:
        why: what it is, in words that follow the queue manager.
        position: the position of the event that says so.
    """

    why: str
    position: int


def proof_of(estate: Estate, qmid: str) -> ProofOfDeath | None:
    """Return what proves that the queue manager of a QMID is dead; None if nothing does."""
    gone = estate.departed.get(qmid)
    if gone is not None and gone.deleted is not None:
        when = format_instant(gone.deleted)
        return ProofOfDeath(f"was deleted, or stated to be gone, at {when}", gone.position)
    sign = estate.signs_of_death.get(qmid)
    if sign is None or last_sight(estate, qmid) > sign.at:
        return None
    when = format_instant(sign.at)
    replaced = f"was replaced by {sign.by}, as AMQ9468 of {when} says"
    silent = f"had not renewed its records for {sign.days} days at {when}"
    return ProofOfDeath(replaced if sign.by else silent, sign.position)


def last_sight(estate: Estate, qmid: str) -> Instant:
    """Return when a queue manager was last seen itself, or what it sent since; 0 if never."""
    seen = [
        shown.received
        for qmgr in estate.qmgrs.values()
        for (_, owner), shown in qmgr.repository.shown.items()
        if owner == qmid and shown.received is not None
    ]
    return max([*seen, own_sight(estate, qmid)], default=0)


def own_sight(estate: Estate, qmid: str) -> Instant:
    """Return when a queue manager was last seen to say its QMID itself; 0 if never.

    One that was replaced by another of its name was seen as long as it had the name.
    """
    own = estate.departed.get(qmid) or estate.qmgrs.get(estate.names.get(qmid, ""))
    if own is None or own.qmid != qmid or not own.says_qmid:
        return 0
    known = own.created if own.deleted is None else 0
    return max((each.at for each in own.confirmed.values()), default=known)
