"""The messages of a queue manager: what runmqsc answers and what error logs say.

A catalogue of data with one reader. ``Template.seen`` is true where a public capture, IBM page or
sample shows number and text; the others are from memory or made to fit, and no test depends on
them. Texts name the product IBM MQ; up to 8.0 it was WebSphere MQ (captures of 7.0 to 8.0), and
before 9.1 an id had no severity letter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from twin.model.messages._answers import ANSWERS
from twin.model.messages._errors import ERRORS
from twin.model.messages._logged import LOGGED
from twin.model.messages._template import Template

__all__ = ["CATALOGUE", "LETTERS_FROM", "Message", "Template"]

LETTERS_FROM: Final = 910
"""The command level from which ids carry their severity letter."""

_IBM_MQ_FROM: Final = 900

CATALOGUE: Final[Mapping[str, Template]] = MappingProxyType(ANSWERS | ERRORS | LOGGED)
"""Id without severity letter, such as ``AMQ8147`` -> template."""


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One message: an id and what is inserted into its text.

    Attributes:
        id: without severity letter; one given is dropped.
        inserts: in the order of the template's places; missing ones stay blank.
    """

    id: str
    inserts: tuple[str, ...]

    def __init__(self, id: str, *inserts: str | int) -> None:  # noqa: A002 - MQ's word
        object.__setattr__(self, "id", id[:7])
        object.__setattr__(self, "inserts", tuple(str(insert) for insert in inserts))

    @property
    def template(self) -> Template:
        """The catalogue's entry; one with an empty text for an id it does not have."""
        return CATALOGUE.get(self.id) or Template("I", "", None, seen=False)

    @property
    def full_id(self) -> str:
        """The id with its severity letter, as since 9.1."""
        return self.id + self.template.letter

    @property
    def failed(self) -> bool:
        """Whether a command that is answered so did not do what it was asked."""
        return self.template.failed

    @property
    def reason(self) -> int | None:
        """The reason code that goes with it, None for none."""
        return self.template.reason

    @property
    def text(self) -> str:
        """The text behind the id, inserts in their places."""
        template = self.template
        spare = [""] * max(0, template.places - len(self.inserts))
        return template.text.format(*self.inserts, *spare)

    def render(self, level: int = LETTERS_FROM) -> str:
        """Return the line a queue manager of this command level writes."""
        shown = self.full_id if level >= LETTERS_FROM else self.id
        text = self.text if level >= _IBM_MQ_FROM else self._old_text()
        return f"{shown}: {text}"

    def _old_text(self) -> str:
        """Return the text with the product's old name, inserts as they are."""
        template = self.template
        old = template.text.replace("IBM MQ", "WebSphere MQ")
        spare = [""] * max(0, template.places - len(self.inserts))
        return old.format(*self.inserts, *spare)
