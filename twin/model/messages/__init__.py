"""The messages of a queue manager: replies of runmqsc and entries of error logs.

``Template.seen`` is true if a public capture, an IBM page or a sample shows the id and the text.
The other texts are from memory or our own, and no test depends on them. The texts say IBM MQ; up to
8.0 the name was WebSphere MQ (captures of 7.0 to 8.0), and before 9.1 ids had no severity letter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from twin.model.messages._answers import ANSWERS
from twin.model.messages._errors import ERRORS
from twin.model.messages._logged import LOGGED
from twin.model.messages._template import Template

__all__ = [
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
    "RESET",
    "SYNTAX_ERROR",
    "TIMED_OUT",
    "Message",
    "Template",
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

CLOSED: Final = "AMQ9209"
"""The error of a channel whose partner closed the connection."""
RESET: Final = "AMQ9208"
"""The error of a channel whose session the partner does not know any more (errno 104)."""
TIMED_OUT: Final = "AMQ9259"
"""The error of an end whose connection timed out (IBM technote 21566516, after a keepalive)."""
NOT_AVAILABLE: Final = "AMQ9558"
"""The error of a channel whose partner does not let it in."""
IN_USE: Final = "AMQ9514"
"""What a partner logs that refuses a channel because its receiving end is still active."""

LETTERS_FROM: Final = 910
"""The first command level whose ids have a severity letter."""

_IBM_MQ_FROM: Final = 900

CATALOGUE: Final[Mapping[str, Template]] = MappingProxyType(ANSWERS | ERRORS | LOGGED)
"""Template by id without severity letter, such as ``AMQ8147``."""


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One message: an id and the inserts of its text.

    Attributes:
        id: the id without severity letter; a given letter is removed.
        inserts: in the order of the template's placeholders; missing ones are blank.
    """

    id: str
    inserts: tuple[str, ...]

    def __init__(self, id: str, *inserts: str | int) -> None:  # noqa: A002 - MQ's word
        object.__setattr__(self, "id", id[:7])
        object.__setattr__(self, "inserts", tuple(str(insert) for insert in inserts))

    @property
    def template(self) -> Template:
        """The template in the catalogue; a template with an empty text if the id is unknown."""
        return CATALOGUE.get(self.id) or Template("I", "", None, seen=False)

    @property
    def full_id(self) -> str:
        """The id with its severity letter, as MQ 9.1 and later write it."""
        return self.id + self.template.letter

    @property
    def failed(self) -> bool:
        """Whether a command with this reply failed."""
        return self.template.failed

    @property
    def reason(self) -> int | None:
        """The reason code of the message; None if it has none."""
        return self.template.reason

    @property
    def text(self) -> str:
        """The text after the id, with its inserts."""
        return self._filled(self.template.text)

    def render(self, level: int = LETTERS_FROM) -> str:
        """Return the line that a queue manager of this command level writes."""
        shown = self.full_id if level >= LETTERS_FROM else self.id
        text = self.template.text
        if level < _IBM_MQ_FROM:
            text = text.replace("IBM MQ", "WebSphere MQ")
        return f"{shown}: {self._filled(text)}"

    def _filled(self, text: str) -> str:
        """Return a text with the inserts; missing ones are blank."""
        return text.format(*self.inserts, *[""] * self.template.places)
