"""What a definition names: the queue, the queue manager and the transmission queue of its messages.

Sources: IBM MQ 9.4, "DEFINE QALIAS" (TARGET, TARGTYPE), "DEFINE QREMOTE" (RNAME, RQMNAME, XMITQ),
"Queue manager aliases and clusters".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.objects import text_of

if TYPE_CHECKING:
    from twin.model.objects import Definition

LEADING: Final = frozenset({"QALIAS", "QREMOTE"})
"""The types of objects that lead to others."""


class Lead(NamedTuple):
    """Where an alias or a remote definition leads, as its attributes say.

    Attributes:
        queue: the queue that it stands for; '' if it is a queue manager alias.
        qmgr: the queue manager that it names; '' if it names none.
        xmitq: the transmission queue that it names; '' if it names none.
    """

    queue: str
    qmgr: str = ""
    xmitq: str = ""


def lead_of(definition: Definition) -> Lead | None:
    """Return where a definition leads; None if messages for it stay, or are for a topic."""
    if definition.type == "QREMOTE":
        return Lead(*(text_of(definition, each) for each in ("RNAME", "RQMNAME", "XMITQ")))
    if definition.type == "QALIAS" and text_of(definition, "TARGTYPE") != "TOPIC":
        return Lead(text_of(definition, "TARGET"))
    return None
