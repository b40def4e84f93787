"""How soon the ends of cluster channels notice that their partner is silent, with advice.

Sources: IBM MQ 9.2, "Checking that the other end of the channel is still available";
"Cluster-administration considerations" (an HBINT below about ten seconds gives false failures; a
restart is refused until the receiving end has noticed).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.basis import Unknown
from twin.model.instants import SECOND, AsOf, Instant, format_instant
from twin.model.platforms import ZOS
from twin.model.silence import TOO_SHORT, negotiated
from twin.questions.answer import Answer, EvidencedRow
from twin.questions.belief import observers
from twin.questions.capacity import settles_limit
from twin.questions.channels import known_from
from twin.questions.sender_channels import SenderChannels
from twin.rules.channels import channel_status, silence

HASTY: Final = "HBINT is below 10 s: a network that is only slow looks like a failure"
NEVER: Final = "the receiving end never notices"
REFUSED: Final = "until the receiving end has noticed, a restart of the sending end is refused"
UNKNOWN: Final = "whether the partner adopts is not known: qm.ini of {} was never observed"
UNKNOWN_ZOS: Final = "whether the partner adopts is not known: import DISPLAY QMGR ALL of {}"


def heartbeats(
    estate: Estate, as_of: AsOf, *, on: str | None = None, channel: str | None = None
) -> Answer:
    """List how soon the ends of cluster channels notice that packets vanish.

    Listed are the cluster-sender channels whose partner is known. `hbint` is the heartbeat interval
    that both ends agree on, 0 for none. `sending` and `receiving` are the most seconds in which an
    idle end notices; null: never. `batch` is how long a batch waits for its confirmation. `adopts`
    tells whether the partner ends an old receiving end for a new one; null: not known. `on` lists
    the channels with either end at a queue manager. The notes say since when each qm.ini counts.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    observers(estate, on)
    rows = [
        row
        for qmgr in observers(estate, None)
        for row in _rows(estate, qmgr, channel)
        if on in {None, row[0]["on"], row[0]["partner"]}
    ]
    partners = sorted({str(row["partner"]) for row, _ in rows})
    notes = (
        f"qm.ini of {name} has no date of its own: it is taken to be true from "
        f"{format_instant(seen.at)} on"
        for name in partners
        if (seen := estate.qmgrs[name].activity.seen.configuration.get(name)) is not None
    )
    return replace(Answer.of("heartbeats", as_of, rows), notes=tuple(notes))


def _rows(estate: Estate, qmgr: QueueManager, only: str | None) -> Iterator[EvidencedRow]:
    records = {
        name[2]: belief
        for name, belief in qmgr.repository.of_kind("qmgr")
        if belief.owner != qmgr.qmid
    }
    for name in SenderChannels(qmgr).names():
        state, belief = qmgr.activity.channels.get(name), records.get(name)
        partner = state.partner if state is not None else belief.owner_name if belief else ""
        receiver = estate.qmgrs.get(partner)
        receiving = receiver.definitions.get(("CHANNEL", name)) if receiver is not None else None
        if only not in (None, name) or receiver is None or receiving is None:
            continue
        runs = state is not None and state.status == "RUNNING"
        own = qmgr.definitions.get(("CHANNEL", name))
        values = belief.values if belief else own.values if own else receiving.values
        hbint = state.hbint if runs and state is not None else negotiated(values, receiving.values)
        waits = silence.sender_patience(qmgr, hbint)
        notices = silence.receiver_patience(receiver, name, hbint)
        known = channel_status.knows_configuration(receiver)
        adopts = channel_status.adopts(receiver, name) if known else None
        advice = [HASTY] if 0 < hbint < TOO_SHORT else []
        advice += [NEVER] if notices is None else []
        if adopts is None:
            advice.append((UNKNOWN_ZOS if receiver.platform == ZOS else UNKNOWN).format(partner))
        advice += [REFUSED] if adopts is False else []
        yield (
            {
                "on": qmgr.name,
                "channel": name,
                "partner": partner,
                "hbint": hbint // SECOND,
                "sending": _seconds(hbint + waits if hbint else None),
                "receiving": _seconds(notices),
                "batch": _seconds(waits),
                "adopts": Unknown(partner, settles_limit(receiver)) if adopts is None else adopts,
                "advice": tuple(advice),
            },
            (state.position,) if state is not None else known_from(qmgr, name),
        )


def _seconds(time: Instant | None) -> int | None:
    return None if time is None else time // SECOND
