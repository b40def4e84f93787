"""How many channels a queue manager may have at once, where that is known.

Sources: IBM MQ 9.3, "Channels stanza of the qm.ini file" (MaxChannels, 100 by default;
MaxActiveChannels, by default the value of MaxChannels); "ALTER QMGR" (z/OS: MAXCHL and ACTCHL, 200
by default).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.fold.estate import QueueManager
from twin.model.amounts import whole_number
from twin.model.basis import Source
from twin.model.platforms import ZOS
from twin.rules.channels import reaching

_DEFAULT: Final = 100
_DEFAULT_ZOS: Final = 200


class ChannelLimit(NamedTuple):
    """The smallest limit of the number of channels, and what sets it."""

    limit: int
    name: str


def settles_limit(qmgr: QueueManager) -> Source:
    """Return what shows how many channels a queue manager may have, and which it adopts."""
    return Source.QMGR if qmgr.platform == ZOS else Source.CONFIGURATION


def channel_limit(qmgr: QueueManager) -> ChannelLimit | None:
    """Return the limit of a queue manager; None if it is not known.

    See `reaching.knows_configuration`.
    """
    if not reaching.knows_configuration(qmgr):
        return None
    if qmgr.platform == ZOS:
        limits = [
            ChannelLimit(int(str(qmgr.values.get(name, _DEFAULT_ZOS))), name)
            for name in ("MAXCHL", "ACTCHL")
        ]
        return min(limits, default=None)
    given = {"MAXCHANNELS": str(_DEFAULT), **reaching.stanza(qmgr, "Channels")}
    limits = [
        ChannelLimit(number, name)
        for name in ("MaxChannels", "MaxActiveChannels")
        if (number := whole_number(given.get(name.upper(), ""))) is not None
    ]
    return min(limits, default=None)
