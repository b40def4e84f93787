"""What a choice looks at beside the routes: attributes of the queue manager that chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Profile: TypeAlias = Literal["v8", "v7"]
"""Which order of the rules holds: that of 8.0 and later, or the one before it."""

UNLIMITED: Final = 999_999_999
"""CLWLMRUC where none is given (IBM MQ 9.2, "Cluster workload balancing", queue managers)."""

_NEW_ORDER: Final = 800
"""The command level from which on rank goes before PUT and before the local instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is the same for all candidates of a choice.

    Attributes:
        qmgr: the queue manager that chooses.
        queue: the name that was opened or put to.
        profile: the order of the rules.
        queue_useq: CLWLUSEQ of the local queue; '' where there is none, or one of another type,
            which has none.
        qmgr_useq: CLWLUSEQ of the queue manager.
        arrived: whether the message came over a cluster channel.
        mruc: CLWLMRUC of the queue manager.
        even: whether every known cluster channel has the default weight. Then only the order of use
            counts, and factors stay as they are.
    """

    qmgr: str = ""
    queue: str = ""
    profile: Profile = "v8"
    queue_useq: str = "QMGR"
    qmgr_useq: str = "LOCAL"
    arrived: bool = False
    mruc: int = UNLIMITED
    even: bool = False

    @property
    def useq(self) -> str:
        """The CLWLUSEQ that holds: the queue's own, or the queue manager's where it says QMGR."""
        return self.qmgr_useq if self.queue_useq == "QMGR" else self.queue_useq

    @property
    def prefers_local(self) -> bool:
        """Whether a local instance that can be put to is taken outright.

        Sources: IBM MQ 7.5 and 6.0, "The cluster workload management algorithm"; IBM MQ 9.0,
        "CLWLUSEQ queue attribute": what came over a cluster channel stays, whatever CLWLUSEQ says,
        or messages would go round; aliases have no CLWLUSEQ.
        """
        return self.arrived or self.useq == "LOCAL"


def profile_of(cmdlevel: int) -> Profile:
    """Say which order of the rules a queue manager of a command level follows.

    Source: IBM MQ 8.0 and 7.5, "The cluster workload management algorithm": it changed at 8.0.
    """
    return "v8" if cmdlevel >= _NEW_ORDER else "v7"
