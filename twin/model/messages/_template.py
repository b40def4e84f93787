"""One entry of the catalogue, and the reader of its tables."""

from collections.abc import Iterable
from dataclasses import dataclass

Row = tuple[str, str, int | None]
"""Id with severity letter, text, reason code."""


@dataclass(frozen=True, slots=True)
class Template:
    """The text of one message id, with its severity and its source.

    Attributes:
        letter: severity I, W, E, S or T.
        text: with ``{0}``, ``{1}`` for its inserts.
        reason: the reason code of the failure that it reports.
        seen: whether a public source shows this number with this text.
    """

    letter: str
    text: str
    reason: int | None
    seen: bool

    @property
    def places(self) -> int:
        """The number of inserts in the text."""
        return self.text.count("{")

    @property
    def failed(self) -> bool:
        """Whether it reports a failure: every message with a reason code does."""
        return self.reason is not None


def templates(rows: Iterable[Row], *, seen: bool) -> dict[str, Template]:
    """Return a table by id without its letter."""
    return {row[0][:7]: Template(row[0][7:], row[1], row[2], seen) for row in rows}
