"""Who has anything of messages: what it has is loaded to be changed, and indexed who waits."""

from __future__ import annotations

from twin.fold.estate import Estate
from twin.fold.messaging import Messaging


def of(estate: Estate, name: str) -> Messaging:
    """Return what a queue manager has of messages, to be changed."""
    qmgr = estate.qmgrs[name]
    messaging = qmgr.messaging  # loaded before it is said that there is anything to load
    qmgr.has_messaging = True
    qmgr.changed.add("messaging")
    return messaging


def note_stuck(estate: Estate, name: str, messaging: Messaging) -> None:
    """Keep the index of the queue managers that have messages waiting for channels."""
    if messaging.waiting:
        estate.qmgrs_with_waiting_messages[name] = None
    else:
        estate.qmgrs_with_waiting_messages.pop(name, None)


def note_holding(estate: Estate, name: str, messaging: Messaging) -> None:
    """Keep the index of the queue managers at which messages wait though a channel runs."""
    if messaging.held or messaging.held_switch or messaging.in_doubt or messaging.at_risk:
        estate.qmgrs_holding_channels[name] = None
    else:
        estate.qmgrs_holding_channels.pop(name, None)
