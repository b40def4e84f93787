"""Receiving ends that are still active when their partner connects again: refused, or adopted.

Until a receiving end notices that its partner is silent, a new start of the sending end is refused:
the receiving queue manager logs AMQ9514, the sending one AMQ9558. Adoption ends the old instance
instead: AdoptNewMCA in the stanza Channels of qm.ini (default NO; a list of channel types, or ALL),
on z/OS ADOPTMCA of the queue manager (default ALL).

Decided here: the checks (AdoptNewMCACheck, ADOPTCHK) always pass, because a partner keeps its name
and its address in the twin; AdoptNewMCATimeout takes no time.

Sources: IBM MQ 9.4, "Channels stanza" (qm.ini), "ALTER QMGR" (ADOPTMCA, ADOPTCHK); APAR IT31027
(AMQ9514); "Cluster-administration considerations".
"""

from __future__ import annotations

from collections.abc import Mapping

from twin.fold.estate import QueueManager
from twin.model.ini import merged, read_ini
from twin.model.platforms import ZOS


def stanza(qmgr: QueueManager, name: str) -> Mapping[str, str]:
    """Return the attributes of a stanza of the ini files of crtmqm -ii, by name in upper case."""
    files = qmgr.configuration.ini if qmgr.configuration is not None else ()
    return merged((each for file in files for each in read_ini(file.text)), name) or {}


def is_active(receiver: QueueManager, channel: str, sender: str) -> bool:
    """Return whether a receiving end waits in vain for a queue manager, and does not know."""
    silence = receiver.activity.silent.get((channel, sender))
    return silence is not None and not silence.ended


def adopts(receiver: QueueManager, channel: str) -> bool:
    """Return whether a queue manager ends an old receiving end for a new one of this channel."""
    if receiver.platform == ZOS:
        return str(receiver.values.get("ADOPTMCA") or "ALL").upper() != "NO"
    listed = stanza(receiver, "Channels").get("ADOPTNEWMCA", "NO")
    types = {word.strip().upper() for word in listed.split(",")}
    return bool(types & {"ALL", receiver.channels.get(channel, "")})
