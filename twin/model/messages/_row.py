"""One row of the catalogue: all that is known of one message of MQ, in one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from string import Formatter
from typing import Final

PRODUCT: Final = "IBM MQ"

LOG: Final = "seen in a public error log"
"""With its inserts: 8.0.0.8, 9.0.5 JSON, 9.1, 9.2.5, 9.3, 9.4."""
DOC: Final = "IBM's message reference or an APAR"
"""Not seen in a log."""
OLD_TEXTS: Final = "a public catalogue of messages of older versions"
"""The places are those of the quoted names in the text, and no insert is known."""
MEMORY: Final = "not confirmed by a public source"
"""Nothing may rest on the places of such a row: look for known names in all inserts instead."""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """All that is known of one message.

    Places are roles such as ``channel`` in their order, with a blank between them; ``-`` is a
    place without a role.

    Attributes:
        id: with the severity letter, if it is known. Letters differ between versions (AMQ9528 is W
            in 9.1).
        text: the text that the twin writes, with the roles of its inserts in braces; '' if it never
            writes the message.
        reason: the reason code of the failure that it reports.
        seen: whether a public source shows this number with this text.
        inserts: the roles of the twin's inserts, if their order is not that of the text.
        comments: the places among the text inserts of a record.
        arith: the places among the numeric inserts of a record.
        names: the places among the names in the text, for a form without inserts; None for those
            of `comments`.
        basis: what the places, and the advice, rest on.
        zos: the severity letter of the z/OS form; '' if it is the same, or not known.
        of: the object word of the DISPLAY that it answers: above each row, or, if it is a failure,
            when nothing matches; '' for any object; None if it answers none.
        means: what it says, in one or two sentences; '' if nothing is known.
        do: what to do, with MQSC commands; '' for nothing. Roles in braces stand for what a record
            names.
        page: the page that the advice rests on; '' for `basis`.
        cases: a value of the first numeric insert -> what the message says with it, and what to do.
    """

    id: str
    text: str = ""
    reason: int | None = None
    seen: bool = False
    inserts: str = ""
    comments: str = ""
    arith: str = ""
    names: str | None = None
    basis: str = MEMORY
    zos: str = ""
    of: str | None = None
    means: str = ""
    do: str = ""
    page: str = ""
    cases: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def letter(self) -> str:
        """The severity I, W, E, S or T; I if it is not known."""
        return self.id[7:] or "I"

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the twin's inserts, in their order."""
        return tuple(self.inserts.split()) if self.inserts else _roles_in(self.text)

    @property
    def deciding(self) -> str:
        """The role of the insert that decides what the message says; '' if none does."""
        return self.arith.split()[0] if self.cases else ""

    def advice(self, decided: str) -> tuple[str, str]:
        """Return what it says, and what to do, with a value of the insert that decides that."""
        return self.cases.get(decided, (self.means, self.do))

    @property
    def failed(self) -> bool:
        """Whether it reports a failure: every message with a reason code does."""
        return self.reason is not None

    @property
    def noise(self) -> bool:
        """Whether it is known, and nothing needs to be done about it."""
        return bool(self.means) and not self.do

    @property
    def source(self) -> str:
        """What the advice rests on; '' without advice."""
        return (self.page or self.basis) if self.means else ""

    def filled(self, inserts: tuple[str, ...], product: str = PRODUCT) -> str:
        """Return the text with inserts; missing ones are blank.

        Args:
            inserts: in the order of the roles.
            product: the name of the product in the text.
        """
        text = self.text.replace(PRODUCT, product)
        return text.format_map(defaultdict(str, zip(self.roles, inserts, strict=False)))


@lru_cache(maxsize=512)
def _roles_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(role for _, role, _, _ in Formatter().parse(text) if role))
