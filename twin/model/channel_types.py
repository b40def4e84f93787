"""Channel types: which types can be partners, and which send or receive messages.

Source: IBM MQ, "Message channels" [memory, unverified]: a requester starts a server or a sender,
and messages come to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PARTNERS: Final[Mapping[str, tuple[str, ...]]] = {
    "CLUSSDR": ("CLUSRCVR",),
    "SDR": ("RCVR", "RQSTR"),
    "SVR": ("RCVR", "RQSTR"),
    "RQSTR": ("SVR", "SDR"),
}
"""Channel type that can be started -> the types that its partner can have."""

UNCLUSTERED: Final = frozenset({"SDR", "SVR"})
"""The types that send from the transmission queue in their definition."""

RECEIVING: Final = frozenset({"CLUSRCVR", "RCVR", "RQSTR"})
"""The types that receive messages."""
