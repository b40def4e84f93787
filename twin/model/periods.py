"""The periods of repositories, in microseconds, as MQ documents them.

Sources: IBM MQ 9.4, "How long do the queue manager repositories retain information?" (27, 30 and
90 days); IBM IT28022 (repository commands carry about 30 days of expiry).
"""

from __future__ import annotations

from typing import Final

from twin.model.instants import DAY, MINUTE, SECOND

RESEND_AFTER: Final = 27 * DAY
"""The time after which an owner republishes its records."""

EXPIRE_AFTER: Final = 30 * DAY
"""The time after its last publication at which a record expires."""

GRACE: Final = 60 * DAY
"""The time for which a holder keeps and uses an expired record; it answers no new request."""

REMOVE_AFTER: Final = EXPIRE_AFTER + GRACE
"""The time after its last publication at which a record is removed."""

CHECK_AFTER: Final = 27 * DAY
"""The time after which a subscription that was used is renewed."""

LAPSE_AFTER: Final = 30 * DAY
"""The time after which a subscription that was not renewed lapses."""

COMMANDS_EXPIRE_AFTER: Final = 30 * DAY
"""The time after which a repository command expires on a transmission queue."""

ANSWER_WITHIN: Final = 10 * SECOND
"""The time that an MQOPEN waits for full repositories to answer.

Source: IBM swg21225022, on 2189 MQRC_CLUSTER_RESOLUTION_ERROR.
"""

RERUN_AFTER: Final = 10 * MINUTE
"""The time after which a repository manager runs a failed operation again.

Source: IBM MQ 9.4, "Changes to cluster error recovery on servers on Multiplatforms".
"""

END_AFTER: Final = 5 * DAY
"""The time without success after which a failed operation ends its queue manager (same page)."""

RESTART_AFTER: Final = 600 * SECOND
"""The time that CSQX448E names on z/OS [memory, unverified]."""
