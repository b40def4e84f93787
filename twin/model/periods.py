"""How long things live, in microseconds: MQ's own figures.

Sources: IBM MQ 9.4, "How long do the queue manager repositories retain information?" (27, 30 and
90 days); IBM IT28022 (repository commands carry about 30 days of expiry).
"""

from __future__ import annotations

from typing import Final

from twin.model.instants import DAY, SECOND

RESEND_AFTER: Final = 27 * DAY
"""An owner sends everything about itself again this long after its last publication."""

EXPIRE_AFTER: Final = 30 * DAY
"""A record that was not renewed expires this long after its owner sent it."""

GRACE: Final = 60 * DAY
"""An expired record is held for this long: it answers no new request, and its holders use it."""

REMOVE_AFTER: Final = EXPIRE_AFTER + GRACE
"""A record that was not renewed is removed this long after its owner sent it."""

CHECK_AFTER: Final = 27 * DAY
"""A request that was in use is made again this long after its making."""

LAPSE_AFTER: Final = 30 * DAY
"""A request that was not made again ends this long after its making."""

COMMANDS_EXPIRE_AFTER: Final = 30 * DAY
"""A repository command that waits on a transmission queue expires after this long."""

ANSWER_WITHIN: Final = 10 * SECOND
"""How long an MQOPEN waits for full repositories that do not answer (2189) [memory, unverified]."""
