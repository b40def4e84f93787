"""Words that callers choose from: bindings, orders of the rules, and statuses of channels."""

from __future__ import annotations

from typing import Final

BINDS: Final = ("open", "notfixed", "group", "asqdef")
"""How an application binds what it opens; the last as the queue says."""

PROFILES: Final = ("v8", "v7")
"""The orders of the workload rules: that of 8.0 and later, and the one before it."""

STATUSES: Final = (
    *("INACTIVE", "BINDING", "STARTING", "RUNNING", "STOPPING", "RETRYING", "STOPPED"),
    *("REQUESTING", "PAUSED", "DISCONNECTED", "INITIALIZING", "SWITCHING"),
)
"""What DISPLAY CHSTATUS says of a channel; it shows none that is INACTIVE."""
