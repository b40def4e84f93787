"""The parts of a record as text: where it was written, its inserts, its sections, its source.

Records of one file have many parts in common, so a part that was read once is looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from twin.feeds.errorlog.headers import header_attributes, inserts
from twin.feeds.errorlog.record import Kept, Sections, sections_of
from twin.mqsc.masking import masked_text

INSTANT: Final = "Time("
"""What stands before the instant of a record."""

_TRAILER: Final = "-----"


class LogWriter(NamedTuple):
    """Where and by whom a record was written."""

    qmgr: str
    host: str
    installation: str
    version: str
    program: str
    user: str


class LogWriterRead(NamedTuple):
    """The place in a text.

    Attributes:
        place: the place.
        alone: whether the text has nothing else: no message on its first line, instant or insert.
    """

    place: LogWriter
    alone: bool


class Inserts(NamedTuple):
    """The inserts of a record."""

    arith: tuple[str, ...]
    comments: tuple[str, ...]
    remote_host: str


class Parts:
    """Reads the parts of the records of one log.

    Attributes:
        place: reads the attributes after the process.
        sections: reads the text from the id to the end of the first heading.
        explained: reads the text from the id to the trailer, with the explanation.
        source: reads a trailer.
    """

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.place = Kept(_place)
        self.sections = Kept(_sections)
        self.explained = Kept(_explained)
        self.source = Kept(_source)


def _place(text: str) -> LogWriterRead:
    alone = "AMQ" not in text.partition("\n")[0] and INSTANT not in text and "Insert" not in text
    return LogWriterRead(place_of(header_attributes(text)), alone)


def place_of(attributes: Mapping[str, str]) -> LogWriter:
    """Return the place in the attributes of a header."""
    keys = ("QMgr", "Host", "Installation", "VRMF", "Program", "User")
    return LogWriter(*[attributes.get(key, "").strip() for key in keys])


def inserts_in(text: str) -> Inserts:
    """Read the attributes after the instant."""
    return inserts_of(header_attributes(text))


def inserts_of(attributes: Mapping[str, str]) -> Inserts:
    """Return the inserts among the attributes of a header."""
    arith, comments = inserts(attributes)
    comments = tuple(masked_text(each) for each in comments)
    return Inserts(arith, comments, attributes.get("RemoteHost", "").strip())


NO_INSERTS: Final = inserts_of({})


def _sections(text: str) -> Sections | None:
    return sections_of(text, explained=False)


def _explained(text: str) -> Sections | None:
    return sections_of(text, explained=True)


def _source(trailer: str) -> str:
    """Return the place in the program that a trailer names."""
    return trailer.strip("\n").removeprefix(_TRAILER).strip("- \n").replace(" ", "")
