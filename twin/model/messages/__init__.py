"""The messages of a queue manager: replies of runmqsc and entries of error logs.

One row of the catalogue is all that is known of a message but two things: `twin.events.logged` says
what becomes of it, `twin.rules.written` when a queue manager writes it.

``MessageRow.seen`` is true if a public capture, an IBM page or a sample shows the id and the text.
The other texts are from memory or our own, and no test depends on them. The texts say IBM MQ; up to
8.0 the name was WebSphere MQ (captures of 7.0 to 8.0), and before 9.1 ids had no severity letter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from twin.model.messages._channels import CHANNELS, TLS
from twin.model.messages._queue_managers import QUEUE_MANAGERS
from twin.model.messages._replies import REPLIES
from twin.model.messages._repository import REPOSITORY
from twin.model.messages._row import MEMORY, MessageRow
from twin.model.messages._zos import OWN, ZOS

__all__ = [
    "CANNOT_OPEN",
    "CATALOGUE",
    "CLOSED",
    "ENDED_ABNORMALLY",
    "HOST_NOT_AVAILABLE",
    "IN_USE",
    "LETTERS_FROM",
    "NOT_AVAILABLE",
    "NOT_FOUND",
    "NOT_PUT",
    "NOT_RUNNING",
    "OUT_OF_SEQUENCE",
    "RESET",
    "SYNTAX_ERROR",
    "TIMED_OUT",
    "Message",
    "MessageRow",
    "form_on_zos",
]

SYNTAX_ERROR: Final = "AMQ8405"
NOT_RUNNING: Final = "AMQ8146"
NOT_FOUND: Final = "AMQ8147"
HOST_NOT_AVAILABLE: Final = "AMQ9202"
"""The error of a channel that does not find its partner."""
ENDED_ABNORMALLY: Final = "AMQ9999"
"""What is logged after the error of a channel."""
NOT_PUT: Final = "AMQ9544"
"""The error of a channel whose partner could not put its messages anywhere."""
CANNOT_OPEN: Final = "AMQ9509"
"""The error of a channel that cannot open its transmission queue."""

CLOSED: Final = "AMQ9209"
"""The error of a channel whose partner closed the connection."""
RESET: Final = "AMQ9208"
"""The error of a channel whose session the partner does not know any more (errno 104)."""
TIMED_OUT: Final = "AMQ9259"
"""The error of an end whose connection timed out (IBM technote 21566516, after a keepalive)."""
NOT_AVAILABLE: Final = "AMQ9558"
"""The error of a channel whose partner does not let it in."""
OUT_OF_SEQUENCE: Final = "AMQ9526"
"""The error of a channel whose ends disagree about the next sequence number."""
IN_USE: Final = "AMQ9514"
"""What a partner logs that refuses a channel because its receiving end is still active."""

LETTERS_FROM: Final = 910
"""The first command level whose ids have a severity letter."""

_IBM_MQ_FROM: Final = 900


_ON_ZOS: Final = {"AMQ9001": "CSQX501", "AMQ9002": "CSQX500", "AMQ9999": "CSQX599"}
"""The messages whose z/OS forms have other digits."""


def form_on_zos(id_: str) -> str:
    """Return the id of the z/OS form of a message, both without letter.

    Messages of channels and repositories have the same last three digits (APAR PH34265; CSQX202E,
    CSQX208E and CSQX599E of public logs), except for those that a channel starts and ends.
    """
    return _ON_ZOS.get(id_, f"CSQX{id_[4:]}")


def _catalogue() -> dict[str, MessageRow]:
    """Return all rows; a z/OS form without a row of its own has what its AMQ form has."""
    forms = [
        replace(
            row,
            id=form_on_zos(row.id[:7]) + (row.zos or row.id[7:]),
            comments="",
            arith="",
            cases={},
            names=row.comments if row.names is None else row.names,
            basis=MEMORY,
        )
        for row in (*CHANNELS, *REPOSITORY)
        if row.id.startswith("AMQ9")
    ]
    rows = (*REPLIES, *CHANNELS, *TLS, *REPOSITORY, *QUEUE_MANAGERS, *forms, *ZOS, *OWN)
    return {row.id[:7]: row for row in rows}


CATALOGUE: Final[Mapping[str, MessageRow]] = MappingProxyType(_catalogue())
"""Row by id without severity letter, such as ``AMQ8147``."""


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One message: an id and the inserts of its text.

    Attributes:
        id: the id without severity letter; a given letter is removed.
        inserts: in the order of the roles of its row; missing ones are blank.
    """

    id: str
    inserts: tuple[str, ...]

    def __init__(self, id: str, *inserts: str | int) -> None:  # noqa: A002 - MQ's word
        object.__setattr__(self, "id", id[:7])
        object.__setattr__(self, "inserts", tuple(str(insert) for insert in inserts))

    @property
    def row(self) -> MessageRow:
        """The row in the catalogue; one with an empty text if the id is unknown."""
        return CATALOGUE.get(self.id) or MessageRow(self.id)

    @property
    def full_id(self) -> str:
        """The id with its severity letter, as MQ 9.1 and later write it."""
        return self.id + self.row.letter

    @property
    def failed(self) -> bool:
        """Whether a command with this reply failed."""
        return self.row.failed

    @property
    def reason(self) -> int | None:
        """The reason code of the message; None if it has none."""
        return self.row.reason

    @property
    def text(self) -> str:
        """The text after the id, with its inserts."""
        return self.row.filled(self.inserts)

    def render(self, level: int = LETTERS_FROM) -> str:
        """Return the line that a queue manager of this command level writes."""
        shown = self.full_id if level >= LETTERS_FROM else self.id
        product = "IBM MQ" if level >= _IBM_MQ_FROM else "WebSphere MQ"
        return f"{shown}: {self.row.filled(self.inserts, product)}"
