"""What one message means for an administrator, and what to do about it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Advice(NamedTuple):
    """What one message means for an administrator.

    Attributes:
        means: what it says, in one or two sentences.
        do: what to do, with MQSC commands; '' for nothing. Names of roles in braces, such as
            ``{channel}``, stand for what the record names.
        source: the page or the section that this rests on; '' for that of `MEANINGS`.
        noise: whether nothing needs to be done about it.
    """

    means: str
    do: str = ""
    source: str = ""
    noise: bool = False


RETAIN: Final = 'IBM MQ 9.4, "How long do the queue manager repositories retain information?"'
RESET: Final = 'IBM MQ 9.2, "RESET CLUSTER"'
REFRESH: Final = 'IBM MQ 9.2, "REFRESH CLUSTER"'
SUSPEND: Final = 'IBM MQ 9.2, "SUSPEND QMGR, RESUME QMGR and clusters"'
RETRY: Final = 'IBM MQ 9.1, "Long retry interval"'
ERRORS_OF_REPOSITORY: Final = 'IBM MQ 9.2, "Cluster error recovery"'
SWITCHING: Final = 'IBM MQ 9.4, "Monitoring transmission queue switching"'


def noise(means: str, source: str = "") -> Advice:
    """Return the advice of a message about which nothing needs to be done."""
    return Advice(means, "", source, noise=True)
