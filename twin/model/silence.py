"""How long an end of a channel takes to notice that nothing arrives from its partner any more.

Every time is a named constant with its source, so that it can be corrected. [memory] marks what no
page that was read shows.

Sources: IBM MQ 9.2, "Checking that the other end of the channel is still available", "Keepalive
Interval (KAINT)", "HeartbeatInterval (MQLONG)", "ReceiveTimeout" and "ReceiveTimeoutType", "TCP
stanza"; Linux, tcp(7) [memory].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.model.attributes import Value
from twin.model.instants import SECOND, Instant

HBINT: Final = 300 * SECOND
"""The default of HBINT ("HeartbeatInterval (MQLONG)")."""

SHORT_HBINT: Final = 60 * SECOND
"""Below this HBINT the receive timeout is twice the HBINT; from it on, HBINT and `ADDED` (page
"Checking that the other end of the channel is still available")."""

ADDED: Final = 60 * SECOND
"""What is added to an HBINT that is not short, and to HBINT for KAINT(AUTO) ("KeepAliveInterval
(MQLONG)")."""

TOO_SHORT: Final = 10 * SECOND
"""Below about this HBINT a network that is only slow looks like a failure ("Cluster-administration
considerations")."""

CONNECT_TIMEOUT: Final = 127 * SECOND
"""How long connect() waits for an answer: six SYN retries of Linux [memory]. Connect_Timeout of the
stanza TCP goes before it."""

RETRANSMISSION: Final = 15 * 60 * SECOND
"""How long TCP repeats data that nobody confirms before it ends the connection: about 15 minutes,
tcp_retries2 of Linux [memory]. Assumed for all platforms."""

KEEPALIVE: Final = (7200 + 9 * 75) * SECOND
"""How long SO_KEEPALIVE takes: idle time and nine probes of Linux [memory]."""

BATCH: Final = 50
"""The default of BATCHSZ: the most messages of a batch."""

_MULTIPLY, _ADD = "MULTIPLY", "ADD"
"""Values of RCVTTYPE; the third is EQUAL. MULTIPLY is the initial value ("ReceiveTimeoutType")."""


def negotiated(one: Mapping[str, Value], other: Mapping[str, Value]) -> Instant:
    """Return the HBINT of two ends in microseconds: the larger, or 0 (none) if either is 0."""
    both = [seconds(values, "HBINT", HBINT // SECOND) for values in (one, other)]
    return max(both) if all(both) else 0


def seconds(values: Mapping[str, Value], keyword: str, default: int) -> Instant:
    """Return an attribute that is a number of seconds, in microseconds."""
    given = str(values.get(keyword, default))
    return int(given) * SECOND if given.isdecimal() else default * SECOND


def receive_timeout(hbint: Instant) -> Instant | None:
    """Return how long an end on Multiplatforms waits for data; None for ever (no heartbeats)."""
    if not hbint:
        return None
    return 2 * hbint if hbint < SHORT_HBINT else hbint + ADDED


def zos_receive_timeout(qmgr: Mapping[str, Value], hbint: Instant) -> Instant | None:
    """Return how long an end on z/OS waits for data; None for ever.

    The attributes of the queue manager decide: RCVTIME by RCVTTYPE, but not less than RCVTMIN.
    Their initial values are 0, MULTIPLY and 0: such an end never stops waiting.
    """
    time, least = seconds(qmgr, "RCVTIME", 0), seconds(qmgr, "RCVTMIN", 0)
    how = str(qmgr.get("RCVTTYPE") or _MULTIPLY).upper()
    if how == _ADD:
        return max(time + hbint, least)
    timeout = time // SECOND * hbint if how == _MULTIPLY else time
    return max(timeout, least) if timeout else None


def zos_keepalive(
    qmgr: Mapping[str, Value], channel: Mapping[str, Value], hbint: Instant
) -> Instant | None:
    """Return after which time z/OS ends an idle connection; None without TCPKEEP(YES).

    KAINT(AUTO) is HBINT and a minute. Without a time of its own (KAINT(0), or AUTO without
    heartbeats) a channel has that of the stack.
    """
    if str(qmgr.get("TCPKEEP", "NO")).upper() != "YES":
        return None
    given = str(channel.get("KAINT", "AUTO")).upper()
    interval = (hbint + ADDED if hbint else 0) if given == "AUTO" else int(given) * SECOND
    return interval or KEEPALIVE
