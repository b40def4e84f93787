"""Fixed words: bindings, workload algorithms and channel statuses."""

from __future__ import annotations

from typing import Final

BINDS: Final = ("open", "notfixed", "group", "asqdef")
"""The bindings of an MQOPEN; asqdef means the DEFBIND of the queue."""

PROFILES: Final = ("v8", "v7")
"""The versions of the workload algorithm: v8 for 8.0 and later, v7 for earlier releases."""

STATUSES: Final = (
    *("INACTIVE", "BINDING", "STARTING", "RUNNING", "STOPPING", "RETRYING", "STOPPED"),
    *("REQUESTING", "PAUSED", "DISCONNECTED", "INITIALIZING", "SWITCHING"),
)
"""The statuses of DISPLAY CHSTATUS; an INACTIVE channel is not displayed."""
