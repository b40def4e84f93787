"""The periods of repositories, in microseconds, as MQ documents them.

Sources: IBM MQ 9.4, "How long do the queue manager repositories retain information?" (27, 30 and
90 days); IBM IT28022 (repository commands carry about 30 days of expiry).
"""

from __future__ import annotations

from typing import Final

from twin.model.instants import DAY, SECOND

RESEND_AFTER: Final = 27 * DAY
"""The time after its last publication when an owner publishes its records again."""

EXPIRE_AFTER: Final = 30 * DAY
"""The time after which a record expires that was not renewed."""

GRACE: Final = 60 * DAY
"""The time that a holder keeps and uses an expired record; it answers no new request."""

REMOVE_AFTER: Final = EXPIRE_AFTER + GRACE
"""The time after which a record is removed that was not renewed."""

CHECK_AFTER: Final = 27 * DAY
"""The time after which a subscription in use is renewed."""

LAPSE_AFTER: Final = 30 * DAY
"""The time after which a subscription ends that was not renewed."""

COMMANDS_EXPIRE_AFTER: Final = 30 * DAY
"""The time after which a repository command expires on a transmission queue."""

ANSWER_WITHIN: Final = 10 * SECOND
"""The time that an MQOPEN waits for full repositories to answer (2189) [memory, unverified]."""
