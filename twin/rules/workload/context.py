"""What a choice depends on besides the routes: attributes of the queue manager that chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from twin.model.attributes import LARGEST

Profile: TypeAlias = Literal["v8", "v7"]
"""The order of the rules: `v8` for MQ 8.0 and later, `v7` for earlier versions."""

UNLIMITED: Final = LARGEST
"""The default of CLWLMRUC (IBM MQ 9.2, "Cluster workload balancing", queue managers)."""

_NEW_ORDER: Final = 800
"""The first command level at which rank is applied before PUT and before the local instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The attributes that are the same for all candidates of a choice.

    Attributes:
        qmgr: the queue manager that chooses.
        queue: the queue, or the queue manager alias, that the name resolved to.
        profile: the order of the rules.
        queue_useq: CLWLUSEQ of the local queue; '' if there is no local queue of this name.
        qmgr_useq: CLWLUSEQ of the queue manager.
        arrived: whether the message arrived over a cluster channel.
        mruc: CLWLMRUC of the queue manager.
        even: whether every known cluster channel has the default CLWLWGHT. Then only the order of
            use counts, and the factors do not change.
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
        """The effective CLWLUSEQ: that of the queue, or of the queue manager if it is QMGR."""
        return self.qmgr_useq if self.queue_useq == "QMGR" else self.queue_useq

    @property
    def prefers_local(self) -> bool:
        """Whether a local instance that is not put-disabled is chosen at once, without counting.

        Sources: IBM MQ 7.5 and 6.0, "The cluster workload management algorithm"; IBM MQ 9.0,
        "CLWLUSEQ queue attribute": messages that arrive over a cluster channel stay, with any
        CLWLUSEQ, so that they do not circulate; aliases have no CLWLUSEQ.
        """
        return self.arrived or self.useq == "LOCAL"


def profile_of(cmdlevel: int) -> Profile:
    """Return the order of the rules at a command level.

    Source: IBM MQ 8.0 and 7.5, "The cluster workload management algorithm": it changed at 8.0.
    """
    return "v8" if cmdlevel >= _NEW_ORDER else "v7"
