"""The header of a record: its dates, and its attributes, words with a value in parentheses.

The parts of a record as text: where it was written, its inserts, its sections, its source.

Records of one file have many parts in common, so a part that was read once is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

from twin.feeds.errorlog.record import Kept, sections_of
from twin.feeds.reading.local_time import LONGEST_DATE, LocalTime, read_local_time
from twin.mqsc.masking import masked_text

MARK: Final = " - Process("
"""What stands between the date and the attributes of a header."""

_SIXTY: Final = {f"{number:02}": number for number in range(60)}
_MOST_DATES: Final = 1024


class Dates:
    """The dates that stand before marks; most headers of a file have one in the same hour."""

    def __init__(self) -> None:
        """Begin with no date read."""
        self._known: dict[str, tuple[int, LocalTime] | None] = {}
        self._hours: dict[str, LocalTime] = {}

    def before(self, block: str, begin: int, mark: int) -> tuple[int, LocalTime] | None:
        """Return where the date before a mark starts, and the date; None if there is none."""
        line_start = block.rfind("\n", begin, mark) + 1 or begin
        window = block[max(line_start, mark - LONGEST_DATE) : mark]
        if window in self._known:
            found = self._known[window]
        else:
            if len(self._known) > _MOST_DATES:
                self._known.clear()
                self._hours.clear()
            found = self._known[window] = self._read(window)
        return found and (mark - len(window) + found[0], found[1])

    def at_start(self, window: str) -> LocalTime | None:
        """Return the date that fills all of a text before a mark; None if none does."""
        if not window or len(window) > LONGEST_DATE or "\n" in window:
            return None
        found = self._known.get(window) or self.before(window, 0, len(window))
        return found[1] if found and not found[0] else None

    def _read(self, window: str) -> tuple[int, LocalTime] | None:
        """Read a date; of one in a known hour only the minute and the second."""
        colon = window.find(":")
        minute = _SIXTY.get(window[colon + 1 : colon + 3])
        second = _SIXTY.get(window[colon + 4 : colon + 6])
        if minute is None or second is None or window[colon + 3] != ":":
            return read_local_time(window) or _other_date(window)
        around = f"{window[: colon + 1]}{window[colon + 6 :]}"
        hour = self._hours.get(around)
        if hour is not None:
            _, year, numbers, hours, _, _, orders = hour
            written = (window, year, numbers, hours, minute, second, orders)
            return 0, tuple.__new__(LocalTime, written)
        found = read_local_time(window) or _other_date(window)
        if found is not None and found[1].orders and found[1].written == window:
            self._hours[around] = found[1]
        return found


def _other_date(window: str) -> tuple[int, LocalTime] | None:
    """Return a date in a form that is not known: a line that begins with a digit has one."""
    written = window.strip()
    if len(window) < LONGEST_DATE and written[:1].isdigit():
        return 0, LocalTime(written, 0, (0, 0), 0, 0, 0, ())
    return None


_SIMPLE: Final = re.compile(r"\b([A-Za-z]\w*)\(([^()\n]*)\)", re.ASCII)
_WORD: Final = re.compile(r"\b[A-Z][A-Za-z]{3,14}\d?\(", re.ASCII)
_MOST: Final = 32
_LONGEST: Final = 8192
_START: Final = re.compile(r"[\s,]*([A-Za-z]\w{0,40})\(", re.ASCII)
_FOLLOWER: Final = re.compile(r"\)(?=\s*(?:\Z|[A-Z]\w{2,15}\(|AMQ[A-Z]{0,2}\d{4}))", re.ASCII)


SHARED_LINE: Final = re.compile(r"\)[^\S\n]*CommentInsert[123]\(")
"""A comment insert on the line of another one."""


def header_attributes(header: str) -> Mapping[str, str]:
    """Return the attributes of a header that has lines of its own.

    Values may contain parentheses. Inserts stand on a line of their own: their value ends with the
    last parenthesis of the line, unless another insert follows. A line may begin with a prefix of
    a shipper.
    """
    attributes = dict(_SIMPLE.findall(header))
    if len(attributes) == header.count("(") == header.count(")"):
        return attributes
    attributes = {}
    for line in header.split("\n"):
        begin = _WORD.search(line)
        text = line[begin.start() :].strip() if begin else ""
        word, _, value = text.partition("(")
        if (
            text.startswith("CommentInsert")
            and value.endswith(")")
            and word.isalnum()
            and not SHARED_LINE.search(text)
        ):
            attributes.setdefault(word, value[:-1])
        else:
            for name, each in leading_attributes(text, 0)[0].items():
                attributes.setdefault(name, each)
    return attributes


def leading_attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    """Return the attributes that stand one after another in a text, and where they end.

    Args:
        text: the text; blanks and commas may separate the attributes.
        position: where the first may begin.
    """
    attributes: dict[str, str] = {}
    while len(attributes) < _MOST and (found := _START.match(text, position)):
        limit = found.end() + _LONGEST
        end = closing(text, found.end(), limit)
        if end < 0:
            follower = _FOLLOWER.search(text, found.end(), limit)
            end = follower.start() if follower else -1
        if end < 0:
            break
        attributes.setdefault(found[1], text[found.end() : end])
        position = end + 1
    return attributes, position


def closing(text: str, position: int, limit: int) -> int:
    """Return the position of the parenthesis that closes one opened before a position, or -1."""
    depth = 1
    while depth:
        close = text.find(")", position, limit)
        if close < 0:
            return -1
        depth += text.count("(", position, close) - 1
        position = close + 1
    return position - 1


def inserts(attributes: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numeric and the text inserts among attributes, in their order."""
    get = attributes.get
    arith = (whole(get("ArithInsert1", "")), whole(get("ArithInsert2", "")))
    comments = (
        get("CommentInsert1", "").strip(),
        get("CommentInsert2", "").strip(),
        get("CommentInsert3", "").strip(),
    )
    return arith, comments


def whole(number: str) -> str:
    """Return a number as all forms write it: '' for 0, and no exponent."""
    text = number.strip()
    if text in {"0", "0.0"}:
        return ""
    if "e" in text and len(text) < 30:  # noqa: PLR2004 - a number of Go or JSON, as 1e+06
        try:
            value = float(text)
        except ValueError:
            return text
        return str(int(value)) if value.is_integer() and abs(value) < 1e18 else text  # noqa: PLR2004
    return text


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
        self.sections = Kept(partial(sections_of, explained=False))
        self.explained = Kept(partial(sections_of, explained=True))
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


def _source(trailer: str) -> str:
    """Return the place in the program that a trailer names."""
    return trailer.strip("\n").removeprefix(_TRAILER).strip("- \n").replace(" ", "")
