"""The console of a container in its basic form: instant, message, inserts in brackets.

It names neither the queue manager nor the process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from twin.feeds.errorlog.attributes import inserts, leading_attributes
from twin.feeds.errorlog.keeping import Kept
from twin.feeds.errorlog.record import (
    CONTAINER,
    LIBERTY,
    LogRecord,
    Skipped,
    split_id,
    utc_instant,
)
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.mqsc.masking import masked_text

_MARK: Final = "Z AMQ"
_INSTANT: Final = len("2026-01-01T00:00:00.000")
_OTHER: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d) "
    r"(?:([A-Z]{4,5}\d{4}[A-Z]):)?",
    re.ASCII,
)
_BEFORE: Final = 120
"""The characters at the start of a line among which an instant is looked for."""

_BRACKET: Final = re.compile(r" \[(?=(?:Arith|Comment)Insert\d\()", re.ASCII)
_TRIES: Final = 8
_LONGEST_ID: Final = 16


class ConsoleText(NamedTuple):
    """The text after the instant."""

    ids: tuple[str, str] | None
    arith: tuple[str, ...]
    comments: tuple[str, ...]
    message: str


def read_console(lines: Iterable[str]) -> Iterator[LogRecord | Skipped | NotUnderstood]:
    """Read the console of a container; never raises because of the text.

    Messages of the container itself and of its web server are skipped. A run of lines that are not
    understood gives one row.
    """
    understood = True
    read = Kept(text_of)
    for number, line in enumerate(lines, start=1):
        found = console_line(number, line, read)
        if found is not None:
            understood = not isinstance(found, NotUnderstood)
            yield found
        elif understood and not line.isspace() and line:
            understood = False
            yield not_understood(number, line, "has no instant")


def console_line(
    number: int, line: str, read: Callable[[str], ConsoleText] | None = None
) -> LogRecord | Skipped | NotUnderstood | None:
    """Read one line; None if it has no instant.

    Args:
        number: its number.
        line: the line.
        read: reads the text after the instant, if not `text_of`.
    """
    mark = line.find(_MARK)
    at = utc_instant(line[mark - _INSTANT : mark + 1]) if mark >= _INSTANT else None
    if at is None:
        other = _OTHER.search(line, 0, _BEFORE)
        return Skipped(number, LIBERTY if other[1] else CONTAINER) if other else None
    if len(line) > LONGEST:
        return not_understood(number, line, TOO_LONG)
    ids, arith, comments, message = (read or text_of)(line[mark + 2 :])
    if ids is None:
        return not_understood(number, line, "has no message id")
    return tuple.__new__(
        LogRecord,
        (
            *(number, number, ids[0], ids[1], at, None, "", "", "", "", "", "", "", "", ""),
            *(arith, comments, message, "", "", "", True),
        ),
    )


def text_of(written: str) -> ConsoleText:
    """Read the text after the instant."""
    id_, _, rest = written[:_LONGEST_ID].partition(":")
    ids = split_id(id_)
    if ids is None:
        return ConsoleText(None, (), (), "")
    text, attributes = without_inserts(
        (rest + written[_LONGEST_ID:]).rstrip().replace("\0", "\ufffd")
    )
    arith, comments = inserts(attributes)
    comments = tuple(masked_text(each) for each in comments)
    message = masked_text(" ".join(text.replace("\\n", " ").split()))
    return ConsoleText(ids, arith, comments, message)


def without_inserts(text: str) -> tuple[str, dict[str, str]]:
    """Divide a message from its inserts; a message may itself contain what looks like them."""
    if text.endswith("]"):
        for tried, found in enumerate(_BRACKET.finditer(text)):
            if tried == _TRIES:
                break
            attributes, end = leading_attributes(text, found.end())
            if end == len(text) - 1:
                return text[: found.start()], attributes
    return text, {}
