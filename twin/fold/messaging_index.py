"""Access to the messaging of queue managers for handlers, and the indexes over it."""

from __future__ import annotations

from twin.fold.estate import Estate
from twin.fold.messaging import Messaging


def to_change(estate: Estate, name: str) -> Messaging:
    """Return the messaging of a queue manager, marked as changed."""
    qmgr = estate.qmgrs[name]
    messaging = qmgr.messaging  # before the flag: without it nothing is loaded
    qmgr.has_messaging = True
    qmgr.changed.add("messaging")
    return messaging


def note_waiting(estate: Estate, name: str, messaging: Messaging) -> None:
    """Index a queue manager if it has messages waiting for channels; drop it if not."""
    if messaging.waiting:
        estate.qmgrs_with_waiting_messages[name] = None
    else:
        estate.qmgrs_with_waiting_messages.pop(name, None)


def note_holding(estate: Estate, name: str, messaging: Messaging) -> None:
    """Index a queue manager if messages wait there for a channel that runs; drop it if not."""
    if messaging.held or messaging.held_switch or messaging.in_doubt or messaging.at_risk:
        estate.qmgrs_holding_channels[name] = None
    else:
        estate.qmgrs_holding_channels.pop(name, None)
